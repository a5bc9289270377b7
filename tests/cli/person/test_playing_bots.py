"""`pennant play me BOT` as a person runs it whose lines come from a pipe."""

import json
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from random import Random

import pytest

from arena.cli.person import Choice, Leave, PersonLegSpec, play_leg_with_person
from arena.runner.program import Limits, read_program
from arena.runner.sandbox.base import Sandbox
from engine.core import Seat, State
from engine.registry import find_game
from engine.replay import verify
from tests.cli.running import Done, pennant
from tests.runner.conftest import SAMPLES
from tests.runner.conftest import sandbox as sandbox

FIRST_OR_SECOND = "1\n2\n" * 600
"""One of the two is always an action: without a choice nobody is asked."""


def play(typed: str, *arguments: str | Path) -> Done:
    return pennant("play", *arguments, typed=typed, COLUMNS="80")


@pytest.mark.parametrize(
    "arguments",
    [
        ("me", "random"),
        ("random", "me", "--edition", "hundred-years"),
        ("random", "me", "random", "--game", "battalion"),
    ],
    ids=["standard", "hundred-years", "battalion"],
)
def test_a_whole_game_is_played_and_recorded(sandbox: Sandbox, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = play(FIRST_OR_SECOND, *arguments, "--seed", "3", "--out", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    record = json.loads((tmp_path / "1-1.json").read_text())
    verify(record)
    seat = arguments.index("me")
    assert record["seats"][seat] == {"name": "me", "kind": "person"}
    assert [seated["kind"] for seated in record["seats"]].count("bot") == len(record["seats"]) - 1
    assert all("note" not in entry and "ms" not in entry for entry in record["actions"] if entry["seat"] == seat)
    assert "\x1b" not in done.stdout
    assert done.stdout.splitlines()[-1] == f"next: pennant verify {tmp_path / '1-1.json'}"


def test_steps_are_taken_back_until_a_card_is_seen(sandbox: Sandbox, tmp_path: Path) -> None:
    typed = "why claim 3\nundo\n1\nundo\n10\nt\nundo\nresign\nno\nresign\nyes\n"
    done = play(typed, "me", "random", "--seed", "3", "--out", tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "not allowed: this seat's side of flag 3 has fewer than 3 cards (BL-16)" in done.stdout
    assert done.stdout.count("nothing to undo") == 2
    record = json.loads((tmp_path / "1-1.json").read_text())
    verify(record)
    own = [entry["action"] for entry in record["actions"] if entry["seat"] == 0]
    assert own == ["play G10 1", "draw troop", "forfeit"]
    assert record["actions"][-1] == {"seat": 0, "action": "forfeit", "reason": "resigned"}
    assert record["result"]["verdicts"] == ["ok", "ok"]


NOTING_BOT = """
import sys
from pennant_kit import run

def decide(message):
    print("SECRET LOG", file=sys.stderr)
    return {"action": message["legal"][0], "note": "SECRET [bold]note", "eval": 0.5}

run(decide)
"""


def test_what_a_bot_notes_is_shown_after_the_end_alone(sandbox: Sandbox, tmp_path: Path) -> None:
    bot = tmp_path / "noting.py"
    bot.write_text(NOTING_BOT)
    done = play("", bot, "me", "--seed", "3", "--json")
    assert done.returncode == 1
    played, _, after = done.stderr.partition("noting wins.")
    assert "SECRET" not in played and "SECRET [bold]note" in after
    assert "SECRET LOG" not in done.stderr
    assert "You leave the game." in played
    results = json.loads(done.stdout)
    assert [(bot["name"], bot["wins"]) for bot in results["bots"]] == [("noting", 1), ("me", 0)]


def test_a_bot_that_fails_loses_and_the_sentence_says_why(sandbox: Sandbox) -> None:
    done = play(FIRST_OR_SECOND, "me", "faulty/crashes")
    assert done.returncode == 1
    assert "faulty/crashes goes out by a crash." in done.stdout
    assert "You win." in done.stdout


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("me", "me"), "only take one seat"),
        (("me", "random", "--matches", "2"), "one game at a time"),
        (("me", "random", "--series-games", "3"), "one game at a time"),
    ],
)
def test_what_one_person_cannot_play_is_refused(arguments: tuple[str, ...], problem: str) -> None:
    done = play("", *arguments)
    assert done.returncode == 2
    assert problem in done.stderr


class SlowPerson:
    """A person who thinks longer than the bot may take in the whole leg, and then leaves."""

    def __init__(self, thinking_s: float) -> None:
        self.thinking_s = thinking_s
        self.asked = 0

    def tell(self, state: State) -> None:
        pass

    def choose(self, state: State, *, can_take_back: bool) -> Choice:
        self.asked += 1
        time.sleep(self.thinking_s)
        return state.moves()[0] if self.asked < 4 else Leave("resigned")

    def wait_for(self, seat: Seat) -> AbstractContextManager[object]:
        return nullcontext()


def test_the_time_in_which_the_person_thinks_is_not_the_bots(sandbox: Sandbox) -> None:
    limits = Limits(start_ms=1000, bank_ms=200)
    game, person = find_game("battleline"), SlowPerson(limits.elapsed_ms / 1000 / 3)
    options = game.options("standard")
    spec = PersonLegSpec(
        game=game,
        edition="standard",
        options=options,
        deal=game.deal(options, 2, Random(1)),
        salt="00",
        programs=(None, read_program(SAMPLES / "random")),
        limits=limits,
    )
    report = play_leg_with_person(spec, person, sandbox)
    verify(report.record)
    assert person.asked == 4 and report.faults == (None, None)
