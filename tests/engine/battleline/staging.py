"""Plays brought to a wanted position by hand-made deals and ordinary actions.

A turn is told as `"R7 3"` (play that card there), `"fog 2"`, or any other action in full (`"deserter R8 1"`); `"-"`
plays some card out of the way at flags 9, 8, 7; `"claim 3 + R1 4"` are several actions of one turn. What ends the turn,
the draw, follows by itself.
"""

from collections import Counter
from collections.abc import Container, Iterator
from itertools import zip_longest

import pytest

from engine.core import IllegalAction, Json, State
from engine.games.battleline.cards import TACTIC_NAMES, TEN_TACTICS
from engine.games.battleline.tiles import TILES
from engine.registry import GAMES
from tests.engine.battleline.facts import DIFFERENT_EDITIONS
from tests.engine.battleline.oracle import deck
from tests.full import default_and_full

GAME = GAMES["battleline"]
EDITION_CASES = default_and_full(
    DIFFERENT_EDITIONS, [edition for edition in GAME.editions if edition not in DIFFERENT_EDITIONS]
)
"""Every edition as a parameter; those that don't differ much run only with `--full`."""
TACTICS = [TACTIC_NAMES[card] for card in TEN_TACTICS]
GUILE = ("scout", "redeploy", "deserter", "traitor")


def is_troop(word: str) -> bool:
    return word[1:].isdigit() and word[0] in "ROYGBPSHDC"


def begin(  # noqa: PLR0913 - what a deal is made of
    first: str = "",
    second: str = "",
    troops: str = "",
    tactics: str = "",
    without_tactics: bool = False,
    edition: str = "standard",
    row: str = "",
    **changes: object,
) -> State:
    """A play with these cards in the hands and on top of the decks; all others follow in a fixed order.

    `row` lays tiles: `"town 3, castle 5"`, the others following in a fixed order.
    """
    if without_tactics:
        changes["tactics"] = 0
    options = GAME.options(edition, **changes)
    if row and options["tiles"] == "none":
        options["tiles"] = "shuffled"
    hands = [first.split(), second.split()]
    rest = without(deck(options["colours"], options["copies"], options["values"]), f"{first} {second} {troops}".split())
    for hand in hands:
        hand += [rest.pop() for _ in range(options["hand"] - len(hand))]
    order = tactics.split() + without(tactics_of(options), tactics.split())
    deal = {"troops": hands[0] + hands[1] + troops.split() + rest, "tactics": order, "tiles": tiles_by_flag(row)}
    return GAME.start(options, 2, deal)


def tactics_of(options: Json) -> list[str]:
    return (TACTICS + ["cavalry", "shield"])[: options["tactics"]]


def without(cards: list[str], taken: list[str]) -> list[str]:
    """The cards less those taken, in the same order."""
    gone = Counter(taken)
    left = []
    for card in cards:
        if gone[card]:
            gone[card] -= 1
        else:
            left.append(card)
    return left


def tiles_by_flag(row: str) -> list[str]:
    if not row:
        return []
    told = {int(place): tile for tile, place in (pair.split() for pair in row.split(","))}
    rest = [tile for tile in TILES if tile not in told.values()]
    return [told[number] if number in told else rest.pop(0) for number in range(1, 10)]


def play(state: State, *actions: str) -> State:
    for action in actions:
        state.play(state.parse(action))
    return state


def legal(state: State, first_word: str = "") -> list[str]:
    """The legal actions, all or those that begin with this word."""
    texts = [state.text(move) for move in state.moves()]
    return [text for text in texts if not first_word or text.split()[0] == first_word]


def refusal(state: State, action: str) -> str:
    """The sentence that refuses this action."""
    with pytest.raises(IllegalAction) as caught:
        state.parse(action)
    assert action not in legal(state)
    return str(caught.value)


def flag(state: State, number: int) -> Json:
    return state.view(0)["flags"][number - 1]


def hand(state: State, seat: int) -> list[str]:
    return state.view(seat)["hand"]


def at(number: int, side: str) -> str:
    """The turns that play these cards at one flag."""
    return ", ".join(f"{card} {number}" for card in side.split())


def claimants(state: State) -> list[int]:
    """The seats that may claim flag 1: seat 0, which is asked now, and seat 1 after an idle turn of seat 0."""
    first = "claim 1" in legal(state)
    other = take_turn(state.copy(), "-")
    return [seat for seat, may in enumerate((first, "claim 1" in legal(other))) if may]


