"""The forecast of a tournament, as pages show it."""

from dataclasses import dataclass
from typing import Any

from arena.pages.formatting import format_percent
from arena.tournaments.models import Tournament

MIN_SHARE_SHOWN, MAX_SHARE_SHOWN = 0.01, 0.99
"""Shares beyond these are shown as bounds: simulations are never certain."""
FINAL_STATES = (Tournament.State.FINISHED, Tournament.State.CANCELLED)


@dataclass(frozen=True, slots=True)
class Chance:
    """The chance of an entrant to win, by its seed."""

    seed: int
    share: float
    """The share of the simulations that it won, from 0 to 1."""

    @property
    def percent(self) -> str:
        """Return the share in per cent; as a bound if it is next to 0 or 1."""
        if 0 < self.share < MIN_SHARE_SHOWN:
            return f"<{format_percent(MIN_SHARE_SHOWN)}"
        return f">{format_percent(MAX_SHARE_SHOWN)}" if MAX_SHARE_SHOWN < self.share < 1 else format_percent(self.share)


def read_forecast(tournament: Tournament) -> dict[int, Chance]:
    """Return the chances by seed; none once the tournament is over."""
    return {number: Chance(number, kept["win"]) for number, kept in _read_stored(tournament).items()}


def read_forecast_before_start(tournament: Tournament) -> dict[str, Chance]:
    """Return the chances by the bot's slug, as if the tournament started now; none once it has started."""
    if tournament.has_started:
        return {}
    return {kept["bot"]: Chance(number, kept["win"]) for number, kept in _read_stored(tournament).items()}


def _read_stored(tournament: Tournament) -> dict[int, dict[str, Any]]:
    if tournament.state in FINAL_STATES:
        return {}
    return {int(number): kept for number, kept in (tournament.forecast or {}).items()}
