"""Build what the template of a table shows, for any game."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from django.utils.translation import gettext as _

from arena.pages.formatting import record_rules_title
from arena.pages.games import find_presentation
from arena.pages.games.plain.play import build_plain_play
from arena.pages.games.presentation import Line, Presentation
from arena.pages.play.hints import HintBar, build_hint_bar
from arena.pages.play.parts import Bar, Ending
from arena.pages.play.table import CHOSEN, PlayTable

MAX_MOVES = 6
"""Steps listed in the panel."""


@dataclass(frozen=True, slots=True)
class Links:
    """Addresses that a table needs; empty where the reader can't do it."""

    page: str
    step: str = ""
    undo: str = ""
    hint: str = ""
    resign: str = ""
    new_game: str = ""
    rules: str = ""


@dataclass(frozen=True, slots=True)
class Finish:
    """What can be done after the end, and how often these players have won; empty where there is nothing."""

    watch: str = ""
    """Address of the replay."""
    swap: str = ""
    """Address that starts the same deal with swapped seats, to post to."""
    next_game: str = ""
    """Address that starts the next game of a series, to post to."""
    next: str = ""
    """Address where the next opponent is chosen."""
    other_leg: Sequence[tuple[str, str]] = ()
    """Results of both legs of this deal, one a line: a heading, and how it ended."""
    note: str = ""
    """A sentence below, as "You against Hannibal: 2 won, 5 lost."."""


@dataclass(frozen=True, slots=True)
class Move:
    """A step in the panel."""

    number: int
    seat: int | None
    lines: Sequence[Line]


def build_table_context(
    table: PlayTable, links: Links, finish: Finish | None = None, waited_s: float = 0, notice: str = ""
) -> dict[str, Any]:
    """Return the context of `play/table.html` and `play/_table.html`.

    `waited_s` is how long the one has been waited for who is to act. `notice` is what the last request has to say, as
    why an action was refused.
    """
    record = table.record
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    if presentation.name_players:
        presentation = presentation.name_players(table.names, table.seat)
    is_plain = presentation.build_play is None
    play = presentation.build_play(table) if presentation.build_play else build_plain_play(presentation, table)
    folder = "plain" if is_plain else presentation.folder
    moves = list_moves(table, presentation)
    hint = build_hint_bar(presentation, table, links.hint)
    bar: Bar = play.bar
    if hint and hint.text and not table.chosen:
        bar = replace(bar, caption=hint.text, short="")
    return {
        "table": table,
        "presentation": presentation,
        "play": play,
        "bar": bar,
        "hint": hint,
        "poll_url": build_poll_url(table, links, hint),
        "why_not": getattr(play, "why_not", None),
        "play_template": f"games/{folder}/{'play_end' if table.is_over else 'play'}.html",
        "panel_template": f"games/{folder}/play_panel.html",
        "proof_template": f"games/{presentation.folder}/proof.html",
        "rules": record_rules_title(record),
        "opponents": [(seat, player) for seat, player in enumerate(table.players) if seat != table.near],
        "near_player": table.players[table.near],
        "moves": moves,
        "last_move": next((move for move in reversed(moves) if move.seat not in (None, table.seat)), None),
        "links": links,
        "finish": finish or Finish(),
        "ending": describe_ending(table, presentation, play) if table.is_over else None,
        "waited_s": int(waited_s),
        "notice": notice,
        "spoken": describe_for_ear(table, moves, str(bar.caption), notice),
    }


def build_poll_url(table: PlayTable, links: Links, hint: HintBar | None) -> str:
    """Return the address that a page asks while it waits, with the words chosen; empty while it waits for nothing."""
    if table.waiting_for is None and not (hint and hint.is_pending):
        return ""
    return f"{links.page}?{urlencode({CHOSEN: ' '.join(table.chosen)})}" if table.chosen else links.page


def list_moves(table: PlayTable, presentation: Presentation) -> list[Move]:
    """Return the last steps in words."""
    steps = [step for step in table.scene.steps[-MAX_MOVES:] if step.entries]
    moves = (Move(step.turn or step.number, step.seat, presentation.describe_step(step)) for step in steps)
    return [move for move in moves if move.lines]


def describe_ending(table: PlayTable, presentation: Presentation, play: Any) -> Ending:
    """Return how the play ended: in the words of the game's table, or of its presentation."""
    ending: Ending | None = getattr(play, "ending", None)
    return ending or Ending(describe_verdict(table), f"{presentation.describe_ending(table.scene)}.")


def describe_verdict(table: PlayTable) -> str:
    """Return who has won, to the reader."""
    places = table.scene.final_result["places"]
    winners = [table.players[seat].name for seat, place in enumerate(places) if place == 1]
    if len(winners) > 1:
        return _("Drawn game")
    if table.seat is not None and places[table.seat] == 1:
        return _("You win")
    return _("%(name)s wins") % {"name": winners[0]}


def describe_for_ear(table: PlayTable, moves: Sequence[Move], caption: str, notice: str) -> str:
    """Return what a screen reader says after a change: what the others did last, then what the caption says."""
    said = [notice] if notice else []
    if moves and not table.chosen:
        lines = moves[-1].lines
        said += [f"{line}." for line in (lines if moves[-1].seat != table.seat else lines[-1:])]
    return " ".join([*said, caption])
