"""Who plans tournaments and plays in them."""

import pytest
from django.contrib.auth.models import Permission

from arena.bots.models import Bot
from arena.people.accounts.models import User
from tests.arena.api.played import queue_rated as queue_rated
from tests.arena.api.played import queued as queued
from tests.arena.api.played import rated as rated
from tests.arena.api.played import versions as versions
from tests.arena.contests.tournaments.world import make_bots, make_organiser


@pytest.fixture
def olga(db: None) -> User:
    return make_organiser()


@pytest.fixture
def otto(db: None) -> User:
    """He may organise, and is no staff."""
    otto = User.objects.create_user("otto")
    otto.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return otto


@pytest.fixture
def bots(db: None) -> list[Bot]:
    return make_bots(4)
