"""The organiser's desk: what needs attention, decisions, co-organisers and the record."""

from datetime import timedelta
from html import unescape

import pytest
from django.contrib.auth.models import Permission
from django.utils.timezone import now

from arena.contests.tournaments.models import OrganiserAct, OrganiserActKind, Pairing, Tournament
from arena.contests.tournaments.services.access import Access
from arena.contests.tournaments.services.organising import TournamentPlan, close_entries, create, open_entries
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.matches.models import Match, WorkerStatus
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from arena.people.groups.services import create_group
from arena.people.notices.models import Event, Notice
from tests.arena.contests.tournaments.world import (
    begin,
    make_bots,
    make_organiser,
    make_tournament,
    pass_checks,
    play_out,
    play_round,
    waiting,
)

DESK = "/tournaments/autumn-cup/organise/"
BOARD = "/tournaments/autumn-cup/rounds/1/boards/1/"


@pytest.fixture
def mari(db) -> User:
    return User.objects.create_user("mari")


@pytest.fixture
def worker(db) -> WorkerStatus:
    """One that takes matches."""
    return WorkerStatus.objects.create(worker="lab-1", seen_at=now(), level="A", sandbox="bwrap")


def titles(page) -> list[str]:
    return [item.title for item in page.context["attention"]]


def test_failed_checks_come_with_cause_author_and_log(reader, worker):
    bots = make_bots(3)
    tournament = make_tournament(bots)
    pass_checks(tournament, failing=[bots[1]])
    page = reader(tournament.organiser).get(DESK)
    (item,) = page.context["attention"]
    assert (item.title, item.author, str(item.chip.label)) == ("Bot 2, version 1", bots[1].owner, "crashed")
    assert item.cause.endswith("during its check. It ended.")
    assert [step.label for step in item.steps] == ["View check match", "Withdraw"]
    assert str(page.context["primary"].label) == "Close entries and start"
    assert page.context["condition"] == "2 bots are ready. 1 failed and won't play."


def test_the_desk_leads_to_the_group_only_for_its_members(reader, worker):
    group = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=group, user=make_organiser(), role="owner")
    tournament = make_tournament(make_bots(2), access=Access(group=group, visibility="link"))
    desk = f"{tournament.get_absolute_url()}organise/"
    outside = reader(make_organiser("otto")).get(desk)
    assert "Class 10.b" in outside.text and group.get_absolute_url() not in outside.text
    assert group.get_absolute_url() in reader(tournament.organiser).get(desk).text


def test_a_poll_gets_the_part_without_forms(reader, worker):
    tournament = make_tournament(make_bots(2))
    page = reader(tournament.organiser).get(DESK, headers={"HX-Request": "true"})
    assert page.status_code == 200 and b"csrfmiddlewaretoken" not in page.content
    again = reader(tournament.organiser).get(
        DESK, headers={"HX-Request": "true", "If-None-Match": page.headers["ETag"]}
    )
    assert again.status_code == 304


def test_no_worker_and_stuck_matches_are_told(reader, worker):
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2))
    late = waiting(tournament)[0]
    begun = now() - timedelta(hours=1)
    Match.objects.filter(pk=late.pk).update(state=Match.State.RUNNING, started_at=begun)
    assert len(titles(reader(tournament.organiser).get(DESK))) == 1
    WorkerStatus.objects.update(seen_at=now() - timedelta(minutes=5))
    page = reader(tournament.organiser).get(DESK)
    assert titles(page)[0] == "No machine is playing matches"
    assert len(page.context["pairings"]) == 2


def test_members_without_a_bot_are_named_and_reminded_once_an_hour(reader, worker, mari):
    olga = User.objects.create_superuser("olga")
    group = create_group(owner=olga, name="Class 9b")
    Membership.objects.create(group=group, user=mari)
    plan = TournamentPlan("Autumn Cup", "battleline", "standard", access=Access(group, "group", "group"))
    open_entries(tournament=create(organiser=olga, plan=plan), organiser=olga)
    page = reader(olga).get(DESK)
    (item,) = page.context["attention"]
    assert (item.title, item.cause) == ("1 author has no bot yet", "mari")
    for told in (1, 0):
        page = reader(olga).post(f"{DESK}remind/", follow=True)
        assert ("1 author reminded." in page.content.decode()) == bool(told)
    assert Notice.objects.filter(user=mari, event=Event.TOURNAMENT_REMINDER).count() == 1


