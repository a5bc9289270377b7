"""The interface through which a replay page presents a game."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.safestring import SafeString

from arena.core.messages import gettext as _
from arena.core.messages import gettext_lazy
from arena.pages.games.chart_words import ChartWords
from arena.pages.games.sentence import Sentence
from arena.pages.matches.replay import Playback, Scene, Step
from arena.pages.play.table import PlayTable
from engine.core import Json


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence about what happened, without its full stop."""

    text: Sentence | str
    is_weighty: bool = False
    """Whether it can decide a leg: a claim, an award, a forfeit."""

    def __str__(self) -> str:
        return str(self.text)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on the timeline for something in a step, which a reader can jump to."""

    kind: str
    """A key of `jump_labels`, or another word for marks without a link."""
    seat: int
    icon: str
    label: str
    """A few words, read aloud and shown on hover."""


@dataclass(frozen=True, slots=True)
class Level:
    """A line on the timeline: how one seat stood after each step."""

    seat: int
    values: Sequence[float]
    """By step."""


@dataclass(frozen=True, slots=True)
class CloseCallTold:
    """A close call (`engine.core.CloseCall`) in words."""

    headline: str
    sentence: str
    board: Any
    """What the folder's template `close_call.html` shows."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """The presentation of an edition of a game."""

    folder: str
    """The folder `games/<folder>/` with the templates `board.html` and `proof.html`. The static `css/site.css` imports
    the style."""
    name_seat: Callable[[int], str]
    """Return a seat's name in sentences and lists: "South"."""
    describe_events: Callable[[Sequence[Json]], list[Line]]
    """Return sentences for the events of a step, in order."""
    build_board: Callable[[Scene], Any]
    """Return what the board template shows."""
    build_proof: Callable[[Scene, Json], Any]
    """Return what the proof template shows for one explanation of the step shown."""
    describe_ending: Callable[[Scene], str]
    """Return how the leg ended, as one sentence."""
    lay_out_preview: Callable[[Any], Any]
    """Return what the folder's template `preview_image.svg` shows of a board."""
    build_rules: Callable[[], dict[str, Any]] | None = None
    """Return what the rules templates show; None if the rules have no page."""
    ruling_editions: Mapping[str, str] = field(default_factory=dict)
    """By number of a ruling that is missing from the first edition's rules page: the edition whose page has it."""
    pages: Mapping[str, str | Promise] = field(default_factory=dict)
    """Titles of further pages about the game, by the name of their address."""
    seats_note: str | Promise = ""
    """One or two sentences about the seats for people choosing the game; can be empty."""
    start_text: str | Promise = gettext_lazy("The cards are dealt.")
    """The caption before the first action."""
    unseen_text: str | Promise = gettext_lazy("%(seat)s acts in secret")
    """The text for a step that the onlooker can't see."""

    build_known: Callable[[Scene], Any] | None = None
    """Return what the folder's template `known.html` shows in a replay: the cards that the seats haven't seen yet. None
    if that is nothing."""
    build_picture: Callable[[Scene], Any] | None = None
    """Return what the folder's template `picture.html` shows: a small picture of how a leg ended."""
    draw_miniature: Callable[[Scene], SafeString] | None = None
    """Return a small board with its cards, about 156 by 59 pixels; None if the game draws none."""
    build_edition_picture: Callable[[], Any] | None = None
    """Return what `picture.html` shows for the edition in a list of rules: a small table, as in play."""
    tell_close_call: Callable[[Json, int], CloseCallTold] | None = None
    """Return a close call in words, from its facts and the seat that decided; None if the game measures none."""
    name_choice: Callable[[str], Sentence | str] = lambda action: action
    """Return an action as shown after "better was"; as bots write it if the game has no words for it."""
    emblem: str = "brand"
    """The edition's icon in lists."""
    ending_labels: Mapping[str, str | Promise] = field(default_factory=dict)
    """One or two words for each reason for which a leg ends, except faults."""
    mistake_labels: Mapping[str, str | Promise] = field(default_factory=dict)
    """What a bot does, by kind of mistake: "plays the right card at the wrong flag"."""
    list_marks: Callable[[Step], list[Mark]] = lambda step: []
    """Return the marks of a step on the timeline."""
    jump_labels: Mapping[str, str | Promise] = field(default_factory=dict)
    """The text of the link to the next mark, by kind of mark: "Next claim"."""
    build_play: Callable[[PlayTable], Any] | None = None
    """Return what the folder's templates `play.html`, `play_panel.html` and `play_end.html` show to players and
    onlookers. It has a `bar` (`arena.pages.play.parts`). If None, the legal actions are listed next to the board."""
    name_players: "Callable[[tuple[str, ...], int | None], Presentation] | None" = None
    """Return this presentation with the players' names for seats, where possible, and with texts that address the
    player at a seat."""
    measure: Callable[[Playback], list[Level]] | None = None
    """Return how the seats stood after each step, if the game has a number for that."""
    measure_label: str | Promise = ""
    """The name of what is measured: "Cards standing"."""
    charts: Sequence[ChartWords] = ()
    """The charts of what the game's `count_event` counts, in the order of the atlas."""

    @property
    def has_rules(self) -> bool:
        """Return whether the game has a rules page. For templates, which would call `build_rules` itself."""
        return self.build_rules is not None

    def describe_step(self, step: Step) -> list[Line]:
        """Return sentences for a step."""
        lines = self.describe_events(step.events)
        if lines or step.seat is None or step.events:
            return lines
        return [Line(str(self.unseen_text) % {"seat": self.name_seat(step.seat)})]


def describe_fault(seat: str, verdict: str) -> str:
    """Return in words why the seat of this name went out: the verdict against it, or how a person left."""
    sentences = {
        "illegal": _("%(seat)s sent an illegal action"),
        "malformed": _("%(seat)s sent an unreadable answer"),
        "timeout": _("%(seat)s didn't answer in time"),
        "crash": _("%(seat)s's program ended before the leg did"),
        "memory": _("%(seat)s used more memory than allowed"),
        "output": _("%(seat)s wrote too much output"),
        "start": _("%(seat)s didn't get ready to play"),
        "resigned": _("%(seat)s resigned"),
        "abandoned": _("%(seat)s left the leg"),
    }
    return sentences.get(verdict, _("%(seat)s is out because of a fault")) % {"seat": seat}
