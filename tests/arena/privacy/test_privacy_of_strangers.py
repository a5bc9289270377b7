"""The other half of the walk in `test_privacy.py`: strangers and tokens, who try every method."""

import logging

import pytest

from tests.arena.privacy.secrets import World
from tests.arena.privacy.test_privacy import PEOPLE
from tests.arena.privacy.walk import Visitor, Walk, find_wrong, roles
from tests.arena.privacy.world import make_world
from tests.conftest import Play


@pytest.fixture
def world(db: None, play: Play) -> World:
    return make_world(play)


def test_no_stranger_and_no_token_finds_what_is_not_theirs(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "django")
    others = [role for role in roles(world) if role not in PEOPLE]
    assert len(others) >= 5
    wrong = find_wrong([Walk(Visitor(role, world), world) for role in others])
    assert not wrong, "\n".join(wrong)
