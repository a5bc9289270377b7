import re

from django.db import migrations, models

import arena.fields
from engine.message import Message, join_messages, literal

NOT_PROMOTED = "It was not promoted."
NOTHING_DECIDED = re.compile(r"Nothing was decided in (\d+) pairs\.")


def to_messages(apps, schema_editor):
    """Split each sentence into what everybody may read and what concerns the owner alone."""
    comparisons = apps.get_model("comparisons", "Comparison").objects.exclude(old_reason="")
    for comparison in comparisons.only("old_reason").iterator():
        comparison.state_reason, comparison.state_detail = split(comparison.old_reason)
        comparison.save(update_fields=["state_reason", "state_detail"])


def split(sentence):
    if sentence.startswith(NOT_PROMOTED):
        detail = sentence.removeprefix(NOT_PROMOTED).strip()
        return Message(NOT_PROMOTED), literal(detail) if detail else None
    if found := NOTHING_DECIDED.fullmatch(sentence):
        return Message("Nothing was decided in %(pairs)s pairs.", {"pairs": int(found[1])}), None
    return literal(sentence), None


def to_sentences(apps, schema_editor):
    comparisons = apps.get_model("comparisons", "Comparison").objects.exclude(state_reason=None)
    for comparison in comparisons.only("state_reason", "state_detail").iterator():
        comparison.old_reason = str(join_messages(comparison.state_reason, comparison.state_detail))
        comparison.save(update_fields=["old_reason"])


class Migration(migrations.Migration):
    dependencies = [("comparisons", "0001_initial")]

    operations = [
        migrations.RenameField("comparison", "state_reason", "old_reason"),
        migrations.AddField(
            "comparison",
            "state_reason",
            arena.fields.MessageField(
                blank=True,
                default=None,
                editable=False,
                help_text="Why it ended like that, where there is more to say.",
                null=True,
            ),
        ),
        migrations.AddField(
            "comparison",
            "state_detail",
            arena.fields.MessageField(
                blank=True,
                default=None,
                editable=False,
                help_text="What else its owner should know; nobody else is shown it.",
                null=True,
            ),
        ),
        # Going back, the old column must have a value in all rows.
        migrations.AlterField("comparison", "old_reason", models.TextField(blank=True, default="")),
        migrations.RunPython(to_messages, to_sentences),
        migrations.RemoveField("comparison", "old_reason"),
    ]
