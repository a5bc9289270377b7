"""Brackets: single and double elimination, and as the second phase of a tournament."""

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, takewhile
from typing import ClassVar

from arena.contests.tournaments.formats.base import Entrant, Format, Pairing, Round, make_bye
from arena.contests.tournaments.settings import Settings

# Brackets: bouts whose sides are seeds, or winners and losers of other bouts.

NO_ENTRANT = 0
"""The number of an empty place: a bracket has a power of two of them, and there may be fewer entrants."""

THIRD_PLACE_BOUT = "T1.1"
"""The match for third place, which is played in the round of the final."""


@dataclass(frozen=True, slots=True)
class FromBout:
    """The winner or the loser of a bout."""

    bout: str
    won: bool = True


Side = int | FromBout
"""A seed, from 1, or the winner or loser of another bout."""


@dataclass(frozen=True, slots=True)
class Bout:
    """A place in the bracket where two entrants meet."""

    name: str
    sides: tuple[Side, Side]


BoutRounds = tuple[tuple[Bout, ...], ...]
"""The bouts of each round, from the top down."""


def count_knockout_rounds(entrants: int) -> int:
    """Return the number of rounds after which a single entrant is unbeaten."""
    return (entrants - 1).bit_length()


def order_seeds(size: int) -> list[int]:
    """Return the seeds from the top of the bracket down; `size` is a power of two.

    The best seed meets the last one first, and the two best can meet in the final only.
    """
    order = [1]
    while len(order) < size:
        order = [seed for better in order for seed in (better, 2 * len(order) + 1 - better)]
    return order


@cache
def build_winners_rounds(entrants: int) -> BoutRounds:
    """Return the rounds of the winners' bracket; its bouts are called W1.1, W1.2, …, W2.1, …."""
    count = count_knockout_rounds(entrants)
    sides: list[Side] = [*order_seeds(2**count)]
    rounds = []
    for number in range(1, count + 1):
        rounds.append(pair_off(f"W{number}", sides[::2], sides[1::2]))
        sides = [FromBout(bout.name) for bout in rounds[-1]]
    return tuple(rounds)


@cache
def build_knockout_rounds(entrants: int, third_place: bool) -> BoutRounds:
    """Return the rounds of the winners' bracket, with a match for third place where it is wanted.

    The losers of the semi-finals meet in it. Among three entrants there is one loser, which has nobody to meet.
    """
    rounds = build_winners_rounds(entrants)
    if not third_place or len(rounds) < 2:
        return rounds
    one, other = (FromBout(bout.name, won=False) for bout in rounds[-2])
    return (*rounds[:-1], (*rounds[-1], Bout(THIRD_PLACE_BOUT, (one, other))))


def is_bout_name(name: str) -> bool:
    """Return whether a pairing of this name has a place in a bracket; groups are named by letters."""
    return "." in name


def read_order(pairings: Iterable[Pairing]) -> list[int]:
    """Return the entrants of a knockout, the best seed first, from the pairings of its first round."""
    drawn = [number for pairing in pairings for number in (*pairing.entrants, NO_ENTRANT)[:2]]
    if not drawn:
        return []
    return [number for _, number in sorted(zip(order_seeds(len(drawn)), drawn, strict=True)) if number != NO_ENTRANT]


def pair_off(name: str, upper: Sequence[Side], lower: Sequence[Side]) -> tuple[Bout, ...]:
    """Return a round of bouts: the first of `upper` meets the first of `lower`, and so on."""
    return tuple(Bout(f"{name}.{place}", sides) for place, sides in enumerate(zip(upper, lower, strict=True), 1))


