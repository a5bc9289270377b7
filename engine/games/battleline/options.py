"""The rule options and their presets, the editions."""

from dataclasses import dataclass
from typing import Any, Final, Self

from engine.core import Json
from engine.message import gettext_noop, message
from engine.options import BadOptions, ChoiceOption, OptionValue, Value, build_options
from engine.options import check_options as check_each_option


def choice(value: Value, title: str, description: str, phrase: str) -> OptionValue:
    """Return a value of an option; the texts are templates marked with `gettext_noop`."""
    return OptionValue(value, message(title), message(description), message(phrase))


RULE_OPTIONS: Final[tuple[ChoiceOption, ...]] = (
    ChoiceOption(
        "colours",
        message(gettext_noop("Troop colours")),
        message(gettext_noop("The colours or suits of the troops.")),
        ("BL-10",),
        (
            choice(
                "ROYGBP",
                gettext_noop("Six colours"),
                gettext_noop("The troops are red, orange, yellow, green, blue and purple."),
                gettext_noop("with six colours"),
            ),
            choice(
                "SHDC",
                gettext_noop("Four suits"),
                gettext_noop("The troops are spades, hearts, diamonds and clubs; an ace counts 1."),
                gettext_noop("with four suits"),
            ),
        ),
    ),
    ChoiceOption(
        "copies",
        message(gettext_noop("Copies of each troop")),
        message(gettext_noop("How many of each troop the deck has.")),
        ("BL-11",),
        (
            choice(
                1,
                gettext_noop("Each troop once"),
                gettext_noop("The deck has each troop once."),
                gettext_noop("each troop once"),
            ),
            choice(
                2,
                gettext_noop("Each troop twice"),
                gettext_noop("The deck has each troop twice; two equal cards never continue a run."),
                gettext_noop("each troop twice"),
            ),
        ),
    ),
    ChoiceOption(
        "flags",
        message(gettext_noop("Number of flags")),
        message(gettext_noop("How many flags are in the row between the players.")),
        ("BL-3", "BL-21"),
        (
            choice(9, gettext_noop("Nine flags"), gettext_noop("The row has nine flags."), gettext_noop("nine flags")),
            choice(5, gettext_noop("Five flags"), gettext_noop("The row has five flags."), gettext_noop("five flags")),
            choice(
                7, gettext_noop("Seven flags"), gettext_noop("The row has seven flags."), gettext_noop("seven flags")
            ),
        ),
    ),
    ChoiceOption(
        "envelopment",
        message(gettext_noop("Envelopment")),
        message(gettext_noop("How many flags, anywhere in the row, win immediately.")),
        ("BL-21",),
        (
            choice(
                5,
                gettext_noop("Any five flags win"),
                gettext_noop("A player with five flags wins, wherever they are."),
                gettext_noop("any five flags win"),
            ),
            choice(
                3,
                gettext_noop("Any three flags win"),
                gettext_noop("A player with three flags wins, wherever they are."),
                gettext_noop("any three flags win"),
            ),
        ),
    ),
    ChoiceOption(
        "breakthrough",
        message(gettext_noop("Breakthrough")),
        message(gettext_noop("Whether three adjacent flags win immediately.")),
        ("BL-21",),
        (
            choice(
                True,
                gettext_noop("With breakthrough"),
                gettext_noop("A player with three adjacent flags wins."),
                gettext_noop("with breakthrough"),
            ),
            choice(
                False,
                gettext_noop("Without breakthrough"),
                gettext_noop("Adjacent flags count the same as others."),
                gettext_noop("without breakthrough"),
            ),
        ),
    ),
    ChoiceOption(
        "tactics",
        message(gettext_noop("Tactics cards")),
        message(gettext_noop("The cards of the second deck.")),
        ("BL-30",),
        (
            choice(
                10,
                gettext_noop("The ten tactics"),
                gettext_noop("Two leaders, and one of every other tactic."),
                gettext_noop("with the ten tactics"),
            ),
            choice(
                12,
                gettext_noop("The twelve tactics"),
                gettext_noop("Two leaders, two cavalry, two shield bearers, and one of every other tactic."),
                gettext_noop("with the twelve tactics"),
            ),
            choice(
                0,
                gettext_noop("No tactics"),
                gettext_noop("No second deck, and no tactics are played."),
                gettext_noop("without tactics"),
            ),
        ),
    ),
    ChoiceOption(
        "claims",
        message(gettext_noop("When to claim")),
        message(gettext_noop("When in a turn flags can be claimed.")),
        ("BL-1", "BL-82"),
        (
            choice(
                "any",
                gettext_noop("Before and after playing"),
                gettext_noop("Flags can be claimed before playing a card, and after it until the draw."),
                gettext_noop("claims before and after playing"),
            ),
            choice(
                "start",
                gettext_noop("At the start of the turn"),
                gettext_noop("Flags can only be claimed before playing a card."),
                gettext_noop("claims only at the start of the turn"),
            ),
            choice(
                "either",
                gettext_noop("At the start or the end of the turn"),
                gettext_noop("Flags can be claimed before or after playing a card, but not both in one turn."),
                gettext_noop("claims at the start or the end of the turn"),
            ),
        ),
    ),
    ChoiceOption(
        "leader_limit",
        message(gettext_noop("Leaders per player")),
        message(gettext_noop("Whether each player can play one leader or both.")),
        ("BL-31",),
        (
            choice(
                True,
                gettext_noop("One leader"),
                gettext_noop("Each player can play one leader, whatever happens to it."),
                gettext_noop("one leader per player"),
            ),
            choice(
                False,
                gettext_noop("Both leaders"),
                gettext_noop("A player can play both leaders."),
                gettext_noop("a player can play both leaders"),
            ),
        ),
    ),
    ChoiceOption(
        "pass",
        message(gettext_noop("Passing")),
        message(gettext_noop("When a player can pass.")),
        ("BL-22", "BL-23"),
        (
            choice(
                "no-troop",
                gettext_noop("Without a playable troop"),
                gettext_noop("A player can pass when no troop can be played, even if a tactic could be."),
                gettext_noop("passing without a playable troop"),
            ),
            choice(
                "no-card",
                gettext_noop("Without any playable card"),
                gettext_noop("A player can pass only when no card can be played."),
                gettext_noop("passing only without any playable card"),
            ),
        ),
    ),
    ChoiceOption(
        "tiles",
        message(gettext_noop("Terrain tiles")),
        message(gettext_noop("The nine tiles that change the rules at their flags.")),
        ("BL-69", "BL-70"),
        (
            choice(
                "none",
                gettext_noop("No tiles"),
                gettext_noop("All flags are alike."),
                gettext_noop("without tiles"),
            ),
            choice(
                "shuffled",
                gettext_noop("Shuffled tiles"),
                gettext_noop("The tiles are shuffled onto the flags, face up."),
                gettext_noop("with shuffled tiles"),
            ),
            choice(
                "drafted",
                gettext_noop("Drafted tiles"),
                gettext_noop(
                    "The players draft the tiles and lay them face up or face down; with tactics, each "
                    "starts with a King."
                ),
                gettext_noop("with drafted tiles"),
            ),
        ),
    ),
    ChoiceOption(
        "scout",
        message(gettext_noop("How Scout draws")),
        message(gettext_noop("How the Scout's cards are drawn.")),
        ("BL-35",),
        (
            choice(
                "one-by-one",
                gettext_noop("One by one"),
                gettext_noop("Each card is seen before the next deck is chosen."),
                gettext_noop("the Scout draws one by one"),
            ),
            choice(
                "at-once",
                gettext_noop("All at once"),
                gettext_noop("All decks are chosen before the first card is drawn."),
                gettext_noop("the Scout draws all at once"),
            ),
        ),
    ),
    ChoiceOption(
        "values",
        message(gettext_noop("Troop values")),
        message(gettext_noop("How many troops each colour has.")),
        ("BL-10", "BL-80"),
        (
            choice(
                10,
                gettext_noop("Values 1 to 10"),
                gettext_noop("Each colour has the values 1 to 10."),
                gettext_noop("with the values 1 to 10"),
            ),
            choice(
                9,
                gettext_noop("Values 1 to 9"),
                gettext_noop("Each colour has the values 1 to 9. No tactics are played."),
                gettext_noop("with the values 1 to 9"),
            ),
        ),
        introduced_with=10,
    ),
    ChoiceOption(
        "hand",
        message(gettext_noop("Hand size")),
        message(gettext_noop("How many cards each player is dealt and draws back up to.")),
        ("BL-4", "BL-80"),
        (
            choice(
                7,
                gettext_noop("Seven cards"),
                gettext_noop("A hand has seven cards."),
                gettext_noop("seven-card hands"),
            ),
            choice(6, gettext_noop("Six cards"), gettext_noop("A hand has six cards."), gettext_noop("six-card hands")),
        ),
        introduced_with=7,
    ),
)
"""Every option in the order of the protocol, its value in the `standard` edition first."""

