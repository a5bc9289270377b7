"""Battalion: its edition, its deal, and how a play begins."""

from collections.abc import Iterable
from pathlib import Path
from random import Random
from typing import Any

from engine.core import BadDeal, Count, Game, Json, State
from engine.games.battalion.events import count_event
from engine.games.battalion.formations import CARDS_HIGH_TO_LOW
from engine.games.battalion.options import LOT, PRESETS, RULE_OPTIONS, TITLES, Rules
from engine.games.battalion.position import DEPLOY
from engine.games.battalion.state import BattalionState
from engine.options import build_options

ROLLS = 200
FACES = range(1, 7)
MAX_DECISIONS_PER_TURN = len(CARDS_HIGH_TO_LOW) + 2
"""Each card moves once in a turn at most; beside that there is a pick-up and the action that ends the turn."""


class Battalion(Game):
    """The game Battalion."""

    key = "battalion"
    title = "Battalion"
    seats = range(2, 5)
    rules_version = 1
    editions = TITLES
    counts = "round"
    secret_actions = frozenset({"deploy", "reform", "reinforce"})
    revealing_events = frozenset({"attack", "modify"})
    simultaneous_decisions = frozenset({DEPLOY})
    has_deal = False
    rule_options = RULE_OPTIONS
    schema_file = Path(__file__).with_name("schema.json")

    def options(self, edition: str, **changes: Any) -> Json:
        """Return every option of the edition with these changes. Raises BadOptions."""
        return build_options(PRESETS, RULE_OPTIONS, edition, changes)

    def deal(self, options: Json, seats: int, rng: Random) -> Json:
        """Return `{"dice": [200 rolls]}`, used in order and then from the start again (BT-31).

        With `start` "lot" there is also `"first"`, the seat that moves first (BT-1).
        """
        rules = Rules.read(self.complete_options(options))
        deal: Json = {"dice": [FACES[int(rng.random() * len(FACES))] for _ in range(ROLLS)]}
        return deal | {"first": int(rng.random() * seats)} if rules.start == LOT else deal

    def start(self, options: Json, seats: int, deal: Json) -> BattalionState:
        """Return the first state: seat 0 deploys. Raises BadDeal."""
        rules = Rules.read(self.complete_options(options))
        check_deal(rules, seats, deal)
        return BattalionState(rules, seats, tuple(deal["dice"]), deal.get("first", 0))

    def max_plies(self, options: Json, seats: int) -> int:
        """Return the decisions of the longest rounds there can be, with a deployment and a forfeit of each seat."""
        rounds: int = options["round_limit"]
        return seats * (2 + rounds * MAX_DECISIONS_PER_TURN)

    def count_event(self, state: State, event: Json) -> Iterable[Count]:
        """Return what an event adds to the statistics."""
        assert isinstance(state, BattalionState)
        return count_event(state, event)


def check_deal(rules: Rules, seats: int, deal: Json) -> None:
    """Raise BadDeal where the deal is not a list of rolls, and with a lot the seat that moves first."""
    if seats not in Battalion.seats:
        raise BadDeal(f"Battalion has two to four seats, not {seats}")
    if rules.start == LOT:
        if set(deal) != {"dice", "first"}:
            raise BadDeal("a deal has dice, and the first seat that was drawn, and nothing else")
        if type(deal["first"]) is not int or deal["first"] not in range(seats):
            raise BadDeal(f"the first seat is a whole number from 0 to {seats - 1}")
    elif set(deal) != {"dice"}:
        raise BadDeal("a deal has dice and nothing else")
    dice = deal["dice"]
    if not isinstance(dice, list) or len(dice) != ROLLS:
        raise BadDeal(f"dice should be a list of {ROLLS} rolls")
    if any(type(roll) is not int or roll not in FACES for roll in dice):
        raise BadDeal("every roll is a whole number from 1 to 6")
