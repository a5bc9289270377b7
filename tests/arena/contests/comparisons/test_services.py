import json
from base64 import b64decode
from datetime import timedelta
from random import Random

import pytest
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.teams import QuotaSpent
from arena.contests.challenges.services import create_challenge
from arena.contests.comparisons.models import Comparison, ComparisonMatch
from arena.contests.comparisons.services import (
    ComparisonSettings,
    NotComparable,
    count_comparison_match,
    count_units,
    queue_comparison_matches,
    start_comparison,
    stop_comparison,
)
from arena.contests.comparisons.sprt import FIELD, HEAD_TO_HEAD, LLR_BOUND, log_likelihood_ratio
from arena.contests.ladders.models import Entry, LadderMatch, RatingChange
from arena.contests.ladders.services.entering import enter_version
from arena.core.errors import Conflict, NotYours
from arena.matches.filters import UnplayableRules
from arena.matches.models import Match
from arena.operations import tasks
from arena.people.notices.models import Delivery, Notice
from arena.people.notices.services import add_webhook
from engine.deal import shuffle
from tests.conftest import FIRST_LEGAL

FIELD_SETTINGS = ComparisonSettings(mode="field")
PROMOTES = ComparisonSettings(preset="quick", promote_if_better=True)


@pytest.fixture
def comparison(ana, old, new):
    return start_comparison(owner=ana, version=new)


@pytest.fixture
def rivals(ladder, ben, house, make_version):
    """On the ladder, by rating: three of others."""
    rivals = [make_version(ben, "Heron"), make_version(ben, "Egret"), make_version(house, "random")]
    for rating, version in enumerate(rivals):
        Entry.objects.filter(pk=enter_version(ladder=ladder, version=version).pk).update(rating=1500 + rating)
    return rivals


def test_a_version_is_compared_with_the_one_before_it_unless_said_otherwise(ana, old, new, make_version):
    refused = make_version(ana, "Kingfisher", b"3", BotVersion.State.REJECTED)
    newest = make_version(ana, "Kingfisher", b"4")
    assert start_comparison(owner=ana, version=newest).baseline == new
    assert start_comparison(owner=ana, version=newest, baseline=old).baseline == old
    with pytest.raises(NotComparable, match="Kingfisher v3 hasn't passed its trial"):
        start_comparison(owner=ana, version=newest, baseline=refused)
    with pytest.raises(NotComparable, match="no older version"):
        start_comparison(owner=ana, version=old)


def test_own_versions_are_compared_with_own_ones_or_such_as_play(ana, ben, new, make_version, ladder):
    theirs = make_version(ben, "Heron")
    with pytest.raises(NotYours):
        start_comparison(owner=ben, version=new)
    with pytest.raises(NotComparable, match="Heron v1 isn't on a ladder"):
        start_comparison(owner=ana, version=new, baseline=theirs)
    enter_version(ladder=ladder, version=theirs)
    assert start_comparison(owner=ana, version=new, baseline=theirs).baseline == theirs


@pytest.mark.parametrize(
    "settings",
    [
        ComparisonSettings(mode="by eye"),
        ComparisonSettings(preset="generous"),
        ComparisonSettings(edition="of 1899"),
        ComparisonSettings(options={"tiles": "shuffled", "flags": 5}),
    ],
)
def test_unknown_settings_are_refused(ana, new, settings):
    with pytest.raises((NotComparable, UnplayableRules)):
        start_comparison(owner=ana, version=new, settings=settings)


def test_what_can_not_differ_is_not_compared(ana, new, make_version):
    other_game = make_version(ana, "Wren", game="battalion")
    with pytest.raises(NotComparable, match="different games"):
        start_comparison(owner=ana, version=new, baseline=other_game)
    same = make_version(ana, "Copy", FIRST_LEGAL + b"\n# better\n")
    with pytest.raises(NotComparable, match="same files"):
        start_comparison(owner=ana, version=new, baseline=same)


def test_the_same_comparison_does_not_run_twice_at_once(ana, comparison, new):
    with pytest.raises(Conflict):
        start_comparison(owner=ana, version=new)
    stop_comparison(comparison=comparison, owner=ana)
    start_comparison(owner=ana, version=new)


def test_a_day_has_so_many_comparisons(ana, comparison, new, settings):
    settings.MAX_COMPARISONS_PER_DAY = 1
    stop_comparison(comparison=comparison, owner=ana)
    with pytest.raises(QuotaSpent):
        start_comparison(owner=ana, version=new)
    Comparison.objects.update(created_at=now() - timedelta(hours=25))
    start_comparison(owner=ana, version=new)


