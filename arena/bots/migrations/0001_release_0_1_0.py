"""The tables of release 0.1.0, in one step. A database that has them keeps the migrations that made them."""

import arena.core.messages
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("bots", "0001_initial"),
        ("bots", "0002_blobs"),
        ("bots", "0003_sources_to_blobs"),
        ("bots", "0004_versions_by_hash"),
        ("bots", "0005_tokens"),
        ("bots", "0006_words_for_search"),
        ("bots", "0007_reasons_as_messages"),
        ("bots", "0008_on_trial_and_on_hold"),
        ("bots", "0009_help_texts"),
        ("bots", "0010_token_prefix"),
        ("bots", "0011_crest_difference"),
        ("bots", "0012_removed_files_and_closed_uploads"),
        ("bots", "0013_who_may_play_it"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Blob',
            fields=[
                ('sha256', models.CharField(help_text='SHA-256 of the zip, hexadecimal.', max_length=64, primary_key=True, serialize=False)),
                ('content', models.BinaryField(help_text='Zip made by `archive.pack`, compressed with zlib.')),
                ('size', models.PositiveIntegerField(help_text='Size of the compressed content in bytes.')),
            ],
        ),
        migrations.CreateModel(
            name='UploadClosure',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('closed_at', models.DateTimeField(default=django.utils.timezone.now)),
            ],
        ),
        migrations.CreateModel(
            name='Bot',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=40)),
                ('name_upper', models.GeneratedField(db_persist=True, expression=django.db.models.functions.text.Upper('name'), help_text='The name in capitals, for searches.', output_field=models.TextField())),
                ('slug', models.SlugField(unique=True)),
                ('game', models.CharField(help_text='Key of the game it plays.', max_length=40)),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('crest_difference', models.PositiveIntegerField(default=0, help_text='Tells its crest apart from others of its game.')),
                ('played_by', models.CharField(choices=[('everybody', 'Everybody'), ('owner', 'Owner'), ('nobody', 'Nobody')], default='owner', help_text='Who may play live games against it; those of the house are always there for everybody.', max_length=10)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='bots', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['slug'],
            },
        ),
        migrations.CreateModel(
            name='BotVersion',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('number', models.PositiveIntegerField()),
                ('language', models.CharField(default='python', help_text='A key of arena.runner.languages.LANGUAGES.', max_length=20)),
                ('removed_sha256', models.CharField(blank=True, help_text='SHA-256 of the source, hexadecimal, once its files were removed.', max_length=64)),
                ('size', models.PositiveIntegerField(help_text='Size of all uploaded files in bytes, unpacked.')),
                ('state', models.CharField(choices=[('building', 'Building'), ('on_trial', 'On Trial'), ('accepted', 'Accepted'), ('rejected', 'Rejected')], default='on_trial', max_length=10)),
                ('state_reason', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Why it was rejected, for everybody.', null=True)),
                ('state_detail', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Details for its owner only, as they may quote output of the bot.', null=True)),
                ('build_log', models.TextField(blank=True, help_text='Output of the compiler, for its owner only.')),
                ('is_on_hold', models.BooleanField(default=False, help_text='Whether it enters ladders only when its owner promotes it.')),
                ('build_published_at', models.DateTimeField(default=django.utils.timezone.now, help_text='When workers were last told to build it.')),
                ('created_at', models.DateTimeField(auto_now_add=True)),
                ('binary', models.ForeignKey(help_text="Files that are run, where they aren't the source.", null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.blob')),
                ('bot', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='versions', to='bots.bot')),
                ('source', models.ForeignKey(help_text='The files as they were uploaded; null once staff removed them.', null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='bots.blob')),
            ],
            options={
                'ordering': ['bot', 'number'],
            },
        ),
        migrations.CreateModel(
            name='Submission',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('key', models.CharField(max_length=100)),
                ('fingerprint', models.CharField(help_text='SHA-256 of the request, hexadecimal.', max_length=64)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to=settings.AUTH_USER_MODEL)),
                ('version', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='submissions', to='bots.botversion')),
            ],
        ),
        migrations.CreateModel(
            name='Token',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(help_text='Purpose of the token, for its owner.', max_length=60)),
                ('digest', models.CharField(help_text='SHA-256 of the token, hexadecimal.', max_length=64, unique=True)),
                ('prefix', models.CharField(help_text='First characters, by which its owner recognizes it.', max_length=12)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('last_used_at', models.DateTimeField(null=True)),
                ('revoked_at', models.DateTimeField(null=True)),
                ('bot', models.ForeignKey(blank=True, help_text="Bot that the token is for; null for all of the owner's.", null=True, on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to='bots.bot')),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='tokens', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.AddIndex(
            model_name='botversion',
            index=models.Index(fields=['state'], name='version_by_state'),
        ),
        migrations.AddConstraint(
            model_name='botversion',
            constraint=models.UniqueConstraint(fields=('bot', 'number'), name='one_version_per_number'),
        ),
        migrations.AddConstraint(
            model_name='submission',
            constraint=models.UniqueConstraint(fields=('owner', 'key'), name='one_submission_per_key'),
        ),
    ]
