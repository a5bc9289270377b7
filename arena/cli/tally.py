"""What a series came to, bot by bot. Arithmetic only."""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from arena.runner.leg import LegReport
from arena.runner.match import MatchReport, leg_points


@dataclass(slots=True)
class BotTally:
    name: str
    wins: int = 0
    losses: int = 0
    draws: int = 0
    points: float = 0.0
    """1 for a leg won, 0.5 for a shared place."""
    verdicts: Counter[str] = field(default_factory=Counter)
    spent_ms: float = 0.0
    answers: int = 0

    @property
    def ms_per_move(self) -> float:
        return self.spent_ms / self.answers if self.answers else 0.0


class Tally:
    def __init__(self, names: list[str]) -> None:
        self.legs = 0
        self.bots = [BotTally(name) for name in names]

    def add(self, match: MatchReport) -> None:
        for leg in match.legs:
            self.legs += 1
            points = leg_points(leg)
            for seat, participant in enumerate(leg.seating):
                self._add_seat(self.bots[participant], leg, seat, points[participant])

    def _add_seat(self, bot: BotTally, leg: LegReport, seat: int, points: float) -> None:
        result = leg.record["result"]
        place = result["places"][seat]
        shared = result["places"].count(place) > 1
        bot.points += points
        bot.verdicts[result["verdicts"][seat]] += 1
        bot.spent_ms += leg.spent_ms[seat]
        bot.answers += leg.answers[seat]
        if shared:
            bot.draws += 1
        elif place == 1:
            bot.wins += 1
        else:
            bot.losses += 1

    def as_json(self) -> dict[str, Any]:
        return {
            "legs": self.legs,
            "bots": [
                {
                    "name": bot.name,
                    "wins": bot.wins,
                    "losses": bot.losses,
                    "draws": bot.draws,
                    "points": bot.points,
                    "verdicts": dict(bot.verdicts),
                    "ms_per_move": round(bot.ms_per_move, 3),
                }
                for bot in self.bots
            ],
        }
