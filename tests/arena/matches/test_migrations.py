"""Rows from before hints were messages, and from before records had hashes."""

import json
import zlib
from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from arena.matches.models import Leg, WorkerStatus
from engine.record_hash import record_hash

OLD = [("matches", "0010_series")]
RECORD = {"seats": [{"name": "heron"}], "actions": [{"action": "pass", "note": "well"}], "result": {"scores": [5.0]}}


@pytest.fixture
def old(transactional_db: None) -> Iterator[MigrationExecutor]:
    """The tables as they were."""
    executor = MigrationExecutor(connection)
    executor.migrate(OLD)
    yield MigrationExecutor(connection)
    call_command("migrate", verbosity=0)


@pytest.mark.full
def test_hints_become_messages_both_ways(old: MigrationExecutor) -> None:
    statuses = old.loader.project_state(OLD).apps.get_model("matches", "WorkerStatus").objects
    statuses.create(worker="mill", hint="Install it: 100 % sure.")
    statuses.create(worker="barn", hint="")
    call_command("migrate", verbosity=0)
    assert str(WorkerStatus.objects.get(worker="mill").hint) == "Install it: 100 % sure."
    assert WorkerStatus.objects.get(worker="barn").hint is None
    MigrationExecutor(connection).migrate(OLD)
    assert dict(statuses.values_list("worker", "hint")) == {"mill": "Install it: 100 % sure.", "barn": ""}


@pytest.mark.full
def test_records_of_old_legs_get_their_hashes(old: MigrationExecutor) -> None:
    models = old.loader.project_state(OLD).apps
    match = models.get_model("matches", "Match").objects.create(
        game="battleline", edition="standard", options={}, rules_version=1, limits={}, deal={}
    )
    legs = models.get_model("matches", "Leg").objects
    record = zlib.compress(json.dumps(RECORD).encode())
    legs.create(match=match, number=1, seating=[0, 1], salt="", deal_hash="", record=record)
    legs.create(match=match, number=2, seating=[1, 0], salt="", deal_hash="")
    call_command("migrate", verbosity=0)
    hashes = Leg.objects.order_by("number").values_list("record_hash", flat=True)
    assert list(hashes) == [record_hash(RECORD), ""]
