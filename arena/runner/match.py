"""One match: the same participants on the same deal, once for every seating."""

import os
from dataclasses import dataclass

from arena.runner.leg import Heartbeat, LegReport, LegSpec, play_leg
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox.base import Sandbox
from engine.core import Json


@dataclass(frozen=True, slots=True)
class MatchSpec:
    """What a match is played with."""

    game: str
    edition: str
    options: Json
    deal: Json
    salts: tuple[str, ...]
    """One for every leg, so that nothing tells a bot that two legs belong together."""
    limits: Limits
    programs: tuple[Program, ...]
    """By participant."""

    def leg(self, number: int, seating: tuple[int, ...]) -> LegSpec:
        """Return what a leg is played with; `number` counts from 0."""
        return LegSpec(
            game=self.game,
            edition=self.edition,
            options=self.options,
            deal=self.deal,
            salt=self.salts[number],
            limits=self.limits,
            seating=seating,
            programs=tuple(self.programs[participant] for participant in seating),
            number=number + 1,
        )


@dataclass(frozen=True, slots=True)
class MatchReport:
    """The reports of all legs."""

    legs: tuple[LegReport, ...]

    @property
    def points(self) -> tuple[float, ...]:
        """Per participant, the mean over the legs of `leg_points`: between two, 1 for a win, 0.5 for a shared place."""
        return tuple(
            sum(leg_points(leg)[participant] for leg in self.legs) / len(self.legs)
            for participant in range(len(self.legs[0].seating))
        )


def leg_points(leg: LegReport) -> dict[int, float]:
    """By participant, from 0 to 1: the share of the others it left behind, one at the same place counting half."""
    places = leg.record["result"]["places"]
    others = len(places) - 1
    points = {}
    for participant, place in zip(leg.seating, places, strict=True):
        behind = sum(other > place for other in places)
        beside = sum(other == place for other in places) - 1
        points[participant] = (behind + beside / 2) / others if others else 1.0
    return points


def seatings(participants: int) -> list[tuple[int, ...]]:
    """Return the participant at each seat, one tuple a leg: everybody sits on every seat once."""
    return [tuple((first + seat) % participants for seat in range(participants)) for first in range(participants)]


def play_match(spec: MatchSpec, sandbox: Sandbox, beat: Heartbeat = lambda _: None) -> MatchReport:
    """Play every leg. Raises SandboxError.

    `beat` is called before every start of a bot and every decision, so that between two calls one bot at most is
    waited for; it may raise to stop the match.
    """
    legs = seatings(len(spec.programs))
    if len(spec.salts) != len(legs):
        raise ValueError(f"{len(legs)} legs need {len(legs)} salts, not {len(spec.salts)}")
    return MatchReport(tuple(play_leg(spec.leg(number, seating), sandbox, beat) for number, seating in enumerate(legs)))


def pin(core: int) -> None:
    """Keep this process, and the bots it will start, on one core: a round trip inside a core is many times faster.

    `core` counts the cores this process may use, from 0, and round again beyond the last one.
    """
    cores = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cores[core % len(cores)]})
