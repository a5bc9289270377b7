"""Play one match: one leg of the same deal for each seating of the participants, or a series of games."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from arena.runner.leg import Heartbeat, LegReport, LegSpec, play_leg
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import Sandbox
from arena.runner.sandbox.inode_numbers import InodeNumbers
from engine.core import Json
from engine.series import FIRST_SEATING, SeriesLength, add_series_scores, next_seating, series_points


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """The input of a match."""

    game: str
    edition: str
    options: Json
    deal: Json
    """Deal of all legs; in a series, that of the first game."""
    salts: tuple[str, ...]
    """One for each possible leg, so that bots can't recognise the deal of another leg by its hash."""
    limits: Limits
    programs: tuple[Program, ...]
    """The program of each participant."""
    series: SeriesLength | None = None
    """Length of the series; None if there is one leg for each seating."""
    later_deals: tuple[Json, ...] = ()
    """Deals of the later games that a series may have."""
    arena: str | None = None
    """The version of the arena, for the records."""

    @property
    def max_legs(self) -> int:
        """The number of legs; of a series, the highest possible."""
        return len(self.programs) if self.series is None else self.series.max_games

    def check(self) -> None:
        """Raise ValueError where salts or deals are missing or too many."""
        if len(self.salts) != self.max_legs:
            raise ValueError(f"{self.max_legs} legs need {self.max_legs} salts, not {len(self.salts)}")
        later = 0 if self.series is None else self.max_legs - 1
        if len(self.later_deals) != later:
            raise ValueError(f"{later} further deals are needed, not {len(self.later_deals)}")
        if self.series is not None and len(self.programs) != len(FIRST_SEATING):
            raise ValueError(f"a series is of two participants, not {len(self.programs)}")

    def leg(self, number: int, seating: tuple[int, ...], series_scores: tuple[float, ...] = ()) -> LegSpec:
        """Return the input of a leg; `number` counts from 0."""
        return LegSpec(
            game=self.game,
            edition=self.edition,
            options=self.options,
            deal=self.later_deals[number - 1] if self.series is not None and number else self.deal,
            salt=self.salts[number],
            limits=self.limits,
            seating=seating,
            programs=tuple(self.programs[participant] for participant in seating),
            number=number + 1,
            arena=self.arena,
            series_scores=series_scores,
        )


@dataclass(frozen=True, slots=True)
class MatchReport:
    """The reports of all legs that were played."""

    legs: tuple[LegReport, ...]
    is_series: bool = False

    @property
    def points(self) -> tuple[float, ...]:
        """The mean of `compute_leg_points` over the legs, by participant.

        A series counts as one game: 1 for the participant who is ahead by series score, and ½ for each if level.
        """
        if self.is_series:
            return series_points(self.scores)
        return tuple(
            sum(compute_leg_points(leg)[participant] for leg in self.legs) / len(self.legs)
            for participant in range(len(self.legs[0].seating))
        )

    @property
    def scores(self) -> tuple[float, ...]:
        """Per participant, the sum of its scores in all legs: of a series, the series score."""
        games = ((leg.seating, leg.record["result"]["scores"]) for leg in self.legs)
        return add_series_scores(games, len(self.legs[0].seating))


def compute_leg_points(leg: LegReport) -> dict[int, float]:
    """Return by participant the share of opponents left behind, from 0 to 1. A shared place counts half."""
    return dict(zip(leg.seating, compute_place_points(leg.record["result"]["places"]), strict=True))


def compute_place_points(places: Sequence[int]) -> list[float]:
    """Return the points of each seat of a leg that ended with these places, as `compute_leg_points` does."""
    others = len(places) - 1
    points = []
    for place in places:
        behind = sum(other > place for other in places)
        beside = sum(other == place for other in places) - 1
        points.append((behind + beside / 2) / others if others else 1.0)
    return points


def list_seatings(participants: int) -> list[tuple[int, ...]]:
    """Return a tuple for each leg with the participant at each seat: each participant has each seat once."""
    return [tuple((first + seat) % participants for seat in range(participants)) for first in range(participants)]


def play_match(spec: MatchSpec, sandbox: Sandbox, beat: Heartbeat = lambda _: None) -> MatchReport:
    """Play every leg; a series until it is over. Raises SandboxError.

    `beat` is called before every start of a bot and every decision, so at most one bot is awaited between two calls.
    It may raise an exception to stop the match.
    """
    spec.check()
    if spec.series is not None:
        return _play_series(spec, spec.series, sandbox, beat)
    legs: list[LegReport] = []
    # Without a sandbox a bot can leave itself a file: noise would hide nothing.
    inode_numbers = None if sandbox.level == "bare" else InodeNumbers()
    for number, seating in enumerate(list_seatings(len(spec.programs))):
        if legs and inode_numbers is not None:
            inode_numbers.add_noise()
        legs.append(play_leg(spec.leg(number, seating), sandbox, beat))
    return MatchReport(tuple(legs))


def _play_series(spec: MatchSpec, length: SeriesLength, sandbox: Sandbox, beat: Heartbeat) -> MatchReport:
    report, scores = MatchReport((), is_series=True), add_series_scores(())
    seating: tuple[int, ...] = FIRST_SEATING
    while True:
        leg = play_leg(spec.leg(len(report.legs), seating, scores), sandbox, beat)
        report = MatchReport((*report.legs, leg), is_series=True)
        scores = report.scores
        if length.is_over(len(report.legs), scores):
            return report
        seating = next_seating(seating, leg.record["result"]["places"])


def pin_to_core(core: int) -> None:
    """Run this process and its future children on one core, which makes round trips many times faster.

    `core` is a number from 0 among the cores this process may use, modulo their number.
    """
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[core % len(cores)]})
