"""A game whose deal is played again with swapped seats: what anybody can see of it, by every way there is."""

import io
import re
import zipfile
import zlib

import orjson
import pytest
import time_machine
from django.test import Client
from django.utils.timezone import now

from arena.matches.livegames.models import LiveGame
from arena.matches.livegames.playing import read_live_table, resign, swap_seats
from arena.matches.livegames.position import LivePlayer
from arena.matches.livegames.queries import is_live_deal_in_play
from arena.operations.personal_data import write_export
from arena.people.accounts.models import User
from engine.core import PUBLIC_ONLOOKER, Json
from tests.arena.api.played import Script
from tests.arena.matches.livegames.conftest import AnswerAll, Start, see, step
from tests.arena.matches.livegames.conftest import answer_all as answer_all
from tests.arena.matches.livegames.conftest import house_bot as house_bot
from tests.arena.matches.livegames.conftest import player as player
from tests.arena.matches.livegames.conftest import start as start

SHOWN_AFTERWARDS = ("replay/", "replay/?view=1&turn=2", "replay/?view=all", "record.json")
NEVER_NOW = (*SHOWN_AFTERWARDS, "analysis/", "analysis.json", "learn/")
TOKENS = re.compile(r'csrfmiddlewaretoken" value="\w+"|nonce="[^"]+"|"X-CSRFToken": "\w+"|\d+ (?:s|sec\w*)\b')


@pytest.fixture
def games(start: Start, player: LivePlayer, answer_all: AnswerAll) -> list[LiveGame]:
    """One that is over after some turns, and the one that is played on its deal."""
    game = start()
    for _turn in range(3):
        answer_all(game)
        while see(game)[0].to_act == 0:
            step(game, player)
            game.refresh_from_db()
    resign(game=game, player=player)
    game.refresh_from_db()
    return [game, swap_seats(game=game, player=player, address="192.0.2.7")]


@pytest.fixture
def readers(ana: User, ben: User) -> dict[str, tuple[Client, Script]]:
    clients = {"ana": Client(), "ben": Client()}
    clients["ana"].force_login(ana)
    clients["ben"].force_login(ben)
    return {
        "ana": (clients["ana"], Script(ana)),
        "ben": (clients["ben"], Script(ben)),
        "nobody": (Client(), Script()),
    }


def deal_hidden_cards_otherwise(game: LiveGame, onlooker: int) -> None:
    """Reverse the cards that an onlooker can't know; what everybody saw of the game remains the same."""
    state = read_live_table(game, LivePlayer()).state
    known = set(re.findall(r"\b[A-Z]\d+\b", str(state.events(onlooker))))
    troops = game.deal["troops"]
    hidden = [place for place, card in enumerate(troops) if card not in known]
    assert len(hidden) > 30
    for place, card in zip(hidden, [troops[place] for place in reversed(hidden)], strict=True):
        troops[place] = card
    game.record = zlib.compress(orjson.dumps(game.record_data | {"deal": game.deal}))
    game.save()


def read_all(client: Client, script: Script, game: LiveGame) -> list[str]:
    page = game.get_absolute_url()
    answers = [client.get(page), client.get(page, headers={"HX-Request": "true"}), client.get("/play/")]
    answers.append(script.get(f"/live-games/{game.slug}/"))
    assert [answer.status_code for answer in answers] == [200] * 4
    return [TOKENS.sub("", answer.content.decode()) for answer in answers]


def test_nobody_gets_the_cards_while_they_are_played(games: list[LiveGame], readers, player: LivePlayer) -> None:
    finished, running = games
    for client, script in readers.values():
        for rest in NEVER_NOW:
            assert client.get(finished.get_absolute_url() + rest).status_code == 404, rest
        assert script.get(f"/live-games/{finished.slug}/record/").status_code == 404
        assert script.get(f"/live-games/{finished.slug}/analysis/").status_code == 404
    assert b"replay/" not in readers["ana"][0].get(finished.get_absolute_url()).content
    resign(game=running, player=player)
    for client, script in readers.values():
        for game in games:
            assert client.get(f"{game.get_absolute_url()}replay/").status_code == 200
            assert client.get(f"{game.get_absolute_url()}record.json").status_code == 200
            assert script.get(f"/live-games/{game.slug}/record/").status_code == 200


@pytest.mark.parametrize(("reader", "onlooker"), [("ana", 0), ("ben", PUBLIC_ONLOOKER), ("nobody", PUBLIC_ONLOOKER)])
def test_what_is_shown_does_not_depend_on_hidden_cards(
    games: list[LiveGame], readers, reader: str, onlooker: int
) -> None:
    with time_machine.travel(now(), tick=False):
        before = read_all(*readers[reader], games[0])
        deal_hidden_cards_otherwise(games[0], onlooker)
        assert read_all(*readers[reader], games[0]) == before


def test_what_its_bot_thought_is_not_told(games: list[LiveGame], readers, player: LivePlayer) -> None:
    finished, running = games
    record = finished.record_data
    entry = next(entry for entry in record["actions"] if entry["seat"] == 1)
    entry["note"] = "I hold red 10 and wait"
    finished.record = zlib.compress(orjson.dumps(record))
    finished.save()
    address = finished.get_absolute_url()
    assert all(b"I hold red 10" not in client.get(address).content for client, _ in readers.values())


def test_a_third_play_of_the_deal_closes_the_first_as_well(games: list[LiveGame], player: LivePlayer) -> None:
    first, second = games
    resign(game=second, player=player)
    second.refresh_from_db()
    third = swap_seats(game=second, player=player, address="192.0.2.7")
    assert is_live_deal_in_play(first) and is_live_deal_in_play(second) and not is_live_deal_in_play(third)
    assert Client().get(f"{first.get_absolute_url()}record.json").status_code == 404


def test_an_export_of_ones_data_waits_for_the_end_too(games: list[LiveGame], ana: User, player: LivePlayer) -> None:
    def read_records() -> list[Json | None]:
        file = io.BytesIO()
        write_export(user=ana, file=file)
        with zipfile.ZipFile(file) as archive:
            return [one["record"] for one in orjson.loads(archive.read("live_games.json"))]

    assert read_records() == [None, None]
    resign(game=games[1], player=player)
    assert None not in read_records()
