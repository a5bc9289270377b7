"""Leaks, looked for by dealing anew what a seat can't know: nothing it sees may change, and all else should."""

from collections import Counter
from random import Random

import pytest

from engine.contract.checks import check_redeal
from engine.core import Json, State
from engine.games.battalion.state import BattalionState
from tests.engine.battalion.board import CARDS, GUARDS, Event
from tests.engine.battalion.knowledge import Knowledge
from tests.engine.battalion.lockstep import Lockstep
from tests.engine.battalion.staging import begin, cards, legal, play, side, undeployed
from tests.engine.plays import how_many
from tests.full import is_full_run

PLAYS = how_many(12 if is_full_run() else 4)
STOPS = 0.1
"""Share of the decisions at which all seats' knowledge is dealt anew."""


class Watched(Lockstep):
    """A play beside which everybody's knowledge of each seat is kept."""

    def __init__(self, seats: int, seed: int) -> None:
        super().__init__(seats, seed, Counter())
        self.known = [Knowledge(seat) for seat in range(seats)]

    def step(self) -> None:
        referee = self.referee
        deploying = referee.deploying
        before = [referee.view_of(seat, -1) for seat in range(self.state.seats)]
        length = len(referee.log)
        super().step()
        if deploying:
            for known in self.known if not referee.deploying else []:
                if not referee.players[known.seat]["out"]:
                    known.deployed(referee)
            return
        for event, _ in referee.log[length:]:
            if event and "action" in event and event["action"] != "forfeit":
                self.follow(before, event)

    def follow(self, before: list[Event], event: Event) -> None:
        for known in self.known:
            if not before[known.seat]["out"]:
                known.follow(before[known.seat], event, self.referee)


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_redealing_changes_no_view_and_no_event_and_deals_only_what_can_be(seats: int) -> None:
    changed: Counter[str] = Counter()
    for seed in range(PLAYS):
        watched = Watched(seats, seed)
        while watched.referee.to_act is not None:
            if watched.rng.random() < STOPS:
                for seat in range(seats):
                    twin = check_redeal(watched.state, seat, watched.rng)
                    check_cards(watched, twin, seat, changed)
            watched.step()
    names = ("hand", "cells", "guard", "later rolls", "after reforming")
    assert min(changed[name] for name in names) >= PLAYS // 2, changed


def check_cards(watched: Watched, twin: State, seat: int, changed: Counter[str]) -> None:
    state = watched.state
    for other in range(state.seats):
        if other == seat or watched.referee.deploying or side(state, other)["out"]:
            continue
        true, dealt = (cards(one, other) for one in (state, twin))
        hands = [side(one, other)["hand"] for one in (state, twin)]
        assert sorted([*bare(true).values(), *hands[0]]) == sorted([*bare(dealt).values(), *hands[1]])
        known = watched.known[other]
        assert known.allows(bare(true), hands[0]), (seat, other, "the knowledge is wrong")
        assert known.allows(bare(dealt), hands[1]), (seat, other, state.ply)
        changed["hand"] += hands[0] != hands[1]
        changed["guard"] += true.get("g") != dealt.get("g")
        changed["cells"] += any(true[cell] != dealt[cell] for cell in true)
        changed["after reforming"] += side(state, other)["reformed"] and true != dealt
    changed["later rolls"] += next_roll(state) != next_roll(twin)


def next_roll(state: State) -> int | None:
    if "modify" not in legal(state):
        return None
    twin = state.copy()
    twin.play(twin.parse("modify"))
    roll: int = twin.events(None)[-1]["roll"]
    return roll


def bare(shown: dict[str, str]) -> dict[str, str]:
    return {cell: card.rstrip("!") for cell, card in shown.items()}


def spread(state: State, seat: int, count: int = 600) -> dict[str, set[str]]:
    """The cards that come to lie in each place of seat 1 when it is dealt anew for `seat`, the hand as `hand`."""
    found: dict[str, set[str]] = {"hand": set()}
    for seed in range(count):
        twin = state.redeal(seat, Random(seed))
        for cell, card in bare(cards(twin, 1)).items():
            found.setdefault(cell, set()).add(card)
        found["hand"] |= set(side(twin, 1)["hand"])
    return found


def test_any_card_may_lie_anywhere_but_the_guard_is_a_two_to_ten() -> None:
    found = spread(begin("0=A guard=5", "0=Q,2=7/0=3 guard=6"), 0)
    assert found == {"1a": set(CARDS), "1b": set(CARDS), "2a": set(CARDS), "hand": set(CARDS), "g": set(GUARDS)}


def test_a_card_taken_up_again_lies_where_the_hand_went() -> None:
    """Seat 1 has laid out all its cards, and holds the 10 and 9 again, one of which it brings back."""
    army = "0=10,2=9,4=8,6=7/0=A,2=K,4=Q,6=J/0=6,2=5,4=4,6=3 guard=2"
    state = begin("0=2,2=3,4=4 guard=5", army)
    play(state, "pass", "attack 1a 0:1a", "pass", "attack 1b 0:1b", "pass")
    play(state, "pickup", "move 2a 1a", "move 3a 2a", "reinforce 9 3a")
    found = spread(state, 0)
    assert found["3a"] == found["hand"] == {"10", "9"}
    assert not {"10", "9"} & (found["1a"] | found["2a"] | found["g"])


