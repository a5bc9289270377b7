"""The rules of Goofspiel once more, as short as can be: a replay of the actions with plain lists."""

from collections.abc import Sequence

from engine.contract.oracle import Expected
from engine.core import Json


def expect(options: Json, seats: int, deal: Json, actions: Sequence[Json]) -> Expected:
    left = list(actions)
    hands = [set(range(1, options["cards"] + 1)) for _ in range(seats)]
    points, out, stake = [0.0] * seats, [], []
    for turn, prize in enumerate(deal["prizes"], 1):
        stake.append(prize)
        bids: dict[int, int] = {}
        while len(out) < seats - 1 and (asked := [s for s in range(seats) if s not in bids and s not in out]):
            if not left:
                return Expected(asked[0], frozenset(f"bid {card}" for card in hands[asked[0]]), turn, None)
            entry = left.pop(0)
            seat = entry["seat"]
            if entry["action"] == "forfeit":
                out.append(seat)
                bids.pop(seat, None)
            else:
                bids[seat] = int(entry["action"].split()[1])
                hands[seat].discard(bids[seat])
        if len(out) == seats - 1:
            break
        best = [seat for seat in bids if bids[seat] == max(bids.values())]
        if len(best) == 1:
            points[best[0]] += sum(stake)
        if len(best) == 1 or options["ties"] == "lost":
            stake = []
    scores = [points[seat] if seat not in out else -1.0 * (len(out) - out.index(seat)) for seat in range(seats)]
    return Expected(None, frozenset(), turn, tuple(scores))
