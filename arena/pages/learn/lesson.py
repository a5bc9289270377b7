"""What a lesson is: a short game on a fixed deal, stopped where the learner makes a move. Pure: no requests."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from django.utils.functional import Promise

from arena.core.messages import render_message
from arena.pages.games.presentation import Line
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.matches.replay import Scene, StepBuilder
from arena.pages.play.table import Player, PlayTable, RatedAction, TableHint, lay_table
from engine.core import IllegalAction, Json, MalformedAction, State
from engine.registry import find_game

LEARNER = 0
"""The learner's seat."""
LEARNERS_MOVE = "*"
"""Marks a move that the learner makes, in a script."""
NOTHING_CHOSEN = "none"
"""The words in an address with which nothing is chosen, where the lesson would choose a card by itself."""

Text = Sentence | str


@dataclass(frozen=True, slots=True)
class Step:
    """A step of a lesson, in the script's order."""

    name: str | Promise
    """A word for the header."""
    next: str | Promise
    """What the button says that leads to this step."""
    chosen: Sequence[str] = ()
    """For each of its moves, how much of the action is chosen from the start."""


@dataclass(frozen=True, slots=True)
class Panel:
    """The explanation beside the board."""

    title: str
    lead: Text
    now: Text
    """What there is to do, or what follows from it; may be empty."""
    kind: str
    """The template `learn/_<this>.html` draws what is between them."""
    content: Any = None


@dataclass(frozen=True, slots=True)
class Teaching:
    """What a lesson says at one of its positions."""

    caption: Text
    panel: Panel


@dataclass(frozen=True, slots=True)
class Lesson:
    """The lesson of a game."""

    game: str
    title: str | Promise
    brief: str | Promise
    """One sentence that invites to it."""
    aim: str | Promise
    """What wins this short game."""
    opponent: Callable[[], str]
    options: Mapping[str, Any]
    """Those that differ from the edition's."""
    deal: Json
    script: str
    """A line a turn: the seat, and its actions, those of the learner marked."""
    steps: Sequence[Step]
    teach: "Callable[[Place], Teaching]"
    explain_other: "Callable[[Place, str], Text]"
    """Return why a legal action isn't what this position is for."""
    simplify: Callable[[Any], Any]
    """Return what the game's table shows without what the lesson does by itself, as drawing."""
    ending: str | Promise
    """What to say after its end about real games."""
    won: str | Promise = ""
    """What to say of the win, where the table's own words need more than the lesson has taught."""
    has_puzzles: bool = False
    """Whether the daily puzzle is of this game."""
    edition: str = "standard"


@dataclass(frozen=True, slots=True)
class Scripted:
    """A script as actions, and where the learner's moves are."""

    entries: tuple[Json, ...]
    turns: tuple[int, ...]
    """For each entry the number of its line."""
    moves: tuple[tuple[int, ...], ...]
    """For each step, the places of its moves among the entries."""


@lru_cache
def read_script(script: str) -> Scripted:
    """Return a script; marked actions in one line are one step."""
    entries: list[Json] = []
    turns: list[int] = []
    moves: list[tuple[int, ...]] = []
    for number, line in enumerate(script.strip().splitlines()):
        seat, _colon, actions = line.partition(":")
        own = []
        for action in map(str.strip, actions.split("|")):
            if action.startswith(LEARNERS_MOVE):
                own.append(len(entries))
            entries.append({"seat": int(seat), "action": action.removeprefix(LEARNERS_MOVE).strip()})
            turns.append(number)
        if own:
            moves.append(tuple(own))
    return Scripted(tuple(entries), tuple(turns), tuple(moves))


