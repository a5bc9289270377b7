"""The rules of Guessing once more, as short as can be: a replay of the actions."""

from collections.abc import Sequence

from engine.contract.oracle import Expected
from engine.core import Json


def expect(options: Json, seats: int, deal: Json, actions: Sequence[Json]) -> Expected:
    """Return what holds after these actions."""
    left = list(range(1, options["highest"] + 1))
    asked, turn, out = 0, 1, []
    for entry in actions:
        guess = 0 if entry["action"] == "forfeit" else int(entry["action"].split()[1])
        if guess == deal["number"]:
            scores = [float(seat == asked) for seat in range(seats)]
            return Expected(None, frozenset(), turn, rank(scores, out))
        if guess:
            left = [number for number in left if (number > guess) == (deal["number"] > guess) and number != guess]
        else:
            out.append(entry["seat"])
        if len(out) == seats - 1:
            return Expected(None, frozenset(), turn, rank([0.0] * seats, out))
        if guess or entry["seat"] == asked:
            turn += 1
            asked = next(seat % seats for seat in range(asked + 1, asked + seats) if seat % seats not in out)
    return Expected(asked, frozenset(f"guess {number}" for number in left), turn, None)


def rank(scores: list[float], out: list[int]) -> tuple[float, ...]:
    """Return the scores with those of the seats that are out below all others."""
    return tuple(score if seat not in out else float(out.index(seat) - len(out)) for seat, score in enumerate(scores))
