"""The interface by which a game is presented on a replay page."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.pages.games.chart_words import ChartWords
from arena.pages.games.sentence import Sentence
from arena.pages.matches.replay import Playback, Scene, Step
from arena.pages.play.table import PlayTable
from engine.core import Json


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence about what happened, without its full stop."""

    text: Sentence | str
    is_weighty: bool = False
    """A claim, an award, a forfeit: what decides a leg."""

    def __str__(self) -> str:
        return str(self.text)


@dataclass(frozen=True, slots=True)
class Mark:
    """Something of a step that stands on the timeline, and that one can jump to."""

    kind: str
    """A key of `jump_labels`, or another where nobody jumps to it."""
    seat: int
    icon: str
    label: str
    """A few words, which are read aloud and shown on pointing."""


@dataclass(frozen=True, slots=True)
class Level:
    """A line of the timeline that shows how one seat stood after each step."""

    seat: int
    values: Sequence[float]
    """By step."""


@dataclass(frozen=True, slots=True)
class CloseCallTold:
    """A close call (`engine.core.CloseCall`) in words."""

    headline: str
    sentence: str
    board: Any
    """What the template `close_call.html` of the folder shows."""


@dataclass(frozen=True, slots=True)
class Presentation:
    """The presentation of an edition of a game."""

    folder: str
    """Its templates are `board.html` and `proof.html` in `games/<folder>/`, its style is imported by the static
    `css/site.css`."""
    name_seat: Callable[[int], str]
    """Return what the player of a seat is called in sentences and lists: "South"."""
    describe_events: Callable[[Sequence[Json]], list[Line]]
    """Return sentences for the events of a step, in order."""
    build_board: Callable[[Scene], Any]
    """Return what the board template shows."""
    build_proof: Callable[[Scene, Json], Any]
    """Return what the proof template shows of one explanation of the step shown."""
    describe_ending: Callable[[Scene], str]
    """Return how the leg ended, as one sentence."""
    lay_out_preview: Callable[[Any], Any]
    """Return what the template `preview_image.svg` of the folder shows of a board."""
    build_rules: Callable[[], dict[str, Any]] | None = None
    """Return what the templates of the rules show; None where nobody has written the rules down."""
    ruling_editions: Mapping[str, str] = field(default_factory=dict)
    """By number: the edition whose page of rules has a ruling that the first edition's doesn't have."""
    pages: Mapping[str, str | Promise] = field(default_factory=dict)
    """By name of the address: the titles of further pages about the game."""
    seats_note: str | Promise = ""
    """Note on the seats for people who choose the game, one or two sentences; may be empty."""
    start_text: str | Promise = gettext_lazy("The cards are dealt.")
    """What the caption says before anybody has acted."""
    unseen_text: str | Promise = gettext_lazy("%(seat)s acts unseen")
    """What is said of a step of which the onlooker was told nothing."""

    build_known: Callable[[Scene], Any] | None = None
    """Return what the template `known.html` of the folder shows: which cards the seats have not seen yet, for a replay;
    None where there is nothing to know."""
    build_picture: Callable[[Scene], Any] | None = None
    """Return what the template `picture.html` of the folder shows: how a leg ended, in small."""
    draw_miniature: Callable[[Scene], SafeString] | None = None
    """Return the board in small, with its cards, about 156 by 59 pixels; None where the game draws none."""
    build_edition_picture: Callable[[], Any] | None = None
    """Return what that template shows of the edition in a list of rules: a small table, as it may look in play."""
    tell_close_call: Callable[[Json, int], CloseCallTold] | None = None
    """Return a close call in words, from its facts and the seat that decided; None where the game measures none."""
    name_choice: Callable[[str], Sentence | str] = lambda action: action
    """Return an action as it stands after "better was"; as bots write it where the game has no words for it."""
    emblem: str = "brand"
    """The icon that stands for the edition in lists."""
    ending_labels: Mapping[str, str | Promise] = field(default_factory=dict)
    """By reason for which a leg may end, faults apart: one or two words for it."""
    mistake_labels: Mapping[str, str | Promise] = field(default_factory=dict)
    """By kind of mistake, what a bot does that makes them: "plays the right card at the wrong flag"."""
    list_marks: Callable[[Step], list[Mark]] = lambda step: []
    """Return what of a step stands on the timeline."""
    jump_labels: Mapping[str, str | Promise] = field(default_factory=dict)
    """By kind of mark, what the link to the next one says: "Next claim"."""
    build_play: Callable[[PlayTable], Any] | None = None
    """Return what the templates `play.html`, `play_panel.html` and `play_end.html` of the folder show to who plays or
    looks on. It has a `bar` (`arena.pages.play.parts`). None where the legal actions are listed beside the board."""
    name_players: "Callable[[tuple[str, ...], int | None], Presentation] | None" = None
    """Return this presentation with seats that are called by the names of the players, where they can be, and that
    speaks to who sits at a seat."""
    measure: Callable[[Playback], list[Level]] | None = None
    """Return how the seats stood after each step, where the game has a number for that."""
    measure_label: str | Promise = ""
    """What is measured: "Cards standing"."""
    charts: Sequence[ChartWords] = ()
    """The charts of what the game's `count_event` counts, in the order in which the atlas shows them."""

    @property
    def has_rules(self) -> bool:
        """Return whether the rules are written down. For templates, which would call `build_rules` by asking for it."""
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
        "illegal": _("%(seat)s sent an action that is not legal"),
        "malformed": _("%(seat)s sent an answer that can't be read"),
        "timeout": _("%(seat)s gave no answer in time"),
        "crash": _("%(seat)s ended its program before the leg was over"),
        "memory": _("%(seat)s used more memory than allowed"),
        "output": _("%(seat)s wrote more than allowed"),
        "start": _("%(seat)s did not get ready to play"),
        "resigned": _("%(seat)s resigned"),
        "abandoned": _("%(seat)s left the leg"),
    }
    return sentences.get(verdict, _("%(seat)s went out by a fault")) % {"seat": seat}
