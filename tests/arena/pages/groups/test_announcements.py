"""What organisers announce reaches everyone it is for, by notice and mail, and nobody else."""

from dataclasses import replace
from datetime import timedelta
from html import unescape

from allauth.account.models import EmailAddress
from django.core import mail
from django.utils.timezone import now
from pytest_django.fixtures import Settings

from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.access import Access
from arena.contests.tournaments.services.entering import enter, withdraw
from arena.contests.tournaments.services.organising import TournamentPlan, build_plan, create, edit, open_entries
from arena.core.environment import read_mail_url
from arena.operations.upkeep import mail_notices
from arena.people.accounts.limits import MAX_ANNOUNCEMENTS
from arena.people.accounts.models import User
from arena.people.groups.models import Group
from arena.people.groups.services import join_group, remove_member
from arena.people.notices.models import Notice
from tests.arena.core.test_mail import mail_server
from tests.conftest import MakeVersion

PAGE = "/groups/class-10b/announcements/"
ROOM = "We meet in room 5.\nSee https://example.org/room?a=1&b=2. <b>Bring</b> laptops"


def confirm(user: User) -> None:
    EmailAddress.objects.create(user=user, email=f"{user.username}@example.org", verified=True, primary=True)


def texts(user: User) -> list[str]:
    return [str(one.text) for one in Notice.objects.filter(user=user, event="announcement")]


def make_cup(teacher: User, **more: object) -> Tournament:
    closes_at = now() + timedelta(days=2)
    plan = TournamentPlan(title="Cup", game="battleline", edition="standard", entries_close_at=closes_at, **more)
    return open_entries(tournament=create(organiser=teacher, plan=plan), organiser=teacher)


def move(cup: Tournament, teacher: User, hours: int) -> None:
    cup.refresh_from_db()
    plan = replace(build_plan(cup), entries_close_at=now() + timedelta(hours=hours))
    edit(tournament=cup, organiser=teacher, plan=plan)


def test_members_get_a_notice_and_who_joins_later_reads_the_list(reader, group: Group, teacher: User, ben, eva):
    sent = reader(teacher).post(PAGE, {"text": ROOM}, follow=True)
    assert sent.redirect_chain == [(PAGE, 302)] and "The announcement is on its way." in sent.text
    assert texts(ben) == [f"Class 10.b: {ROOM}"] and texts(teacher) == []
    join_group(group=group, user=eva, real_name="")
    page = reader(eva).get("/groups/class-10b/")
    assert '<a href="https://example.org/room?a=1&amp;b=2" rel="nofollow noopener">' in page.text
    assert "&lt;b&gt;Bring" in page.text and "<b>Bring" not in page.text and texts(eva) == []
    assert page["Cache-Control"] == "private, no-store"
    assert "New announcement" not in reader(eva).get(PAGE).text


def test_only_organisers_announce_and_only_members_read(reader, group: Group, ben: User, eva: User):
    assert reader(ben).post(PAGE, {"text": "Hi"}).status_code == 403
    assert reader(eva).get(PAGE).status_code == reader(eva).post(PAGE, {"text": "Hi"}).status_code == 404
    assert not Notice.objects.filter(event="announcement").exists()


def test_what_is_wrong_is_said_and_nothing_typed_is_lost(reader, group: Group, teacher: User):
    client = reader(teacher)
    long = client.post(PAGE, {"text": "x" * 1001})
    assert long.status_code == 400 and "x" * 1001 in long.text
    for _number in range(MAX_ANNOUNCEMENTS):
        assert client.post(PAGE, {"text": "Hello"}).status_code == 302
    # Deleting them gives none back.
    for one in group.announcements.all():
        client.post(f"{PAGE}{one.pk}/delete/")
    more = client.post(PAGE, {"text": "Once more"})
    assert more.status_code == 400 and "Once more" in more.text
    assert "You've sent many announcements lately" in unescape(more.text)


def test_a_deleted_announcement_takes_its_notices_and_unsent_mails_along(reader, group: Group, teacher: User, ben):
    confirm(ben)
    client = reader(teacher)
    client.post(PAGE, {"text": "A mistake"})
    address = f"{PAGE}{group.announcements.get().pk}/delete/"
    assert reader(ben).post(address).status_code == 403
    client.post(address)
    assert mail_notices() == 0 and mail.outbox == [] and texts(ben) == []
    assert "A mistake" not in client.get(PAGE).text + client.get("/groups/class-10b/").text


