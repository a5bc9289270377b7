"""Plays of Battalion brought to a wanted position by explicit deployments, explicit dice and ordinary actions."""

from collections.abc import Sequence
from random import Random

import pytest

from engine.core import IllegalAction, Json, MalformedAction, State
from engine.registry import GAMES
from tests.engine.battalion.board import CARDS, GUARDS, Board
from tests.engine.battalion.ground import Rows, fits

GAME = GAMES["battalion"]
DICE = 200

LINE = "0=A,2=10,4=9,6=8 guard=5"
"""One row, all of it in front."""


def begin(*deployments: str, dice: Sequence[int] = (), **changes: int) -> State:
    """All have deployed, seat 0 is asked. `dice` are the first rolls; all others are 3, a modification of 0."""
    state = undeployed(len(deployments), dice, **changes)
    return play(state, *[f"deploy {deployment}" for deployment in deployments])


def undeployed(seats: int, dice: Sequence[int] = (), **changes: int) -> State:
    deal = {"dice": [*dice, *[3] * (DICE - len(dice))]}
    return GAME.start(GAME.options("standard", **changes), seats, deal)


def play(state: State, *actions: str) -> State:
    for action in actions:
        state.play(state.parse(action))
    return state


def legal(state: State, first_word: str = "") -> set[str]:
    """The legal actions, all or those that begin with this word."""
    texts = [state.text(move) for move in state.moves()]
    assert len(set(texts)) == len(texts)
    return {text for text in texts if not first_word or text.split()[0] == first_word}


def refusal(state: State, action: str) -> str:
    """The sentence that refuses this action."""
    with pytest.raises(IllegalAction) as caught:
        state.parse(action)
    assert action not in legal(state)
    return str(caught.value)


def sentence(state: State, action: str) -> str | None:
    """Why the action is refused, for whatever reason; None if it isn't."""
    try:
        state.parse(action)
    except (IllegalAction, MalformedAction) as error:
        return str(error)
    return None


def last(state: State, seat: int | None = None) -> Json:
    """What was told last of an action of somebody."""
    return [event for event in state.events(seat) if "action" in event][-1]


def side(state: State, seat: int, viewer: int | None = None) -> Json:
    """What is seen of a seat, by itself or by another."""
    seen: Json = state.view(seat if viewer is None else viewer)["seats"][seat]
    return seen


def cards(state: State, seat: int, viewer: int | None = None) -> dict[str, str]:
    """The cards in the cells of a seat by name, `!` behind those that all may see; empty cells are left out."""
    seen = side(state, seat, viewer)
    slots = [(cell["cell"], cell) for row in seen["rows"] for cell in row]
    slots += [("g", seen["guard"])] if seen["guard"] else []
    return {name: slot["card"] + "!" * slot["shown"] for name, slot in slots if slot["card"]}


def rounds(state: State, number: int, *own: str) -> State:
    """Play a number of turns of the seat to act, which takes these actions while all others pass."""
    seat = state.to_act
    for _ in range(number):
        play(state, *(own or ("pass",)))
        while state.to_act not in (seat, None):
            play(state, "pass")
    return state


def any_rows(rng: Random, lengths: Sequence[int]) -> Rows:
    """A formation whose rows have these lengths, of any shape that is legal."""
    while True:
        rows = tuple(any_row(rng, length) for length in lengths)
        if fits(rows):
            return rows


def any_row(rng: Random, length: int) -> tuple[int, ...]:
    line = [rng.randint(-2, 4)]
    while len(line) < length:
        line.append(line[-1] + rng.choice((2, 2, 2, 2, 3, 4)))
    return tuple(line)


def lay(rows: Rows, deck: Sequence[str]) -> str:
    """The words for a layout of these cards, front to back and left to right."""
    left = iter(deck)
    return "/".join(",".join(f"{x}={next(left)}" for x in line) for line in rows)


def any_deployment(rng: Random) -> str:
    lengths = [rng.randint(1, 4) for _ in range(rng.randint(1, 3))]
    guard = rng.choice(GUARDS)
    deck = rng.sample([card for card in CARDS if card != guard], sum(lengths))
    return f"deploy {lay(any_rows(rng, lengths), deck)} guard={guard}"


def any_reforming(board: Board, rng: Random) -> str:
    """A legal reforming of the seat that is asked; there must be one."""
    seat = board.to_act
    assert seat is not None
    depth = len(board.rows(seat))
    held = [(slot["card"], depth - 1 - slot["row"]) for slot in board.players[seat]["cells"].values() if slot["card"]]
    rng.shuffle(held)
    taken = held.pop()[0] if len(held) == 9 or (len(held) > 1 and rng.random() < 0.5) else None
    size = rng.randint(max(0, len(held) - 4), min(4, len(held) - 1))
    front = [card for card, distance in held if distance][:size]
    back = [card for card, _ in held if card not in front]
    lines = [line for line in (front, back) if line]
    rows = any_rows(rng, [len(line) for line in lines])
    return f"reform {lay(rows, [*front, *back])}" + (f" hand={taken}" if taken else "")
