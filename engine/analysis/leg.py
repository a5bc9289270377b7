"""Analyse a leg from its record: what each decision gave away, and how much luck the draws brought."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import Any

from engine.analysis.evaluators import UNITS_PER_CHANCE, Ending, Evaluator
from engine.analysis.grading import COARSE_EFFORT, FULL_EFFORT, Effort, Grade, compute_accuracy, grade, name_judgement
from engine.core import Json, Move, Seat, State
from engine.replay import begin, record_hash, take

# Analyse a leg from its record, one entry at a time, so that the work can be interrupted and taken up again.
#
# The same record and evaluator give the same analysis to the digit: all chance comes from the record's hash and the
# number of the entry. Chances are counted in whole millionths, so that luck and skill of a seat add up exactly to its
# result less the chance it started with.
#
# A coarse pass makes the same analysis by fewer redeals and fewer cards. Its chances with open cards are those of the
# full pass to the digit; grades, luck and what the seats could know are estimates.

ANALYSIS_FORMAT = "pennant-analysis/1"
COARSE, FULL = "coarse", "full"
"""The passes. A full analysis doesn't say that it is one: it has no key `pass`."""
BOTH_SEATS = (0, 1)


class LegAnalyser:
    """Analyse the entries of a record in order. `parts`, one for each entry, can be stored and handed in again.

    They belong to one effort: those of a coarse pass are of no use to a full one.
    """

    def __init__(
        self, record: Json, evaluator: Evaluator, parts: Sequence[Json] = (), effort: Effort = FULL_EFFORT
    ) -> None:
        self.effort = effort
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
            part["known"] = [self._known_chance(seat, number) for seat in BOTH_SEATS]
        self.parts.append(part)

    def finish(self) -> Json:
        """Return the analysis, once every entry has been looked at."""
        assert self.is_done
        states, played = self._list_states()
        solved = self._solve_ending(states, played)
        grades = self._list_grades(solved)
        chances = [self.start, *(part["chance"] for part in self.parts)]
        return {
            "format": ANALYSIS_FORMAT,
            "record_hash": self.seed,
            "function": {"version": self.evaluator.version, "hash": self.evaluator.weights_hash},
            "redeals": self.effort.redeals,
            **({} if self.effort == FULL_EFFORT else {"pass": COARSE}),
            "seats": [self._summarize(seat, chances) for seat in BOTH_SEATS],
            "chances": [from_units(chance) for chance in chances],
            "known": [
                {"number": number, "chances": [from_units(chance) for chance in part["known"]]}
                for number, part in enumerate(self.parts)
                if "known" in part
            ],
            "decisions": [
                {"number": number, "seat": self._seat(number), "action": self._action(number), **found}
                for number, found in grades.items()
            ],
            "draws": [
                {"number": number, "seat": self._seat(number), "luck": from_units(self._luck(number))}
                for number, part in enumerate(self.parts)
                if "expected" in part
            ],
            "solved": [
                {"number": number, "winner": proved["winner"]}
                for number, proved in enumerate(solved)
                if proved is not None
            ],
            **({"expected": self._expect_ending(states)} if self.effort == FULL_EFFORT else {}),
        }

    def _list_states(self) -> tuple[list[State], list[Move | None]]:
        """Return the state before each entry, and what was played in it; None for a forfeit."""
        states: list[State] = []
        played: list[Move | None] = []
        state = begin(self.record)
        for entry in self.record["actions"]:
            states.append(state.copy())
            played.append(None if entry["action"] == "forfeit" else state.parse(entry["action"]))
            take(state, entry)
        return states, played

    def _expect_ending(self, states: Sequence[State]) -> list[Json]:
        """Return where the mean over all that is hidden from the seat to act is known, and what it is."""
        return [
            {"number": number, "seat": states[number].to_act, "chance": round(one.chance, 6), "cases": one.cases}
            for number, one in sorted(self.evaluator.expect_ending(states).items())
        ]

    def _solve_ending(self, states: Sequence[State], played: Sequence[Move | None]) -> list[Json | None]:
        """Return what is proved of the position before each entry: its `winner`, and the `grade` of what was played."""
        endings = self.evaluator.solve_ending(states, played)
        return [
            None if ending is None else self._describe_ending(before, move, ending)
            for before, move, ending in zip(states, played, endings, strict=True)
        ]

    def _describe_ending(self, state: State, move: Move | None, ending: Ending) -> Json:
        """Return what is proved of a position as JSON."""
        seat = state.to_act
        assert seat is not None
        after = ending.moves.get(move, ending.value) if move is not None else ending.value
        best, chance = from_value(ending.value), from_value(after)
        grade: Json = {
            "chance": chance,
            "best_chance": best,
            "loss": best - chance,
            "standard_error": 0.0,
            "judgement": name_judgement(best - chance),
        }
        if ending.moves and move is not None:
            better = max(ending.moves, key=lambda one: ending.moves[one])
            grade["better"] = state.text(better)
            grade["kind"] = self.evaluator.name_mistake(state.text(move), state.text(better))
            grade["choices"] = {state.text(one): from_value(value) for one, value in ending.moves.items()}
            grade["given_up"] = "win" if best == 1 else "draw"
        winner = None if ending.value == 0 else seat if ending.value > 0 else 1 - seat
        return {"winner": winner, "grade": grade}

    def _list_grades(self, solved: Sequence[Json | None]) -> dict[int, Json]:
        """Return the grades by entry, exact ones in solved positions. There a claim that loses something has one, too.

        An exact loss is half the leg or all of it. In a harmonic mean one such decision would outweigh all others, so
        the balance of a seat keeps to the estimates.
        """
        grades: dict[int, Json] = {}
        for number, (part, proved) in enumerate(zip(self.parts, solved, strict=True)):
            exact = None if proved is None else proved["grade"]
            if "grade" in part or (exact and exact["loss"]):
                grades[number] = exact or part["grade"]
        return grades

    def _rng(self, number: int, purpose: str) -> Random:
        return Random(f"{self.seed}/{number}/{purpose}")

    def _grade(self, entry: Json, number: int) -> Json:
        played = self.state.parse(entry["action"])
        found = grade(self.state, played, self.evaluator, self._rng(number, "grade"), self.effort)
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
        rng, most = self._rng(number, "draw"), self.effort.cards_per_draw
        expected = self.evaluator.expected_chance(self.state, move, 0, rng, max_cards=most)
        return {} if expected is None else {"expected": to_units(expected)}

    def _known_chance(self, seat: Seat, number: int) -> int:
        """Return a seat's own chance as it could know it after this entry."""
        if self.state.outcome is not None:
            return to_units(self.evaluator.chance(self.state, seat))
        rng = self._rng(number, f"seat {seat}")
        redeals = (self.state.redeal(seat, rng) for _ in range(self.effort.known_redeals))
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
        # By the value function alone, so that sums and accuracies of all analyses compare: see `_list_grades`.
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
    return run_pass(LegAnalyser(record, evaluator))


