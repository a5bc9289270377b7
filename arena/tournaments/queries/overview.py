"""Fetch a tournament with entrants, rounds and pairings in a fixed number of queries."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby

from arena.matches.models import Match, Participant
from arena.tournaments.formats import base
from arena.tournaments.models import Entrant, PairingMatch, PairingSeat, Round, Tournament
from arena.tournaments.phases import Phase, list_phases
from arena.tournaments.queries.faults import TournamentFault, list_faults
from arena.tournaments.settings import Settings
from arena.tournaments.standings import Standing, rank

ENTRANT_FIELDS = (
    "tournament",
    "updates_automatically",
    "state",
    "state_reason",
    "number",
    "rating",
    "left_in_round",
    "place",
    "created_at",
    "bot__name",
    "bot__slug",
    "bot__crest_difference",
    "bot__crest_design",
    "bot__game",
    "bot__co_authors",
    "bot__owner__username",
    "version__number",
    "version__bot",
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
    """Points by entrant, in the order of the pairing; empty until it is over."""

    @property
    def is_over(self) -> bool:
        """Return whether the match has finished."""
        return self.state == Match.State.FINISHED


@dataclass(slots=True)
class Board:
    """A pairing. All tuples are by entrant, in the order of the seats."""

    pk: int
    number: int
    name: str
    must_decide: bool
    is_over: bool
    played: bool
    numbers: tuple[int, ...]
    points: tuple[float | None, ...]
    game_points: tuple[float | None, ...]
    matches: list[BoardMatch] = field(default_factory=list)
    given_points: list[float] | None = None
    """The points that an organiser gave it; None where its matches decide."""
    given_reason: str = ""

    @property
    def is_given(self) -> bool:
        """Return whether an organiser decided it."""
        return self.given_points is not None

    @property
    def is_bye(self) -> bool:
        """Return whether there is no opponent."""
        return len(self.numbers) == 1

    @property
    def counting_matches(self) -> list[BoardMatch]:
        """Return the matches that count."""
        return [one for one in self.matches if one.counts]

    @property
    def first_match(self) -> int | None:
        """Return the key of the first match that counts."""
        return next((one.match for one in self.matches if one.counts), None)

    @property
    def points_won(self) -> tuple[float, ...]:
        """Return the sums of the points of its finished matches; empty before the first."""
        over = [one.points for one in self.counting_matches if one.is_over and one.points]
        return tuple(map(sum, zip(*over, strict=True))) if over else ()

    @property
    def result(self) -> base.Result | None:
        """Return the result of the pairing; None until it is over."""
        if not self.is_over:
            return None
        pairing = base.Pairing(self.numbers, self.name, self.must_decide)
        points, game_points = (tuple(value or 0.0 for value in values) for values in (self.points, self.game_points))
        return base.Result(pairing, points, game_points, self.played)


@dataclass
class Overview:
    """A tournament with its entrants, rounds and pairings."""

    tournament: Tournament
    entrants: list[Entrant]
    rounds: list[Round]
    """All rounds by number and attempt, also those that were replayed."""
    boards: dict[int, list[Board]]
    """Pairings in their order, by the key of the round."""

    @cached_property
    def settings(self) -> Settings:
        """Return the tournament's settings."""
        return self.tournament.full_settings

    @cached_property
    def counted_rounds(self) -> list[Round]:
        """Return the rounds that count."""
        return [round for round in self.rounds if round.is_latest_attempt]

    @property
    def is_knockout(self) -> bool:
        """Return whether it has a bracket alone, and no phase before it."""
        return self.tournament.format.is_bracket and self.tournament.format.first_phase is None

    @property
    def current_round(self) -> Round | None:
        """Return the current round; None before the first."""
        return self.counted_rounds[-1] if self.counted_rounds else None

    @cached_property
    def by_number(self) -> dict[int, Entrant]:
        """Return the entrants by seed."""
        return {one.number: one for one in self.entrants if one.number is not None}

    @cached_property
    def field(self) -> list[base.Entrant]:
        """Return the entrants as formats take them."""
        return [
            base.Entrant(number, entrant.left_in_round, entrant.state == Entrant.State.DISQUALIFIED)
            for number, entrant in sorted(self.by_number.items())
        ]

    @cached_property
    def results(self) -> list[list[base.Result]]:
        """Return the results of the rounds that are over."""
        over = [self.boards.get(round.pk, []) for round in self.counted_rounds if round.finished_at is not None]
        return [[board.result for board in boards if board.result is not None] for boards in over]

    @cached_property
    def standings(self) -> list[Standing]:
        """Return the standings after the rounds that are over, best first."""
        return rank(self.tournament.format, self.field, self.results, self.settings)

    @property
    def has_phases(self) -> bool:
        """Return whether a knockout follows on another phase."""
        return self.tournament.format.first_phase is not None

    @cached_property
    def phases(self) -> list[Phase]:
        """Return the phases with their standings after the rounds that are over."""
        return list_phases(self.tournament.format, self.field, self.results, self.settings, self.standings)

    @cached_property
    def faults(self) -> Sequence[TournamentFault]:
        """Return the faults of all entrants in matches that count."""
        return list_faults(self.tournament)

    @cached_property
    def given_counts(self) -> Counter[int]:
        """Return by seed the number of pairings in rounds that are over that an organiser decided."""
        over = [round for round in self.counted_rounds if round.finished_at is not None]
        boards = [board for round in over for board in self.boards.get(round.pk, [])]
        return Counter(number for board in boards if board.is_given for number in board.numbers)

    @property
    def rounds_planned(self) -> int:
        """Return the maximum number of rounds."""
        return self.tournament.format.count_rounds(len(self.field), self.settings)

    def find_bot_name(self, number: int) -> str:
        """Return the name of the bot with this seed."""
        return str(self.by_number[number].bot.name)


def is_counted(round: Round) -> bool:
    """Return whether the results of a round count."""
    return round.is_latest_attempt


def fetch_overview(tournament: Tournament, is_wanted: Callable[[Round], bool] = is_counted) -> Overview:
    """Return the tournament without matches, and with the pairings of the rounds that are wanted."""
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
        "pairing__played", "entrant__number", "points", "game_points", "pairing__given_points", "pairing__given_reason",
    )  # fmt: skip
    found: dict[int, list[Board]] = {pk: [] for pk in rounds}
    for (round, *_), group in groupby(rows, key=lambda row: row[:7]):
        members = list(group)
        pk, number, name, must_decide, is_over, played = members[0][1:7]
        numbers, points, game_points = zip(*(row[7:10] for row in members), strict=True)
        board = Board(pk, number, name, must_decide, is_over, played, numbers, points, game_points)
        board.given_points, board.given_reason = members[0][10:]
        found[round].append(board)
    return found


def fetch_matches(overview: Overview, with_points: bool = True, rounds: Collection[int] | None = None) -> None:
    """Add their matches to the pairings of an overview, or only to those of the rounds with these keys."""
    wanted = {pk: boards for pk, boards in overview.boards.items() if rounds is None or pk in rounds}
    attach_matches(wanted, with_points)


def attach_matches(boards_by_round: Mapping[int, Sequence[Board]], with_points: bool = True) -> None:
    """Add their matches to the pairings, which are given by the key of their round."""
    rounds = list(boards_by_round)
    boards = {board.pk: board for boards in boards_by_round.values() for board in boards}
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
