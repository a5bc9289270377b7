"""The legs of a match in other forms: two of them side by side, and all of them in words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.core.cache import cache as shelf
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.views.decorators.gzip import gzip_page

from arena.core.messages import gettext as _
from arena.core.messages import isolate, ngettext
from arena.matches.models import Leg, LegSeat
from arena.matches.queries import attach_leg_seats, list_legs_with_records, list_seats
from arena.matches.services import explain_missing_record
from arena.pages.formatting import format_milliseconds, rules_title
from arena.pages.games import find_presentation
from arena.pages.games.presentation import Line, Presentation
from arena.pages.matches.analysis import AnalysisPanel, build_analysis_panel, read_shown_analysis
from arena.pages.matches.frames import (
    FRAMES_CACHE_TIMEOUT_S,
    ReplayMove,
    SeatBalance,
    build_stage,
    find_opened_match,
    list_balances,
    list_moves,
    tag_frames,
    to_points,
)
from arena.pages.matches.replay import EVERYTHING, Entry, Playback, Step, play_back
from arena.pages.matches.results import MatchFinish, MatchRow, list_games, read_row
from arena.pages.serving import find_named_round, read_key
from arena.pages.svg.timeline import format_svg_percent
from engine.core import Json

# Two legs of a match as two boards that are stepped through together.


@dataclass(frozen=True, slots=True)
class TwinBoard:
    """One of the boards."""

    leg: Leg
    seats: Sequence[LegSeat]
    stage: dict[str, Any]
    """The context of `matches/_stage.html`, at the step shown or at its last one."""
    step: int
    last: int
    frames_url: str
    ends_at: str
    """Where the leg ends on the line of all steps."""
    balances: Sequence[SeatBalance]
    """Luck and skill of each seat; empty where the leg has no analysis."""
    is_coarse: bool
    """They are those of a coarse analysis."""
    winner: str
    """The bot that won it; empty where it was drawn."""


@dataclass(frozen=True, slots=True)
class TwinBoards:
    """Both boards, and the line on which their steps are."""

    legs: list[TwinBoard]
    step: int
    last: int
    """Number of steps of the longer leg."""
    first_difference: int | None
    """The first step that differs; None where the legs are the same."""
    forks_at: str
    """Where that is on the line."""
    steps_url: str
    """An address that wants the number of a step at its end."""

    @property
    def at(self) -> str:
        """Return where the step shown lies on the line."""
        return format_svg_percent(self.step / max(self.last, 1))


def build_twin(
    legs: Sequence["ComparedLeg"],
    presentation: Presentation,
    step: int,
    first_difference: int | None,
    steps_url: str,
) -> TwinBoards:
    """Return both legs at a step that is brought into range.

    A leg that is over stays at its end.
    """
    last = max(leg.playback.last for leg in legs)
    step = max(0, min(step, last))
    shown = [build_twin_leg(leg, presentation, step, last) for leg in legs]
    forks_at = format_svg_percent((last if first_difference is None else first_difference - 1) / max(last, 1))
    return TwinBoards(shown, step, last, first_difference, forks_at, steps_url)


def build_twin_leg(compared: "ComparedLeg", presentation: Presentation, step: int, last: int) -> TwinBoard:
    """Return a leg at one of its steps, or at its end."""
    leg, seats, length = compared.leg, compared.seats, compared.playback.last
    step = min(step, length)
    query = urlencode({"view": EVERYTHING, "analysis": "off", "tag": tag_frames(leg.record, None, list(seats))})
    places = [seat.place for seat in seats]
    first = [name for name, place in zip(compared.names, places, strict=True) if place == min(places)]
    return TwinBoard(
        leg=leg,
        seats=seats,
        stage=build_stage(compared.playback.scene(step), presentation),
        step=step,
        last=length,
        frames_url=f"{reverse('frames', args=[leg.match_id, leg.number])}?{query}",
        ends_at=format_svg_percent(length / max(last, 1)),
        balances=list_balances(compared.analysis, compared.names) if compared.analysis else (),
        is_coarse=compared.panel.is_coarse,
        winner=first[0] if len(first) == 1 else "",
    )


# Two legs of a match side by side: the same deal with other bots at the seats, and the first difference.


@dataclass(frozen=True, slots=True)
class ComparedStep:
    """A step of one leg in words, and where it can be seen."""

    step: Step
    lines: list[Line]
    url: str


@dataclass(frozen=True, slots=True)
class ComparedSteps:
    """The steps of both legs that have the same number; None where a leg was over."""

    number: int
    left: ComparedStep | None
    right: ComparedStep | None

    @property
    def cells(self) -> list[ComparedStep | None]:
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
    cells: list[ComparedStep]
    """The steps, from the first one after the deal."""
    ending: str
    panel: AnalysisPanel
    analysis: Json | None
    """What there is of its analysis."""

    @property
    def names(self) -> list[str]:
        """Return the bots by seat, of two versions of one bot with their numbers."""
        versions = [seat.participant.version for seat in self.seats]
        is_same = len({version.bot_id for version in versions}) < len(versions)
        return [f"{one.bot.name} {one.number}" if is_same else one.bot.name for one in versions]


@dataclass(frozen=True, slots=True)
class SeatSummary:
    """The bot that held the cards of a seat in one of the legs, and its result."""

    seat: LegSeat
    finish: MatchFinish
    ms: float
    """Wall time of all its answers."""
    first_difference: ComparedStep | None
    """The first decision unlike that of the bot that held these cards in the other leg."""


@dataclass(frozen=True, slots=True)
class ComparedHand:
    """The cards of one seat, which are the same in both legs."""

    seat: int
    name: str
    summaries: list[SeatSummary]


@dataclass(frozen=True, slots=True)
class PartedChoice:
    """What the bot of one leg did where the legs part."""

    leg: int
    name: str
    """The bot."""
    seat: int
    lines: list[Line]
    url: str
    given_away: int | None
    """In points of winning chance; None where no analysis grades it."""


@dataclass(frozen=True, slots=True)
class Parting:
    """The first decision in which two legs differ: the same seat, with the same cards."""

    turn: int
    choices: Sequence[PartedChoice]

    @property
    def cost(self) -> str:
        """Return what it cost as a sentence; empty where no analysis says so."""
        graded = [(one.given_away, isolate(one.name)) for one in self.choices if one.given_away is not None]
        if not graded:
            return ""
        (lost, worse), *others = sorted(graded, key=lambda pair: -pair[0])
        values: dict[str, str | int] = {"bot": worse, "count": lost}
        if not lost:
            whole = _("%(bot)s's choice gave away no winning chance.") % values
            return _("Neither choice gave away winning chance.") if others else whole
        if not others:
            alone = ngettext(
                "That choice cost %(bot)s %(count)s point of winning chance.",
                "That choice cost %(bot)s %(count)s points of winning chance.",
                lost,
            )
            return alone % values
        ((fewer, other),) = others
        values |= {"other": other, "fewer": fewer}
        if not fewer:
            against_none = ngettext(
                "It cost %(bot)s %(count)s point of winning chance, and %(other)s none.",
                "It cost %(bot)s %(count)s points of winning chance, and %(other)s none.",
                lost,
            )
            return against_none % values
        both = ngettext(
            "It cost %(bot)s %(count)s point of winning chance, and %(other)s %(fewer)s.",
            "It cost %(bot)s %(count)s points of winning chance, and %(other)s %(fewer)s.",
            lost,
        )
        return both % values


def show_sides(request: HttpRequest, pk: int) -> HttpResponse:
    """Show two legs of a match whose cards everybody may see. Raise Http404, also for a series of games."""
    match = find_opened_match(request, pk)
    if match.series:
        raise Http404(_("Each game of a series has its own deal, so no legs can be compared side by side."))
    row = read_row(match)
    if row.parts[0].participant.legs_played == 1:
        raise Http404(_("This match has one leg, so there's no other to compare it with."))
    chosen = read_legs(request.GET, len(row.parts))
    found = sorted(list_legs_with_records(match, chosen), key=lambda leg: chosen.index(leg.number))
    return render(request, "matches/leg_comparison.html", build_comparison(request, row, found))


def find_even_legs(row: MatchRow) -> list[Leg]:
    """Return both legs of a match that opens with them side by side; none of others.

    It was drawn, both records are there, and something was done otherwise: a bot that meets itself often plays twice
    the same.
    """
    found = list_legs_with_records(row.match) if row.is_even_duel else []
    if len(found) != len(row.parts) or any(leg.record is None for leg in found):
        return []
    one, other = ([(entry["seat"], entry["action"]) for entry in leg.record_data["actions"]] for leg in found)
    return [] if one == other else found


def build_comparison(request: HttpRequest, row: MatchRow, found: Sequence[Leg]) -> dict[str, Any]:
    """Return the context of `matches/leg_comparison.html` for two legs, from left to right."""
    match, several = row.match, len(row.parts) > len(found)
    chosen = [leg.number for leg in found]
    for leg in found:
        leg.match = match
    named_round = find_named_round(request, match)
    context: dict[str, Any] = {"match": match, "row": row, "chosen": chosen, "named_round": named_round}
    context["numbers"] = range(1, len(row.parts) + 1)
    if any(leg.record is None for leg in found):
        lost = _("One leg's record was lost, so there's nothing to compare. The result stands.")
        return context | {"explanation": explain_missing_record(match, lost)}
    presentation = find_presentation(match.game, match.edition)
    seats = list_seats(found)
    legs = [read_leg(leg, [seat for seat in seats if seat.leg_id == leg.pk], presentation) for leg in found]
    pairs = pair_up(*legs)
    first = next((place for place, pair in enumerate(pairs) if pair.differs), len(pairs))
    different = pairs[first].number if first < len(pairs) else None
    asked = read_key(request.GET, "turn")
    query = {"left": chosen[0], "right": chosen[1]} if several else {}
    steps_url = f"{reverse('sides', args=[match.pk])}?{urlencode(query | {'turn': ''})}"
    return context | {
        "twin": build_twin(legs, presentation, different or 0 if asked is None else asked, different, steps_url),
        "legs": legs,
        "hands": [compare_hand(seat, legs, presentation) for seat in range(len(row.parts))],
        "same": pairs[:first],
        "first_difference": pairs[first : first + 1],
        "parting": find_parting(pairs[first], legs, presentation) if first < len(pairs) else None,
        "rest": pairs[first:],
        "to_analyse": next((leg.panel for leg in legs if leg.analysis is None and leg.panel.is_possible), None),
    }


def find_parting(pair: ComparedSteps, legs: Sequence[ComparedLeg], presentation: Presentation) -> Parting | None:
    """Return the decision in which the legs part; None where one of them ends there."""
    if pair.left is None or pair.right is None:
        return None
    sides = zip(pair.left.step.entries, pair.right.step.entries, strict=False)
    entries = next((both for both in sides if both[0].action != both[1].action or both[0].seat != both[1].seat), None)
    if entries is None:
        return None
    choices = [
        describe_parted_choice(leg, cell, entry, presentation)
        for leg, cell, entry in zip(legs, (pair.left, pair.right), entries, strict=True)
    ]
    return Parting(pair.left.step.turn or pair.number, choices)


def describe_parted_choice(
    compared: ComparedLeg, cell: ComparedStep, entry: Entry, presentation: Presentation
) -> PartedChoice:
    """Return a decision in words, with the bot's name where the game has such sentences."""
    names = compared.names
    if presentation.name_players is not None:
        presentation = presentation.name_players(tuple(names), None)
    graded = {one["number"]: one["loss"] for one in compared.analysis["decisions"]} if compared.analysis else {}
    loss = graded.get(entry.number)
    return PartedChoice(
        leg=compared.leg.number,
        name=names[entry.seat],
        seat=entry.seat,
        lines=presentation.describe_events(entry.events) or presentation.describe_step(cell.step),
        url=cell.url,
        given_away=None if loss is None else to_points(loss),
    )


