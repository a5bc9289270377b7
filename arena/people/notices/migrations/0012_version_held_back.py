
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('notices', '0011_group_and_reminder_events'),
    ]

    operations = [
        migrations.AlterField(
            model_name='delivery',
            name='event',
            field=models.CharField(choices=[('trial.finished', 'Trial Finished'), ('match.finished', 'Match Finished'), ('bot.suspended', 'Suspended'), ('comparison.decided', 'Comparison Decided'), ('tournament.check', 'Tournament Check'), ('tournament.started', 'Tournament Started'), ('tournament.left', 'Tournament Left'), ('tournament.finished', 'Tournament Finished'), ('webhook.disabled', 'Webhook Disabled'), ('name.confusable', 'Name Confusable'), ('luck.suspended', 'Luck Suspended'), ('version.held_back', 'Version Held Back'), ('account.waiting', 'Account Waiting'), ('account.approved', 'Account Approved'), ('account.suspended', 'Account Suspended'), ('account.reinstated', 'Account Reinstated'), ('following.news', 'Followed News'), ('group.invitation', 'Group Invitation'), ('tournament.reminder', 'Tournament Reminder'), ('ping', 'Ping')], max_length=30),
        ),
        migrations.AlterField(
            model_name='notice',
            name='event',
            field=models.CharField(choices=[('trial.finished', 'Trial Finished'), ('match.finished', 'Match Finished'), ('bot.suspended', 'Suspended'), ('comparison.decided', 'Comparison Decided'), ('tournament.check', 'Tournament Check'), ('tournament.started', 'Tournament Started'), ('tournament.left', 'Tournament Left'), ('tournament.finished', 'Tournament Finished'), ('webhook.disabled', 'Webhook Disabled'), ('name.confusable', 'Name Confusable'), ('luck.suspended', 'Luck Suspended'), ('version.held_back', 'Version Held Back'), ('account.waiting', 'Account Waiting'), ('account.approved', 'Account Approved'), ('account.suspended', 'Account Suspended'), ('account.reinstated', 'Account Reinstated'), ('following.news', 'Followed News'), ('group.invitation', 'Group Invitation'), ('tournament.reminder', 'Tournament Reminder'), ('ping', 'Ping')], max_length=30),
        ),
    ]
