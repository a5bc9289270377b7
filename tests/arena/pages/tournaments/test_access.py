"""Pages of tournaments that are for a group, by link, by a code, or moderated."""

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission
from django.utils.timezone import now

from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.services.access import Access
from arena.contests.tournaments.services.entering import enter
from arena.contests.tournaments.services.organising import TournamentPlan, close_entries, create, open_entries
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.matches.models import Match
from arena.matches.remote.models import RemoteBot
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership, format_code
from tests.arena.contests.tournaments.world import begin, make_bots, make_organiser, make_remote_bot, play_out

FORM = {
    "title": "Cup",
    "description": "",
    "edition": "battleline/standard",
    "format": "swiss",
    "matches_per_pairing": "1",
    "scoring": "wins",
    "rounds": "",
    "max_tiebreak_matches": "2",
    "groups": "2",
    "advance_per_group": "2",
    "seats": "2",
    "max_entrants": "64",
    "max_entrants_per_author": "1",
    "series": "",
}


@pytest.fixture
def teacher(db: None) -> User:
    user = User.objects.create_user("teacher")
    user.user_permissions.add(Permission.objects.get(codename="add_tournament"))
    return User.objects.get(pk=user.pk)


@pytest.fixture
def group(teacher: User, ana: User) -> Group:
    made = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=made, user=teacher, role="owner")
    Membership.objects.create(group=made, user=ana)
    return made


def make(teacher: User, **access: object) -> Tournament:
    made = create(organiser=teacher, plan=TournamentPlan("Cup", "battleline", "standard", access=Access(**access)))  # type: ignore[arg-type]
    return open_entries(tournament=made, organiser=teacher)


def test_the_form_offers_ones_groups_and_stores_who_sees_it(reader, teacher: User, group: Group, ben: User):
    client = reader(teacher)
    page = client.get("/tournaments/new/?group=class-10b")
    assert page.context["form"].initial["visibility"] == "group"
    sent = FORM | {"group": "class-10b", "visibility": "group", "entry_rule": "code", "are_entries_moderated": "on"}
    answer = client.post("/tournaments/new/", sent)
    assert answer.status_code == 302, answer.context["form"].errors
    made = Tournament.objects.get()
    assert (made.group, made.visibility, made.entry_rule, made.are_entries_moderated) == (group, "group", "code", True)
    refused = client.post("/tournaments/new/", FORM | {"group": "", "visibility": "group", "entry_rule": "anyone"})
    assert refused.status_code == 400 and "Choose the group" in refused.text
    stranger = reader(ben)
    assert stranger.get("/tournaments/new/").status_code == 403


def test_others_find_no_page_of_it_and_members_get_no_cached_one(
    ask, teacher: User, group: Group, ana: User, ben: User
):
    tournament = make(teacher, group=group, visibility="group", entry_rule="group")
    for rest in ("", "enter/", "projector/", "print/", "standings.csv", "tournament.json"):
        assert ask(tournament, rest, ben).status_code == 404, rest
        page = ask(tournament, rest, ana)
        assert page.status_code == 200 and page["Cache-Control"] == "private, no-store", rest


def test_members_read_who_is_who_and_others_do_not(ask, reader, teacher: User, group: Group, ana: User, ben: User):
    Membership.objects.filter(user=ana).update(real_name="Anna Kisfaludy")
    (bot,) = make_bots(1, owner=ana)
    tournament = make(teacher, group=group)
    enter(tournament=tournament, bot=bot, user=ana)
    for who in (None, ben):
        assert "Kisfaludy" not in ask(tournament, "", who).text
    page = ask(tournament, "", teacher)
    assert "Anna Kisfaludy" in page.text and page["Cache-Control"] == "private, no-store"
    assert "Kisfaludy" in reader(teacher).get(f"/tournaments/{tournament.slug}/organise/").text
    assert "Kisfaludy" not in ask(tournament, "projector/", teacher).text


def test_a_link_is_enough_to_see_it_and_no_list_names_it(ask, reader, teacher: User, ben: User):
    tournament = make(teacher, visibility="link")
    page = ask(tournament)
    assert page.status_code == 200 and page["Cache-Control"] == "private, no-store"
    for who in (None, ben):
        for address in ("/tournaments/", "/", "/api/v1/tournaments/"):
            assert tournament.slug not in reader(who).get(address).text, address
    assert tournament.slug in reader(teacher).get("/tournaments/").text


def test_a_match_of_it_does_not_name_a_tournament_by_link(reader, teacher: User):
    tournament = begin(make_bots(2))
    match = Match.objects.get(pairing_match__pairing__round__tournament=tournament)
    assert tournament.title in reader(None).get(match.get_absolute_url()).text
    Tournament.objects.update(visibility="link")
    assert tournament.title not in reader(None).get(match.get_absolute_url()).text
    assert tournament.title in reader(tournament.organiser).get(match.get_absolute_url()).text


