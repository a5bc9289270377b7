"""Matches that are over, with records of short legs, for tests of their analyses."""

from collections.abc import Callable

import pytest

from arena.bots.models import BotVersion
from arena.matches.models import Leg, Match
from arena.people.accounts.models import User
from tests.arena.contests.analysis.finished import finish_match
from tests.conftest import MakeVersion

FinishMatch = Callable[..., Match]


@pytest.fixture
def versions(ana: User, ben: User, make_version: MakeVersion) -> list[BotVersion]:
    return [make_version(ana, "Kingfisher"), make_version(ben, "Heron")]


@pytest.fixture
def match(versions: list[BotVersion]) -> Match:
    return finish_match(versions)


@pytest.fixture
def leg(match: Match) -> Leg:
    return match.legs.get(number=1)
