"""The rule options, and the one edition (BT-42)."""

from dataclasses import dataclass
from typing import Self

from engine.core import BadOptions, Json, check_names, unknown_edition
from engine.message import gettext_noop, message, quote

TITLES = {"standard": "Standard"}
DEFAULTS = {"quiet_rounds": 20, "round_limit": 150}
MAX_ROUNDS = 10_000


@dataclass(frozen=True, slots=True)
class Rules:
    """The options in force: whole rounds without a death that end a play, and the last round there can be."""

    quiet_rounds: int
    round_limit: int

    @classmethod
    def read(cls, options: Json) -> Self:
        """Return the rules for these public options. Raises BadOptions where one is unknown, missing or wrong."""
        check_options(options)
        return cls(**options)


def edition_options(edition: str, changes: Json) -> Json:
    """Return every option of an edition, with changes. Raises BadOptions."""
    if edition not in TITLES:
        raise unknown_edition(edition, TITLES)
    options = DEFAULTS | changes
    check_options(options)
    return options


def check_options(options: Json) -> None:
    """Raise BadOptions where an option is unknown, missing, or has a value it can't have."""
    check_names(options, DEFAULTS)
    for name in DEFAULTS:
        if type(options[name]) is not int or not 1 <= options[name] <= MAX_ROUNDS:
            raise BadOptions(
                message(
                    gettext_noop("option %(option)s can't be %(value)s; it is a whole number from 1 to %(highest)s"),
                    option=quote(name),
                    value=repr(options[name]),
                    highest=MAX_ROUNDS,
                )
            )