@dataclass(frozen=True)
class Place:
    """A position of a lesson: some of a step's moves have been made, and after its last one the other has answered."""

    lesson: Lesson
    step: int
    """From 1."""
    made: int
    entries: tuple[Json, ...]
    """All actions so far."""
    wanted: str
    """The move that the learner is to make; empty once the step is done."""
    state: State = field(repr=False)
    scene: Scene = field(repr=False)
    options: Json = field(repr=False)

    @property
    def is_done(self) -> bool:
        """Return whether all moves of the step have been made."""
        return not self.wanted

    @property
    def is_last(self) -> bool:
        """Return whether this is the lesson's last step."""
        return self.step == len(self.lesson.steps)

    def find_before(self) -> "Place":
        """Return the position before the learner's last move in this step, or this one where there was none."""
        return find_place(self.lesson, self.step, max(0, self.made - 1)) or self

    def find_first(self) -> "Place":
        """Return the position at which the step begins."""
        return find_place(self.lesson, self.step) or self

    def refuse(self, action: str) -> str | None:
        """Return the referee's reason against an action; None where it is legal."""
        try:
            self.state.parse(action)
        except (IllegalAction, MalformedAction) as refusal:
            return render_message(refusal.message)
        return None


def find_place(lesson: Lesson, step: int, made: int = 0) -> Place | None:
    """Return a position of a lesson; None where it has no such one."""
    script = read_script(lesson.script)
    if not 1 <= step <= len(script.moves) or not 0 <= made <= len(script.moves[step - 1]):
        return None
    moves = script.moves[step - 1]
    is_done = made == len(moves)
    end = moves[made] if not is_done else find_end(script, moves[-1])
    entries = script.entries[:end]
    state, scene, options = replay(lesson, entries)
    wanted = "" if is_done else str(script.entries[moves[made]]["action"])
    return Place(lesson, step, made, entries, wanted, state, scene, options)


def find_end(script: Scripted, move: int) -> int:
    """Return how many entries there are up to the learner's turn after a move."""
    later = (place for place, turn in enumerate(script.turns) if turn > script.turns[move] + 1)
    return next(later, len(script.entries))


def replay(lesson: Lesson, entries: Sequence[Json]) -> tuple[State, Scene, Json]:
    """Return the state and the learner's scene after these actions, and the options they were played by."""
    game = find_game(lesson.game)
    options = game.options(lesson.edition, **lesson.options)
    state = game.start(options, 2, lesson.deal)
    builder = StepBuilder(LEARNER)
    builder.add(state, None)
    for entry in entries:
        state.play(state.parse(entry["action"]))
        builder.add(state, entry)
    record = {"edition": lesson.edition, "options": options, "result": None}
    return state, builder.finish_open(record, state), options


def build_table(place: Place, you: str, chosen: str | None = None, why: str = "") -> PlayTable:
    """Return the table at a position. With `chosen` None, what the step chooses by itself is chosen."""
    lesson = place.lesson
    names = (you, lesson.opponent())
    if chosen is None and not place.is_done:
        presets = lesson.steps[place.step - 1].chosen
        chosen = presets[place.made] if place.made < len(presets) else ""
    record = {
        "game": lesson.game,
        "edition": lesson.edition,
        "options": place.options,
        "deal": lesson.deal,
        "seats": [{"name": name} for name in names],
        "actions": list(place.entries),
        "result": None,
    }
    players = [Player(name) for name in names]
    table = lay_table(record, (place.scene, place.state), players, LEARNER, chosen or "", why)
    hint = TableHint("done", [RatedAction(place.wanted, 1.0)]) if place.wanted else None
    # A lesson takes actions from the list alone; reforming, which is written, is no part of any.
    legal = () if place.is_done else tuple(one for one in table.legal if not one.startswith("reform "))
    return replace(table, hint=hint, is_paused=place.is_done, legal=legal, open_grammar=None)


def describe_answer(place: Place, describe_events: Callable[[Sequence[Json]], list[Line]]) -> Sentence:
    """Return what the other seat has just done, as a sentence; what it drew for it is left out."""
    step = next(one for one in reversed(place.scene.steps) if one.seat == 1 - LEARNER)
    return format_sentence("{done}.", done=describe_events(step.events)[0].text)
