"""The analysis of a leg: grades, luck and skill, and that it is the same however often it is made."""

import json
import math
from collections.abc import Sequence
from pathlib import Path
from random import Random
from statistics import fmean, stdev

import pytest

from engine.analysis.evaluators import Evaluator, find_evaluator
from engine.analysis.grading import REDEALS, compute_accuracy, compute_move_accuracy, grade
from engine.analysis.leg import LegAnalyser, analyse, to_units
from engine.core import Json, State
from engine.games.battleline.cards import is_troop
from engine.registry import find_game
from engine.replay import states
from tests.engine.analysis.plays import PointsEvaluator, best_chooser, play_leg, random_chooser, value_after
from tests.full import default_and_full

RECORDS = Path(__file__).parents[1] / "old_records"
LEGS, FULL_LEGS, TOLD_LEGS = 3, 600, 12


@pytest.fixture(scope="module")
def evaluator() -> Evaluator:
    return PointsEvaluator()


@pytest.fixture(scope="module")
def learnt() -> Evaluator:
    found = find_evaluator("battleline", "standard")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def record() -> Json:
    loaded: Json = json.loads((RECORDS / "short.json").read_text())
    return loaded


@pytest.fixture(scope="module")
def analysis(record: Json, evaluator: Evaluator) -> Json:
    return analyse(record, evaluator)


def play_random(number: int, edition: str = "standard") -> Json:
    return play_leg(f"{edition} {number}", (random_chooser(f"a{number}"), random_chooser(f"b{number}")), edition)


def shorten(record: Json, entries: int) -> Json:
    """The record without what comes after its first entries: long enough where only its beginning matters."""
    return record | {"actions": record["actions"][:entries]}


def measure_luck(record: Json, evaluator: Evaluator, seat: int = 0) -> list[float]:
    """The luck of a seat by each of its draws, as the analysis computes it, without grades."""
    rng, found = Random(0), []
    for state, entry in zip(states(record), record["actions"], strict=False):
        if entry["action"] == "forfeit" or entry["seat"] != seat:
            continue
        move = state.parse(entry["action"])
        expected = evaluator.expected_chance(state, move, seat, rng)
        if expected is not None:
            after = state.copy()
            after.play(move)
            found.append(evaluator.chance(after, seat) - expected)
    return found


def compute_z(values: list[float]) -> float:
    return fmean(values) / (stdev(values) / math.sqrt(len(values)))


def test_the_same_analysis_twice_is_the_same_to_the_digit(record: Json, evaluator: Evaluator, analysis: Json) -> None:
    parts: list[Json] = []
    while len(parts) < len(record["actions"]):  # interrupted after every few entries, and stored as JSON in between
        analyser = LegAnalyser(record, evaluator, json.loads(json.dumps(parts)))
        for _ in range(min(30, analyser.total - len(parts))):
            analyser.advance()
        parts = analyser.parts
    assert json.dumps(LegAnalyser(record, evaluator, parts).finish()) == json.dumps(analysis)


def test_names_and_notes_change_nothing(record: Json, evaluator: Evaluator) -> None:
    renamed = record | {"seats": [seat | {"name": "Somebody"} for seat in record["seats"]]}
    assert LegAnalyser(renamed, evaluator).seed == LegAnalyser(record, evaluator).seed


def test_luck_and_skill_add_up_to_the_result(record: Json, evaluator: Evaluator, analysis: Json) -> None:
    for seat in analysis["seats"]:
        luck, skill, start, result = (to_units(seat[name]) for name in ("luck", "skill", "start", "result"))
        assert luck + skill == result - start
    first, second = analysis["seats"]
    assert first["luck"] == -second["luck"] and first["skill"] == -second["skill"]
    draws = sum(draw["luck"] * (1 if draw["seat"] == 0 else -1) for draw in analysis["draws"])
    assert first["luck"] == pytest.approx(draws, abs=1e-9)
    own = [draw["luck"] for draw in analysis["draws"] if draw["seat"] == 1]
    assert (second["draws"], second["draw_luck"]) == (len(own), pytest.approx(sum(own), abs=1e-9))


def test_the_line_with_open_cards_ends_with_the_result(record: Json, analysis: Json) -> None:
    assert len(analysis["chances"]) == len(record["actions"]) + 1
    assert analysis["chances"][-1] == analysis["seats"][0]["result"]
    assert analysis["known"][-1]["chances"] == [seat["result"] for seat in analysis["seats"]]


def test_no_claim_and_no_forced_move_is_graded(record: Json, analysis: Json) -> None:
    forced = {number for number, entry in enumerate(record["actions"]) if entry.get("auto")}
    graded = {decision["number"] for decision in analysis["decisions"]}
    assert graded and not graded & forced
    assert not any(decision["action"].startswith("claim") for decision in analysis["decisions"])


def test_a_loss_is_told_only_beyond_two_standard_errors(analysis: Json) -> None:
    for decision in analysis["decisions"]:
        told = decision["best_chance"] - decision["chance"] > 2 * decision["standard_error"]
        assert bool(decision["loss"]) is told
        assert (decision["judgement"] is not None) is (decision["loss"] >= 0.05)
        if decision["judgement"]:
            assert decision["better"] in decision["choices"] and decision["action"] in decision["choices"]


