"""Pairing on open ladders: who is here gets a match at once, and who went away keeps nobody waiting."""

import json
import zlib
from collections import Counter
from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.contests.analysis.services import measure_luck_on_open_ladders
from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services.entering import enter_version, pause_ladder
from arena.contests.ladders.services.ledger import revoke_matches
from arena.contests.ladders.services.pairing import check_rematch, queue_ladder_matches
from arena.contests.ladders.services.remote import (
    ABSENCE_LIMIT,
    MAX_LEGS_PER_AUTHOR,
    MAX_MATCHES_WITH_WORKERS,
    OPEN_LADDER_PRIORITY,
    cancel_abandoned_matches,
    create_remote_bot,
    find_room,
    join_open_ladder,
    queue_open_ladder_matches,
)
from arena.core.errors import Conflict
from arena.matches.models import Leg, Match, Participant
from arena.matches.remote.models import RemoteBot
from arena.matches.services import claim_next, has_due_match
from arena.operations.tasks import pair_all_ladders, settle_match
from arena.people.accounts.models import User
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import measure_luck
from engine.message import literal
from engine.registry import find_game
from engine.season import Season
from tests.conftest import MakeVersion
from tests.engine.plays import random_record

STANDARD = {"game": "battleline", "edition": "standard"}


@pytest.fixture(autouse=True)
def _samples(house: User, make_version: MakeVersion) -> None:
    for name in ("random", "greedy", "careful"):
        make_version(house, name)


def make_remote(name: str, room: int = 1, owner: str = "", clock: str = "open") -> Bot:
    """A remote bot that is here and plays on the open ladder."""
    user, _ = User.objects.get_or_create(username=owner or f"author-of-{name}")
    bot = create_remote_bot(owner=user, name=name, game="battleline", declared="a script")
    join_open_ladder(bot=bot, by=user, clock=clock, **STANDARD)
    RemoteBot.objects.filter(bot=bot).update(is_online=True, seen_at=now(), room=room)
    return bot


def open_ladder(clock: str = "open") -> Ladder:
    return Ladder.objects.get(clock=clock, closed_at=None)


def names(match: Match) -> set[str]:
    return set(match.participants.values_list("version__bot__name", flat=True))


def finish(match: Match, places: tuple[int, int] = (1, 2)) -> None:
    """Store the end of a match of one leg as the process that serves remote bots does."""
    leg = match.legs.get()
    for participant, place in zip(match.participants.order_by("index"), places, strict=True):
        leg.seats.create(
            seat=leg.seating.index(participant.index), participant=participant, place=place, score=0, verdict="ok"
        )
        Participant.objects.filter(pk=participant.pk).update(points=float(place < places[1 - participant.index]))
    Match.objects.filter(pk=match.pk).update(state=Match.State.FINISHED, finished_at=now())


def test_an_authors_bots_share_the_legs_that_one_author_may_have_at_a_time() -> None:
    bots = [make_remote(f"own {number}", room=8, owner="ana") for number in range(3)]
    other = make_remote("other", room=8)
    room = find_room()
    assert [room[bot.pk] for bot in (*bots, other)] == [6, 5, 5, 8]
    queue_open_ladder_matches(ladder=open_ladder())
    playing = Match.objects.filter(participants__version__bot__in=bots).distinct().count()
    assert playing and sum(find_room().get(bot.pk, 0) for bot in bots) == MAX_LEGS_PER_AUTHOR - playing


def test_a_match_has_one_leg_by_the_ladders_clock_and_the_seasons_next_deal() -> None:
    bot = make_remote("Far")
    [match] = queue_open_ladder_matches(ladder=open_ladder())
    ladder = open_ladder()
    assert (ladder.last_number, match.priority, match.limits["move_ms"]) == (1, OPEN_LADDER_PRIORITY, 60_000)
    assert (match.limits["bank_ms"], match.limits["memory_mb"]) == (600_000, 0)
    season = Season(ladder.secret, "battleline", "standard", 1)
    assert match.deal == season.deal(find_game("battleline"), match.options, 2, 1)
    assert Leg.objects.filter(match=match).count() == 1
    assert match.ladder_match.number == 1
    assert names(match) > {bot.name}
    assert queue_open_ladder_matches(ladder=ladder) == []  # it has no room for another


