"""The tables of release 0.1.0, in one step. A database that has them keeps the migrations that made them."""

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("audit", "0001_initial"),
        ("audit", "0002_acts_in_the_admin"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('at', models.DateTimeField(default=django.utils.timezone.now)),
                ('actor_name', models.CharField(help_text="Name of the user, or of the operating system's account.", max_length=150)),
                ('act', models.CharField(choices=[('ladder.pause', 'Pause Ladder'), ('ladder.resume', 'Resume Ladder'), ('worker.drain', 'Drain Worker'), ('worker.resume', 'Resume Worker'), ('match.cancel', 'Cancel Match'), ('match.replay', 'Replay Match'), ('author.suspend', 'Suspend Author'), ('author.ban', 'Ban Author'), ('author.reinstate', 'Reinstate Author'), ('files.remove', 'Remove Files'), ('uploads.close', 'Close Uploads'), ('uploads.open', 'Open Uploads'), ('user.add', 'Add User'), ('user.change', 'Change User'), ('user.delete', 'Delete User'), ('user.approve', 'Approve User'), ('entry.resume', 'Resume Entry')], max_length=30)),
                ('about', models.CharField(blank=True, help_text='Kind and key of what it was done on.', max_length=60)),
                ('subject', models.CharField(help_text='Name of what it was done on.', max_length=200)),
                ('reason', models.TextField(help_text='Why, in the words of who did it.')),
                ('outcome', models.TextField(help_text='What it changed.')),
                ('actor', models.ForeignKey(help_text='Who did it; null for commands.', null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'verbose_name_plural': 'audit entries',
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['about'], name='audit_by_subject')],
            },
        ),
    ]
