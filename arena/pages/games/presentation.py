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
    """A sentence about an event, without a full stop."""

    text: Sentence | str
    is_weighty: bool = False
    """Whether the event can decide a leg: a claim, an award, a forfeit."""

    def __str__(self) -> str:
        return str(self.text)


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark on the timeline that highlights an event in a step. Readers can jump to it."""

    kind: str
    """A key of `jump_labels`, or another word for marks without a link."""
    seat: int
    icon: str
    label: str
    """A few words, read aloud and shown on hover."""


@dataclass(frozen=True, slots=True)
class Level:
    """A line on the timeline that shows how one seat stood after each step."""

    seat: int
    values: Sequence[float]
    """One value per step."""


@dataclass(frozen=True, slots=True)
class CloseCallTold:
    """A close call (`engine.core.CloseCall`) in words."""

    headline: str
    sentence: str
    board: Any
    """The data for the folder's `close_call.html` template."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """How the site presents an edition of a game."""

    folder: str
    """The name of the folder `games/<folder>/`, which contains the templates `board.html` and `proof.html`. The static
    file `css/site.css` imports its styles."""
    name_seat: Callable[[int], str]
    """Return a seat's name for sentences and lists, such as "South"."""
    describe_events: Callable[[Sequence[Json]], list[Line]]
    """Return sentences for a step's events, in order."""
    build_board: Callable[[Scene], Any]
    """Return the data for the board template."""
    build_proof: Callable[[Scene, Json], Any]
    """Return the data for the proof template, for one explanation in the current step."""
    describe_ending: Callable[[Scene], str]
    """Return one sentence that describes how the leg ended."""
    lay_out_preview: Callable[[Any], Any]
    """Return the data for the folder's `preview_image.svg` template, from the board's data."""
    build_rules: Callable[[], dict[str, Any]] | None = None
    """Return the data for the rules templates. None if the game has no rules page."""
    ruling_editions: Mapping[str, str] = field(default_factory=dict)
    """For each ruling that the first edition's rules page doesn't include, by number: the edition whose page does."""
    pages: Mapping[str, str | Promise] = field(default_factory=dict)
    """Titles of additional pages about the game, by the name of their address."""
    seats_note: str | Promise = ""
    """One or two sentences about the seats, for people who are choosing a game; can be empty."""
    start_text: str | Promise = gettext_lazy("The cards are dealt.")
    """The caption before the first action."""
    unseen_text: str | Promise = gettext_lazy("%(seat)s acts in secret")
    """The text for a step that the onlooker can't see."""

    build_known: Callable[[Scene], Any] | None = None
    """Return the data for the folder's `known.html` template, which lists the cards that the seats haven't seen yet in
    a replay. None if the game has no such list."""
    build_picture: Callable[[Scene], Any] | None = None
    """Return the data for the folder's `picture.html` template, a small picture of how a leg ended."""
    draw_miniature: Callable[[Scene], SafeString] | None = None
    """Return a small board with its cards, about 156 by 59 pixels. None if the game doesn't draw one."""
    build_edition_picture: Callable[[], Any] | None = None
    """Return the data for `picture.html` in a list of rules: a small table for the edition, as in play."""
    tell_close_call: Callable[[Json, int], CloseCallTold] | None = None
    """Return a close call in words, given its facts and the deciding seat. None if the game measures none."""
    name_choice: Callable[[str], Sentence | str] = lambda action: action
    """Return an action in the words shown after "better was"; by default, as bots write it."""
    emblem: str = "brand"
    """The edition's icon in lists."""
    ending_labels: Mapping[str, str | Promise] = field(default_factory=dict)
    """A label of one or two words for each reason why a leg ends, except faults."""
    mistake_labels: Mapping[str, str | Promise] = field(default_factory=dict)
    """Descriptions of mistakes by kind, such as "plays the right card at the wrong flag"."""
    list_marks: Callable[[Step], list[Mark]] = lambda step: []
    """Return a step's marks on the timeline."""
    jump_labels: Mapping[str, str | Promise] = field(default_factory=dict)
    """Link texts for the next mark, by kind of mark, such as "Next claim"."""
    build_play: Callable[[PlayTable], Any] | None = None
    """Return the data for the folder's templates `play.html`, `play_panel.html` and `play_end.html`, shown to players
    and onlookers. It includes a `bar` (`arena.pages.play.parts`). If None, the legal actions are listed next to the
    board."""
    name_players: "Callable[[tuple[str, ...], int | None], Presentation] | None" = None
    """Return this presentation with the players' names instead of seat names, where possible, and with texts that
    address the player at the given seat."""
    measure: Callable[[Playback], list[Level]] | None = None
    """Return how the seats stood after each step. None if the game has no number for this."""
    measure_label: str | Promise = ""
    """The name of the measured number, such as "Cards standing"."""
    charts: Sequence[ChartWords] = ()
    """The charts for the game's `count_event`, in the order of the atlas."""

    @property
    def has_rules(self) -> bool:
        """Return whether the game has a rules page. Templates use this because they would call `build_rules`."""
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
