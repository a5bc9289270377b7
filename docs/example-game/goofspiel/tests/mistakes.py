"""Mistakes planted in Goofspiel, each as a game of its own; the contract's checks or the oracle find them all."""

from collections.abc import Callable
from copy import copy
from random import Random, random
from typing import Any

from engine.core import IllegalAction, Json, Outcome, forfeit_event
from engine.deal import shuffle
from engine.message import literal
from goofspiel.rules.game import Goofspiel
from goofspiel.rules.state import CARRIED, CHOSEN, LOST, PUBLIC, GoofspielState

MISTAKES: dict[str, Goofspiel] = {}


def plant(**attributes: Any) -> Callable[[type[GoofspielState]], type[GoofspielState]]:
    """Make a game whose plays have this class, with other attributes of the game where they are given."""

    def add(state: type[GoofspielState]) -> type[GoofspielState]:
        def start(self: Goofspiel, options: Json, seats: int, deal: Json) -> GoofspielState:
            good = Goofspiel.start(self, options, seats, deal)
            return state(good.seats, good.prizes, good.ties)

        game = type(state.__name__ + "Game", (Goofspiel,), {"start": start, **attributes})
        MISTAKES[state.__name__] = game()
        return state

    return add


@plant()
class TieGoesToASeat(GoofspielState):
    def list_highest(self, bids: dict[int, int]) -> list[int]:
        return super().list_highest(bids)[:1]


@plant()
class StakeIsLost(GoofspielState):
    def turn_up(self) -> None:
        self.stake = ()
        super().turn_up()


@plant()
class LowestBidWins(GoofspielState):
    def list_highest(self, bids: dict[int, int]) -> list[int]:
        return super().list_highest({seat: -bid for seat, bid in bids.items()})


@plant()
class ScoresArePlaces(GoofspielState):
    def finish(self, reason: str) -> None:
        super().finish(reason)
        assert self.outcome is not None
        self.outcome = Outcome(self.outcome.places, self.outcome.places, reason)


@plant()
class LowestScoreIsFirst(GoofspielState):
    def finish(self, reason: str) -> None:
        super().finish(reason)
        assert self.outcome is not None
        places = Outcome.from_scores([-score for score in self.outcome.scores], reason).places
        self.outcome = Outcome(places, self.outcome.scores, reason)


@plant()
class NoTurn(GoofspielState):
    def view(self, seat: int) -> Json:
        return {key: value for key, value in super().view(seat).items() if key != "turn"}


@plant()
class TurnJumps(GoofspielState):
    def view(self, seat: int) -> Json:
        return super().view(seat) | {"turn": self.turn * 2}


@plant()
class BidIsToldAtOnce(GoofspielState):
    def events(self, seat: int | None, since: int = 0) -> list[Json]:
        return super().events(None, since)


@plant()
class BidIsToldAndRedealCopies(BidIsToldAtOnce):
    def redeal(self, seat: int, rng: Random) -> "BidIsToldAndRedealCopies":
        return self.copy()


@plant()
class EverythingIsTold(BidIsToldAndRedealCopies):
    def view(self, seat: int) -> Json:
        return super().view(seat) | {"bids": list(self.bids), "prizes": list(self.prizes)}


@plant(secret_actions=frozenset())
class BidIsNotSecretAndRedealCopies(BidIsToldAndRedealCopies):
    pass


@plant(secret_actions=frozenset())
class SecretIsNotDeclared(GoofspielState):
    pass


@plant()
class RedealCopies(GoofspielState):
    def redeal(self, seat: int, rng: Random) -> "RedealCopies":
        return self.copy()


@plant()
class RedealKeepsPrizes(GoofspielState):
    def redeal(self, seat: int, rng: Random) -> "RedealKeepsPrizes":
        twin = super().redeal(seat, rng)
        twin.prizes = self.prizes
        return twin


