"""The description of the API is true: requests made of it, right and wrong ones, are answered as it says."""

import logging
from collections.abc import Iterator

import pytest
import schemathesis
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from drf_spectacular.drainage import GENERATOR_STATS
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import SearchStrategy
from schemathesis import GenerationMode
from schemathesis.checks import CHECKS, CheckFunction, load_all_checks
from schemathesis.core.failures import FailureGroup
from schemathesis.schemas import APIOperation

from arena.api.frame import ARCHIVE_TYPE
from arena.api.schema import build_api_schema
from arena.bots.models import BotVersion
from arena.matches.livegames.models import LiveGame
from arena.matches.livegames.playing import PersonSeat, Sitting, start_live_game
from arena.matches.livegames.position import LivePlayer
from arena.matches.models import Match
from arena.people.accounts.models import User
from arena.wsgi import application
from tests.arena.api.played import Script
from tests.arena.contests.puzzles.made import make_puzzles
from tests.full import is_full_run

SENSE = "positive_data_acceptance"
"""Not asked of it: names without a letter, files that are no program, what no schema can tell, are refused, too."""
EXAMPLES = 2 if is_full_run() else 1
"""Requests of each kind that are made of an operation."""


@pytest.fixture(autouse=True)
def connection_of_the_test() -> Iterator[None]:
    """A request that is over closes its connection to the database. Here it is the test's, and goes on."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.fixture
def quiet() -> Iterator[None]:
    """Hundreds of refusals are what is wanted here."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def sit_down(ana: User) -> None:
    """Have Ana play a live game against her own bot, at an address as its page has."""
    seats = [PersonSeat.ME, BotVersion.objects.get(bot__slug="kingfisher")]
    game = start_live_game(player=LivePlayer(ana), sitting=Sitting("battleline", seats), address="")
    LiveGame.objects.filter(pk=game.pk).update(slug="kingfisher")


def test_every_answer_is_as_described(ana: User, rated: Match, quiet: None):
    headers = Script(ana).headers
    there = {"slug": "kingfisher", "number": 1, "game": "battleline", "edition": "standard", "id": rated.pk}
    there |= {"clock": "open", "link": "none", "name": "ben", "board": 1, "bot": "kingfisher"}
    there |= {"kind": "claim", "day": make_puzzles()[0].day.isoformat()}
    sit_down(ana)
    load_all_checks()
    checks = [CHECKS.get_one(name) for name in CHECKS.get_all_names() if name != SENSE]
    found: list[str] = []
    for result in schemathesis.openapi.from_wsgi("/api/v1/schema/", application).get_all_operations():
        for requests, count in list_requests(result.ok(), there):
            found += complaints(requests, count, headers, checks)
    assert found == []


def list_requests(operation: APIOperation, there: dict[str, str | int]) -> Iterator[tuple[SearchStrategy, int]]:
    """Yield requests for an operation, and how many: for rows that exist, for others, and invalid ones.

    By default others are asked for only where there is nothing else to be wrong in.
    """
    path = {parameter.name: there[parameter.name] for parameter in operation.path_parameters}
    yield operation.as_strategy(GenerationMode.POSITIVE, path_parameters=path), EXAMPLES
    has_input = bool(operation.query or operation.headers or operation.body)
    if path and (is_full_run() or not has_input):
        yield operation.as_strategy(GenerationMode.POSITIVE), 1
    if has_input:
        yield operation.as_strategy(GenerationMode.NEGATIVE, path_parameters=path), EXAMPLES


def complaints(
    requests: SearchStrategy, count: int, headers: dict[str, str], checks: list[CheckFunction]
) -> Iterator[str]:
    @settings(
        max_examples=count,
        deadline=None,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(requests)
    def ask(case: schemathesis.Case) -> None:
        case.call_and_validate(headers=headers, checks=checks)

    try:
        ask()
    except FailureGroup as failures:
        yield str(failures)
    except Unsatisfiable:
        """Nothing about it can be wrong."""


def test_nothing_in_the_api_is_left_undescribed():
    GENERATOR_STATS.reset()
    build_api_schema.cache_clear()
    operations = [one for path in build_api_schema()["paths"].values() for one in path.values()]
    assert not GENERATOR_STATS, str(GENERATOR_STATS)
    assert [one["operationId"] for one in operations if not one.get("summary")] == []
    names = [one["operationId"] for one in operations]
    assert len(set(names)) == len(names)


def test_answers_are_of_types_that_generators_of_clients_know():
    """They leave out operations with others; the clients themselves are generated with `--full`."""
    operations = [one for path in build_api_schema()["paths"].values() for one in path.values()]
    types = {kind for one in operations for body in one["responses"].values() for kind in body.get("content", {})}
    assert types == {"application/json", ARCHIVE_TYPE}


def test_every_operation_shows_how_it_refuses():
    for path in build_api_schema()["paths"].values():
        for operation in path.values():
            refusals = {status: body for status, body in operation["responses"].items() if status >= "400"}
            assert {"401", "429"} <= refusals.keys()
            for body in refusals.values():
                example = body["content"]["application/json"]["examples"]
                assert next(iter(example.values()))["value"]["error"]["message"]
            assert "Retry-After" in refusals["429"]["headers"]