def test_mail_goes_once_to_confirmed_addresses_of_those_who_want_it(
    reader, group: Group, teacher: User, ben: User, eva: User, settings: Settings
):
    cleo = User.objects.create_user("cleo", email="cleo@example.org")
    for user in (eva, cleo):
        join_group(group=group, user=user, real_name="")
    for user in (ben, eva):
        confirm(user)
    EmailAddress.objects.create(user=cleo, email="cleo@example.org", verified=False, primary=True)
    assert reader(eva).post("/following/", {"timing": "at_once"}).status_code == 302
    reader(teacher).post(PAGE, {"text": ROOM})
    with mail_server(None) as (inbox, port):
        for name, value in read_mail_url(f"smtp://localhost:{port}").items():
            setattr(settings, name, value)
        assert mail_notices() == 1 and mail_notices() == 0
        assert inbox.received == ["ben@example.org"]
        assert ROOM in inbox.read("ben@example.org").replace("\r\n", "\n")
        assert inbox.letters["ben@example.org"]["Subject"] == "[Pennant] Announcement: Class 10.b"


def test_a_refused_address_stops_no_other_mail_and_a_dead_server_only_delays(
    reader, group: Group, teacher: User, ben: User, eva: User, settings: Settings
):
    join_group(group=group, user=eva, real_name="")
    for user in (ben, eva):
        confirm(user)
    reader(teacher).post(PAGE, {"text": "Hello"})
    with mail_server(None) as (inbox, port):
        inbox.refused = {"ben@example.org"}
        for name, value in read_mail_url(f"smtp://localhost:{port}").items():
            setattr(settings, name, value)
        settings.EMAIL_PORT = 1
        assert mail_notices() == 0 and inbox.received == []
        settings.EMAIL_PORT = port
        assert mail_notices() == 1 and inbox.received == ["eva@example.org"]
    assert not Notice.objects.exclude(mail_due_at=None).exists()


def test_authors_in_a_tournament_read_what_the_world_does_not(
    reader, teacher: User, ben, eva, make_version: MakeVersion
):
    cup = make_cup(teacher)
    entrant = enter(tournament=cup, bot=make_version(ben, "Heron").bot, user=ben)
    address = f"{cup.get_absolute_url()}announcements/"
    assert reader(teacher).post(address, {"text": "Room 5"}).status_code == 302
    assert texts(ben) == ["Cup: Room 5"] and texts(eva) == []
    assert "Room 5" in reader(ben).get(cup.get_absolute_url()).text and "Room 5" in reader(ben).get(address).text
    for other in (eva, None):
        assert "Room 5" not in reader(other).get(cup.get_absolute_url()).text
    assert reader(eva).get(address).status_code == 404
    withdraw(entrant=entrant, user=ben, reason="")
    assert "Room 5" not in reader(ben).get(cup.get_absolute_url()).text


def test_a_changed_deadline_is_told_to_authors_and_members_with_both_times(
    reader, group: Group, teacher: User, ben: User, eva: User
):
    access = Access(group=group, visibility="group", entry_rule="group")
    cup = make_cup(teacher, access=access)
    User.objects.filter(pk=ben.pk).update(time_zone="Asia/Tokyo")
    move(cup, teacher, 60)
    (text,) = texts(ben)
    assert text.startswith("Cup: The deadline has moved from ") and text.count("JST") == 2
    move(cup, teacher, 70)
    assert len(texts(ben)) == 1, "who hasn't read the first news gets the last alone"
    page = reader(ben).get(cup.get_absolute_url()).text
    assert page.count("The deadline has moved from") == 1
    join_group(group=group, user=eva, real_name="")
    assert "The deadline has moved from" in reader(eva).get(cup.get_absolute_url()).text
    remove_member(member=group.memberships.get(user=eva), by=teacher)
    assert reader(eva).get(f"{cup.get_absolute_url()}announcements/").status_code == 404


def test_a_deadline_that_moves_often_is_mailed_five_times_an_hour(group: Group, teacher: User, ben: User):
    confirm(ben)
    cup = make_cup(teacher, access=Access(group=group, visibility="group", entry_rule="group"))
    for hours in range(MAX_ANNOUNCEMENTS + 2):
        move(cup, teacher, 60 + hours)
        mail_notices()
    assert len(mail.outbox) == MAX_ANNOUNCEMENTS and len(texts(ben)) == 1


def test_nobody_is_told_of_a_draft(group: Group, teacher: User, ben: User):
    plan = TournamentPlan(title="Cup", game="battleline", edition="standard", access=Access(group, "group", "group"))
    cup = create(organiser=teacher, plan=plan)
    move(cup, teacher, 60)
    assert texts(ben) == []
