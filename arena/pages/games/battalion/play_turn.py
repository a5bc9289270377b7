"""What a seat can do in its turn, sorted by the card that does it, and what of it the reader has chosen."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from arena.pages.games.battalion.army import LaidCell, read_guard, read_rows
from arena.pages.games.battalion.board import find_view
from arena.pages.games.battalion.forecast import Forecast, forecast_attack
from arena.pages.games.battalion.seen_table import rebuild_table
from arena.pages.play.table import CHOSEN, FACING, PlayTable, starts_with
from engine.core import Json
from engine.games.battalion.position import Position

ATTACK, MOVE, REINFORCE, REFORM = "attack", "move", "reinforce", "reform"
TURN_ENDINGS = ("pass", "modify")
"""Actions of one word that end the turn."""
PICKUP = "pickup"


@dataclass(frozen=True, slots=True)
class Turn:
    """The table as its reader sees it, and the legal actions of a turn."""

    table: PlayTable
    view: Json
    """What the reader sees, with what it was told of its own deployment."""
    seen: Position
    """The same as the engine's table."""
    chosen: tuple[str, ...]
    """The words chosen so far: the beginning of a listed action, or none."""
    near: int
    facing: int | None
    """The other seat that is shown in full; None where nobody else is left."""
    attacks: dict[str, dict[tuple[int, str], str]] = field(default_factory=dict)
    """By own cell: the actions by seat and cell of the target."""
    moves: dict[str, dict[str, str]] = field(default_factory=dict)
    """By own cell: the actions by goal."""
    reinforcements: dict[str, dict[str, str]] = field(default_factory=dict)
    """By card: the actions by goal."""

    @property
    def verb(self) -> str:
        """Return the first of the words chosen, or empty."""
        return self.chosen[0] if self.chosen else ""

    @property
    def action(self) -> str:
        """Return the chosen action, or empty where words are missing."""
        text = " ".join(self.chosen)
        return text if text in self.table.legal else ""

    @property
    def cell(self) -> str:
        """Return the own cell whose card is chosen to move or to attack, or empty."""
        return self.chosen[1] if self.verb in (ATTACK, MOVE) and len(self.chosen) > 1 else ""

    @property
    def card(self) -> str:
        """Return the card of the hand that is chosen, or empty."""
        return self.chosen[1] if self.verb == REINFORCE and len(self.chosen) > 1 else ""

    @property
    def target(self) -> tuple[int, str] | None:
        """Return the cell that is aimed at."""
        return read_target(self.chosen[2]) if self.verb == ATTACK and self.action else None

    @property
    def goal(self) -> str:
        """Return the own cell where the chosen card is to go, or empty."""
        return self.chosen[2] if self.verb in (MOVE, REINFORCE) and self.action else ""

    @property
    def goals(self) -> dict[str, str]:
        """Return the actions that bring the chosen card to each own cell."""
        return self.reinforcements.get(self.card, {}) if self.card else self.moves.get(self.cell, {})

    @property
    def targets(self) -> dict[tuple[int, str], str]:
        """Return the attacks of the chosen card by their targets."""
        return self.attacks.get(self.cell, {})

    @property
    def others(self) -> list[int]:
        """Return the seats that are neither near nor shown in full, from the next one on."""
        seats = len(self.view["seats"])
        around = [(self.near + step) % seats for step in range(1, seats)]
        return [seat for seat in around if seat != self.facing]

    def forecast(self, action: str) -> Forecast:
        """Return the forecast of an attack."""
        return forecast_attack(self.seen, self.view, action)

    def build_url(self, *words: str, facing: int | None = None) -> str:
        """Return the address of the table with these words chosen, and with this or the same seat in full."""
        return build_url(words, self.facing if facing is None else facing, len(self.view["seats"]))

    def choose_cell(self, cell: str) -> str:
        """Return the address with the card of an own cell chosen, or let go; empty where it can do nothing."""
        if cell == self.cell:
            return self.build_url()
        verb = ATTACK if self.attacks.get(cell) else MOVE if self.moves.get(cell) else ""
        return self.build_url(verb, cell) if verb else ""

    def read_side(self, seat: int) -> tuple[tuple[tuple[LaidCell, ...], ...], LaidCell | None]:
        """Return rows and guard of a seat."""
        side = self.view["seats"][seat]
        return read_rows(side["rows"]), read_guard(side["guard"])

    def find_card(self, seat: int, cell: str) -> str:
        """Return the card in a cell as it is seen; empty for none."""
        rows, guard = self.read_side(seat)
        cells = [*(laid for row in rows for laid in row), *([guard] if guard else [])]
        return next((laid.card or "" for laid in cells if laid.name == cell), "")


def read_target(word: str) -> tuple[int, str]:
    """Return seat and cell of "1:2b"."""
    seat, _colon, cell = word.partition(":")
    return int(seat), cell


def build_url(words: Sequence[str], facing: int | None, seats: int) -> str:
    """Return the address of a table; the seat in full stands in it where there is a choice."""
    shown = [f"{FACING}={facing}"] if seats > 2 and facing is not None else []
    return f"?{urlencode({CHOSEN: ' '.join([*shown, *words])})}"


def read_turn(table: PlayTable) -> Turn:
    """Return the turn of a table, whoever is to act."""
    scene, near = table.scene, table.near
    view: Json = {**scene.after[near], "seats": [find_view(scene, seat) for seat in range(len(scene.after))]}
    chosen = table.chosen if any(starts_with(action, table.chosen) for action in table.legal) else ()
    turn = Turn(table, view, rebuild_table(view), chosen, near, find_facing_seat(table, view, chosen))
    for action in table.legal:
        verb, *words = action.split(" ")
        if verb == ATTACK:
            turn.attacks.setdefault(words[0], {})[read_target(words[1])] = action
        elif verb == MOVE:
            turn.moves.setdefault(words[0], {})[words[1]] = action
        elif verb == REINFORCE:
            turn.reinforcements.setdefault(words[0], {})[words[1]] = action
    return turn


def find_facing_seat(table: PlayTable, view: Json, chosen: tuple[str, ...]) -> int | None:
    """Return the seat that is shown in full: the one aimed at, the one asked for, who acts, or who acted before."""
    seats, near = len(view["seats"]), table.near
    others = [seat for step in range(1, seats) if not view["seats"][seat := (near - step) % seats]["out"]]
    aimed = read_target(chosen[2])[0] if chosen[:1] == (ATTACK,) and len(chosen) > 2 else None
    wanted = [aimed, table.facing, view["to_move"], *others]
    return next((seat for seat in wanted if seat in others), None)
