"""Looks ahead: deals what it can't see at random, again and again, and plays the most promising actions to the end.

The actions come from the same advice that the `careful` sample follows. Each deal is played on once for each of them,
by a quick policy for both seats and with the same luck, and the action that fares best on average is played.
"""

import random
from functools import lru_cache
from time import perf_counter

from advice import Advice
from pennant_kit import run

from engine.games.battleline.cards import FIRST_TACTIC, add
from engine.games.battleline.formations import RANK_BITS, best, read_side
from engine.games.battleline.moves import CLAIM, PLACE
from engine.registry import find_game

THINK_S = 0.15
CANDIDATES = 6
ADVICE = 1.0
"""How much the advice counts beside the share of plays won."""
MARGIN = 0.3
"""How much the margin of a play counts beside winning it."""
KIND_WORTH = (0, 35, 55, 80, 100)
ALL_TROOPS = (1 << 60) - 1

game = find_game("battleline")
table = {}
luck = random.Random(7)


def hello(message):
    table["options"] = message["options"]
    limits = message["limits"]
    table["think_s"] = min(THINK_S, 0.2 * limits["move_ms"] / 1000, 0.02 + limits["bank_ms"] / 80_000)


def choose(message):
    legal, view, seat = message["legal"], message["view"], message["seat"]
    if legal[0].startswith("claim"):
        return legal[0]
    if view["decision"] != "play":
        return choose_lightly(legal, view, seat)
    started = perf_counter()
    advice = Advice(table["options"], view, seat)
    ranked = sorted(((advice.worth(action), action) for action in legal), reverse=True)[:CANDIDATES]
    if len(ranked) == 1:
        return legal[0]
    start = game.determinize(table["options"], seat, view, luck)
    scores = play_out(start, seat, [action for _, action in ranked], started + table["think_s"])
    chosen = max(ranked, key=lambda one: scores[one[1]] + ADVICE * one[0])[1]
    return {"action": chosen, "eval": round(max(-1.0, min(1.0, 2 * scores[chosen] - 1)), 3)}


def choose_lightly(legal, view, seat):
    """What needs no search: troops are drawn, the rest goes by the advice."""
    if view["decision"] in ("return", "marshes", "watchtower"):
        return max(legal, key=Advice(table["options"], view, seat).worth)
    return legal[0]


def play_out(start, seat, actions, deadline):
    """By action: what plays after it came to on average, from 0 to 1 and a little beyond by the margin."""
    moves = {action: start.parse(action) for action in actions}
    totals = dict.fromkeys(actions, 0.0)
    rounds = 0
    while not rounds or perf_counter() < deadline:
        dealt, seed = start.redeal(seat, luck), luck.random()
        for action, move in moves.items():
            state = dealt.copy()
            state.play(move)
            totals[action] += value(finish(state, random.Random(seed)), seat)
        rounds += 1
    return {action: total / rounds for action, total in totals.items()}


def value(outcome, seat):
    mine, theirs = outcome.places[seat], outcome.places[1 - seat]
    won = 1.0 if mine < theirs else 0.5 if mine == theirs else 0.0
    return won + MARGIN * (outcome.scores[seat] - outcome.scores[1 - seat]) / 5


def finish(state, rng):
    """Play to the end by the quick policy: claim, draw troops, place each card where it promises most."""
    while state.to_act is not None:
        moves = state.moves()
        if len(moves) == 1 or moves[0] >> 16 == CLAIM or state.decision == "finish":
            state.play(moves[0])
        elif state.decision == "play":
            sides = state.sets[state.to_act]
            state.play(max(moves, key=lambda move: appeal(move, sides) + 4 * rng.random()))
        else:
            state.play(rng.choice(moves))
    return state.outcome


def appeal(move, sides):
    card, flag = move >> 8 & 255, move >> 4 & 15
    if move >> 16 != PLACE:
        return -60
    return gain(sides[flag], card) if card < FIRST_TACTIC else -40


@lru_cache(maxsize=200_000)
def gain(side, card):
    """What a troop adds to what a side promises."""
    return promise(add(side, card)) - promise(side)


@lru_cache(maxsize=50_000)
def promise(side):
    if not side:
        return 30.0
    known = read_side(side)
    kind = best(side, max(0, 3 - known.size), ALL_TROOPS & ~side)[0] >> RANK_BITS
    return KIND_WORTH[kind] * (1 + known.size) / 4 + known.troop_sum + known.wild_high


run(choose, hello=hello)
