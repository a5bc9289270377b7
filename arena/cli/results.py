"""Add up the results of matches or series, bot by bot."""

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

from arena.runner.leg import LegReport
from arena.runner.match import MatchReport, compute_leg_points


@dataclass(slots=True)
class SeriesResults:
    """The results of one bot in series of games."""

    wins: int = 0
    losses: int = 0
    draws: int = 0
    points: float = 0.0
    """Sum of its series scores."""


@dataclass(slots=True)
class BotResults:
    """The results of one bot."""

    name: str
    places: list[int]
    """Number of legs at each place, from first to last."""
    wins: int = 0
    """Legs with an unshared first place."""
    draws: int = 0
    """Legs with a shared first place."""
    losses: int = 0
    points: float = 0.0
    """Sum over legs of the share of opponents left behind: with two bots 1 for a win and 0.5 for a draw."""
    match_points: list[float] = field(default_factory=list)
    """The points of each match, from 0 to 1."""
    verdicts: Counter[str] = field(default_factory=Counter)
    spent_ms: float = 0.0
    answers: int = 0
    series: SeriesResults = field(default_factory=SeriesResults)

    @property
    def ms_per_move(self) -> float:
        """Return the mean time of an answer, in milliseconds."""
        return self.spent_ms / self.answers if self.answers else 0.0


class Results:
    """The results of all bots."""

    def __init__(self, names: list[str]) -> None:
        self.legs = 0
        self.series = 0
        """The number of series; 0 where the matches are none."""
        self.bots = [BotResults(name, [0] * len(names)) for name in names]

    def add(self, match: MatchReport) -> None:
        """Count a match."""
        for bot, share in zip(self.bots, match.points, strict=True):
            bot.match_points.append(share)
        for leg in match.legs:
            self.legs += 1
            points = compute_leg_points(leg)
            for seat, participant in enumerate(leg.seating):
                self._add_seat(self.bots[participant], leg, seat, points[participant])
        if match.is_series:
            self._add_series(match)

    def _add_series(self, match: MatchReport) -> None:
        self.series += 1
        for bot, points, score in zip(self.bots, match.points, match.scores, strict=True):
            bot.series.wins += points == 1
            bot.series.losses += points == 0
            bot.series.draws += points == 1 / 2
            bot.series.points += score

    def _add_seat(self, bot: BotResults, leg: LegReport, seat: int, points: float) -> None:
        result = leg.record["result"]
        place = result["places"][seat]
        bot.places[place - 1] += 1
        bot.points += points
        bot.verdicts[result["verdicts"][seat]] += 1
        bot.spent_ms += leg.spent_ms[seat]
        bot.answers += leg.answers[seat]
        if place > 1:
            bot.losses += 1
        elif result["places"].count(1) > 1:
            bot.draws += 1
        else:
            bot.wins += 1

    def as_json(self) -> dict[str, Any]:
        """Return the results as JSON; those of series only where there are any."""
        return {
            **({"series": self.series} if self.series else {}),
            "legs": self.legs,
            "bots": [
                {
                    "name": bot.name,
                    "wins": bot.wins,
                    "losses": bot.losses,
                    "draws": bot.draws,
                    "places": bot.places,
                    "points": bot.points,
                    "verdicts": dict(bot.verdicts),
                    "ms_per_move": round(bot.ms_per_move, 3),
                    **({"series": asdict(bot.series)} if self.series else {}),
                }
                for bot in self.bots
            ],
        }
