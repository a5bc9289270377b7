"""The presentation of a game without pages of its own: its views as tables, its events in sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy, pgettext_lazy, render_message
from arena.pages.games.presentation import Level, Line, Mark, Presentation, describe_fault
from arena.pages.matches.replay import PUBLIC_ONLOOKER, Playback, Scene, Step, seat_guests
from arena.pages.play.parts import Bar, Option, describe_waiting
from arena.pages.play.table import PlayTable
from arena.pages.svg.card import SEAT_COLOURS
from engine.core import Json
from engine.message import Message

# The values of views, events and explanations in the words of a page.

HIDDEN_VALUE = "?"
KEY_LABELS = {
    "points": gettext_lazy("Points"),
    "score": pgettext_lazy("in a game", "Score"),
    "scores": pgettext_lazy("in a game", "Scores"),
    "round": pgettext_lazy("in a game", "Round"),
}
"""The keys that games share, in the reader's language; all others are shown as the game calls them."""


@dataclass(frozen=True, slots=True)
class ValueItem:
    """One value: a card, a number, a word."""

    text: str
    is_back: bool = False
    """Whether it is hidden, and drawn as the back of a card."""


def write_label(key: str) -> str:
    """Return a key as a label: `last_bid` is "Last bid"."""
    if key in KEY_LABELS:
        return str(KEY_LABELS[key])
    words = key.replace("_", " ")
    return words[:1].upper() + words[1:]


def write_value(value: Any) -> str:
    """Return a value as text."""
    if value is None or value == []:
        return "–"
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, dict):
        return ", ".join(f"{write_label(key).lower()}: {write_value(inner)}" for key, inner in value.items())
    if isinstance(value, list):
        return " ".join(map(write_value, value))
    return str(value)


def list_items(value: Any) -> tuple[ValueItem, ...]:
    """Return what a value has to show: each element of a list, each entry of an object, or the value itself."""
    if isinstance(value, dict):
        return tuple(item for key, inner in value.items() for item in list_entry(key, inner))
    if isinstance(value, list) and value:
        return tuple(item for inner in value for item in list_element(inner))
    return (ValueItem(write_value(value), value == HIDDEN_VALUE),)


def list_element(value: Any) -> tuple[ValueItem, ...]:
    """Return an element of a list as one item, or as several where something in it is hidden."""
    return list_items(value) if has_hidden(value) else (ValueItem(write_value(value)),)


def list_entry(key: str, value: Any) -> tuple[ValueItem, ...]:
    """Return an entry of an object as one item, or as several where something in it is hidden."""
    label = f"{write_label(key).lower()}:"
    return (
        (ValueItem(label), *list_items(value)) if has_hidden(value) else (ValueItem(f"{label} {write_value(value)}"),)
    )


def has_hidden(value: Any) -> bool:
    """Return whether a value is hidden, or anything in it."""
    if isinstance(value, dict | list):
        return any(map(has_hidden, value.values() if isinstance(value, dict) else value))
    return bool(value == HIDDEN_VALUE)


# Events of any game in sentences, and how a leg of it ended.

FORFEIT = "forfeit"


def name_seat(seat: int) -> str:
    """Return the name of a seat, counted from 1."""
    return _("Seat %(number)s") % {"number": seat + 1}


def describe_events(events: Sequence[Json]) -> list[Line]:
    """Return a line for each event."""
    return [describe_event(event) for event in events]


def describe_event(event: Json) -> Line:
    """Return who did what, or what else happened, with all that was told of it."""
    if event.get("action") == FORFEIT:
        return Line(describe_fault(name_seat(event["seat"]), event.get("verdict") or event["reason"]), is_weighty=True)
    what = event["action"] if "action" in event else event["event"].replace("_", " ")
    details = ", ".join(describe_detail(key, event[key]) for key in event if key not in ("seat", "action", "event"))
    text = f"{what} ({details})" if details else what
    if "seat" not in event:
        return Line(write_label(text))
    return Line(_("%(seat)s: %(action)s") % {"seat": name_seat(event["seat"]), "action": text})


def describe_detail(key: str, value: object) -> str:
    """Return a detail of an event; seats have their names."""
    if key == "seats" and isinstance(value, list):
        return ", ".join(name_seat(seat) for seat in value)
    return f"{write_label(key).lower()} {write_value(value)}"


def list_marks(step: Step) -> list[Mark]:
    """Return the forfeits of a step."""
    forfeits = [event for event in step.events if event.get("action") == FORFEIT]
    return [Mark(FORFEIT, event["seat"], "no", str(describe_event(event))) for event in forfeits]


