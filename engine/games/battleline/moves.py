"""Moves as small integers, and their public words.

A move is `kind << 16 | card << 8 | flag << 4 | target`; fields that a kind does not use are 0. DRAW has its deck in the
flag field, DRAW_MANY its number of troops there and its number of tactics in the target field. PICK and LAY have their
tile in the card field, LAY its face in the flag field.
"""

from functools import cache

from engine.core import MalformedAction
from engine.games.battleline.cards import NAMES
from engine.games.battleline.position import DECK_NAMES
from engine.games.battleline.tiles import TILES

CLAIM, PLACE, SCOUT_OUT, REDEPLOY_CARD, DESERT, BETRAY, PASS, DRAW, DRAW_MANY, DONE, PUT_BACK = range(11)
REMOVE, PICK, LAY = range(11, 14)
FACES = ("down", "up")
DISCARD = 15
"""In the target field of a redeployment: off the line."""
MOST_NAMED = 15
"""Decks that a move has room to name."""

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
    return kind << 16 | card << 8 | flag << 4 | target


def decode(move: int) -> tuple[int, int, int, int]:
    """Kind, card, flag, target."""
    return move >> 16, move >> 8 & 255, move >> 4 & 15, move & 15


class Words(dict[int, str]):
    """Action text by move, made when first asked for."""

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
def words(colours: str) -> Words:
    return Words(colours)


def read(text: str, colours: str, flags: int) -> int:
    """The move that these words mean, legal or not. Raises MalformedAction."""
    verb, *rest = text.split(" ")
    if verb not in BY_VERB:
        raise MalformedAction(f"unknown action {shorten(text)}; an action begins with {', '.join(BY_VERB)}")
    if verb == "draw" and 1 < len(rest) <= MOST_NAMED and set(rest) <= set(DECK_NAMES):
        return encode(DRAW_MANY, 0, rest.count("troop"), rest.count("tactic"))
    kind = BY_VERB[verb]
    form = FORMS[kind].split()[1:]
    if len(rest) != len(form):
        raise MalformedAction(f"{shorten(text)} should read {FORMS[kind]!r}")
    fields = {name: read_word(name, word, colours, flags) for name, word in zip(form, rest, strict=True)}
    card = fields.get("CARD", fields.get("TILE", 0))
    flag = fields.get("FLAG", fields.get("DECK", fields.get("FACE", 0)))
    return encode(kind, card, flag, fields.get("TO", 0))


def read_word(name: str, word: str, colours: str, flags: int) -> int:
    if name == "CARD":
        if word not in NAMES[colours].card:
            raise MalformedAction(f"there is no card {shorten(word)}")
        return NAMES[colours].card[word]
    if name in CHOICES:
        if word not in CHOICES[name]:
            raise MalformedAction(
                f"there is no {name.lower()} {shorten(word)}; there are {' and '.join(CHOICES[name])}"
            )
        return CHOICES[name].index(word)
    if name == "TO" and word == "discard":
        return DISCARD
    if word not in {str(flag) for flag in range(1, flags + 1)}:
        raise MalformedAction(f"there is no flag {shorten(word)}; flags are 1 to {flags}")
    return int(word) - 1


CHOICES = {"DECK": DECK_NAMES, "TILE": TILES, "FACE": FACES}


def shorten(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "…")
