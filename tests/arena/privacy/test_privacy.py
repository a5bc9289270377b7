"""A walk over all addresses as everybody who may come, with every method: who finds what isn't theirs?"""

import logging

import pytest

from tests.arena.privacy.routes import ACCOUNTS, ADMIN, every_route, known_routes
from tests.arena.privacy.secrets import World
from tests.arena.privacy.walk import Visitor, Walk, find_wrong, roles
from tests.arena.privacy.world import make_world
from tests.conftest import Play


def test_every_route_stands_in_the_table() -> None:
    routes = {route for route in every_route() if not route.startswith((ACCOUNTS, ADMIN))}
    assert routes == known_routes()


@pytest.fixture
def world(db: None, play: Play) -> World:
    return make_world(play)


def test_nobody_finds_what_is_not_theirs(world: World, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, "django")
    walks = [Walk(Visitor(role, world), world) for role in roles(world)]
    assert len(walks) >= 8
    wrong = find_wrong(walks)
    assert not wrong, "\n".join(wrong)
    shown = {name for walk in walks for name in walk.found if walk.visitor.role == "owner"}
    assert {secret.name for secret in world.secrets if secret.is_shown} <= shown