class Bracket:
    """The state of a bracket. A bout is added after those that its sides come from."""

    def __init__(self, order: Sequence[int], rounds: Sequence[Round], bouts: Iterable[Bout] = ()) -> None:
        """Build the bracket of these entrants, the best seed first."""
        self.ready: list[Pairing] = []
        """Pairings that can be played now."""
        self._order = order
        self._results = {_make_key(result.pairing): result for results in rounds for result in results}
        self._who: dict[Side, int | None] = {}
        for bout in bouts:
            self.add(bout)

    def add(self, bout: Bout) -> None:
        """Add a bout whose sides come from bouts added before."""
        one, other = (self._find_entrant_number(side) for side in bout.sides)
        winner = loser = None
        if one is not None and other is not None:
            winner, loser = self._decide_bout(bout, one, other)
        self._who[FromBout(bout.name)] = winner
        self._who[FromBout(bout.name, won=False)] = loser

    def find_winner(self, bout: str) -> int | None:
        """Return the number of the winner; None until it is known."""
        return self._who[FromBout(bout)]

    def find_loser(self, bout: str) -> int | None:
        """Return the number of the loser; None until it is known, NO_ENTRANT if the winner had no opponent."""
        return self._who[FromBout(bout, won=False)]

    def _find_entrant_number(self, side: Side) -> int | None:
        if isinstance(side, FromBout):
            return self._who[side]
        return self._order[side - 1] if side <= len(self._order) else NO_ENTRANT

    def _decide_bout(self, bout: Bout, one: int, other: int) -> tuple[int | None, int | None]:
        """Return the winner and the loser of a bout.

        An entrant opposite an empty place has a bye in the first round; later it advances without a pairing.
        """
        is_first = not any(isinstance(side, FromBout) for side in bout.sides)
        if NO_ENTRANT in (one, other) and not is_first:
            return one or other, NO_ENTRANT
        pairing = self._build_pairing(bout.name, one, other)
        result = self._results.get(_make_key(pairing))
        if result is None:
            self.ready.append(pairing)
            return None, None
        winner = result.advancing
        if winner is None:
            raise ValueError(f"{bout.name} ended without a winner: in a bracket there is no draw.")
        return winner, other if winner == one else one

    def _build_pairing(self, name: str, one: int, other: int) -> Pairing:
        """Return the pairing of two entrants; the better seed has the first seat."""
        if NO_ENTRANT in (one, other):
            return make_bye(one or other, name)
        first, second = sorted((one, other), key=self._order.index)
        return Pairing((first, second), name, must_decide=True)


def _make_key(pairing: Pairing) -> tuple[str, frozenset[int]]:
    return pairing.name, frozenset(pairing.entrants)


# Single elimination. Third place is shared, unless the settings want a match for it.


class SingleElimination(Format):
    """The format in which the loser of a pairing is out."""

    key = "single-elimination"
    title = "Single elimination"
    is_bracket = True
    uses = frozenset({"max_tiebreak_matches", "third_place_match"})

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds."""
        return count_knockout_rounds(entrants)

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None after the last."""
        return pair_next_bouts([entrant.number for entrant in field], rounds, settings)

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return the number of rounds that each entrant has passed, as `count_rounds_passed` does."""
        return count_rounds_passed([entrant.number for entrant in field], rounds, settings)


def pair_next_bouts(order: Sequence[int], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
    """Return the next round of a knockout of these, the best seed first; None after the last."""
    if len(order) < 2:
        return None
    bouts = (bout for bouts in build_knockout_rounds(len(order), settings.third_place_match) for bout in bouts)
    return Bracket(order, rounds, bouts).ready or None


def count_rounds_passed(order: Sequence[int], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
    """Return the number of rounds that each has passed, byes included.

    With a match for third place its winner has passed as many as who reaches the final, and the finalists have passed
    one more: so nobody shares a place with them.
    """
    bouts = build_knockout_rounds(len(order), settings.third_place_match)
    bracket = Bracket(order, rounds, (bout for row in bouts for bout in row))
    passed = dict.fromkeys(order, 0)
    for number, row in enumerate(bouts, 1):
        for bout in row:
            winner = bracket.find_winner(bout.name)
            if winner is not None and winner != NO_ENTRANT:
                passed[winner] = number - (bout.name == THIRD_PLACE_BOUT)
    if bouts and bouts[-1][-1].name == THIRD_PLACE_BOUT:
        for finalist in filter(None, (bracket.find_winner(bout.name) for bout in bouts[-2])):
            passed[finalist] += 1
    return passed


# Double elimination: losers of the winners' bracket continue in the losers' bracket.
#
# Both brackets are fixed from the start. Their winners meet in the final. The one from the winners' bracket is
# unbeaten, so if it loses the final, a second final is played.

FINAL_BOUT, RESET_BOUT = "F1.1", "F2.1"
"""The final, and the second final, which is played if the unbeaten finalist loses the first."""


class DoubleElimination(Format):
    """The format in which an entrant is out after two losses."""

    key = "double-elimination"
    title = "Double elimination"
    is_bracket = True
    uses = frozenset({"max_tiebreak_matches"})

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the number of rounds with a second final.

        The losers' bracket ends a round after the winners' bracket; at most two finals follow.
        """
        return 2 * count_knockout_rounds(entrants) + 1

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None after the last."""
        return _Brackets(field, rounds).bracket.ready or None

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return how far each entrant came, in rounds of the losers' bracket.

        For those that are out it is the round in which they lost. For the others it is the round they reach even if
        they lose from now on, raised by the number of the final so that they rank above those that are out.
        """
        brackets = _Brackets(field, rounds)
        came = {entrant.number: 1 for entrant in field} | dict(brackets.list_secured())
        return {number: brackets.final + least for number, least in came.items()} | dict(brackets.list_eliminated())


