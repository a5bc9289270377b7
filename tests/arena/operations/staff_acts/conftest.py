from collections.abc import Callable

import pytest

from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import enter_version
from arena.operations.staff_acts import StaffAct, carry_out
from arena.people.accounts.models import User
from arena.people.audit.models import AuditEntry
from tests.conftest import MakeVersion

Do = Callable[[StaffAct], str]


@pytest.fixture
def olga(db: None) -> User:
    """Of the staff."""
    return User.objects.create_superuser("olga", password="olga's password")


@pytest.fixture
def do(olga: User) -> Do:
    """Describe an act, carry it out, and find its line in the audit log."""

    def describe_and_carry_out(act: StaffAct) -> str:
        before = AuditEntry.objects.count()
        assert act.describe()
        assert AuditEntry.objects.count() == before
        outcome = carry_out(act, by=olga, why="A test wants it.")
        entry = AuditEntry.objects.first()
        assert AuditEntry.objects.count() == before + 1 and entry is not None
        assert (entry.actor, entry.actor_name, entry.act, entry.about) == (olga, "olga", act.kind, act.about)
        assert (entry.subject, entry.reason, entry.outcome) == (act.subject, "A test wants it.", outcome)
        return outcome

    return describe_and_carry_out


@pytest.fixture
def entries(ladder: Ladder, ana: User, ben: User, make_version: MakeVersion) -> list[Entry]:
    """A bot of Ana's and one of Ben's on the ladder."""
    return [enter_version(ladder=ladder, version=make_version(one, f"{one.username}'s")) for one in (ana, ben)]