def read_legs(query: QueryDict, legs: int) -> list[int]:
    """Return the numbers of the two legs that the address asks for; else the first two, or one of them beside it."""
    left, right = (read_key(query, name) for name in ("left", "right"))
    left = left if left in range(1, legs + 1) else None
    right = right if right in range(1, legs + 1) and right != left else None
    left = left or next(number for number in (1, 2) if number != right)
    return [left, right or next(number for number in (1, 2) if number != left)]


def read_leg(leg: Leg, seats: Sequence[LegSeat], presentation: Presentation) -> ComparedLeg:
    """Return a leg in words."""
    playback = play_back(leg.record_data, None)
    url = f"{reverse('match', args=[leg.match_id])}?leg={leg.number}&turn="
    cells = [ComparedStep(step, presentation.describe_step(step), f"{url}{step.number}") for step in playback.steps[1:]]
    panel = build_analysis_panel(leg, QueryDict())
    ending = presentation.describe_ending(playback.scene(playback.last))
    return ComparedLeg(leg, seats, playback, cells, ending, panel, read_shown_analysis(panel))


def pair_up(left: ComparedLeg, right: ComparedLeg) -> list[ComparedSteps]:
    """Return as many pairs as the longer leg has steps."""
    longer = max(len(left.cells), len(right.cells))
    rows = ([*leg.cells, *[None] * (longer - len(leg.cells))] for leg in (left, right))
    return [ComparedSteps(number, *cells) for number, cells in enumerate(zip(*rows, strict=True), 1)]


