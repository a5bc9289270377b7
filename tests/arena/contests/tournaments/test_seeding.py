"""Seeds: by hand, by the places of another tournament, or by the ladder."""

import pytest
from django.test import Client

from arena.bots.models import Bot
from arena.bots.services import add_version
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.seasons import open_group_ladder
from arena.contests.tournaments.models import Entrant, Tournament
from arena.contests.tournaments.services.access import Access
from arena.contests.tournaments.services.organising import (
    close_entries,
    list_seed_sources,
    order_by_strength,
    order_seeds,
    set_seeds,
    take_seeds,
)
from arena.contests.tournaments.settings import Settings
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.people.groups.models import Group, Membership
from tests.arena.api.played import Script
from tests.arena.contests.tournaments.world import (
    begin,
    make_bots,
    make_organiser,
    make_tournament,
    pass_checks,
    play_out,
)
from tests.conftest import FIRST_LEGAL

pytestmark = pytest.mark.django_db


def seeded(tournament: Tournament) -> list[str]:
    return [one.bot.slug for one in order_by_strength(tournament, tournament.entrants.select_related("bot"))]


def rate(ladder: Ladder, bot: Bot, rating: float, *, is_ranked: bool = True, matches: int = 50) -> Entry:
    entry = enter_version(ladder=ladder, version=bot.versions.order_by("-number").first())
    assert entry is not None
    Entry.objects.filter(pk=entry.pk).update(rating=rating, is_ranked=is_ranked, matches=matches)
    return entry


def test_the_ladder_seeds_those_that_are_on_it(ladder: Ladder) -> None:
    bots = make_bots(4)
    rate(ladder, bots[1], 1500)
    rate(ladder, bots[2], 1900, is_ranked=False)
    rate(ladder, bots[3], 1700)
    assert seeded(make_tournament(bots)) == ["bot-4", "bot-2", "bot-3", "bot-1"]


def test_the_own_ladder_of_a_group_seeds_what_it_alone_sees(ladder: Ladder) -> None:
    organiser = make_organiser()
    group = Group.objects.create(name="Class 10.b", slug="class-10b")
    Membership.objects.create(group=group, user=organiser, role=Membership.Role.OWNER)
    bots = make_bots(3, owner=organiser)
    rate(ladder, bots[0], 1900)
    for_the_group = make_tournament(bots, access=Access(group=group, visibility=Tournament.Visibility.GROUP))
    assert seeded(for_the_group)[0] == "bot-1", "without a ladder of its own the public one counts"
    own = open_group_ladder(group=group, by=organiser, game="battleline", edition="standard")
    rate(own, bots[1], 1700)
    rate(own, bots[2], 1500)
    assert seeded(for_the_group) == ["bot-2", "bot-3", "bot-1"]
    for_everybody = make_tournament(bots, title="Open Cup", access=Access(group=group))
    assert seeded(for_everybody)[0] == "bot-1"
    assert {entrant.rating for entrant in order_by_strength(for_everybody, for_everybody.entrants.all())} == {
        1900,
        None,
    }


def test_a_version_uploaded_just_before_the_start_keeps_the_seed_of_its_bot(ladder: Ladder) -> None:
    first, second, third = make_bots(3)
    for bot, rating in ((first, 1900), (second, 1700), (third, 1500)):
        rate(ladder, bot, rating)
    tournament = make_tournament([third, second, first])
    add_version(bot=first, files={"bot.py": FIRST_LEGAL + b"# newer"}, state="accepted")
    rate(ladder, first, 1890, is_ranked=False, matches=0)
    assert seeded(tournament) == ["bot-1", "bot-2", "bot-3"]
    assert order_by_strength(tournament, tournament.entrants.all())[0].rating == 1890


def test_seeds_given_by_hand_come_first(ladder: Ladder) -> None:
    bots = make_bots(4)
    rate(ladder, bots[0], 1900)
    tournament = make_tournament(bots)
    keys = dict(tournament.entrants.values_list("bot__slug", "pk"))
    set_seeds(tournament=tournament, organiser=tournament.organiser, seeds={keys["bot-3"]: 1, keys["bot-2"]: 7})
    assert seeded(tournament) == ["bot-3", "bot-2", "bot-1", "bot-4"]
    close_entries(tournament=tournament, organiser=tournament.organiser)
    pass_checks(tournament)
    assert list(Entrant.objects.seeded().values_list("bot__slug", flat=True)) == seeded(tournament)
    with pytest.raises(Conflict, match="fixed once the first round is paired"):
        set_seeds(tournament=tournament, organiser=tournament.organiser, seeds={})