@plant()
class RedealKeepsBids(GoofspielState):
    def replace_bid(self, owner: int, bid: int, rng: Random) -> None:
        pass


@plant()
class ViewShowsBids(GoofspielState):
    def list_cards(self, owner: int, seat: int) -> list[int]:
        return sorted(self.hands[owner])


@plant()
class ViewShowsNextPrize(GoofspielState):
    def view(self, seat: int) -> Json:
        return super().view(seat) | {"next": list(self.prizes[self.turn : self.turn + 1])}


@plant()
class ExplanationShowsBids(GoofspielState):
    def explain(self, action: str) -> Json | None:
        said = super().explain(action)
        return None if said is None else said | {"bids": list(self.bids), "prizes": list(self.prizes)}


@plant()
class CopiesShareTheLog(GoofspielState):
    def __init__(self, seats: int, prizes: tuple[int, ...], ties: str) -> None:
        self.shared: list[int] = []
        super().__init__(seats, prizes, ties)

    def play(self, move: int) -> None:
        self.shared.append(move)
        super().play(move)

    def view(self, seat: int) -> Json:
        return super().view(seat) | {"bids_so_far": len(self.shared)}


@plant()
class ListIsNotComplete(GoofspielState):
    def moves(self) -> tuple[int, ...]:
        moves = super().moves()
        return moves[:-1] if len(moves) > 1 else moves

    def parse(self, text: str) -> int:
        if self.to_act is not None and text in (f"bid {card}" for card in self.hands[self.to_act]):
            return int(text.split()[1])
        return super().parse(text)


@plant()
class WhoForfeitsKeepsItsPlace(GoofspielState):
    def finish(self, reason: str) -> None:
        self.outcome = Outcome.from_scores(self.points, reason)
        self.to_act = None


@plant()
class WhoForfeitsIsAskedAgain(GoofspielState):
    def ask(self) -> None:
        waiting = [seat for seat in range(self.seats) if self.bids[seat] is None]
        if waiting:
            self.to_act = waiting[0]
        else:
            self.compare()


@plant()
class ForfeitOfOneEndsItForThree(GoofspielState):
    def forfeit(self, seat: int, verdict: str) -> None:
        self.ply += 1
        self.log += ((PUBLIC, seat, forfeit_event(seat, verdict)),)
        self.fallen += (seat,)
        self.finish(verdict)


@plant()
class BidOfWhoForfeitedCounts(GoofspielState):
    def forfeit(self, seat: int, verdict: str) -> None:
        before = self.bids
        super().forfeit(seat, verdict)
        if self.to_act is not None and before[seat] is not None:
            self.points = tuple(own + 1 * (owner != seat) for owner, own in enumerate(self.points))


@plant()
class ChanceOutsideTheDeal(GoofspielState):
    def turn_up(self) -> None:
        super().turn_up()
        if random() < 0.5:
            self.points = tuple(own + 1 for own in self.points)


@plant()
class EventsChangeLater(GoofspielState):
    def compare(self) -> None:
        super().compare()
        self.log = tuple(entry for entry in self.log if entry[0] != CHOSEN)


@plant(max_plies=lambda self, options, seats: options["cards"])
class PlaysAreLonger(GoofspielState):
    pass


@plant()
class AnyWordIsLegal(GoofspielState):
    def parse(self, text: str) -> int:
        words = copy(text).split()
        if self.to_act is not None and words and words[0] == "bid":
            return self.hands[self.to_act][0]
        return super().parse(text)


@plant()
class LostStakesAreCarried(GoofspielState):
    def turn_up(self) -> None:
        last = self.log[-1][2] if self.log else {}
        if self.ties == LOST and last.get("event") == "tie":
            self.stake = tuple(last["prizes"])
        super().turn_up()


@plant()
class LastForfeitIsLastPlace(GoofspielState):
    def finish(self, reason: str) -> None:
        self.fallen = self.fallen[::-1]
        super().finish(reason)


