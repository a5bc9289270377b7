"""Real names beside user names on the pages of a group's tournament: for its members, and nobody else."""

import pytest
from django.test import Client

from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.access import Access
from arena.contests.tournaments.settings import Settings
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership
from tests.arena.contests.tournaments.world import begin, make_bots, make_organiser, play_out, play_round
from tests.full import is_full_run

PAGES = ("", "rounds/1/", "print/")
"""By default all of them are read of the last format alone, and the first of the others."""
SETTINGS = (
    Settings(format="single-elimination"),
    Settings(format="double-elimination"),
    Settings(format="round-robin"),
    Settings(format="groups", groups=2, advance_per_group=1),
)


@pytest.fixture
def group(ana: User) -> Group:
    """Ana's class, in which those who enter their bots are, and Ben isn't."""
    made = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=made, user=make_organiser(), role="owner", real_name="Olga Kisfaludy")
    Membership.objects.create(group=made, user=ana)
    return made


def start(group: Group, settings: Settings | None = None) -> Tournament:
    bots = make_bots(4)
    for bot in bots[1:]:
        Membership.objects.create(group=group, user=bot.owner, real_name=f"Kisfaludy {bot.name[-1]}")
    return begin(bots, settings, access=Access(group=group))


@pytest.mark.parametrize("settings", SETTINGS, ids=lambda settings: settings.format)
def test_members_read_them_and_others_never_do_though_pages_are_kept(
    reader, group: Group, ana: User, ben: User, settings: Settings
):
    tournament = play_round(start(group, settings))
    for rest in PAGES if is_full_run() or settings == SETTINGS[-1] else PAGES[:1]:
        address = f"{tournament.get_absolute_url()}{rest}"
        for who in (ana, ben, None, ana):  # nothing is forgotten in between
            page = reader(who).get(address)
            assert page.status_code == 200
            assert ("Kisfaludy" in page.text) == (who == ana), (rest, who)
            assert (page.get("Cache-Control") == "private, no-store") == (who == ana), (rest, who)


def test_both_names_stand_in_a_table_and_one_where_there_is_no_room(reader, text_of, group: Group, ana: User):
    tournament = start(group, Settings(format="round-robin"))
    page = text_of(reader(ana).get(tournament.get_absolute_url()))
    assert "Kisfaludy 2 (author2)" in page and "author1 (" not in page
    assert "Bot 2 Kisfaludy 2 " in page, "in the crosstable"
    printed = text_of(reader(ana).get(f"{tournament.get_absolute_url()}print/"))
    assert "Kisfaludy 2 (author2)" in printed


def test_members_read_whose_tournament_it_is(reader, group: Group, ana: User, ben: User):
    tournament = start(group)
    for who in (ana, ben):
        page = reader(who).get(tournament.get_absolute_url())
        assert ("Class 10.b" in page.text) == (who == ana)


def test_a_new_name_shows_at_once(reader, group: Group, ana: User):
    tournament = start(group)
    address = tournament.get_absolute_url()
    assert "Kisfaludy 2" in reader(ana).get(address).text
    Membership.objects.filter(real_name="Kisfaludy 2").update(real_name="Nagy 2")
    page = reader(ana).get(address).text
    assert "Nagy 2" in page and "Kisfaludy 2" not in page


def test_a_certificate_has_both_names_for_members(reader, text_of, group: Group, ana: User, ben: User):
    tournament = play_out(start(group, Settings(format="round-robin")))
    address = f"{tournament.get_absolute_url()}certificates/bot-2/"
    shown = text_of(reader(ana).get(address))
    assert "by Kisfaludy 2 (author2)" in shown and "Olga Kisfaludy (olga), organiser" in shown
    other = text_of(reader(ben).get(address))
    assert "by author2" in other and "Kisfaludy" not in other


def test_the_desk_tells_an_organiser_of_the_group_who_is_who(reader, text_of, group: Group):
    tournament = start(group)
    organiser = reader(tournament.organiser)
    desk = text_of(organiser.get(f"{tournament.get_absolute_url()}organise/"))
    assert "Kisfaludy 2 (author2)" in desk
    staff = reader(make_organiser("sam"))
    assert "Kisfaludy" not in staff.get(f"{tournament.get_absolute_url()}organise/").text, "who isn't in the group"


def test_the_projector_shows_them_where_an_organiser_asks_for_it(reader, group: Group, ana: User, ben: User):
    tournament = start(group)
    address = f"{tournament.get_absolute_url()}projector/"
    organiser = reader(tournament.organiser)
    shown = organiser.get(f"{address}?names=1")
    assert "Kisfaludy 2" in shown.text and "author2" not in shown.text
    assert shown["Cache-Control"] == "private, no-store" and shown.context["poll_url"] == f"{address}?names=1"
    for client, query in ((organiser, ""), (reader(ana), "?names=1"), (reader(ben), "?names=1"), (Client(), "?names")):
        assert "Kisfaludy" not in client.get(f"{address}{query}").text
    Group.objects.update(hides_names=True)
    assert "Kisfaludy" not in organiser.get(f"{address}?names=1").text
    assert "Kisfaludy 2" in organiser.get(tournament.get_absolute_url()).text
    assert "Kisfaludy" not in reader(ana).get(tournament.get_absolute_url()).text


def test_files_to_take_away_keep_user_names(reader, group: Group, ana: User):
    tournament = play_out(start(group, Settings(format="round-robin")))
    client = reader(ana)
    for rest in ("standings.csv", "tournament.json"):
        text = client.get(f"{tournament.get_absolute_url()}{rest}").text
        assert "author2" in text and "Kisfaludy" not in text
    assert "Kisfaludy" not in client.get(f"/api/v1/tournaments/{tournament.slug}/standings/").text
