"""Tournaments of two phases, as their pages show them."""

import csv

import pytest
from django.test import Client

from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.entering import disqualify
from arena.contests.tournaments.settings import Settings
from tests.arena.contests.tournaments.world import begin, make_bots, make_tournament, play_out, play_round

pytestmark = pytest.mark.django_db
CUP = Settings(format="swiss-knockout", rounds=2, knockout_size=4, third_place_match=True)


def show(client: Client, tournament: Tournament, page: str = "") -> str:
    return client.get(f"{tournament.get_absolute_url()}{page}").content.decode()


def test_the_number_of_rounds_is_public_before_the_start(client: Client) -> None:
    tournament = make_tournament(make_bots(5), CUP)
    page = show(client, tournament)
    assert "2 + 2<small>with 5 bots</small>" in page
    assert "The best 4 bots in the Swiss phase advance to the knockout." in page
    assert "The losers of the semi-finals meet for third place." in page


def test_phases_are_named_and_the_bracket_is_above_the_tables(client: Client) -> None:
    tournament = begin(make_bots(6), CUP)
    page = show(client, tournament)
    assert "1 of 4<small>Swiss</small>" in page and "Standings: Swiss" not in page
    assert "top 4 advance</span>" in page
    play_round(play_round(tournament))
    page = show(client, tournament)
    assert "3 of 4<small>Knockout: Semi-finals</small>" in page and "top 4 advance" not in page
    page = show(client, play_out(tournament))
    assert page.index(">Knockout</h2>") < page.index(">Standings</h2>") < page.index(">Standings: Swiss</h2>")
    for name in ("Winner", "Third place", "Semi-finals", "Swiss"):
        assert f"<td>{name}</td>" in page
    printed = show(client, tournament, "print/")
    assert "Round 2 · Swiss</h2>" in printed and "Round 4 · Knockout: Final</h2>" in printed
    assert "Third place: <a" in printed
    assert "Knockout: Final" in show(client, tournament, "rounds/4/")


def test_the_match_for_third_place_is_drawn_below_the_final(client: Client) -> None:
    page = show(client, play_out(begin(make_bots(4), Settings(format="single-elimination", third_place_match=True))))
    assert page.index(">Final</text>") < page.index(">Third place</text>")
    assert 'aria-label="Third place: Bot 3 beats Bot 4 1–0"' in page


def test_who_shares_third_place_is_on_the_podium(client: Client) -> None:
    bots = make_bots(4)
    shared = play_out(begin(bots, Settings(format="single-elimination"), title="Spring Cup"))
    decided = play_out(begin(bots, Settings(format="single-elimination", third_place_match=True)))
    places = [show(client, one, "projector/").count('class="step-') for one in (shared, decided)]
    assert places == [4, 3]


def test_tables_have_both_phases(client: Client) -> None:
    tournament = play_out(begin(make_bots(6), Settings(format="groups", advance_per_group=1)))
    rows = list(csv.DictReader(show(client, tournament, "standings.csv").removeprefix("\ufeff").splitlines()))
    names = ("place", "group", "first_phase_place", "knockout_reached")
    found = [tuple(row[name] for name in names) for row in rows]
    assert found[:2] == [("1", "A", "1", "1"), ("2", "B", "1", "2")]
    assert {row[1:] for row in found[2:4]} == {("A", "2", ""), ("B", "2", "")}, "their order may be by lot"
    document = client.get(f"{tournament.get_absolute_url()}tournament.json").json()
    assert document["format"] == "pennant-tournament-results/2"
    assert [(one["key"], one["rounds_over"], len(one["tables"])) for one in document["phases"]] == [
        ("groups", 3, 2),
        ("knockout", 1, 1),
    ]


def test_a_certificate_is_there_at_the_end(client: Client) -> None:
    bots = make_bots(4)
    tournament = begin(bots, Settings(format="single-elimination"))
    assert client.get(f"{tournament.get_absolute_url()}certificates/bot-1/").status_code == 404
    last = tournament.entrants.get(number=4)
    disqualify(entrant=last, organiser=tournament.organiser, reason="Told not to.")
    play_out(tournament)
    page = show(client, tournament, "certificates/bot-1/")
    assert "Certificate" in page and "Winner" in page and "of 4 bots" in page and "Pairings: 1 won" in page
    assert "3rd place" in show(client, tournament, "certificates/bot-3/")
    for nobody in ("bot-4", "bot-9"):
        assert client.get(f"{tournament.get_absolute_url()}certificates/{nobody}/").status_code == 404
    client.force_login(tournament.organiser)
    desk = show(client, tournament, "organise/")
    assert "certificates/bot-1/" in desk and "certificates/bot-4/" not in desk
