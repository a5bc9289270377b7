"""The command by which an author asks a bot of theirs again what it was asked in a leg, up to the step shown."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

from django.http import HttpRequest
from django.urls import reverse

from arena.matches.models import Leg, LegSeat
from arena.pages.matches.replay import Playback


@dataclass(frozen=True, slots=True)
class RerunCommand:
    """A command of `pennant` for one seat, in parts."""

    start: str
    """All of the command but the decision with which it ends."""
    until: int
    """The last decision of the step shown."""
    decisions: list[int]
    """The last decision of each step, by the number of the step."""


def list_rerun_commands(
    request: HttpRequest, leg: Leg, seats: Sequence[LegSeat], own: Collection[int], playback: Playback, step: int
) -> list[RerunCommand]:
    """Return a command for each seat of the reader's own bots."""
    address = request.build_absolute_uri(reverse("record", args=[leg.match_id, leg.number]))
    ends = (max((entry.number for entry in each.entries), default=0) for each in playback.steps)
    decisions = list(accumulate(ends, max))
    return [
        RerunCommand(
            f"pennant rerun {address} --bot {seat.participant.version.bot.slug} --seat {seat.seat} --until",
            decisions[min(step, len(decisions) - 1)],
            decisions,
        )
        for seat in seats
        if seat.seat in own
    ]
