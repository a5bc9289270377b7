"""Faults of a tournament by the API: which they are is public, their causes are for owners and organisers."""

import pytest

from arena.contests.tournaments.settings import Settings
from arena.matches.models import LegSeat
from tests.arena.api.played import Script
from tests.arena.contests.tournaments.world import begin, finish, make_bots, waiting

pytestmark = pytest.mark.django_db


def test_causes_are_told_to_owners_and_organisers_alone():
    tournament = begin(make_bots(3), Settings(format="round-robin"))
    match = waiting(tournament)[0]
    finish(match, [1, 2])
    loser = match.participants.get(points=0.0)
    seat = LegSeat.objects.get(leg__match=match, leg__number=2, participant=loser)
    seat.verdict, seat.stderr = "crash", "\n".join(f"line {number}" for number in range(1, 31))
    seat.fault = {"message": "the bot exited with code 3", "sent": "SENT", "request": {"view": "CARDS"}}
    seat.save()
    owner = loser.version.bot.owner
    told = {}
    for name, script in (("owner", Script(owner)), ("organiser", Script(tournament.organiser)), ("public", Script())):
        (told[name],) = script.read("/tournaments/autumn-cup/faults/")["results"]
        assert "SENT" not in str(told[name]) and "CARDS" not in str(told[name])
        assert "line 3\n" not in told[name]["log"]
    assert told["owner"] == told["organiser"]
    assert told["owner"]["message"] == "the bot exited with code 3" and told["owner"]["log"].endswith("line 30")
    assert told["public"] == told["owner"] | {"message": "", "log": ""}
    assert (told["public"]["bot"], told["public"]["round"], told["public"]["leg"]) == (loser.version.bot.slug, 1, 2)
    assert told["public"]["verdict"] == "crash"
