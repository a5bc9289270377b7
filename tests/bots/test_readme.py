"""The guide for authors says what is true."""

import json
import re
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any

import pytest

from arena.runner.program import Limits, Verdict
from arena.runner.protocol import parse_answer, parse_ready
from engine.games.battalion.game import Battalion
from engine.games.battleline.game import BattleLine
from tests.runner.conftest import PlayToy, sample, written
from tests.runner.conftest import play_toy as play_toy
from tests.runner.conftest import sandbox as sandbox
from tests.runner.conftest import toy as toy

GUIDE = (Path(__file__).parents[2] / "bots" / "README.md").read_text()
PROGRAMS = re.findall(r"```python[^\n]*\n(.*?)```", GUIDE, re.DOTALL)


def program_with(text: str) -> str:
    (program,) = (program for program in PROGRAMS if text in program)
    return program


def test_the_smallest_bot_plays(play_toy: PlayToy) -> None:
    assert play_toy(written(PROGRAMS[0]), sample("random")).record["result"]["verdicts"] == ["ok", "ok"]


def test_looking_ahead_finds_how_a_leg_ends() -> None:
    names: dict[str, Any] = {}
    exec(program_with("def win_at_once"), names)
    game, rng, found = BattleLine(), Random(1), []
    options = game.options("standard")
    state = game.start(options, 2, game.deal(options, 2, rng))
    while (seat := state.to_act) is not None:
        found.append(names["win_at_once"](options, {"seat": seat, "view": state.view(seat)}))
        action = rng.choice(list(state.actions()))
        state.play(state.parse(action))
    assert state.outcome is not None
    assert found[-1][action] == state.outcome.reason
    assert not found[0]


def test_actions_are_rated_by_the_value_function() -> None:
    names: dict[str, Any] = {}
    exec(program_with("def rate_actions"), names)
    game = BattleLine()
    options = game.options("short")
    state = game.start(options, 2, game.deal(options, 2, Random(1)))
    rated = names["rate_actions"](options, {"seat": 0, "view": state.view(0), "n": 0}, redeals=2)
    assert list(rated) == list(state.actions())
    assert all(0 < chance < 1 for chance in rated.values())


def test_every_answer_in_the_transcript_is_one() -> None:
    ready, *answers = re.findall(r"^< (.*)$", GUIDE, re.MULTILINE)
    parse_ready(ready.encode())
    assert answers
    for answer in answers:
        assert parse_answer(answer.encode()).action == json.loads(answer)["action"]


def test_the_battalion_transcript_is_what_the_engine_says() -> None:
    (section,) = re.findall(r"^## Battalion, .*?(?=^## )", GUIDE, re.MULTILINE | re.DOTALL)
    lines = section.replace("\n   ", "").splitlines()
    asked = [line for line in lines if line.startswith("> ")]
    answers = [json.loads(line[2:])["action"] for line in lines if line.startswith("< ")]
    others = iter(["deploy 0=7,2=10/0=Q,2=J guard=8", "modify"])
    game, told = Battalion(), 0
    state = game.start(game.options("standard"), 2, {"dice": [5] * 200})
    for question, answer in zip(asked, answers, strict=True):
        while state.to_act != 0:
            state.play(state.parse(next(others)))
        assert f'"n":{state.ply},' in question
        for grammar in re.findall(r'"open":"(.*?)"', question):
            assert grammar == state.open_grammar
        for listed in re.findall(r'"legal":\[(.*?),…\]', question):
            assert set(json.loads(f"[{listed}]")) <= set(state.actions())
        for events in re.findall(r'"events":(\[.*\])', question):
            assert json.loads(events) == state.events(0, told)
        told = state.log_length
        state.play(state.parse(answer))
    assert state.events(0)[-1]["values"] == [10, 12]


@pytest.mark.parametrize("verdict", Verdict)
def test_every_verdict_is_explained(verdict: Verdict) -> None:
    assert f"| `{verdict}` | " in GUIDE


def test_limits_are_those_in_force() -> None:
    (limits,) = re.findall(r'"limits":(\{.*?\})', GUIDE)
    assert json.loads(limits) == asdict(Limits())