def test_after_a_reforming_no_card_is_dealt_to_the_front_that_came_from_the_back_row() -> None:
    """One of four cards that everybody saw came back into the back row; the other three are in the hand."""
    army = "0=10,2=9,4=8,6=7/0=A,2=K,4=Q,6=J/0=6,2=5,4=4,6=3 guard=2"
    state = begin("0=2,2=3,4=4,6=6 guard=5", army)
    for cell in "abcd":
        play(state, "pass", f"attack 1{cell} 0:1{cell}")
    play(state, "pass", "pickup", "move 2a 1a", "move 3a 2a", "reinforce 10 3a", "pass")
    play(state, "reform 0=A,2=6,4=K,6=Q/0=10,2=5,4=4,6=3 hand=J")
    found = spread(state, 0)
    seen = {"10", "9", "8", "7"}
    assert not seen & (found["1a"] | found["1b"] | found["1c"] | found["1d"])
    for seed in range(100):
        assert len(seen & set(side(state.redeal(0, Random(seed)), 1)["hand"])) >= 3, "of four cards one was another"
    assert seen <= found["2a"] & found["2d"] & found["hand"] and "J" in found["1a"] & found["2a"] & found["hand"]


def taken_back_and_seen(brought: str) -> State:
    """The J went into a hand of 9, 8 and 7 that had been seen, as the 10 had; this card of it is seen at 2a now."""
    army = "0=10,2=9,4=8,6=7/0=A,2=K,4=Q,6=J/0=6,2=5,4=4,6=3 guard=2"
    state = begin("0=2,2=3,4=4,6=6 guard=5", army)
    for cell in "abcd":
        play(state, "pass", f"attack 1{cell} 0:1{cell}")
    play(state, "pass", "pickup", "move 2a 1a", "move 3a 2a", "reinforce 10 3a", "pass")
    play(state, "reform 0=A,2=6,4=K,6=Q/0=10,2=5,4=4,6=3 hand=J", "reinforce 7 1a", "attack 1a 0:1a", "reinforce J 1a")
    return play(state, "move 2a 1a", f"reinforce {brought} 2a", "attack 1a 1:2a")


def test_a_seen_card_of_a_hand_into_which_one_was_taken_back_leaves_the_others_as_uncertain() -> None:
    """Of the three cards left in the hand two are the 10, the 8 or the 7."""
    state = taken_back_and_seen("9")
    found = spread(state, 0)
    assert found["2a"] == {"9"} and found["hand"] >= {"10", "8", "7", "J", "6", "K", "Q"} and "J" in found["1b"]
    for seed in range(100):
        assert len({"10", "8", "7"} & set(side(state.redeal(0, Random(seed)), 1)["hand"])) >= 2


def test_once_the_card_taken_back_is_seen_the_others_of_the_hand_are_those_it_held_before() -> None:
    found = spread(taken_back_and_seen("J"), 0)
    assert found["2a"] == {"J"} and found["hand"] == {"10", "9", "8", "7"}


def test_a_card_taken_back_into_an_empty_hand_may_be_any_that_was_laid_out() -> None:
    """The 10 was seen, picked up and brought again; the hand of seat 1 is taken away by hand."""
    state = begin("0=2,2=3,4=4 guard=5", "0=10,2=9/0=A,2=Q guard=2")
    state.sides[1].hand = 0  # type: ignore[attr-defined]
    play(state, "pass", "attack 1a 0:1a", "pass", "pickup", "move 2a 1a", "reinforce 10 2a", "pass")
    play(state, "reform 0=A,2=9/0=Q hand=10")
    found = spread(state, 0)
    never_seen = {"A", "Q", "9", "2"}
    assert found["hand"] == found["2a"] == never_seen | {"10"}
    assert found["1a"] == found["1b"] == never_seen and found["g"] == {"9", "2"}


def test_rolls_to_come_are_any_of_a_die_and_those_made_stay() -> None:
    state = play(begin("0=A guard=5", "0=2 guard=3", dice=(6,)), "modify")
    twins = [state.redeal(1, Random(seed)) for seed in range(100)]
    assert {next_roll(twin) for twin in twins} == set(range(1, 7))
    assert all(twin.events(None) == state.events(None) for twin in twins)


def test_deployments_nobody_has_seen_are_any() -> None:
    state = play(undeployed(2), "deploy 0=A guard=5")
    shapes, guards = set(), set()
    for seed in range(100):
        twin = state.redeal(1, Random(seed))
        play(twin, "deploy 0=A guard=5")
        shapes.add(str(side(twin, 0, 1)["rows"]))
        guards.add(cards(twin, 0)["g"])
    assert len(shapes) > 5 and guards == set(GUARDS)


class LeaksHand(BattalionState):
    __slots__ = ()

    def view(self, seat: int) -> Json:
        told = super().view(seat)
        return told | {"hint": super().view(1 - seat)["seats"][1 - seat]["hand"]}


class LeaksGuard(BattalionState):
    __slots__ = ()

    def events(self, seat: int | None, since: int = 0) -> list[Json]:
        return [*super().events(seat, since), {"event": "hint", "guard": super().view(0)["seats"][0]["guard"]}]


class LeaksDice(BattalionState):
    __slots__ = ()

    def view(self, seat: int) -> Json:
        return super().view(seat) | {"luck": sum(self.dice[self.rolled :])}


@pytest.mark.parametrize("leaky", [LeaksHand, LeaksGuard, LeaksDice])
def test_the_check_notices_a_leak(leaky: type[BattalionState]) -> None:
    state = begin("0=A,2=9 guard=5", "0=2 guard=7")
    state.__class__ = leaky
    with pytest.raises(AssertionError, match="can't know"):
        for seed in range(10):
            check_redeal(state, 1, Random(seed))
