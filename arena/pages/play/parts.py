"""What the bar above the reader's own cards shows, the same for every game."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.formats import date_format
from django.utils.timezone import localtime

from arena.core.messages import gettext as _
from arena.core.messages import ngettext
from arena.matches.livegames.answering import BotTurn
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
    is_hinted: bool = False


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
    text = describe_bot_turn(table.bot_turn, player.name) or _("%(name)s to move.") % {"name": player.name}
    looks_on = _("You're watching this game.")
    return text if table.seat is not None else f"{looks_on} {text}"


def describe_bot_turn(turn: BotTurn | None, name: str) -> str:
    """Return what a bot does whose turn it is; empty where there is nothing to say."""
    if turn is None:
        return ""
    if turn.is_thinking:
        return _("%(name)s is thinking.") % {"name": name}
    if turn.retry_at is not None:
        time = date_format(localtime(turn.retry_at), "H:i")
        return _("The server is busy. Next try at %(time)s.") % {"time": time}
    if turn.ahead is None:
        return ""
    if turn.ahead == 0:
        return _("Waiting for %(name)s to start.") % {"name": name}
    words = ngettext(
        "Waiting for %(name)s to start: %(count)d turn ahead.",
        "Waiting for %(name)s to start: %(count)d turns ahead.",
        turn.ahead,
    )
    return words % {"name": name, "count": turn.ahead}
