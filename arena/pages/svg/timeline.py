"""The timeline of a leg under the table: marks of events and graphs; and a small picture of a leg's length."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, isolate, ngettext
from arena.pages.formatting import format_milliseconds
from arena.pages.games.presentation import Level, Mark, Presentation
from arena.pages.matches.frames import GIVEN_UP_TITLES, JUDGEMENT_TITLES, to_points
from arena.pages.matches.replay import Judgement, Playback, Scene, Step
from arena.pages.svg.icons import build_icon_url

# The timeline of a leg under the table: marks of events, and graphs of chances, standing and thinking time.
#
# Everything is placed in percent of the width, so that the browser can stretch it. Steps in, SVG out.

TWO_PLAYER_SEATS = 2
MISTAKE_MARK = "mistake"
MIN_MARK_DISTANCE = 0.022
"""Marks that are closer, as a share of the width, are drawn on different lanes."""
MAX_MARK_LANES = 3
MIN_TIME_SHARE_TO_SHOW_LIMIT = 0.25
"""Where no answer took this share of the limit, bars are drawn larger, and the limit is left out."""
MARK_CLICK_AREA_SVG = '<rect class="target" x="-8" width="16" height="18"></rect>'
MARK_SQUARE_SVG = '<rect class="square" x="-8" y="1" width="16" height="16" rx="3"></rect>'
BAR_SHARE_OF_STEP = 0.66
"""With less than two thirds the last bar, which stands further left to be drawn whole, leaves its neighbour alone."""
LATE_SHARE = 0.8
"""From there on, what stands beside the playhead stands on its left."""
GRAPH_HEIGHT = 100
"""In units of the drawing."""


@dataclass(frozen=True, slots=True)
class MarkSpot:
    """A mark and its position."""

    mark: Mark
    step: int
    x: str
    lane: int

    @property
    def is_pennant(self) -> bool:
        """Return whether the mark is a pennant, which has its seat's colour."""
        return self.mark.icon.startswith("pennant")


@dataclass(frozen=True, slots=True)
class MarkJump:
    """A link to the next mark of its kind; without a step where none comes."""

    kind: str
    label: str
    step: int | None


@dataclass(frozen=True, slots=True)
class TimelineGraph:
    """One row of the timeline."""

    kind: str
    title: str
    spoken: str
    """Its content as a sentence, for screen readers."""
    drawing: SafeString
    """The inside of an SVG."""
    hint: str = ""
    legend: tuple[tuple[int, str], ...] = ()
    """Seats and their names, where each has a line of its own."""
    above: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True)
class AnalysedChances:
    """Chances of the first seat by step, from 0 to 1, as an analysis gives them."""

    area: Sequence[float]
    lines: Sequence[tuple[int, Sequence[float]]] = ()
    """Seat, and the first seat's chance as that seat could know it."""