def test_pairings_are_decided_and_taken_back_on_the_desk(reader, worker):
    tournament = begin(make_bots(4), Settings(format="swiss", rounds=2))
    pairing = Pairing.objects.get(round__tournament=tournament, board=1)
    winner = pairing.seats.get(index=0).entrant.bot
    sent = {"outcome": f"win:{winner.slug}", "reason": "The other machine burnt."}
    assert (
        "Give a reason"
        in reader(tournament.organiser).post(f"{BOARD}decide/", sent | {"reason": " "}, follow=True).content.decode()
    )
    page = reader(tournament.organiser).post(f"{BOARD}decide/", sent, follow=True)
    assert "Board 1 is decided." in page.content.decode()
    pairing.refresh_from_db()
    assert pairing.given_points == [1.0, 0.0]
    for place in ("", "rounds/1/", "decisions/", "print/"):
        assert "The other machine burnt." in reader(None).get(f"/tournaments/autumn-cup/{place}").content.decode()
    reader(tournament.organiser).post(f"{BOARD}undo/", {"reason": ""})
    pairing.refresh_from_db()
    assert pairing.given_points is None and not pairing.is_over


def test_bracket_and_standings_mark_a_decided_pairing(reader, worker):
    tournament = begin(make_bots(2), Settings(format="single-elimination"))
    winner = Pairing.objects.get(round__tournament=tournament, board=1).seats.get(index=1).entrant.bot
    reader(tournament.organiser).post(f"{BOARD}decide/", {"outcome": f"win:{winner.slug}", "reason": "It rains."})
    advance_tournament(tournament=tournament)
    text = reader(None).get("/tournaments/autumn-cup/").content.decode()
    assert f"An organiser decided: {winner.name} advances," in text and "1 pairing decided by an organiser" in text
    csv = reader(None).get("/tournaments/autumn-cup/standings.csv").content.decode("utf-8-sig").splitlines()
    assert csv[0].endswith(",decided_by_organiser") and csv[1].endswith(",1")


def test_co_organisers_do_all_but_delete_and_choose_organisers(reader, worker, mari):
    tournament = make_tournament(make_bots(2))
    assert reader(mari).get(DESK).status_code == 403
    reader(tournament.organiser).post(f"{DESK}organisers/", {"username": "mari"})
    assert reader(mari).get(DESK).status_code == 200
    assert Notice.objects.filter(user=mari, url=DESK).count() == 1
    refused = reader(mari).post(f"{DESK}organisers/", {"username": "author1"}, follow=True).content.decode()
    assert "Only the tournament's creator" in unescape(refused)
    reader(mari).post("/tournaments/autumn-cup/cancel/", {"reason": "Fire alarm."})
    reader(mari).post("/tournaments/autumn-cup/delete/")
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.CANCELLED
    reader(mari).post(f"{DESK}organisers/remove/", {"username": "mari"})
    assert reader(mari).get(DESK).status_code == 403


def test_co_organiser_of_a_group_s_tournament_is_a_member(reader, worker, mari):
    olga = User.objects.create_superuser("olga")
    group = create_group(owner=olga, name="Class 9b")
    plan = TournamentPlan("Autumn Cup", "battleline", "standard", access=Access(group, "group", "group"))
    create(organiser=olga, plan=plan)
    refused = reader(olga).post(f"{DESK}organisers/", {"username": "mari"}, follow=True).content.decode()
    assert "isn&#x27;t one" in refused
    member = Membership.objects.create(group=group, user=mari)
    reader(olga).post(f"{DESK}organisers/", {"username": "mari"})
    assert reader(mari).get(DESK).status_code == 200
    member.delete()
    assert reader(mari).get(DESK).status_code == 404


def test_what_touches_no_result_is_for_organisers_alone(reader, worker):
    tournament = make_tournament(make_bots(2), title="Autumn Cup")
    close_entries(tournament=tournament, organiser=tournament.organiser)
    OrganiserAct.objects.create(tournament=tournament, act=OrganiserActKind.RENEW_CODE, text=None, is_public=False)
    address = "/tournaments/autumn-cup/decisions/"
    assert {act.act for act in reader(None).get(address).context["acts"]} == {
        OrganiserActKind.OPEN_ENTRIES,
        OrganiserActKind.CLOSE_ENTRIES,
    }
    assert OrganiserActKind.RENEW_CODE in {act.act for act in reader(tournament.organiser).get(address).context["acts"]}


