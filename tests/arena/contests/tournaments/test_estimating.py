"""How long a tournament on an arena takes, from what its bots needed in their matches."""

from datetime import timedelta
from random import Random

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from arena.contests.ladders.models import Ladder
from arena.contests.tournaments.services.entering import disqualify
from arena.contests.tournaments.services.forecasting import estimate_time_left
from arena.contests.tournaments.services.organising import TournamentPlan, close_entries, create
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.contests.tournaments.simulation import PLAYING_S_PER_LEG, QUICK_BOT, STORING_S_PER_MATCH
from arena.core.messages import render_message
from arena.matches.models import Match, WorkerStatus
from arena.matches.services import queue_match
from arena.people.accounts.models import User
from tests.arena.contests.tournaments.world import (
    begin,
    finish,
    make_bots,
    make_organiser,
    make_tournament,
    pass_checks,
    play_out,
    play_round,
    start_worker,
    waiting,
)
from tests.conftest import make_deal_and_salts

pytestmark = pytest.mark.django_db
CUP = Settings(format="single-elimination")
LEAGUE = Settings(format="round-robin")
OVERHEAD_S = 2 * PLAYING_S_PER_LEG + STORING_S_PER_MATCH


@pytest.fixture(autouse=True)
def two_slots(settings) -> None:
    settings.CELERY_WORKER_CONCURRENCY = 2
    settings.ANALYSIS_SHARE_PERCENT = 0


def play_apart(bots, seconds, count=1):
    """Play matches between two bots, outside of tournaments."""
    for _ in range(count):
        match = queue_match(
            versions=[bot.versions.get() for bot in bots],
            game="battleline",
            edition="standard",
            **make_deal_and_salts(),
        )
        finish(match, [1, 2], seconds=seconds)


def measure_work(tournament):
    """Return the seconds that the matches of its pairings took one after another, as the bench measures matches."""
    matches = Match.objects.filter(pairing_match__pairing__round__tournament=tournament, state="finished")
    used = sum(one.elapsed_s - one.waited_s for match in matches for one in match.participants.exclude(elapsed_s=None))
    return used + 0.13 * len(matches)


