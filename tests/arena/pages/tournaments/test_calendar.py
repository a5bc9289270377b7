"""Calendars of tournaments: what they say, that changes are told, and who reads them."""

from dataclasses import replace
from datetime import timedelta

import pytest
from django.test import Client
from django.utils.timezone import now
from icalendar import Calendar, Event

from arena.bots.teams import issue_token
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.organising import build_plan, cancel, close_entries, edit, replay_rounds
from arena.contests.tournaments.services.organising import create as create_tournament
from arena.contests.tournaments.services.playing import advance_tournament
from arena.people.accounts.models import User
from arena.people.accounts.services import sign_calendar_key
from arena.people.groups.models import Group, Membership
from tests.arena.contests.tournaments.world import begin, make_bots, make_organiser, make_tournament, play_round

pytestmark = pytest.mark.django_db
DEADLINE = (now() + timedelta(days=3)).replace(second=0, microsecond=0)


@pytest.fixture
def group(ana: User) -> Group:
    """Of Ana alone."""
    group = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=group, user=ana, role="member")
    return group


def read(address: str, reader: Client | None = None) -> Calendar:
    answer = (reader or Client()).get(address)
    assert answer.status_code == 200 and answer["Content-Type"] == "text/calendar; charset=utf-8"
    assert all(len(line) <= 75 for line in answer.content.split(b"\r\n"))
    return Calendar.from_ical(answer.content)


def list_events(address: str, reader: Client | None = None) -> dict[str, Event]:
    """By the beginning of their UID."""
    events = read(address, reader).walk("VEVENT")
    found = {str(event["UID"]).rpartition("-")[0]: event for event in events}
    assert len(found) == len(events) and all(str(event["UID"]).endswith("@pennant") for event in events)
    return found


def own_address(user: User, query: str = "") -> str:
    user.refresh_from_db()
    return f"/calendar/{sign_calendar_key(user)}.ics{query}"


def titles(address: str) -> set[str]:
    return {str(event["SUMMARY"]) for event in read(address).walk("VEVENT")}


def set_deadline(tournament: Tournament, at) -> None:
    plan = replace(build_plan(tournament), entries_close_at=at)
    edit(tournament=tournament, organiser=tournament.organiser, plan=plan)


def test_a_changed_deadline_is_the_same_event_with_a_higher_sequence() -> None:
    tournament = make_tournament(title="Őszi kupa; a nagy, a hosszú nevű verseny", entries_close_at=DEADLINE)
    address = f"/tournaments/{tournament.slug}/calendar.ics"
    before = list_events(address)["entries"]
    assert before["SUMMARY"] == f"{tournament.title}: entries close"
    assert before["DTSTART"].dt == DEADLINE and before["DTSTART"].to_ical().endswith(b"Z") and "DTEND" not in before
    assert before["URL"] == f"http://testserver/tournaments/{tournament.slug}/"
    set_deadline(tournament, DEADLINE + timedelta(days=1))
    after = list_events(address)["entries"]
    assert after["UID"] == before["UID"] and after["DTSTART"].dt == DEADLINE + timedelta(days=1)
    assert after["SEQUENCE"] > before["SEQUENCE"] and after["LAST-MODIFIED"].dt >= before["LAST-MODIFIED"].dt
    cancel(tournament=tournament, organiser=tournament.organiser)
    assert list_events(address)["entries"]["STATUS"] == "CANCELLED"


def test_rounds_are_there_once_they_begin_and_end_when_they_end() -> None:
    tournament = begin(make_bots(4))
    address = f"/tournaments/{tournament.slug}/calendar.ics"
    first = list_events(address)["round-1"]
    assert first["SUMMARY"] == "Autumn Cup: round 1" and "DTEND" not in first
    play_round(tournament)
    events = list_events(address)
    assert events["round-1"]["DTEND"].dt >= events["round-1"]["DTSTART"].dt
    assert events["round-1"]["UID"] == first["UID"] and events["round-1"]["SEQUENCE"] > first["SEQUENCE"]
    replay_rounds(tournament=tournament, organiser=tournament.organiser, number=1, reason="Noise")
    advance_tournament(tournament=tournament)
    replayed = list_events(address)
    assert set(replayed) == {"entries", "round-1"} and "DTEND" not in replayed["round-1"]
    assert replayed["round-1"]["SEQUENCE"] > events["round-1"]["SEQUENCE"]


def test_a_public_calendar_may_be_kept_and_is_sent_once() -> None:
    tournament = make_tournament(entries_close_at=DEADLINE)
    address = f"/tournaments/{tournament.slug}/calendar.ics"
    answer = Client().get(address)
    assert "public" in answer["Cache-Control"] and answer["ETag"]
    assert Client().get(address, headers={"If-None-Match": answer["ETag"]}).status_code == 304
    Tournament.objects.filter(pk=tournament.pk).update(visibility="link")
    by_link = Client().get(address)
    assert by_link["Cache-Control"] == "private, no-store" and "ETag" not in by_link


