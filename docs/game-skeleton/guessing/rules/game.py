"""Guessing: its options, its deal, and how a play begins."""

from random import Random
from typing import Any

from engine.core import BadDeal, Game, Json
from engine.message import gettext_noop, message
from engine.options import NumberOption, RuleOption, build_options, check_options
from guessing.rules.state import GuessingState

RULE_OPTIONS: tuple[RuleOption, ...] = (
    NumberOption(
        "highest",
        message(gettext_noop("Highest number")),
        message(gettext_noop("The number to guess is from 1 to this one.")),
        (),
        2,
        1000,
        gettext_noop("numbers to %(number)s"),
    ),
)
PRESETS: dict[str, Json] = {"standard": {"highest": 20}}


class Guessing(Game):
    """The game Guessing: the first one to guess the number wins."""

    key = "guessing"
    title = "Guessing"
    seats = range(2, 5)
    rules_version = 1
    editions = {"standard": gettext_noop("Standard")}
    counts = "turn"
    secret_actions = frozenset[str]()
    rule_options = RULE_OPTIONS

    def options(self, edition: str, **changes: Any) -> Json:
        """Return every option of the edition with these changes. Raises BadOptions."""
        return build_options(PRESETS, RULE_OPTIONS, edition, changes)

    def deal(self, options: Json, seats: int, rng: Random) -> Json:
        """Return `{"number": the number to guess}`."""
        return {"number": 1 + int(rng.random() * options["highest"])}

    def start(self, options: Json, seats: int, deal: Json) -> GuessingState:
        """Return the first state: seat 0 guesses. Raises BadDeal."""
        check_options(options, RULE_OPTIONS)
        if seats not in self.seats:
            raise BadDeal(f"Guessing has two to four seats, not {seats}")
        if set(deal) != {"number"} or type(deal["number"]) is not int:
            raise BadDeal("a deal has a number and nothing else")
        if not 1 <= deal["number"] <= options["highest"]:
            raise BadDeal(f"the number is from 1 to {options['highest']}")
        return GuessingState(seats, deal["number"], options["highest"])

    def max_plies(self, options: Json, seats: int) -> int:
        """Return a guess for each number, and a forfeit of each seat."""
        return int(options["highest"]) + seats
