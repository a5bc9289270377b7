"""What a game tells the replay page about itself."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import unescape
from typing import Any

from django.utils.html import strip_tags
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.pages.matches.replay import Film, Scene, Step
from engine.core import Json


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence about what happened, ready for the page."""

    text: SafeString | str
    is_weighty: bool = False
    """A claim, an award, a forfeit: what decides a leg."""

    @property
    def plain(self) -> str:
        """Without markup: cards by their names."""
        return unescape(strip_tags(self.text)) if isinstance(self.text, SafeString) else self.text


@dataclass(frozen=True, slots=True)
class Mark:
    """Something of a step that stands on the timeline, and that one can jump to."""

    kind: str
    """A key of the picture's `jumps`, or another where nobody jumps to it."""
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
class Picture:
    """An edition on the page."""

    folder: str
    """Its templates are `board.html` and `proof.html` in `games/<folder>/`, its style is imported by the static
    `css/site.css`."""
    name_seat: Callable[[int], str]
    say: Callable[[Sequence[Json]], list[Line]]
    """Sentences for the events of a step, in order."""
    draw: Callable[[Scene], Any]
    """What the board template shows."""
    prove: Callable[[Scene, Json], Any]
    """What the proof template shows of one explanation of the step shown."""
    tell_ending: Callable[[Scene], str]
    """How the leg ended, as one sentence."""
    explain_rules: Callable[[], dict[str, Any]] | None = None
    """What the templates of the rules show; None where nobody has written the rules down."""
    start: Any = gettext_lazy("The cards are dealt.")
    """What the caption says before anybody has acted: a sentence, translated when it is shown."""
    unseen: Any = gettext_lazy("%(seat)s acts, unseen")
    """What is said of a step of which the onlooker was told nothing."""

    mark: Callable[[Step], list[Mark]] = lambda step: []
    """What of a step stands on the timeline."""
    jumps: Mapping[str, Any] = field(default_factory=dict)
    """By kind of mark, what the link to the next one says: "Next claim", translated when it is shown."""
    measure: Callable[[Film], list[Level]] | None = None
    """How the seats stood after each step, where the game has a number for that."""
    measured: Any = ""
    """What is measured: "Cards standing", translated when it is shown."""

    lay_plate: Callable[[Any], Any] | None = None
    """What the template `snapshot.svg` of the folder shows of a drawn scene; None where the game has none."""

    @property
    def has_rules(self) -> bool:
        """For templates, which would have the rules explained by asking for `explain_rules`."""
        return self.explain_rules is not None

    def tell(self, step: Step) -> list[Line]:
        """Sentences for a step."""
        lines = self.say(step.events)
        if lines or step.seat is None or step.events:
            return lines
        return [Line(self.unseen % {"seat": self.name_seat(step.seat)})]


def tell_verdict(seat: str, verdict: str) -> str:
    """A verdict in words. `seat` names who it was spoken against."""
    sentences = {
        "illegal": _("%(seat)s sent an action that is not legal"),
        "malformed": _("%(seat)s sent an answer that can't be read"),
        "timeout": _("%(seat)s gave no answer in time"),
        "crash": _("%(seat)s ended its program before the leg was over"),
        "memory": _("%(seat)s used more memory than allowed"),
        "output": _("%(seat)s wrote more than allowed"),
        "start": _("%(seat)s did not get ready to play"),
    }
    return sentences.get(verdict, _("%(seat)s went out by a fault")) % {"seat": seat}
