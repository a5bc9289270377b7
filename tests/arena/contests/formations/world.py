"""Rated matches of Battalion, as they are stored when they are over, with records of what was laid out in them."""

import json
import zlib
from collections.abc import Sequence

from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services.ledger import append_finished_matches
from tests.arena.contests.ladders.conftest import store_match

BOX = "deploy 0=A,2=10/0=Q,2=J guard=8"
LEFT = "deploy 0=A,2=10,4=9/0=Q,2=J guard=8"
RIGHT = "deploy 0=A,2=10,4=9/2=Q,4=J guard=8"
"""The mirror image of LEFT."""
LEFT_SHAPE = "0,2,4/0,2"
INTO_LINE = "reform 0=A,2=10,4=Q,6=J"


def store_rated(
    ladder: Ladder,
    entries: Sequence[Entry],
    laid: Sequence[Sequence[str]],
    places: Sequence[Sequence[int]] = ((1, 2), (1, 2)),
) -> LadderMatch:
    """A match that the ladder has counted: what each participant laid out in every leg, and the places by leg and
    participant."""
    row = store_match(ladder, entries, places, minute=LadderMatch.objects.count())
    for leg, leg_places in zip(row.match.legs.order_by("number"), places, strict=True):
        actions = [{"seat": seat, "action": action} for seat, index in enumerate(leg.seating) for action in laid[index]]
        result = {"places": [leg_places[index] for index in leg.seating]}
        leg.record = zlib.compress(json.dumps({"actions": actions, "result": result}).encode())
        leg.save(update_fields=["record"])
    assert append_finished_matches(ladder=ladder) == 1
    row.refresh_from_db()
    ladder.refresh_from_db()
    return row
