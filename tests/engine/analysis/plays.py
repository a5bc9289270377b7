"""Records of legs that are played within this process, for tests of their analysis."""

import math
from collections.abc import Callable, Sequence
from random import Random

from engine.analysis.evaluators import BattleLineEvaluator, Evaluator
from engine.core import Json, State
from engine.deal import deal_hash
from engine.registry import find_game
from engine.replay import make_record

Choose = Callable[[State], int]


def play_leg(
    seed: str,
    choosers: tuple[Choose, Choose],
    edition: str = "standard",
    deal: Json | None = None,
    max_actions: int | None = None,
) -> Json:
    """Return the record of a leg in which each seat chooses by one of these functions.

    After `max_actions` the seat to act goes out.
    """
    game = find_game("battleline")
    options = game.options(edition)
    deal = deal or game.deal(options, 2, Random(f"deal {seed}"))
    state = game.start(options, 2, deal)
    actions = []
    verdicts = ["ok", "ok"]
    while (seat := state.to_act) is not None:
        forced = state.forced()
        if forced is None and max_actions is not None and len(actions) >= max_actions:
            verdicts[seat] = "timeout"
            state.forfeit(seat, "timeout")
            actions.append({"seat": seat, "action": "forfeit", "verdict": "timeout"})
            break
        move = choosers[seat](state) if forced is None else forced
        auto = {} if forced is None else {"auto": True}
        actions.append({"seat": seat, "action": state.text(move), "ms": 1, "cpu_ms": 1, **auto})
        state.play(move)
    assert state.outcome is not None
    return make_record(
        game=game,
        edition=edition,
        options=options,
        deal=deal,
        salt=deal_hash(deal, seed),
        seats=[{"name": "Ana's", "version": "1"}, {"name": "Ben's", "version": "2"}],
        actions=actions,
        outcome=state.outcome,
        verdicts=verdicts,
    )


def random_chooser(seed: str) -> Choose:
    """Return a function that chooses at random, but claims what it can."""
    rng = Random(seed)

    def choose(state: State) -> int:
        moves = list(state.moves())
        claims = [move for move in moves if state.text(move).startswith("claim")]
        return rng.choice(claims or moves)

    return choose


def best_chooser(evaluator: Evaluator, choose_deck: Callable[[State, Sequence[int]], int] | None = None) -> Choose:
    """Return a function that claims what it can and else chooses what is worth most, with all cards open.

    `choose_deck` chooses among the draws that end a turn; without it these are always of troops.
    """

    def choose(state: State) -> int:
        moves = [move for move in state.moves() if evaluator.is_graded(state, move)]
        if len(moves) < len(state.moves()):
            return next(move for move in state.moves() if move not in moves)
        if all(state.text(move).startswith("draw") for move in moves):
            return choose_deck(state, moves) if choose_deck else moves[0]
        return max(moves, key=lambda move: value_after(state, move, evaluator))

    return choose


def value_after(state: State, move: int, evaluator: Evaluator) -> float:
    """What a move is worth to who makes it, with all cards open."""
    assert state.to_act is not None
    seat, after = state.to_act, state.copy()
    after.play(move)
    return evaluator.chance(after, seat)


class PointsEvaluator(BattleLineEvaluator):
    """A cheap value: who has the higher cards, on the table and in the hand."""

    version, weights_hash = "points", "0"

    def win_chance(self, state: State, seat: int) -> float:
        """Return a chance that grows with the points."""
        points = [0.0, 0.0]
        for own in (0, 1):
            view = state.view(own)
            held = [*view["hand"], *(card for flag in view["flags"] for card in flag["cards"][own])]
            points[own] += sum(float(card[1:]) for card in held if card[1:].isdigit())
            points[own] += 20 * sum(flag["owner"] == own for flag in view["flags"])
        return 1 / (1 + math.exp((points[1 - seat] - points[seat]) / 20))
