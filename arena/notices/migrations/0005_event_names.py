import django.utils.timezone
from django.db import migrations, models

import arena.notices.models

NEW_NAMES = {
    "trial.over": "trial.finished",
    "match.over": "match.finished",
    "tournament.begun": "tournament.started",
    "tournament.over": "tournament.finished",
    "webhook.off": "webhook.disabled",
}
OLD_NAMES = {new: old for old, new in NEW_NAMES.items()}


def rename_events(names):
    def rename(apps, schema_editor):
        for model in ("Notice", "Delivery"):
            for old, new in names.items():
                apps.get_model("notices", model).objects.filter(event=old).update(event=new)
        for webhook in apps.get_model("notices", "Webhook").objects.only("events"):
            webhook.events = sorted(names.get(event, event) for event in webhook.events)
            webhook.save(update_fields=["events"])

    return rename


EVENTS = [
    ("trial.finished", "Trial Finished"),
    ("match.finished", "Match Finished"),
    ("bot.suspended", "Suspended"),
    ("comparison.decided", "Comparison Decided"),
    ("tournament.check", "Tournament Check"),
    ("tournament.started", "Tournament Started"),
    ("tournament.left", "Tournament Left"),
    ("tournament.finished", "Tournament Finished"),
    ("webhook.disabled", "Webhook Disabled"),
    ("ping", "Ping"),
]


class Migration(migrations.Migration):
    # Apart from 0003: PostgreSQL alters no table whose rows were changed twice in the same transaction.
    dependencies = [("notices", "0004_delivery_gave_up")]

    operations = [
        migrations.RunPython(rename_events(NEW_NAMES), rename_events(OLD_NAMES)),
        migrations.AlterField("notice", "event", models.CharField(choices=EVENTS, max_length=30)),
        migrations.AlterField("delivery", "event", models.CharField(choices=EVENTS, max_length=30)),
        migrations.AlterField(
            "delivery",
            "about",
            models.CharField(
                blank=True, help_text="Its subject: there is one delivery for each.", max_length=60
            ),
        ),
        migrations.AlterField(
            "delivery",
            "next_at",
            models.DateTimeField(default=django.utils.timezone.now, help_text="When the next attempt is due."),
        ),
        migrations.AlterField(
            "delivery",
            "status",
            models.PositiveSmallIntegerField(
                help_text="HTTP status of the last answer, if any.", null=True
            ),
        ),
        migrations.AlterField(
            "notice",
            "about",
            models.CharField(
                blank=True, help_text="Its subject: there is one notice of an event for each.", max_length=60
            ),
        ),
        migrations.AlterField("webhook", "events", models.JSONField(default=list, help_text="The events it is sent.")),
        migrations.AlterField(
            "webhook",
            "failures",
            models.PositiveIntegerField(default=0, help_text="Consecutive events that could not be delivered."),
        ),
        migrations.AlterField(
            "webhook",
            "key",
            models.CharField(
                default=arena.notices.models.new_key,
                help_text="Signs what is sent; shown to its owner only.",
                max_length=80,
            ),
        ),
    ]
