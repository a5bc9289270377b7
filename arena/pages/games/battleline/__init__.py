"""Battle Line on the page: what an edition shows, its marks, the charts of the atlas, and preview images."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from django.utils.safestring import SafeString

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy
from arena.pages.games.battleline.board import (
    FLAG_COLUMN_WIDTH,
    Flag,
    FlagSide,
    LineBoard,
    TilePlace,
    build_board,
    build_proof,
    tell_close_call,
)
from arena.pages.games.battleline.known_cards import list_known_cards_of_seats
from arena.pages.games.battleline.play import build_play
from arena.pages.games.battleline.rulebook import build_line_example, build_rules
from arena.pages.games.battleline.words import (
    ENDING_LABELS,
    MISTAKE_LABELS,
    TACTIC_ICONS,
    WORDINGS_BY_EDITION,
    GroundTag,
    Wording,
    describe_ending,
    describe_events,
    is_tactic,
    name_choice,
    name_seats,
)
from arena.pages.games.chart_words import ChartKind, ChartWords
from arena.pages.games.presentation import Mark, Presentation
from arena.pages.matches.replay import Step
from arena.pages.svg.card import SEAT_COLOURS, MiniatureColumn, PlacedCard, draw_miniature
from engine.core import Json
from engine.games.battleline.options import PRESETS, Rules, edition_options
from engine.games.battleline.view import CLAIMS, FORMATIONS, TACTICS

# The charts of Battle Line in the atlas, in the words of each edition.

FLAG_NUMBERS = tuple(map(str, range(1, 10)))


def build_charts(wording: Wording) -> Sequence[ChartWords]:
    """Return the charts with the names of an edition."""
    return (
        ChartWords(
            FORMATIONS,
            ChartKind.MAP,
            gettext_lazy("Winning formations by flag"),
            gettext_lazy(
                "Every flag won, by winning formation. Shares are of that flag's wins. Where Fog or a tile "
                "makes only the total count, the lowest formation is shown."
            ),
            row_title=gettext_lazy("Formation"),
            column_title=gettext_lazy("Flag"),
            name_row=wording.formation,
            rows=list(wording.names.formations),
            columns=FLAG_NUMBERS,
        ),
        ChartWords(
            CLAIMS,
            ChartKind.STEPS,
            gettext_lazy("When flags are won"),
            gettext_lazy("By the turn of the claim, counting both players' turns."),
            row_title=gettext_lazy("Turns"),
        ),
        ChartWords(
            TACTICS,
            ChartKind.POINTS,
            gettext_lazy("Tactics and wins"),
            gettext_lazy(
                "How often each card was played, and how often its player won. Good bots make any card look "
                "good, so this says as much about the players as the cards."
            ),
            row_title=gettext_lazy("Card"),
            name_row=lambda card: _(wording.names.tactics[card]),
            rows=list(wording.names.tactics),
        ),
    )


# The marks on the timeline of a leg of Battle Line: claims, tactics, and a fault.

CLAIM_MARK, TACTICS_MARK, FORFEIT_MARK = "claim", "tactics", "forfeit"
JUMP_LABELS = {CLAIM_MARK: gettext_lazy("Next claim"), TACTICS_MARK: gettext_lazy("Next tactics card")}


def list_marks(wording: Wording, step: Step) -> list[Mark]:
    """Return the marks of a step on the timeline."""
    return [found for event in step.events if (found := mark_event(wording, event)) is not None]


def mark_event(wording: Wording, event: Json) -> Mark | None:
    """Return the mark of an event; None for those that have none."""
    verb, *arguments = event.get("action", "").split() or [event.get("event")]
    seat: int | None = event.get("seat")
    if seat is None:
        return None
    if verb in ("claim", "award"):
        return Mark(CLAIM_MARK, seat, f"pennant-{seat}", str(describe_events(wording, [event])[0]))
    if verb == "forfeit":
        return Mark(FORFEIT_MARK, seat, "no", str(describe_events(wording, [event])[0]))
    card = arguments[0] if verb == "play" else verb
    if not is_tactic(card):
        return None
    label = _("%(seat)s plays %(card)s") % {"seat": wording.seat(seat), "card": wording.card(card)}
    return Mark(TACTICS_MARK, seat, TACTIC_ICONS[card], label)


# The line of Battle Line laid out in a preview image of 1200 by 630.

FRONT_LEFT, FRONT_RIGHT, FRONT_TOP, FRONT_HEIGHT = 24, 1176, 330, 70
"""The ends of the line, the top of the front and its height."""
CARD_HEIGHT, BAND_HEIGHT = 92, 31
FLAG_TOPS_BY_OWNER = {None: FRONT_TOP + 14, 0: FRONT_TOP + 22, 1: FRONT_TOP + 4}
"""Where the top of a flag is, by its owner."""
TAG_HEIGHT = 20


@dataclass(frozen=True, slots=True)
class PreviewNote:
    """A dark label with what lies on the ground."""

    tag: GroundTag
    x: float
    y: float
    width: float


@dataclass(frozen=True, slots=True)
class HeldFormation:
    """The formation of a full side, named at its outer end."""

    side: FlagSide
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class FlagColumn:
    """A flag with its sides."""

    flag: Flag
    x: float
    width: float
    y: float
    """Of the flag."""
    cards: list[PlacedCard]
    card_x: float
    card_width: float
    slots: list[float]
    """Tops of the free ones."""
    held: list[HeldFormation]
    notes: list[PreviewNote]

    @property
    def middle(self) -> float:
        """Return the middle of the column."""
        return self.x + self.width / 2

    @property
    def colour(self) -> str:
        """Return the colour of the flag."""
        return "#FFFDF8" if self.flag.owner is None else SEAT_COLOURS[self.flag.owner]


@dataclass(frozen=True, slots=True)
class LinePreview:
    """Values for the template of a leg's preview image."""

    columns: list[FlagColumn]
    front: str
    scale: float
    """From the units of the front's path to those of the picture, sideways."""
    places: list[tuple[TilePlace, float]]
    """While tiles are laid: the row so far, and where each place begins."""
    step: float


