"""How a tournament ended, as its page and those of its bots tell it."""

import pytest
from django.test import Client

from arena.bots.models import Bot
from arena.pages.tournaments.ending import find_decision
from arena.tournaments.models import PairingMatch, Tournament
from arena.tournaments.queries.overview import fetch_matches, fetch_overview
from arena.tournaments.queries.tournaments import list_podium_places
from arena.tournaments.settings import Settings
from tests.arena.tournaments.world import begin, make_bots, make_tournament, play_out

pytestmark = pytest.mark.django_db
KNOCKOUT = Settings(format="single-elimination")


def decide_on(tournament: Tournament) -> int | None:
    overview = fetch_overview(tournament)
    fetch_matches(overview)
    decision = find_decision(overview)
    return decision.match if decision else None


def test_a_knockout_is_decided_by_its_final() -> None:
    tournament = play_out(begin(make_bots(4), KNOCKOUT))
    final = PairingMatch.objects.filter(counts=True).order_by("-pairing__round__number").first()
    assert final is not None and decide_on(tournament) == final.match_id


def test_without_a_final_the_last_match_of_the_winner_decided() -> None:
    tournament = play_out(begin(make_bots(3), Settings(format="round-robin")))
    last = PairingMatch.objects.filter(pairing__seats__entrant__number=1).order_by("-pairing__round__number").first()
    assert last is not None and decide_on(tournament) == last.match_id


def test_the_page_leads_with_the_winner_once_there_is_one(client: Client) -> None:
    bots = make_bots(4)
    page = client.get(begin(bots, KNOCKOUT, title="Spring Cup").get_absolute_url()).content.decode()
    assert "wins Spring Cup" not in page
    page = client.get(play_out(begin(bots, KNOCKOUT)).get_absolute_url()).content.decode()
    assert page.index("Bot 1 wins Autumn Cup") < page.index("Winner") < page.index("Standings")


def test_a_bot_has_a_shelf_of_titles(client: Client) -> None:
    bots = make_bots(4)
    for title in ("Autumn Cup", "Winter Cup"):
        play_out(begin(bots, KNOCKOUT, title=title))
    begin(bots, KNOCKOUT, title="Spring Cup")
    make_tournament(bots, title="Summer Cup")
    winner, second, third, fourth = (Bot.objects.get(slug=f"bot-{number}") for number in range(1, 5))
    assert [(one.place, one.tournament.title) for one in list_podium_places(winner, 6)] == [
        (1, "Winter Cup"),
        (1, "Autumn Cup"),
    ]
    assert [one.place for bot in (second, third, fourth) for one in list_podium_places(bot, 1)] == [2, 3, 3]
    assert list_podium_places(winner, 1)[0].field_size == 4
    shelf = client.get(winner.get_absolute_url()).context["titles"]
    assert [one.tournament.title for one in shelf] == ["Winter Cup", "Autumn Cup"]
