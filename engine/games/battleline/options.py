"""The rule options and their presets, the editions."""

from dataclasses import dataclass
from typing import Any, Self

from engine.core import BadOptions, Json

ALLOWED: dict[str, tuple[Any, ...]] = {
    "colours": ("ROYGBP", "SHDC"),
    "copies": (1, 2),
    "flags": (9, 5),
    "envelopment": (5, 3),
    "breakthrough": (True, False),
    "tactics": (10, 12, 0),
    "claims": ("any", "start"),
    "leader_limit": (True, False),
    "pass": ("no-troop", "no-card"),
    "tiles": ("none", "shuffled", "drafted"),
    "scout": ("one-by-one", "at-once"),
}
"""Values of each option, that of the `standard` edition first."""

PLAYING_CARDS = {"colours": "SHDC", "tactics": 12, "leader_limit": False}
MEDIEVAL = {"pass": "no-card"}

PRESETS: dict[str, dict[str, Any]] = {
    "standard": {},
    "advanced": {"claims": "start"},
    "short": PLAYING_CARDS | {"flags": 5, "envelopment": 3, "breakthrough": False},
    "long": PLAYING_CARDS | {"copies": 2},
    "medieval": MEDIEVAL,
    "terrain": MEDIEVAL | {"tactics": 0, "tiles": "shuffled"},
    "hundred-years": MEDIEVAL | {"tiles": "drafted"},
}
"""What each edition changes of `standard`."""

TITLES = {
    "standard": "Standard",
    "advanced": "Advanced",
    "short": "Playing cards, short",
    "long": "Playing cards, long",
    "medieval": "Medieval",
    "terrain": "Medieval with terrain",
    "hundred-years": "Hundred Years' War",
}

HAND = 7


@dataclass(frozen=True, slots=True)
class Rules:
    """The options in force, as the rules read them."""

    colours: str
    copies: int
    flags: int
    envelopment: int
    breakthrough: bool
    tactics: int
    claims_any_time: bool
    leader_limit: bool
    pass_without_troop: bool
    tiles: str
    scout_at_once: bool

    @classmethod
    def read(cls, options: Json) -> Self:
        """From the public option names. Raises BadOptions where a name or value is unknown or missing."""
        check_options(options)
        known = {
            name: options[name]
            for name in (
                "colours",
                "copies",
                "flags",
                "envelopment",
                "breakthrough",
                "tactics",
            )
        }
        return cls(
            **known,
            claims_any_time=options["claims"] == "any",
            leader_limit=options["leader_limit"],
            pass_without_troop=options["pass"] == "no-troop",
            tiles=options["tiles"],
            scout_at_once=options["scout"] == "at-once",
        )


def edition_options(edition: str, changes: Json) -> Json:
    """Every option of an edition, with changes."""
    if edition not in PRESETS:
        raise BadOptions(f"there is no edition {edition!r}; there are: {', '.join(PRESETS)}")
    options = {name: values[0] for name, values in ALLOWED.items()} | PRESETS[edition] | changes
    check_options(options)
    return options


def check_options(options: Json) -> None:
    for name in options.keys() | ALLOWED.keys():
        if name not in ALLOWED:
            raise BadOptions(f"there is no option {name!r}; there are: {', '.join(ALLOWED)}")
        if name not in options:
            raise BadOptions(f"option {name!r} is missing")
        if not any(type(options[name]) is type(value) and options[name] == value for value in ALLOWED[name]):
            raise BadOptions(f"option {name!r} can't be {options[name]!r}; it can be {list_values(name)}")
    check_together(options)


def check_together(options: Json) -> None:
    """Options that are refused only in company."""
    if options["tiles"] != "none" and options["flags"] != 9:
        raise BadOptions("nine tiles need nine flags")


def list_values(name: str) -> str:
    return " or ".join(repr(value) for value in ALLOWED[name])
