"""Many records at once: all that everybody may see, in order, in parts that can be put together."""

import gzip
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import orjson
import pytest
from django.core.cache import cache
from django.test import override_settings

from arena.api import matches
from arena.contests.ladders.models import Entry, Ladder, LadderMatch, RatingChange
from arena.contests.ladders.services.seasons import open_season
from arena.matches import queries
from arena.matches.models import Leg, Match
from engine.replay import check_hash
from tests.arena.api.played import Script
from tests.conftest import Play

EXPORT = "/records/export/"
QueueRated = Callable[[], Match]


@pytest.fixture(autouse=True)
def nobody_asked_before() -> None:
    cache.clear()


def lines_of(response: Any) -> list[dict]:
    assert response.status_code == 200, response.content
    found = [orjson.loads(line) for line in gzip.decompress(response.getvalue()).splitlines()]
    assert found[-1]["end"] is True and not any("end" in line for line in found[:-1])
    return found


def fetch(script: Script | None = None, **query: Any) -> list[dict]:
    return lines_of((script or Script()).get(EXPORT, **query))


@pytest.fixture
def three(queue_rated: QueueRated, play: Play) -> list[Match]:
    """Matches that ended in another order than they were made."""
    matches = [queue_rated() for _ in range(3)]
    for match in reversed(matches):
        assert play(match)
    return matches


def test_every_leg_is_a_line_with_its_record_and_hash(rated: Match):
    *lines, last = fetch()
    assert last == {"end": True, "next": None}
    assert [(line["match"], line["leg"]) for line in lines] == [(rated.pk, 1), (rated.pk, 2)]
    for line, leg in zip(lines, Leg.objects.order_by("number"), strict=True):
        assert line["record"] == leg.record_data
        check_hash(line["record"], line["record_hash"])


def test_matches_come_in_the_order_in_which_they_ended(three: list[Match]):
    *lines, _ = fetch()
    assert [line["match"] for line in lines[::2]] == [match.pk for match in reversed(three)]
    assert [line["finished_at"] for line in lines] == sorted(line["finished_at"] for line in lines)


def test_matches_are_chosen_by_opponent_result_fault_and_rating(three: list[Match]):
    own, other = three[0].participants.select_related("version__bot").order_by("index")
    bot, opponent = own.version.bot.slug, other.version.bot.slug
    assert len(fetch(bot=bot, opponent=opponent)) == len(fetch())
    by_result = [len(fetch(bot=bot, result=result)[:-1]) for result in ("won", "lost", "drawn")]
    assert sum(by_result) == 2 * len(three)
    assert fetch(bot=bot, fault="crash")[:-1] == [] and len(fetch(bot=bot, edition="standard")) == len(fetch())
    refused = Script().get(EXPORT, result="won")
    assert refused.status_code == 400 and "result" in refused.content.decode()


def test_matches_are_chosen_by_the_ratings_of_the_others(three: list[Match]):
    own, other = three[0].participants.select_related("version__bot").order_by("index")
    for number, match in enumerate(three):
        for participant, before in ((own, 1000), (other, 1500 + 100 * number)):
            entry = Entry.objects.get(version=participant.version)
            RatingChange.objects.create(
                ladder_match=match.ladder_match, entry=entry, before=before, after=before, deviation=50
            )
    bot = own.version.bot.slug
    found = [fetch(bot=bot, min_rating=low, max_rating=high)[:-1] for low, high in ((1500, 1600), (1600, 1650), (0, 9))]
    chosen = [{line["match"] for line in lines} for lines in found]
    assert chosen == [{three[0].pk, three[1].pk}, {three[1].pk}, set()]
    assert fetch(min_rating=1100)[:-1] == []  # without a bot nobody is left out


def test_parts_put_together_are_the_whole(three: list[Match], monkeypatch: pytest.MonkeyPatch):
    whole = fetch()[:-1]
    Match.objects.update(finished_at=three[0].created_at)  # all at once: the ids must tell them apart
    monkeypatch.setattr(matches, "MAX_RECORDS_PER_EXPORT", 2)
    monkeypatch.setattr(queries, "MATCHES_PER_QUERY", 1)
    found, query = [], {}
    for _ in range(len(three) + 1):
        *lines, last = fetch(**query)
        found += [(line["match"], line["leg"]) for line in lines]
        query = last["next"] or {}
    assert query == {} and sorted(found) == sorted((line["match"], line["leg"]) for line in whole)
    assert len(found) == len(set(found))


def test_filters_leave_out_what_was_not_asked_for(three: list[Match]):
    times = sorted(Match.objects.values_list("finished_at", flat=True))
    for query, count in (
        ({"bot": "kingfisher"}, 3),
        ({"game": "battleline", "edition": "standard", "season": 1}, 3),
        ({"game": "battalion"}, 0),
        ({"since": times[1].isoformat()}, 2),
        ({"until": times[1].isoformat()}, 1),
        ({"since": (times[2] + timedelta(seconds=1)).isoformat()}, 0),
    ):
        assert len(fetch(**query)) - 1 == 2 * count, query


@pytest.mark.parametrize(
    ("query", "status"),
    [({"bot": "nobody"}, 404), ({"season": 1}, 400), ({"since": "yesterday"}, 400), ({"after": -1}, 400)],
)
def test_what_makes_no_sense_is_refused(ladder, query: dict, status: int):
    assert Script().get(EXPORT, **query).status_code == status


def test_seasons_of_open_ladders_are_chosen_by_their_clock(ladder: Ladder, three: list[Match]):
    opened = open_season(game="battleline", edition="standard", title="Standard", clock="open")
    LadderMatch.objects.filter(match=three[0]).update(ladder=opened)
    season = {"game": "battleline", "edition": "standard", "season": 1}
    for query, found in (
        (season, {three[1].pk, three[2].pk}),
        (season | {"clock": "open"}, {three[0].pk}),
        ({"clock": "open"}, {three[0].pk}),
        ({"clock": "slow"}, set()),
    ):
        assert {line["match"] for line in fetch(**query)[:-1]} == found, query
    assert Script().get(EXPORT, **season, clock="slow").status_code == 404
    assert Script().get(EXPORT, clock="fast").status_code == 400


def test_what_is_not_over_and_what_was_removed_is_left_out(three: list[Match], queue_rated: QueueRated):
    queue_rated()
    Leg.objects.filter(match=three[0]).update(record=None)
    assert {line["match"] for line in fetch()[:-1]} == {three[1].pk, three[2].pk}


def test_no_more_are_served_at_once_than_a_process_can_bear(rated: Match):
    held = [Script().get(EXPORT) for _ in range(matches.MAX_EXPORTS_AT_ONCE)]
    refused = Script().get(EXPORT)
    assert refused.status_code == 429 and refused["Retry-After"] == str(matches.BUSY_RETRY_AFTER_S)
    for response in held:
        lines_of(response)
    assert len(fetch()) == 3


def test_exports_are_counted_by_the_hour(rated: Match):
    with override_settings(EXPORTS_PER_HOUR=1):
        assert len(fetch()) == 3
        assert Script().get(EXPORT).status_code == 429


def test_memory_does_not_grow_with_the_number_of_records(rated: Match, django_assert_num_queries):
    """Matches are read by the hundred; each query is over before its lines are sent."""
    response = Script().get(EXPORT)
    chunks = iter(response.streaming_content)
    with django_assert_num_queries(4):  # matches, shared deals, legs; then no more matches
        assert b"".join(chunks)
