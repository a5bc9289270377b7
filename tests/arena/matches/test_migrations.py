"""Reports of workers from before their hints were messages."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from arena.matches.models import WorkerStatus

OLD = [("matches", "0010_series")]


@pytest.fixture
def old(transactional_db: None) -> Iterator[MigrationExecutor]:
    """The tables as they were."""
    executor = MigrationExecutor(connection)
    executor.migrate(OLD)
    yield MigrationExecutor(connection)
    call_command("migrate", verbosity=0)


def test_hints_become_messages_both_ways(old: MigrationExecutor) -> None:
    statuses = old.loader.project_state(OLD).apps.get_model("matches", "WorkerStatus").objects
    statuses.create(worker="mill", hint="Install it: 100 % sure.")
    statuses.create(worker="barn", hint="")
    call_command("migrate", verbosity=0)
    assert str(WorkerStatus.objects.get(worker="mill").hint) == "Install it: 100 % sure."
    assert WorkerStatus.objects.get(worker="barn").hint is None
    MigrationExecutor(connection).migrate(OLD)
    assert dict(statuses.values_list("worker", "hint")) == {"mill": "Install it: 100 % sure.", "barn": ""}
