"""A recount of legs by other means: from the views of seats and the words of actions, not from events."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from arena.contests.ladders.models import LadderMatch
from arena.matches.models import LegSeat
from engine.replay import states

Json = dict[str, Any]
Key = tuple[str, str, str]
TACTICS = ("leader-1", "leader-2", "cavalry", "shield", "fog", "mud", "scout", "redeploy", "deserter", "traitor")


def recount_battle_line(record: Json) -> Iterator[tuple[Key, int]]:
    """Yield chart, row and column with the seat, of each flag that was won and each tactic that was played.

    The row of a formation is None where a tactic makes it hard to tell.
    """
    before = None
    for number, state in enumerate(states(record)):
        after = state.view(0)
        for flag in after["flags"] if before else ():
            if flag["owner"] is not None and before["flags"][flag["flag"] - 1]["owner"] is None:
                side = before["flags"][flag["flag"] - 1]["cards"][flag["owner"]]
                name = None if flag["fog"] or flag["tile"] else name_formation(side)
                yield ("formations", name, str(flag["flag"])), flag["owner"]
                yield ("claims", str(before["turn"]), ""), flag["owner"]
        before = after
        if number < len(record["actions"]):
            entry = record["actions"][number]
            verb, *words = entry["action"].split()
            if verb in TACTICS or (verb == "play" and words[0] in TACTICS):
                yield ("tactics", verb if verb in TACTICS else words[0], ""), entry["seat"]


def name_formation(cards: list[str]) -> str | None:
    """Return the formation of troops; None where there is another card."""
    if any(card in TACTICS for card in cards):
        return None
    values = sorted(int(card[1:]) for card in cards)
    is_run = values == list(range(values[0], values[0] + len(values)))
    has_one_colour = len({card[0] for card in cards}) == 1
    if is_run and has_one_colour:
        return "wedge"
    if len(set(values)) == 1:
        return "phalanx"
    return "battalion" if has_one_colour else "skirmish" if is_run else "host"


def list_counting_matches(ladder: int) -> list[int]:
    """The matches that count, by the ledger."""
    rows = LadderMatch.objects.filter(ladder=ladder, sequence__isnull=False, void_sequence=None)
    return list(rows.values_list("match", flat=True))


def count_places(matches: list[int]) -> Counter[int]:
    """The points of each seat, in legs of two."""
    rows = LegSeat.objects.filter(leg__match__in=matches).values_list("leg", "seat", "place")
    firsts = Counter(leg for leg, _seat, place in rows if place == 1)
    points: Any = Counter()
    for leg, seat, place in rows:
        points[seat] += (place == 1) / firsts[leg]
    return points
