"""The running matches of a tournament, and the next one."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.matches.waiting import Waiting, count_parallel_matches, place_in_queue
from arena.pages.matches.results import Row, list_rows
from arena.tournaments.estimate import RoundLeft, count_boards_left, estimate_seconds_left
from arena.tournaments.models import Round, Tournament
from arena.tournaments.queries.overview import Overview
from arena.tournaments.queries.tournaments import list_matches_of_round
from arena.tournaments.services.forecasting import estimate_match_seconds, estimate_time_left

MAX_RUNNING_MATCHES_SHOWN = 8


@dataclass(frozen=True, slots=True)
class Playing:
    """The running matches and the next one."""

    running: list[Row]
    next: Row | None
    """The first of the queued matches."""
    waiting: Waiting | None


def find_playing(round: Round | None) -> Playing:
    """Return the running matches of a round and the next one, without their cards."""
    if round is None:
        return Playing([], None, None)
    own = list_matches_of_round(round)
    queued = list_rows(own.queued()[:1])
    first = queued[0] if queued else None
    return Playing(
        list_rows(own.running()[:MAX_RUNNING_MATCHES_SHOWN]), first, place_in_queue(first.match) if first else None
    )


def list_boards_left(overview: Overview) -> list[RoundLeft]:
    """Return the remaining rounds, once the tournament has started."""
    return (
        count_boards_left(overview.field, overview.results, overview.settings)
        if overview.field and not overview.tournament.is_over
        else []
    )


def estimate_seconds(tournament: Tournament, boards: Sequence[RoundLeft]) -> float | None:
    """Return the estimated seconds until the end with `boards` left; None if unknown, paused or over."""
    if tournament.is_over or tournament.state == Tournament.State.PAUSED:
        return None
    if not tournament.has_started:
        return estimate_time_left(tournament)
    seconds = estimate_match_seconds(tournament)
    return estimate_seconds_left(
        boards, tournament.full_settings, match_seconds=seconds, parallel_matches=count_parallel_matches()
    )


def estimate_round_seconds(overview: Overview) -> float | None:
    """Return the estimated seconds until the end of the current round; None where none is played."""
    tournament = overview.tournament
    if tournament.state != Tournament.State.RUNNING or overview.current_round is None:
        return None
    boards = [board for board in overview.boards.get(overview.current_round.pk, []) if not board.is_over]
    left = RoundLeft(len(boards), any(board.must_decide for board in boards))
    return estimate_seconds(tournament, [left])
