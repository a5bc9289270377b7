"""The table at which people play a game without page code of its own: its board, and its legal actions as buttons."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from arena.pages.games.presentation import Presentation
from arena.pages.matches.guests import seat_guests
from arena.pages.play.parts import Bar, Option, describe_waiting
from arena.pages.play.table import PlayTable


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
