"""Pages of tournaments that are for a group, by link, by a code, or moderated."""

import pytest
from django.contrib.auth.models import Permission

from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.services.access import Access
from arena.contests.tournaments.services.entering import enter
from arena.contests.tournaments.services.organising import TournamentPlan, create, open_entries
from arena.matches.models import Match
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership, format_code
from tests.arena.contests.tournaments.world import begin, make_bots

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
