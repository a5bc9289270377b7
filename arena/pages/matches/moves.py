"""The list of moves of a leg: every step in words, a way to it, and what the answer took."""

from dataclasses import dataclass

from django.utils.html import conditional_escape, escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from arena.pages.formatting import describe_time_spent, format_milliseconds
from arena.pages.games.picture import Line, Picture
from arena.pages.matches.replay import Film, Step
from arena.pages.svg.icons import icon
from arena.pages.templatetags.steps import chances

SLOW_SHARE = 0.8
"""An answer that took this share of its limit is marked as slow."""
SHOWN = ' aria-current="step"'
WEIGHTY = ' class="weighty"'


@dataclass(frozen=True, slots=True)
class Move:
    """A step in the list of moves."""

    step: Step
    lines: list[Line]
    is_slow: bool


def list_moves(film: Film, picture: Picture, limit_ms: int) -> list[Move]:
    slow_ms = SLOW_SHARE * limit_ms
    moves = []
    for step in film.steps[1:]:
        spent = step.spent
        moves.append(Move(step, picture.tell(step), bool(slow_ms and spent and spent.cost_ms > slow_ms)))
    return moves


def draw_moves(moves: list[Move], now: int | None, address: str | None) -> SafeString:
    """Items of a list, each with the way to its step: a link, the number coming after `address`, or where there is no
    address a button of the form `steps`. `now` is the step shown. A leg has many steps, so no template is asked."""
    return mark_safe("\n".join(draw_item(move, move.step.number == now, address) for move in moves))


def draw_item(move: Move, is_shown: bool, address: str | None) -> str:
    step, number = move.step, move.step.number
    name, way = "a", f'href="{escape(address)}{number}"'
    if address is None:
        name, way = "button", f'form="steps" name="turn" value="{number}"'
    turn = "·" if step.is_opening else step.turn
    lines = "".join(map(draw_line, move.lines))
    return (
        f'<li class="seat-{step.seat}"><{name} {way} data-step="{number}" data-seat="{step.seat}"{SHOWN * is_shown}>'
        f'<span class="turn">{turn}</span>{icon(f"pennant-{step.seat}")}<span class="says">{lines}</span>'
        f"{draw_time(move)}</{name}></li>"
    )


def draw_line(line: Line) -> str:
    return f"<span{WEIGHTY * line.is_weighty}>{conditional_escape(line.text)}</span>"


def draw_time(move: Move) -> str:
    """What the answer took, and what the bot said of its chances."""
    spent, said = move.step.spent, chances(move.step)
    time = str(escape(format_milliseconds(spent.wall_ms))) if spent else ""
    if spent and spent.late_ms >= 1:
        time += late(_("our delay"))
    if said:
        time += late(_("chances %(chances)s") % {"chances": said})
    title = f' title="{describe_time_spent(spent)}"' if spent else ""
    return f'<span class="time{" slow" * move.is_slow}"{title}>{time}</span>'


def late(words: str) -> str:
    return f'<span class="late">{escape(words)}</span>'