def test_workers_leave_the_matches_alone_and_sandboxed_ladders_dont_wait_behind_them(ladder: Ladder) -> None:
    make_remote("Far")
    make_remote("Farther", clock="slow")
    pair_all_ladders()
    assert Match.objects.count() == 2
    assert not has_due_match()
    assert claim_next(worker="worker") is None
    assert {match.limits["move_ms"] for match in Match.objects.all()} == {60_000, 120_000}


def test_every_bot_that_is_here_gets_a_match_and_none_that_is_not() -> None:
    here = [make_remote(f"here {number}") for number in range(32)]
    away = [make_remote(f"away {number}") for number in range(5)]
    RemoteBot.objects.filter(bot__in=away[:3]).update(is_online=False)
    RemoteBot.objects.filter(bot__in=away[3:]).update(seen_at=now() - timedelta(minutes=5))
    matches = queue_open_ladder_matches(ladder=open_ladder())
    played = Counter(name for match in matches for name in names(match))
    assert all(played[bot.name] == 1 for bot in here)
    assert not any(played[bot.name] for bot in away)
    assert len({tuple(match.participants.values_list("version", flat=True)) for match in matches}) == len(matches)


@pytest.mark.parametrize("others", [0, 32])
def test_bots_of_an_author_dont_meet_and_workers_have_a_limit(others: int) -> None:
    own = [make_remote(f"own {number}", room=3, owner="ana") for number in range(3)]
    for number in range(others):
        make_remote(f"other {number}", room=2)
    matches = queue_open_ladder_matches(ladder=open_ladder())
    with_workers = [match for match in matches if match.participants.filter(version__bot__is_remote=False).exists()]
    assert len(with_workers) <= MAX_MATCHES_WITH_WORKERS
    assert all(match.participants.filter(version__bot__is_remote=True).exists() for match in matches)
    assert all(match in with_workers or not {"own 0", "own 1", "own 2"} >= names(match) for match in matches)
    played = Counter(name for match in matches for name in names(match))
    if others:
        assert all(0 < played[bot.name] <= 3 for bot in own)
    else:
        assert sum(played[bot.name] for bot in own) == len(matches) == MAX_MATCHES_WITH_WORKERS


def test_a_settled_match_is_rated_and_followed_by_the_next_at_once() -> None:
    bot = make_remote("Far")
    [match] = queue_open_ladder_matches(ladder=open_ladder())
    finish(match)
    settle_match(match.pk)
    entry = Entry.objects.get(version__bot=bot)
    assert (entry.matches, entry.deviation < 300.0) == (1, True)
    assert Match.objects.filter(state=Match.State.QUEUED).count() == 1
    assert open_ladder().last_number == 2


def test_a_bot_on_two_open_ladders_plays_on_both_in_turn() -> None:
    bot = make_remote("Far")
    join_open_ladder(bot=bot, by=bot.owner, clock="slow", **STANDARD)
    pair_all_ladders()
    clocks = []
    for _ in range(4):
        match = Match.objects.get(state=Match.State.QUEUED)
        clocks.append(match.ladder_match.ladder.clock)
        finish(match)
        settle_match(match.pk)
    assert clocks == ["open", "slow", "open", "slow"]


def test_a_match_that_waits_for_a_bot_that_went_away_is_cancelled_and_counts_for_nobody() -> None:
    bot = make_remote("Far")
    [match] = queue_open_ladder_matches(ladder=open_ladder())
    RemoteBot.objects.filter(bot=bot).update(is_online=False, seen_at=now() - ABSENCE_LIMIT / 2)
    assert cancel_abandoned_matches() == []
    RemoteBot.objects.filter(bot=bot).update(seen_at=now() - ABSENCE_LIMIT)
    pair_all_ladders()
    match.refresh_from_db()
    assert (match.state, match.shown_state) == ("void", "cancelled")
    settle_match(match.pk)
    assert not LadderMatch.objects.filter(in_flight=True).exists()
    assert Entry.objects.get(version__bot=bot).matches == 0
    RemoteBot.objects.filter(bot=bot).update(is_online=True, seen_at=now())
    [match] = queue_open_ladder_matches(ladder=open_ladder())
    opponent = match.participants.exclude(version__bot=bot).get()
    Bot.objects.filter(versions=opponent.version_id).update(stopped_at=now())
    assert cancel_abandoned_matches() == [match.pk]