@dataclass(frozen=True)
class Timeline:
    """The steps of a leg as a line with marks and graphs."""

    steps: Sequence[Step]
    number: int
    """The step shown."""
    names: Sequence[str]
    """Names of the seats."""
    presentation: Presentation
    levels: Sequence[Level]
    limit_ms: float
    judgements: Mapping[int, Judgement]
    """By step: what an analysis says of its worst decision."""
    chances: "AnalysedChances | None" = None
    near: int = 0
    """The first seat or the second, whose chance the graphs of two seats show: the one at the lower edge."""

    @property
    def last(self) -> int:
        """Return the number of the last step."""
        return len(self.steps) - 1

    def share(self, step: float) -> float:
        """Return where a step lies, from 0 to 1."""
        return step / max(self.last, 1)

    @property
    def playhead(self) -> str:
        """Return where the step that is shown lies, in percent."""
        return format_svg_percent(self.share(self.number))

    @cached_property
    def spots(self) -> list[MarkSpot]:
        """All marks, in order, those that would touch on different lanes."""
        spots, free = [], [-1.0] * MAX_MARK_LANES
        for step in self.steps:
            judgement = self.judgements.get(step.number)
            for mark in [*self.presentation.list_marks(step), *([mark_judgement(judgement)] if judgement else [])]:
                here = self.share(step.number)
                lane = next((lane for lane in range(MAX_MARK_LANES) if free[lane] <= here), free.index(min(free)))
                free[lane] = here + MIN_MARK_DISTANCE
                spots.append(MarkSpot(mark, step.number, format_svg_percent(here), lane))
        return spots

    @property
    def lanes(self) -> int:
        """Return the number of lanes that the marks take."""
        return 1 + max((spot.lane for spot in self.spots), default=0)

    @cached_property
    def jumps(self) -> list[MarkJump]:
        """The links to the next mark of each kind that occurs in this leg."""
        labels = {**self.presentation.jump_labels, MISTAKE_MARK: gettext_lazy("Next mistake")}
        steps = {kind: [spot.step for spot in self.spots if spot.mark.kind == kind] for kind in labels}
        return [
            MarkJump(kind, str(label), next((step for step in steps[kind] if step > self.number), None))
            for kind, label in labels.items()
            if steps[kind]
        ]

    @cached_property
    def graphs(self) -> list[TimelineGraph]:
        """Return the graphs for which there is something to show."""
        return [graph for graph in (self.analysed(), self.reported(), self.measured(), self.thinking()) if graph]

    def analysed(self) -> TimelineGraph | None:
        """Return the graph of the chances by an analysis; None where there is none.

        The area is with open cards, or as the onlooker's seat could know it; lines are as each seat could.
        """
        if self.chances is None:
            return None
        title = _("Chances from the analysis")
        area = draw_lead_area([2 * chance - 1 for chance in self.chances.area], self.last, self.near)
        lines = [(seat, self.turn_to_near(values)) for seat, values in self.chances.lines]
        drawn_lines = draw_seat_lines(lines, self.last, 0, 1, is_stepped=False) if lines else ""
        legend = [(seat, _("based on what %(seat)s could see") % {"seat": self.names[seat]}) for seat, _line in lines]
        hint = _("with all cards open") if lines else _("based on what the player could see")
        spoken = f"{self.describe_graph(title)} {hint}"
        drawing = mark_safe(area + drawn_lines + self.draw_blunders())
        return TimelineGraph("analysed", title, spoken, drawing, hint, tuple(legend), *self.area_names)

    def turn_to_near(self, chances: Sequence[float]) -> list[float]:
        """Return the chances of the seat at the lower edge, from those of the first seat."""
        return [chance if self.near == 0 else 1 - chance for chance in chances]

    @property
    def area_names(self) -> tuple[str, str]:
        """Return the names of the upper area of a graph and of the lower one, each as high as its seat's chance."""
        return self.names[1 - self.near], self.names[self.near]

    @property
    def strip(self) -> SafeString | None:
        """Return the chances by the analysis as the area under the marks; None where there is none."""
        if self.chances is None:
            return None
        area = draw_lead_area([2 * chance - 1 for chance in self.chances.area], self.last, self.near)
        return mark_safe(area + self.draw_blunders())

    @property
    def percents(self) -> list[int]:
        """Return by step the chance of the seat at the lower edge, in percent."""
        return [to_points(chance) for chance in self.turn_to_near(self.chances.area)] if self.chances else []

    @property
    def chance_words(self) -> str:
        """Return the chance of the seat at the lower edge in words, with a place for its percent."""
        return f"{isolate(self.names[self.near])} {{percent}}%"

    @property
    def chance_shown(self) -> str:
        """Return the same at the step shown."""
        return self.chance_words.replace("{percent}", str(self.percents[self.number])) if self.chances else ""

    @property
    def is_late(self) -> bool:
        """Return whether what stands beside the playhead has its room on the left."""
        return self.share(self.number) > LATE_SHARE

    def draw_blunders(self) -> str:
        """Draw a dot at each blunder."""
        chances = self.turn_to_near(self.chances.area) if self.chances else []
        return "".join(
            f'<circle class="blunder" cx="{format_svg_percent(self.share(judgement.step))}"'
            f' cy="{format_svg_percent(1 - chances[judgement.step])}" r="4"></circle>'
            for judgement in self.judgements.values()
            if judgement.name == "blunder"
        )

    def reported(self) -> TimelineGraph | None:
        """Return the graph of the chances that the bots reported; None where none did."""
        reported = list_reported_chances(self.steps, len(self.names))
        if all(chance is None for seat in reported for chance in seat):
            return None
        title = _("The bots' own evaluation")
        if len(self.names) == TWO_PLAYER_SEATS:
            drawing = draw_lead_area(compute_mean_leads(reported), self.last, self.near)
            return TimelineGraph("chances", title, self.describe_graph(title), drawing, "", (), *self.area_names)
        lines = [
            (seat, [chance or 0.0 for chance in reported[seat]]) for seat in range(len(reported)) if any(reported[seat])
        ]
        drawing = draw_seat_lines(lines, self.last, -1, 1, is_stepped=False)
        legend = self.legend(seat for seat, _values in lines)
        return TimelineGraph("chances", title, self.describe_graph(title), drawing, legend=legend)

    def measured(self) -> TimelineGraph | None:
        """Return the graph of each seat's standing as the game measures it, or None."""
        lines = [(level.seat, level.values) for level in self.levels]
        values = [0, *(value for _seat, own in lines for value in own)]
        low, high = min(values), max(values)
        if low == high:
            return None
        title = str(self.presentation.measure_label)
        drawing = draw_seat_lines(lines, self.last, low, high, is_stepped=True)
        legend = self.legend(seat for seat, _own in lines)
        return TimelineGraph("measured", title, self.describe_graph(title), drawing, legend=legend)

    def thinking(self) -> TimelineGraph | None:
        """Return the graph of thinking times, or None.

        Two seats have bars on either side of the middle, more of them a ground line each.
        """
        bars = [
            (step.number, step.seat, step.spent.cost_ms) for step in self.steps if step.spent and step.seat is not None
        ]
        if not bars:
            return None
        longest = max(cost for _number, _seat, cost in bars)
        is_near = bool(self.limit_ms) and longest >= MIN_TIME_SHARE_TO_SHOW_LIMIT * self.limit_ms
        top = self.limit_ms if is_near else max(longest, 1.0)
        title, hint = _("Thinking time"), self.describe_limit(longest, is_near)
        drawing = draw_thinking_time_bars([(n, seat, min(cost / top, 1.0)) for n, seat, cost in bars], self, is_near)
        legend = self.legend(range(len(self.names))) if len(self.names) > TWO_PLAYER_SEATS else ()
        return TimelineGraph("thinking", title, f"{self.describe_graph(title)} {hint}", drawing, hint, legend)

    def describe_limit(self, longest: float, is_near: bool) -> str:
        """Return the sentence about the time limit."""
        if is_near:
            return _("limit %(limit)s") % {"limit": format_milliseconds(self.limit_ms)}
        if not self.limit_ms:
            return _("longest %(time)s") % {"time": format_milliseconds(longest)}
        return _("longest %(time)s, limit %(limit)s") % {
            "time": format_milliseconds(longest),
            "limit": format_milliseconds(self.limit_ms),
        }

    def describe_graph(self, title: str) -> str:
        """Return the label of a graph for screen readers."""
        return _("%(what)s, step by step; the move list shows the numbers.") % {"what": title}

    def legend(self, seats: Iterable[int]) -> tuple[tuple[int, str], ...]:
        """Return the seats with their names."""
        return tuple((seat, self.names[seat]) for seat in seats)


