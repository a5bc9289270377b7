"""Goofspiel: its editions, its deal, and how a play begins (GS-1)."""

from pathlib import Path
from random import Random
from typing import Any

from engine.core import BadDeal, Game, Json
from engine.deal import check_deck, shuffle
from engine.message import gettext_noop, message
from engine.options import ChoiceOption, NumberOption, OptionValue, RuleOption, build_options, check_options
from goofspiel.rules.state import CARRIED, LOST, GoofspielState

RULE_OPTIONS: tuple[RuleOption, ...] = (
    NumberOption(
        "cards",
        message(gettext_noop("Cards per suit")),
        message(gettext_noop("Each player bids cards from 1 to this number, for as many prizes.")),
        ("GS-1",),
        2,
        13,
        gettext_noop("%(number)s cards"),
    ),
    ChoiceOption(
        "ties",
        message(gettext_noop("Ties")),
        message(gettext_noop("What happens to the stake when the highest bid is tied.")),
        ("GS-4",),
        (
            OptionValue(
                CARRIED,
                message(gettext_noop("Carried over")),
                message(gettext_noop("The stake is added to the next prize.")),
                message(gettext_noop("ties are carried over")),
            ),
            OptionValue(
                LOST,
                message(gettext_noop("The stake is lost")),
                message(gettext_noop("No one gets the stake.")),
                message(gettext_noop("ties are lost")),
            ),
        ),
    ),
)
PRESETS: dict[str, Json] = {"standard": {"cards": 13}, "short": {"cards": 7}}


class Goofspiel(Game):
    """The game Goofspiel, also called the Game of Pure Strategy."""

    key = "goofspiel"
    title = "Goofspiel"
    seats = range(2, 4)
    rules_version = 1
    editions = {"standard": gettext_noop("Standard"), "short": gettext_noop("Short")}
    counts = "turn"
    secret_actions = frozenset({"bid"})
    rule_options = RULE_OPTIONS
    schema_file = Path(__file__).with_name("schema.json")

    def options(self, edition: str, **changes: Any) -> Json:
        """Return every option of the edition with these changes. Raises BadOptions."""
        return build_options(PRESETS, RULE_OPTIONS, edition, changes)

    def deal(self, options: Json, seats: int, rng: Random) -> Json:
        """Return `{"prizes": [in the order they are turned up]}`."""
        prizes = list(range(1, options["cards"] + 1))
        shuffle(prizes, rng)
        return {"prizes": prizes}

    def start(self, options: Json, seats: int, deal: Json) -> GoofspielState:
        """Return the first state: the first prize is turned up. Raises BadDeal."""
        check_options(options, RULE_OPTIONS)
        if seats not in self.seats:
            raise BadDeal(f"Goofspiel has two or three seats, not {seats}")
        if set(deal) != {"prizes"}:
            raise BadDeal("a deal has prizes and nothing else")
        check_deck("prizes", deal["prizes"], range(1, options["cards"] + 1))
        return GoofspielState(seats, tuple(deal["prizes"]), options["ties"])

    def max_plies(self, options: Json, seats: int) -> int:
        """Return a bid of each seat for each prize, and a forfeit of each."""
        return seats * (int(options["cards"]) + 1)
