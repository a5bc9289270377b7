import django.db.models.deletion
from django.db import migrations, models

import arena.fields


class Migration(migrations.Migration):
    dependencies = [("bots", "0009_help_texts")]

    operations = [
        migrations.RenameField("token", "hint", "prefix"),
        migrations.AlterField(
            model_name='blob',
            name='content',
            field=models.BinaryField(help_text='Zip made by `archive.pack`, compressed with zlib.'),
        ),
        migrations.AlterField(
            model_name='blob',
            name='sha256',
            field=models.CharField(help_text='SHA-256 of the zip, hexadecimal.', max_length=64, primary_key=True, serialize=False),
        ),
        migrations.AlterField(
            model_name='blob',
            name='size',
            field=models.PositiveIntegerField(help_text='Size of the compressed content in bytes.'),
        ),
        migrations.AlterField(
            model_name='botversion',
            name='binary',
            field=models.ForeignKey(help_text="Files that are run, where they aren't the source.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.blob'),
        ),
        migrations.AlterField(
            model_name='botversion',
            name='size',
            field=models.PositiveIntegerField(help_text='Size of all uploaded files in bytes, unpacked.'),
        ),
        migrations.AlterField(
            model_name='botversion',
            name='state_detail',
            field=arena.fields.MessageField(blank=True, default=None, editable=False, help_text='Details for its owner only, as they may quote output of the bot.', null=True),
        ),
        migrations.AlterField(
            model_name='submission',
            name='fingerprint',
            field=models.CharField(help_text='SHA-256 of the request, hexadecimal.', max_length=64),
        ),
        migrations.AlterField(
            model_name='token',
            name='bot',
            field=models.ForeignKey(blank=True, help_text="Bot that the token is for; null for all of the owner's.", null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='bots.bot'),
        ),
        migrations.AlterField(
            model_name='token',
            name='digest',
            field=models.CharField(help_text='SHA-256 of the token, hexadecimal.', max_length=64, unique=True),
        ),
        migrations.AlterField(
            model_name='token',
            name='name',
            field=models.CharField(help_text='Purpose of the token, for its owner.', max_length=60),
        ),
        migrations.AlterField(
            model_name='token',
            name='prefix',
            field=models.CharField(help_text='First characters, by which its owner recognizes it.', max_length=12),
        ),
    ]