def build_timeline(
    scene: Scene,
    presentation: Presentation,
    playback: Playback | None = None,
    limit_ms: float = 0,
    chances: AnalysedChances | None = None,
) -> Timeline:
    """Return the timeline of a scene's leg, with the chances of its analysis if there is one.

    Only with its `playback` can the game measure how the seats stood, and are judgements marked.
    """
    levels = presentation.measure(playback) if playback is not None and presentation.measure else []
    names = [presentation.name_seat(seat) for seat in range(len(scene.after))]
    judgements = playback.judgements if playback is not None else {}
    return Timeline(scene.steps, scene.number, names, presentation, levels, limit_ms, judgements, chances, scene.near)


def mark_judgement(judgement: Judgement) -> Mark:
    """Return the mark of a decision that gave something away."""
    label = f"{JUDGEMENT_TITLES[judgement.name]}, −{to_points(judgement.loss)}"
    if judgement.given_up:
        label = str(GIVEN_UP_TITLES[judgement.given_up])
    return Mark(MISTAKE_MARK, judgement.seat, "down", label)


def draw_marks(timeline: Timeline, address: str | None) -> SafeString:
    """Draw the marks, each a link to its step: `address` followed by the step's number, or no link where it is None."""
    return mark_safe("".join(draw_mark(spot, address) for spot in timeline.spots))


