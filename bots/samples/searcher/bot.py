"""A bot for Battle Line that looks ahead: it deals hidden cards at random and plays the best actions to the end.

It considers the actions with the best estimates of the `careful` sample. Each deal is played once for each of them, by
a quick policy for both seats with the same random numbers, and the action with the best average result is chosen.
"""

import random
from functools import lru_cache
from time import perf_counter

from advice import Advice
from pennant_kit import run

from engine.games.battleline.cards import FIRST_TACTIC, add_card
from engine.games.battleline.formations import STRENGTH_RANK_BITS, find_best_reach, read_side
from engine.games.battleline.moves import CLAIM, PLACE
from engine.registry import find_game

MAX_THINKING_TIME_S = 0.15
MIN_BANK_MS = 500
"""With less left in the time bank the bot doesn't look ahead: a round of playouts can't be cut short."""
MAX_CANDIDATES = 6
ESTIMATE_WEIGHT = 1.0
"""Weight of the estimate, compared with the share of playouts won."""
MARGIN_WEIGHT = 0.3
"""Weight of the margin of a playout, compared with winning it."""
KIND_WORTH = (0, 35, 55, 80, 100)
ALL_TROOPS = (1 << 60) - 1

game = find_game("battleline")
table = {}
rng_of_deals = random.Random()


def hello(message):
    table["options"], table["move_ms"] = message["options"], message["limits"]["move_ms"]
    table["seed"] = message["seed"]


def choose(message):
    legal, view, seat = message["legal"], message["view"], message["seat"]
    if legal[0].startswith("claim"):
        return legal[0]
    if view["decision"] != "play":
        return choose_without_search(legal, view, seat)
    started = perf_counter()
    rng_of_deals.seed(f"{table['seed']} {message['n']}")
    advice = Advice(table["options"], view, seat)
    ranked = sorted(((advice.worth(action), action) for action in legal), reverse=True)[:MAX_CANDIDATES]
    if len(ranked) == 1 or message["bank_ms"] < MIN_BANK_MS:
        return ranked[0][1]
    start = game.determinize(table["options"], seat, view, rng_of_deals)
    thinking_s = min(MAX_THINKING_TIME_S, 0.2 * table["move_ms"] / 1000, 0.02 + message["bank_ms"] / 80_000)
    scores = play_out(start, seat, [action for _, action in ranked], started + thinking_s)
    chosen = max(ranked, key=lambda one: scores[one[1]] + ESTIMATE_WEIGHT * one[0])[1]
    return {"action": chosen, "eval": round(max(-1.0, min(1.0, 2 * scores[chosen] - 1)), 3)}


def choose_without_search(legal, view, seat):
    """Choose an action that needs no search: draw a troop, or follow the estimate."""
    if view["decision"] in ("return", "marshes", "watchtower"):
        return max(legal, key=Advice(table["options"], view, seat).worth)
    return legal[0]


def play_out(start, seat, actions, deadline):
    """Return the average result of playouts by action, from 0 to 1 plus the margin."""
    moves = {action: start.parse(action) for action in actions}
    totals = dict.fromkeys(actions, 0.0)
    rounds = 0
    while not rounds or perf_counter() < deadline:
        dealt, seed = start.redeal(seat, rng_of_deals), rng_of_deals.random()
        for action, move in moves.items():
            state = dealt.copy()
            state.play(move)
            totals[action] += value(finish(state, random.Random(seed)), seat)
        rounds += 1
    return {action: total / rounds for action, total in totals.items()}


def value(outcome, seat):
    mine, theirs = outcome.places[seat], outcome.places[1 - seat]
    won = 1.0 if mine < theirs else 0.5 if mine == theirs else 0.0
    return won + MARGIN_WEIGHT * (outcome.scores[seat] - outcome.scores[1 - seat]) / 5


def finish(state, rng):
    """Play to the end by the quick policy: claim, draw troops, place each card where it adds most."""
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
    """Return how much a troop adds to the worth of a side."""
    return side_worth(add_card(side, card)) - side_worth(side)


@lru_cache(maxsize=50_000)
def side_worth(side):
    if not side:
        return 30.0
    known = read_side(side)
    kind = find_best_reach(side, max(0, 3 - known.size), ALL_TROOPS & ~side)[0] >> STRENGTH_RANK_BITS
    return KIND_WORTH[kind] * (1 + known.size) / 4 + known.troop_sum + known.wild_high


run(choose, hello=hello)
