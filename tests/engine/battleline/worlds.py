"""What a seat can know of cards that were put back, worked out again from its events alone, world by world.

A world says which cards the other is known to hold, and what lies where cards have been put back on a deck. Every time
the other does something unseen, each world becomes all those that may have come of it; those that a card seen elsewhere
rules out are dropped.
"""

from collections import Counter
from typing import NamedTuple

from engine.core import Json
from engine.games.battleline.state import BattleLineState
from tests.engine.battleline.staging import GUILE, is_troop

UNKNOWN = "?"
DECKS = ("troop", "tactic")


class World(NamedTuple):
    held: tuple[str, ...] = ()
    """Known cards in the other's hand, sorted."""
    piles: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    """By deck: cards put back and not drawn again, top last."""

    def change(self, held: list[str], deck: int, pile: list[str]) -> "World":
        piles = (tuple(pile), self.piles[1]) if deck == 0 else (self.piles[0], tuple(pile))
        return World(tuple(sorted(held)), piles)


def deck_of(card: str) -> int:
    return 0 if is_troop(card) else 1


class Knowledge:
    """The worlds one seat has to reckon with."""

    def __init__(self, state: BattleLineState, seat: int) -> None:
        self.seat, self.since = seat, 0
        cards = [*state.hands[0], *state.hands[1], *state.decks[0], *state.decks[1]]
        self.copies = Counter(state.names.of[card] for card in cards)
        kings = [card for card in view_hand(state, 1 - seat) if card.startswith("leader")]
        assert not kings or state.rules.tiles == "drafted"
        self.worlds = {World(tuple(kings))}
        self.other_holds = [len(state.hands[1 - seat]) - len(kings), len(kings)]

    def follow(self, state: BattleLineState) -> None:
        """Learn what the seat was told since the last time."""
        for event in state.events(self.seat, self.since):
            self.learn(event)
        self.since = state.log_length
        seen = Counter(seen_cards(state, self.seat))
        self.worlds = {world for world in self.worlds if self.is_possible(world, seen)}
        assert self.worlds, "nothing is possible any more"

    def is_possible(self, world: World, seen: Counter[str]) -> bool:
        known = Counter([*world.held, *world.piles[0], *world.piles[1]])
        return all(card == UNKNOWN or seen[card] + count <= self.copies[card] for card, count in known.items())

    def learn(self, event: Json) -> None:
        own = event.get("seat") == self.seat
        if event.get("event") == "draw":
            deck = DECKS.index(event["deck"])
            self.other_holds[deck] += not own
            found = [self.drawn(world, deck, event.get("card")) for world in self.worlds]
            self.worlds = {world for world in found if world is not None}
        elif "action" in event:
            self.learn_action(event, own, event["action"].split())

    def learn_action(self, event: Json, own: bool, words: list[str]) -> None:
        if words[0] == "return":
            deck = deck_of(words[1]) if own else DECKS.index(event["deck"])
            self.worlds = {new for world in self.worlds for new in self.put_back(world, deck, words[1])}
            self.other_holds[deck] -= not own
        elif not own and (words[0] == "play" or words[0] in GUILE):
            card = words[1] if words[0] == "play" else words[0]
            self.other_holds[deck_of(card)] -= 1
            self.worlds = {new for world in self.worlds for new in played(world, card)}

    def drawn(self, world: World, deck: int, card: str | None) -> World | None:
        """The world after a draw, by the seat itself where it saw a card; None where it can't have been that card."""
        pile, held = list(world.piles[deck]), list(world.held)
        if not pile:
            return world
        top = pile.pop()
        if card is None:
            held += [top] if top != UNKNOWN else []
        elif top not in (UNKNOWN, card):
            return None
        return world.change(held, deck, pile)

    def put_back(self, world: World, deck: int, card: str) -> list[World]:
        held, pile = list(world.held), list(world.piles[deck])
        if card != UNKNOWN:
            return [world.change(held, deck, [*pile, card])]
        mine = [known for known in held if deck_of(known) == deck]
        ways = [world.change(held, deck, [*pile, UNKNOWN])] if self.other_holds[deck] > len(mine) else []
        for known in set(mine):
            rest = held.copy()
            rest.remove(known)
            ways.append(world.change(rest, deck, [*pile, known]))
        return ways

    def allows(self, twin: BattleLineState) -> bool:
        """Whether some world is that of the twin."""
        return any(fits(world, twin, self.seat) for world in self.worlds)


def played(world: World, card: str) -> list[World]:
    """The other has shown a card: the one known to be held, or another copy."""
    rest = list(world.held)
    if card not in rest:
        return [world]
    rest.remove(card)
    return [world, world._replace(held=tuple(rest))]


def fits(world: World, twin: BattleLineState, seat: int) -> bool:
    if Counter(world.held) - Counter(view_hand(twin, 1 - seat)):
        return False
    for deck, pile in zip(twin.decks, world.piles, strict=True):
        top = [twin.names.of[card] for card in deck[len(deck) - len(pile) :]]
        if any(known not in (UNKNOWN, card) for known, card in zip(pile, top, strict=True)):
            return False
    return True


def view_hand(state: BattleLineState, seat: int) -> list[str]:
    return state.view(seat)["hand"]


def seen_cards(state: BattleLineState, seat: int) -> list[str]:
    """Cards in the seat's hand or face up, wherever."""
    view = state.view(seat)
    seen = [card for flag in view["flags"] for side in flag["cards"] for card in side]
    seen += [card for cards in view["discards"] for card in cards]
    seen += [card for cards in view["tactics_played"] for card in cards if card in (*GUILE, "fog", "mud")]
    return seen + view["hand"]
