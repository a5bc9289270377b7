"""The round robin of different styles."""

from itertools import islice
from pathlib import Path
from random import Random
from typing import cast

import pytest

from bots.training import styles
from bots.training.styles import BENCH, STYLES, RoundRobin, load, look, shift_weights
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.value import read_weights_file
from engine.registry import GAMES
from tests.engine.plays import begin, run

GAME = GAMES["battleline"]
SHIFTED = ("breaker", "rusher", "hoarder", "gambler")


def list_states(edition: str, seeds: range) -> list[BattleLineState]:
    """Some decisions from random plays, in all phases."""
    found = []
    for seed in seeds:
        states = (one for one in run(begin(GAME, edition, seed), Random(seed)) if one.to_act is not None)
        found += [cast(BattleLineState, state) for state in islice(states, 5 * seed + 1, 60, 11)]
    return found


@pytest.mark.parametrize("name", [name for name in BENCH if name != "former"])
def test_every_player_answers_with_a_legal_action(name: str) -> None:
    state = list_states("standard", range(1, 2))[2]
    player = load(name, "standard")
    assert state.to_act is not None
    player.begin(GAME.options("standard"), "standard", state.to_act, 7)
    assert player.decide(state, state.to_act)[0] in state.actions()


@pytest.mark.parametrize("name", STYLES)
def test_a_player_without_redeals_knows_no_more_than_its_seat(name: str) -> None:
    player = load(name, "standard")
    for state in list_states("standard", range(3)):
        assert state.to_act is not None
        player.begin(GAME.options("standard"), "standard", state.to_act, 7)
        answer = player.decide(state, state.to_act)
        assert answer[0] in state.actions()
        assert player.decide(state.redeal(state.to_act, Random(1)), state.to_act) == answer


def test_the_chance_at_a_flag_is_certain_once_it_is_claimed() -> None:
    ended = list(run(begin(GAME, "standard", 5), Random(5)))[-1]
    state = cast(BattleLineState, ended)
    for seat in (0, 1):
        for owner, flag in zip(state.owner, look(state, seat), strict=True):
            assert 0 <= flag.chance <= 1 and (owner is None or flag.chance == float(owner == seat))


@pytest.mark.parametrize("name", SHIFTED)
def test_styles_by_weights_change_some_and_leave_those_of_the_engine(name: str) -> None:
    weights = read_weights_file()["editions"]["standard"]
    before = {key: list(values) for key, values in weights.items()}
    changed = shift_weights(weights, name)
    assert changed != before == weights
    assert {key: len(values) for key, values in changed.items()} == {key: len(values) for key, values in before.items()}


def test_a_round_robin_that_was_stopped_goes_on_as_if_it_had_not_been(tmp_path: Path) -> None:
    names = ("builder", "blocker")
    whole = RoundRobin(tmp_path / "whole", "short", "a").play(*names, 3)
    for pairs in (1, 3):
        parts = RoundRobin(tmp_path / "parts", "short", "a").play(*names, pairs)
    assert sum(whole) == 3 and whole == parts


def test_totals_count_a_player_wherever_it_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    robin = RoundRobin(tmp_path / "found", "short", "a")
    robin.found["counts"] = {"builder blocker": [0, 0, 0, 1, 2], "waiter builder": [3, 0, 0, 0, 0]}
    assert robin.list_totals("builder", ("blocker", "waiter")) == [0, 0, 0, 1, 5]
    assert robin.list_totals("builder", ("blocker",)) == [0, 0, 0, 1, 2]
    styles.run(robin, ("builder", "blocker"), "", 3)
    assert "builder : blocker        0.917" in capsys.readouterr().out