def draw_mark(spot: MarkSpot, address: str | None) -> str:
    """Return the drawing of one mark."""
    mark = spot.mark
    label = escape(f"{spot.step}: {mark.label}")
    element, link = (
        ("g", "") if address is None else ("a", f' href="{escape(address)}{spot.step}" aria-label="{label}"')
    )
    sheet = build_icon_url(mark.icon)
    if spot.is_pennant:
        drawn = f'{MARK_CLICK_AREA_SVG}<use href="{sheet}" x="-7" y="1" width="15" height="15"></use>'
    else:
        drawn = f'{MARK_SQUARE_SVG}<use class="on-square" href="{sheet}" x="-6" y="3" width="12" height="12"></use>'
    return (
        f'<{element}{link} class="seat-{mark.seat} lane-{spot.lane}" data-step="{spot.step}" data-kind="{mark.kind}">'
        f'<title>{label}</title><svg x="{spot.x}" overflow="visible">{drawn}</svg></{element}>'
    )


def list_reported_chances(steps: Sequence[Step], seats: int) -> list[list[float | None]]:
    """Return by seat and step the chances that its bot reported last; None before its first report."""
    latest: list[float | None] = [None] * seats
    chances: list[list[float | None]] = [[] for _seat in latest]
    for step in steps:
        for entry in step.entries:
            if entry.eval is not None:
                latest[entry.seat] = entry.eval
        for seat, chance in enumerate(latest):
            chances[seat].append(chance)
    return chances


def compute_mean_leads(reported_chances: list[list[float | None]]) -> list[float]:
    """Return by step the lead of the first of two seats, from -1 to 1: the mean of both reports."""
    means = []
    for first, second in zip(*reported_chances, strict=True):
        both = [value for value in (first, None if second is None else -second) if value is not None]
        means.append(sum(both) / len(both) if both else 0.0)
    return means


def draw_lead_area(values: Sequence[float], last: int, near: int = 0) -> SafeString:
    """Draw one area from below for the near of two seats, and one from above for the other.

    `values` are the leads of the first seat, from -1 to 1. The edge between both rises for the near seat.
    """
    sign = 1 if near == 0 else -1
    points = " ".join(f"{step} {(1 + sign * value) / 2 * GRAPH_HEIGHT:.0f}" for step, value in enumerate(values))
    return stretch_drawing(
        last,
        GRAPH_HEIGHT,
        f'<path class="area-{1 - near}" d="M0 {GRAPH_HEIGHT}L{points}V{GRAPH_HEIGHT}z"/>'
        f'<path class="area-{near}" d="M0 0L{points}V0z"/>'
        f'<path class="edge" d="M{points}"/><path class="middle" d="M0 {GRAPH_HEIGHT / 2:g}H{last}"/>',
    )


def draw_seat_lines(
    lines: Iterable[tuple[int, Sequence[float]]], last: int, low: float, high: float, *, is_stepped: bool
) -> SafeString:
    """Draw one line for each seat, told apart by colour and by its dashes; and where 0 is, if that is inside."""
    paths = []
    if is_stepped and low < 0 < high:
        paths.append(f'<path class="middle" d="M0 {-low / (high - low) * GRAPH_HEIGHT:.0f}H{last}"/>')
    for seat, values in lines:
        heights = [f"{(value - low) / (high - low) * GRAPH_HEIGHT:.0f}" for value in values]
        line = "".join(f"H{n}V{h}" if is_stepped else f"L{n} {h}" for n, h in enumerate(heights))
        paths.append(f'<path class="seat-{seat} line-{seat}" d="M0 {heights[0] if heights else 0}{line}"/>')
    return stretch_drawing(last, GRAPH_HEIGHT, "".join(paths))


