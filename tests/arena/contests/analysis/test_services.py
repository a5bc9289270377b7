"""Who may have which leg analysed, and how an analysis is made in spite of lost workers."""

from datetime import timedelta

import pytest
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.bots.models import BotVersion
from arena.bots.teams import QuotaSpent
from arena.contests.analysis.models import AnalysisClosed, LegAnalysis, NotAnalysable, SeatAnalysis, WaitingLine
from arena.contests.analysis.queries import (
    compute_rest,
    count_ahead,
    count_slots,
    fetch_draw_luck,
    find_analyses,
    summarize_mistakes,
)
from arena.contests.analysis.services import (
    MAX_FAILURES,
    MAX_LOSSES,
    fail_analysis,
    pick_analyses_to_republish,
    queue_top_matches,
    request_analysis,
    requeue_lost_analyses,
    store_analysis,
    store_parts,
)
from arena.contests.comparisons.services import ComparisonSettings, queue_comparison_matches, start_comparison
from arena.contests.ladders.models import Ladder, LadderMatch, RatingChange
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.pairing import queue_ladder_matches
from arena.contests.lifecycle import list_expired_analyses
from arena.matches.attempts import AttemptLost
from arena.matches.models import Leg, Match
from arena.matches.services import claim_match, queue_match
from arena.matches.workers import this_worker
from arena.people.accounts.models import User
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import analyse
from engine.message import literal
from tests.arena.contests.analysis.finished import claim_full_pass, finish_match, make_analysis
from tests.conftest import FIRST_LEGAL, MakeVersion

GONE = f"{this_worker().rpartition('/')[0]}/1"
"""A process with our id that started at another time."""


def test_an_analysis_is_stored_as_the_engine_makes_it(ana: User, leg: Leg) -> None:
    requested = request_analysis(user=ana, leg=leg)
    assert (requested.state, requested.requested_by, requested.is_automatic) == ("waiting", ana, False)
    analysis = make_analysis()
    assert analysis is not None and analysis.is_done and analysis.progress == 1.0
    evaluator = find_evaluator("battleline", "standard")
    assert evaluator is not None
    assert analysis.result_data == analyse(leg.record_data, evaluator)
    seats = list(SeatAnalysis.objects.order_by("seat"))
    assert [seat.participant.index for seat in seats] == leg.seating
    assert [seat.luck for seat in seats] == [seat["luck"] for seat in analysis.result_data["seats"]]
    assert make_analysis() is None


