"""The figures for Prometheus, read as Prometheus reads them, and who may read them."""

from collections.abc import Sequence
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now
from prometheus_client.parser import text_string_to_metric_families

from arena.accounts.models import User
from arena.bots.models import BotVersion
from arena.challenges.services import create_challenge
from arena.ladders.models import Entry, Ladder
from arena.ladders.services.entering import enter_version
from arena.ladders.services.ledger import append_finished_matches
from arena.ladders.services.pairing import queue_ladder_matches
from arena.livegames.models import LiveGame
from arena.livegames.players import Player
from arena.livegames.services.starting import Person, Sitting, start_live_game
from arena.matches.models import Attempt, Match, WorkerStatus
from arena.matches.purpose import Purpose
from arena.matches.queries.metrics import KINDS
from arena.matches.services import claim_match, fail_attempt, queue_match, queue_trial
from engine.message import literal
from tests.arena.ladders.conftest import store_match
from tests.conftest import MakeVersion, Play, make_deal_and_salts

PATH = "/metrics"
Figures = dict[tuple[str, ...], float]


def read(client: Client | None = None) -> Figures:
    """Every figure by its name without prefix, and the values of its labels in the order of their names."""
    answer = (client or Client()).get(PATH)
    assert answer.status_code == 200 and answer["Content-Type"].startswith("text/plain; version=0.0.4")
    assert "no-cache" in answer["Cache-Control"]
    families = list(text_string_to_metric_families(answer.text))
    assert all(family.documentation for family in families)
    samples = [sample for family in families for sample in family.samples]
    assert all(sample.name.startswith("pennant_") for sample in samples)
    return {
        (sample.name.removeprefix("pennant_"), *dict(sorted(sample.labels.items())).values()): sample.value
        for sample in samples
    }


def test_an_empty_arena_has_all_figures(db: None):
    figures = read()
    for kind in (*KINDS, "other"):
        assert figures["matches_queued", kind] == figures["queue_oldest_age_seconds", kind] == 0
    assert figures["matches_running",] == 0
    assert [figures["matches_ended_last_hour", state] for state in ("finished", "void")] == [0, 0]
    assert [figures["attempts_ended_last_hour", ending] for ending in ("lost", "failed")] == [0, 0]
    assert [figures["workers", level] for level in "ACD"] == [0, 0, 0]
    assert not [name for name in figures if name[0].startswith(("ladder_", "match_duration"))]


def test_every_purpose_of_a_match_has_its_kind():
    assert sorted(purpose for purposes in KINDS.values() for purpose in purposes) == sorted(Purpose)


def test_queued_matches_are_told_apart_by_what_they_are_played_for(
    versions: Sequence[BotVersion], ladder: Ladder, make_version: MakeVersion
):
    plain = queue_match(versions=versions, game="battleline", edition="standard")
    Match.objects.filter(pk=plain.pk).update(created_at=now() - timedelta(minutes=5))
    queue_trial(version=make_version(versions[0].bot.owner, "Newcomer", state=BotVersion.State.ON_TRIAL))
    for version in versions:
        enter_version(ladder=ladder, version=version)
    create_challenge(owner=versions[0].bot.owner, version=versions[0], opponent=versions[1])
    ladder_matches = len(queue_ladder_matches(ladder=ladder))
    figures = read()
    queued = {kind: figures["matches_queued", kind] for kind in (*KINDS, "other")}
    assert queued == {
        **{"trial": 1, "ladder": ladder_matches, "comparison": 0, "tournament": 0, "challenge": 1, "other": 1}
    }
    assert ladder_matches > 0
    assert 300 <= figures["queue_oldest_age_seconds", "other"] < 400
    assert figures["queue_oldest_age_seconds", "challenge"] < 60


def test_ends_durations_and_failures_are_of_the_last_hour(versions: Sequence[BotVersion], play: Play):
    for _ in range(2):
        assert play(queue_match(versions=versions, game="battleline", edition="standard", **make_deal_and_salts()))
    Match.objects.update(started_at=now() - timedelta(seconds=100), finished_at=now() - timedelta(seconds=90))
    old = queue_match(versions=versions, game="battleline", edition="standard")
    Match.objects.filter(pk=old.pk).update(state=Match.State.VOID, finished_at=now() - timedelta(minutes=61))
    failing = queue_match(versions=versions, game="battleline", edition="standard")
    attempt = claim_match(match_id=failing.pk, worker="one")
    assert attempt is not None
    assert read()["matches_running",] == 1
    fail_attempt(attempt=attempt, error=literal("out of memory"))
    figures = read()
    assert figures["matches_ended_last_hour", "finished"] == 2 and figures["matches_ended_last_hour", "void"] == 0
    assert (
        figures["match_duration_seconds", "0.5"]
        == figures["match_duration_seconds", "0.99"]
        == pytest.approx(10, abs=0.1)
    )
    assert figures["attempts_ended_last_hour", "failed"] == 1 and figures["attempts_ended_last_hour", "lost"] == 0
    Attempt.objects.filter(ending="failed").update(ended_at=now() - timedelta(minutes=61))
    assert read()["attempts_ended_last_hour", "failed"] == 0


