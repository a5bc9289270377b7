"""Two legs of a match side by side: the same deal with other bots at the seats, and the first difference."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _

from arena.matches.models import Leg, LegSeat
from arena.matches.queries.replays import list_legs_with_records, list_seats
from arena.matches.retention import explain_missing_record
from arena.pages.games import find_presentation
from arena.pages.games.presentation import Line, Presentation
from arena.pages.matches.opened import find_opened_match
from arena.pages.matches.replay import Playback, Scene, Step, play_back
from arena.pages.matches.results import Finish, read_row
from arena.pages.matches.twin import build_twin
from arena.pages.paging import read_key

NO_STEP = 10**9
"""No leg has so many steps: views and proofs are made for none."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A step of one leg in words, and where it can be seen."""

    step: Step
    lines: list[Line]
    url: str


@dataclass(frozen=True, slots=True)
class Pair:
    """The steps of both legs that have the same number; None where a leg was over."""

    number: int
    left: Cell | None
    right: Cell | None

    @property
    def cells(self) -> list[Cell | None]:
        """Return the steps of both legs."""
        return [self.left, self.right]

    @property
    def differs(self) -> bool:
        """Return whether something else was done in one leg than in the other."""
        return self.left is None or self.right is None or self.left.step.decisions != self.right.step.decisions


@dataclass(frozen=True, slots=True)
class ComparedLeg:
    """One of the two legs."""

    leg: Leg
    seats: Sequence[LegSeat]
    playback: Playback
    cells: list[Cell]
    """The steps, from the first one after the deal."""
    ending: str


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """The bot that held the cards of a seat in one of the legs, and its result."""

    seat: LegSeat
    finish: Finish
    ms: float
    """Wall time of all its answers."""
    first_difference: Cell | None
    """The first decision unlike that of the bot that held these cards in the other leg."""


@dataclass(frozen=True, slots=True)
class Hand:
    """The cards of one seat, which are the same in both legs."""

    seat: int
    name: str
    summaries: list[SeatSummary]


def page(request: HttpRequest, pk: int) -> HttpResponse:
    """Show two legs of a match whose cards everybody may see. Raise Http404, also for a series of games."""
    match = find_opened_match(request, pk)
    if match.series:
        raise Http404(_("Each game of a series has a deal of its own, so there are no legs to put side by side."))
    row = read_row(match)
    numbers = range(1, len(row.parts) + 1)
    chosen = read_legs(request.GET, len(row.parts))
    found = sorted(list_legs_with_records(match, chosen), key=lambda leg: chosen.index(leg.number))
    context = {"match": match, "row": row, "numbers": numbers, "chosen": chosen}
    if any(leg.record is None for leg in found):
        context["explanation"] = explain_missing_record(
            match, _("The record of a leg was lost, so there is nothing to compare the other with. The result stands.")
        )
        return render(request, "matches/leg_comparison.html", context)
    presentation = find_presentation(match.game, match.edition)
    seats = list_seats(found)
    legs = [read_leg(leg, [seat for seat in seats if seat.leg_id == leg.pk], presentation) for leg in found]
    pairs = pair_up(*legs)
    first = next((place for place, pair in enumerate(pairs) if pair.differs), len(pairs))
    different = pairs[first].number if first < len(pairs) else None
    asked = read_key(request.GET, "turn")
    context |= {
        "twin": build_twin(
            [(leg.leg, leg.seats, leg.playback.last) for leg in legs],
            presentation,
            different or 0 if asked is None else asked,
            different,
        ),
        "legs": legs,
        "hands": [compare_hand(seat, legs, presentation) for seat in range(len(row.parts))],
        "same": pairs[:first],
        "first_difference": pairs[first : first + 1],
        "rest": pairs[first:],
    }
    return render(request, "matches/leg_comparison.html", context)


def read_legs(query: QueryDict, legs: int) -> list[int]:
    """Return the numbers of the two legs that the address asks for; else the first two, or one of them beside it."""
    left, right = (read_key(query, name) for name in ("left", "right"))
    left = left if left in range(1, legs + 1) else None
    right = right if right in range(1, legs + 1) and right != left else None
    left = left or next(number for number in (1, 2) if number != right)
    return [left, right or next(number for number in (1, 2) if number != left)]


def read_leg(leg: Leg, seats: Sequence[LegSeat], presentation: Presentation) -> ComparedLeg:
    """Return a leg in words."""
    playback = play_back(leg.record_data, None, only_step=NO_STEP)
    url = f"{reverse('match', args=[leg.match_id])}?leg={leg.number}&turn="
    cells = [Cell(step, presentation.describe_step(step), f"{url}{step.number}") for step in playback.steps[1:]]
    record = playback.record
    last = Scene(
        record["edition"], record["options"], None, playback.steps, playback.last, [], [], [], record["result"]
    )
    return ComparedLeg(leg, seats, playback, cells, presentation.describe_ending(last))


def pair_up(left: ComparedLeg, right: ComparedLeg) -> list[Pair]:
    """Return as many pairs as the longer leg has steps."""
    longer = max(len(left.cells), len(right.cells))
    rows = ([*leg.cells, *[None] * (longer - len(leg.cells))] for leg in (left, right))
    return [Pair(number, *cells) for number, cells in enumerate(zip(*rows, strict=True), 1)]


def compare_hand(seat: int, legs: Sequence[ComparedLeg], presentation: Presentation) -> Hand:
    """Return what the bots of both legs made of the cards of a seat."""
    own = [[cell for cell in leg.cells if cell.step.seat == seat] for leg in legs]
    pairs = zip(*own, strict=False)
    first = next((cells for cells in pairs if cells[0].step.decisions != cells[1].step.decisions), (None, None))
    return Hand(
        seat,
        presentation.name_seat(seat),
        [summarize_seat(seat, leg, cells, cell) for leg, cells, cell in zip(legs, own, first, strict=True)],
    )


def summarize_seat(seat: int, leg: ComparedLeg, own: Sequence[Cell], first_difference: Cell | None) -> SeatSummary:
    """Return who sat there, the place that brought, and the time of all answers."""
    row = next(row for row in leg.seats if row.seat == seat)
    places = [other.place for other in leg.seats]
    finish = Finish(row.place, places.count(row.place) > 1, len(places))
    return SeatSummary(row, finish, sum(cell.step.spent.wall_ms for cell in own if cell.step.spent), first_difference)
