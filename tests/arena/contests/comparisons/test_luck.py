"""A comparison that takes luck off: what it may be, when it counts, what decides, and whose luck is odd."""

import pytest

from arena.contests.analysis.queries import fetch_draw_luck
from arena.contests.analysis.services import MIN_AUDITED_DRAWS, audit_luck, audit_luck_of_match
from arena.contests.comparisons.models import Comparison, ComparisonMatch, LuckSuspension, ParticipantLuck
from arena.contests.comparisons.services import (
    ComparisonSettings,
    NotComparable,
    count_comparison_match,
    count_units,
    dismiss_suspensions,
    list_matches_without_luck,
    measure_match_luck,
    queue_comparison_matches,
    start_comparison,
)
from arena.contests.comparisons.sprt import HEAD_TO_HEAD, adjusted_log_likelihood_ratio
from arena.contests.ladders.services.entering import enter_version
from arena.matches.models import Leg, Match
from arena.operations import tasks
from arena.people.notices.models import Event, Notice
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import describe_value_function, measure_luck
from tests.arena.contests.analysis.finished import finish_match

LESS_LUCK = ComparisonSettings(adjust_for_luck=True)


@pytest.fixture
def comparison(ana, old, new, settings) -> Comparison:
    settings.MAX_WAITING_MATCHES_PER_COMPARISON = 2
    return start_comparison(owner=ana, version=new, settings=LESS_LUCK)


@pytest.fixture
def played(comparison, old, new) -> list[Match]:
    """Two matches of the comparison that are over, with records."""
    return [finish_match([new, old], queued=match) for match in queue_comparison_matches(comparison=comparison)]


def luck_of(match: Match) -> float:
    """The mean luck of a match's first participant over its legs, by the records alone."""
    evaluator = find_evaluator("battleline", "standard")
    assert evaluator is not None
    total = 0.0
    for leg in match.legs.all():
        lucks = measure_luck(leg.record_data, evaluator)
        first = leg.seats.get(participant__index=0).seat
        total += lucks[first].luck - lucks[1 - first].luck
    return total / 2


def test_the_value_function_is_fixed_before_the_first_match(comparison, ladder):
    evaluator = find_evaluator("battleline", "standard")
    assert evaluator is not None and comparison.is_adjusted
    assert comparison.value_function == describe_value_function(evaluator)
    assert (
        start_comparison(owner=comparison.owner, version=comparison.baseline, baseline=comparison.version).luck is None
    )


@pytest.mark.parametrize(
    "chosen",
    [
        ComparisonSettings(adjust_for_luck=True, edition="long"),
        ComparisonSettings(adjust_for_luck=True, options={"tactics": 0}),
    ],
)
def test_where_there_is_no_value_function_nothing_is_adjusted(ana, new, chosen):
    with pytest.raises(NotComparable, match="no value function"):
        start_comparison(owner=ana, version=new, settings=chosen)


def test_an_arena_without_analyses_measures_no_luck(ana, new, settings):
    settings.ANALYSIS_SHARE_PERCENT = 0
    with pytest.raises(NotComparable, match="luck can't be measured"):
        start_comparison(owner=ana, version=new, settings=LESS_LUCK)


def test_no_other_function_than_the_season_s_is_used(ana, new, ladder):
    ladder.value_function = {**describe_value_function(find_evaluator("battleline", "standard")), "hash": "0" * 64}
    ladder.save()
    with pytest.raises(NotComparable, match="next season"):
        start_comparison(owner=ana, version=new, settings=LESS_LUCK)


def test_a_pair_counts_once_its_luck_is_measured(comparison, played):
    first, second = played
    assert count_comparison_match(match=first).pairs == 0
    assert measure_match_luck(match_id=second.pk) == comparison
    assert count_units(comparison=comparison).pairs == 0
    measure_match_luck(match_id=first.pk)
    counted = count_units(comparison=comparison)
    points = [match.participants.get(index=0).points for match in played]
    expected = [share - 0.75 * luck_of(match) for share, match in zip(points, played, strict=True)]
    assert (counted.pairs, counted.adjusted_pairs) == (2, 2)
    assert counted.adjusted_total == pytest.approx(sum(expected))
    assert counted.adjusted_squares == pytest.approx(sum(one**2 for one in expected))
    assert (
        counted.adjusted_llr
        == counted.deciding_llr
        == pytest.approx(
            adjusted_log_likelihood_ratio(counted.adjusted_sums, counted.result_counts, HEAD_TO_HEAD, 0, 20)
        )
    )
    assert counted.llr != counted.adjusted_llr


