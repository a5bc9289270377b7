"""Analyse a leg from its record, one entry at a time, so that the work can be interrupted and taken up again.

The same record and evaluator give the same analysis to the digit: all chance comes from the record's hash and the
number of the entry. Chances are counted in whole millionths, so that luck and skill of a seat add up exactly to its
result less the chance it started with.
"""

from collections.abc import Sequence
from random import Random
from statistics import fmean
from typing import Any

from engine.analysis.evaluator import UNITS_PER_CHANCE, Evaluator
from engine.analysis.grading import REDEALS, Grade, compute_accuracy, grade
from engine.core import Json, Move, Seat
from engine.record_hash import record_hash
from engine.replay import begin, take

FORMAT = "pennant-analysis/1"
SEATS = (0, 1)


class LegAnalyser:
    """Analyse the entries of a record in order. `parts`, one for each entry, can be stored and handed in again."""

    def __init__(self, record: Json, evaluator: Evaluator, parts: Sequence[Json] = ()) -> None:
        self.record = record
        self.evaluator = evaluator
        self.seed = record_hash(record)
        self.parts = list(parts)
        self.state = begin(record)
        self.start = to_units(evaluator.chance(self.state, 0))
        for entry in record["actions"][: len(self.parts)]:
            take(self.state, entry)

    @property
    def total(self) -> int:
        """Return the number of entries."""
        return len(self.record["actions"])

    @property
    def is_done(self) -> bool:
        """Return whether every entry has been looked at."""
        return len(self.parts) == self.total

    def advance(self) -> None:
        """Look at the next entry."""
        number = len(self.parts)
        entry, state = self.record["actions"][number], self.state
        part: Json = {}
        if entry["action"] != "forfeit":
            part = self._grade(entry, number) | self._draw(entry, number)
        seat = state.to_act
        take(state, entry)
        part["chance"] = to_units(self.evaluator.chance(state, 0))
        if state.to_act != seat:
            part["known"] = [self._known_chance(seat, number) for seat in SEATS]
        self.parts.append(part)

    def finish(self) -> Json:
        """Return the analysis, once every entry has been looked at."""
        assert self.is_done
        chances = [self.start, *(part["chance"] for part in self.parts)]
        return {
            "format": FORMAT,
            "record_hash": self.seed,
            "function": {"version": self.evaluator.version, "hash": self.evaluator.weights_hash},
            "redeals": REDEALS,
            "seats": [self._summarize(seat, chances) for seat in SEATS],
            "chances": [from_units(chance) for chance in chances],
            "known": [
                {"number": number, "chances": [from_units(chance) for chance in part["known"]]}
                for number, part in enumerate(self.parts)
                if "known" in part
            ],
            "decisions": [
                {"number": number, "seat": self._seat(number), "action": self._action(number), **part["grade"]}
                for number, part in enumerate(self.parts)
                if "grade" in part
            ],
            "draws": [
                {"number": number, "seat": self._seat(number), "luck": from_units(self._luck(number))}
                for number, part in enumerate(self.parts)
                if "expected" in part
            ],
        }

    def _rng(self, number: int, purpose: str) -> Random:
        return Random(f"{self.seed}/{number}/{purpose}")

    def _grade(self, entry: Json, number: int) -> Json:
        played = self.state.parse(entry["action"])
        found = grade(self.state, played, self.evaluator, self._rng(number, "grade"))
        return {} if found is None else {"grade": self._describe(played, found)}

    def _describe(self, played: Move, found: Grade) -> Json:
        """Return a grade as JSON: moves as actions, and numbers of six digits."""
        described: dict[str, Any] = {
            "chance": round(found.chance, 6),
            "best_chance": round(found.best_chance, 6),
            "loss": round(found.loss, 6),
            "standard_error": round(found.standard_error, 6),
            "judgement": found.judgement,
        }
        if found.better is not None:
            text = self.state.text
            described["better"] = text(found.better)
            described["kind"] = self.evaluator.name_mistake(text(played), text(found.better))
            described["choices"] = {text(move): round(chance, 6) for move, chance in found.choices.items()}
        return described

    def _draw(self, entry: Json, number: int) -> Json:
        """Return the mean chance of seat 0 over the cards that could have been drawn, if any were."""
        move = self.state.parse(entry["action"])
        expected = self.evaluator.expected_chance(self.state, move, 0, self._rng(number, "draw"))
        return {} if expected is None else {"expected": to_units(expected)}

    def _known_chance(self, seat: Seat, number: int) -> int:
        """Return a seat's own chance as it could know it after this entry."""
        if self.state.outcome is not None:
            return to_units(self.evaluator.chance(self.state, seat))
        rng = self._rng(number, f"seat {seat}")
        redeals = (self.state.redeal(seat, rng) for _ in range(REDEALS))
        return to_units(fmean(self.evaluator.chance(redeal, seat) for redeal in redeals))

    def _seat(self, number: int) -> Seat:
        seat: Seat = self.record["actions"][number]["seat"]
        return seat

    def _action(self, number: int) -> str:
        action: str = self.record["actions"][number]["action"]
        return action

    def _luck(self, number: int) -> int:
        """Return what the cards drawn by an entry brought to the seat that drew them."""
        part = self.parts[number]
        if "expected" not in part:
            return 0
        luck: int = part["chance"] - part["expected"]
        return luck if self._seat(number) == 0 else -luck

    def _summarize(self, seat: Seat, chances: Sequence[int]) -> Json:
        """Return what a seat's result was made of, and how well it decided."""
        draws = [number for number, part in enumerate(self.parts) if "expected" in part]
        own = [self._luck(number) for number in draws if self._seat(number) == seat]
        luck = sum(own) - sum(self._luck(number) for number in draws if self._seat(number) != seat)
        start, result = (chance if seat == 0 else UNITS_PER_CHANCE - chance for chance in (chances[0], chances[-1]))
        losses = [
            part["grade"]["loss"] for n, part in enumerate(self.parts) if "grade" in part and self._seat(n) == seat
        ]
        accuracy = compute_accuracy(losses)
        return {
            "start": from_units(start),
            "result": from_units(result),
            "luck": from_units(luck),
            "skill": from_units(result - start - luck),
            "accuracy": None if accuracy is None else round(accuracy, 2),
            "given_away": round(sum(losses), 6),
            "decisions": len(losses),
            "draws": len(own),
            "draw_luck": from_units(sum(own)),
            "draw_luck_squares": round(sum((luck / UNITS_PER_CHANCE) ** 2 for luck in own), 9),
        }


def analyse(record: Json, evaluator: Evaluator) -> Json:
    """Return the analysis of a valid record."""
    analyser = LegAnalyser(record, evaluator)
    while not analyser.is_done:
        analyser.advance()
    return analyser.finish()


def to_units(chance: float) -> int:
    """Return a chance in millionths."""
    return round(chance * UNITS_PER_CHANCE)


def from_units(units: int) -> float:
    """Return a chance, or a difference of chances, from its millionths."""
    return units / UNITS_PER_CHANCE
