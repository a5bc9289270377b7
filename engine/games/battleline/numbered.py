"""A play whose actions are numbers, for learners."""

from engine.games.battleline.state import BattleLineState
from engine.games.battleline.vectors import PositionEncoder


class NumberedPlay:
    """A play in which decisions without a choice are taken by themselves.

    `moves` has the move of each number, and `numbers` the number of each move.
    """

    def __init__(
        self, state: BattleLineState, moves: list[int], numbers: dict[int, int], encoder: PositionEncoder
    ) -> None:
        self.state = state
        self.moves = moves
        self.numbers = numbers
        self.encoder = encoder
        self.legal: list[int] = []
        """The numbers of the legal actions."""
        self.play_forced_moves()

    def take(self, number: int) -> None:
        """Take a legal action. Raises IllegalAction."""
        state = self.state
        move = self.moves[number]
        state.play(move if move in state.moves() else state.parse(state.words[move]))
        self.play_forced_moves()

    def play_forced_moves(self) -> None:
        """Take decisions without a choice, then number what is legal."""
        state = self.state
        found = state.moves()
        while len(found) == 1:
            state.play(found[0])
            found = state.moves()
        self.legal = list(map(self.numbers.__getitem__, found))

    def mask(self, seat: int) -> bytearray:
        """Return 1 for each legal action of this seat, and 0 for all others."""
        return mark(len(self.moves), self.legal if seat == self.state.to_act else [])

    def encode(self, seat: int) -> bytearray:
        """Return what a seat sees as counts; all 0 once the leg is finished."""
        return bytearray(self.encoder.size) if self.state.to_act is None else self.encoder.encode(self.state, seat)


def mark(size: int, numbers: list[int]) -> bytearray:
    """Return a row of bytes with 1 at each of these numbers, and 0 at all others."""
    data = bytearray(size)
    for number in numbers:
        data[number] = 1
    return data
