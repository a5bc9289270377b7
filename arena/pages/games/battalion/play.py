"""The table at which people play Battalion: attacker and defender in full, the others small."""

from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from arena.pages.games.battalion.army import describe_die, format_modification
from arena.pages.games.battalion.board import Board, build_board, describe_place
from arena.pages.games.battalion.cards import (
    HIDDEN_CARD,
    build_card_parts,
    name_seat,
)
from arena.pages.games.battalion.forecast import FIGHT
from arena.pages.games.battalion.play_field import Field, Placement, build_field, lay_out_seat
from arena.pages.games.battalion.play_layout import LayoutScreen, build_layout_screen
from arena.pages.games.battalion.play_outlook import Outlook, Reason, build_outlook, list_reasons
from arena.pages.games.battalion.play_own import OwnSide, build_own_side
from arena.pages.games.battalion.play_turn import REFORM, Turn, read_turn
from arena.pages.games.battalion.play_words import (
    ask_before_action,
    ask_before_attack,
    ask_what_to_do,
)
from arena.pages.games.sentence import Sentence
from arena.pages.play.parts import Bar, Option, Stage, describe_waiting
from arena.pages.play.table import PlayTable
from engine.core import Json
from engine.games.battalion.position import DEPLOY
from engine.games.battalion.refusal import refuse_victim


@dataclass(frozen=True, slots=True)
class MiniCell:
    """A cell of a small army."""

    classes: str
    text: str


@dataclass(frozen=True, slots=True)
class Mini:
    """A formation drawn small."""

    tracks: int
    ranks: int
    cells: tuple[MiniCell, ...]


@dataclass(frozen=True, slots=True)
class Opponent:
    """What is said of another player, whether shown in full or small."""

    seat: int
    name: str
    suit: str
    standing: str
    die: str
    die_label: str
    hand: range
    """As many as there are cards in the hand."""
    hand_label: str
    dead: Sentence | None
    wounded: Sentence | None
    note: str
    """Why it may not be attacked now, or its place when it is out; may be empty."""
    targets: int
    """How many of its cells the chosen card may attack."""
    url: str
    """Where it is shown in full."""
    mini: Mini | None


@dataclass(frozen=True, slots=True)
class Play:
    """What the templates of the table show."""

    bar: Bar
    field: Field | None
    facing: Opponent | None
    others: tuple[Opponent, ...]
    own: OwnSide | None
    outlook: Outlook | None
    reasons: tuple[Reason, ...]
    layout: LayoutScreen | None
    state: str
    """Round, and how near the leg is to its end."""
    absence: str
    """Why there is nothing to draw."""
    board: Board | None
    """The table once the play is over."""


def build_play(table: PlayTable) -> Play:
    """Return the table as its reader sees it."""
    turn = read_turn(table)
    is_laying = table.is_own_turn and (turn.view["decision"] == DEPLOY or table.chosen[:1] == (REFORM,))
    layout, bar = build_layout_screen(turn) if is_laying else (None, build_bar(turn))
    forecast = turn.forecast(turn.action) if turn.target else None
    fights = forecast is not None and forecast.kind == FIGHT
    return Play(
        bar=bar,
        field=None if is_laying or table.is_over else build_field(turn),
        facing=build_opponent(turn, turn.facing) if turn.facing is not None else None,
        others=tuple(build_opponent(turn, seat) for seat in turn.others),
        own=build_own_side(turn) if table.seat is not None and not is_laying else None,
        outlook=build_outlook(turn, forecast) if forecast and fights else None,
        reasons=tuple(list_reasons(turn, forecast)) if forecast and fights else (),
        layout=layout,
        state=describe_round(turn),
        absence=_("All lay out their formations, unseen by the others."),
        board=build_board(table.scene) if table.is_over else None,
    )


def describe_round(turn: Turn) -> str:
    """Return the round, and the rounds without a death."""
    if not turn.view["round"]:
        return _("Deployment")
    options = turn.table.scene.options
    words = {"round": turn.view["round"], "quiet": turn.view["quiet"], "most": options["quiet_rounds"]}
    return _("Round %(round)s · %(quiet)s of %(most)s rounds without a death") % words


