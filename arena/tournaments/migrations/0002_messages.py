"""Store reasons as messages, and what a bot did wrong in its check in a field of its own."""

from django.db import migrations, models

from arena.fields import MessageField
from engine.message import Message, literal, message

FAULTS = {
    "Illegal": "Illegal action",
    "Malformed": "Unreadable answer",
    "Timeout": "Timeout",
    "Crash": "Crash",
    "Memory": "Out of memory",
    "Output": "Too much output",
    "Start": "Failed start",
}
TEMPLATES = {
    "Its organiser has paused it.": "Its organiser has paused it.",
    "Its organiser has called it off.": "Its organiser has cancelled it.",
    "Its organiser wanted it played again.": "Its organiser wanted it replayed.",
    "Fewer than two bots were ready when it was to begin.": "Fewer than two bots were ready when it was to start.",
}
CHECKED = " in its check."


def read_reason(text: str) -> Message | None:
    return message(TEMPLATES[text]) if text in TEMPLATES else literal(text) if text else None


def read_fault(text: str) -> tuple[Message | None, Message | None]:
    """Split the reason of a failed check into what everybody may read and what is the owner's."""
    verdict, found, detail = text.partition(CHECKED)
    if not found or verdict not in FAULTS:
        return None, literal(text) if text else None
    reason = message("%(fault)s in its check.", fault=message(FAULTS[verdict]))
    return reason, literal(detail.strip()) if detail.strip() else None


def write_fault(reason: Message | None, detail: Message | None) -> str:
    """Return the sentence that was stored before."""
    verdicts = {name: verdict for verdict, name in FAULTS.items()}
    first = "" if reason is None else str(reason)
    name = first.removesuffix(CHECKED)
    first = f"{verdicts[name]}{CHECKED}" if name in verdicts else first
    return f"{first} {'' if detail is None else detail}".strip()


def store_messages(apps, schema_editor) -> None:
    for name, old, new in (("Tournament", "old_reason", "state_reason"), ("Round", "void_reason", "replay_reason")):
        model = apps.get_model("tournaments", name)
        for row in model.objects.exclude(**{old: ""}).only("pk", old).iterator():
            model.objects.filter(pk=row.pk).update(**{new: read_reason(getattr(row, old))})
    entrants = apps.get_model("tournaments", "Entrant").objects
    for row in entrants.exclude(old_reason="").only("pk", "state", "old_reason").iterator():
        is_private = row.state == "failed"
        reason, detail = read_fault(row.old_reason) if is_private else (read_reason(row.old_reason), None)
        entrants.filter(pk=row.pk).update(state_reason=reason, state_detail=detail)


def store_texts(apps, schema_editor) -> None:
    for name, old, new in (("Tournament", "old_reason", "state_reason"), ("Round", "void_reason", "replay_reason")):
        model = apps.get_model("tournaments", name)
        for row in model.objects.filter(**{f"{new}__isnull": False}).only("pk", new).iterator():
            model.objects.filter(pk=row.pk).update(**{old: str(getattr(row, new))})
    entrants = apps.get_model("tournaments", "Entrant").objects
    for row in entrants.only("pk", "state_reason", "state_detail").iterator():
        entrants.filter(pk=row.pk).update(old_reason=write_fault(row.state_reason, row.state_detail))


class Migration(migrations.Migration):
    dependencies = [("tournaments", "0001_initial")]

    operations = [
        migrations.RenameField("tournament", "state_reason", "old_reason"),
        migrations.RenameField("entrant", "state_reason", "old_reason"),
        # What is removed in the end comes back with a default when the migration is reversed.
        migrations.AlterField("tournament", "old_reason", models.TextField(blank=True, default="")),
        migrations.AlterField("entrant", "old_reason", models.TextField(blank=True, default="")),
        migrations.AlterField("round", "void_reason", models.TextField(blank=True, default="")),
        migrations.AddField(
            "tournament", "state_reason", MessageField(help_text="Why it is paused or cancelled.")
        ),
        migrations.AddField(
            "entrant", "state_reason", MessageField(help_text="Why it failed its check or left.")
        ),
        migrations.AddField(
            "entrant",
            "state_detail",
            MessageField(help_text="What its bot did wrong in the check: for its owner and the organiser only."),
        ),
        migrations.AddField(
            "round", "replay_reason", MessageField(help_text="Why it was replayed; null while its results count.")
        ),
        migrations.RunPython(store_messages, store_texts),
        migrations.RemoveField("tournament", "old_reason"),
        migrations.RemoveField("entrant", "old_reason"),
        migrations.RemoveField("round", "void_reason"),
    ]
