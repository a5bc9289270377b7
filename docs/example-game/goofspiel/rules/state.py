"""One play of Goofspiel in progress (GS-2 to GS-6)."""

from copy import copy
from random import Random
from typing import Any, Self

from engine.core import IllegalAction, Json, MalformedAction, Outcome, State, forfeit_event
from engine.deal import shuffle
from engine.message import gettext_noop, message, quote
from engine.simultaneous import tell_choice, tell_revealed_choice

CARRIED, LOST = "carried", "lost"
PLAYED_OUT, LAST_STANDING = "played-out", "last-standing"
CHOSEN, REVEALED, PUBLIC = range(3)
"""Kinds of log entries (kind, seat, datum): a card that is bid, the same once all may know it, or a public event."""


def write_bid(card: int) -> str:
    """Return the action that bids a card."""
    return f"bid {card}"


class GoofspielState(State):
    """A play of Goofspiel in progress. A move is the card that is bid."""

    def __init__(self, seats: int, prizes: tuple[int, ...], ties: str) -> None:
        self.seats = seats
        self.prizes = prizes
        """All prizes in the order they are turned up."""
        self.ties = ties
        self.turn = 0
        self.ply = 0
        self.to_act: int | None = None
        self.outcome: Outcome | None = None
        self.stake: tuple[int, ...] = ()
        """The prizes being bid for: the one turned up last, and those carried over."""
        self.hands = (tuple(range(1, len(prizes) + 1)),) * seats
        """By seat: cards not bid yet."""
        self.bids: tuple[int | None, ...] = (None,) * seats
        """By seat: the card bid in this turn."""
        self.points = (0,) * seats
        self.fallen: tuple[int, ...] = ()
        """Seats that are out, in order of going out."""
        self.log: tuple[tuple[int, int, Any], ...] = ()
        self.turn_up()

    def turn_up(self) -> None:
        """Turn up the next prize, and ask for bids (GS-2)."""
        self.stake += (self.prizes[self.turn],)
        self.turn += 1
        self.log += ((PUBLIC, -1, {"event": "prize", "card": self.stake[-1]}),)
        self.ask()

    def ask(self) -> None:
        """Ask the next seat that has not bid, or compare the bids when all have (GS-3)."""
        waiting = [seat for seat in range(self.seats) if self.bids[seat] is None and seat not in self.fallen]
        if waiting:
            self.to_act = waiting[0]
        else:
            self.compare()

    def compare(self) -> None:
        """Reveal the bids, give the stake to the highest one, and go on or end the play (GS-4, GS-5)."""
        bids = {seat: bid for seat, bid in enumerate(self.bids) if bid is not None and seat not in self.fallen}
        self.log += tuple((REVEALED, seat, bid) for seat, bid in bids.items())
        highest = self.list_highest(bids)
        if len(highest) == 1:
            winner = highest[0]
            self.points = tuple(own + sum(self.stake) * (seat == winner) for seat, own in enumerate(self.points))
            self.log += ((PUBLIC, winner, {"event": "take", "seat": winner, "prizes": list(self.stake)}),)
        else:
            self.log += ((PUBLIC, -1, {"event": "tie", "seats": highest, "prizes": list(self.stake)}),)
        if len(highest) == 1 or self.ties == LOST:
            self.stake = ()
        self.bids = (None,) * self.seats
        if self.turn == len(self.prizes):
            self.finish(PLAYED_OUT)
        else:
            self.turn_up()

    def list_highest(self, bids: dict[int, int]) -> list[int]:
        """Return the seats that made the highest of these bids by seat (GS-4)."""
        return [seat for seat, bid in bids.items() if bid == max(bids.values())]

    def finish(self, reason: str) -> None:
        """End the play. Seats that are out place behind all others, the first out last (GS-6)."""
        scores = list(self.points)
        for place, seat in enumerate(self.fallen):
            scores[seat] = place - len(self.fallen)
        self.outcome = Outcome.from_scores(scores, reason)
        self.to_act = None

    def moves(self) -> tuple[int, ...]:
        """Return the cards in the hand of the seat to act."""
        return () if self.to_act is None else self.hands[self.to_act]

    def play(self, move: int) -> None:
        """Bid a card."""
        seat = self.to_act
        assert seat is not None, "the leg is finished"
        self.ply += 1
        self.hands = tuple(
            tuple(card for card in hand if (owner, card) != (seat, move)) for owner, hand in enumerate(self.hands)
        )
        self.bids = (*self.bids[:seat], move, *self.bids[seat + 1 :])
        self.log += ((CHOSEN, seat, move),)
        self.ask()

    def forfeit(self, seat: int, verdict: str) -> None:
        """Put a seat out: its bid of this turn is shown and doesn't count; a last seat ends the play (GS-6)."""
        self.ply += 1
        self.log += ((PUBLIC, seat, forfeit_event(seat, verdict)),)
        if self.bids[seat] is not None:
            self.log += ((REVEALED, seat, self.bids[seat]),)
        self.fallen += (seat,)
        self.bids = (*self.bids[:seat], None, *self.bids[seat + 1 :])
        if self.seats - len(self.fallen) == 1:
            self.finish(verdict if self.seats == 2 else LAST_STANDING)
        else:
            self.ask()

    def is_out(self, seat: int) -> bool:
        """Return whether the seat has forfeited."""
        return seat in self.fallen

    def text(self, move: int) -> str:
        """Return the action string of a bid."""
        return write_bid(move)

    def parse(self, text: str) -> int:
        """Return the card of an action string. Raises MalformedAction or IllegalAction."""
        for card in self.moves():
            if text == write_bid(card):
                return card
        if text not in map(write_bid, self.prizes):
            template = gettext_noop("%(text)s isn't a bid: write bid and a card from 1 to %(highest)s")
            raise MalformedAction(message(template, text=quote(text[:60]), highest=len(self.prizes)))
        if self.to_act is None:
            raise IllegalAction(message(gettext_noop("the leg is finished")))
        template = gettext_noop("card %(card)s was already bid (GS-2)")
        raise IllegalAction(message(template, card=text.split()[1]))

    def view(self, seat: int) -> Json:
        """Return everything this seat can see: all but the others' bids in this turn and the prizes to come."""
        return {
            "decision": "bid",
            "to_move": self.to_act,
            "turn": self.turn,
            "stake": list(self.stake),
            "points": list(self.points),
            "out": sorted(self.fallen),
            "bid": self.bids[seat],
            "hands": [self.list_cards(owner, seat) for owner in range(self.seats)],
        }

    def list_cards(self, owner: int, seat: int) -> list[int]:
        """Return the cards of `owner` as `seat` sees them; to others a secret bid is still in the hand."""
        bid = self.bids[owner]
        return sorted(self.hands[owner] + ((bid,) if bid is not None and owner != seat else ()))

    def events(self, seat: int | None, since: int = 0) -> list[Json]:
        """Return what this seat knows from log position `since` on."""
        told = (tell_entry(entry, seat) for entry in self.log[since:])
        return [event for event in told if event is not None]

    @property
    def log_length(self) -> int:
        """Return the log position after the last event."""
        return len(self.log)

    def copy(self) -> Self:
        """Return an independent copy; all fields hold values that never change."""
        return copy(self)

    def redeal(self, seat: int, rng: Random) -> Self:
        """Return another state: other bids of the others in this turn, and other prizes to come."""
        twin = self.copy()
        to_come = list(self.prizes[self.turn :])
        shuffle(to_come, rng)
        twin.prizes = self.prizes[: self.turn] + tuple(to_come)
        for owner, bid in enumerate(self.bids):
            if bid is not None and owner != seat:
                twin.replace_bid(owner, bid, rng)
        return twin

    def replace_bid(self, owner: int, bid: int, rng: Random) -> None:
        """Replace a bid that no other seat knows with any of that seat's cards."""
        cards = sorted((*self.hands[owner], bid))
        other = cards[int(rng.random() * len(cards))]
        cards.remove(other)
        self.hands = (*self.hands[:owner], tuple(cards), *self.hands[owner + 1 :])
        self.bids = (*self.bids[:owner], other, *self.bids[owner + 1 :])
        self.log = tuple((CHOSEN, owner, other) if entry == (CHOSEN, owner, bid) else entry for entry in self.log)

    def explain(self, action: str) -> Json | None:
        """Return what a bid is for, and the cards it was chosen from."""
        if self.to_act is None or action not in map(write_bid, self.prizes):
            return None
        held = list(self.hands[self.to_act])
        return {
            "seat": self.to_act,
            "card": int(action.split()[1]),
            "legal": int(action.split()[1]) in held,
            "stake": list(self.stake),
            "held": held,
        }


def tell_entry(entry: tuple[int, int, Any], seat: int | None) -> Json | None:
    """Return a log entry as an event, or None if this seat doesn't get it."""
    kind, actor, datum = entry
    if kind == PUBLIC:
        event: Json = datum
        return dict(event)
    return (tell_choice if kind == CHOSEN else tell_revealed_choice)(seat, actor, write_bid(datum))