def test_grades_agree_with_every_choice_in_every_redeal(evaluator: Evaluator) -> None:
    record = play_random(1)
    for number, state in enumerate(states(shorten(record, 24))):
        entry = record["actions"][number]
        played = state.parse(entry["action"])
        found = grade(state, played, evaluator, Random(number))
        if found is None:
            continue
        assert state.to_act is not None
        rng = Random(number)
        redeals = [state.redeal(state.to_act, rng) for _ in range(REDEALS)]
        means = {}
        for move in (played, *found.choices):
            chances = []
            for redeal in redeals:
                after = redeal.copy()
                after.play(move)
                chances.append(evaluator.chance(after, state.to_act))
            means[move] = fmean(chances)
        assert means[played] == pytest.approx(found.chance)
        assert all(means[move] == pytest.approx(chance) for move, chance in found.choices.items())


def test_a_decision_is_graded_by_what_its_seat_knows(evaluator: Evaluator) -> None:
    state = next(states(play_random(2)))
    rng = Random("other cards")
    grades = [grade(some, state.moves()[0], evaluator, Random(3)) for some in (state, state.redeal(0, rng))]
    first, second = (sorted(one.choices) if one else [] for one in grades)
    assert first == second
    # The redeals begin from other cards and so differ, but the seat's own hand and the table are the same.
    assert all(one is not None for one in grades)


def test_the_mean_over_the_cards_is_that_of_a_shuffled_deck(evaluator: Evaluator) -> None:
    """An oracle: look at the draw in many orders of the deck."""
    checked = 0
    for state in states(shorten(play_random(3), 60)):
        moves = {} if state.to_act is None else state.actions()
        if "draw troop" not in moves or checked == 2:
            continue
        move, checked = moves["draw troop"], checked + 1
        expected = evaluator.expected_chance(state, move, 0, Random(0))
        chances = []
        for place in range(len(state.decks[0])):  # type: ignore[attr-defined]
            other = state.copy()
            deck = other.decks[0]  # type: ignore[attr-defined]
            deck[place], deck[-1] = deck[-1], deck[place]
            other.play(move)
            chances.append(evaluator.chance(other, 0))
        assert expected == pytest.approx(fmean(chances))
    assert checked == 2


def test_a_card_that_was_put_back_is_no_luck(evaluator: Evaluator) -> None:
    found = set()
    for number in range(40):
        for state in states(play_random(number)):
            moves = {} if state.to_act is None else state.actions()
            for deck, name in enumerate(("draw troop", "draw tactic")):
                if name not in moves:
                    continue
                cards = state.decks[deck]  # type: ignore[attr-defined]
                top = (deck, len(cards) - 1)
                is_known = any(top in one.own_places for one in state.knowledge)  # type: ignore[attr-defined]
                assert is_troop(cards[-1]) is (deck == 0)
                expected = evaluator.expected_chance(state, moves[name], 0, Random(0)) if is_known else 0.0
                assert (expected is None) is is_known
                found.add(is_known)
        if found == {True, False}:
            return
    pytest.fail("no Scout put a card back")


def test_accuracy_follows_the_formula() -> None:
    assert compute_move_accuracy(0.0) == 100.0
    assert compute_move_accuracy(0.10) == pytest.approx(103.17 * math.exp(-0.4354) - 3.17)
    assert compute_move_accuracy(1.0) == 1.0
    assert compute_accuracy([]) is None
    assert compute_accuracy([0.0, 0.0]) == pytest.approx(100.0)
    one, other = 100.0, compute_move_accuracy(0.2)
    assert compute_accuracy([0.0, 0.2]) == pytest.approx(2 / (1 / one + 1 / other))


def test_a_game_without_evaluator_has_no_analysis() -> None:
    assert find_evaluator("battalion", "standard") is None
    changed = find_game("battleline").options("standard", flags=9, claims="start", tactics=0)
    assert find_evaluator("battleline", "standard", changed) is None


def test_the_learnt_chances_of_both_seats_add_up_to_1(learnt: Evaluator) -> None:
    for state in states(play_random(4)):
        assert learnt.chance(state, 0) + learnt.chance(state, 1) == pytest.approx(1.0)


@pytest.mark.parametrize("legs", default_and_full([LEGS], [FULL_LEGS]))
def test_the_mean_luck_of_random_plays_is_0(learnt: Evaluator, legs: int) -> None:
    luck = [value for number in range(legs) for value in measure_luck(play_random(number), learnt)]
    assert len(luck) > 10 * legs
    assert abs(compute_z(luck)) < 3


@pytest.mark.full
def test_a_bot_that_is_told_the_deck_is_caught(learnt: Evaluator) -> None:
    def choose_luckier_deck(state: State, draws: Sequence[int]) -> int:
        assert state.to_act is not None
        rng, seat = Random(0), state.to_act
        return max(
            draws,
            key=lambda draw: value_after(state, draw, learnt) - (learnt.expected_chance(state, draw, seat, rng) or 0.0),
        )

    luck: list[float] = []
    for number in range(TOLD_LEGS):
        record = play_leg(f"told {number}", (best_chooser(learnt, choose_luckier_deck), best_chooser(learnt)))
        luck += measure_luck(record, learnt)
    assert compute_z(luck) > 4
