from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("audit", "0003_acts_on_bots"),
    ]

    operations = [
        migrations.AlterField(
            model_name='auditentry',
            name='act',
            field=models.CharField(choices=[('ladder.pause', 'Pause Ladder'), ('ladder.resume', 'Resume Ladder'), ('worker.drain', 'Drain Worker'), ('worker.resume', 'Resume Worker'), ('match.cancel', 'Cancel Match'), ('match.replay', 'Replay Match'), ('author.suspend', 'Suspend Author'), ('author.ban', 'Ban Author'), ('author.reinstate', 'Reinstate Author'), ('bot.stop', 'Stop Bot'), ('bot.release', 'Release Bot'), ('bot.rename', 'Rename Bot'), ('files.remove', 'Remove Files'), ('uploads.close', 'Close Uploads'), ('uploads.open', 'Open Uploads'), ('lesson.start', 'Start Lesson'), ('lesson.end', 'End Lesson'), ('user.add', 'Add User'), ('user.change', 'Change User'), ('user.delete', 'Delete User'), ('user.approve', 'Approve User'), ('entry.resume', 'Resume Entry')], max_length=30),
        ),
    ]
