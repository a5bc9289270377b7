"""An arena without its database."""

from collections.abc import Iterator
from typing import Any

import pytest
from django.db import connections
from django.db.backends.postgresql.base import DatabaseWrapper


@pytest.fixture
def lost_database(monkeypatch: pytest.MonkeyPatch, django_db_blocker: Any) -> Iterator[None]:
    """A connection to a server that isn't there, as the one that everybody uses."""
    lost = {"ENGINE": "django.db.backends.postgresql", "HOST": "127.0.0.1", "PORT": "1", "NAME": "lost", "OPTIONS": {}}
    wrapper = DatabaseWrapper(connections["default"].settings_dict | lost, "default")
    monkeypatch.setattr(connections._connections, "default", wrapper)
    with django_db_blocker.unblock():
        yield
