"""Store why an entry doesn't play and why a match doesn't count as messages."""

import re

from django.db import migrations, models

import arena.fields
from engine.message import Message, literal

TEMPLATES = {
    re.compile(r"It was at fault in (?P<count>\d+) legs in a row\."): "It was at fault in %(count)s legs in a row.",
    re.compile(
        r"It was at fault in (?P<count>\d+) of its last (?P<legs>\d+) legs\."
    ): "It was at fault in %(count)s of its last %(legs)s legs.",
    **{
        re.compile(re.escape(sentence)): sentence
        for sentence in (
            "Its owner has paused it.",
            "There is no result.",
            "A bot failed in it that was suspended for its failures before.",
            "The results of these bots against each other were out of line.",
        )
    },
}
COLUMNS = (("Entry", "state_reason"), ("LadderMatch", "void_reason"))


def to_messages(apps, schema_editor):
    for model, field in COLUMNS:
        rows = apps.get_model("ladders", model).objects.exclude(old_reason="")
        for row in rows.only("old_reason").iterator():
            setattr(row, field, parse(row.old_reason))
            row.save(update_fields=[field])


def parse(sentence):
    for pattern, template in TEMPLATES.items():
        if found := pattern.fullmatch(sentence):
            return Message(template, {name: int(value) for name, value in found.groupdict().items()})
    return literal(sentence)


def to_sentences(apps, schema_editor):
    for model, field in COLUMNS:
        rows = apps.get_model("ladders", model).objects.exclude(**{field: None})
        for row in rows.only(field).iterator():
            row.old_reason = str(getattr(row, field))
            row.save(update_fields=["old_reason"])


def message_field(help_text):
    return arena.fields.MessageField(blank=True, default=None, editable=False, help_text=help_text, null=True)


class Migration(migrations.Migration):
    dependencies = [("ladders", "0005_field_names")]

    operations = [
        migrations.RenameField("entry", "state_reason", "old_reason"),
        migrations.RenameField("laddermatch", "void_reason", "old_reason"),
        migrations.AddField("entry", "state_reason", message_field("Why it doesn't play.")),
        migrations.AddField("laddermatch", "void_reason", message_field("Why it doesn't count.")),
        # Going back, the old columns must have a value in all rows.
        migrations.AlterField("entry", "old_reason", models.TextField(blank=True, default="")),
        migrations.AlterField("laddermatch", "old_reason", models.TextField(blank=True, default="")),
        migrations.RunPython(to_messages, to_sentences),
        migrations.RemoveField("entry", "old_reason"),
        migrations.RemoveField("laddermatch", "old_reason"),
    ]
