"""A series of games on the page of its match: who started each game, how it ended, and how the series stood then."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.matches.models import Leg, LegSeat
from arena.pages.matches.results import Part, Row
from engine.series import add_series_scores


@dataclass(frozen=True, slots=True)
class SeriesGame:
    """A game of a series. Scores are by participant, in the order of the match."""

    leg: Leg
    starter: Part
    scores: list[str]
    standing: list[str]
    """The series scores after this game."""
    faults: list[LegSeat]
    """The seats that were at fault."""


def list_games(row: Row, legs: Sequence[Leg]) -> list[SeriesGame]:
    """Return the games of a finished series in order; the seats of its participants must be attached to them."""
    by_leg: dict[int, list[LegSeat]] = {leg.pk: [] for leg in legs}
    for part in row.parts:
        for seat in part.participant.leg_seats.all():
            by_leg[seat.leg_id].append(seat)
    games: list[SeriesGame] = []
    played: list[tuple[Sequence[int], Sequence[float]]] = []
    for leg in legs:
        seats = by_leg[leg.pk]
        scores = [seat.score for seat in seats]
        played.append((range(len(scores)), scores))
        games.append(
            SeriesGame(
                leg=leg,
                starter=row.parts[leg.seating[0]],
                scores=[f"{score:g}" for score in scores],
                standing=[f"{score:g}" for score in add_series_scores(played)],
                faults=[seat for seat in seats if seat.verdict != "ok"],
            )
        )
    return games