def test_organisers_are_told_of_failed_checks_pauses_and_the_end(reader, worker, mari):
    bots = make_bots(3)
    tournament = make_tournament(bots)
    tournament.co_organisers.add(mari)
    pass_checks(tournament, failing=[bots[0]])
    reader(tournament.organiser).post("/tournaments/autumn-cup/start/")
    reader(tournament.organiser).post("/tournaments/autumn-cup/pause/", {"reason": "Lunch."})
    told = [str(notice.text) for notice in Notice.objects.filter(user=mari).order_by("pk")]
    assert told[0].startswith("Bot 1") and "your tournament" in told[0]
    assert told[1] == "Autumn Cup is paused. Lunch."
    own = [str(notice.text) for notice in Notice.objects.filter(user=tournament.organiser)]
    assert not any("is paused" in text for text in own)


def test_permission_to_organise_is_not_needed_by_a_co_organiser(reader, worker, mari):
    assert not Permission.objects.filter(user=mari).exists()
    tournament = make_tournament()
    tournament.co_organisers.add(mari)
    assert "Autumn Cup" in reader(mari).get("/tournaments/").content.decode()


def test_finished_pairings_are_decided_and_rounds_drawn_before_say_so(reader, worker):
    tournament = play_round(begin(make_bots(4), Settings(format="single-elimination")))
    olga, pairing = reader(tournament.organiser), Pairing.objects.get(round__number=1, board=1)
    (loser,) = pairing.seats.filter(points=0)
    page = olga.get(f"{DESK}?decide=1")
    assert [row["number"] for row in page.context["pairings"]] == [1, 2]
    sent = {"outcome": f"win:{loser.entrant.bot.slug}", "reason": "The other read its hand."}
    page = olga.post(f"{BOARD}decide/", sent, follow=True)
    assert page.redirect_chain[-1][0] == f"{DESK}?decide=1#pairings"
    assert "Board 1 is decided." in page.content.decode()
    (row, _other) = page.context["pairings"]
    assert row["is_given"] and row["redraw"] == {"number": 2, "over": 0, "boards": 1}
    sentence = "Round 2 was paired before this decision."
    for place in ("rounds/1/", "print/"):
        assert sentence in reader(None).get(f"/tournaments/autumn-cup/{place}").content.decode()
    assert "The other read its hand." in reader(None).get("/tournaments/autumn-cup/rounds/1/").content.decode()
    (since,) = reader(None).get("/tournaments/autumn-cup/rounds/2/").context["since"]
    assert since["number"] == 1 and loser.entrant.bot.name in since["bots"]
    front = reader(None).get("/tournaments/autumn-cup/").content.decode()
    assert "paired before a decision about an earlier round" in front
    assert f"advances: the next round was paired before an organiser gave {loser.entrant.bot.name} the win" in front
    olga.post("/tournaments/autumn-cup/rounds/2/rerun/", {"reason": "Drawn again."})
    advance_tournament(tournament=tournament)
    assert Pairing.objects.filter(round__is_latest_attempt=True, round__number=2, seats__entrant=loser.entrant).exists()
    assert "Drawn again." in reader(None).get("/tournaments/autumn-cup/rounds/2/").content.decode()
    assert sentence not in reader(None).get("/tournaments/autumn-cup/rounds/1/").content.decode()


def test_winner_and_certificate_follow_a_decision_after_the_end(reader, worker):
    tournament = play_out(begin(make_bots(2), Settings(format="single-elimination")))
    second = tournament.entrants.get(place=2).bot
    sent = {"outcome": f"win:{second.slug}", "reason": "The other read its hand."}
    page = reader(tournament.organiser).post(f"{BOARD}decide/", sent, follow=True)
    assert "Board 1 is decided." in page.content.decode()
    (line,) = reader(None).get("/tournaments/").context["lines"]
    assert line["winner"] == second.name
    certificate = reader(None).get(f"/tournaments/autumn-cup/certificates/{second.slug}/")
    assert certificate.context["entrant"].place == 1
