"""Commands by which staff acts: they ask once, refuse in a sentence, and leave a line in the audit log."""

import builtins
import io
from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.core.management import CommandError, call_command
from django.utils.timezone import localtime

from arena.contests.ladders.models import Entry, Ladder
from arena.matches.models import WorkerStatus
from arena.operations.lifecycle import anonymise_user
from arena.people.accounts.models import User
from arena.people.audit.models import AuditedAct, AuditEntry
from tests.arena.contests.ladders.conftest import store_match

IN_THE_ADMIN = {
    AuditedAct.ADD_USER,
    AuditedAct.CHANGE_USER,
    AuditedAct.DELETE_USER,
    AuditedAct.APPROVE_USER,
    AuditedAct.RESUME_ENTRY,
}
"""No command does these."""


def run(*words: str, **options: object) -> str:
    out = io.StringIO()
    call_command(*words, stdout=out, **options)
    return out.getvalue()


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is typed where a command asks."""
    typed: list[str] = []
    monkeypatch.setattr(builtins, "input", lambda question: typed.pop(0))
    return typed


@pytest.fixture
def commands(ladder: Ladder, entries: list[Entry]) -> Iterator[list[tuple[str, ...]]]:
    """Every act by its command, each after what it takes back."""
    WorkerStatus.objects.create(worker="mill", level="A")
    rated = [store_match(ladder, entries, [[1, 2], [1, 2]], minute=minute) for minute in range(2)]
    return [
        ("cancel_match", str(rated[0].match_id)),
        ("cancel_match", str(rated[1].match_id), "--replay"),
        ("pause_ladder", "battleline", "standard"),
        ("resume_ladder", "battleline", "standard"),
        ("drain_worker", "mill"),
        ("resume_worker", "mill"),
        ("close_uploads",),
        ("open_uploads",),
        ("lesson", "--until", f"{localtime() + timedelta(hours=2):%Y-%m-%d %H:%M}"),
        ("lesson", "--end"),
        ("suspend_author", "ana"),
        ("suspend_author", "ana", "--ban"),
        ("reinstate_author", "ana"),
        ("stop_bot", "anas"),
        ("release_bot", "anas"),
        ("remove_bot_files", "anas", "--number", "1"),
        ("rename_bot", "anas", "Wren"),
    ]


def test_each_command_says_what_it_will_do_asks_once_and_says_what_it_did(commands, answers, olga):
    for words in commands:
        answers.append("n")
        with pytest.raises(CommandError, match="Nothing was changed"):
            run(*words, "--why", "Class is over.", "--by", "olga")
        assert not AuditEntry.objects.filter(reason="Class is over.").exists()
        answers.append("y")
        said = run(*words, "--why", "A test.", "--by", "olga").splitlines()
        assert 2 <= len(said) <= 3 and all(line.endswith(".") for line in said) and not answers
        assert AuditEntry.objects.first().outcome == said[1]
        with pytest.raises(CommandError, match=r"\.$"):
            run(*words, "--why", "A test.", "--yes")
    assert set(AuditEntry.objects.values_list("act", flat=True)) == set(AuditedAct.values) - IN_THE_ADMIN
    assert set(AuditEntry.objects.values_list("actor_name", flat=True)) == {"olga"}


def test_the_audit_log_can_be_read_and_filtered(commands, olga):
    for words in commands[2:6]:
        run(*words, "--why", "Two\nlines.", "--yes")
    lines = run("audit_log").splitlines()
    assert len(lines) == 4 and "worker.resume\tmill\tTwo lines." in lines[0]
    assert "(command)" in lines[0]
    assert len(run("audit_log", "--act", "ladder.pause").splitlines()) == 1
    assert len(run("audit_log", "--on", "MILL").splitlines()) == 2
    assert run("audit_log", "--by", "olga") == ""
    assert len(run("audit_log", "--lines", "1").splitlines()) == 1


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (("pause_ladder", "battleline", "chess"), "battleline chess has no open season."),
        (("drain_worker", "barn"), "No worker called barn"),
        (("cancel_match", "7"), "Match 7 doesn't exist."),
        (("suspend_author", "nobody"), "No user called nobody."),
        (("remove_bot_files", "nothing"), "There's no bot at /bots/nothing/."),
        (("close_uploads", "--by", "ana"), "No staff member called ana."),
    ],
)
def test_a_command_refuses_what_is_not_there(db, ana, words, refusal):
    with pytest.raises(CommandError, match=refusal):
        run(*words, "--why", "A test.", "--yes")
    assert not AuditEntry.objects.exists()


def test_a_reason_is_needed(db):
    with pytest.raises(CommandError, match="--why"):
        run("close_uploads", "--yes")
    with pytest.raises(CommandError, match="Give a reason for the audit log"):
        run("close_uploads", "--yes", "--why", " ")


def test_the_log_forgets_the_name_of_an_anonymised_author(ana: User) -> None:
    run("suspend_author", "ana", "--yes", "--why", "Ana asked for it.")
    pseudonym = anonymise_user(user=ana)
    entry = AuditEntry.objects.get()
    assert (entry.subject, entry.reason) == (pseudonym, "")
    assert "ana" not in entry.outcome
