"""What is counted of legs of Battalion: attacks by result and card, the sizes of formations, and when seats fall."""

from collections.abc import Iterator
from typing import Final

from engine.core import Count, Json
from engine.games.battalion.formations import list_laid_out
from engine.games.battalion.position import Position

ATTACKS: Final = "attacks"
SIZES: Final = "sizes"
FALLS: Final = "falls"
"""The charts: by result and attacking card, by number of cells deployed, and by round."""


def count_event(table: Position, event: Json) -> Iterator[Count]:
    """Yield what an event adds: an attack, a deployment, or a seat that is out."""
    seat = event.get("seat")
    if "attacker" in event:
        yield Count(ATTACKS, event["result"], event["attacker"], seat)
    elif event.get("event") == "out":
        yield Count(FALLS, str(table.round), "", seat)
    elif event.get("action", "").startswith("deploy "):
        for laid in list_laid_out([event]):
            yield Count(SIZES, str(sum(map(len, laid.rows))), "", seat)
