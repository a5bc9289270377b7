"""Two legs of a match side by side: the same deal with other bots at the seats. Where did they part ways?"""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import conditional_escape, escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from arena.baked import baked
from arena.matches.models import Leg, LegSeat
from arena.pages.games import picture_of
from arena.pages.games.picture import Line, Picture
from arena.pages.matches.opened import ask_seats, find_opened_match
from arena.pages.matches.replay import Entry, Film, Scene, Step, play_back
from arena.pages.matches.results import Finish, read_row
from arena.pages.paging import read_key

NOWHERE = 10**9
"""A step whose scene nobody asks for."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A step of one leg, in words, and where it can be seen."""

    step: Step
    lines: list[Line]
    address: str


@dataclass(frozen=True, slots=True)
class Pair:
    """The steps of both legs that have the same number; None where a leg was over."""

    number: int
    left: Cell | None
    right: Cell | None

    @property
    def cells(self) -> list[Cell | None]:
        return [self.left, self.right]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two legs."""

    leg: Leg
    seats: Sequence[LegSeat]
    film: Film
    cells: list[Cell]
    """From the first step after the deal."""
    ending: str


@dataclass(frozen=True, slots=True)
class Holder:
    """Who had a hand in one of the legs, how that went, and where they first did otherwise than the other."""

    seat: LegSeat
    finish: Finish
    ms: float
    """What all answers took."""
    otherwise: Cell | None


@dataclass(frozen=True, slots=True)
class Hand:
    """The cards of one seat, which are the same in both legs."""

    seat: int
    name: str
    holders: list[Holder]


def page(request: HttpRequest, pk: int) -> HttpResponse:
    """Only of a match whose cards everybody may see."""
    match = find_opened_match(pk)
    row = read_row(match)
    numbers = range(1, len(row.parts) + 1)
    chosen = read_legs(request.GET, len(row.parts))
    legs = sorted(ask_legs(match.pk, chosen), key=lambda leg: chosen.index(leg.number))
    context = {"match": match, "row": row, "numbers": numbers, "chosen": chosen, "is_lost": False}
    if any(leg.record is None for leg in legs):
        return render(request, "matches/sides.html", context | {"is_lost": True})
    picture = picture_of(match.game, match.edition)
    seats = ask_seats([leg.pk for leg in legs])
    sides = [read_side(leg, [seat for seat in seats if seat.leg_id == leg.pk], picture) for leg in legs]
    pairs = pair_up(*sides)
    parting = find_parting(pairs)
    same, rest = (pairs, []) if parting is None else (pairs[:parting], pairs[parting:])
    return render(
        request,
        "matches/sides.html",
        context
        | {
            "sides": sides,
            "hands": [compare_hand(seat, sides, picture) for seat in range(len(row.parts))],
            "same": same,
            "same_rows": draw_pairs(same),
            "parting": rest[0] if rest else None,
            "parting_row": draw_pairs(rest[:1]),
            "rest": rest,
            "rest_rows": draw_pairs(rest),
        },
    )


def read_legs(query: QueryDict, legs: int) -> list[int]:
    """The numbers of the two legs that the address asks for; else the first two, or one of them beside it."""
    left, right = (read_key(query, name) for name in ("left", "right"))
    left = left if left in range(1, legs + 1) else None
    right = right if right in range(1, legs + 1) and right != left else None
    left = left or next(number for number in (1, 2) if number != right)
    return [left, right or next(number for number in (1, 2) if number != left)]


@baked
def ask_legs(match: int, numbers: Sequence[int]) -> QuerySet[Leg]:
    return Leg.objects.filter(match=match, number__in=numbers).order_by()


def read_side(leg: Leg, seats: Sequence[LegSeat], picture: Picture) -> Side:
    film = play_back(leg.record_data, None, kept=NOWHERE)
    address = f"{reverse('match', args=[leg.match_id])}?leg={leg.number}&turn="
    cells = [Cell(step, picture.tell(step), f"{address}{step.number}") for step in film.steps[1:]]
    record = film.record
    last = Scene(record["edition"], record["options"], None, film.steps, film.last, [], [], [], record["result"])
    return Side(leg, seats, film, cells, picture.tell_ending(last))


def pair_up(left: Side, right: Side) -> list[Pair]:
    """As many as the longer leg has steps."""
    longer = max(len(left.cells), len(right.cells))
    rows = ([*side.cells, *[None] * (longer - len(side.cells))] for side in (left, right))
    return [Pair(number, *cells) for number, cells in enumerate(zip(*rows, strict=True), 1)]


def draw_pairs(pairs: Sequence[Pair]) -> SafeString:
    """Rows of a table. Two legs have many steps, so no template is asked."""
    word = _("over")
    over = f'<td><span class="muted">{escape(word)}</span></td>'
    return mark_safe("\n".join(draw_pair(pair, over) for pair in pairs))


def draw_pair(pair: Pair, over: str) -> str:
    cells = "".join(draw_cell(cell) if cell else over for cell in pair.cells)
    return f'<tr><td class="number">{pair.number}</td>{cells}</tr>'


def draw_cell(cell: Cell) -> str:
    lines = "".join(map(draw_line, cell.lines))
    return f'<td><a class="plain-name" href="{escape(cell.address)}">{lines}</a></td>'


def draw_line(line: Line) -> str:
    text = f"{conditional_escape(line.text)}."
    return f"<b>{text}</b> " if line.is_weighty else f"{text} "


def find_parting(pairs: Sequence[Pair]) -> int | None:
    """The place of the first pair that differs: up to there both legs stood the same. None where none does."""
    for place, pair in enumerate(pairs):
        if pair.left is None or pair.right is None or did(pair.left.step.entries) != did(pair.right.step.entries):
            return place
    return None


def did(entries: Sequence[Entry]) -> list[tuple[int, str]]:
    return [(entry.seat, entry.action) for entry in entries]


def compare_hand(seat: int, sides: Sequence[Side], picture: Picture) -> Hand:
    """What each leg's bot made of the cards of a seat."""
    own = [[cell for cell in side.cells if cell.step.seat == seat] for side in sides]
    differing = (cells for cells in zip(*own, strict=False) if len({str(did(cell.step.entries)) for cell in cells}) > 1)
    otherwise = next(differing, (None, None))
    return Hand(
        seat,
        picture.name_seat(seat),
        [read_holder(seat, side, cells, cell) for side, cells, cell in zip(sides, own, otherwise, strict=True)],
    )


def read_holder(seat: int, side: Side, own: Sequence[Cell], otherwise: Cell | None) -> Holder:
    row = next(row for row in side.seats if row.seat == seat)
    places = [other.place for other in side.seats]
    finish = Finish(row.place, places.count(row.place) > 1, len(places))
    return Holder(row, finish, sum(cell.step.spent.wall_ms for cell in own if cell.step.spent), otherwise)