VALUES_IF_ABSENT: Final[Json] = {
    option.key: option.introduced_with for option in RULE_OPTIONS if option.introduced_with is not None
}

PLAYING_CARDS: Final = {"colours": "SHDC", "tactics": 12, "leader_limit": False}
MEDIEVAL: Final = {"pass": "no-card"}

PRESETS: Final[dict[str, dict[str, Any]]] = {
    "standard": {},
    "advanced": {"claims": "start"},
    "short": PLAYING_CARDS | {"flags": 5, "envelopment": 3, "breakthrough": False},
    "long": PLAYING_CARDS | {"copies": 2},
    "medieval": MEDIEVAL,
    "terrain": MEDIEVAL | {"tactics": 0, "tiles": "shuffled"},
    "hundred-years": MEDIEVAL | {"tiles": "drafted"},
    "highlands": {"claims": "start", "tactics": 0, "pass": "no-card", "values": 9, "hand": 6},
}
"""What each edition changes of `standard`."""

TITLES: Final = {
    "standard": "Standard",
    "advanced": "Advanced",
    "short": "Playing cards, short",
    "long": "Playing cards, long",
    "medieval": "Medieval",
    "terrain": "Medieval with terrain",
    "hundred-years": "Hundred Years' War",
    "highlands": "Highlands",
}


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
    """Before playing and after it."""
    claims_either_time: bool
    """Before playing or after it, but not both in one turn (BL-1)."""
    leader_limit: bool
    pass_without_troop: bool
    tiles: str
    scout_at_once: bool
    values: int
    hand: int
    """The number of cards dealt, and drawn up to."""

    @classmethod
    def read(cls, options: Json) -> Self:
        """Return the rules for these public options. Raises BadOptions where one is unknown, missing or wrong.

        Those that were introduced later may be missing, as in old records.
        """
        options = VALUES_IF_ABSENT | options
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
                "values",
                "hand",
            )
        }
        return cls(
            **known,
            claims_any_time=options["claims"] == "any",
            claims_either_time=options["claims"] == "either",
            leader_limit=options["leader_limit"],
            pass_without_troop=options["pass"] == "no-troop",
            tiles=options["tiles"],
            scout_at_once=options["scout"] == "at-once",
        )


def edition_options(edition: str, changes: Json) -> Json:
    """Return every option of an edition, with changes. Raises BadOptions."""
    options = build_options(PRESETS, RULE_OPTIONS, edition, changes)
    check_options(options)
    return options


def check_options(options: Json) -> None:
    """Raise BadOptions where an option is unknown, missing, or has a value it can't have.

    All values go together, except tiles with fewer than nine flags, and tactics with nine values: leaders stand for any
    value to 10. At least ten more troops than are dealt are needed, too (BL-70); there are always more, as the smallest
    deck has 36 and 14 are dealt.
    """
    check_each_option(options, RULE_OPTIONS)
    if options["tiles"] != "none" and options["flags"] != 9:
        raise BadOptions(message(gettext_noop("nine tiles need nine flags")))
    if options["values"] != 10 and options["tactics"] != 0:
        raise BadOptions(message(gettext_noop("troops from 1 to 9 are played without tactics")))
