"""Choose a move by the engine's value function, averaged over deals of the cards that the seat can't see.

Every candidate is played on the same deals. Actions that do badly on the first few are left out of the next ones. The
last ones are followed by the opponent's best reply. The number of positions depends on the level and on the legal
moves, not on the clock, so a bot is as strong on a slow machine as on a fast one until its time bank is nearly used up.
"""

from dataclasses import dataclass, replace
from math import log

from engine.games.battleline.moves import CLAIM, PLACE
from engine.games.battleline.position import FINISH, PLAY
from engine.games.battleline.value import win_chance


@dataclass(frozen=True)
class Level:
    """How long a level thinks, and how far its choice strays from the best action."""

    positions: int
    """Positions looked at to compare all moves; each later round has as many or fewer."""
    rounds: int
    """How often the better half is compared again."""
    replies: int
    """Deals on which the opponent's best reply is looked for."""
    temperature: float
    """Temperature of a softmax over the log odds of the moves; 0 chooses the best."""
    solving: int = 0
    """Positions looked at to play an endgame perfectly in which both hands are known."""


LEVELS = {
    "1": Level(positions=0, rounds=0, replies=0, temperature=1.0),
    "2": Level(positions=200, rounds=0, replies=0, temperature=0.3),
    "3": Level(positions=100, rounds=1, replies=0, temperature=0.25),
    "4": Level(positions=300, rounds=2, replies=0, temperature=0.1),
    "ladder": Level(positions=150, rounds=1, replies=0, temperature=0.0),
    "": Level(positions=600, rounds=3, replies=8, temperature=0.0, solving=10_000),
}
"""By the content of the file `level`; without it the bot plays in full. The arena gives `ladder` on its ladders."""
MAX_DEALS = 16
MAX_FINALISTS = 4
"""Moves whose replies are looked at."""
REPLY_WEIGHT = 0.5
"""Weight of the chances after the opponent's reply; the rest is that of the chances before it."""


def choose_move(state, seat, rng, level):
    """Return a legal move of the state and the chance to win that is expected after it."""
    moves = state.moves()
    if len(moves) == 1 or moves[0] >> 16 == CLAIM:
        return moves[0], win_chance(state.redeal(seat, rng), seat)
    means = compare(state, seat, moves, rng, level)
    if level.replies and state.decision == PLAY:
        means = add_replies(state, seat, means, rng, level)
    chosen = max(means, key=lambda move: disturb(means[move], rng, level.temperature))
    return chosen, means[chosen]


def hurry(level):
    """Return the level as it plays in a hurry: it looks at every move once."""
    return replace(level, positions=0, rounds=0, replies=0, solving=0)


def compare(state, seat, moves, rng, level):
    """Return the mean chance of the moves that are left after all rounds, the best first."""
    sums, deals, left = dict.fromkeys(moves, 0.0), 0, list(moves)
    for _ in range(level.rounds + 1):
        more = max(1, min(MAX_DEALS, level.positions // len(left)))
        for _ in range(more):
            dealt = state.redeal(seat, rng)
            for move in left:
                sums[move] += win_chance(play_on(dealt, move), seat)
        deals += more
        left.sort(key=lambda move: -sums[move])
        means = {move: sums[move] / deals for move in left}
        left = left[: max(MAX_FINALISTS, len(left) // 3)]
    return {move: means[move] for move in left} if level.rounds else means


def add_replies(state, seat, means, rng, level):
    """Return the mean chances of the best moves, in part those after the opponent's best reply."""
    finalists = list(means)[:MAX_FINALISTS]
    sums = dict.fromkeys(finalists, 0.0)
    for _ in range(level.replies):
        dealt = state.redeal(seat, rng)
        for move in finalists:
            sums[move] += find_lowest_chance(end_turn(play_on(dealt, move)), seat)
    share = REPLY_WEIGHT / level.replies
    return {move: (1 - REPLY_WEIGHT) * means[move] + share * sums[move] for move in finalists}


def play_on(state, move):
    """Return the state after a move."""
    after = state.copy()
    after.play(move)
    return after


def end_turn(state):
    """Claim what can be claimed and draw a troop, if the turn is at its end."""
    turn = state.turn
    while state.to_act is not None and state.turn == turn and state.decision == FINISH:
        moves = state.moves()
        state.play(moves[0])
    return state


def find_lowest_chance(state, seat):
    """Return the lowest chance of the seat after a turn of the other one, which claims what it can and places a card.

    Other tactics would be too many: a Traitor alone may have a hundred moves.
    """
    while state.to_act == 1 - seat and state.decision == PLAY and state.moves()[0] >> 16 == CLAIM:
        state.play(state.moves()[0])
    if state.to_act != 1 - seat or state.decision != PLAY:
        return win_chance(state, seat)
    replies = [move for move in state.moves() if move >> 16 == PLACE] or state.moves()
    return min(win_chance(play_on(state, move), seat) for move in replies)


def disturb(chance, rng, temperature):
    """Return the log odds of a chance with the noise that makes the best of several a softmax choice."""
    safe = min(0.9999, max(0.0001, chance))
    noise = temperature * log(-log(rng.random() or 0.5)) if temperature else 0.0
    return log(safe / (1 - safe)) - noise