@cache
def build_losers_rounds(entrants: int) -> BoutRounds:
    """Return the rounds of the losers' bracket; its bouts are called L1.1, L1.2, ….

    The losers of the first round meet each other. After that rounds alternate: the survivors meet the losers of the
    next round of the winners' bracket, then each other.
    """
    winners = build_winners_rounds(entrants)
    if len(winners) == 1:
        return ()
    first = _list_losers(winners[0])
    rounds = [pair_off("L1", first[::2], first[1::2])]
    for turn, bouts in enumerate(winners[1:], 1):
        rounds.append(pair_off(f"L{len(rounds) + 1}", _list_winners(rounds), cross_losers(_list_losers(bouts), turn)))
        if len(bouts) > 1:
            rounds.append(pair_off(f"L{len(rounds) + 1}", _list_winners(rounds)[::2], _list_winners(rounds)[1::2]))
    return tuple(rounds)


def cross_losers(losers: Sequence[Side], turn: int) -> list[Side]:
    """Return the losers of a round in the order in which they enter the losers' bracket for the `turn`-th time.

    First the halves swap places, then the quarters in each half, then both, and so on. So entrants that have met in the
    winners' bracket are in different parts of the losers' bracket, and meet again as late as possible.
    """
    away = _reverse_bits(turn, len(losers))
    return [losers[place ^ away] for place in range(len(losers))]


def _reverse_bits(number: int, places: int) -> int:
    """Return the number with its lowest log2(`places`) bits reversed."""
    found = 0
    while places > 1:
        found = 2 * found + number % 2
        number, places = number // 2, places // 2
    return found


def _list_losers(bouts: Sequence[Bout]) -> list[Side]:
    return [FromBout(bout.name, won=False) for bout in bouts]


def _list_winners(rounds: Sequence[Sequence[Bout]]) -> list[Side]:
    """Return the winners of the last of these rounds."""
    return [FromBout(bout.name) for bout in rounds[-1]]


class _Brackets:
    """Both brackets and the finals, as far as they were played."""

    def __init__(self, field: Sequence[Entrant], rounds: Sequence[Round]) -> None:
        self.winners = build_winners_rounds(len(field))
        self.losers = build_losers_rounds(len(field))
        best = FromBout(self.winners[-1][0].name)
        second = FromBout(self.losers[-1][0].name) if self.losers else FromBout(best.bout, won=False)
        bouts = chain(*self.winners, *self.losers, [Bout(FINAL_BOUT, (best, second))])
        self.bracket = Bracket([entrant.number for entrant in field], rounds, bouts)
        self.last = FINAL_BOUT
        """The deciding bout: the second final once the unbeaten finalist has lost the first."""
        has_lost_once = self.bracket.find_loser(FINAL_BOUT)
        if has_lost_once is not None and has_lost_once == self.bracket.find_winner(best.bout):
            self.last = RESET_BOUT
            self.bracket.add(Bout(RESET_BOUT, (best, second)))

    @property
    def final(self) -> int:
        """Return the number that the final has if it is counted as a round of the losers' bracket."""
        return len(self.losers) + 1

    def list_eliminated(self) -> Iterator[tuple[int, int]]:
        """Yield each entrant that has lost twice with the losers' round in which it did."""
        names = [[bout.name for bout in bouts] for bouts in self.losers]
        for number, row in enumerate([*names, [self.last]], 1):
            for name in row:
                yield from _skip_unknown(self.bracket.find_loser(name), number)

    def list_secured(self) -> Iterator[tuple[int, int]]:
        """Yield entrants with the losers' round that they reach at least. For an entrant, the last value counts."""
        for number, bouts in enumerate(self.winners, 1):
            for bout in bouts:
                yield from _skip_unknown(self.bracket.find_winner(bout.name), min(2 * number, self.final))
                yield from _skip_unknown(self.bracket.find_loser(bout.name), max(2 * number - 2, 1))
        for number, bouts in enumerate(self.losers, 1):
            for bout in bouts:
                yield from _skip_unknown(self.bracket.find_winner(bout.name), number + 1)
        yield from _skip_unknown(self.bracket.find_winner(self.last), self.final + 1)