def test_a_bot_that_takes_back_its_room_keeps_no_opponent_waiting() -> None:
    bot, _ = make_remote("Far", room=2), make_remote("Near", room=2)
    matches = queue_open_ladder_matches(ladder=open_ladder())
    of_bot = {match.pk for match in matches if match.participants.filter(version__bot=bot).exists()}
    assert len(of_bot) == 2
    RemoteBot.objects.filter(bot=bot).update(room=0)
    assert cancel_abandoned_matches() == []
    Match.objects.update(created_at=now() - ABSENCE_LIMIT)
    assert set(cancel_abandoned_matches()) == of_bot


def test_luck_is_measured_after_a_match_and_taken_off_beside_the_points(settings: LazySettings) -> None:
    bot = make_remote("Far")
    [match] = queue_open_ladder_matches(ladder=open_ladder())
    record = random_record(find_game("battleline"), "standard", 3)
    match.legs.update(record=zlib.compress(json.dumps(record).encode()))
    finish(match)
    settle_match(match.pk)
    settings.ANALYSIS_SHARE_PERCENT = 0
    assert measure_luck_on_open_ladders(budget_s=60.0) == 0
    settings.ANALYSIS_SHARE_PERCENT = 20
    assert measure_luck_on_open_ladders(budget_s=60.0) == 1
    assert measure_luck_on_open_ladders(budget_s=60.0) == 0
    evaluator = find_evaluator("battleline", "standard")
    assert evaluator is not None
    seats = measure_luck(record, evaluator)
    first, second = (match.participants.get(index=index) for index in (0, 1))
    luck = [seats[match.legs.get().seating.index(index)].luck for index in (0, 1)]
    gain = 0.75 * (luck[0] - luck[1])
    entries = [Entry.objects.get(version=one.version_id) for one in (first, second)]
    assert [entry.luck for entry in entries] == pytest.approx([gain, -gain])
    assert [entry.mean_points_less_luck for entry in entries] == pytest.approx([1.0 - gain, gain])
    assert bot.pk in {entry.version.bot_id for entry in entries}
    revoke_matches(ladder_matches=[match.ladder_match], reason=literal("a test"))
    for entry in entries:
        entry.refresh_from_db()
        assert entry.matches == entry.luck_matches == 0 and entry.luck == pytest.approx(0)


def test_nothing_is_paired_on_a_paused_ladder_and_staff_cant_have_a_match_replayed() -> None:
    make_remote("Far")
    [match] = queue_open_ladder_matches(ladder=open_ladder())
    with pytest.raises(Conflict, match="when its bots are online"):
        check_rematch(open_ladder(), match.ladder_match)
    finish(match)
    pause_ladder(ladder=open_ladder())
    settle_match(match.pk)
    assert Match.objects.count() == 1


def test_sandboxed_ladders_are_paired_as_if_there_were_no_open_ones(
    ladder: Ladder, make_version: MakeVersion, settings: LazySettings
) -> None:
    settings.LADDER_RUSH_UNTIL = 10
    for number in range(2):
        enter_version(ladder=ladder, version=make_version(User.objects.create(username=f"n{number}"), f"n{number}"))
    make_remote("Far", room=4)
    first = queue_open_ladder_matches(ladder=open_ladder())
    matches = queue_ladder_matches(ladder=ladder)
    assert len(first) == 4
    assert len(matches) == settings.MAX_WAITING_MATCHES_PER_LADDER
    assert [match.virtual_start for match in matches][0] == 0.0
    assert all(match.legs.count() == 2 for match in matches)
