import pytest

from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.seasons import open_season
from arena.people.accounts.models import User
from tests.conftest import MakeVersion


@pytest.fixture
def battalion(db: None) -> Ladder:
    return open_season(game="battalion", edition="standard", title="Battalion, Standard")


@pytest.fixture
def players(battalion: Ladder, ana: User, ben: User, make_version: MakeVersion) -> list[Entry]:
    """One of Ana's and one of Ben's, on the ladder."""
    made = []
    for owner, name in ((ana, "Kingfisher"), (ben, "Heron")):
        entry = enter_version(ladder=battalion, version=make_version(owner, name, game="battalion"))
        assert entry is not None
        made.append(entry)
    return made


@pytest.fixture
def staff(db: None) -> User:
    return User.objects.create_user("sam", is_staff=True)
