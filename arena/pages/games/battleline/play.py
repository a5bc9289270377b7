"""The table at which people play Battle Line: what the templates `play*.html` show of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.pages.games.battleline.board import (
    FLAG_COLUMN_WIDTH,
    Board,
    build_board,
    build_hand,
    draw_front_line,
)
from arena.pages.games.battleline.play_bar import build_bar
from arena.pages.games.battleline.play_draft import Draft, build_draft
from arena.pages.games.battleline.play_end import describe_play_ending
from arena.pages.games.battleline.play_flags import PlayFlag, build_why_not, list_flags
from arena.pages.games.battleline.play_hand import Deck, HeldCard, list_decks, list_held_cards
from arena.pages.games.battleline.wording import Wording
from arena.pages.games.cards import Face
from arena.pages.play.parts import Bar, Ending, WhyNot
from arena.pages.play.table import PlayTable
from engine.games.battleline.cards import CARD_NAMES_BY_COLOURS

SHOWN_FORMATIONS = ("wedge", "phalanx", "battalion", "skirmish", "host")


@dataclass(frozen=True, slots=True)
class LinePlay:
    """Everything the templates of the table show."""

    bar: Bar
    why_not: WhyNot | None
    board: Board
    flags: Sequence[PlayFlag]
    front: str
    """The front line, with the reader's side below, as path data."""
    width: int
    hand: Sequence[HeldCard]
    near_backs: Sequence[Face]
    """The hand of the seat below where the reader doesn't play it."""
    backs: Sequence[Face]
    """The hand of the seat above."""
    decks: Sequence[Deck]
    draft: Draft | None
    formations: Sequence[tuple[str, str, str]]
    """Icon, name and meaning of each formation, strongest first."""
    aim: str
    """What wins, in a sentence."""
    far: int
    """The seat above."""
    ending: Ending | None
    """None while the play goes on, and where nobody looks on from a seat."""

    @property
    def depth(self) -> int:
        """Return how many cards lie, or may lie, on both sides together of the flag that takes most."""
        sides = (flag.flag.sides for flag in self.flags)
        return max(sum(len(side.faces) + len(side.free) for side in both) for both in sides)

    @property
    def far_flags(self) -> list[int]:
        """Return the numbers of the flags that the seat above has won."""
        return [flag.flag.number for flag in self.flags if flag.flag.owner == self.far]

    @property
    def near_flags(self) -> list[int]:
        """Return the numbers of the flags that the seat below has won."""
        return [flag.flag.number for flag in self.flags if flag.flag.owner == 1 - self.far]

    @property
    def focus(self) -> str:
        """Return where the focus goes: to the decks, to the tiles, to the board, or to the hand."""
        if any(deck.choice for deck in self.decks):
            return "decks"
        if self.draft and self.draft.tiles:
            return "tiles"
        is_on_board = any(card.choice for flag in self.flags for card in (*flag.far.cards, *flag.near.cards))
        return "board" if is_on_board else "hand"


def build_play(wording: Wording, table: PlayTable) -> LinePlay:
    """Return the table as its reader sees it."""
    scene, near = table.scene, table.near
    board = build_board(wording, scene)
    flags = list_flags(wording, table, board, CARD_NAMES_BY_COLOURS[scene.options["colours"]])
    owners = [None if flag.owner is None else int(flag.owner != near) for flag in board.flags]
    return LinePlay(
        bar=build_bar(wording, table),
        why_not=build_why_not(wording, table, flags),
        board=board,
        flags=flags,
        front=draw_front_line(owners),
        width=FLAG_COLUMN_WIDTH * len(flags),
        hand=list_held_cards(wording, table) if table.seat is not None else (),
        near_backs=build_hand(wording, scene, near) if table.seat is None else (),
        backs=build_hand(wording, scene, 1 - near),
        decks=list_decks(table),
        draft=build_draft(wording, table),
        formations=list_formations(wording),
        aim=describe_aim(scene.options["envelopment"], bool(scene.options["breakthrough"])),
        far=1 - near,
        ending=describe_play_ending(wording, table, board),
    )


def list_formations(wording: Wording) -> list[tuple[str, str, str]]:
    """Return icon, name and meaning of each formation, strongest first."""
    meanings = {
        "wedge": _("colour and sequence"),
        "phalanx": _("same value"),
        "battalion": _("same colour"),
        "skirmish": _("sequence"),
        "host": _("anything else"),
    }
    return [(kind, wording.formation(kind), meanings[kind]) for kind in SHOWN_FORMATIONS]


def describe_aim(envelopment: int, has_breakthrough: bool) -> str:
    """Return what wins."""
    sentence = (
        _("Win three flags side by side, or any %(count)s.") if has_breakthrough else _("Win any %(count)s flags.")
    )
    return sentence % {"count": envelopment}
