"""The data of brackets: rounds of bouts with their entrants and winners."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from django.utils.translation import gettext as _

from arena.pages.real_names import NO_REAL_NAMES, RealNames, write_authors
from arena.pages.tournaments.phase_words import name_knockout_round
from arena.pages.tournaments.words import format_points
from arena.tournaments.formats import base
from arena.tournaments.formats.bracket import (
    NO_ENTRANT,
    THIRD_PLACE_BOUT,
    Bout,
    Bracket,
    FromBout,
    build_knockout_rounds,
    build_winners_rounds,
    is_bout_name,
    read_order,
)
from arena.tournaments.formats.double_elimination import FINAL_BOUT, RESET_BOUT, build_losers_rounds
from arena.tournaments.queries.overview import Board, Overview
from engine.registry import GAMES

Rounds = Sequence[Sequence[Bout]]
MAX_BOUTS_DRAWN_PER_ROUND = 32
"""Rounds with more bouts are left out of the drawing, which would be too large to read."""


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a bout."""

    number: int | None
    """Seed of the entrant; NO_ENTRANT for an empty place, None until it is known."""
    seed: int | None
    """Its seed in the bracket, which is its place in the phase before, if there was one."""
    name: str
    won: bool
    """Whether it won the bout."""
    score: str
    """Its points so far; empty before the first match."""
    author: str = ""


@dataclass(frozen=True, slots=True)
class BoutResult:
    """A bout with its result."""

    name: str
    sides: tuple[Side, Side]
    feeders: tuple[str | None, str | None]
    """Names of the bouts in the same drawing whose winners are its sides."""
    caption: str
    """What is played for where that isn't plain from its round; empty elsewhere."""
    match: int | None
    """Its first match; None before, and where the game is not installed, so that there is nothing to look at."""
    is_over: bool
    played: bool
    is_given: bool = False
    """Whether an organiser decided it."""

    @property
    def is_empty(self) -> bool:
        """Return whether both sides are empty places."""
        return all(side.number == NO_ENTRANT for side in self.sides)

    @property
    def is_bye(self) -> bool:
        """Return whether a side is an empty place."""
        return any(side.number == NO_ENTRANT for side in self.sides)

    @property
    def is_open(self) -> bool:
        """Return whether a side is not known yet."""
        return any(side.number is None for side in self.sides)

    @property
    def winner(self) -> Side | None:
        """Return the side that won; None until the bout is over."""
        return next((side for side in self.sides if side.won), None)

    @property
    def loser(self) -> Side:
        """Return the side that lost."""
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
        if self.is_given:
            return _("%(winner)s advances, and %(loser)s doesn't, by decision of an organiser") % names
        if not self.played:
            return _("%(winner)s advances because %(loser)s has left") % names
        scores = {"own": winner.score, "other": self.loser.score}
        return _("%(winner)s beats %(loser)s %(own)s–%(other)s") % {**names, **scores}


@dataclass(frozen=True, slots=True)
class Column:
    """A round of a drawing."""

    title: str
    bouts: list[BoutResult]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A part of the bracket with a drawing of its own."""

    key: str
    title: str
    columns: list[Column]
    is_cut: bool
    """Whether its first rounds are left out."""
    champion: int | None
    """Seed of the winner of its last bout; None before."""


def make_bracket(overview: Overview, names: RealNames = NO_REAL_NAMES) -> list[Drawing]:
    """Return the parts of the bracket, if there is one yet. The matches of the overview must have been fetched.

    Authors are written by their real names where these are given.
    """
    if not overview.tournament.format.is_bracket:
        return []
    boards = [board for round in overview.counted_rounds for board in overview.boards.get(round.pk, [])]
    if overview.has_phases:
        boards = [board for board in boards if is_bout_name(board.name)]
        order = read_order(base.Pairing(board.numbers, board.name) for board in boards if board.name.startswith("W1."))
    else:
        order = [entrant.number for entrant in overview.field]
    if len(order) < 2:
        return []
    if overview.tournament.format.key == "double-elimination":
        return build_double_elimination(overview, boards, order, build_winners_rounds(len(order)), names)
    rounds = build_knockout_rounds(len(order), overview.settings.third_place_match)
    reader = BracketReader(overview, boards, order, rounds, names)
    return [reader.build_drawing("W", _("Knockout"), rounds, name_knockout)]


def build_double_elimination(
    overview: Overview, boards: Sequence[Board], order: Sequence[int], winners: Rounds, names: RealNames
) -> list[Drawing]:
    """Return the parts of a double elimination: winners' bracket, losers' bracket and final."""
    losers = build_losers_rounds(len(order))
    best = FromBout(winners[-1][0].name)
    second = FromBout(losers[-1][0].name) if losers else FromBout(best.bout, won=False)
    finals = [[Bout(FINAL_BOUT, (best, second))]]
    if any(board.name == RESET_BOUT for board in boards):
        finals.append([Bout(RESET_BOUT, (best, second))])
    reader = BracketReader(overview, boards, order, [*winners, *losers, *finals], names)
    drawn = [reader.build_drawing("W", _("Winners' bracket"), winners, name_winners)]
    if losers:
        drawn.append(reader.build_drawing("L", _("Losers' bracket"), losers, name_losers))
    return [*drawn, reader.build_drawing("F", _("Final"), finals, name_finals)]


def name_knockout(number: int, rounds: Rounds) -> str:
    """Return the title of a round of a knockout."""
    return name_knockout_round(sum(bout.name != THIRD_PLACE_BOUT for bout in rounds[number - 1]))


def name_winners(number: int, rounds: Rounds) -> str:
    """Return the title of a round of the winners' bracket."""
    return _("Winners' final") if number == len(rounds) else _("Winners' round %(number)d") % {"number": number}