def test_slices_add_up_to_the_same_analysis(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    analysis, slices = make_analysis(seconds=0.0), 1
    assert analysis is not None and analysis.state == "running" and analysis.worker == ""
    while not analysis.is_done:
        analysis, slices = make_analysis(seconds=0.05), slices + 1
        assert analysis is not None
    evaluator = find_evaluator("battleline", "standard")
    assert evaluator is not None
    assert slices > 2 and analysis.result_data == analyse(leg.record_data, evaluator)


def test_who_asks_again_gets_the_same_one(ana: User, ben: User, leg: Leg, settings: Settings) -> None:
    settings.MAX_ANALYSES_PER_DAY = 1
    first = request_analysis(user=ana, leg=leg)
    assert request_analysis(user=ben, leg=leg) == request_analysis(user=ana, leg=leg) == first
    make_analysis()
    assert request_analysis(user=ben, leg=leg).is_done
    assert LegAnalysis.objects.count() == 1


def test_nobody_requests_more_than_the_quota(ana: User, ben: User, match: Match, settings: Settings) -> None:
    settings.MAX_ANALYSES_PER_DAY = 1
    first, second = match.legs.order_by("number")
    request_analysis(user=ana, leg=first)
    with pytest.raises(QuotaSpent, match="requested 1 analyses in 24 hours") as refused:
        request_analysis(user=ana, leg=second)
    assert refused.value.retry_after is not None and 0 < refused.value.retry_after <= 86_400
    request_analysis(user=ben, leg=second)
    LegAnalysis.objects.filter(leg=second).delete()
    LegAnalysis.objects.update(created_at=now() - timedelta(hours=25))
    request_analysis(user=ana, leg=second)
    settings.MAX_ANALYSES_PER_DAY = 0
    LegAnalysis.objects.all().delete()
    with pytest.raises(QuotaSpent, match="can't request analyses here"):
        request_analysis(user=ben, leg=first)


def test_an_arena_may_make_none(ana: User, leg: Leg, settings: Settings) -> None:
    waiting = request_analysis(user=ana, leg=leg)
    settings.ANALYSIS_SHARE_PERCENT = 0
    assert claim_full_pass() is None and queue_top_matches() == 0
    waiting.delete()
    with pytest.raises(AnalysisClosed):
        request_analysis(user=ana, leg=leg)


@pytest.mark.parametrize("state", [Match.State.QUEUED, Match.State.RUNNING, Match.State.VOID])
def test_only_a_finished_match_is_analysed(ana: User, leg: Leg, state: Match.State) -> None:
    Match.objects.update(state=state)
    with pytest.raises(NotAnalysable, match="Only matches with a result can be analysed"):
        request_analysis(user=ana, leg=leg)


def test_no_leg_is_analysed_whose_deal_is_in_play(
    ana: User, house: User, versions: list[BotVersion], make_version: MakeVersion, ladder: Ladder
) -> None:
    """In a field both versions play the same deal: what one match shows would tell of the other."""
    for version in (*versions, *(make_version(house, f"house {number}") for number in range(6))):
        enter_version(ladder=ladder, version=version)
    newer = make_version(ana, "Kingfisher", FIRST_LEGAL + b"# newer")
    settings = ComparisonSettings(mode="field")
    comparison = start_comparison(owner=ana, version=newer, baseline=versions[0], settings=settings)
    queue_comparison_matches(comparison=comparison)
    first, twin = comparison.comparison_matches.filter(number=1).order_by("pk")
    match = finish_match([], queued=first.match)
    leg = match.legs.get(number=1)
    with pytest.raises(NotAnalysable, match="same deal is still being played"):
        request_analysis(user=ana, leg=leg)
    finish_match([], queued=twin.match)
    analysis = request_analysis(user=ana, leg=leg)
    Match.objects.filter(pk=twin.match_id).update(state=Match.State.QUEUED)  # as if it were played again
    assert claim_full_pass() is None
    other = request_analysis(user=ana, leg=finish_match(versions).legs.get(number=1))
    assert make_analysis() == other  # which doesn't wait for it
    Match.objects.filter(pk=twin.match_id).update(state=Match.State.FINISHED)
    assert claim_full_pass() == analysis


def test_rules_without_a_value_function_have_no_analysis(ana: User, versions: list[BotVersion]) -> None:
    queued = queue_match(versions=versions, game="battleline", edition="terrain")
    with pytest.raises(NotAnalysable, match="no value function"):
        request_analysis(user=ana, leg=finish_match([], queued=queued).legs.get(number=1))


def test_a_lost_record_is_not_analysed(ana: User, leg: Leg) -> None:
    leg.record = None
    with pytest.raises(NotAnalysable, match="lost or removed"):
        request_analysis(user=ana, leg=leg)


def test_no_more_are_made_at_a_time_than_their_share_allows(ana: User, match: Match, settings: Settings) -> None:
    for leg in match.legs.all():
        request_analysis(user=ana, leg=leg)
    settings.CELERY_WORKER_CONCURRENCY, settings.ANALYSIS_SHARE_PERCENT = 4, 25
    assert count_slots() == 1
    assert claim_full_pass("one") is not None
    assert claim_full_pass("two") is None
    settings.CELERY_WORKER_CONCURRENCY = 8
    assert count_slots() == 2
    assert claim_full_pass("two") is not None


def test_a_part_of_a_process_is_shared_out_by_rests(
    ana: User, leg: Leg, versions: list[BotVersion], settings: Settings
) -> None:
    settings.CELERY_WORKER_CONCURRENCY, settings.ANALYSIS_SHARE_PERCENT = 1, 25
    assert compute_rest(4.0, WaitingLine.FULL) == timedelta(0)  # while nothing else waits
    queue_match(versions=versions, game="battleline", edition="standard")
    assert compute_rest(4.0, WaitingLine.FULL) == timedelta(seconds=12)
    settings.CELERY_WORKER_CONCURRENCY = 4
    assert compute_rest(4.0, WaitingLine.FULL) == timedelta(0)
    settings.CELERY_WORKER_CONCURRENCY = 1
    request_analysis(user=ana, leg=leg)
    analysis = claim_full_pass()
    assert analysis is not None
    store_parts(analysis=analysis, parts=[], worked_s=4.0)
    assert claim_full_pass() is None and pick_analyses_to_republish() == 0
    LegAnalysis.objects.update(rests_until=now() - timedelta(seconds=1))
    assert pick_analyses_to_republish() == 1 and pick_analyses_to_republish() == 0
    assert claim_full_pass() is not None


def test_a_killed_worker_loses_no_more_than_its_slice(ana: User, versions: list[BotVersion]) -> None:
    request_analysis(user=ana, leg=finish_match(versions, decisions=10).legs.get(number=1))
    begun = make_analysis(seconds=0.2)
    assert begun is not None and begun.entries_done
    lost = claim_full_pass(GONE)
    assert lost is not None
    assert requeue_lost_analyses() == 1 and requeue_lost_analyses() == 0
    again = claim_full_pass()
    assert again is not None and again.entries_done == begun.entries_done and again.losses == 1
    with pytest.raises(AttemptLost):
        store_parts(analysis=lost, parts=[], worked_s=1.0)
    with pytest.raises(AttemptLost):
        store_analysis(analysis=lost, result={"chances": [0.5]})


def test_a_silent_worker_is_given_up(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    assert claim_full_pass() is not None
    assert requeue_lost_analyses() == 0
    LegAnalysis.objects.update(heartbeat_at=now() - timedelta(minutes=2))
    assert requeue_lost_analyses() == 1


def test_an_analysis_that_always_fails_ends_with_the_reason_and_can_be_tried_again(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    for _ in range(MAX_FAILURES):
        analysis = claim_full_pass()
        assert analysis is not None
        fail_analysis(analysis=analysis, error=literal("MemoryError: none left"))
    failed = LegAnalysis.objects.get()
    assert (failed.state, str(failed.error)) == ("failed", "MemoryError: none left")
    assert claim_full_pass() is None
    assert request_analysis(user=ana, leg=leg).state == "waiting"


def test_an_analysis_that_stops_every_worker_ends(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    for _ in range(MAX_LOSSES):
        assert claim_full_pass(GONE) is not None
        assert requeue_lost_analyses() == 1
    assert LegAnalysis.objects.get().state == "failed"


def test_a_newer_value_function_replaces_the_analysis_once_it_is_made(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    make_analysis()
    LegAnalysis.objects.update(function_version="0")
    found = find_analyses(leg)
    assert found.done is not None and found.newest is None
    request_analysis(user=ana, leg=leg)
    found = find_analyses(leg)
    assert found.done is not None and found.pending is not None and found.done != found.pending
    make_analysis()
    found = find_analyses(leg)
    assert found.done == found.newest and LegAnalysis.objects.count() == 1 and SeatAnalysis.objects.count() == 2


def test_who_waits_comes_before_what_the_arena_chose(
    ana: User, match: Match, ladder: Ladder, versions: list[BotVersion]
) -> None:
    first, second = match.legs.order_by("number")
    chosen = request_analysis(user=ana, leg=first)
    LegAnalysis.objects.update(is_automatic=True, requested_by=None)
    asked = request_analysis(user=ana, leg=second)
    chosen.refresh_from_db()
    assert (count_ahead(asked), count_ahead(chosen)) == (0, 1)
    assert claim_full_pass() == asked


def test_the_best_match_of_a_ladder_is_analysed_by_itself(
    versions: list[BotVersion], ladder: Ladder, settings: Settings
) -> None:
    settings.ANALYSED_TOP_MATCHES = settings.MAX_WAITING_MATCHES_PER_LADDER = 1
    for version in versions:
        enter_version(ladder=ladder, version=version)
    assert queue_top_matches() == 0
    for _ in range(2):
        (queued,) = queue_ladder_matches(ladder=ladder)
        finish_match([], queued=queued)
        append_finished_matches(ladder=ladder)
    first, last = LadderMatch.objects.order_by("pk")
    assert first.changes.count() == 2
    RatingChange.objects.filter(ladder_match=last, entry__version=versions[0]).update(before=100.0)
    assert queue_top_matches() == 2
    assert set(LegAnalysis.objects.values_list("leg__match", flat=True)) == {first.match_id}
    assert queue_top_matches() == 0  # for today
    LegAnalysis.objects.update(created_at=now() - timedelta(days=2))
    assert queue_top_matches() == 2
    assert not LegAnalysis.objects.filter(requested_by__isnull=False).exists()


def test_a_running_match_is_never_chosen(ladder: Ladder, versions: list[BotVersion], settings: Settings) -> None:
    settings.MAX_WAITING_MATCHES_PER_LADDER = 1
    for version in versions:
        enter_version(ladder=ladder, version=version)
    (queued,) = queue_ladder_matches(ladder=ladder)[:1]
    assert claim_match(match_id=queued.pk, worker=this_worker())
    LadderMatch.objects.update(sequence=1)
    assert queue_top_matches() == 0
    assert not LegAnalysis.objects.exists()


def test_luck_and_mistakes_of_a_bot_are_those_of_its_seats(ana: User, match: Match, versions: list[BotVersion]) -> None:
    bot = versions[0].bot
    assert fetch_draw_luck(bot) is None and summarize_mistakes(bot).legs == 0
    for leg in match.legs.all():
        request_analysis(user=ana, leg=leg)
        make_analysis()
    rows = SeatAnalysis.objects.filter(participant__version=versions[0])
    luck = fetch_draw_luck(bot)
    assert luck is not None and luck.draws == sum(row.draws for row in rows)
    assert luck.mean * luck.draws == pytest.approx(sum(row.draw_luck for row in rows))
    found = summarize_mistakes(bot)
    assert found.legs == 2
    assert sum(kind.count for kind in found.kinds) == sum(len(row.mistakes) for row in rows)
    assert sum(found.judgements.values()) == sum(len(row.mistakes) for row in rows)
    assert [kind.lost for kind in found.kinds] == sorted((kind.lost for kind in found.kinds), reverse=True)


def test_an_analysis_goes_with_the_record(ana: User, leg: Leg) -> None:
    request_analysis(user=ana, leg=leg)
    make_analysis()
    (expired,) = list_expired_analyses()
    assert not expired.rows.exists()
    Leg.objects.filter(pk=leg.pk).update(record=None)
    assert expired.rows.count() == 1