@plant()
class HighestBidOfWhoForfeitedIsCompared(GoofspielState):
    def forfeit(self, seat: int, verdict: str) -> None:
        self.gone = self.bids[seat]
        super().forfeit(seat, verdict)

    def list_highest(self, bids: dict[int, int]) -> list[int]:
        gone, self.gone = getattr(self, "gone", None), None
        return [] if gone is not None and gone > max(bids.values()) else super().list_highest(bids)


@plant()
class RedealDrawsFromElsewhere(GoofspielState):
    def redeal(self, seat: int, rng: Random) -> "RedealDrawsFromElsewhere":
        twin = super().redeal(seat, rng)
        to_come = list(twin.prizes[self.turn :])
        shuffle(to_come, Random())
        twin.prizes = (*twin.prizes[: self.turn], *to_come)
        return twin


@plant()
class NumbersMayHaveZeros(GoofspielState):
    def parse(self, text: str) -> int:
        word, _, number = text.partition(" ")
        return super().parse(f"{word} {number.lstrip('0')}")


@plant()
class CapitalsAreRead(GoofspielState):
    def parse(self, text: str) -> int:
        return super().parse(text.lower())


@plant()
class RedealKeepsTheBidInTheLog(GoofspielState):
    def replace_bid(self, owner: int, bid: int, rng: Random) -> None:
        before = self.log
        super().replace_bid(owner, bid, rng)
        self.log = before


@plant()
class RedealChangesTheFirstBidOnly(GoofspielState):
    def replace_bid(self, owner: int, bid: int, rng: Random) -> None:
        if all(earlier is None for earlier in self.bids[:owner]):
            super().replace_bid(owner, bid, rng)


@plant()
class ViewShowsAListThatGrows(GoofspielState):
    def __init__(self, seats: int, prizes: tuple[int, ...], ties: str) -> None:
        self.turned_up: list[int] = []
        super().__init__(seats, prizes, ties)

    def copy(self) -> "ViewShowsAListThatGrows":
        twin = super().copy()
        twin.turned_up = list(self.turned_up)
        return twin

    def turn_up(self) -> None:
        super().turn_up()
        self.turned_up.append(self.stake[-1])

    def view(self, seat: int) -> Json:
        return super().view(seat) | {"turned_up": self.turned_up}


@plant()
class RefusalShowsABid(GoofspielState):
    def parse(self, text: str) -> int:
        try:
            return super().parse(text)
        except IllegalAction as refusal:
            raise IllegalAction(literal(f"{refusal} {self.bids}")) from None


@plant()
class ValuesAreComparedByIdentity(GoofspielState):
    def __init__(self, seats: int, prizes: tuple[int, ...], ties: str) -> None:
        super().__init__(seats, prizes, LOST if ties is LOST else CARRIED)


def start_by_using_up(self: Goofspiel, options: Json, seats: int, deal: Json) -> GoofspielState:
    good = Goofspiel.start(self, options, seats, deal)
    deal["prizes"].reverse()
    return good


def start_with_any_prizes(self: Goofspiel, options: Json, seats: int, deal: Json) -> GoofspielState:
    known = sorted({*deal.get("prizes", ())})
    return Goofspiel.start(self, options, seats, deal | ({"prizes": deal["prizes"][: len(known)]} if known else {}))


def take_the_preset(self: Goofspiel, edition: str, **changes: Any) -> Json:
    return Goofspiel.options(self, edition, **changes) | {"cards": Goofspiel.options(self, edition)["cards"]}


MISTAKES["DealIsUsedUp"] = type("DealIsUsedUpGame", (Goofspiel,), {"start": start_by_using_up})()
MISTAKES["CardTwiceIsTaken"] = type("CardTwiceIsTakenGame", (Goofspiel,), {"start": start_with_any_prizes})()
MISTAKES["ChangesAreLost"] = type("ChangesAreLostGame", (Goofspiel,), {"options": take_the_preset})()
