"""What is counted of legs of Battle Line: formations by flag, the turns of claims, and the tactics that were played."""

from collections.abc import Iterator
from typing import Final

from engine.core import Count, Json
from engine.games.battleline.cards import TACTIC_NAMES
from engine.games.battleline.position import Position
from engine.games.battleline.wild_cards import describe_formation

FORMATIONS: Final = "formations"
CLAIMS: Final = "claims"
TACTICS: Final = "tactics"
"""The charts: by formation and flag, by turn, and by tactic."""
TACTIC_WORDS: Final = frozenset(TACTIC_NAMES.values())


def count_event(table: Position, event: Json) -> Iterator[Count]:
    """Yield what an event adds: a flag that is won, by a claim or at the end of the play, or a tactic.

    A tactic is in an action by its name, whatever the kind of the action; drawing it or putting it back is not playing
    it.
    """
    seat: int = event.get("seat", 0)
    kind, *words = str(event.get("action") or event["event"]).split()
    if kind == "claim":
        yield from _count_flag(table, seat, int(words[0]), event["formation"])
    elif kind == "award":
        flag = event["flag"] - 1
        side = describe_formation(table.sides[seat][flag], table.names.of, table.grounds[seat][flag])
        yield from _count_flag(table, seat, event["flag"], side["formation"])
    elif kind in TACTIC_WORDS:
        yield Count(TACTICS, kind, "", seat)
    elif kind == "play" and words[0] in TACTIC_WORDS:
        yield Count(TACTICS, words[0], "", seat)


def _count_flag(table: Position, seat: int, flag: int, formation: str) -> Iterator[Count]:
    yield Count(FORMATIONS, formation, str(flag), seat)
    yield Count(CLAIMS, str(table.turn), "", seat)
