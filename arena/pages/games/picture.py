"""What a game tells the replay page about itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from arena.pages.replay import Scene, Step
from engine.core import Json


@dataclass(frozen=True, slots=True)
class Line:
    """One sentence about what happened, ready for the page."""

    text: SafeString | str
    is_weighty: bool = False
    """A claim, an award, a forfeit: what decides a leg."""


@dataclass(frozen=True, slots=True)
class Picture:
    """An edition on the page."""

    folder: str
    """Its templates are `board.html` and `proof.html` in `games/<folder>/`, its style the static `board.css` there."""
    has_style: bool
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
    """What the template `rules.html` of the folder shows; None where nobody has written the rules down."""
    start: Any = gettext_lazy("The cards are dealt.")
    """What the caption says before anybody has acted: a sentence, translated when it is shown."""
    unseen: Any = gettext_lazy("%(seat)s acts, unseen")
    """What is said of a step of which the onlooker was told nothing."""

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
