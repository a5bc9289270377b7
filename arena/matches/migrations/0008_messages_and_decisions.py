from django.db import migrations, models

import arena.fields
from engine.message import literal

COLUMNS = (("Match", "void_reason", "old_reason"), ("Attempt", "error", "old_error"))
BATCH_SIZE = 1000


def to_messages(apps, schema_editor):
    for model, new, old in COLUMNS:
        rows = apps.get_model("matches", model).objects
        changed = []
        for row in rows.exclude(**{old: ""}).only(old).iterator(BATCH_SIZE):
            setattr(row, new, literal(getattr(row, old)))
            changed.append(row)
        rows.bulk_update(changed, [new], BATCH_SIZE)


def to_sentences(apps, schema_editor):
    for model, new, old in COLUMNS:
        rows = apps.get_model("matches", model).objects
        changed = []
        for row in rows.filter(**{f"{new}__isnull": False}).only(new).iterator(BATCH_SIZE):
            setattr(row, old, str(getattr(row, new)))
            changed.append(row)
        rows.bulk_update(changed, [old], BATCH_SIZE)


class Migration(migrations.Migration):
    dependencies = [("matches", "0007_lists")]

    operations = [
        migrations.RenameField("match", "void_reason", "old_reason"),
        migrations.RenameField("attempt", "error", "old_error"),
        # Going back, the old columns must have a value in all rows.
        migrations.AlterField("match", "old_reason", models.TextField(blank=True, default="")),
        migrations.AlterField("attempt", "old_error", models.TextField(blank=True, default="")),
        migrations.AddField(
            "match",
            "void_reason",
            arena.fields.MessageField(
                blank=True, default=None, editable=False, help_text="Why there is no result.", null=True
            ),
        ),
        migrations.AddField(
            "attempt",
            "error",
            arena.fields.MessageField(
                blank=True, default=None, editable=False, help_text="Why the arena failed.", null=True
            ),
        ),
        migrations.RunPython(to_messages, to_sentences),
        migrations.RemoveField("match", "old_reason"),
        migrations.RemoveField("attempt", "old_error"),
        migrations.RenameField("leg", "plies", "decisions"),
        migrations.AlterField(
            "leg", "decisions", models.PositiveIntegerField(help_text="Number of actions of all seats.", null=True)
        ),
    ]