def describe_ending(scene: Scene) -> str:
    """Return who came first, the scores of all, and the game's own word for how it ended."""
    result = scene.final_result
    first = [name_seat(seat) for seat, place in enumerate(result["places"]) if place == 1]
    words = {
        "seats": ", ".join(first),
        "scores": " : ".join(f"{score:g}" for score in result["scores"]),
        "reason": result["reason"].replace("-", " ").replace("_", " "),
    }
    return _("First: %(seats)s. Scores %(scores)s (%(reason)s)") % words


# The table of any game after a step: what all see, what each seat has, and what only a seat sees itself.

UNLISTED_KEYS = ("turn", "to_move", "decision")
"""Said elsewhere on the page, or by the sentence of the step."""
POINTS_KEYS = ("points", "scores", "score")
"""Keys of views under which games count, one number a seat."""


@dataclass(frozen=True, slots=True)
class PlainCell:
    """A value, and whether it has changed in the step shown."""

    items: tuple[ValueItem, ...]
    is_new: bool


@dataclass(frozen=True, slots=True)
class PlainRow:
    """Something that each seat has."""

    label: str
    cells: list[PlainCell]
    """By seat."""


@dataclass(frozen=True, slots=True)
class PlainBoard:
    """The table, for `board.html`."""

    seats: list[tuple[int, str]]
    facts: list[tuple[str, PlainCell]]
    """Labels and values of what is the same for all seats."""
    rows: list[PlainRow]


def build_board(scene: Scene) -> PlainBoard:
    """Return the table as the scene's onlooker sees it."""
    seats = range(len(scene.after))
    before, after = select_common(scene, scene.before), select_common(scene, scene.after)
    facts, rows = [], []
    for key, value in after.items():
        if is_by_seat(value, len(seats)) and is_by_seat(before.get(key, value), len(seats)):
            known: list[Any] = before.get(key) or [None] * len(seats)
            cells = [PlainCell(list_items(value[seat]), value[seat] != known[seat]) for seat in seats]
            rows.append(PlainRow(write_label(key), cells))
        else:
            facts.append((write_label(key), PlainCell(list_items(value), value != before.get(key))))
    return PlainBoard([(seat, name_seat(seat)) for seat in seats], facts, rows + build_own_rows(scene, after))


def is_by_seat(value: Any, seats: int) -> bool:
    """Return whether a value of a view has one element for each seat."""
    return isinstance(value, list) and len(value) == seats


def select_common(scene: Scene, views: Sequence[Json]) -> Json:
    """Return of the views what the onlooker sees for sure: its own view as a seat, else what all seats see alike."""
    if scene.onlooker is not None and scene.onlooker != PUBLIC_ONLOOKER:
        chosen = views[scene.onlooker]
    else:
        chosen = {key: value for key, value in views[0].items() if all(view.get(key) == value for view in views)}
    return {key: value for key, value in chosen.items() if key not in UNLISTED_KEYS}


def build_own_rows(scene: Scene, common: Json) -> list[PlainRow]:
    """Return what the views of the seats differ in, of each seat its own, where the onlooker may see all of them."""
    if scene.onlooker is not None:
        return []
    rows = []
    for key in scene.after[0]:
        if key not in common and key not in UNLISTED_KEYS:
            before, after = select_own(scene.before, key), select_own(scene.after, key)
            cells = [PlainCell(list_items(value), value != known) for known, value in zip(before, after, strict=True)]
            rows.append(PlainRow(write_label(key), cells))
    return rows


def select_own(views: Sequence[Json], key: str) -> list[Any]:
    """Return by seat what its view has under a key: all of it, or its own element where there is one for each seat."""
    values: list[Any] = [view.get(key) for view in views]
    if all(is_by_seat(value, len(views)) for value in values):
        own = [value[seat] for seat, value in enumerate(values)]
        if all(is_same_or_hidden(told, known) for value in values for told, known in zip(value, own, strict=True)):
            return own
    return values


def is_same_or_hidden(told: Any, known: Any) -> bool:
    """Return whether others are told of a value nothing but the truth: it, parts of it, its length, or nothing."""
    if isinstance(told, list) and isinstance(known, list):
        return len(told) == len(known) and all(map(is_same_or_hidden, told, known))
    if isinstance(told, int) and isinstance(known, list):
        return told == len(known)
    return told in (known, HIDDEN_VALUE, None)


def measure_points(playback: Playback) -> list[Level]:
    """Return the points of each seat after each step, where the views count them."""
    views = [playback.views[number][0] for number in range(playback.last + 1)]
    key = next((key for key in POINTS_KEYS if is_by_seat(views[0].get(key), len(playback.record["seats"]))), None)
    if key is None or not all(isinstance(value, int | float) for view in views for value in view[key]):
        return []
    return [Level(seat, values) for seat, values in enumerate(zip(*(view[key] for view in views), strict=True))]