def name_losers(number: int, rounds: Rounds) -> str:
    """Return the title of a round of the losers' bracket."""
    return _("Losers' final") if number == len(rounds) else _("Losers' round %(number)d") % {"number": number}


def name_finals(number: int, rounds: Rounds) -> str:
    """Return the title of the final, or of its repetition."""
    return _("Final") if number == 1 else _("Second final")


class BracketReader:
    """The state of a bracket, from which drawings are built."""

    def __init__(
        self, overview: Overview, boards: Sequence[Board], order: Sequence[int], rounds: Rounds, names: RealNames
    ) -> None:
        self.overview, self.order, self.names = overview, order, names
        self.boards: Mapping[tuple[str, frozenset[int]], Board] = {
            (board.name, frozenset(board.numbers)): board for board in boards
        }
        over = [board.result for board in boards if board.result is not None]
        self.bracket = Bracket(order, [over], chain(*rounds))

    def build_drawing(self, key: str, title: str, rounds: Rounds, name: Callable[[int, Rounds], str]) -> Drawing:
        """Return the drawing of the rounds that aren't too large; `name` returns the titles of rounds."""
        own = {bout.name for row in rounds for bout in row}
        columns = [
            Column(name(number, rounds), [self.build_bout(bout, own) for bout in row])
            for number, row in enumerate(rounds, start=1)
            if len(row) <= MAX_BOUTS_DRAWN_PER_ROUND
        ]
        last = columns[-1].bouts[0].winner
        return Drawing(key, title, columns, len(columns) < len(rounds), last.number if last else None)

    def build_bout(self, bout: Bout, own: set[str]) -> BoutResult:
        """Return a bout with its result; `own` are the names of all bouts in the drawing."""
        numbers = [self.find_number(side) for side in bout.sides]
        there = frozenset(number for number in numbers if number)
        board = self.boards.get((bout.name, there)) if None not in numbers else None
        winner = self.bracket.find_winner(bout.name)
        one, other = (self.build_side(number, board, winner) for number in numbers)
        one_from, other_from = (find_feeder(side, own) for side in bout.sides)
        return BoutResult(
            name=bout.name,
            sides=(one, other),
            feeders=(one_from, other_from),
            caption=_("Third place") if bout.name == THIRD_PLACE_BOUT else "",
            match=board.first_match if board and self.overview.tournament.game in GAMES else None,
            is_over=bool(winner),
            played=bool(board and board.played),
            is_given=bool(board and board.is_given),
        )

    def build_side(self, number: int | None, board: Board | None, winner: int | None) -> Side:
        """Return a side of a bout with its points."""
        name = self.overview.find_bot_name(number) if number else ""
        score = ""
        if number and board and board.points_won:
            score = format_points(board.points_won[board.numbers.index(number)])
        seed = self.order.index(number) + 1 if number else None
        author = write_authors(self.overview.by_number[number].bot, self.names, is_short=True) if number else ""
        return Side(number, seed, name, bool(number) and number == winner, score, author)

    def find_number(self, side: int | FromBout) -> int | None:
        """Return the seed that a side stands for; NO_ENTRANT for an empty place, None while it is open."""
        if not isinstance(side, FromBout):
            return self.order[side - 1] if side <= len(self.order) else NO_ENTRANT
        return self.bracket.find_winner(side.bout) if side.won else self.bracket.find_loser(side.bout)


def find_feeder(side: int | FromBout, own: set[str]) -> str | None:
    """Return the bout among these whose winner is this side, or None."""
    return side.bout if isinstance(side, FromBout) and side.won and side.bout in own else None