def test_a_calendar_of_a_group_needs_the_link_of_a_member(group: Group, ana: User, ben: User) -> None:
    tournament = make_tournament(entries_close_at=DEADLINE, title="Class Cup")
    Tournament.objects.filter(pk=tournament.pk).update(group=group, visibility="group")
    address = f"/tournaments/{tournament.slug}/calendar.ics"
    assert Client().get(address).status_code == 404
    entries = {"Class Cup: entries close"}
    for query in ("", "?group=class-10b", f"?tournament={tournament.slug}"):
        answer = Client().get(own_address(ana, query))
        assert answer["Cache-Control"] == "private, no-store" and answer["X-Robots-Tag"] == "noindex"
        assert titles(own_address(ana, query)) == entries
    assert titles(own_address(ben)) == set()
    for query in ("?group=class-10b", f"?tournament={tournament.slug}"):
        assert Client().get(own_address(ben, query)).status_code == 404
    Membership.objects.filter(group=group, user=ana).delete()
    assert titles(own_address(ana)) == set()
    assert Client().get(own_address(ana, "?group=class-10b")).status_code == 404


def test_the_own_calendar_has_what_one_organises_has_entered_or_has_in_a_group(
    group: Group, ana: User, ben: User
) -> None:
    entered = make_tournament(make_bots(1, ana), title="Entered", entries_close_at=DEADLINE)
    make_tournament(title="Others'", entries_close_at=DEADLINE)
    of_group = make_tournament(title="Group's", entries_close_at=DEADLINE)
    Tournament.objects.filter(pk=of_group.pk).update(group=group)
    plan = replace(build_plan(entered), title="Draft")
    draft = create_tournament(organiser=entered.organiser, plan=plan)
    Tournament.objects.filter(pk=draft.pk).update(group=group, visibility="group")
    assert titles(own_address(ana)) == {"Entered: entries close", "Group's: entries close"}
    assert titles(own_address(ana, "?group=class-10b")) == {"Group's: entries close"}
    assert len(titles(own_address(entered.organiser))) == 3
    assert Client().get(f"/tournaments/{draft.slug}/calendar.ics").status_code == 404


def test_a_renewed_link_and_one_of_a_banned_user_open_nothing(ana: User) -> None:
    old = own_address(ana)
    reader = Client()
    reader.force_login(ana)
    page = reader.get("/settings/calendar/")
    assert old in page.content.decode() and page["Cache-Control"] == "private, no-store"
    assert reader.post("/settings/calendar/").status_code == 302
    assert Client().get(old).status_code == 404 and Client().get(own_address(ana)).status_code == 200
    forged = own_address(ana).replace(".ics", "x.ics")
    assert Client().get(forged).status_code == 404
    User.objects.filter(pk=ana.pk).update(is_banned=True)
    assert Client().get(own_address(ana)).status_code == 404


def test_pages_lead_to_the_calendar(group: Group, ana: User) -> None:
    tournament = make_tournament(entries_close_at=DEADLINE)
    page = f"/tournaments/{tournament.slug}/"
    assert f'href="{page}calendar.ics"' in Client().get(page).content.decode()
    Tournament.objects.filter(pk=tournament.pk).update(group=group, visibility="group")
    reader = Client()
    reader.force_login(ana)
    link = f"/settings/calendar/?tournament={tournament.slug}"
    assert f'href="{link}"' in reader.get(page).content.decode()
    assert own_address(ana, f"?tournament={tournament.slug}") in reader.get(link).content.decode()
    assert 'href="/settings/calendar/?group=class-10b"' in reader.get("/groups/class-10b/").content.decode()
    assert reader.get("/settings/calendar/?group=none").status_code == 404


def test_the_api_gives_and_renews_the_link(ana: User) -> None:
    token = {"Authorization": f"Bearer {issue_token(owner=ana, name='CI')[1]}"}
    answer = Client().get("/api/v1/calendar/", headers=token)
    assert answer.json() == {"url": f"http://testserver{own_address(ana)}"}
    assert answer["Cache-Control"] == "private, no-store"
    renewed = Client().post("/api/v1/calendar/renew/", headers=token).json()["url"]
    assert renewed != answer.json()["url"] and renewed == f"http://testserver{own_address(ana)}"
    assert Client().get("/api/v1/calendar/").status_code == 401


def test_a_closed_entry_stands_at_its_real_time() -> None:
    tournament = make_tournament(make_bots(2), entries_close_at=DEADLINE)
    close_entries(tournament=tournament, organiser=make_organiser())
    entries = list_events(f"/tournaments/{tournament.slug}/calendar.ics")["entries"]
    assert entries["DTSTART"].dt <= now()
