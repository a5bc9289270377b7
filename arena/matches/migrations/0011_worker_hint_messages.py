from django.db import migrations, models

import arena.fields
from engine.message import literal


def to_messages(apps, schema_editor):
    for status in apps.get_model("matches", "WorkerStatus").objects.exclude(old_hint=""):
        status.hint = literal(status.old_hint)
        status.save(update_fields=["hint"])


def to_sentences(apps, schema_editor):
    for status in apps.get_model("matches", "WorkerStatus").objects.filter(hint__isnull=False):
        status.old_hint = str(status.hint)
        status.save(update_fields=["old_hint"])


class Migration(migrations.Migration):
    dependencies = [("matches", "0010_series")]

    operations = [
        migrations.RenameField("workerstatus", "hint", "old_hint"),
        # Going back, the old column must have a value in all rows.
        migrations.AlterField("workerstatus", "old_hint", models.TextField(blank=True, default="")),
        migrations.AddField(
            "workerstatus",
            "hint",
            arena.fields.MessageField(
                blank=True,
                default=None,
                editable=False,
                help_text="What to install or to allow for the best level.",
                null=True,
            ),
        ),
        migrations.RunPython(to_messages, to_sentences),
        migrations.RemoveField("workerstatus", "old_hint"),
    ]
