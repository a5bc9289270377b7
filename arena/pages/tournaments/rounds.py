"""The rounds of a tournament: the list of all, and each with its pairings."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from arena.matches.models import Match
from arena.pages.appearance import MATCH_STATES
from arena.pages.svg.icons import icon
from arena.pages.tournaments.reading import tournament_or_404
from arena.pages.tournaments.words import format_name, points
from arena.tournaments.models import Round
from arena.tournaments.queries.overview import Board, BoardMatch, Overview, fetch_matches, fetch_overview


@dataclass(frozen=True, slots=True)
class Line:
    """A round in the list of all."""

    round: Round
    boards: int
    over: int
    again: list[Round]
    """How it was played before."""


@dataclass(frozen=True, slots=True)
class RoundAttempt:
    """A round with its pairings."""

    round: Round
    lines: SafeString
    has_names: bool
    """Its pairings have a group, or a place in the bracket."""


def list_rounds(overview: Overview) -> list[Line]:
    """The newest first."""
    lines = []
    for number in sorted({round.number for round in overview.rounds}, reverse=True):
        attempts = [round for round in overview.rounds if round.number == number]
        newest = attempts[-1]
        boards = overview.boards.get(newest.pk, []) if newest.is_latest_attempt else []
        old = [round for round in attempts if not round.is_latest_attempt]
        lines.append(Line(newest, len(boards), sum(board.is_over for board in boards), old))
    return lines


def detail(request: HttpRequest, slug: str, number: int) -> HttpResponse:
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
        "edition_name": _(tournament.edition_name),
        "number": number,
        "attempts": [build_attempt(overview, round) for round in reversed(attempts)],
        "previous": number - 1 if number - 1 in known else None,
        "next": number + 1 if number + 1 in known else None,
    }
    return render(request, "tournaments/round.html", context)


def build_attempt(overview: Overview, round: Round) -> RoundAttempt:
    boards = overview.boards.get(round.pk, [])
    has_names = any(board.name for board in boards)
    return RoundAttempt(
        round, mark_safe("".join(draw_board(overview, board, has_names) for board in boards)), has_names
    )


def draw_board(overview: Overview, board: Board, has_names: bool) -> str:
    name = f"<td>{escape(board.name)}</td>" if has_names else ""
    seats = "".join(
        f'<span class="part">{draw_seat(overview, board, seat)}</span>' for seat in range(len(board.numbers))
    )
    scores = "".join(f'<span class="part"><b>{points(value)}</b></span>' for value in board.points)
    return (
        f'<tr><td>{board.number}</td>{name}<td class="parts">{seats}</td>'
        f'<td class="number">{scores if board.is_over else ""}</td><td>{draw_matches(board)}</td></tr>\n'
    )


def draw_seat(overview: Overview, board: Board, seat: int) -> str:
    entrant = overview.by_number[board.numbers[seat]]
    is_first = board.is_over and bool(board.points[seat]) and board.points[seat] == max(_known(board.points))
    look = "name" if is_first and list(board.points).count(board.points[seat]) == 1 else "plain-name"
    bot = entrant.bot
    return (
        f'<a class="{look}" href="{escape(bot.get_absolute_url())}">{escape(bot.name)}&nbsp;'
        f'<span class="muted">{entrant.version.number}</span></a>'
    )


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]


def draw_matches(board: Board) -> str:
    """Links to all of them, and why there is a result where they don't say it."""
    links = "".join(f'<span class="part">{draw_match(match)}</span>' for match in board.matches)
    words = tell_ending(board)
    return links + (f'<span class="under">{escape(words)}</span>' if words else "")


def draw_match(match: BoardMatch) -> str:
    name = _("Match %(number)s") % {"number": match.match}
    link = f'<a href="/matches/{match.match}/">{name}</a>'
    if not match.counts or match.state == Match.State.VOID:
        words = _("does not count")
        return f'{link} <span class="chip plain">{escape(words)}</span>'
    if match.is_over:
        return f"{link} {'–'.join(map(points, match.points))}"
    chip = MATCH_STATES[Match.State(match.state)]
    return f'{link} <span class="chip {chip.tone}">{icon(chip.icon)}{escape(chip.label)}</span>'


def tell_ending(board: Board) -> str:
    """What decided it beside the points of its matches."""
    if not board.is_over:
        return ""
    if board.is_bye:
        return _("bye") if board.points[0] else _("has left")
    if not board.played:
        return _("won without playing, as the other has left") if any(board.points) else _("all have left")
    if board.must_decide and is_even(board.won):
        one, other = board.scores
        if one != other:
            return _("even: decided by the game points, %(scores)s") % {"scores": "–".join(map(points, board.scores))}
        return _("even, by the game points, too: the better seed goes on")
    return ""


def is_even(won: Sequence[float]) -> bool:
    return bool(won) and max(won) - min(won) < 1e-9
