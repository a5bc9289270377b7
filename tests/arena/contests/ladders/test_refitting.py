from datetime import timedelta
from io import StringIO
from itertools import combinations

import pytest
from django.core.management import call_command
from django.test import Client
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.contests.ladders.fit import FitResult
from arena.contests.ladders.models import CollusionReport, Entry, Fit, Ladder, LadderMatch, PairStat, RatingPoint
from arena.contests.ladders.rating import is_certain, is_ranked
from arena.contests.ladders.services import refitting
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.refitting import (
    acquire_fit_lock,
    dismiss_reports,
    list_reported_matches,
    recompute_ladder,
    refit_ladder,
    revoke_reported_matches,
    update_collusion_reports,
)
from arena.contests.ladders.services.seasons import close_season
from arena.operations.management.prepare import build_missing_pair_totals
from arena.operations.tasks import refit_ladders, watch_ladders
from arena.people.accounts.models import User
from tests.arena.contests.ladders.conftest import Finish
from tests.conftest import MakeVersion

WON, LOST, SHARED = [1, 2], [2, 1], [1, 1]


@pytest.fixture
def played(ladder: Ladder, entries: list[Entry], finish: Finish) -> Ladder:
    for one in range(4):
        for other in range(one + 1, 4):
            finish([entries[one], entries[other]], WON, [WON, SHARED, LOST][(one + other) % 3])
    append_finished_matches(ladder=ladder)
    ladder.refresh_from_db()
    return ladder


def test_a_fit_replaces_what_came_by_steps(played: Ladder) -> None:
    before = dict(Entry.objects.values_list("pk", "rating"))
    fit = refit_ladder(ladder=played)
    after = dict(Entry.objects.values_list("pk", "rating"))
    assert after != before and sum(after.values()) == pytest.approx(4 * 1500)
    assert all(after[pk] == pytest.approx(before[pk], abs=60) for pk in after)
    assert (fit.sequence, fit.entries) == (6, 4) and fit.seconds > 0
    played.refresh_from_db()
    assert (played.fitted_sequence, played.dispersion, played.is_stale, played.fitting_at) == (
        6,
        fit.dispersion,
        False,
        None,
    )
    assert played.top_rating == max(after.values()) and 0 < played.spread < 300
    assert set(Entry.objects.values_list("in_fit", flat=True)) == {True}


def test_the_scale_hangs_on_the_anchors(played: Ladder) -> None:
    anchor = Entry.objects.order_by("rating").last()
    Entry.objects.filter(pk=anchor.pk).update(is_anchor=True)
    Ladder.objects.update(anchor_mean=1700)
    refit_ladder(ladder=played)
    anchor.refresh_from_db()
    assert anchor.rating == pytest.approx(1700)


def test_where_nothing_is_new_nothing_is_fitted(played: Ladder) -> None:
    assert refit_ladder(ladder=played) is not None
    assert refit_ladder(ladder=played) is None
    Ladder.objects.update(is_stale=True)
    assert refit_ladder(ladder=played) is not None
    assert Fit.objects.count() == 2


def test_while_somebody_is_at_it_nobody_else_begins(played: Ladder) -> None:
    Ladder.objects.update(fitting_at=now())
    assert refit_ladder(ladder=played) is None
    Ladder.objects.update(fitting_at=now() - timedelta(seconds=70))
    assert refit_ladder(ladder=played) is not None


def test_a_fit_that_goes_on_keeps_its_ladder(played: Ladder) -> None:
    lock = acquire_fit_lock(played)
    assert lock is not None
    lock.held_at -= timedelta(seconds=50)
    Ladder.objects.update(fitting_at=lock.held_at)
    assert lock.renew()
    lock.held_at -= timedelta(seconds=50)
    Ladder.objects.update(fitting_at=lock.held_at)
    assert acquire_fit_lock(played) is None
    lock.release()
    assert acquire_fit_lock(played) is not None


