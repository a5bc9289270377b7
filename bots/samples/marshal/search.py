"""Choose a move by the engine's value function, averaged over deals of the cards that the seat can't see.

Every candidate is played on the same deals, which at full strength are spread evenly over the hidden cards. Actions
that do badly on the first few are left out of the next ones. The last ones are followed by the opponent's best reply,
until one is ahead of the others by more than chance. The number of positions depends on the level, on the legal moves
and on how close they are, not on the clock, so a bot is as strong on a slow machine as on a fast one until its time
bank is nearly used up.
"""

from dataclasses import dataclass, replace
from math import log, sqrt
from statistics import fmean, variance

from engine.games.battleline.cards import FIRST_TACTIC
from engine.games.battleline.moves import CLAIM, PLACE
from engine.games.battleline.position import FINISH, PLAY
from engine.games.battleline.value import win_chance

MAX_DEALS = 16


@dataclass(frozen=True)
class Level:
    """How long a level thinks, and how far its choice strays from the best action."""

    positions: int
    """Positions looked at to compare all moves; each later round has as many or fewer."""
    rounds: int
    """How often the better ones are compared again."""
    replies: int
    """Deals on which the opponent's best reply is looked for."""
    temperature: float
    """Temperature of a softmax over the log odds of the moves; 0 chooses the best."""
    solving: int = 0
    """Positions looked at to play an endgame perfectly in which both hands are known."""
    share: int = 3
    """Of how many moves one is left for the next round."""
    deals: int = MAX_DEALS
    """Deals of each later round, at most."""
    likely_replies: int = 0
    """Replies to the first finalist that are also tried on the others, the worst ones for the seat; 0 tries all."""
    is_even: bool = False
    """Whether deals come in series in which each hidden card is in the opponent's hand once."""
    lead: float = 0.0
    """Standard errors by which a move must lead another one for it to be dropped early; 0 drops none."""