def lay_out_preview(board: LineBoard) -> LinePreview:
    """Return where everything of a board lies in the image."""
    step = (FRONT_RIGHT - FRONT_LEFT) / len(board.flags)
    if board.opening:
        return LinePreview(
            [], "", 1, [(place, FRONT_LEFT + step * number) for number, place in enumerate(board.opening.row)], step
        )
    columns = [lay_out_column(flag, FRONT_LEFT + step * place, step) for place, flag in enumerate(board.flags)]
    return LinePreview(columns, board.front, step / FLAG_COLUMN_WIDTH, [], step)


def draw_small_line(board: LineBoard) -> SafeString:
    """Draw flags and cards in small."""
    columns = [MiniatureColumn(flag.owner, far.faces, near.faces) for flag, far, near in board.columns]
    return draw_miniature(columns, board.near, board.front, board.width)


def lay_out_column(flag: Flag, x: float, step: float) -> FlagColumn:
    """Return a flag and its sides; `x` is the left end and `step` the width of the column."""
    south, north = flag.sides
    width = min(78, step - 12)
    left = round(x + (step - width) / 2, 1)
    tags = [*([flag.tile] if flag.tile else []), *flag.weather]
    below = TAG_HEIGHT * len(tags)
    start = FRONT_TOP + FRONT_HEIGHT + (4 + below if tags else 4)
    cards, slots, held = [], [], []
    for side, is_south in ((north, False), (south, True)):
        own, free, end = lay_out_side(side, left, width, start if is_south else FRONT_TOP - 4, is_south)
        cards += own
        slots += free
        if side.formation:
            held.append(HeldFormation(side, x + step / 2, end + 19 if is_south else end - 9))
    notes = [
        PreviewNote(tag, x + 3, FRONT_TOP + FRONT_HEIGHT + 3 + TAG_HEIGHT * place, step - 6)
        for place, tag in enumerate(tags)
    ]
    return FlagColumn(flag, x, step, FLAG_TOPS_BY_OWNER[flag.owner], cards, left, width, slots, held, notes)