def test_the_code_is_typed_on_the_page_and_stays_off_the_projector(ask, text_of, reader, teacher: User, ana: User):
    tournament = make(teacher, entry_rule="code")
    code, page = format_code(tournament.entry_code or ""), f"/tournaments/{tournament.slug}/enter/"
    assert code in reader(teacher).get(f"/tournaments/{tournament.slug}/organise/").text
    for rest in ("", "projector/", "enter/", "print/"):
        assert code not in ask(tournament, rest, ana).text
    client = reader(ana)
    assert "Entry code" in client.get(page).text
    assert "isn't the tournament's code" in text_of(
        client.post(f"{page}code/", {"code": "0000-0000-0000"}, follow=True)
    )
    done = client.post(f"{page}code/", {"code": code.lower()}, follow=True)
    assert "You can now enter bots" in done.text and "Entry code" not in done.text


def test_organisers_approve_entries_and_publish(reader, teacher: User, group: Group, ana: User, ben: User):
    (bot,) = make_bots(1, owner=ana)
    tournament = make(teacher, group=group, visibility="group", are_entries_moderated=True)
    enter(tournament=tournament, bot=bot, user=ana)
    client, place = reader(teacher), f"/tournaments/{tournament.slug}"
    assert "Approve Bot 1" in client.get(f"{place}/organise/").text
    entrant = Entrant.objects.get()
    assert reader(ana).post(f"{place}/entrants/{entrant.pk}/approve/").status_code == 403
    assert "Bot 1 has been approved" in client.post(f"{place}/entrants/{entrant.pk}/approve/", follow=True).text
    assert reader(ben).get(f"{place}/").status_code == 404
    assert "The tournament is now public." in client.post(f"{place}/organise/publish/", follow=True).text
    assert reader(ben).get(f"{place}/").status_code == 200


def test_a_remote_bot_that_is_approved_is_ready_without_a_check(
    reader, text_of, teacher: User, group: Group, ana: User
):
    access = {"group": "class-10b", "visibility": "group", "entry_rule": "group", "are_entries_moderated": "on"}
    reader(teacher).post("/tournaments/new/", FORM | access | {"allows_remote": "on"})
    made = open_entries(tournament=Tournament.objects.get(), organiser=teacher)
    assert "A remote bot has no check" in reader(ana).get(f"/tournaments/{made.slug}/enter/").text
    enter(tournament=made, bot=make_remote_bot(owner=ana), user=ana)
    approve = f"/tournaments/{made.slug}/entrants/{Entrant.objects.get().pk}/approve/"
    approved = reader(teacher).post(approve, follow=True)
    assert "Far Away has been approved and is ready. Remote bots play no check match." in approved.text
    assert Entrant.objects.get().state == Entrant.State.READY
    assert "Far Away v1 Remote ana" in text_of(reader(teacher).get(f"/tournaments/{made.slug}/enter/"))


def test_a_remote_bot_is_marked_wherever_its_tournament_names_it(reader, text_of, group: Group, ana: User):
    teacher = make_organiser()
    Membership.objects.create(group=group, user=teacher, role=Membership.Role.CO_ORGANISER)
    rival = make_bots(1)[0]
    Membership.objects.create(group=group, user=rival.owner)
    access = Access(group, "group", "group")  # type: ignore[arg-type]
    plan = {"access": access, "allows_remote": True}
    made = begin([make_remote_bot(owner=ana), rival], Settings(format="round-robin"), **plan)
    client, place = reader(teacher), f"/tournaments/{made.slug}"
    assert "Far Away Remote" in text_of(client.get(f"{place}/projector/")), "while it is played"
    assert "Far Away v1 Remote" in text_of(client.get(f"{place}/organise/"))
    play_out(made)
    names = {"/": "Far Away Remote", "/projector/": "Far Away Remote", "/rounds/1/": "Far Away 1 Remote"}
    for page, name in names.items():
        text = text_of(client.get(f"{place}{page}"))
        assert name in text and "Bot 1 Remote" not in text, page


def test_organisers_let_remote_bots_in_and_see_who_is_missing(
    reader, teacher: User, group: Group, ana: User, ben: User
):
    client = reader(teacher)
    access = {"group": "class-10b", "visibility": "group", "entry_rule": "group"}
    public = {"group": "", "visibility": "public", "entry_rule": "anyone"}
    refused = client.post("/tournaments/new/", FORM | public | {"allows_remote": "on"})
    assert refused.status_code == 400 and "allows_remote" in refused.context["form"].errors
    assert client.post("/tournaments/new/", FORM | access | {"allows_remote": "on"}).status_code == 302
    made = open_entries(tournament=Tournament.objects.get(), organiser=teacher)
    Membership.objects.create(group=group, user=ben)
    for bot in (make_remote_bot(owner=ana), make_remote_bot("Beyond", owner=ben)):
        enter(tournament=made, bot=bot, user=bot.owner)
    assert "60 s a move and 10 minutes a leg" in reader(ana).get(f"/tournaments/{made.slug}/").text
    close_entries(tournament=made, organiser=teacher)
    advance_tournament(tournament=made)
    RemoteBot.objects.filter(bot__slug="beyond").update(seen_at=now() - timedelta(hours=1))
    attention = client.get(f"/tournaments/{made.slug}/organise/").context["attention"]
    told = {item.title: item.cause for item in attention}
    assert told["Far Away"].startswith("It's never been online") and told["Beyond"].startswith("Offline since")
    RemoteBot.objects.update(is_online=True, seen_at=now(), room=1)
    attention = client.get(f"/tournaments/{made.slug}/organise/").context["attention"]
    assert not {"Far Away", "Beyond"} & {item.title for item in attention}
