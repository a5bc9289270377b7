"""What a bot was asked can be read again from the record of a leg: word for word, but for the clock."""

import hashlib
import json

import pytest
from django.test import Client

from arena.matches.models import Match
from arena.matches.services import queue_match
from arena.pages.matches.bot_dialogue import list_exchanges
from tests.conftest import make_deal_and_salts

TELLS_WHAT_IT_WAS_ASKED = b"""
import hashlib, json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type": "ready"}', flush=True)
    elif message["type"] == "turn":
        message.pop("bank_ms")
        told = json.dumps(message, sort_keys=True).encode()
        print(hashlib.sha256(told).hexdigest(), file=sys.stderr, flush=True)
        print(json.dumps({"action": message["legal"][-1], "note": "the last one"}), flush=True)
"""


@pytest.fixture(params=[("battleline", "medieval", 2), ("battalion", "standard", 3)], ids=lambda param: param[0])
def told(request, ana, make_version, play) -> Match:
    game, edition, seats = request.param
    versions = [make_version(ana, f"Teller {number}", TELLS_WHAT_IT_WAS_ASKED, game=game) for number in range(seats)]
    match = queue_match(versions=versions, game=game, edition=edition, **make_deal_and_salts(0, game, edition, seats))
    assert play(match)
    return match


def test_every_request_is_told_as_it_was_sent(told):
    for leg in told.legs.all():
        record = leg.record_data
        asked = list(list_exchanges(record, 0, len(record["actions"])))
        for seat in leg.seats.all():
            own = [one["request"] for one in asked if one["request"]["seat"] == seat.seat]
            hashes = [hashlib.sha256(json.dumps(one, sort_keys=True).encode()).hexdigest() for one in own]
            assert hashes == seat.stderr.split() and hashes


def test_a_turn_tells_its_own_requests_with_their_answers(told):
    leg = told.legs.get(number=2)
    actions = [entry["action"] for entry in leg.record_data["actions"] if "ms" in entry]
    last = Client().get(f"/matches/{told.pk}/?leg=2").context["scene"].last
    found = []
    for turn in range(last + 1):
        answer = Client().get(f"/matches/{told.pk}/turn/{turn}/asked.json?leg=2")
        assert answer["Content-Type"] == "application/json"
        found += answer.json()
    assert [one["answer"]["action"] for one in found] == actions
    assert all(one["answer"]["action"] in one["request"]["legal"] for one in found)
    assert all(one["answer"]["note"] == "the last one" and one["ms"] >= 0 for one in found)


def test_the_replay_leads_to_it_and_what_is_not_there_is_not_found(told):
    page = Client().get(f"/matches/{told.pk}/?turn=2&leg=2").text
    assert f'data-turn-in-path href="/matches/{told.pk}/turn/2/asked.json?leg=2"' in page
    assert Client().get(f"/matches/{told.pk}/turn/99999/asked.json").status_code == 404
    told.legs.update(record=None)
    assert Client().get(f"/matches/{told.pk}/turn/1/asked.json").status_code == 404


def test_authors_alone_are_offered_to_ask_their_bots_again_up_to_each_turn(told, ana, ben):
    client = Client()
    client.force_login(ana)
    record = told.legs.get(number=2).record_data
    last = client.get(f"/matches/{told.pk}/?leg=2").context["scene"].last
    page = client.get(f"/matches/{told.pk}/?leg=2&turn={last}")
    commands = page.context["reruns"]
    assert [command.start.split()[-2] for command in commands] == [str(seat) for seat in range(len(record["seats"]))]
    assert {command.until for command in commands} == {len(record["actions"]) - 1}
    assert f"pennant rerun http://testserver/matches/{told.pk}/legs/2/record.json --bot teller-" in page.text
    decisions = commands[0].decisions
    assert decisions == sorted(decisions) and len(decisions) == last + 1
    client.force_login(ben)
    assert client.get(f"/matches/{told.pk}/?leg=2").context["reruns"] == []
