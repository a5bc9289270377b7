"""The rule options, and the one edition (BT-42)."""

from dataclasses import dataclass
from typing import Self

from engine.core import BadOptions, Json

TITLES = {"standard": "Standard"}
USUAL = {"quiet_rounds": 20, "round_limit": 150}
MOST = 10_000


@dataclass(frozen=True, slots=True)
class Rules:
    """The options in force: whole rounds without a death that end a play, and the last round there can be."""

    quiet_rounds: int
    round_limit: int

    @classmethod
    def read(cls, options: Json) -> Self:
        """From the public option names. Raises BadOptions where a name or value is unknown or missing."""
        check_options(options)
        return cls(**options)


def edition_options(edition: str, changes: Json) -> Json:
    """Every option of an edition, with changes."""
    if edition not in TITLES:
        raise BadOptions(f"there is no edition {edition!r}; there are: {', '.join(TITLES)}")
    options = USUAL | changes
    check_options(options)
    return options


def check_options(options: Json) -> None:
    for name in options.keys() | USUAL.keys():
        if name not in USUAL:
            raise BadOptions(f"there is no option {name!r}; there are: {', '.join(USUAL)}")
        if name not in options:
            raise BadOptions(f"option {name!r} is missing")
        if type(options[name]) is not int or not 1 <= options[name] <= MOST:
            raise BadOptions(f"option {name!r} can't be {options[name]!r}; it is a whole number from 1 to {MOST}")
