"""What a worker tells of a match while it plays it."""

from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.matches.attempts import AttemptLost
from arena.matches.models import Attempt, Match
from arena.matches.play import play_attempt
from arena.matches.runner_process import RunnerProcess
from arena.matches.services import (
    claim_match,
    fail_attempt,
    queue_match,
    record_heartbeat,
    requeue_lost_matches,
    store_report,
)
from arena.runner.match import LegProgress, MatchReport, MatchSpec, play_match
from arena.runner.sandbox.base import Sandbox
from tests.conftest import MakeVersion, Play

TURNS = 5
SLOW = b"""
import json, sys, time
turns = 0
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "turn":
        turns += 1
        if turns > 5:
            break
        time.sleep(0.5)
        print(json.dumps({"action": message["legal"][0], "note": "my secret plan", "eval": 0.5}), flush=True)
"""
"""Takes its time, and gives up soon."""
SAID = LegProgress(1, [{"seat": 0, "action": "play R1 1", "ms": 3, "note": "hm", "eval": 0.1}], (0, 1))


@pytest.fixture
def match(ana, ben, make_version: MakeVersion) -> Match:
    versions: list[BotVersion] = [make_version(ana, "Tortoise", SLOW), make_version(ben, "Hare")]
    return queue_match(versions=versions, game="battleline", edition="standard")


@pytest.fixture
def attempt(match: Match) -> Attempt:
    claimed = claim_match(match_id=match.pk, worker="mill")
    assert claimed is not None
    return claimed


def shown(attempt: Attempt) -> object:
    attempt.refresh_from_db()
    return attempt.underway


def test_a_slow_match_is_watched_from_its_first_leg_to_its_replay(
    match: Match, attempt: Attempt, runner: RunnerProcess
) -> None:
    address = f"/matches/{match.pk}/"
    pages: list[str] = []
    told: list[object] = []
    Client().get(address)  # The first page of a process takes longer than a leg.

    def play(spec: MatchSpec, heartbeat: Callable[[LegProgress | None], None]) -> MatchReport:
        def beat_and_look(underway: LegProgress | None) -> None:
            heartbeat(underway)
            if shown(attempt) not in [None, *told]:
                told.append(attempt.underway)
                pages.append(Client().get(address, headers={"HX-Request": "true"}).text)

        return runner.play(spec, beat_and_look)

    assert play_attempt(attempt=attempt, play=play)
    first = [page for page in pages if "Leg 1 of 2 is live." in page]
    second = [page for page in pages if "Leg 2 of 2 is live." in page]
    assert first and second and first + second == pages
    assert all("plays" in page and "my secret plan" not in page for page in first[1:])
    assert len(set(pages)) == len(pages)
    assert "secret" not in str(told) and "eval" not in str(told)
    assert shown(attempt) is None
    over = Client().get(address).text
    assert 'id="replay"' in over and "Tortoise" in over


def test_a_match_that_is_over_in_a_moment_costs_no_query_for_it(ana, make_version: MakeVersion, play: Play) -> None:
    version = make_version(ana, "Quitter", b"input()")
    match = queue_match(versions=[version, version], game="battleline", edition="standard")
    with CaptureQueriesContext(connection) as queries:
        assert play(match)
    assert not [query for query in queries if '"heartbeat_at" =' in query["sql"] and "UPDATE" in query["sql"]]
    (ending,) = [query for query in queries if '"underway" =' in query["sql"]]
    assert '"ended_at" =' in ending["sql"], "it is emptied by the statement that ends the attempt"


def test_what_a_bot_says_of_its_moves_is_not_told_before_the_end(attempt: Attempt) -> None:
    record_heartbeat(attempt=attempt, underway=SAID)
    assert shown(attempt) == {"leg": 1, "seating": [0, 1], "actions": [{"seat": 0, "action": "play R1 1", "ms": 3}]}


def test_a_sign_of_life_alone_leaves_it_as_it_is(attempt: Attempt) -> None:
    record_heartbeat(attempt=attempt, underway=SAID)
    before = shown(attempt)
    record_heartbeat(attempt=attempt)
    assert shown(attempt) == before


def test_who_has_lost_the_match_tells_nothing_more(match: Match, attempt: Attempt) -> None:
    record_heartbeat(attempt=attempt, underway=SAID)
    Attempt.objects.update(heartbeat_at=now() - timedelta(minutes=5))
    assert requeue_lost_matches() == [match.pk]
    assert shown(attempt) is None
    later = claim_match(match_id=match.pk, worker="another")
    assert later is not None
    with pytest.raises(AttemptLost):
        record_heartbeat(attempt=attempt, underway=SAID)
    assert shown(attempt) is None and shown(later) is None


def test_a_forged_token_tells_nothing(attempt: Attempt) -> None:
    forged = Attempt(pk=attempt.pk, match=attempt.match, number=1, worker="mill", token="7" * 32)
    with pytest.raises(AttemptLost):
        record_heartbeat(attempt=forged, underway=SAID)
    assert shown(attempt) is None


def test_nothing_is_left_of_it_however_an_attempt_ends(match: Match, bare: Sandbox) -> None:
    for number in range(3):
        attempt = claim_match(match_id=match.pk, worker=f"mill {number}")
        assert attempt is not None
        record_heartbeat(attempt=attempt, underway=SAID)
        fail_attempt(attempt=attempt, error="the disk is full")
        assert shown(attempt) is None


def test_a_stored_result_takes_it_away(ana, make_version: MakeVersion, bare: Sandbox) -> None:
    version = make_version(ana, "Quitter", b"input()")
    match = queue_match(versions=[version, version], game="battleline", edition="standard")
    attempt = claim_match(match_id=match.pk, worker="mill")
    assert attempt is not None
    record_heartbeat(attempt=attempt, underway=SAID)

    def play(spec: MatchSpec, _: Callable[[LegProgress | None], None]) -> MatchReport:
        return play_match(spec, bare)

    assert play_attempt(attempt=attempt, play=play)
    assert shown(attempt) is None
    with pytest.raises(AttemptLost):
        store_report(attempt=attempt, report=MatchReport(()))