def test_a_fit_that_was_taken_over_writes_nothing(played: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    def meanwhile(*question: object, **more: object) -> FitResult:
        Ladder.objects.update(fitting_at=taken)
        return fit(*question, **more)

    fit, taken = refitting.fit_ratings, now() - timedelta(seconds=5)
    monkeypatch.setattr(refitting, "fit_ratings", meanwhile)
    before = set(Entry.objects.values_list("pk", "rating"))
    assert refit_ladder(ladder=played) is None
    assert set(Entry.objects.values_list("pk", "rating")) == before and not Fit.objects.exists()
    played.refresh_from_db()
    assert played.fitting_at == taken


def test_a_fit_is_due_some_time_after_the_last_one(played: Ladder, settings: Settings) -> None:
    settings.LADDER_REFIT_INTERVAL_S = 60
    refit_ladders()
    Ladder.objects.update(is_stale=True)
    refit_ladders()
    assert Fit.objects.count() == 1
    Ladder.objects.update(fitted_at=now() - timedelta(seconds=61))
    refit_ladders()
    assert Fit.objects.count() == 2


def test_lines_that_come_while_it_is_computed_are_rated_on_top(
    played: Ladder, entries: list[Entry], finish: Finish, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(*question: object, **more: object) -> FitResult:
        finish([entries[3], entries[0]], WON, WON)
        assert append_finished_matches(ladder=played) == 1
        return fit(*question, **more)

    fit = refitting.fit_ratings
    monkeypatch.setattr(refitting, "fit_ratings", slowly)
    assert refit_ladder(ladder=played).sequence == 6
    played.refresh_from_db()
    assert (played.fitted_sequence, played.last_sequence) == (6, 7)
    after = dict(Entry.objects.values_list("pk", "rating"))
    monkeypatch.undo()
    refit_ladder(ladder=played)
    for pk, rating in Entry.objects.values_list("pk", "rating"):
        assert after[pk] == pytest.approx(rating, abs=40)
    assert Entry.objects.get(pk=entries[3].pk).matches == 4


def test_who_enters_while_it_is_computed_makes_it_stale(
    played: Ladder, make_version: MakeVersion, ana: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slowly(*question: object, **more: object) -> FitResult:
        enter_version(ladder=played, version=make_version(ana, "late"))
        return fit(*question, **more)

    fit = refitting.fit_ratings
    monkeypatch.setattr(refitting, "fit_ratings", slowly)
    refit_ladder(ladder=played)
    late = Entry.objects.get(version__bot__name="late")
    assert (late.rating, late.deviation, late.in_fit) == (1500, 300, None)
    played.refresh_from_db()
    assert played.is_stale


class TestSettling:
    @pytest.mark.parametrize(
        ("deviation", "matches", "opponents", "others", "settled"),
        [
            (60, 20, 8, 100, True),
            (60.1, 20, 8, 100, False),
            (50, 19, 8, 100, False),
            (50, 20, 7, 100, False),
            (50, 20, 3, 3, True),
            (50, 20, 2, 3, False),
        ],
    )
    def test_takes_certainty_matches_and_opponents(
        self, deviation: float, matches: int, opponents: int, others: int, settled: bool
    ) -> None:
        assert is_ranked(is_certain(deviation, 200), matches, opponents, others) is settled

    def test_brings_ranks_groups_and_a_place_in_the_history(
        self, ladder: Ladder, entries: list[Entry], finish: Finish
    ) -> None:
        for _ in range(20):
            finish([entries[0], entries[1]], WON, SHARED)
            finish([entries[0], entries[2]], WON, SHARED)
            finish([entries[1], entries[2]], WON, LOST)
        finish([entries[0], entries[3]], WON, WON)
        Entry.objects.filter(pk=entries[3].pk).update(state=Entry.State.SUSPENDED)
        append_finished_matches(ladder=ladder)
        refit_ladder(ladder=ladder)
        ranks = Entry.objects.order_by("pk").values_list("is_ranked", "rank_low", "rank_high", "group")
        assert list(ranks) == [(True, 1, 1, 1), (True, 2, 3, 2), (True, 2, 3, 2), (False, None, None, None)]
        points = RatingPoint.objects.order_by("entry").values_list("entry", "rank", "matches")
        assert [(rank, matches) for _, rank, matches in points] == [(1, 41), (2, 40), (3, 40)]

    def test_newcomers_take_no_rank_away(
        self, ladder: Ladder, entries: list[Entry], finish: Finish, make_version: MakeVersion
    ) -> None:
        for _ in range(15):
            for one, other in combinations(entries, 2):
                finish([one, other], WON, LOST)
        append_finished_matches(ladder=ladder)
        refit_ladder(ladder=ladder)
        assert set(Entry.objects.values_list("is_ranked", "matches")) == {(True, 45)}
        for number in range(9):
            owner = User.objects.create_user(f"newcomer{number}")
            enter_version(ladder=ladder, version=make_version(owner, f"Newcomer {number}"))
        veterans = Entry.objects.filter(pk__in=[entry.pk for entry in entries])
        finish(entries[:2], WON, LOST)
        append_finished_matches(ladder=ladder)
        refit_ladder(ladder=ladder)
        assert set(veterans.values_list("is_ranked", "opponents")) == {(True, 3)}
        recompute_ladder(ladder=ladder)
        assert veterans.filter(is_ranked=True, was_ranked=True).count() == 4
        assert not Entry.objects.exclude(pk__in=veterans).filter(is_ranked=True).exists()

    def test_a_new_season_gives_ranks_anew(self, ladder: Ladder, entries: list[Entry]) -> None:
        Entry.objects.update(is_ranked=True, was_ranked=True)
        following = close_season(ladder=ladder)
        assert set(following.entries.values_list("is_ranked", "was_ranked")) == {(False, False)}

    def test_of_a_day_the_last_fit_is_remembered(self, played: Ladder) -> None:
        refit_ladder(ladder=played)
        before = RatingPoint.objects.order_by("entry").first()
        Entry.objects.filter(pk=before.entry_id).update(is_anchor=True)
        Ladder.objects.update(is_stale=True, anchor_mean=2000)
        refit_ladder(ladder=played)
        assert RatingPoint.objects.count() == 4
        assert RatingPoint.objects.get(pk=before.pk).rating == pytest.approx(2000)


def test_only_the_latest_fits_are_kept(played: Ladder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(refitting, "MAX_FITS_KEPT", 2)
    for _ in range(4):
        Ladder.objects.update(is_stale=True)
        refit_ladder(ladder=played)
    assert Fit.objects.count() == 2


def test_the_command_leaves_what_stands(played: Ladder) -> None:
    refit_ladder(ladder=played)
    stands = list(Entry.objects.order_by("pk").values_list("rating", "deviation"))
    said = StringIO()
    call_command("recompute_ratings", stdout=said)
    assert said.getvalue() == "Battle Line, season 1: 6 lines\n"
    for found, known in zip(Entry.objects.order_by("pk").values_list("rating", "deviation"), stands, strict=True):
        assert found == pytest.approx(known, abs=1e-6)


def test_a_ladder_from_before_there_were_books_gets_them(played: Ladder, django_assert_num_queries) -> None:
    stands = list(Entry.objects.order_by("pk").values())
    played.pair_stats.all().delete()
    Entry.objects.update(opponents=0, rating=1516, last_match=None)
    build_missing_pair_totals()
    assert list(Entry.objects.order_by("pk").values()) == stands
    assert played.pair_stats.count() == 6
    with django_assert_num_queries(1):
        build_missing_pair_totals()


# Results that the ratings can't explain come before staff, and may be taken back.

pytestmark = pytest.mark.django_db


def met(low: Entry, high: Entry, matches: int, won: int, seats: int = 2) -> None:
    PairStat.objects.create(
        ladder=low.ladder, low=low, high=high, seats=seats, matches=matches, halves=won, squares=won * won
    )


@pytest.fixture
def fed(entries: list[Entry]) -> Entry:
    """Meets all others at their level, and won each of thirty matches against the second."""
    first, second, third, _ = entries
    met(first, second, 30, 120)
    met(first, third, 30, 64)
    return first


def test_who_wins_too_much_of_one_owner_is_found_from_both_sides(ladder: Ladder, fed: Entry) -> None:
    found = {
        (row.entry.version.bot.name, row.opponent.username): row for row in update_collusion_reports(ladder=ladder)
    }
    assert set(found) == {("one's", "two"), ("two's", "one")}
    assert found["one's", "two"].matches == 30 and found["one's", "two"].z == -found["two's", "one"].z > 7


def test_all_bots_of_one_owner_are_looked_at_together(
    ladder: Ladder, entries: list[Entry], make_version: MakeVersion
) -> None:
    first, second, *_ = entries
    owner = second.version.bot.owner
    for number in range(1, 3):
        other = enter_version(ladder=ladder, version=make_version(owner, f"Feeder {number}"))
        met(first, other, 10, 38)
    assert [row.opponent for row in update_collusion_reports(ladder=ladder) if row.entry == first] == [owner]
    assert len(update_collusion_reports(ladder=ladder)) == 1


def test_few_matches_say_nothing_and_the_house_is_nobodys_friend(
    ladder: Ladder, entries: list[Entry], house: User, make_version: MakeVersion
) -> None:
    first, second, *_ = entries
    met(first, second, 19, 76)
    met(first, enter_version(ladder=ladder, version=make_version(house, "random")), 300, 1200)
    assert update_collusion_reports(ladder=ladder) == []


def test_a_rating_that_explains_the_results_clears_them(ladder: Ladder, fed: Entry) -> None:
    assert update_collusion_reports(ladder=ladder)
    Entry.objects.filter(pk=fed.pk).update(rating=3500.0)
    Entry.objects.filter(version__bot__name="three's").update(rating=3500.0)
    assert update_collusion_reports(ladder=ladder) == [] and not CollusionReport.objects.exists()


def test_what_was_dismissed_stays_so(ladder: Ladder, fed: Entry) -> None:
    assert dismiss_reports(reports=update_collusion_reports(ladder=ladder)) == 2
    PairStat.objects.filter(low=fed, halves=120).update(matches=60, halves=240)
    assert update_collusion_reports(ladder=ladder) == []
    assert set(CollusionReport.objects.values_list("matches", flat=True)) >= {60}
    assert not CollusionReport.objects.filter(dismissed_at=None).exists()


@pytest.fixture
def counted(ladder: Ladder, entries: list[Entry], finish: Finish) -> list[LadderMatch]:
    """The first beats the second in two matches and in three it meets others."""
    first, second, third, fourth = entries
    pairs = [(first, second), (first, third), (second, first), (third, fourth), (second, third)]
    rows = [finish(pair, [1, 2], [1, 2]) for pair in pairs]
    append_finished_matches(ladder=ladder)
    return rows


def test_just_the_matches_of_both_are_made_void(
    ladder: Ladder, entries: list[Entry], counted: list[LadderMatch]
) -> None:
    first, second, *_ = entries
    report = CollusionReport.objects.create(entry=first, opponent=second.version.bot.owner, z=5, matches=2)
    assert list(list_reported_matches(report)) == [counted[0], counted[2]]
    assert revoke_reported_matches(report=report) == 2
    assert set(LadderMatch.objects.filter(void_sequence=None)) == {counted[1], counted[3], counted[4]}
    assert not CollusionReport.objects.exists()
    assert (
        revoke_reported_matches(
            report=CollusionReport.objects.create(entry=first, opponent=report.opponent, z=5, matches=2)
        )
        == 0
    )


def test_staff_see_them_and_decide(
    ladder: Ladder, entries: list[Entry], counted: list[LadderMatch], client: Client
) -> None:
    first, second, third, _ = entries
    rows = [
        CollusionReport.objects.create(entry=first, opponent=other.version.bot.owner, z=5, matches=2)
        for other in (second, third)
    ]
    client.force_login(User.objects.create_superuser("root"))
    page = "/admin/ladders/collusionreport/"
    assert "one&#x27;s v1 on Battle Line" in client.get(page).content.decode()
    done = client.post(page, {"action": "cancel_reported_matches", "_selected_action": [rows[0].pk]}, follow=True)
    assert "2 matches no longer count" in done.content.decode()
    client.post(page, {"action": "dismiss_reports", "_selected_action": [rows[1].pk]})
    assert CollusionReport.objects.get().dismissed_at is not None
    assert LadderMatch.objects.filter(void_sequence=None).count() == 3


def test_who_may_only_look_decides_nothing(client: Client, fed: Entry, ladder: Ladder) -> None:
    update_collusion_reports(ladder=ladder)
    looker = User.objects.create_user("looker", is_staff=True)
    client.force_login(looker)
    assert client.get("/admin/ladders/collusionreport/").status_code == 403
    client.post("/admin/ladders/collusionreport/", {"action": "dismiss_reports", "_selected_action": [1]})
    assert CollusionReport.objects.filter(dismissed_at=None).count() == 2


def test_open_seasons_are_watched(ladder: Ladder, fed: Entry) -> None:
    watch_ladders()
    assert CollusionReport.objects.count() == 2
