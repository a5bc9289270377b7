"""The rule options (BT-1, BT-42), and the one edition."""

from dataclasses import dataclass
from typing import Final, Self

from engine.core import Json
from engine.message import gettext_noop, message
from engine.options import ChoiceOption, NumberOption, OptionValue, RuleOption, check_options

TITLES: Final = {"standard": "Standard"}
MAX_ROUNDS: Final = 10_000

SEAT_0: Final = "seat-0"
LOT: Final = "lot"
RULE_OPTIONS: Final[tuple[RuleOption, ...]] = (
    NumberOption(
        "quiet_rounds",
        message(gettext_noop("Quiet rounds")),
        message(gettext_noop("The leg ends after this many whole rounds in a row without a death.")),
        ("BT-42",),
        1,
        MAX_ROUNDS,
        gettext_noop("quiet rounds: %(number)s"),
    ),
    NumberOption(
        "round_limit",
        message(gettext_noop("Round limit")),
        message(gettext_noop("The leg ends after this many whole rounds at the latest.")),
        ("BT-42",),
        1,
        MAX_ROUNDS,
        gettext_noop("round limit: %(number)s"),
    ),
    ChoiceOption(
        "start",
        message(gettext_noop("Who moves first")),
        message(gettext_noop("Which seat moves first once everyone has deployed.")),
        ("BT-1", "BT-42"),
        (
            OptionValue(
                SEAT_0,
                message(gettext_noop("Seat 0")),
                message(gettext_noop("Seat 0 moves first.")),
                message(gettext_noop("seat 0 moves first")),
            ),
            OptionValue(
                LOT,
                message(gettext_noop("Random")),
                message(gettext_noop("A random seat moves first, and play continues round the table from there.")),
                message(gettext_noop("a random seat moves first")),
            ),
        ),
        introduced_with=SEAT_0,
    ),
)
"""Every option in the order of the protocol."""
PRESETS: Final[dict[str, Json]] = {"standard": {"quiet_rounds": 20, "round_limit": 150}}
"""What each edition sets beside the first value of each choice."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The options in force."""

    quiet_rounds: int
    """Whole rounds in a row without a death that end a play."""
    round_limit: int
    """The last round there can be."""
    start: str
    """SEAT_0, or LOT: the deal says which seat moves first."""

    @classmethod
    def read(cls, options: Json) -> Self:
        """Return the rules for these public options. Raises BadOptions where one is unknown, missing or wrong."""
        check_options(options, RULE_OPTIONS)
        return cls(**options)
