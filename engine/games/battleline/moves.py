"""Moves as small integers and as text.

A move is `kind << 16 | card << 8 | flag << 4 | target`; fields that a kind does not use are 0. DRAW has its deck in the
flag field, DRAW_MANY its number of troops there and its number of tactics in the target field. PICK and LAY have their
tile in the card field, LAY its face in the flag field.
"""

from functools import cache
from typing import Final

from engine.core import MalformedAction
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS, DECK_NAMES, SHIELD
from engine.games.battleline.tiles import TILES
from engine.message import gettext_noop, message, quote

CLAIM: Final = 0
PLACE: Final = 1
SCOUT_OUT: Final = 2
REDEPLOY_CARD: Final = 3
DESERT: Final = 4
BETRAY: Final = 5
PASS: Final = 6
DRAW: Final = 7
DRAW_MANY: Final = 8
DONE: Final = 9
PUT_BACK: Final = 10
REMOVE: Final = 11
PICK: Final = 12
LAY: Final = 13
TILE_FACES: Final = ("down", "up")
DISCARD_TARGET: Final = 15
"""In the target field of a redeployment: off the line."""
MAX_FLAGS: Final = 15
"""How many flags the fields of a move have room for, beside DISCARD_TARGET."""
MAX_DECKS_IN_ONE_DRAW: Final = 15
"""How many decks the fields of a move have room for."""

ACTION_FORMS: Final = {
    CLAIM: "claim FLAG",
    PLACE: "play CARD FLAG",
    SCOUT_OUT: "scout",
    REDEPLOY_CARD: "redeploy CARD FLAG TO",
    DESERT: "deserter CARD FLAG",
    BETRAY: "traitor CARD FLAG TO",
    PASS: "pass",
    DRAW: "draw DECK",
    DONE: "done",
    PUT_BACK: "return CARD",
    REMOVE: "remove CARD FLAG",
    PICK: "pick TILE",
    LAY: "lay TILE FACE",
}
MOVE_KINDS_BY_VERB: Final = {form.split()[0]: kind for kind, form in ACTION_FORMS.items()}


def encode_move(kind: int, card: int = 0, flag: int = 0, target: int = 0) -> int:
    """Return the move with these fields."""
    return kind << 16 | card << 8 | flag << 4 | target


def decode_move(move: int) -> tuple[int, int, int, int]:
    """Return kind, card, flag and target of a move."""
    return move >> 16, move >> 8 & 255, move >> 4 & 15, move & 15


PLACING_MOVES_BY_CARD: Final = [
    [PLACE << 16 | card << 8 | flag << 4 for flag in range(MAX_FLAGS)] for card in range(SHIELD + 1)
]
"""By card and flag: the move that places the card there."""


class Placings:
    """The flags where a card may be placed, and by card the moves that do it."""

    __slots__ = ("flags", "moves_by_card")

    def __init__(self, flags: tuple[int, ...]) -> None:
        self.flags = flags
        # `map` hands on the numbers themselves: the same objects in all lists stay in the processor's cache.
        self.moves_by_card = [list(map(moves.__getitem__, flags)) for moves in PLACING_MOVES_BY_CARD]


@cache
def get_placings(flags: tuple[int, ...]) -> Placings:
    """Return the placings at these flags."""
    return Placings(flags)


class ActionTexts(dict[int, str]):
    """Action strings by move, each made at the first look-up."""

    def __init__(self, colours: str) -> None:
        super().__init__()
        self.names = CARD_NAMES_BY_COLOURS[colours].of

    def __missing__(self, move: int) -> str:
        kind, card, flag, target = decode_move(move)
        if kind == DRAW_MANY:
            text = " ".join(["draw", *["troop"] * flag, *["tactic"] * target])
        else:
            places = {
                "CARD": self.names.get(card, ""),
                "FLAG": str(flag + 1),
                "TO": "discard" if target == DISCARD_TARGET else str(target + 1),
                "DECK": DECK_NAMES[flag & 1],
                "TILE": TILES[card % len(TILES)],
                "FACE": TILE_FACES[flag & 1],
            }
            text = " ".join(places.get(word, word) for word in ACTION_FORMS[kind].split())
        self[move] = text
        return text


@cache
def get_action_texts(colours: str) -> ActionTexts:
    """Return the action strings for these colours."""
    return ActionTexts(colours)


def parse_action(text: str, colours: str, flags: int) -> int:
    """Return the move that an action string describes, legal or not. Raises MalformedAction."""
    verb, *rest = text.split(" ")
    if verb not in MOVE_KINDS_BY_VERB:
        if not rest and verb in CARD_NAMES_BY_COLOURS[colours].card:
            template = gettext_noop("%(card)s is a card, not an action; to play it at flag 3, answer play %(card)s 3")
            raise MalformedAction(message(template, card=verb))
        raise MalformedAction(
            message(
                gettext_noop("unknown action %(action)s; an action begins with %(verbs)s"),
                action=quote(text),
                verbs=", ".join(MOVE_KINDS_BY_VERB),
            )
        )
    if verb == "draw" and 1 < len(rest) <= MAX_DECKS_IN_ONE_DRAW and set(rest) <= set(DECK_NAMES):
        return encode_move(DRAW_MANY, 0, rest.count("troop"), rest.count("tactic"))
    kind = MOVE_KINDS_BY_VERB[verb]
    form = ACTION_FORMS[kind].split()[1:]
    if len(rest) != len(form):
        raise MalformedAction(
            message(gettext_noop("%(action)s should read %(form)s"), action=quote(text), form=quote(ACTION_FORMS[kind]))
        )
    fields = {name: read_field(name, word, colours, flags) for name, word in zip(form, rest, strict=True)}
    card = fields.get("CARD", fields.get("TILE", 0))
    flag = fields.get("FLAG", fields.get("DECK", fields.get("FACE", 0)))
    return encode_move(kind, card, flag, fields.get("TO", 0))


def read_field(name: str, word: str, colours: str, flags: int) -> int:
    """Return the number that a word means in this field of an action. Raises MalformedAction."""
    if name == "CARD":
        if word not in CARD_NAMES_BY_COLOURS[colours].card:
            raise MalformedAction(message(gettext_noop("no card %(card)s"), card=quote(word)))
        return CARD_NAMES_BY_COLOURS[colours].card[word]
    if name in CHOICES_BY_FIELD:
        template, choices = CHOICES_BY_FIELD[name]
        if word not in choices:
            raise MalformedAction(message(template, choice=quote(word), choices=", ".join(choices)))
        return choices.index(word)
    if name == "TO" and word == "discard":
        return DISCARD_TARGET
    if word not in {str(flag) for flag in range(1, flags + 1)}:
        raise MalformedAction(
            message(gettext_noop("no flag %(flag)s; flags are 1 to %(last)s"), flag=quote(word), last=flags)
        )
    return int(word) - 1


CHOICES_BY_FIELD: Final = {
    "DECK": (gettext_noop("no deck %(choice)s; decks are %(choices)s"), DECK_NAMES),
    "TILE": (gettext_noop("no tile %(choice)s; tiles are %(choices)s"), TILES),
    "FACE": (gettext_noop("a tile can't be laid %(choice)s, only %(choices)s"), TILE_FACES),
}
"""By field: the refusal of any other word, and the words it can be."""
