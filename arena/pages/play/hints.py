"""What a table says of hints: the button that asks for one, and the hint in words. Pure: no database, no requests."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.pages.games.presentation import Presentation
from arena.pages.games.sentence import Sentence, format_sentence
from arena.pages.play.table import PlayTable, RatedAction, TableHint

NO_HINT = "none"
"""The state of a hint in an edition without a value function."""


@dataclass(frozen=True, slots=True)
class HintBar:
    """What the bar shows of hints while it is the reader's turn."""

    url: str
    """The address that asks for one, to post to; empty where none can be asked for now."""
    text: Sentence | str
    """The hint in words, or why there is none; empty where none was asked for."""
    is_pending: bool


def build_hint_bar(presentation: Presentation, table: PlayTable, url: str) -> HintBar | None:
    """Return what the bar shows of hints; None where the game has none, and while others are to decide."""
    if not url or not table.is_own_turn:
        return None
    hint = table.hint
    is_pending = hint is not None and hint.is_pending
    can_ask = hint is None or hint.state == "failed"
    return HintBar(url if can_ask else "", describe_hint(presentation, hint) if hint else "", is_pending)


def describe_hint(presentation: Presentation, hint: TableHint) -> Sentence | str:
    """Return a hint in words."""
    if hint.is_pending:
        return _("A hint is being computed.")
    if hint.state == NO_HINT:
        return _("No hint for this edition.")
    if not hint.choices:
        return _("The hint could not be computed. Ask for it again.")
    best, *others = [name_rated(presentation, one) for one in hint.choices]
    if not others:
        return format_sentence(_("Hint: {best}."), best=best)
    return format_sentence(_("Hint: {best}. Second best: {second}."), best=best, second=others[0])


def name_rated(presentation: Presentation, rated: RatedAction) -> Sentence:
    """Return an action with the chance to win after it."""
    chance = f"{round(100 * rated.chance)}%"
    template = _("{action}, chance to win {chance}")
    return format_sentence(template, action=presentation.name_choice(rated.action), chance=chance)