def lay_out_side(
    side: FlagSide, x: float, width: float, start: float, is_south: bool
) -> tuple[list[PlacedCard], list[float], float]:
    """Return cards in the order in which they are drawn, the tops of free slots, and where the side ends."""
    count = len(side.faces)
    places = range(count + len(side.free))
    tops = [start + BAND_HEIGHT * place if is_south else start - CARD_HEIGHT - BAND_HEIGHT * place for place in places]
    cards = [
        PlacedCard(face, x, top, width, CARD_HEIGHT, BAND_HEIGHT) for face, top in zip(side.faces, tops, strict=False)
    ]
    outer = BAND_HEIGHT * (count - 1)
    if is_south:
        return cards, tops[count:], start + CARD_HEIGHT + outer
    return cards[::-1], tops[count:], start - CARD_HEIGHT - outer


# Battle Line on the page: its board, its sentences, the proof of a claim, and its rules, by edition.

RULING_EDITIONS = {
    "BL-11": "long",
    "BL-23": "medieval",
    "BL-69": "terrain",
    "BL-70": "hundred-years",
    **{f"BL-{number}": "highlands" for number in range(80, 88)},
}
"""Where rulings stand that are not in the rules of the standard edition, of those that options refer to."""

EMBLEMS = {
    "standard": "wedge",
    "advanced": "phalanx",
    "short": "spade",
    "long": "club",
    "medieval": "leader",
    "terrain": "tile-hills",
    "hundred-years": "tile-castle",
    "highlands": "stones",
}
"""By edition, the icon that stands for it."""


def present_edition(edition: str, options: Json | None = None) -> Presentation:
    """Return the presentation of an edition, perhaps with other options than its own."""
    return present_wording(WORDINGS_BY_EDITION[edition], edition, options)


def present_wording(wording: Wording, edition: str, options: Json | None) -> Presentation:
    """Return the presentation of an edition in this wording."""
    has_tactics = bool((options or edition_options(edition, {}))["tactics"])
    return Presentation(
        folder="battleline",
        name_seat=wording.seat,
        describe_events=partial(describe_events, wording),
        build_board=partial(build_board, wording),
        build_proof=partial(build_proof, wording),
        describe_ending=lambda scene: describe_ending(wording, scene.final_result, scene.options["envelopment"]),
        build_rules=partial(build_rules, wording, edition),
        ruling_editions=RULING_EDITIONS,
        lay_out_preview=lay_out_preview,
        build_known=partial(list_known_cards_of_seats, wording),
        build_picture=lambda scene: replace(build_board(wording, scene), shows_cards=False),
        draw_miniature=lambda scene: draw_small_line(build_board(wording, scene)),
        build_edition_picture=lambda: build_line_example(
            wording, Rules.read(edition_options(edition, options or {})), list(PRESETS).index(edition)
        ),
        tell_close_call=partial(tell_close_call, wording),
        name_choice=partial(name_choice, wording),
        emblem=EMBLEMS[edition],
        ending_labels=ENDING_LABELS,
        mistake_labels=MISTAKE_LABELS,
        list_marks=partial(list_marks, wording),
        jump_labels={kind: label for kind, label in JUMP_LABELS.items() if has_tactics or kind != TACTICS_MARK},
        build_play=partial(build_play, wording),
        charts=build_charts(wording),
        name_players=lambda players, reader: present_wording(
            name_seats(WORDINGS_BY_EDITION[edition], players, reader), edition, options
        ),
    )