def compare_hand(seat: int, legs: Sequence[ComparedLeg], presentation: Presentation) -> ComparedHand:
    """Return what the bots of both legs made of the cards of a seat."""
    own = [[cell for cell in leg.cells if cell.step.seat == seat] for leg in legs]
    pairs = zip(*own, strict=False)
    first = next((cells for cells in pairs if cells[0].step.decisions != cells[1].step.decisions), (None, None))
    return ComparedHand(
        seat,
        presentation.name_seat(seat),
        [summarize_seat(seat, leg, cells, cell) for leg, cells, cell in zip(legs, own, first, strict=True)],
    )


def summarize_seat(
    seat: int, leg: ComparedLeg, own: Sequence[ComparedStep], first_difference: ComparedStep | None
) -> SeatSummary:
    """Return who sat there, the place that brought, and the time of all answers."""
    row = next(row for row in leg.seats if row.seat == seat)
    places = [other.place for other in leg.seats]
    finish = MatchFinish(row.place, places.count(row.place) > 1, len(places))
    return SeatSummary(row, finish, sum(cell.step.spent.wall_ms for cell in own if cell.step.spent), first_difference)


# A whole match in words: every leg as a list of its steps, for screen readers or as a plain file.


@dataclass(frozen=True, slots=True)
class LegTranscript:
    """A leg in words."""

    number: int
    seats: list[tuple[str, str]]
    """The game's name of each seat, and the bot that sat there."""
    moves: list[ReplayMove]
    ending: str
    missing: str = ""
    """Why there is no record; empty where there is one."""
    standing: str = ""
    """How the series stood after it; empty where the match is none."""


