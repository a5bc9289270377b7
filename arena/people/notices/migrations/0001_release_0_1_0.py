"""The tables of release 0.1.0, in one step. A database that has them keeps the migrations that made them."""

import arena.core.messages
import arena.people.notices.models
import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    replaces = [
        ("notices", "0001_initial"),
        ("notices", "0002_alter_delivery_event_alter_notice_event"),
        ("notices", "0003_messages_and_event_names"),
        ("notices", "0004_delivery_gave_up"),
        ("notices", "0005_event_names"),
        ("notices", "0006_name_confusable"),
        ("notices", "0007_account_events"),
        ("notices", "0008_suspension_events"),
    ]

    initial = True

    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='Webhook',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.URLField(max_length=300)),
                ('key', models.CharField(default=arena.people.notices.models.new_key, help_text='Signs what is sent; shown to its owner only.', max_length=80)),
                ('events', models.JSONField(default=list, help_text='The events it is sent.')),
                ('is_active', models.BooleanField(default=True)),
                ('failures', models.PositiveIntegerField(default=0, help_text='Consecutive events that could not be delivered.')),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('owner', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='webhooks', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='Notice',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.CharField(choices=[('trial.finished', 'Trial Finished'), ('match.finished', 'Match Finished'), ('bot.suspended', 'Suspended'), ('comparison.decided', 'Comparison Decided'), ('tournament.check', 'Tournament Check'), ('tournament.started', 'Tournament Started'), ('tournament.left', 'Tournament Left'), ('tournament.finished', 'Tournament Finished'), ('webhook.disabled', 'Webhook Disabled'), ('name.confusable', 'Name Confusable'), ('account.waiting', 'Account Waiting'), ('account.approved', 'Account Approved'), ('account.suspended', 'Account Suspended'), ('account.reinstated', 'Account Reinstated'), ('ping', 'Ping')], max_length=30)),
                ('text', arena.core.messages.MessageField(blank=True, default=None, editable=False, null=True)),
                ('url', models.CharField(blank=True, help_text='The page it is about, from the root of the site.', max_length=200)),
                ('about', models.CharField(blank=True, help_text='Its subject: there is one notice of an event for each.', max_length=60)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('seen_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='notices', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
                'indexes': [models.Index(fields=['user', '-id'], name='notices_of_user'), models.Index(condition=models.Q(('seen_at', None)), fields=['user'], name='notices_unseen')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('about', ''), _negated=True), fields=('user', 'event', 'about'), name='one_notice_each')],
            },
        ),
        migrations.CreateModel(
            name='Delivery',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('event', models.CharField(choices=[('trial.finished', 'Trial Finished'), ('match.finished', 'Match Finished'), ('bot.suspended', 'Suspended'), ('comparison.decided', 'Comparison Decided'), ('tournament.check', 'Tournament Check'), ('tournament.started', 'Tournament Started'), ('tournament.left', 'Tournament Left'), ('tournament.finished', 'Tournament Finished'), ('webhook.disabled', 'Webhook Disabled'), ('name.confusable', 'Name Confusable'), ('account.waiting', 'Account Waiting'), ('account.approved', 'Account Approved'), ('account.suspended', 'Account Suspended'), ('account.reinstated', 'Account Reinstated'), ('ping', 'Ping')], max_length=30)),
                ('about', models.CharField(blank=True, help_text='Its subject: there is one delivery for each.', max_length=60)),
                ('payload', models.JSONField()),
                ('state', models.CharField(choices=[('waiting', 'Waiting'), ('delivered', 'Delivered'), ('gave_up', 'Gave Up')], default='waiting', max_length=10)),
                ('attempts', models.PositiveSmallIntegerField(default=0)),
                ('next_at', models.DateTimeField(default=django.utils.timezone.now, help_text='When the next attempt is due.')),
                ('status', models.PositiveSmallIntegerField(help_text='HTTP status of the last answer, if any.', null=True)),
                ('error', arena.core.messages.MessageField(blank=True, default=None, editable=False, help_text='Why the last attempt failed.', null=True)),
                ('created_at', models.DateTimeField(default=django.utils.timezone.now)),
                ('webhook', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='deliveries', to='notices.webhook')),
            ],
            options={
                'verbose_name_plural': 'deliveries',
                'ordering': ['-pk'],
                'indexes': [models.Index(condition=models.Q(('state', 'waiting')), fields=['next_at'], name='deliveries_waiting')],
                'constraints': [models.UniqueConstraint(condition=models.Q(('about', ''), _negated=True), fields=('webhook', 'event', 'about'), name='one_delivery_each')],
            },
        ),
    ]
