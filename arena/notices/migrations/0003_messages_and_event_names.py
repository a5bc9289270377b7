import django.utils.timezone
from django.db import migrations, models

import arena.fields
import arena.notices.models
from engine.message import literal

NEW_NAMES = {
    "trial.over": "trial.finished",
    "match.over": "match.finished",
    "tournament.begun": "tournament.started",
    "tournament.over": "tournament.finished",
    "webhook.off": "webhook.disabled",
}
OLD_NAMES = {new: old for old, new in NEW_NAMES.items()}
COLUMNS = (("Notice", "text", "old_text"), ("Delivery", "error", "old_error"))
BATCH_SIZE = 1000


def rename_events(names):
    def rename(apps, schema_editor):
        for model in ("Notice", "Delivery"):
            for old, new in names.items():
                apps.get_model("notices", model).objects.filter(event=old).update(event=new)
        for webhook in apps.get_model("notices", "Webhook").objects.only("events"):
            webhook.events = sorted(names.get(event, event) for event in webhook.events)
            webhook.save(update_fields=["events"])

    return rename


def rename_state(old, new):
    def rename(apps, schema_editor):
        apps.get_model("notices", "Delivery").objects.filter(state=old).update(state=new)

    return rename


def to_messages(apps, schema_editor):
    for model, new, old in COLUMNS:
        rows = apps.get_model("notices", model).objects
        changed = []
        for row in rows.exclude(**{old: ""}).only(old).iterator(BATCH_SIZE):
            setattr(row, new, literal(getattr(row, old)))
            changed.append(row)
        rows.bulk_update(changed, [new], BATCH_SIZE)


def to_sentences(apps, schema_editor):
    for model, new, old in COLUMNS:
        rows = apps.get_model("notices", model).objects
        changed = []
        for row in rows.filter(**{f"{new}__isnull": False}).only(new).iterator(BATCH_SIZE):
            setattr(row, old, str(getattr(row, new)))
            changed.append(row)
        rows.bulk_update(changed, [old], BATCH_SIZE)


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
    dependencies = [("notices", "0002_alter_delivery_event_alter_notice_event")]

    operations = [
        migrations.RenameField("notice", "text", "old_text"),
        migrations.RenameField("delivery", "error", "old_error"),
        # Going back, the old columns must have a value in all rows.
        migrations.AlterField("notice", "old_text", models.TextField(default="")),
        migrations.AlterField("delivery", "old_error", models.TextField(blank=True, default="")),
        migrations.AddField(
            "notice", "text", arena.fields.MessageField(blank=True, default=None, editable=False, null=True)
        ),
        migrations.AddField(
            "delivery",
            "error",
            arena.fields.MessageField(
                blank=True, default=None, editable=False, help_text="Why the last attempt failed.", null=True
            ),
        ),
        migrations.RunPython(to_messages, to_sentences),
        migrations.RunPython(rename_events(NEW_NAMES), rename_events(OLD_NAMES)),
        migrations.RunPython(rename_state("given up", "gave_up"), rename_state("gave_up", "given up")),
        migrations.RemoveField("notice", "old_text"),
        migrations.RemoveField("delivery", "old_error"),
        migrations.AlterField("notice", "event", models.CharField(choices=EVENTS, max_length=30)),
        migrations.AlterField("delivery", "event", models.CharField(choices=EVENTS, max_length=30)),
        migrations.AlterField(
            "delivery",
            "state",
            models.CharField(
                choices=[("waiting", "Waiting"), ("delivered", "Delivered"), ("gave_up", "Gave Up")],
                default="waiting",
                max_length=10,
            ),
        ),
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
