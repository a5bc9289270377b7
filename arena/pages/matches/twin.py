"""Two legs of a match as two boards that are stepped through together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.urls import reverse

from arena.analysis.queries.analyses import fetch_result
from arena.matches.models import Leg, LegSeat
from arena.pages.games.presentation import Presentation
from arena.pages.matches.frames import tag_frames
from arena.pages.matches.judgements import SeatBalance, list_balances
from arena.pages.matches.onlookers import EVERYTHING
from arena.pages.matches.replay import play_back
from arena.pages.matches.stage import build_stage
from arena.pages.svg.timeline import format_svg_percent


@dataclass(frozen=True, slots=True)
class TwinLeg:
    """One of the boards."""

    leg: Leg
    seats: Sequence[LegSeat]
    stage: dict[str, Any]
    """The context of `matches/_stage.html`, at the step shown or at its last one."""
    step: int
    last: int
    frames_url: str
    ends_at: str
    """Where the leg ends on the line of all steps."""
    balances: Sequence[SeatBalance]
    """Luck and skill of each seat; empty where the leg has no analysis."""


@dataclass(frozen=True, slots=True)
class Twin:
    """Both boards, and the line on which their steps are."""

    legs: list[TwinLeg]
    step: int
    last: int
    """Number of steps of the longer leg."""
    first_difference: int | None
    """The first step that differs; None where the legs are the same."""
    forks_at: str
    """Where that is on the line."""

    @property
    def at(self) -> str:
        """Return where the step shown lies on the line."""
        return format_svg_percent(self.step / max(self.last, 1))


def build_twin(
    legs: Sequence[tuple[Leg, Sequence[LegSeat], int]],
    presentation: Presentation,
    step: int,
    first_difference: int | None,
) -> Twin:
    """Return both legs, each with the number of its last step, at a step that is brought into range.

    A leg that is over stays at its end.
    """
    last = max(length for _leg, _seats, length in legs)
    step = max(0, min(step, last))
    shown = [build_leg(leg, seats, presentation, min(step, length), length, last) for leg, seats, length in legs]
    forks_at = format_svg_percent((last if first_difference is None else first_difference - 1) / max(last, 1))
    return Twin(shown, step, last, first_difference, forks_at)


def build_leg(
    leg: Leg, seats: Sequence[LegSeat], presentation: Presentation, step: int, length: int, last: int
) -> TwinLeg:
    """Return a leg at one of its steps."""
    scene = play_back(leg.record_data, None, only_step=step).scene(step)
    query = urlencode({"view": EVERYTHING, "analysis": "off", "tag": tag_frames(leg.record, None, list(seats))})
    done = fetch_result(leg)
    names = [seat.participant.version.bot.name for seat in seats]
    return TwinLeg(
        leg=leg,
        seats=seats,
        stage=build_stage(scene, presentation),
        step=step,
        last=length,
        frames_url=f"{reverse('frames', args=[leg.match_id, leg.number])}?{query}",
        ends_at=format_svg_percent(length / max(last, 1)),
        balances=list_balances(done.result_data, names) if done else (),
    )
