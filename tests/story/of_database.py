"""A plugin for pytest: of all tests only those that ask for a database."""

import pytest

ASKED = {"db", "transactional_db", "django_db_setup"}


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    others = [item for item in items if not _asks(item)]
    items[:] = [item for item in items if _asks(item)]
    config.hook.pytest_deselected(items=others)


def _asks(item: pytest.Item) -> bool:
    return item.get_closest_marker("django_db") is not None or bool(ASKED & set(getattr(item, "fixturenames", ())))