def stretch_drawing(width: int, height: int, content: str) -> SafeString:
    """Return a drawing whose y axis points upwards, stretched over the whole width."""
    return mark_safe(
        f'<svg viewBox="0 0 {max(width, 1)} {height}" preserveAspectRatio="none" width="100%" height="100%">'
        f'<g transform="matrix(1 0 0 -1 0 {height})">{content}</g></svg>'
    )


def draw_thinking_time_bars(bars: Iterable[tuple[int, int, float]], timeline: Timeline, with_limit: bool) -> SafeString:
    """Draw one bar for each step, whose height is a share of the room of its seat."""
    seats = len(timeline.names)
    room_per_seat = 100 / seats
    bar_width = BAR_SHARE_OF_STEP * timeline.share(1)
    parts = []
    for number, seat, share in bars:
        ground = 50 if seats == TWO_PLAYER_SEATS else room_per_seat * (seat + 1)
        bar_height = max(share * room_per_seat * 0.94, 1.5)
        top = ground if seats == TWO_PLAYER_SEATS and seat == timeline.near else ground - bar_height
        left = min(timeline.share(number) - bar_width / 2, 1 - bar_width)
        parts.append(
            f'<rect class="seat-{seat}" x="{format_svg_percent(left)}" width="{format_svg_percent(bar_width)}"'
            f' y="{top:.1f}%" height="{bar_height:.1f}%"/>'
        )
    grounds = [50.0] if seats == TWO_PLAYER_SEATS else [room_per_seat * (seat + 1) for seat in range(seats)]
    limits = [3, 97] if seats == TWO_PLAYER_SEATS else [ground - room_per_seat * 0.94 for ground in grounds]
    parts += [draw_level_line("ground", ground) for ground in grounds]
    parts += [draw_level_line("limit", limit) for limit in limits] if with_limit else []
    return mark_safe("".join(parts))


def draw_level_line(css_class: str, height_percent: float) -> str:
    """Return a horizontal line at a height in percent."""
    return f'<line class="{css_class}" x2="100%" y1="{height_percent:.1f}%" y2="{height_percent:.1f}%"/>'


def format_svg_percent(share: float) -> str:
    """Return a share from 0 to 1 as a percentage."""
    return f"{100 * share:.2f}%"


# A small picture of how long a leg was: a bar for each turn. Steps in, SVG out.

LENGTH_HEIGHT = 40
BAR_HEIGHT, MARKED_BAR_HEIGHT = 9, 18
"""A bar is taller where what decides a leg happened: a claim, or an attack."""
TURN_BAR_WIDTH = 0.7
"""Of the width that a turn has."""


def draw_length(scene: Scene, presentation: Presentation) -> SafeString:
    """Draw the turns of a leg, the first seat's below a line and those of the others above it."""
    kind = next(iter(presentation.jump_labels), "")
    bars: list[str] = []
    for step in scene.steps:
        if step.seat is None:
            continue
        is_marked = any(mark.kind == kind for mark in presentation.list_marks(step))
        height = MARKED_BAR_HEIGHT if is_marked else BAR_HEIGHT
        top = LENGTH_HEIGHT / 2 + (1 if step.seat == 0 else -1 - height)
        bars.append(
            f'<path class="seat-{step.seat}" d="M{len(bars)} {top:g}h{TURN_BAR_WIDTH}v{height}H{len(bars)}z"></path>'
        )
    return format_html(
        '<svg class="length" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>',
        max(len(bars), 1),
        LENGTH_HEIGHT,
        ngettext("One bar for its %(count)d turn", "One bar for each of its %(count)d turns", len(bars))
        % {"count": len(bars)},
        mark_safe("".join(bars)),
    )