def test_few_pairs_wait_at_a_time(comparison, old, new, settings):
    settings.MAX_WAITING_MATCHES_PER_COMPARISON = 3
    matches = queue_comparison_matches(comparison=comparison)
    assert [match.priority for match in matches] == [-1] * 3
    assert queue_comparison_matches(comparison=comparison) == []
    assert list(comparison.comparison_matches.order_by("pk").values_list("number", flat=True)) == [1, 2, 3]
    assert [one.version for one in matches[0].participants.all()] == [new, old]
    assert matches[0].deal != matches[1].deal
    assert LadderMatch.objects.count() == 0


def test_authors_who_compare_share_the_workers_however_many_comparisons_one_has(ana, ben, old, new, make_version):
    theirs = make_version(ben, "Heron"), make_version(ben, "Heron", b"2")
    of_ana = [start_comparison(owner=ana, version=new), start_comparison(owner=ana, version=old, baseline=new)]
    of_ben = start_comparison(owner=ben, version=theirs[1])
    for comparison in [*of_ana, of_ben]:
        queue_comparison_matches(comparison=comparison)
    queue = Match.objects.queued().values_list("comparison_match__comparison__owner__username", flat=True)
    assert list(queue) == ["ana", "ben"] * 4 + ["ana"] * 4


def test_units_count_in_the_order_of_their_numbers_whenever_they_end(comparison, finish, settings):
    settings.MAX_WAITING_MATCHES_PER_COMPARISON = 5
    points = [1, 0.5, 0.75, 0, 1]
    pairs = list(zip(queue_comparison_matches(comparison=comparison), points, strict=True))
    for match, share in reversed(pairs[1:]):
        finish(match, share)
        assert count_comparison_match(match=match).pairs == 0
    assert queue_comparison_matches(comparison=comparison) == []
    finish(*pairs[0])
    assert count_comparison_match(match=pairs[0][0]).result_counts == [1, 0, 1, 1, 2]
    assert count_comparison_match(match=pairs[0][0]).pairs == 5
    comparison.refresh_from_db()
    assert comparison.llr == pytest.approx(log_likelihood_ratio([1, 0, 1, 1, 2], HEAD_TO_HEAD, 0, 20))
    assert len(queue_comparison_matches(comparison=comparison)) == 5


def test_the_order_in_which_results_come_decides_nothing(ana, new, finish, settings):
    """The first decision counts, and later pairs don't, though these lose."""
    settings.MAX_WAITING_MATCHES_PER_COMPARISON = 24
    ends = []
    for seed in range(2):
        comparison = start_comparison(owner=ana, version=new)
        Comparison.objects.filter(pk=comparison.pk).update(elo1=100)
        matches = [
            (match, 1 if number <= 19 else 0)
            for number, match in enumerate(queue_comparison_matches(comparison=comparison))
        ]
        shuffle(matches, Random(seed))
        for match, points in matches:
            finish(match, points)
            count_comparison_match(match=match)
        comparison.refresh_from_db()
        ends.append((comparison.state, comparison.pairs, comparison.result_counts, comparison.llr))
    assert ends[0] == ends[1]
    assert ends[0][0] == Comparison.State.BETTER and ends[0][1] < 20


def test_a_void_match_is_left_out_and_another_is_played(comparison, finish, settings):
    settings.MAX_WAITING_MATCHES_PER_COMPARISON = 2
    first, second = queue_comparison_matches(comparison=comparison)
    Match.objects.filter(pk=first.pk).update(state=Match.State.VOID)
    finish(second, 1)
    assert count_comparison_match(match=first).result_counts == [0, 0, 0, 0, 1]
    assert len(queue_comparison_matches(comparison=comparison)) == 2
    assert list(comparison.comparison_matches.in_flight().order_by("number").values_list("number", flat=True)) == [3, 4]