@gzip_page
def show_transcript(request: HttpRequest, pk: int) -> HttpResponse:
    """Show all legs of a match in words; `?format=txt` sends a plain file."""
    match = find_opened_match(request, pk)
    row = read_row(match)
    legs = list_legs_with_records(match)
    standings = describe_standings(row, legs)
    if request.GET.get("format") == "txt":
        text = "\n".join(write_match(row, [transcribe_leg(leg, row, standings[leg.pk]) for leg in legs]))
        response = HttpResponse(f"{text}\n", content_type="text/plain; charset=utf-8")
        response["Content-Disposition"] = content_disposition_header(True, f"pennant-{pk}.txt") or "attachment"
        return response
    rendered = [(leg, render_leg(leg, row, standings[leg.pk])) for leg in legs]
    return render(request, "matches/transcript.html", {"match": match, "row": row, "legs": rendered})


def describe_standings(row: MatchRow, legs: Sequence[Leg]) -> dict[int, str]:
    """Return how the series stood after each leg, by its key; empty where the match is no series."""
    if not row.match.series:
        return dict.fromkeys([leg.pk for leg in legs], "")
    attach_leg_seats([part.participant for part in row.parts])
    names = [part.version.bot.name for part in row.parts]
    found = {}
    for game in list_games(row, legs):
        scores = ", ".join(f"{isolate(name)} {score}" for name, score in zip(names, game.standing, strict=True))
        found[game.leg.pk] = _("Series score: %(scores)s.") % {"scores": scores}
    return found


