"""Where else tournaments are named: the front page, the pages of bots and authors, and those of matches."""

import pytest
from django.test import Client

from arena.bots.models import Bot
from arena.contests.tournaments.services.entering import withdraw
from arena.contests.tournaments.services.organising import TournamentPlan, create
from arena.contests.tournaments.settings import Settings
from arena.matches.models import Match
from tests.arena.contests.tournaments.world import begin, make_bots, make_organiser, make_tournament, play_out, waiting

pytestmark = pytest.mark.django_db


def titles(client: Client, address: str) -> list[str]:
    return [line["tournament"].title for line in client.get(address).context["tournaments"]]


def test_tournaments_that_go_on_or_take_entries_are_named(client: Client) -> None:
    bots = make_bots(3)
    make_tournament(bots[:1], title="Open Cup")
    begin(bots[:2], Settings(format="round-robin"), title="Running Cup")
    play_out(begin(bots, Settings(format="round-robin"), title="Over Cup"))
    assert titles(client, "/") == ["Running Cup", "Open Cup"]
    for address in (bots[0].get_absolute_url(), "/authors/author1/"):
        assert titles(client, address) == ["Running Cup", "Open Cup"]
    assert titles(client, bots[1].get_absolute_url()) == titles(client, "/authors/author2/") == ["Running Cup"]
    assert titles(client, bots[2].get_absolute_url()) == []
    (entrant,) = bots[0].tournament_entries.filter(tournament__title="Open Cup")
    withdraw(entrant=entrant, user=bots[0].owner)
    assert titles(client, bots[0].get_absolute_url()) == ["Running Cup"]


def test_a_draft_is_named_nowhere(client: Client) -> None:
    create(organiser=make_organiser(), plan=TournamentPlan(title="Secret Cup", game="battleline", edition="standard"))
    assert titles(client, "/") == []


def test_a_match_names_its_tournament_and_round(client: Client) -> None:
    begin(make_bots(2), Settings(format="round-robin"))
    match = waiting(Bot.objects.get(slug="bot-1").tournament_entries.get().tournament)[0]
    page = client.get(match.get_absolute_url()).content.decode()
    assert '<a href="/tournaments/autumn-cup/">Autumn Cup</a>, <a href="/tournaments/autumn-cup/rounds/1/">' in page
    check = Match.objects.exclude(pk=match.pk).first()
    assert check is not None and "Autumn Cup" not in client.get(check.get_absolute_url()).content.decode()