def count_standing(side: Json) -> int:
    """Return how many cards are neither dead nor wounded."""
    laid = sum(cell["card"] is not None for row in side["rows"] for cell in row)
    guard = side["guard"] is not None and side["guard"]["card"] is not None
    return laid + guard + int(side["hand_size"])


def format_die(side: Json) -> str:
    """Return what a player's die does, in a few signs."""
    return "" if side["modification"] is None else format_modification(side["modification"])


def build_opponent(turn: Turn, seat: int) -> Opponent:
    """Return what is said of another player."""
    side, player = turn.view["seats"][seat], turn.table.players[seat]
    standing = count_standing(side)
    return Opponent(
        seat=seat,
        name=player.name,
        suit=name_seat(seat),
        standing=ngettext("%(count)s standing", "%(count)s standing", standing) % {"count": standing},
        die=format_die(side),
        die_label=describe_die(side["modification"], side["modification_left"]),
        hand=range(side["hand_size"]),
        hand_label=_("%(name)s holds %(count)s cards") % {"name": player.name, "count": side["hand_size"]},
        dead=build_card_parts(seat, side["dead"]) if side["dead"] else None,
        wounded=build_card_parts(seat, side["wounded"]) if side["wounded"] else None,
        note=describe_note(turn, seat),
        targets=sum(other == seat for other, _cell in turn.targets),
        url=turn.build_url(*turn.chosen[:2], facing=seat),
        mini=draw_mini(turn, seat),
    )


def describe_note(turn: Turn, seat: int) -> str:
    """Return why a player may not be attacked now, or its place; empty where there is nothing to say."""
    if turn.view["seats"][seat]["out"]:
        result = turn.table.scene.result
        return describe_place(result["places"], seat) if result else _("out")
    if not turn.table.is_own_turn or turn.view["decision"] == DEPLOY:
        return ""
    if refuse_victim(turn.seen, turn.near, seat) is None:
        return ""
    return _("%(name)s was attacked in the turn before (BT-16).") % {"name": turn.table.players[seat].name}


def draw_mini(turn: Turn, seat: int) -> Mini | None:
    """Return a formation drawn small; None where nothing is laid out."""
    rows, guard = turn.read_side(seat)
    if not rows:
        return None
    layout = lay_out_seat(turn, seat)
    placement = Placement(layout, 0, 0, is_far=True)
    cells = [*(cell for row in rows for cell in row), *([guard] if guard else [])]
    return Mini(
        tracks=layout.tracks,
        ranks=layout.ranks,
        cells=tuple(
            MiniCell(
                f"{placement.classes(layout.spots[cell.name])} {find_mini_kind(cell.card)}",
                "" if cell.card in (None, HIDDEN_CARD) else cell.card or "",
            )
            for cell in cells
        ),
    )


def find_mini_kind(card: str | None) -> str:
    """Return the class of a small cell."""
    return "void" if card is None else "back" if card == HIDDEN_CARD else "open"


def build_bar(turn: Turn) -> Bar:
    """Return the line above the reader's cards."""
    if not turn.table.is_own_turn:
        return Bar(describe_waiting(turn.table))
    moved = len(turn.view["moved"])
    arrange = ngettext("Arrange, %(count)s moved", "Arrange, %(count)s moved", moved) % {"count": moved}
    stages = (
        Stage(arrange if moved else _("Arrange"), is_now=not turn.action, is_open=True),
        Stage(_("Act"), is_now=bool(turn.action), is_open=True),
    )
    if not turn.action:
        return Bar(ask_what_to_do(turn), stages)
    choice = turn.table.choose(*turn.chosen)
    assert choice is not None, "a chosen action is legal"
    if turn.target:
        caption = ask_before_attack(turn, turn.forecast(turn.action))
    else:
        caption = ask_before_action(turn)
    return Bar(caption, stages, (Option(choice, label_action(turn)),))


def label_action(turn: Turn) -> str:
    """Return what the button of the chosen action says."""
    if turn.target:
        kinds = {"look": pgettext("what a Jack does", "Look"), "strike": _("Strike")}
        return kinds.get(turn.forecast(turn.action).kind, _("Attack"))
    return {
        "pass": _("Pass"),
        "modify": _("Roll"),
        "pickup": _("Take up"),
        "reinforce": _("Reinforce"),
        "move": _("Move"),
    }[turn.verb]