def test_workers_that_reported_lately_are_counted_by_level(db: None):
    for name, level, minutes in [("a", "A", 0), ("b", "A", 0), ("c", "C", 0), ("broken", "", 0), ("gone", "D", 5)]:
        WorkerStatus.objects.create(worker=name, level=level, seen_at=now() - timedelta(minutes=minutes))
    figures = read()
    assert [figures["workers", level] for level in ("A", "C", "D", "none")] == [2, 1, 0, 1]


def enter(ladder: Ladder, versions: Sequence[BotVersion]) -> list[Entry]:
    return [enter_version(ladder=ladder, version=version) for version in versions]


def test_a_ladder_lags_until_its_finished_matches_are_rated(versions: Sequence[BotVersion], ladder: Ladder):
    waiting = store_match(ladder, enter(ladder, versions), [[1, 2], [2, 1]]).match
    Match.objects.filter(pk=waiting.pk).update(finished_at=now() - timedelta(minutes=2))
    figures = read()
    assert figures["ladder_unrated_matches", "standard", "battleline"] == 1
    assert 120 <= figures["ladder_rating_lag_seconds", "standard", "battleline"] < 200
    while append_finished_matches(ladder=ladder):
        pass
    figures = read()
    assert figures["ladder_unrated_matches", "standard", "battleline"] == 0
    assert figures["ladder_rating_lag_seconds", "standard", "battleline"] == 0
    assert figures["ladder_unfitted_matches", "standard", "battleline"] == 1


def test_the_database_is_asked_as_often_for_many_matches_as_for_none(
    versions: Sequence[BotVersion], ladder: Ladder, django_assert_num_queries
):
    with django_assert_num_queries(9):
        read()
    entries = enter(ladder, versions)
    for minute in range(5):
        store_match(ladder, entries, [[1, 2], [2, 1]], minute=minute)
        queue_match(versions=versions, game="battleline", edition="standard")
        WorkerStatus.objects.create(worker=f"worker {minute}", level="A")
    with django_assert_num_queries(9):
        read()


@pytest.mark.django_db
@pytest.mark.skipif("connection.vendor != 'sqlite'", reason="PostgreSQL reads small tables as a whole")
def test_what_ended_lately_is_found_by_an_index():
    with CaptureQueriesContext(connection) as asked:
        read()
    for table, index in [("matches_match", "match_by_end"), ("matches_attempt", "attempt_by_end")]:
        (sql,) = (one["sql"] for one in asked if f'FROM "{table}" WHERE' in one["sql"] and 'ed_at" >= ' in one["sql"])
        with connection.cursor() as cursor:
            cursor.execute(f"EXPLAIN QUERY PLAN {sql}")
            plan = " ".join(str(row[-1]) for row in cursor.fetchall())
        assert f"USING INDEX {index} " in plan


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3", "192.168.0.9", "::1", "fd00::7", "::ffff:10.0.0.1"])
def test_without_a_token_private_addresses_read_them(db: None, address: str):
    read(Client(REMOTE_ADDR=address))


@pytest.mark.parametrize("address", ["8.8.8.8", "2001:4860:4860::8888", "::ffff:8.8.8.8", ""])
def test_without_a_token_others_are_told_in_one_line(address: str):
    answer = Client(REMOTE_ADDR=address).get(PATH)
    assert answer.status_code == 403 and answer.text.count("\n") == 1
    assert "private addresses alone" in answer.text


def test_behind_a_proxy_the_address_is_that_of_the_client(db: None, settings):
    public = {"headers": {"X-Forwarded-For": "10.0.0.1, 8.8.8.8"}, "REMOTE_ADDR": "10.0.0.2"}
    settings.PROXIES = 1
    assert Client(**public).get(PATH).status_code == 403
    read(Client(headers={"X-Forwarded-For": "8.8.8.8, 10.0.0.1"}, REMOTE_ADDR="10.0.0.2"))
    settings.PROXIES = 0
    assert Client(**public).get(PATH).status_code == 403, "a proxy that isn't counted hides who asks"


def test_with_a_token_it_alone_decides(db: None, settings):
    settings.METRICS_TOKEN = "plain-token"
    for given in ({}, {"Authorization": "Bearer other"}, {"Authorization": "Token plain-token"}):
        answer = Client(headers=given).get(PATH)
        assert answer.status_code == 403 and answer.text.count("\n") == 1
        assert "plain-token" not in answer.text
    read(Client(headers={"Authorization": "Bearer plain-token"}, REMOTE_ADDR="8.8.8.8"))


def test_it_is_asked_without_https(db: None, settings):
    settings.SECURE_SSL_REDIRECT = True
    read()


def test_live_games_that_wait_for_a_bot_are_told_with_their_age(ana: User, house: User, make_version: MakeVersion):
    assert read()["live_oldest_wait_seconds",] == 0
    version = make_version(house, "first")
    for seats in ((Person.ME, version), (version, Person.ME)):
        start_live_game(player=Player(ana), sitting=Sitting("battleline", seats), address="")
    LiveGame.objects.update(decided_at=now() - timedelta(seconds=40))
    figures = read()
    assert (figures["live_games", "playing"], figures["live_games", "waiting_for_bot"]) == (2, 1)
    assert figures["live_oldest_wait_seconds",] == pytest.approx(40, abs=5)