def test_a_better_one_is_told_to_be_better_and_what_waits_is_given_up(ana, comparison, run, settings):
    settings.MAX_WAITING_MATCHES_PER_COMPARISON = 7
    add_webhook(owner=ana, url="https://93.184.216.34/hook", events=["comparison.decided"])
    run(comparison, 1)
    assert comparison.state == Comparison.State.BETTER
    assert comparison.llr >= LLR_BOUND and comparison.result_counts == [0, 0, 0, 0, comparison.pairs]
    left = Match.objects.exclude(state=Match.State.FINISHED)
    assert {match.state for match in left} == {Match.State.VOID}
    assert ComparisonMatch.objects.in_flight().count() == 0 and queue_comparison_matches(comparison=comparison) == []
    notice = Notice.objects.get(user=ana)
    assert (
        str(notice.text) == "Kingfisher v2 is better than Kingfisher v1."
        and notice.url == f"/comparisons/{comparison.pk}/"
    )
    assert Delivery.objects.get().payload["state"] == "better"
    assert comparison.promoted_at is None


def test_a_worse_one_is_told_not_to_be_better(comparison, run):
    run(comparison, 0.25)
    assert comparison.state == Comparison.State.NOT_BETTER and comparison.llr <= -LLR_BOUND


def test_a_better_one_goes_to_the_ladders_if_asked_to(ana, old, new, ladder, run):
    enter_version(ladder=ladder, version=old)
    BotVersion.objects.filter(pk=new.pk).update(is_on_hold=True)
    comparison = start_comparison(owner=ana, version=new, settings=PROMOTES)
    run(comparison, 1)
    assert comparison.promoted_at and comparison.state_reason is None
    assert Entry.objects.active().get().version == new
    assert str(Notice.objects.get(user=ana).text).endswith("It's now on the ladders.")


def test_an_answer_stands_though_there_is_no_room_on_the_ladder(ana, new, ladder, run, settings):
    settings.MAX_LADDER_BOTS_PER_OWNER = 0
    comparison = start_comparison(owner=ana, version=new, settings=PROMOTES)
    run(comparison, 1)
    assert comparison.state == Comparison.State.BETTER and comparison.promoted_at is None
    assert str(comparison.state_reason) == "It wasn't promoted to the ladders."
    assert str(comparison.state_detail).startswith("You already have 0 bots playing on Battle Line")
    assert not Entry.objects.exists()


def test_after_the_last_pair_it_is_given_up(comparison, finish, monkeypatch):
    monkeypatch.setattr("arena.contests.comparisons.services.MAX_PAIRS", 3)
    matches = queue_comparison_matches(comparison=comparison)
    assert len(matches) == 3
    for match in matches:
        finish(match, 0.5)
        count_comparison_match(match=match)
    comparison.refresh_from_db()
    assert comparison.state == Comparison.State.UNDECIDED and comparison.decided_at


def test_nothing_is_rated(comparison, finish, ladder, old):
    enter_version(ladder=ladder, version=old)
    for match in queue_comparison_matches(comparison=comparison):
        finish(match, 1)
        count_comparison_match(match=match)
    entry = Entry.objects.get()
    assert (entry.matches, entry.rating) == (0, 1500) and not RatingChange.objects.exists()


def test_its_owner_may_stop_it(ana, ben, comparison, finish):
    running, *waiting = queue_comparison_matches(comparison=comparison)
    Match.objects.filter(pk=running.pk).update(state=Match.State.RUNNING)
    with pytest.raises(NotYours):
        stop_comparison(comparison=comparison, owner=ben)
    assert stop_comparison(comparison=comparison, owner=ana).state == Comparison.State.STOPPED
    assert Match.objects.filter(state=Match.State.VOID).count() == len(waiting)
    finish(running, 1)
    assert count_comparison_match(match=running).pairs == 0
    with pytest.raises(Conflict):
        stop_comparison(comparison=comparison, owner=ana)


def test_in_a_field_both_play_the_same_bots_on_the_same_deals(ana, old, new, rivals):
    comparison = start_comparison(owner=ana, version=new, settings=FIELD_SETTINGS)
    matches = queue_comparison_matches(comparison=comparison)
    assert len(matches) == 8
    tables = [[one.version for one in match.participants.all()] for match in matches]
    field = sorted(rivals, key=lambda version: version.pk)
    assert tables[:6] == [[one, rival] for rival in field for one in (new, old)]
    assert tables[6] == [new, field[0]]
    for first, second in zip(matches[::2], matches[1::2], strict=True):
        assert first.deal == second.deal
        assert {leg.salt for leg in first.legs.all()}.isdisjoint(leg.salt for leg in second.legs.all())