def _skip_unknown(number: int | None, came: int) -> Iterator[tuple[int, int]]:
    """Yield both values if there is an entrant."""
    if number is not None and number != NO_ENTRANT:
        yield number, came


# Tournaments of two phases: the best entrants of the first one play a knockout.
#
# Nothing is carried over to the knockout but the order of its seeds: they follow the places of the first phase, and in
# the knockout only its own pairings count.

PairRound = Callable[[Sequence[Entrant], Sequence[Round], Settings], Sequence[Pairing] | None]


def _is_of_first_phase(results: Round) -> bool:
    return not any(is_bout_name(result.pairing.name) for result in results)


class ThenKnockout(Format):
    """Base of formats whose first phase is followed by a knockout."""

    is_bracket = True
    first_phase: ClassVar[Format]

    @abstractmethod
    def list_advancing(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[int]:
        """Return the numbers of those that go on after these rounds of the first phase: the best seed first."""

    def count_phase_rounds(self, entrants: int, settings: Settings) -> tuple[int, ...]:
        """Return the maximum number of rounds of the first phase, and of the knockout."""
        size = min(entrants, settings.knockout_entrants or entrants)
        return self.first_phase.count_rounds(entrants, settings), count_knockout_rounds(size)

    def count_rounds(self, entrants: int, settings: Settings) -> int:
        """Return the maximum number of rounds of both phases."""
        return sum(self.count_phase_rounds(entrants, settings))

    def split_phases(self, rounds: Sequence[Round]) -> tuple[Sequence[Round], Sequence[Round]]:
        """Return the rounds of the first phase, and those of the knockout."""
        count = len([*takewhile(_is_of_first_phase, rounds)])
        return rounds[:count], rounds[count:]

    def pair(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[Pairing] | None:
        """Return the pairings of the next round; None after the last."""
        pairings = self._pair_by(self.first_phase.pair, field, rounds, settings)
        return None if pairings is None else [*pairings]

    def pair_roughly(
        self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings
    ) -> Sequence[Pairing] | None:
        """Return the next round, in the first phase as it pairs roughly."""
        return self._pair_by(self.first_phase.pair_roughly, field, rounds, settings)

    def measure_progress(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> dict[int, int]:
        """Return 0 for those that don't advance, and 1 plus the knockout rounds passed for the others.

        All have 0 until the first round of the knockout is over. Who left during the first phase doesn't advance, even
        where nobody could take its place in the bracket.
        """
        stage, knockout = self.split_phases(rounds)
        came = dict.fromkeys((entrant.number for entrant in field), 0)
        if knockout:
            order = self.list_knockout_seeds(field, stage, knockout, settings)
            there = {entrant.number for entrant in field if entrant.is_in(len(stage))}
            passed = count_rounds_passed(order, knockout, settings)
            came.update({number: 1 + many for number, many in passed.items() if number in there})
        return came

    def find_struck_out(self, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> frozenset[int]:
        """Return the entrants that are struck out of the first phase."""
        stage, _ = self.split_phases(rounds)
        return self.first_phase.find_struck_out(field, stage, settings)

    def list_knockout_seeds(
        self, field: Sequence[Entrant], stage: Sequence[Round], knockout: Sequence[Round], settings: Settings
    ) -> list[int]:
        """Return the numbers of those that play the knockout, the best seed first.

        They don't change once it has started: nobody replaces an entrant that has left since.
        """
        if knockout:
            return read_order(result.pairing for result in knockout[0])
        return self.list_advancing(field, stage, settings)

    def _pair_by(
        self, pair: PairRound, field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings
    ) -> Sequence[Pairing] | None:
        stage, knockout = self.split_phases(rounds)
        pairings = None if knockout else pair(field, stage, settings)
        if pairings is not None:
            return pairings
        return pair_next_bouts(self.list_knockout_seeds(field, stage, knockout, settings), knockout, settings)
