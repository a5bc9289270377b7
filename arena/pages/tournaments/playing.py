"""What is played of a tournament now, and what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.matches.waiting import Waiting, count_parallel_matches, place_in_queue
from arena.pages.matches.results import Row, list_rows
from arena.tournaments.estimate import boards_left, seconds_left
from arena.tournaments.models import Round, Tournament
from arena.tournaments.queries.overview import Overview
from arena.tournaments.queries.tournaments import list_matches_of_round
from arena.tournaments.services.forecasting import match_seconds, time_left

SHOWN = 8


@dataclass(frozen=True, slots=True)
class Playing:
    running: list[Row]
    next: Row | None
    """Of those that wait, the first."""
    waiting: Waiting | None


def find_playing(round: Round | None) -> Playing:
    """Of the current round: names and numbers, and nothing of what lies on a table."""
    if round is None:
        return Playing([], None, None)
    own = list_matches_of_round(round)
    queued = list_rows(own.queued()[:1])
    first = queued[0] if queued else None
    return Playing(list_rows(own.running()[:SHOWN]), first, place_in_queue(first.match) if first else None)


def list_boards_left(overview: Overview) -> list[int]:
    """How many pairings each round to come has, once it has begun."""
    return (
        boards_left(overview.field, overview.results, overview.settings)
        if overview.field and not overview.tournament.is_over
        else []
    )


def estimate(tournament: Tournament, boards: Sequence[int]) -> float | None:
    """Seconds until its end, `boards` being left; None where nobody can tell, and where it doesn't go on."""
    if tournament.is_over or tournament.state == Tournament.State.PAUSED:
        return None
    if not tournament.has_started:
        return time_left(tournament)
    seconds = match_seconds(tournament)
    return seconds_left(boards, tournament.full_settings, match_seconds=seconds, at_once=count_parallel_matches())