def test_to_measure_again_changes_nothing(played):
    for match in (played[0], played[0]):
        measure_match_luck(match_id=match.pk)
    rows = ParticipantLuck.objects.filter(participant__match=played[0]).order_by("participant__index")
    assert len(rows) == 2
    assert ComparisonMatch.objects.get(match=played[0]).luck == pytest.approx((rows[0].luck - rows[1].luck) / 2)


def test_a_match_without_its_record_counts_as_it_is(comparison, played):
    Leg.objects.filter(match=played[0]).update(record=None)
    for match in played:
        measure_match_luck(match_id=match.pk)
    counted = count_units(comparison=comparison)
    points = [match.participants.get(index=0).points for match in played]
    assert (counted.pairs, counted.adjusted_pairs) == (2, 1)
    assert counted.adjusted_total == pytest.approx(sum(points) - 0.75 * luck_of(played[1]))


def test_a_measurement_that_nobody_knows_of_is_made_all_the_same(comparison, played):
    assert list_matches_without_luck() == []
    Match.objects.update(finished_at="2026-01-01T00:00Z")
    assert list_matches_without_luck() == [match.pk for match in played]
    for match in played:
        tasks.measure_luck(match.pk)
    tasks.play_comparison(comparison.pk)
    assert list_matches_without_luck() == []
    assert Comparison.objects.get().pairs == 2


@pytest.fixture
def rivals(ladder, ben, house, make_version):
    for owner, name in ((ben, "Heron"), (house, "random")):
        enter_version(ladder=ladder, version=make_version(owner, name))


@pytest.mark.usefixtures("rivals")
def test_in_a_field_the_luck_of_the_baseline_counts_the_other_way(ana, old, new, settings):
    settings.MAX_WAITING_MATCHES_PER_COMPARISON = 1
    chosen = ComparisonSettings(mode="field", adjust_for_luck=True)
    comparison = start_comparison(owner=ana, version=new, settings=chosen)
    matches = queue_comparison_matches(comparison=comparison)
    for match in matches:
        finish_match([row.version for row in match.participants.order_by("index")], queued=match)
        measure_match_luck(match_id=match.pk)
    counted = count_units(comparison=comparison)
    own, other = (ComparisonMatch.objects.get(match=match).luck for match in matches)
    points = [match.participants.get(index=0).points for match in matches]
    expected = 0.5 + (points[0] - points[1]) / 2 - 0.75 * (own - other) / 2
    assert counted.adjusted_total == pytest.approx(expected)


def test_a_bot_whose_luck_is_odd_is_reported_once_and_its_comparisons_count_as_they_are(comparison, played, new, ben):
    ben.is_staff = True
    ben.save()
    for match in played:
        measure_match_luck(match_id=match.pk)
    assert audit_luck_of_match(match_id=played[0].pk) == []
    draws = MIN_AUDITED_DRAWS
    ParticipantLuck.objects.filter(participant__version=new).update(
        draws=draws, luck=0.01 * draws, squares=0.002 * draws
    )
    luck = fetch_draw_luck(new.bot)
    assert luck is not None and luck.z > 4 and luck.draws >= 2 * draws
    [suspension] = audit_luck_of_match(match_id=played[0].pk)
    assert suspension.bot == new.bot and audit_luck(bot=new.bot) is None
    [notice] = Notice.objects.filter(event=Event.LUCK_SUSPENDED)
    assert notice.user == ben and "standard errors" in str(notice.text)
    comparison.refresh_from_db()
    counted = count_units(comparison=comparison)
    assert not counted.is_adjusted and counted.deciding_llr == counted.llr != counted.adjusted_llr
    assert counted.luck["is_suspended"]


def test_staff_dismisses_for_good(ana, comparison, old, new):
    row = LuckSuspension.objects.create(bot=new.bot, draws=900, z=4.5)
    Comparison.objects.update(state="stopped")
    with pytest.raises(
        NotComparable, match="Kingfisher has had implausible luck, so comparisons with it aren't adjusted for luck"
    ):
        start_comparison(owner=ana, version=new, settings=LESS_LUCK)
    assert dismiss_suspensions(suspensions=[row]) == 1
    assert start_comparison(owner=ana, version=new, settings=LESS_LUCK).is_adjusted
    assert dismiss_suspensions(suspensions=[row]) == 0