# The explanation that a game gives of an action, as a list.

SEAT_KEY = "seat"
"""The key of an explanation that says whose action it is about."""


@dataclass(frozen=True, slots=True)
class PlainProof:
    """An explanation, for `proof.html`."""

    title: str
    entries: list[tuple[str, tuple[ValueItem, ...]]]
    """Labels and values."""


def build_proof(scene: Scene, explanation: Json) -> PlainProof:
    """Return the explanation as labels and values."""
    entries = [(write_label(key), read_items(value)) for key, value in explanation.items() if key != SEAT_KEY]
    title = _("The game's explanation")
    seat = explanation.get(SEAT_KEY)
    return PlainProof(f"{title}: {name_seat(seat)}" if isinstance(seat, int) else title, entries)


def read_items(value: object) -> tuple[ValueItem, ...]:
    """Return the items of a value, which may be a message."""
    if isinstance(value, dict) and value.keys() == {"template", "values"}:
        return (ValueItem(render_message(Message.from_json(value))),)
    return list_items(value)


# The table of any game in a preview image of 1200 by 630: the seats, and what each has.

IMAGE_WIDTH, LEFT, TOP, LINE_HEIGHT = 1200, 60, 170, 52
MAX_LINES = 8
MAX_TEXT_LENGTH = 40


@dataclass(frozen=True, slots=True)
class PlacedText:
    """A text and where it begins."""

    text: str
    x: int
    y: int
    colour: str = "#1E1A14"
    is_heading: bool = False


def lay_out_preview(board: PlainBoard) -> list[PlacedText]:
    """Return the texts of the image: a column for each seat, then what is common to all."""
    width = (IMAGE_WIDTH - 2 * LEFT) // (len(board.seats) + 1)
    texts = [
        PlacedText(name, LEFT + width * (seat + 1), TOP, SEAT_COLOURS[seat % len(SEAT_COLOURS)], is_heading=True)
        for seat, name in board.seats
    ]
    lines = [(row.label, row.cells) for row in board.rows] + [(label, [cell]) for label, cell in board.facts]
    for number, (label, cells) in enumerate(lines[:MAX_LINES], start=1):
        y = TOP + number * LINE_HEIGHT
        texts.append(PlacedText(label, LEFT, y, "#5B5347"))
        for column, cell in enumerate(cells, start=1):
            words = " ".join(item.text for item in cell.items)
            longest = MAX_TEXT_LENGTH * (len(board.seats) if len(cells) == 1 else 1) // len(board.seats)
            texts.append(
                PlacedText(words if len(words) <= longest else f"{words[: longest - 1]}…", LEFT + width * column, y)
            )
    return texts


# The presentation of a game without pages of its own: its views as tables, its events in sentences.

PRESENTATION = Presentation(
    folder="plain",
    name_seat=name_seat,
    describe_events=describe_events,
    build_board=build_board,
    build_proof=build_proof,
    describe_ending=describe_ending,
    list_marks=list_marks,
    measure=measure_points,
    measure_label=gettext_lazy("Points"),
    lay_out_preview=lay_out_preview,
)


# The table at which people play a game without page code of its own: its board, and its legal actions as buttons.


@dataclass(frozen=True, slots=True)
class PlainPlay:
    """What the templates of the plain table show."""

    bar: Bar
    board: Any
    board_template: str
    seats: Sequence[Any]
    options: list[Option]
    """The legal actions, or the words that can come next where actions are long."""


MAX_BUTTONS = 40
"""With more legal actions than this they are chosen word by word."""


def build_plain_play(presentation: Presentation, table: PlayTable) -> PlainPlay:
    """Return the table of a game with this presentation of its board."""
    return PlainPlay(
        bar=Bar(write_caption(presentation, table)),
        board=presentation.build_board(table.scene),
        board_template=f"games/{presentation.folder}/board.html",
        seats=seat_guests(table.record),
        options=list_options(table),
    )


def list_options(table: PlayTable) -> list[Option]:
    """Return what the reader can do now."""
    if len(table.legal) <= MAX_BUTTONS and not table.chosen:
        choices = [(table.choose(*action.split(" ")), action) for action in table.legal]
    else:
        choices = [(table.choose_next(word), word) for word in table.list_next_words()]
        if table.chosen and (whole := table.choose(*table.chosen)) and whole.is_action:
            choices.insert(0, (whole, whole.text))
    return [Option(choice, label) for choice, label in choices if choice]


def write_caption(presentation: Presentation, table: PlayTable) -> str:
    """Return what is to do now."""
    if table.is_own_turn:
        return _("Your turn. Choose an action.")
    return describe_waiting(table)