def test_a_cup_of_quick_bots_takes_what_they_need_although_a_slow_bot_rules_the_ladder(ladder, house):
    (marshal,) = make_bots(1, owner=house, name="Marshal")
    bots = make_bots(44)
    rng = Random(5)
    seconds = {marshal: 5.0} | {bot: rng.uniform(0.1, 0.4) for bot in bots}
    play_apart([marshal, bots[0]], seconds, count=30)
    Ladder.objects.update(match_seconds=100)
    start_worker()
    tournament = make_tournament(bots, CUP)
    pass_checks(tournament, seconds=seconds)
    before = estimate_time_left(tournament).seconds
    close_entries(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    while tournament.state == "running":
        needed = {bot: needs * rng.uniform(0.7, 1.3) for bot, needs in seconds.items()}
        play_round(tournament, seconds=needed)
    took = measure_work(tournament) / 2
    assert before.low / 2 < took < before.high * 2
    assert before.middle / 2 < took < before.middle * 2
    assert before.high < 120, "two minutes, not an hour"


def test_each_bot_is_reckoned_with_its_own_processor_time_and_not_with_its_waiting():
    bots = make_bots(4)
    seconds = dict(zip(bots, (0.1, 0.2, 0.3, 4.0), strict=True))
    start_worker()
    tournament = make_tournament(bots, LEAGUE)
    pass_checks(tournament, seconds=seconds)
    # Everybody meets everybody: six matches, in which each bot sits three times on both seats, on two slots.
    work = 3 * 2 * sum(seconds.values()) + 6 * OVERHEAD_S
    low, high = estimate_time_left(tournament).seconds
    slowest = 3 * (2 * (4.0 + 0.2) + OVERHEAD_S)
    assert low == pytest.approx(max(work / 2, slowest)) and high == pytest.approx(work / 2 + slowest / 2)


def test_a_new_version_is_reckoned_with_the_matches_of_the_last_one():
    bots = make_bots(2)
    start_worker()
    play_apart(bots, dict.fromkeys(bots, 7.0))
    for bot in bots:
        version = bot.versions.get()
        version.pk, version.number = None, 2
        version.save()
    tournament = make_tournament(bots, LEAGUE)
    assert set(tournament.entrants.values_list("version__number", flat=True)) == {2}
    low, _ = estimate_time_left(tournament).seconds
    assert low == pytest.approx(4 * 7.0 + OVERHEAD_S)


def test_bots_without_matches_are_reckoned_as_the_middle_house_bot(house):
    start_worker()
    tournament = make_tournament(make_bots(2), LEAGUE)
    assert estimate_time_left(tournament).seconds.low == pytest.approx(4 * QUICK_BOT.mean + OVERHEAD_S)
    sparring = make_bots(3, owner=house, name="House")
    seconds = dict(zip(sparring, (0.1, 1.0, 60.0), strict=True))
    play_apart(sparring[:2], seconds)
    play_apart(sparring[1:], seconds)
    assert estimate_time_left(tournament).seconds.low == pytest.approx(4 * 1.0 + OVERHEAD_S)


def test_without_a_machine_there_is_a_reason_and_no_estimate():
    tournament = make_tournament(make_bots(4), CUP)
    pass_checks(tournament)
    start_worker("gone", seen_at=now() - timedelta(minutes=10))
    start_worker("drained", drained_at=now())
    start_worker("without a sandbox", level="")
    found = estimate_time_left(tournament)
    assert (found.seconds, found.whole_clock_s) == (None, None)
    assert render_message(found.reason) == "No machine is playing matches."
    start_worker()
    found = estimate_time_left(tournament)
    assert found.reason is None and found.seconds.low > 0 and found.whole_clock_s > 0


def test_more_machines_need_less_time():
    bots = make_bots(16)
    tournament = make_tournament(bots, LEAGUE)
    pass_checks(tournament, seconds=dict.fromkeys(bots, 1.0))
    start_worker()
    one = estimate_time_left(tournament)
    start_worker("chair")
    two = estimate_time_left(tournament)
    assert one.seconds.low == pytest.approx(2 * two.seconds.low)
    assert two.whole_clock_s < one.whole_clock_s


def test_before_the_draw_it_says_how_long_the_whole_clock_takes_and_afterwards_not():
    draft = create(
        organiser=make_organiser(),
        plan=TournamentPlan(title="Draft", game="battleline", edition="standard", settings=CUP, max_entrants=32),
    )
    start_worker()
    planned = estimate_time_left(draft)
    assert planned.seconds is None and planned.bots == 32, "with as many as may enter"
    bots = make_bots(4)
    tournament = make_tournament(bots, CUP)
    entered = estimate_time_left(tournament)
    assert entered.bots == 4 and entered.seconds.high < entered.whole_clock_s < planned.whole_clock_s
    # Two rounds of three matches in a row, of two legs of twice 53.5 seconds and some free time.
    assert 6 * 2 * 107 < entered.whole_clock_s < 12 * 2 * 115
    close_entries(tournament=tournament, organiser=tournament.organiser)
    pass_checks(tournament)
    tournament.refresh_from_db()
    assert estimate_time_left(tournament).whole_clock_s is None


def test_it_is_renewed_by_its_own_matches():
    bots = make_bots(8)
    start_worker()
    quick, slow = dict.fromkeys(bots, 0.1), dict.fromkeys(bots, 10.0)
    tournament = make_tournament(bots, LEAGUE)
    pass_checks(tournament, seconds=quick)
    close_entries(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    whole = estimate_time_left(tournament).seconds
    first, *_ = waiting(tournament)
    finish(first, [1, 2], seconds=quick)
    advance_tournament(tournament=tournament)
    assert estimate_time_left(tournament).seconds.low < whole.low, "one match less"
    play_round(tournament, seconds=slow)
    slower = estimate_time_left(tournament).seconds
    assert slower.low > 5 * whole.low
    for _ in range(3):
        play_round(tournament, seconds=quick)
    assert estimate_time_left(tournament).seconds.low < 0.4 * slower.low, "half of the rounds, and quicker ones"
    assert estimate_time_left(play_out(tournament)).seconds is None


def test_finished_matches_of_a_long_pairing_are_taken_off():
    bots = make_bots(2)
    start_worker()
    tournament = make_tournament(bots, Settings(format="round-robin", matches_per_pairing=10))
    pass_checks(tournament, seconds=dict.fromkeys(bots, 1.0))
    close_entries(tournament=tournament, organiser=tournament.organiser)
    advance_tournament(tournament=tournament)
    tournament.refresh_from_db()
    whole = estimate_time_left(tournament).seconds.low
    for match in waiting(tournament)[:5]:
        finish(match, [1, 2], seconds=dict.fromkeys(bots, 1.0))
    assert estimate_time_left(tournament).seconds.low == pytest.approx(whole / 2)


def test_who_left_takes_no_more_time():
    bots = make_bots(8)
    start_worker()
    tournament = begin(bots, LEAGUE)
    before = estimate_time_left(tournament).seconds
    play_round(tournament)
    for entrant in tournament.entrants.filter(number__gt=6):
        disqualify(entrant=entrant, organiser=tournament.organiser, reason="A copy.")
    assert estimate_time_left(tournament).seconds.low < before.low * 6 / 7


def test_what_waits_before_it_and_beside_it_makes_the_upper_end_later(settings):
    bots = make_bots(4)
    seconds = dict.fromkeys(bots, 1.0)
    start_worker()
    play_apart(bots[:2], seconds)
    tournament = make_tournament(bots, LEAGUE)
    pass_checks(tournament, seconds=seconds)
    alone = estimate_time_left(tournament).seconds

    def queue(priority):
        versions = [bot.versions.get() for bot in bots[:2]]
        return queue_match(
            versions=versions, game="battleline", edition="standard", priority=priority, **make_deal_and_salts()
        )

    queue(0)
    beside = estimate_time_left(tournament).seconds
    assert beside.low == alone.low and beside.high == pytest.approx(alone.high / 0.95)
    queue(10)
    before = estimate_time_left(tournament).seconds
    assert before.high == pytest.approx(beside.high + (4 * 1.0 + OVERHEAD_S) / 2)
    tournament.is_low_priority = True
    assert estimate_time_left(tournament).seconds.high == pytest.approx(alone.high + (4 * 1.0 + OVERHEAD_S))
    settings.ANALYSIS_SHARE_PERCENT = 50
    assert estimate_time_left(tournament).seconds.high > 2 * alone.high


def test_the_estimate_of_many_bots_takes_as_few_queries_as_that_of_few():
    start_worker()
    asked = []
    for count in (3, 12):
        bots = make_bots(count, owner=User.objects.create_user(f"many{count}"), name=f"Of {count}")
        tournament = make_tournament(bots, LEAGUE, title=f"Cup of {count}")
        pass_checks(tournament, seconds=dict.fromkeys(bots, 1.0))
        with CaptureQueriesContext(connection) as queries:
            assert estimate_time_left(tournament).seconds
        asked.append(len(queries))
    assert asked[0] == asked[1] <= 10
    assert WorkerStatus.objects.count() == 1
