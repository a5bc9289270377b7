"""Fetch a tournament with entrants, rounds and pairings, in a number of queries that its size doesn't change."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from arena.matches.models import Match, Participant
from arena.tournaments.formats import base
from arena.tournaments.models import Entrant, PairingMatch, PairingSeat, Round, Tournament
from arena.tournaments.settings import Settings
from arena.tournaments.standings import Standing, rank

ENTRANT_FIELDS = (
    *(
        "tournament",
        "updates_automatically",
        "state",
        "state_reason",
        "number",
        "rating",
        "left_in_round",
        "place",
        "created_at",
    ),
    *("bot__name", "bot__slug", "bot__game", "bot__owner__username", "version__number", "version__bot"),
)
"""The columns of an entrant that pages show."""


@dataclass(slots=True)
class BoardMatch:
    """A match of a pairing."""

    match: int
    number: int
    counts: bool
    state: str
    points: tuple[float, ...] = ()
    """By entrant, in the order of the pairing; empty before its end."""

    @property
    def is_over(self) -> bool:
        """Return whether the match has finished."""
        return self.state == Match.State.FINISHED


@dataclass(slots=True)
class Board:
    """A pairing, all by entrant in the order of the seats."""

    pk: int
    number: int
    name: str
    must_decide: bool
    is_over: bool
    played: bool
    numbers: tuple[int, ...]
    points: tuple[float | None, ...]
    scores: tuple[float | None, ...]
    matches: list[BoardMatch] = field(default_factory=list)

    @property
    def is_bye(self) -> bool:
        """Return whether there is no opponent."""
        return len(self.numbers) == 1

    @property
    def counting(self) -> list[BoardMatch]:
        """Return the matches that count."""
        return [one for one in self.matches if one.counts]

    @property
    def first_match(self) -> int | None:
        """Return the key of the first match that counts."""
        return next((one.match for one in self.matches if one.counts), None)

    @property
    def won(self) -> tuple[float, ...]:
        """The points of its matches that are over, summed up."""
        over = [one.points for one in self.counting if one.is_over and one.points]
        return tuple(map(sum, zip(*over, strict=True))) if over else ()

    @property
    def result(self) -> base.Result | None:
        """None as long as it goes on."""
        if not self.is_over:
            return None
        points, scores = (tuple(value or 0.0 for value in values) for values in (self.points, self.scores))
        return base.Result(base.Pairing(self.numbers, self.name, self.must_decide), points, scores, self.played)


@dataclass
class Overview:
    """A tournament with what was read of it."""

    tournament: Tournament
    entrants: list[Entrant]
    rounds: list[Round]
    """By number and take, also those that count no more."""
    boards: dict[int, list[Board]]
    """By the key of the round, in their order."""

    @cached_property
    def settings(self) -> Settings:
        """Return the tournament's settings."""
        return self.tournament.full_settings

    @cached_property
    def current(self) -> list[Round]:
        """The rounds that count."""
        return [round for round in self.rounds if round.is_latest_attempt]

    @property
    def last(self) -> Round | None:
        """Return the current round; None before the first."""
        return self.current[-1] if self.current else None

    @cached_property
    def by_number(self) -> dict[int, Entrant]:
        """Return the entrants by seed."""
        return {one.number: one for one in self.entrants if one.number is not None}

    @cached_property
    def field(self) -> list[base.Entrant]:
        """Return the entrants as formats take them."""
        return [base.Entrant(number, self.by_number[number].left_in_round) for number in sorted(self.by_number)]

    @cached_property
    def results(self) -> list[list[base.Result]]:
        """Of the rounds that are over."""
        over = [self.boards.get(round.pk, []) for round in self.current if round.finished_at is not None]
        return [[board.result for board in boards if board.result is not None] for boards in over]

    @cached_property
    def standings(self) -> list[Standing]:
        """After the rounds that are over, best first."""
        return rank(self.tournament.format, self.field, self.results, self.settings)

    @property
    def length(self) -> int:
        """So many rounds there are at the most."""
        return self.tournament.format.length(len(self.field), self.settings)

    def name(self, number: int) -> str:
        """Return the name of the bot with this seed."""
        return str(self.by_number[number].bot.name)


def is_counted(round: Round) -> bool:
    """Return whether the results of this round count."""
    return round.is_latest_attempt


def fetch_overview(tournament: Tournament, is_wanted: Callable[[Round], bool] = is_counted) -> Overview:
    """Return the tournament without its matches, and with the pairings of the rounds that are wanted."""
    entrants = list(tournament.entrants.select_related("bot__owner", "version").only(*ENTRANT_FIELDS))
    for entrant in entrants:
        entrant.version.bot = entrant.bot
    rounds = list(tournament.rounds.all())
    return Overview(tournament, entrants, rounds, fetch_boards([round.pk for round in rounds if is_wanted(round)]))


def fetch_boards(rounds: Collection[int]) -> dict[int, list[Board]]:
    """Return the pairings by the key of their round."""
    seats = PairingSeat.objects.filter(pairing__round__in=rounds).order_by("pairing__round", "pairing__board", "index")
    rows = seats.values_list(
        "pairing__round", "pairing", "pairing__board", "pairing__name", "pairing__must_decide", "pairing__is_over",
        "pairing__played", "entrant__number", "points", "score",
    )  # fmt: skip
    found: dict[int, list[Board]] = {pk: [] for pk in rounds}
    for (round, *_), group in groupby(rows, key=lambda row: row[:7]):
        members = list(group)
        pk, number, name, must_decide, is_over, played = members[0][1:7]
        numbers, points, scores = zip(*(row[7:] for row in members), strict=True)
        found[round].append(Board(pk, number, name, must_decide, is_over, played, numbers, points, scores))
    return found


def fetch_matches(overview: Overview, with_points: bool = True) -> None:
    """Add the matches of all pairings that were fetched to these."""
    boards = {board.pk: board for row in overview.boards.values() for board in row}
    rounds = list(overview.boards)
    rows = PairingMatch.objects.filter(pairing__round__in=rounds).order_by("pairing", "number", "pk")
    matches: dict[int, BoardMatch] = {}
    for pairing, pk, number, counts, state in rows.values_list("pairing", "match", "number", "counts", "match__state"):
        matches[pk] = BoardMatch(pk, number, counts, state)
        boards[pairing].matches.append(matches[pk])
    if not with_points:
        return
    shares = Participant.objects.filter(match__pairing_match__pairing__round__in=rounds, points__isnull=False)
    for pk, points in shares.order_by("match", "index").values_list("match", "points"):
        matches[pk].points += (points or 0.0,)
