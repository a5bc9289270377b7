"""How a play of Battle Line ended, to one who played it."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.pages.formatting import join_words
from arena.pages.games.battleline.board import Board
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.presentation import describe_fault
from arena.pages.play.parts import Ending
from arena.pages.play.table import PlayTable

BREAKTHROUGH_FLAGS = 3


def describe_play_ending(wording: Wording, table: PlayTable, board: Board) -> Ending | None:
    """Return how the play ended; None while it goes on, and for who looks on."""
    if table.seat is None or not table.is_over:
        return None
    result = table.scene.final_result
    winners = [seat for seat, place in enumerate(result["places"]) if place == 1]
    turns = ngettext("It took %(turns)s turn.", "It took %(turns)s turns.", table.scene.turn) % {
        "turns": table.scene.turn
    }
    cause = describe_cause(wording, table, board, winners)
    return Ending(name_result(wording, table.seat, winners, result["reason"]), f"{cause} {turns}")


def describe_cause(wording: Wording, table: PlayTable, board: Board, winners: Sequence[int]) -> str:
    """Return why the play ended as it did, in a sentence."""
    reason = table.scene.final_result["reason"]
    if len(winners) > 1:
        return _("Both passed, and both hold the same number of flags.")
    if reason == "passes":
        return _("Both passed, and the one with more flags wins.")
    if reason == "breakthrough":
        return describe_breakthrough([flag.number for flag in board.flags if flag.owner == winners[0]])
    if reason == "envelopment":
        return _("It takes %(count)s flags to win.") % {"count": table.scene.options["envelopment"]}
    loser = 1 - winners[0]
    if loser == table.seat and reason == "resigned":
        return _("You have resigned.")
    return f"{describe_fault(wording.seat(loser), reason)}."


def name_result(wording: Wording, seat: int, winners: Sequence[int], reason: str) -> str:
    """Return who won and how, as a heading."""
    if len(winners) > 1:
        return _("Drawn game")
    if winners[0] == seat:
        headings = {"breakthrough": _("You win by breakthrough"), "envelopment": _("You win by envelopment")}
        return headings.get(reason, _("You win"))
    headings = {
        "breakthrough": _("%(name)s wins by breakthrough"),
        "envelopment": _("%(name)s wins by envelopment"),
    }
    return headings.get(reason, _("%(name)s wins")) % {"name": wording.seat(winners[0])}


def describe_breakthrough(numbers: Sequence[int]) -> str:
    """Return which flags stand side by side."""
    runs = [numbers[place : place + BREAKTHROUGH_FLAGS] for place in range(len(numbers))]
    run = next((one for one in runs if len(one) == BREAKTHROUGH_FLAGS and one[-1] - one[0] == len(one) - 1), numbers)
    flags = join_words([str(number) for number in run], _("%(first)s and %(last)s"))
    return _("Flags %(flags)s stand side by side.") % {"flags": flags}
