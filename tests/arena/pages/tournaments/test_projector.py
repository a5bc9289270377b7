"""The page for a projector, by what it is given."""

from typing import Any

import pytest
from django.test import Client

from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.access import Access
from arena.contests.tournaments.services.organising import cancel, close_entries, pause
from arena.contests.tournaments.services.playing import advance_tournament
from arena.contests.tournaments.settings import Settings
from arena.people.groups.models import format_code
from tests.arena.contests.tournaments.world import (
    begin,
    finish,
    make_bots,
    make_tournament,
    play_out,
    play_round,
    waiting,
)

pytestmark = pytest.mark.django_db


def look(tournament: Tournament, *, polled: bool = False) -> Any:
    headers = {"HX-Request": "true"} if polled else {}
    return Client().get(f"/tournaments/{tournament.slug}/projector/", headers=headers)


def test_it_follows_a_tournament_from_its_entries_to_the_podium() -> None:
    bots = make_bots(4)
    assert look(make_tournament(bots)).context["view"] == "before"
    tournament = begin(bots, Settings(format="round-robin"), title="Spring Cup")
    context = look(tournament).context
    assert context["view"] == "pairs" and [len(page) for page in context["pairing_pages"]] == [2]
    assert [place["standing"].number for place in context["standing_pages"][0]] == [1, 2, 3, 4], "by seed"
    first = waiting(tournament)[0]
    finish(first, [1, 2])
    advance_tournament(tournament=tournament)
    context = look(tournament, polled=True).context
    assert context["view"] == "live" and [pairing["is_over"] for pairing in context["pairing_pages"][0]] == [
        False,
        True,
    ]
    assert context["last_result"].endswith("1 : 0") and " beats " in context["last_result"]
    play_round(tournament)
    play_round(tournament)
    context = look(tournament).context
    assert context["over_rounds"] == 2
    play_out(tournament)
    answer = look(tournament)
    assert answer.context["view"] == "final" and answer.context["headline"] == "Bot 1 wins Spring Cup"
    assert [place["standing"].place for place in answer.context["podium"]] == [1, 2, 3]
    assert look(tournament, polled=True).status_code == 286, "it is asked for no more"


def test_movement_is_the_difference_of_places() -> None:
    tournament = begin(make_bots(4), Settings(format="round-robin"))
    play_round(tournament, lambda bots: [1] * len(bots))
    before = [place["entrant"].bot for place in look(tournament).context["standing_pages"][0]]
    last = before[-1]
    play_round(tournament, lambda bots: [1 if bot == last else 2 for bot in bots] if last in bots else [1] * len(bots))
    places = look(tournament).context["standing_pages"][0]
    assert [place["movement"] for place in places] == [
        before.index(place["entrant"].bot) - number for number, place in enumerate(places)
    ]
    assert (places[0]["entrant"].bot, places[0]["movement"], places[0]["movement_text"]) == (last, 3, "up 3")


def test_a_pause_and_a_cancellation_are_said_with_their_reasons() -> None:
    tournament = begin(make_bots(4), Settings(format="round-robin"))
    pause(tournament=tournament, organiser=tournament.organiser, reason="Fire drill.")
    tournament.refresh_from_db()
    assert look(tournament).context["meaning"] == "Fire drill."
    cancel(tournament=tournament, organiser=tournament.organiser, reason="The school burns.")
    tournament.refresh_from_db()
    context = look(tournament).context
    assert (context["view"], context["meaning"]) == ("cancelled", "The school burns.")


@pytest.mark.parametrize("settings", [Settings(format="single-elimination"), Settings(format="groups")])
def test_knockouts_are_shown_too(settings: Settings) -> None:
    tournament = begin(make_bots(8), settings)
    while tournament.state == Tournament.State.RUNNING:
        assert look(tournament).status_code == 200
        play_round(tournament)
    assert look(tournament).context["headline"] == "Bot 1 wins Autumn Cup"


def test_pages_of_pairings_and_standings_hold_all_of_them() -> None:
    tournament = begin(make_bots(26), Settings(rounds=2))
    context = look(tournament).context
    assert [len(page) for page in context["pairing_pages"]] == [8, 5]
    assert [len(page) for page in context["standing_pages"]] == [10, 10, 6]
    finish(waiting(tournament)[0], [1, 2])
    advance_tournament(tournament=tournament)
    assert [len(page) for page in look(tournament).context["pairing_pages"]] == [6, 6, 1]


def test_the_result_on_the_board_is_held_back_until_it_has_been_shown() -> None:
    tournament = begin(make_bots(4), Settings(format="round-robin"))
    match = finish(waiting(tournament)[0], [1, 2])
    advance_tournament(tournament=tournament)

    def ask(query: str) -> Any:
        address = f"/tournaments/{tournament.slug}/projector/{query}"
        return Client().get(address, headers={"HX-Request": "true"}).context

    held, told = ask(f"?held={match.pk}"), ask("?held=999999")
    assert [pairing["is_over"] for pairing in held["pairing_pages"][0]] == [False, False]
    assert held["last_result"] == "" and told["last_result"].endswith("1 : 0")
    assert [pairing["match"] for pairing in told["pairing_pages"][0]] == [None, match.pk]
    assert " beats " not in look(tournament).text, "the board begins with it"


def test_how_to_enter_is_shown_where_it_is_asked_for_and_the_code_to_organisers_alone() -> None:
    tournament = make_tournament(access=Access(entry_rule=Tournament.EntryRule.CODE))
    code, organiser = format_code(tournament.entry_code or ""), Client()
    organiser.force_login(tournament.organiser)
    address = f"/tournaments/{tournament.slug}/projector/"
    assert code and code in organiser.get(f"{address}?join=1").text
    guest = Client().get(f"{address}?join=1").text
    assert code not in guest and "/autumn-cup/enter/" in guest and 'class="qr"' in guest
    assert all(code not in client.get(address).text for client in (organiser, Client()))
    close_entries(tournament=tournament, organiser=tournament.organiser)
    assert code not in organiser.get(f"{address}?join=1").text


@pytest.mark.parametrize(
    ("settings", "titles"),
    [
        (
            Settings(format="single-elimination", third_place_match=True),
            [["Semi-finals", "Semi-finals"], ["Final", "Third place"]],
        ),
        (Settings(format="double-elimination"), [["Winners' final", "Losers' final"], ["Final"]]),
        (Settings(format="round-robin"), []),
    ],
)
def test_the_last_rounds_of_a_bracket_are_shown_at_the_end(settings: Settings, titles: list[list[str]]) -> None:
    context = look(play_out(begin(make_bots(6), settings))).context
    assert [[bout["title"] for bout in column] for column in context["bouts"]] == titles
    winners = (
        [side["entrant"].bot.name for side in context["bouts"][-1][0]["sides"] if side["won"]] if titles else ["Bot 1"]
    )
    assert winners == ["Bot 1"]
    assert context["played"]["bots"] == 6 and context["played"]["legs"] > 6 and context["played"]["faults"] == 0