def test_what_is_no_order_is_refused_whole() -> None:
    bots = make_bots(3)
    tournament = make_tournament(bots)
    organiser, keys = tournament.organiser, list(tournament.entrants.values_list("pk", flat=True))
    set_seeds(tournament=tournament, organiser=organiser, seeds={keys[0]: 2})
    for seeds, sentence in (
        ({keys[1]: 1, keys[2]: 1}, "Seed 1 is used twice"),
        ({keys[1]: 2}, "Seed 2 is used twice"),
        ({keys[1]: 0}, "from 1"),
    ):
        with pytest.raises(ArenaError, match=sentence):
            set_seeds(tournament=tournament, organiser=organiser, seeds=seeds)
    with pytest.raises(ArenaError, match="bot-1 is named twice"):
        order_seeds(tournament=tournament, organiser=organiser, bots=["bot-1", "bot-1"])
    with pytest.raises(ArenaError, match="haven't entered: nobody"):
        order_seeds(tournament=tournament, organiser=organiser, bots=["bot-1", "nobody"])
    with pytest.raises(NotYours):
        order_seeds(tournament=tournament, organiser=bots[0].owner, bots=["bot-1"])
    assert list(tournament.entrants.order_by("pk").values_list("wanted_seed", flat=True)) == [2, None, None]


def test_places_of_another_tournament_become_seeds() -> None:
    bots = make_bots(5)
    before = play_out(begin(bots[1:4], Settings(format="round-robin"), title="Spring Cup"))
    tournament = make_tournament([bots[4], bots[3], bots[2], bots[1]])
    assert list_seed_sources(tournament, tournament.organiser) == [before]
    assert take_seeds(tournament=tournament, organiser=tournament.organiser, source="spring-cup") == 3
    assert seeded(tournament) == ["bot-2", "bot-3", "bot-4", "bot-5"]
    for source, sentence in (
        ("nowhere", "no finished tournament with the address nowhere"),
        (tournament.slug, "no finished"),
    ):
        with pytest.raises(ArenaError, match=sentence):
            take_seeds(tournament=tournament, organiser=tournament.organiser, source=source)
    strangers = make_tournament([bots[0]], title="Winter Cup")
    with pytest.raises(ArenaError, match="No bot from Spring Cup has entered here"):
        take_seeds(tournament=strangers, organiser=strangers.organiser, source="spring-cup")


def test_the_organiser_types_them_at_the_desk_and_everybody_reads_that(client: Client) -> None:
    bots = make_bots(3)
    tournament = make_tournament(bots)
    client.force_login(tournament.organiser)
    keys = dict(tournament.entrants.values_list("bot__slug", "pk"))
    address = f"/tournaments/{tournament.slug}/organise/seeds/"
    assert "by hand" not in client.get(tournament.get_absolute_url()).content.decode()
    told = client.post(address, {f"seed-{keys['bot-3']}": "1", f"seed-{keys['bot-1']}": ""}, follow=True)
    assert "Seeds saved." in told.content.decode()
    assert seeded(tournament) == ["bot-3", "bot-1", "bot-2"]
    assert "The organiser set the seeds by hand." in client.get(tournament.get_absolute_url()).content.decode()
    told = client.post(address, {f"seed-{keys['bot-3']}": "first"}, follow=True)
    assert "Seeds must be whole numbers from 1." in told.content.decode()
    assert seeded(tournament) == ["bot-3", "bot-1", "bot-2"]
    told = client.post(address, follow=True)
    assert "Bots are seeded by strength." in told.content.decode()
    assert seeded(tournament) == ["bot-1", "bot-2", "bot-3"]


def test_a_script_orders_them() -> None:
    tournament = make_tournament(make_bots(3))
    script = Script(tournament.organiser)
    path = f"/tournaments/{tournament.slug}/seeds/"
    assert script.post(path, {"bots": ["bot-2", "bot-3"]}).status_code == 200
    assert seeded(tournament) == ["bot-2", "bot-3", "bot-1"]
    assert script.post(path, {"bots": []}).status_code == 200
    assert seeded(tournament) == ["bot-1", "bot-2", "bot-3"]
    for sent in ({}, {"bots": ["bot-2"], "places_in": "spring-cup"}, {"places_in": "nowhere"}):
        assert script.post(path, sent).status_code in (400, 409)
