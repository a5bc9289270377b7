"""The matches of a tournament that are being played, and the next one."""

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
    """The matches being played and the next one."""

    running: list[Row]
    next: Row | None
    """Of those that wait, the first."""
    waiting: Waiting | None


def find_playing(round: Round | None) -> Playing:
    """Return what is being played of the current round; nothing of it shows cards."""
    if round is None:
        return Playing([], None, None)
    own = list_matches_of_round(round)
    queued = list_rows(own.queued()[:1])
    first = queued[0] if queued else None
    return Playing(list_rows(own.running()[:SHOWN]), first, place_in_queue(first.match) if first else None)


def list_boards_left(overview: Overview) -> list[int]:
    """Return the number of pairings in each round to come, once the tournament has begun."""
    return (
        boards_left(overview.field, overview.results, overview.settings)
        if overview.field and not overview.tournament.is_over
        else []
    )


def estimate(tournament: Tournament, boards: Sequence[int]) -> float | None:
    """Return the seconds until the end with `boards` left; None if unknown, or if it does not go on."""
    if tournament.is_over or tournament.state == Tournament.State.PAUSED:
        return None
    if not tournament.has_started:
        return time_left(tournament)
    seconds = match_seconds(tournament)
    return seconds_left(boards, tournament.full_settings, match_seconds=seconds, at_once=count_parallel_matches())
