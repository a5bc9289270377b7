"""Results that the ratings can't explain come before staff, and may be taken back."""

import pytest
from django.test import Client

from arena.accounts.models import User
from arena.ladders.models import CollusionReport, Entry, Ladder, LadderMatch, PairStat
from arena.ladders.services.collusion import (
    dismiss_reports,
    list_reported_matches,
    revoke_reported_matches,
    update_collusion_reports,
)
from arena.ladders.services.entering import enter_version
from arena.ladders.services.ledger import append_finished_matches
from arena.tasks import watch_ladders
from tests.arena.ladders.conftest import Finish
from tests.conftest import MakeVersion

pytestmark = pytest.mark.django_db


def met(low: Entry, high: Entry, matches: int, won: int, seats: int = 2) -> None:
    PairStat.objects.create(
        ladder=low.ladder, low=low, high=high, seats=seats, matches=matches, halves=won, squares=won * won
    )


@pytest.fixture
def fed(entries: list[Entry]) -> Entry:
    """Meets all others at their level, and has won each of thirty matches against the second."""
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
    assert "2 matches count no longer" in done.content.decode()
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
