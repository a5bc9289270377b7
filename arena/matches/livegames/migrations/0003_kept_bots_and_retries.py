from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('livegames', '0002_hints'),
    ]

    operations = [
        migrations.RemoveField(
            model_name='livegame',
            name='published_at',
        ),
        migrations.AddField(
            model_name='livegame',
            name='retry_at',
            field=models.DateTimeField(help_text='When its bot is asked again after a failed attempt; null without one at this decision.', null=True),
        ),
        migrations.AddField(
            model_name='liveseat',
            name='kept_at',
            field=models.DateTimeField(help_text='When that process last answered.', null=True),
        ),
        migrations.AddField(
            model_name='liveseat',
            name='kept_by',
            field=models.CharField(blank=True, help_text="The worker that keeps a bot's process for its next turn; empty: none.", max_length=200),
        ),
    ]
