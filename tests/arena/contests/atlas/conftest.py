from collections.abc import Callable

import pytest

from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.seasons import open_season
from arena.people.accounts.models import User
from tests.conftest import MakeVersion

OpenLadder = Callable[..., tuple[Ladder, list[Entry]]]


@pytest.fixture
def open_ladder(db: None, make_version: MakeVersion) -> OpenLadder:
    """Open a ladder of an edition with so many bots."""
    return ladder_opener(make_version)


def ladder_opener(make_version: MakeVersion) -> OpenLadder:
    """Return what `open_ladder` gives to a test, for a fixture of a module."""

    def make(game: str = "battleline", edition: str = "standard", bots: int = 2) -> tuple[Ladder, list[Entry]]:
        ladder = open_season(game=game, edition=edition, title=f"{game}, {edition}")
        entries = []
        for number in range(bots):
            owner, _is_new = User.objects.get_or_create(username=f"owner{number}")
            name = f"{game} {edition} {number}"
            entry = enter_version(ladder=ladder, version=make_version(owner, name, game=game))
            assert entry is not None
            entries.append(entry)
        return ladder, entries

    return make
