"""Knockouts as data of their drawings: rounds of bouts, who is in each, and who won."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from django.utils.translation import gettext as _

from arena.pages.tournaments.words import points
from arena.tournaments.formats.bracket import NOBODY, Bout, Bracket, From, seeding, winners_rounds
from arena.tournaments.formats.double_elimination import FINAL, RESET, losers_rounds
from arena.tournaments.queries.overview import Board, Overview

Rounds = Sequence[Sequence[Bout]]
MOST_BOUTS = 32
"""Rounds of more are left out of the drawing: nobody could find anything in it."""


@dataclass(frozen=True, slots=True)
class Side:
    """Who stands in a bout."""

    number: int | None
    """NOBODY where nobody ever comes, None where it is open."""
    name: str
    won: bool
    """It went on."""
    score: str
    """What it won so far; empty before that."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A bout with what has become of it."""

    name: str
    sides: tuple[Side, Side]
    feeders: tuple[str | None, str | None]
    """The names of the bouts of the same drawing that its sides come from as winners."""
    match: int | None
    is_over: bool
    played: bool

    @property
    def is_empty(self) -> bool:
        """Return whether nobody ever meets here."""
        return all(side.number == NOBODY for side in self.sides)

    @property
    def is_bye(self) -> bool:
        """Return whether one side stays empty."""
        return any(side.number == NOBODY for side in self.sides)

    @property
    def is_open(self) -> bool:
        """Return whether a side is not known yet."""
        return any(side.number is None for side in self.sides)

    @property
    def winner(self) -> Side | None:
        """Return the side that went on; None before that."""
        return next((side for side in self.sides if side.won), None)

    @property
    def loser(self) -> Side:
        """Return the side that did not go on."""
        return self.sides[0] if self.sides[1].won else self.sides[1]

    @property
    def sentence(self) -> str:
        """Return the bout and its result as a sentence."""
        one, other = self.sides
        if self.is_bye:
            known = [side.name for side in self.sides if side.name]
            return _("%(name)s has a bye") % {"name": known[0]} if known else _("still open")
        if self.is_open:
            shown = [side.name or _("still open") for side in self.sides]
            return _("%(one)s v %(other)s") % {"one": shown[0], "other": shown[1]}
        winner = self.winner
        if winner is None:
            words = _("%(one)s v %(other)s") % {"one": one.name, "other": other.name}
            return f"{words}, {one.score}–{other.score}" if one.score else words
        names = {"winner": winner.name, "loser": self.loser.name}
        if not self.played:
            return _("%(winner)s goes on, as %(loser)s has left") % names
        scores = {"own": winner.score, "other": self.loser.score}
        return _("%(winner)s beats %(loser)s %(own)s–%(other)s") % {**names, **scores}


@dataclass(frozen=True, slots=True)
class Column:
    """A round of a drawing."""

    title: str
    bouts: list[Shown]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A part of the bracket that is drawn by itself."""

    key: str
    title: str
    columns: list[Column]
    is_cut: bool
    """Earlier rounds are left out."""
    champion: int | None
    """The number of who has won all of it."""


def make_bracket(overview: Overview) -> list[Drawing]:
    """Build the parts of the bracket; none where the format has none or nothing is drawn yet. Needs the matches."""
    if not overview.tournament.format.is_bracket:
        return []
    boards = [board for round in overview.current for board in overview.boards.get(round.pk, [])]
    key = overview.tournament.format.key
    if key == "groups":
        boards = [board for board in boards if "." in board.name]
        order = order_of_knockout(boards)
    else:
        order = [entrant.number for entrant in overview.field]
    if len(order) < 2:
        return []
    winners = winners_rounds(len(order))
    if key != "double-elimination":
        picture = Picture(overview, boards, order, winners)
        return [picture.draw("W", _("Knockout"), winners, name_knockout)]
    return draw_double(overview, boards, order, winners)


def draw_double(overview: Overview, boards: Sequence[Board], order: Sequence[int], winners: Rounds) -> list[Drawing]:
    """Return the parts of a double elimination: winners' bracket, losers' bracket and final."""
    losers = losers_rounds(len(order))
    best = From(winners[-1][0].name)
    second = From(losers[-1][0].name) if losers else From(best.bout, won=False)
    finals = [[Bout(FINAL, (best, second))]]
    if any(board.name == RESET for board in boards):
        finals.append([Bout(RESET, (best, second))])
    picture = Picture(overview, boards, order, [*winners, *losers, *finals])
    drawn = [picture.draw("W", _("Winners' bracket"), winners, name_winners)]
    if losers:
        drawn.append(picture.draw("L", _("Losers' bracket"), losers, name_losers))
    return [*drawn, picture.draw("F", _("Final"), finals, name_finals)]


def order_of_knockout(boards: Iterable[Board]) -> list[int]:
    """Return the seeds of the knockout after groups, best first, as its first round tells; empty before that."""
    first = [board for board in boards if board.name.startswith("W1.")]
    drawn = [number for board in first for number in (*board.numbers, NOBODY)[:2]]
    pairs = sorted(zip(seeding(len(drawn)), drawn, strict=True)) if drawn else []
    return [number for _seed, number in pairs if number != NOBODY]


def name_knockout(number: int, rounds: Rounds) -> str:
    """Return the title of a round of a knockout."""
    count = len(rounds[number - 1])
    names = {1: _("Final"), 2: _("Semi-finals"), 4: _("Quarter-finals")}
    return names.get(count) or _("Last %(count)d") % {"count": 2 * count}


def name_winners(number: int, rounds: Rounds) -> str:
    """Return the title of a round of the winners' bracket."""
    return _("Winners' final") if number == len(rounds) else _("Winners' round %(number)d") % {"number": number}


