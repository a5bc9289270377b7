import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('bots', '0018_who_uploaded'),
    ]

    operations = [
        migrations.RenameField("botversion", "build_published_at", "build_due_at"),
        migrations.AlterField(
            model_name='botversion',
            name='build_due_at',
            field=models.DateTimeField(default=django.utils.timezone.now, help_text='When a worker may take it to build it: the worker that has it sets this time ahead while it works.'),
        ),
        migrations.AddField(
            model_name='botversion',
            name='build_failures',
            field=models.PositiveSmallIntegerField(default=0, help_text='How often the arena failed to build it.'),
        ),
        migrations.AddField(
            model_name='botversion',
            name='held_back_at',
            field=models.DateTimeField(blank=True, help_text='Since when it is played in no match, as the arena fails to run it, while others are played; null: it is played.', null=True),
        ),
    ]
