"""One match: the same participants on the same deal, once for every seating, or two of them in a series of games."""

import os
from collections.abc import Sequence
from dataclasses import dataclass

from arena.runner.leg import Heartbeat, LegReport, LegSpec, play_leg
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import Sandbox
from engine.core import Json
from engine.series import FIRST_SEATING, SeriesLength, add_series_scores, next_seating, series_points


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """What a match is played with."""

    game: str
    edition: str
    options: Json
    deal: Json
    """Of every leg; in a series of the first game."""
    salts: tuple[str, ...]
    """One for every possible leg, so that nothing tells a bot that two legs belong together."""
    limits: Limits
    programs: tuple[Program, ...]
    """By participant."""
    series: SeriesLength | None = None
    """The length of the series; None where every participant sits on every seat once."""
    later_deals: tuple[Json, ...] = ()
    """Of a series: one for every further game that it may have."""

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

    def leg(self, number: int, seating: tuple[int, ...]) -> LegSpec:
        """Return what a leg is played with; `number` counts from 0."""
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
        )


@dataclass(frozen=True, slots=True)
class MatchReport:
    """The reports of all legs that were played."""

    legs: tuple[LegReport, ...]
    is_series: bool = False

    @property
    def points(self) -> tuple[float, ...]:
        """Per participant, the mean over the legs of `leg_points`: between two, 1 for a win, 0.5 for a shared place.

        A series counts as one game: 1 for the participant who is ahead by series score, and ½ for each if level.
        """
        if self.is_series:
            return series_points(self.scores)
        return tuple(
            sum(leg_points(leg)[participant] for leg in self.legs) / len(self.legs)
            for participant in range(len(self.legs[0].seating))
        )

    @property
    def scores(self) -> tuple[float, ...]:
        """Per participant, the sum of its scores in all legs: of a series, the series score."""
        games = ((leg.seating, leg.record["result"]["scores"]) for leg in self.legs)
        return add_series_scores(games, len(self.legs[0].seating))


def leg_points(leg: LegReport) -> dict[int, float]:
    """By participant, from 0 to 1: the share of the others it left behind, one at the same place counting half."""
    return dict(zip(leg.seating, points_of_places(leg.record["result"]["places"]), strict=True))


def points_of_places(places: Sequence[int]) -> list[float]:
    """Return the points of each seat of a leg that ended with these places, as `leg_points` does."""
    others = len(places) - 1
    points = []
    for place in places:
        behind = sum(other > place for other in places)
        beside = sum(other == place for other in places) - 1
        points.append((behind + beside / 2) / others if others else 1.0)
    return points


def seatings(participants: int) -> list[tuple[int, ...]]:
    """Return the participant at each seat, one tuple a leg: everybody sits on every seat once."""
    return [tuple((first + seat) % participants for seat in range(participants)) for first in range(participants)]


def play_match(spec: MatchSpec, sandbox: Sandbox, beat: Heartbeat = lambda _: None) -> MatchReport:
    """Play every leg; a series until it is over. Raises SandboxError.

    `beat` is called before every start of a bot and every decision, so that between two calls one bot at most is
    waited for; it may raise to stop the match.
    """
    spec.check()
    if spec.series is not None:
        return _play_series(spec, spec.series, sandbox, beat)
    legs = enumerate(seatings(len(spec.programs)))
    return MatchReport(tuple(play_leg(spec.leg(number, seating), sandbox, beat) for number, seating in legs))


def _play_series(spec: MatchSpec, length: SeriesLength, sandbox: Sandbox, beat: Heartbeat) -> MatchReport:
    report = MatchReport((), is_series=True)
    seating: tuple[int, ...] = FIRST_SEATING
    while True:
        leg = play_leg(spec.leg(len(report.legs), seating), sandbox, beat)
        report = MatchReport((*report.legs, leg), is_series=True)
        if length.is_over(len(report.legs), report.scores):
            return report
        seating = next_seating(seating, leg.record["result"]["places"])


def pin(core: int) -> None:
    """Keep this process, and the bots it will start, on one core: a round trip inside a core is many times faster.

    `core` counts the cores this process may use, from 0, and round again beyond the last one.
    """
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[core % len(cores)]})