def name_losers(number: int, rounds: Rounds) -> str:
    """Return the title of a round of the losers' bracket."""
    return _("Losers' final") if number == len(rounds) else _("Losers' round %(number)d") % {"number": number}


def name_finals(number: int, rounds: Rounds) -> str:
    """Return the title of the final, or of its repetition."""
    return _("Final") if number == 1 else _("Second final")


class Picture:
    """What has become of all bouts."""

    def __init__(self, overview: Overview, boards: Sequence[Board], order: Sequence[int], rounds: Rounds) -> None:
        self.overview, self.order = overview, order
        self.boards: Mapping[tuple[str, frozenset[int]], Board] = {
            (board.name, frozenset(board.numbers)): board for board in boards
        }
        over = [board.result for board in boards if board.result is not None]
        self.bracket = Bracket(order, [over], chain(*rounds))

    def draw(self, key: str, title: str, rounds: Rounds, name: Callable[[int, Rounds], str]) -> Drawing:
        """Return the drawing of those rounds that are not too large; `name` gives the titles of rounds."""
        own = {bout.name for row in rounds for bout in row}
        columns = [
            Column(name(number, rounds), [self.show(bout, own) for bout in row])
            for number, row in enumerate(rounds, start=1)
            if len(row) <= MOST_BOUTS
        ]
        last = columns[-1].bouts[0].winner
        return Drawing(key, title, columns, len(columns) < len(rounds), last.number if last else None)

    def show(self, bout: Bout, own: set[str]) -> Shown:
        """Return a bout with its result; `own` are the names of all bouts in the drawing."""
        numbers = [self.find(side) for side in bout.sides]
        there = frozenset(number for number in numbers if number)
        board = self.boards.get((bout.name, there)) if None not in numbers else None
        winner = self.bracket.winner(bout.name)
        one, other = (self.side(number, board, winner) for number in numbers)
        one_from, other_from = (feeder(side, own) for side in bout.sides)
        return Shown(
            name=bout.name,
            sides=(one, other),
            feeders=(one_from, other_from),
            match=board.first_match if board else None,
            is_over=bool(winner),
            played=bool(board and board.played),
        )

    def side(self, number: int | None, board: Board | None, winner: int | None) -> Side:
        """Return a side of a bout with what it won."""
        name = self.overview.name(number) if number else ""
        score = ""
        if number and board and board.won:
            score = points(board.won[board.numbers.index(number)])
        return Side(number, name, bool(number) and number == winner, score)

    def find(self, side: int | From) -> int | None:
        """Return the seed that a side stands for; NOBODY for an empty place, None while it is open."""
        if not isinstance(side, From):
            return self.order[side - 1] if side <= len(self.order) else NOBODY
        return self.bracket.winner(side.bout) if side.won else self.bracket.loser(side.bout)


def feeder(side: int | From, own: set[str]) -> str | None:
    """Return the bout among these whose winner comes to this side."""
    return side.bout if isinstance(side, From) and side.won and side.bout in own else None
