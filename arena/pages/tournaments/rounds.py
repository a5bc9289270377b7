"""The rounds of a tournament: their list, and the page of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _

from arena.matches.models import Match
from arena.pages.appearance import MATCH_STATES, Appearance
from arena.pages.real_names import fetch_shown_names
from arena.pages.tournaments.phase_words import name_round
from arena.pages.tournaments.reading import tournament_or_404
from arena.pages.tournaments.words import format_name, format_points
from arena.tournaments.formats.bracket import THIRD_PLACE_BOUT
from arena.tournaments.models import Entrant, Round
from arena.tournaments.queries.overview import Board, BoardMatch, Overview, fetch_matches, fetch_overview


@dataclass(frozen=True, slots=True)
class Line:
    """A round in the list of all."""

    round: Round
    boards: int
    over: int
    replayed: list[Round]
    """Its earlier attempts."""
    phase: str
    """The phase to which it belongs, in a knockout with the name of the round; empty in a tournament of one phase."""


@dataclass(frozen=True, slots=True)
class Seat:
    """A participant of a pairing."""

    entrant: Entrant
    is_winner: bool
    """Whether it alone has the most points."""


@dataclass(frozen=True, slots=True)
class MatchCell:
    """A match of a pairing, as its row shows it."""

    number: int
    points: str = ""
    chip: Appearance | None = None
    counts: bool = True


@dataclass(frozen=True, slots=True)
class PairingRow:
    """A pairing, as its round shows it."""

    number: int
    name: str
    seats: list[Seat]
    points: list[str]
    matches: list[MatchCell]
    sum: str
    """The sum of the points of its finished matches, where it has several; empty otherwise."""
    ending: str
    is_given: bool = False
    """Whether an organiser decided it."""
    must_decide: bool = False
    """Whether one of two advances."""


@dataclass(frozen=True, slots=True)
class RoundAttempt:
    """An attempt at a round, with its pairings."""

    round: Round
    pairings: list[PairingRow]
    has_names: bool
    """Whether its pairings have a group, or a place in the bracket."""
    phase: str
    """The phase to which it belongs; empty in a tournament of one phase."""


def list_rounds(overview: Overview) -> list[Line]:
    """Return the rounds of a tournament as lines, newest first."""
    lines = []
    for number in sorted({round.number for round in overview.rounds}, reverse=True):
        attempts = [round for round in overview.rounds if round.number == number]
        newest = attempts[-1]
        boards = overview.boards.get(newest.pk, []) if newest.is_latest_attempt else []
        old = [round for round in attempts if not round.is_latest_attempt]
        phase = name_round(overview.tournament.format, boards)
        lines.append(Line(newest, len(boards), sum(board.is_over for board in boards), old, phase))
    return lines


def detail(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Show a round with all its attempts, the newest first. Raise Http404."""
    tournament = tournament_or_404(request, slug)
    overview = fetch_overview(tournament, is_wanted=lambda round: round.number == number)
    attempts = [round for round in overview.rounds if round.number == number]
    if not attempts:
        raise Http404(_("There is no such round."))
    fetch_matches(overview)
    known = {round.number for round in overview.rounds}
    context = {
        "tournament": tournament,
        "format_name": format_name(tournament.format.key),
        "real_names": fetch_shown_names(request, tournament.group_id),
        "number": number,
        "attempts": [build_attempt(overview, round) for round in reversed(attempts)],
        "previous": number - 1 if number - 1 in known else None,
        "next": number + 1 if number + 1 in known else None,
    }
    return render(request, "tournaments/round.html", context)


def build_attempt(overview: Overview, round: Round) -> RoundAttempt:
    """Return an attempt at a round with its pairings; the matches of the overview must have been fetched."""
    boards = overview.boards.get(round.pk, [])
    rows = [build_pairing(overview, board) for board in boards]
    phase = name_round(overview.tournament.format, boards)
    return RoundAttempt(round, rows, has_names=any(board.name for board in boards), phase=phase)


def build_pairing(overview: Overview, board: Board) -> PairingRow:
    """Return a pairing as a row."""
    best = max((value for value in board.points if value is not None), default=0.0) if board.is_over else 0.0
    is_shared = list(board.points).count(best) > 1
    return PairingRow(
        number=board.number,
        name=_("Third place") if board.name == THIRD_PLACE_BOUT else board.name,
        seats=[
            Seat(overview.by_number[number], is_winner=value == best > 0 and not is_shared)
            for number, value in zip(board.numbers, board.points, strict=True)
        ],
        points=[format_points(value) for value in board.points] if board.is_over else [],
        matches=[build_match(match) for match in board.matches],
        sum=" : ".join(map(format_points, board.points_won)) if len(board.matches) > 1 else "",
        ending=describe_ending(board),
        is_given=board.is_given,
        must_decide=board.must_decide,
    )


def build_match(match: BoardMatch) -> MatchCell:
    """Return a match of a pairing: its points once it is over, and its state before that."""
    if not match.counts or match.state == Match.State.VOID:
        return MatchCell(match.match, counts=False)
    if match.is_over:
        return MatchCell(match.match, points="–".join(map(format_points, match.points)))
    return MatchCell(match.match, chip=MATCH_STATES[Match.State(match.state)])


def describe_ending(board: Board) -> str:
    """Describe what decided a pairing besides the points of its matches; empty if nothing did."""
    if not board.is_over:
        return ""
    if board.is_given:
        return _("Decided by an organiser: %(reason)s") % {"reason": board.given_reason}
    if board.is_bye:
        return _("bye") if board.points[0] else _("has left")
    if not board.played:
        return _("won without playing: the opponent has left") if any(board.points) else _("all have left")
    if board.must_decide and is_even(board.points_won):
        one, other = board.game_points
        if one != other:
            return _("even: decided by game points, %(scores)s") % {
                "scores": "–".join(map(format_points, board.game_points))
            }
        return _("even in game points, too: the better seed advances")
    return ""


def is_even(won: Sequence[float]) -> bool:
    """Return whether all won the same."""
    return bool(won) and max(won) - min(won) < 1e-9
