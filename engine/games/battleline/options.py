"""The rule options and their presets, the editions."""

from dataclasses import dataclass
from typing import Any, Self

from engine.core import BadOptions, Json, check_names, unknown_edition
from engine.message import gettext_noop, message, quote

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

HAND_SIZE = 7


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
        """Return the rules for these public options. Raises BadOptions where one is unknown, missing or wrong."""
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
    """Return every option of an edition, with changes. Raises BadOptions."""
    if edition not in PRESETS:
        raise unknown_edition(edition, PRESETS)
    options = {name: values[0] for name, values in ALLOWED.items()} | PRESETS[edition] | changes
    check_options(options)
    return options


def check_options(options: Json) -> None:
    """Raise BadOptions where an option is unknown, missing, or has a value it can't have."""
    check_names(options, ALLOWED)
    for name, values in ALLOWED.items():
        if not any(type(options[name]) is type(value) and options[name] == value for value in values):
            raise BadOptions(
                message(
                    gettext_noop("option %(option)s can't be %(value)s; it is one of %(values)s"),
                    option=quote(name),
                    value=repr(options[name]),
                    values=", ".join(map(repr, values)),
                )
            )
    if options["tiles"] != "none" and options["flags"] != 9:
        raise BadOptions(message(gettext_noop("nine tiles need nine flags")))