def render_leg(leg: Leg, row: MatchRow, standing: str) -> str:
    """Return a leg as a list of links; the same for all readers of a language, and so kept for the next one."""
    tag = f"text:{tag_frames(leg.record, None, list_parts_by_seat(leg, row))}:{leg.match_id}:{leg.number}"
    drawn: str | None = shelf.get(tag)
    if drawn is None:
        url = f"{reverse('match', args=[leg.match_id])}?leg={leg.number}&turn="
        drawn = render_to_string("matches/_transcript.html", {"leg": transcribe_leg(leg, row, standing), "url": url})
        shelf.set(tag, drawn, FRAMES_CACHE_TIMEOUT_S)
    return drawn


def list_parts_by_seat(leg: Leg, row: MatchRow) -> list[Any]:
    """Return who sat at each seat of a leg."""
    by_index = {part.participant.index: part for part in row.parts}
    return [by_index[index] for index in leg.seating]


def transcribe_leg(leg: Leg, row: MatchRow, standing: str) -> LegTranscript:
    """Return a leg in words."""
    bots = [f"{isolate(part.version.bot.name)} {part.version.number}" for part in list_parts_by_seat(leg, row)]
    presentation = find_presentation(row.match.game, row.match.edition)
    seats = [(presentation.name_seat(seat), bot) for seat, bot in enumerate(bots)]
    if leg.record is None:
        missing = explain_missing_record(row.match, _("This leg's record was lost."))
        return LegTranscript(leg.number, seats, [], "", missing=missing, standing=standing)
    playback = play_back(leg.record_data, None)
    ending = presentation.describe_ending(playback.scene(0))
    moves = list_moves(playback, presentation, limit_ms=0)
    return LegTranscript(leg.number, seats, moves, ending, standing=standing)


def write_match(row: MatchRow, legs: Sequence[LegTranscript]) -> Iterator[str]:
    """Yield lines of plain text."""
    match = row.match
    names = _(" v ").join(f"{isolate(part.version.bot.name)} {part.version.number}" for part in row.parts)
    scores = " : ".join(part.score for part in row.parts)
    number = _("match %(number)s") % {"number": match.pk}
    yield f"{names}, {number}: {scores}"
    yield rules_title(match)
    if row.series_name:
        yield row.series_name
    if match.finished_at:
        yield f"{match.finished_at:%Y-%m-%d %H:%M} UTC"
    for leg in legs:
        yield ""
        yield from write_leg(leg)


def write_leg(leg: LegTranscript) -> Iterator[str]:
    """Yield the lines of a leg."""
    yield _("Leg %(number)s") % {"number": leg.number}
    for seat, bot in leg.seats:
        yield f"{seat}: {bot}"
    if leg.missing:
        yield leg.missing
        return
    for move in leg.moves:
        sentences = " ".join(f"{line}." for line in move.lines)
        spent = move.step.spent
        time = f" ({format_milliseconds(spent.wall_ms)})" if spent else ""
        yield f"{move.step.turn or 0:>3}  {sentences}{time}"
    steps = len(leg.moves)
    yield ngettext("%(ending)s, after %(count)s step.", "%(ending)s, after %(count)s steps.", steps) % {
        "ending": leg.ending,
        "count": steps,
    }
    if leg.standing:
        yield leg.standing
