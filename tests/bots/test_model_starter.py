"""The bot that asks a language model plays legs against a scripted one, by the rules for remote bots."""

import json
import os
import queue
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from arena.cli.local_process import Ended, Line, LocalProcess, find_launch
from arena.matches.remote.referee import RemoteLeg, RemoteLegSpec, RemotePlay
from arena.runner.program import REMOTE_LIMITS, Limits
from engine.registry import BUILT_IN_GAMES
from tests.cli.running import pennant

KEY = "sk-nobody-s-business"
ANSWER_TIMEOUT_S = 30.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new bot that asks a model, as its author gets it."""
    made = tmp_path_factory.mktemp("bots") / "oracle"
    done = pennant("init", made, "--language", "llm")
    assert done.returncode == 0 and "rules/" in done.stdout
    return made


@contextmanager
def serve_model(folder: Path, *script: str, port: int = 0) -> Iterator[str]:
    """Serve a scripted model, and give its address."""
    command = [sys.executable, "scripted_model.py", *script, "--port", str(port)]
    with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as served:
        assert served.stdout is not None
        try:
            yield served.stdout.readline().strip()
        finally:
            served.kill()


Play = Callable[..., RemoteLeg]


@pytest.fixture
def play(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    """Play a leg of the bot on seat 0 against chance, with a script of the model and the bot's settings."""

    def play_leg(
        *script: str, game_key: str = "battleline", edition: str = "short", move_ms: int = 60_000, **settings: object
    ) -> RemoteLeg:
        limits = replace(REMOTE_LIMITS["open"], move_ms=move_ms)
        with serve_model(folder, *script) as address, ExitStack() as folders:
            given = {"url": address, "log": tmp_path / "log", "api_key": KEY, **settings}
            for name, value in given.items():
                monkeypatch.setenv(f"LLM_{name.upper()}", str(value))
            inbox: queue.SimpleQueue[Line | Ended] = queue.SimpleQueue()
            process = LocalProcess(find_launch(str(folder), folders), inbox, print)
            folders.callback(process.close)
            leg = begin(game_key, edition, limits)
            while not leg.is_over:
                take_decision(leg, process, inbox)
        assert KEY not in "".join(path.read_text() for path in (tmp_path / "log").glob("*"))
        return leg

    return play_leg


def begin(game_key: str, edition: str, limits: Limits) -> RemoteLeg:
    game = BUILT_IN_GAMES[game_key]
    options = game.options(edition)
    spec = RemoteLegSpec("leg", game_key, edition, options, game.deal(options, 2, Random("oracle")), "salt", 2, limits)
    plays = [RemotePlay(seat, seat, limits.bank_ms) for seat in range(2)]
    return RemoteLeg(spec, plays, [], time.monotonic())


def take_decision(leg: RemoteLeg, process: LocalProcess, inbox: "queue.SimpleQueue[Line | Ended]") -> None:
    """Have the seats answer that are asked: the bot by its process, the other with the middle of its legal actions."""
    if leg.awaits(1):
        for one in leg.collect(1, None, time.monotonic())[-1:]:
            legal = one.message.get("legal", [])
            said = {"action": legal[len(legal) // 2]} if legal else {"type": "ready"}
            leg.answer(1, one.key, json.dumps(said).encode(), time.monotonic())
    if leg.awaits(0):
        key = leg.find_key(0)
        refused = leg.plays[0].refused_here
        have = f"{key.partition('.')[0]}.{refused - 1}" if refused else last_key(leg)
        for one in leg.collect(0, have, time.monotonic()):
            process.send(one.message)
        try:
            happened = inbox.get(timeout=min(ANSWER_TIMEOUT_S, 3 * leg.spec.limits.move_ms / 1000))
        except queue.Empty:
            assert leg.check_clocks(time.monotonic())
            return
        assert isinstance(happened, Line)
        process.room.release()
        leg.answer(0, key, happened.text.encode(), time.monotonic())


def last_key(leg: RemoteLeg) -> str | None:
    """Return the key of the last message that the bot's process has got; None before the first."""
    play = leg.plays[0]
    return None if play.ready is None else f"{max(play.asked)}.0" if play.asked else "hello"


def read_log(folder: Path, kind: str) -> list[dict[str, object]]:
    (path,) = (folder / "log").glob(f"{kind}-*.jsonl")
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize(("game_key", "edition"), [("battleline", "short"), ("battalion", "standard")])
def test_a_model_plays_a_whole_leg(play: Play, tmp_path: Path, game_key: str, edition: str) -> None:
    leg = play("right", game_key=game_key, edition=edition, max_leg_tokens=0)
    assert leg.verdicts == ["ok", "ok"] and leg.plays[0].refusals == 0
    own = [entry for entry in leg.entries if entry["seat"] == 0 and "auto" not in entry]
    assert {(entry["note"], entry["eval"]) for entry in own} == {("as scripted", 0.25)}
    requests, spent = read_log(tmp_path, "requests"), read_log(tmp_path, "spent")
    assert len(requests) == len(spent) == len(own)
    rules = requests[0]["prompt"][0]["content"]  # type: ignore[index]
    assert ("## Formations" if game_key == "battleline" else "BT-10") in rules and "Actions:" in rules


def test_an_illegal_answer_is_refused_and_then_corrected(play: Play, tmp_path: Path) -> None:
    leg = play("illegal", "right")
    own = [entry for entry in leg.entries if entry["seat"] == 0 and "auto" not in entry]
    assert leg.verdicts == ["ok", "ok"] and {entry["refused"] for entry in own} == {1}
    told = read_log(tmp_path, "requests")[1]["prompt"][-1]["content"]  # type: ignore[index]
    assert told.startswith("Your answer was refused") and "flag 1" in told


@pytest.mark.parametrize(
    ("behaviour", "verdict"), [("illegal", "illegal"), ("broken", "malformed"), ("refusing", "malformed")]
)
def test_what_is_never_an_action_loses_by_the_fourth_answer(play: Play, behaviour: str, verdict: str) -> None:
    leg = play(behaviour)
    assert leg.verdicts == [verdict, "ok"] and leg.plays[0].refusals == 3
    assert leg.entries[-1] == {"seat": 0, "action": "forfeit", "verdict": verdict, "refused": 3}


def test_a_late_model_loses_by_the_clock(play: Play) -> None:
    assert play("late", move_ms=1500).verdicts == ["timeout", "ok"]


def test_a_limit_of_cost_gives_the_leg_up_unless_the_author_wants_otherwise(play: Play) -> None:
    leg = play("right", price_in=1000, price_out=1000, max_leg_cost=20, max_day_cost=0)
    assert leg.verdicts == ["malformed", "ok"] and leg.plays[0].refusals == 3
    assert "limit of 20 cost a leg reached" in leg.plays[0].log
    assert play("right", max_day_tokens=20_000, fallback="yes").verdicts == ["ok", "ok"]


def test_a_trial_request_prints_the_answer_or_what_is_wrong(folder: Path, tmp_path: Path) -> None:
    with serve_model(folder, "right") as address:
        answered = ask_for_trial(folder, address, tmp_path)
    assert answered.returncode == 0 and answered.stdout.startswith("Hello")
    failed = ask_for_trial(folder, address, tmp_path)
    assert failed.returncode == 1 and failed.stderr.startswith(f"No answer from {address}: ")
    assert "Traceback" not in failed.stderr


def ask_for_trial(folder: Path, address: str, logs: Path) -> "subprocess.CompletedProcess[str]":
    environment = os.environ | {"LLM_URL": address, "LLM_LOG": str(logs)}
    command = [sys.executable, "model.py", "Say hello."]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