LEVELS = {
    "1": Level(positions=0, rounds=0, replies=0, temperature=1.0),
    "2": Level(positions=200, rounds=0, replies=0, temperature=0.3),
    "3": Level(positions=100, rounds=1, replies=0, temperature=0.25),
    "4": Level(positions=300, rounds=2, replies=0, temperature=0.1),
    "ladder": Level(positions=150, rounds=1, replies=0, temperature=0.0),
    "": Level(
        positions=250,
        rounds=2,
        replies=8,
        temperature=0.0,
        solving=10_000,
        share=4,
        deals=6,
        is_even=True,
        likely_replies=4,
        lead=2.0,
    ),
}
"""By the content of the file `level`; without it the bot plays in full. The arena gives `ladder` on its ladders."""
MAX_FINALISTS = 4
"""Moves whose replies are looked at."""
MIN_DEALS_TO_DROP = 3
LEAD_DEVIATION_FLOOR = 0.02
"""Standard deviation of the lead on a deal that is assumed beside the one seen, since that of a few deals can be 0."""
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
    dealing = deal_on(state, seat, rng, level.is_even)
    for number in range(level.rounds + 1):
        more = max(1, min(level.deals if number else MAX_DEALS, level.positions // len(left)))
        for _ in range(more):
            dealt = next(dealing)
            for move in left:
                sums[move] += win_chance(play_on(dealt, move), seat)
        deals += more
        left.sort(key=lambda move: -sums[move])
        means = {move: sums[move] / deals for move in left}
        left = left[: max(MAX_FINALISTS, len(left) // level.share)]
    return {move: means[move] for move in left} if level.rounds else means


def add_replies(state, seat, means, rng, level):
    """Return the mean chances of the best moves, in part those after the opponent's best reply."""
    left = list(means)[:MAX_FINALISTS]
    after = {move: [] for move in left}
    dealing = deal_on(state, seat, rng, level.is_even)
    for number in range(level.replies):
        add_deal(next(dealing), seat, left, after, level.likely_replies)
        if level.lead and number + 1 >= MIN_DEALS_TO_DROP:
            left = drop_beaten(left, means, after, level.lead)
            if len(left) == 1:
                break
    return {move: (1 - REPLY_WEIGHT) * means[move] + REPLY_WEIGHT * fmean(after[move]) for move in left}


def add_deal(dealt, seat, moves, after, likely_replies):
    """Add the chances after the opponent's best reply to each move on a deal.

    What answers one move well usually answers the others. So all replies are tried on the first one, and then only the
    best of them, with those at the flags where the moves differ.
    """
    best, first = None, moves[0]
    for move in moves:
        ended = end_turn(play_on(dealt, move))
        chance, replies = find_lowest_chance(ended, seat, best, (get_flag(first), get_flag(move)))
        after[move].append(chance)
        if likely_replies and best is None:
            best = set(replies[:likely_replies])


def drop_beaten(moves, means, after, lead):
    """Return the moves that the best one doesn't lead by so many standard errors of their paired difference."""
    score = {move: means[move] + fmean(after[move]) for move in moves}
    best = max(moves, key=lambda move: score[move])
    left = []
    for move in moves:
        differences = [own - other for own, other in zip(after[best], after[move], strict=True)]
        error = sqrt((variance(differences) + LEAD_DEVIATION_FLOOR**2) / len(differences))
        if score[best] - score[move] <= lead * error:
            left.append(move)
    return left


def deal_on(state, seat, rng, is_even):
    """Yield deals that the seat can't tell from the state, without end.

    Even ones come in series: the hidden cards are shuffled once, and each deal gives the opponent the next ones. So
    over a series no card is in its hand more often than another, and the means vary less.
    """
    while True:
        dealt = state.redeal(seat, rng)
        yield dealt
        # What the seat knows of cards that were put back would be lost by turning them.
        if is_even and not state.tracks_knowledge and state.draft is None:
            yield from turn_hidden_cards(dealt, 1 - seat)


def turn_hidden_cards(dealt, other):
    """Yield the deals in which the other seat has the next cards of the decks instead of its own, each card once."""
    hand = dealt.hands[other]
    held = [[card for card in hand if card < FIRST_TACTIC], [card for card in hand if card >= FIRST_TACTIC]]
    hidden = [own + deck for own, deck in zip(held, dealt.decks, strict=True)]
    for number in range(1, len(hidden[0]) // max(1, len(held[0]))):
        turned = dealt.copy()
        turned.hands[other].clear()
        for own, cards, deck in zip(held, hidden, turned.decks, strict=True):
            start = number * len(own) % max(1, len(cards))
            cards = cards[start:] + cards[:start]
            turned.hands[other].extend(cards[: len(own)])
            deck[:] = cards[len(own) :]
        yield turned


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


def find_lowest_chance(state, seat, likely, flags):
    """Return the lowest chance of the seat after a turn of the other one, and its replies, the best first.

    The other one claims what it can and places a card: one of the likely replies or at one of the flags, or any card
    where none is likely. Other tactics would be too many: a Traitor alone may have a hundred moves.
    """
    while state.to_act == 1 - seat and state.decision == PLAY and state.moves()[0] >> 16 == CLAIM:
        state.play(state.moves()[0])
    if state.to_act != 1 - seat or state.decision != PLAY:
        return win_chance(state, seat), []
    replies = [move for move in state.moves() if move >> 16 == PLACE] or state.moves()
    if likely:
        replies = [move for move in replies if move in likely or get_flag(move) in flags] or replies
    chances = {move: win_chance(play_on(state, move), seat) for move in replies}
    ranked = sorted(replies, key=lambda move: chances[move])
    return chances[ranked[0]], ranked


def get_flag(move):
    """Return the flag of a move."""
    return move >> 4 & 15


def disturb(chance, rng, temperature):
    """Return the log odds of a chance with the noise that makes the best of several a softmax choice."""
    safe = min(0.9999, max(0.0001, chance))
    noise = temperature * log(-log(rng.random() or 0.5)) if temperature else 0.0
    return log(safe / (1 - safe)) - noise
