import re

from django.db import migrations, models

import arena.fields
from engine.message import Message, join_messages, literal

TRIAL_FAULT = re.compile(r"(\w+) in leg (\d+) of its trial\.\s*(.*)", re.DOTALL)
FAULT_NAMES = {
    "Illegal": "Illegal action",
    "Malformed": "Unreadable answer",
    "Timeout": "Timeout",
    "Crash": "Crash",
    "Memory": "Out of memory",
    "Output": "Too much output",
    "Start": "Failed start",
}
NOT_BUILT = "It could not be built."


def to_messages(apps, schema_editor):
    """Split each sentence into what everybody may read and what only the owner may."""
    versions = apps.get_model("bots", "BotVersion").objects.exclude(old_reason="")
    for version in versions.only("old_reason").iterator():
        version.state_reason, version.state_detail = split(version.old_reason)
        version.save(update_fields=["state_reason", "state_detail"])


def split(sentence):
    found = TRIAL_FAULT.fullmatch(sentence)
    if found and found[1] in FAULT_NAMES:
        verdict = Message(FAULT_NAMES[found[1]])
        reason = Message("%(verdict)s in leg %(leg)s of its trial.", {"verdict": verdict, "leg": int(found[2])})
        return reason, literal(found[3]) if found[3] else None
    if sentence == NOT_BUILT:
        return Message(NOT_BUILT), None
    public, _, private = sentence.partition(". ")
    return (literal(f"{public}."), literal(private)) if private else (literal(sentence), None)


def to_sentences(apps, schema_editor):
    versions = apps.get_model("bots", "BotVersion").objects.exclude(state_reason=None)
    for version in versions.only("state_reason", "state_detail").iterator():
        version.old_reason = str(join_messages(version.state_reason, version.state_detail))
        version.save(update_fields=["old_reason"])


class Migration(migrations.Migration):
    dependencies = [("bots", "0006_words_for_search")]

    operations = [
        migrations.RenameField("botversion", "state_reason", "old_reason"),
        migrations.AddField(
            "botversion",
            "state_reason",
            arena.fields.MessageField(
                blank=True, default=None, editable=False, help_text="Why it was rejected, for everybody.", null=True
            ),
        ),
        migrations.AddField(
            "botversion",
            "state_detail",
            arena.fields.MessageField(
                blank=True,
                default=None,
                editable=False,
                help_text="What went wrong exactly, for its owner only: it may quote what the bot wrote.",
                null=True,
            ),
        ),
        # Going back, the old column must have a value in all rows.
        migrations.AlterField("botversion", "old_reason", models.TextField(blank=True, default="")),
        migrations.RunPython(to_messages, to_sentences),
        migrations.RemoveField("botversion", "old_reason"),
    ]