def analyse_coarsely(record: Json, evaluator: Evaluator) -> Json:
    """Return the coarse analysis of a valid record, at an eighth of the work or less.

    It has the form of a full one, and says `"pass": "coarse"`.
    """
    return run_pass(LegAnalyser(record, evaluator, effort=COARSE_EFFORT))


def run_pass(analyser: LegAnalyser) -> Json:
    """Look at all entries that are left, and return the analysis."""
    while not analyser.is_done:
        analyser.advance()
    return analyser.finish()


def from_value(value: int) -> float:
    """Return the chance that belongs to a proved value: 1 for a win, ½ for a draw, or 0."""
    return (value + 1) / 2


def to_units(chance: float) -> int:
    """Return a chance in millionths."""
    return round(chance * UNITS_PER_CHANCE)


def from_units(units: int) -> float:
    """Return a chance, or a difference of chances, from its millionths."""
    return units / UNITS_PER_CHANCE


# Measure the luck of the draws of a leg from its record, without grading any decision.
#
# The luck of a draw is the value after it less the mean over the cards it could have been. Its mean is 0 for every bot
# that doesn't know the deck, whatever the value function thinks. So a result less a fixed part of its luck has the
# mean of the result, and less variance. An analysis looks at every card and at every choice; here some cards are
# enough.

LUCK_SHARE = 0.75
"""How much of the luck is taken off a result: fixed beforehand, as a share that looks at results would be biased.

Measured by tests/bench/bench_luck.py: the best share is 0.6 to 0.9, and near it the variance hardly changes."""
CARDS_PER_DRAW = 8
"""Cards by which a draw is compared: the adjustment gains as much as with all of them, at a quarter of the cost."""


@dataclass(frozen=True, slots=True)
class SeatLuck:
    """The luck of a seat's own draws, as chances of winning from -1 to 1."""

    draws: int = 0
    luck: float = 0.0
    """Sum over the draws."""
    squares: float = 0.0
    """Sum of their squares."""

    def __add__(self, other: "SeatLuck") -> "SeatLuck":
        return SeatLuck(self.draws + other.draws, self.luck + other.luck, self.squares + other.squares)


def measure_luck(record: Json, evaluator: Evaluator) -> tuple[SeatLuck, SeatLuck]:
    """Return the luck of both seats in the draws of a valid record. The same record gives the same luck."""
    seed, state = record_hash(record), begin(record)
    seats = [SeatLuck(), SeatLuck()]
    for number, entry in enumerate(record["actions"]):
        seat, expected = entry["seat"], None
        if entry["action"] != "forfeit":
            rng = Random(f"{seed}/{number}/luck")
            move = state.parse(entry["action"])
            expected = evaluator.expected_chance(state, move, seat, rng, max_cards=CARDS_PER_DRAW)
        take(state, entry)
        if expected is not None:
            luck = evaluator.chance(state, seat) - expected
            seats[seat] += SeatLuck(1, luck, luck * luck)
    return seats[0], seats[1]


def describe_value_function(evaluator: Evaluator) -> Json:
    """Return what fixes every adjustment by this function, to be published before the matches it is used for."""
    return {
        "version": evaluator.version,
        "hash": evaluator.weights_hash,
        "luck_share": LUCK_SHARE,
        "cards_per_draw": CARDS_PER_DRAW,
    }
