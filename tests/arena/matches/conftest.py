import pytest

from arena.bots.models import BotVersion
from arena.people.accounts.models import User
from tests.conftest import MakeVersion


@pytest.fixture
def version(ana: User, make_version: MakeVersion) -> BotVersion:
    """One of Ana's."""
    return make_version(ana, "Kingfisher")
