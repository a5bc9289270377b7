"""Moves as small integers and as text.

A move is `kind << 16 | card << 8 | flag << 4 | target`; fields that a kind does not use are 0. DRAW has its deck in the
flag field, DRAW_MANY its number of troops there and its number of tactics in the target field. PICK and LAY have their
tile in the card field, LAY its face in the flag field.
"""

from functools import cache

from engine.core import MalformedAction
from engine.games.battleline.cards import NAMES
from engine.games.battleline.position import DECK_NAMES
from engine.games.battleline.tiles import TILES
from engine.message import gettext_noop, message, quote

CLAIM, PLACE, SCOUT_OUT, REDEPLOY_CARD, DESERT, BETRAY, PASS, DRAW, DRAW_MANY, DONE, PUT_BACK = range(11)
REMOVE, PICK, LAY = range(11, 14)
FACES = ("down", "up")
DISCARD = 15
"""In the target field of a redeployment: off the line."""
MAX_DECKS_NAMED = 15
"""How many decks the fields of a move have room for."""

FORMS = {
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
BY_VERB = {form.split()[0]: kind for kind, form in FORMS.items()}


def encode(kind: int, card: int = 0, flag: int = 0, target: int = 0) -> int:
    """Return the move with these fields."""
    return kind << 16 | card << 8 | flag << 4 | target


def decode(move: int) -> tuple[int, int, int, int]:
    """Return kind, card, flag and target of a move."""
    return move >> 16, move >> 8 & 255, move >> 4 & 15, move & 15


class ActionTexts(dict[int, str]):
    """Action strings by move, each made at the first look-up."""

    def __init__(self, colours: str) -> None:
        super().__init__()
        self.names = NAMES[colours].of

    def __missing__(self, move: int) -> str:
        kind, card, flag, target = decode(move)
        if kind == DRAW_MANY:
            text = " ".join(["draw", *["troop"] * flag, *["tactic"] * target])
        else:
            places = {
                "CARD": self.names.get(card, ""),
                "FLAG": str(flag + 1),
                "TO": "discard" if target == DISCARD else str(target + 1),
                "DECK": DECK_NAMES[flag & 1],
                "TILE": TILES[card % len(TILES)],
                "FACE": FACES[flag & 1],
            }
            text = " ".join(places.get(word, word) for word in FORMS[kind].split())
        self[move] = text
        return text


@cache
def action_texts(colours: str) -> ActionTexts:
    """Return the action strings for these colours."""
    return ActionTexts(colours)


def parse_action(text: str, colours: str, flags: int) -> int:
    """Return the move that an action string describes, legal or not. Raises MalformedAction."""
    verb, *rest = text.split(" ")
    if verb not in BY_VERB:
        raise MalformedAction(
            message(
                gettext_noop("unknown action %(action)s; an action begins with %(verbs)s"),
                action=quote(text),
                verbs=", ".join(BY_VERB),
            )
        )
    if verb == "draw" and 1 < len(rest) <= MAX_DECKS_NAMED and set(rest) <= set(DECK_NAMES):
        return encode(DRAW_MANY, 0, rest.count("troop"), rest.count("tactic"))
    kind = BY_VERB[verb]
    form = FORMS[kind].split()[1:]
    if len(rest) != len(form):
        raise MalformedAction(
            message(gettext_noop("%(action)s should read %(form)s"), action=quote(text), form=quote(FORMS[kind]))
        )
    fields = {name: read_field(name, word, colours, flags) for name, word in zip(form, rest, strict=True)}
    card = fields.get("CARD", fields.get("TILE", 0))
    flag = fields.get("FLAG", fields.get("DECK", fields.get("FACE", 0)))
    return encode(kind, card, flag, fields.get("TO", 0))


def read_field(name: str, word: str, colours: str, flags: int) -> int:
    """Return the number that a word means in this field of an action. Raises MalformedAction."""
    if name == "CARD":
        if word not in NAMES[colours].card:
            raise MalformedAction(message(gettext_noop("there is no card %(card)s"), card=quote(word)))
        return NAMES[colours].card[word]
    if name in CHOICES:
        template, choices = CHOICES[name]
        if word not in choices:
            raise MalformedAction(message(template, choice=quote(word), choices=", ".join(choices)))
        return choices.index(word)
    if name == "TO" and word == "discard":
        return DISCARD
    if word not in {str(flag) for flag in range(1, flags + 1)}:
        raise MalformedAction(
            message(gettext_noop("there is no flag %(flag)s; flags are 1 to %(last)s"), flag=quote(word), last=flags)
        )
    return int(word) - 1


CHOICES = {
    "DECK": (gettext_noop("there is no deck %(choice)s; the decks are %(choices)s"), DECK_NAMES),
    "TILE": (gettext_noop("there is no tile %(choice)s; the tiles are %(choices)s"), TILES),
    "FACE": (gettext_noop("a tile can't lie %(choice)s; it lies %(choices)s"), FACES),
}
"""By field: the refusal of any other word, and the words it can be."""
