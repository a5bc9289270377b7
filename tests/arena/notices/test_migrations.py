"""Notices and matches from before messages were stored as data."""

from collections.abc import Iterator

import pytest
from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from arena.matches.models import Attempt, Leg, Match
from arena.notices.models import Delivery, Notice, Webhook
from tests.old_tables import read_models

OLD = [("notices", "0002_alter_delivery_event_alter_notice_event"), ("matches", "0007_lists")]


@pytest.fixture
def old(transactional_db: None) -> Iterator[MigrationExecutor]:
    """The tables as they were."""
    executor = MigrationExecutor(connection)
    executor.migrate(OLD)
    yield MigrationExecutor(connection)
    call_command("migrate", verbosity=0)


@pytest.mark.full
def test_texts_become_messages_and_events_get_their_names_both_ways(old: MigrationExecutor) -> None:
    tables = read_models()
    user = tables.get_model("accounts", "User").objects.create(username="ana")
    tables.get_model("notices", "Notice").objects.create(user=user, event="trial.over", text='100 % "done".')
    hook = tables.get_model("notices", "Webhook").objects.create(
        owner=user, url="https://8.8.8.8/", events=["bot.suspended", "match.over"]
    )
    for state, error in (("given up", "It answered 500."), ("waiting", "")):
        tables.get_model("notices", "Delivery").objects.create(
            webhook=hook, event="match.over", payload={}, state=state, error=error
        )
    match = tables.get_model("matches", "Match").objects.create(
        game="battleline", edition="standard", options={}, rules_version=1, limits={}, deal={}, state="void",
        void_reason="A power cut.",
    )  # fmt: skip
    tables.get_model("matches", "Attempt").objects.create(match=match, number=1, worker="w", token="t", error="Full.")
    tables.get_model("matches", "Leg").objects.create(match=match, number=1, seating=[0, 1], plies=7)
    call_command("migrate", verbosity=0)
    assert read_rows() == {
        "notices": [("trial.finished", '100 % "done".')],
        "webhooks": [["bot.suspended", "match.finished"]],
        "deliveries": [("match.finished", "waiting", ""), ("match.finished", "gave_up", "It answered 500.")],
        "matches": ["A power cut."],
        "attempts": ["Full."],
        "decisions": [7],
    }
    MigrationExecutor(connection).migrate(OLD)
    tables = MigrationExecutor(connection).loader.project_state(OLD).apps
    notice = tables.get_model("notices", "Notice").objects.get()
    assert (notice.event, notice.text) == ("trial.over", '100 % "done".')
    assert tables.get_model("notices", "Webhook").objects.get().events == ["bot.suspended", "match.over"]
    deliveries = tables.get_model("notices", "Delivery").objects.values_list("event", "state", "error")
    assert set(deliveries) == {("match.over", "waiting", ""), ("match.over", "given up", "It answered 500.")}
    assert tables.get_model("matches", "Match").objects.get().void_reason == "A power cut."
    assert tables.get_model("matches", "Attempt").objects.get().error == "Full."
    assert tables.get_model("matches", "Leg").objects.get().plies == 7


def read_rows() -> dict[str, list[object]]:
    return {
        "notices": [(one.event, str(one.text)) for one in Notice.objects.all()],
        "webhooks": list(Webhook.objects.values_list("events", flat=True)),
        "deliveries": [(one.event, one.state, str(one.error or "")) for one in Delivery.objects.all()],
        "matches": list(map(str, Match.objects.values_list("void_reason", flat=True))),
        "attempts": list(map(str, Attempt.objects.values_list("error", flat=True))),
        "decisions": list(Leg.objects.values_list("decisions", flat=True)),
    }