def claimed(state: State, number: int = 1) -> Json:
    """What the event of the claim says."""
    play(state, f"claim {number}")
    return state.events(None)[-1]


def take_turn(state: State, told: str, draw: str = "draw troop", keep: Container[str] = ()) -> State:
    """One turn as told above, ended with this draw if there is one to make; an idle one plays no card of `keep`."""
    seat, turn = state.to_act, state.view(0)["turn"]
    for action in told.split(" + "):
        play(state, idle_play(state, keep) if action == "-" else in_full(action))
    if state.to_act == seat and state.view(0)["turn"] == turn and state.view(0)["decision"] == "finish":
        ends = [text for text in legal(state) if not text.startswith("claim")]
        play(state, draw if draw in ends else ends[0])
    return state


def in_full(told: str) -> str:
    word = told.split()[0]
    short = len(told.split()) == 2 and (is_troop(word) or word in TACTICS)
    return f"play {told}" if short else told


def idle_play(state: State, keep: Container[str]) -> str:
    """The troop held longest, out of the way."""
    plays = [text.split() for text in legal(state, "play")]
    spare = [play for play in plays if is_troop(play[1]) and play[1] not in keep]
    place = max(play[2] for play in spare)
    return next(" ".join(play) for play in spare if play[2] == place)


def stage(
    first: str,
    second: str,
    *,
    holds: tuple[str, str] = ("", ""),
    unseen: str = "",
    edition: str = "standard",
    **changes: object,
) -> State:
    """Both seats take these turns (comma between), after as many idle ones as drawing the tactics takes.

    Afterwards seat 0 is asked, and the seats hold the cards in `holds`; those in `unseen` are on no table.
    """
    turns = [[told.strip() for told in side.split(",") if told.strip()] for side in (first, second)]
    needs = [Needs(side, held.split()) for side, held in zip(turns, holds, strict=True)]
    warm_up = max(len(need.tactics) for need in needs)
    plan = [["-"] * warm_up + side for side in turns]
    taken = {card for need in needs for card in need.troops} | set(unseen.split())
    options = GAME.options(edition)
    idle = [card for card in deck(options["colours"], options["copies"], options["values"]) if card not in taken]
    hands, queues = deal_hands(needs, idle, plan, options["hand"])
    troops, tactics = [], []
    rows = list(zip_longest(*plan, fillvalue="-"))
    for number, _ in enumerate(rows):
        for need, queue in zip(needs, queues, strict=True):
            if number < len(need.tactics):
                tactics.append(need.tactics[number])
            else:
                troops.append(next(queue))
    state = begin(
        " ".join(hands[0]), " ".join(hands[1]), " ".join(troops), " ".join(tactics), edition=edition, **changes
    )
    for number, row in enumerate(rows):
        for need, told in zip(needs, row, strict=True):
            take_turn(state, told, "draw tactic" if number < len(need.tactics) else "draw troop", taken)
    return state


class Needs:
    """The troops and tactics a seat must get for its turns."""

    def __init__(self, turns: list[str], held: list[str]) -> None:
        actions = [action.split() for told in turns for action in told.split(" + ")]
        played = [
            action[0]
            for action in actions
            if action[0] in GUILE or (len(action) == 2 and (is_troop(action[0]) or action[0] in TACTICS))
        ]
        self.held = [card for card in held if is_troop(card)]
        self.played = [card for card in played if is_troop(card)]
        self.troops = self.held + self.played
        self.tactics = [card for card in [*played, *held] if card in TACTICS]


def deal_hands(
    needs: list[Needs], idle: list[str], plan: list[list[str]], size: int
) -> tuple[list[list[str]], list[Iterator[str]]]:
    """So many cards each, and what each draws after that; idle turns play what nobody needs."""
    rows = max(len(side) for side in plan)
    hands, queues = [], []
    for need, side in zip(needs, plan, strict=True):
        spare = side.count("-") + rows - len(side)
        cards = need.held + [idle.pop() for _ in range(min(spare, size - len(need.held) - 1))]
        cards += need.played
        hands.append(cards[:size])
        hands[-1] += [idle.pop() for _ in range(size - len(hands[-1]))]
        queues.append(iter(cards[size:] + [idle.pop() for _ in range(rows)]))
    return hands, queues
