"""What the bar above the reader's own cards shows, the same for every game."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.pages.games.sentence import Sentence
from arena.pages.play.table import Choice, PlayTable


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the parts of a turn: claim, play, draw."""

    label: str
    is_now: bool = False
    is_open: bool = False
    """It may be done now, beside the one that is due."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice with a name, as a button."""

    choice: Choice
    label: Sentence | str
    key: str = ""
    """The key that presses it."""


@dataclass(frozen=True, slots=True)
class Bar:
    """The line above the reader's cards: the parts of the turn, what to do, and what can be done besides."""

    caption: Sentence | str
    stages: Sequence[Stage] = ()
    options: Sequence[Option] = ()
    short: Sentence | str = ""
    """A shorter caption for narrow screens, where there is one."""
    back: str | None = ""
    """Where letting go leads, if not to the table with nothing chosen; None where there is nothing to let go."""


@dataclass(frozen=True, slots=True)
class WhyNot:
    """The answer to why an action is not legal: a question for the panel, and a proof where the game gives one."""

    question: str
    url: str
    proof: object | None = None
    """For the game's `proof.html`."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a play ended, to the reader: a heading, and sentences below it."""

    title: str
    text: str


def describe_waiting(table: PlayTable) -> str:
    """Return who is waited for, and to those without a seat that they look on; empty where nobody is."""
    player = table.waiting_for
    if player is None:
        return ""
    text = (_("%(name)s is thinking.") if player.is_bot else _("%(name)s is to move.")) % {"name": player.name}
    looks_on = _("You look on: you have no seat here.")
    return text if table.seat is not None else f"{looks_on} {text}"
