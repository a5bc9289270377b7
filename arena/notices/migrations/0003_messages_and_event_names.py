from django.db import migrations, models

import arena.fields
from engine.message import literal

COLUMNS = (("Notice", "text", "old_text"), ("Delivery", "error", "old_error"))
BATCH_SIZE = 1000


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
        migrations.RemoveField("notice", "old_text"),
        migrations.RemoveField("delivery", "old_error"),
    ]
