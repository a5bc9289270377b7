"""Define what all acts of staff have in common."""

from abc import ABC, abstractmethod

from django.db import transaction

from arena.audit.models import Act
from arena.audit.services import Actor, record_act
from arena.errors import ArenaError
from engine.message import gettext_noop, message

MAX_SUBJECT_LENGTH = 200


class StaffAct(ABC):
    """An act of staff on one subject. Nothing has changed before `carry_out`."""

    kind: Act
    about: str
    """Kind and key of the subject, such as `user 12`; empty for the whole site."""
    subject: str
    """Name of the subject."""

    @abstractmethod
    def describe(self) -> str:
        """Return what the act will do. Raises ArenaError where it can't be done."""

    @abstractmethod
    def perform(self) -> str:
        """Do it within a transaction, and return what was done. Raises ArenaError."""


@transaction.atomic
def carry_out(act: StaffAct, *, by: Actor, why: str) -> str:
    """Do an act of staff together with its line in the audit log, and return what was done. Raises ArenaError."""
    if not why.strip():
        raise ArenaError(message(gettext_noop("Say why: the audit log keeps it.")))
    outcome = act.perform()
    subject = act.subject[:MAX_SUBJECT_LENGTH]
    record_act(by=by, act=act.kind, about=act.about, subject=subject, why=why.strip(), outcome=outcome)
    return outcome


def count(number: int, one: str, several: str = "") -> str:
    """Return a number with its noun: "1 match", "2 matches"."""
    return f"{number:,} {one if number == 1 else several or one + 's'}"
