"""Faults of a tournament, on its page and in what is exported."""

import csv
import io

import pytest
from django.core.cache import cache
from django.test import Client

from arena.contests.tournaments.queries import list_faults, list_faulty_seats
from arena.contests.tournaments.services.organising import replay_rounds
from arena.contests.tournaments.settings import Settings
from arena.matches.models import LegSeat
from tests.arena.contests.tournaments.world import begin, finish, make_bots, waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def tournament():
    """In its first round, in which the second seed has crashed in one leg."""
    cache.clear()
    tournament = begin(make_bots(3), Settings(format="round-robin"))
    match = waiting(tournament)[0]
    finish(match, [1, 2])
    loser = match.participants.get(points=0.0)
    LegSeat.objects.filter(leg__match=match, leg__number=2, participant=loser).update(verdict="crash")
    return tournament


def test_a_fault_is_a_column_a_list_and_part_of_the_exports(tournament):
    (fault,) = list_faults(tournament)
    page = Client().get("/tournaments/autumn-cup/").text
    loser = tournament.entrants.get(number=fault.entrant).bot.name
    assert (fault.round, fault.leg, fault.verdict) == (1, 2, "crash")
    assert f"/matches/{fault.match}/?leg=2&amp;turn=last" in page and "1 leg" in page
    rows = csv.DictReader(
        io.StringIO(Client().get("/tournaments/autumn-cup/standings.csv").text.removeprefix("\ufeff"))
    )
    assert {row["bot"]: row["faults"] for row in rows}[loser] == "1"
    told = Client().get("/tournaments/autumn-cup/tournament.json").json()["faults"]
    assert told == [{"entrant": fault.entrant, "round": 1, "match": fault.match, "leg": 2, "verdict": "crash"}]


def test_faults_of_a_round_that_is_replayed_do_not_count(tournament):
    replay_rounds(tournament=tournament, organiser=tournament.organiser, number=1, reason="")
    assert list(list_faults(tournament)) == []


def test_without_faults_there_is_no_column(tournament):
    LegSeat.objects.update(verdict="ok")
    page = Client().get("/tournaments/autumn-cup/")
    assert 'id="faults"' not in page.text


def test_the_organiser_reads_the_cause_and_the_end_of_the_log_and_nobody_else(tournament):
    seat = LegSeat.objects.get(verdict="crash")
    seat.fault = {"message": "the bot exited with code 3", "sent": "SENT", "request": {"view": "CARDS"}}
    seat.stderr = "\n".join(f"line {number}" for number in range(1, 31))
    seat.save()
    assert [found.pk for found in list_faulty_seats(tournament, 5)] == [seat.pk]
    client = Client()
    client.force_login(tournament.organiser)
    desk = client.get("/tournaments/autumn-cup/organise/").text
    assert "The bot exited with code 3" in desk and "line 30" in desk
    assert "line 3\n" not in desk and "SENT" not in desk and "CARDS" not in desk
    stranger = Client()
    stranger.force_login(seat.participant.version.bot.owner)
    assert stranger.get("/tournaments/autumn-cup/organise/").status_code == 403
    for client in (Client(), stranger):
        page = client.get("/tournaments/autumn-cup/").text
        assert "exited with code 3" not in page and "line 30" not in page