def test_in_a_field_the_difference_counts(ana, new, rivals, finish):
    comparison = start_comparison(owner=ana, version=new, settings=FIELD_SETTINGS)
    first, second = queue_comparison_matches(comparison=comparison)[:2]
    finish(first, 1)
    assert count_comparison_match(match=first).pairs == 0
    finish(second, 0.25)
    assert count_comparison_match(match=second).result_counts == [0, 0, 0, 0, 0, 0, 0, 1, 0]


def test_in_a_field_a_better_one_is_found_too(ana, new, rivals, run):
    comparison = start_comparison(owner=ana, version=new, settings=ComparisonSettings(mode="field", preset="quick"))
    run(comparison, 1, 0)
    assert comparison.state == Comparison.State.BETTER
    assert comparison.llr == pytest.approx(log_likelihood_ratio(comparison.result_counts, FIELD, 0, 100))
    assert comparison.estimate.elo > 0


def test_a_field_is_the_nearest_bots_of_others(ana, house, old, new, ladder, make_version):
    own = enter_version(ladder=ladder, version=old)
    for rating in range(1200, 1900, 25):
        entry = enter_version(ladder=ladder, version=make_version(house, f"Heron {rating}"))
        Entry.objects.filter(pk=entry.pk).update(rating=rating)
    Entry.objects.filter(pk=own.pk).update(rating=1601)
    comparison = start_comparison(owner=ana, version=new, settings=FIELD_SETTINGS)
    names = sorted(version.bot.name for version in comparison.opponents.all())
    assert names == [f"Heron {rating}" for rating in range(1425, 1825, 25)]


def test_a_field_of_one_is_none(ana, ben, new, ladder, make_version):
    enter_version(ladder=ladder, version=make_version(ben, "Heron"))
    with pytest.raises(NotComparable, match="at least 2"):
        start_comparison(owner=ana, version=new, settings=FIELD_SETTINGS)
    assert Comparison.objects.count() == 0


def test_counting_again_changes_nothing(comparison, finish):
    match = queue_comparison_matches(comparison=comparison)[0]
    finish(match, 1)
    for _ in range(3):
        assert count_units(comparison=comparison).pairs == 1


def test_other_matches_are_for_no_comparison(comparison, ana, old, new, rivals):
    other = Match.objects.create(game="battleline", edition="standard", options={}, rules_version=1, limits={}, deal={})
    assert count_comparison_match(match=other) is None


def test_one_that_stands_still_is_found(comparison, finish):
    assert list(Comparison.objects.stalled()) == [comparison]
    matches = queue_comparison_matches(comparison=comparison)
    assert list(Comparison.objects.stalled()) == []
    for match in matches:
        finish(match, 1)
    assert list(Comparison.objects.stalled()) == [comparison]


def test_staff_see_all_of_them(ana, comparison, rivals, admin_client):
    made = create_challenge(owner=ana, version=comparison.version, opponent=rivals[0])
    for address in ("comparisons/comparison", "challenges/challenge"):
        assert admin_client.get(f"/admin/{address}/").status_code == 200
    assert admin_client.get(f"/admin/comparisons/comparison/{comparison.pk}/change/").status_code == 200
    assert admin_client.get(f"/admin/challenges/challenge/{made.pk}/change/").status_code == 200


# A comparison continues as its matches finish.


@pytest.fixture
def run_and_list_tasks(messages, django_capture_on_commit_callbacks):
    """Return a function that performs an action and returns the tasks it has queued, with their arguments."""

    def do(action, *arguments):
        before = set(messages())
        with django_capture_on_commit_callbacks(execute=True):
            action(*arguments)
        contents = [json.loads(message.read_text()) for message in messages() if message not in before]
        return sorted(
            (content["headers"]["task"].rpartition(".")[2], *json.loads(b64decode(content["body"]))[0])
            for content in contents
        )

    return do


def test_each_stored_result_queues_another_match(ana, new, run_and_list_tasks, play, settings):
    settings.MAX_WAITING_MATCHES_PER_COMPARISON = 2
    comparison = start_comparison(owner=ana, version=new)
    assert run_and_list_tasks(tasks.play_comparison, comparison.pk) == [("play_next",)] * 2
    match = Match.objects.queued().first()
    assert play(match)
    assert run_and_list_tasks(tasks.settle_match, match.pk) == [("play_comparison", comparison.pk)]
    comparison.refresh_from_db()
    assert comparison.pairs == 1 and sum(comparison.result_counts) == 1
    assert run_and_list_tasks(tasks.play_comparison, comparison.pk) == [], "as many as there are slots wait already"
    assert run_and_list_tasks(tasks.settle_match, match.pk) == []
