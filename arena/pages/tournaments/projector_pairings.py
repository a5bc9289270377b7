"""The pairings of the current round on the projector's page, and the result that fell last."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.utils.translation import gettext as _

from arena.pages.tournaments.words import format_points
from arena.tournaments.models import Entrant
from arena.tournaments.queries.overview import Board, Overview


@dataclass(frozen=True, slots=True)
class PairingSide:
    """An entrant in a pairing of the current round."""

    entrant: Entrant
    score: str
    """The sum of the points of its finished matches, or its score in the standings where none is over."""
    is_ahead: bool


@dataclass(frozen=True, slots=True)
class ShownPairing:
    """A pairing of the current round."""

    sides: list[PairingSide]
    is_over: bool
    share: float
    """The share of the finished matches' points that the first entrant has, in percent."""
    match: int | None
    """The match that finished last, which the board can show; None before."""
    is_given: bool = False
    """Whether an organiser decided it."""


def list_pairings(overview: Overview, held: int | None) -> list[ShownPairing]:
    """Return the pairings of the current round, those that are going on first; byes are left out.

    The match that is on the board counts as being played until its end has been shown: `held` is its key.
    """
    if overview.current_round is None:
        return []
    boards = overview.boards.get(overview.current_round.pk, [])
    shown = [hold_back(board, held) for board in boards if not board.is_bye]
    scores = {standing.number: standing.score for standing in overview.standings}
    return [build_pairing(overview, board, scores) for board in sorted(shown, key=lambda board: board.is_over)]


def hold_back(board: Board, held: int | None) -> Board:
    """Return a pairing as it was before the match with the key `held`; unchanged where that isn't one of its own."""
    if held is None or all(one.match != held for one in board.matches):
        return board
    return replace(board, is_over=False, matches=[one for one in board.matches if one.match != held])


def build_pairing(overview: Overview, board: Board, scores: dict[int, float]) -> ShownPairing:
    """Return a pairing with the points of its matches."""
    won = board.points_won
    values = won or tuple(scores.get(number, 0.0) for number in board.numbers)
    decided = board.result.winner if board.result is not None else None
    sides = [
        PairingSide(
            overview.by_number[number],
            format_points(value),
            number == decided if board.is_over else bool(won) and value == max(won) and won.count(value) == 1,
        )
        for number, value in zip(board.numbers, values, strict=True)
    ]
    total = sum(won)
    finished = [one.match for one in board.counting_matches if one.is_over]
    share = 100 * won[0] / total if total else 50
    return ShownPairing(sides, board.is_over, share, max(finished, default=None), board.is_given)


def find_last_result(overview: Overview, held: int | None) -> str:
    """Return the headline on the pairing that was decided last in the current round, or in the one before it.

    A pairing whose match is still on the board is left out: `held` is the key of that match.
    """
    for round in reversed(overview.counted_rounds[-2:]):
        boards = [hold_back(board, held) for board in overview.boards.get(round.pk, [])]
        over = [board for board in boards if board.is_over and (board.played or board.is_given)]
        if over:
            last = max(over, key=lambda board: max((one.match for one in board.counting_matches), default=0))
            return describe_result(overview, last)
    return ""


def describe_result(overview: Overview, board: Board) -> str:
    """Return who beat whom, by how much, or what an organiser decided."""
    if board.is_given and board.result is not None:
        return describe_decision(overview, board.numbers, board.result.winner)
    points = board.points_won
    if len(board.numbers) != 2 or board.result is None or not points:
        best = board.result.winner if board.result else None
        return _("%(bot)s wins its table") % {"bot": overview.find_bot_name(best)} if best else _("A table ends even")
    first, second = board.numbers
    winner = board.result.winner
    if winner is None:
        names = {"first": overview.find_bot_name(first), "second": overview.find_bot_name(second)}
        return _("%(first)s and %(second)s are even") % names
    loser, score = (second, points) if winner == first else (first, points[::-1])
    return _("%(winner)s beats %(loser)s %(own)s : %(other)s") % {
        "winner": overview.find_bot_name(winner),
        "loser": overview.find_bot_name(loser),
        "own": format_points(score[0]),
        "other": format_points(score[1]),
    }


def describe_decision(overview: Overview, numbers: Sequence[int], winner: int | None) -> str:
    """Return how an organiser decided a pairing."""
    pairing = " – ".join(overview.find_bot_name(number) for number in numbers)
    if winner is None:
        return _("%(pairing)s: decided by an organiser") % {"pairing": pairing}
    return _("%(pairing)s: %(winner)s wins by decision") % {
        "pairing": pairing,
        "winner": overview.find_bot_name(winner),
    }
