"""Fetch all of a tournament in a fixed number of queries, and find what needs an organiser."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from itertools import groupby
from typing import Any

from django.db.models import (
    Avg,
    DurationField,
    ExpressionWrapper,
    F,
    OuterRef,
    Prefetch,
    QuerySet,
    Subquery,
    prefetch_related_objects,
)
from django.utils.timezone import now

from arena.bots.models import REMOTE_LANGUAGE
from arena.contests.ladders.models import Ladder
from arena.contests.tournaments.formats import base
from arena.contests.tournaments.formats.brackets import is_bout_name
from arena.contests.tournaments.models import Check, Entrant, Pairing, PairingMatch, PairingSeat, Round, Tournament
from arena.contests.tournaments.phases import Phase, explain_missing_rounds, list_phases
from arena.contests.tournaments.queries import TournamentFault, fetch_draw_orders, list_faults
from arena.contests.tournaments.services.entering import BUSY_STATES, list_expected_authors
from arena.contests.tournaments.settings import Settings
from arena.contests.tournaments.standings import Standing, list_stale_rounds, mark_decisions, rank
from arena.matches.models import Attempt, LegSeat, Match, Participant
from arena.matches.queue import list_live_workers
from arena.matches.workers import best_capabilities, unplayable_matches
from arena.people.accounts.models import User
from arena.runner.program import Verdict
from engine.message import Message

# Fetch a tournament with entrants, rounds and pairings in a fixed number of queries.

ENTRANT_FIELDS = (
    "tournament",
    "updates_automatically",
    "state",
    "state_reason",
    "skipped_version",
    "entered_late",
    "number",
    "rating",
    "left_in_round",
    "place",
    "created_at",
    "bot__name",
    "bot__slug",
    "bot__crest_difference",
    "bot__crest_design",
    "bot__is_remote",
    "bot__game",
    "bot__co_authors",
    "bot__owner__username",
    "version__number",
    "version__declared",
    "version__state",
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
class PairingOverview:
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
    decisions: list[dict[str, Any]] = field(default_factory=list)
    """What organisers decided about it, oldest first, as its row has it."""
    next_order: int | None = None
    """The place of the next round among all rounds that were drawn; known where there are decisions."""
    stale_rounds: list[int] = field(default_factory=list)
    """The numbers of the rounds that were drawn from other points than it has now."""

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
        result = base.Result(pairing, points, game_points, self.played)
        if not self.decisions:
            return result
        return mark_decisions(result, self.decisions, self.next_order, is_given=self.is_given)


@dataclass
class Overview:
    """A tournament with its entrants, rounds and pairings."""

    tournament: Tournament
    entrants: list[Entrant]
    rounds: list[Round]
    """All rounds by number and attempt, also those that were replayed."""
    boards: dict[int, list[PairingOverview]]
    """Pairings in their order, by the key of the round."""

    @cached_property
    def settings(self) -> Settings:
        """Return the tournament's settings."""
        return self.tournament.full_settings

    @cached_property
    def counted_rounds(self) -> list[Round]:
        """Return the rounds that count."""
        return [round for round in self.rounds if round.is_latest_attempt]

    @cached_property
    def draw_orders(self) -> dict[int, int]:
        """Return the place of each round among all that were drawn, by its key: 1 for the first."""
        return {pk: order for order, pk in enumerate(sorted(round.pk for round in self.rounds), start=1)}

    @cached_property
    def whole_orders(self) -> dict[int, int]:
        """Return the same as `draw_orders`, but among all rounds, those that are hidden included."""
        drawn = self.tournament.rounds.order_by("pk").values_list("pk", flat=True)
        return {pk: order for order, pk in enumerate(drawn, start=1) if pk in self.draw_orders}

    @property
    def is_knockout(self) -> bool:
        """Return whether it has a bracket alone, and no phase before it."""
        return self.tournament.format.is_bracket and self.tournament.format.first_phase is None

    @property
    def current_round(self) -> Round | None:
        """Return the current round; None before the first."""
        return self.counted_rounds[-1] if self.counted_rounds else None

    @cached_property
    def is_current_round_hidden(self) -> bool:
        """Return whether a round has begun that is hidden from whom this is read for."""
        hidden = self.tournament.first_hidden_round
        return hidden is not None and self.tournament.rounds.filter(number__gte=hidden).exists()

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

    @cached_property
    def missing_rounds(self) -> Message | None:
        """Return why a Swiss has or may have fewer rounds than planned; once it has started, or None."""
        tournament, format = self.tournament, self.tournament.format
        if not self.field or tournament.state == Tournament.State.CANCELLED:
            return None
        stage, knockout = format.split_phases(self.results)
        last = self.boards.get(self.current_round.pk, []) if self.current_round else []
        is_drawn = format.first_phase is not None and any(is_bout_name(board.name) for board in last)
        has_ended = tournament.state == Tournament.State.FINISHED or bool(knockout) or is_drawn
        return explain_missing_rounds(format, len(self.field), self.settings, len(stage) if has_ended else None)

    def find_bot_name(self, number: int) -> str:
        """Return the name of the bot with this seed."""
        return str(self.by_number[number].bot.name)


def is_counted(round: Round) -> bool:
    """Return whether the results of a round count."""
    return round.is_latest_attempt


def fetch_overview(tournament: Tournament, is_wanted: Callable[[Round], bool] = is_counted) -> Overview:
    """Return the tournament without matches, and with the pairings of the rounds that are wanted.

    Rounds that are hidden from whom it is read for are left out, as if they hadn't begun.
    """
    entrants = list(tournament.entrants.select_related("bot__owner", "version").only(*ENTRANT_FIELDS))
    for entrant in entrants:
        entrant.version.bot = entrant.bot
    rounds = list(Round.objects.shown(tournament))
    return Overview(tournament, entrants, rounds, fetch_boards([round.pk for round in rounds if is_wanted(round)]))


def fetch_boards(rounds: Collection[int]) -> dict[int, list[PairingOverview]]:
    """Return the pairings by the key of their round."""
    seats = PairingSeat.objects.filter(pairing__round__in=rounds).order_by("pairing__round", "pairing__board", "index")
    rows = seats.values_list(
        "pairing__round", "pairing", "pairing__board", "pairing__name", "pairing__must_decide", "pairing__is_over",
        "pairing__played", "entrant__number", "points", "game_points", "pairing__given_points", "pairing__given_reason",
        "pairing__decisions", "pairing__round__number", "pairing__round__is_latest_attempt",
    )  # fmt: skip
    found: dict[int, list[PairingOverview]] = {pk: [] for pk in rounds}
    decided: dict[int, list[PairingOverview]] = defaultdict(list)
    for (round, *_), group in groupby(rows, key=lambda row: row[:7]):
        members = list(group)
        pk, number, name, must_decide, is_over, played = members[0][1:7]
        numbers, points, game_points = zip(*(row[7:10] for row in members), strict=True)
        board = PairingOverview(pk, number, name, must_decide, is_over, played, numbers, points, game_points)
        board.given_points, board.given_reason, board.decisions = members[0][10:13]
        found[round].append(board)
        if board.decisions and members[0][14]:
            decided[members[0][13]].append(board)
    if decided:
        _find_stale_rounds(decided, Tournament.objects.get(rounds=next(iter(rounds))))
    return found


def _find_stale_rounds(decided: Mapping[int, Sequence[PairingOverview]], tournament: Tournament) -> None:
    """Set what was drawn before decisions on these pairings, which are given by the number of their round."""
    orders = sorted(fetch_draw_orders(tournament.rounds.all()).items())
    format, settings, size = (
        tournament.format,
        tournament.full_settings,
        Entrant.objects.filter(tournament=tournament, number__isnull=False).count(),
    )
    drawn = {number: order for number, order in orders if format.is_drawn_from_results(number, size, settings)}
    for number, boards in decided.items():
        later = {other: order for other, order in drawn.items() if other > number}
        for board in boards:
            board.next_order = dict(orders).get(number + 1)
            board.stale_rounds = list_stale_rounds(board.decisions, board.points, later)


def list_decisions_since(tournament: Tournament, number: int) -> list[tuple[int, PairingOverview]]:
    """List the pairings, each with the number of its round, that were decided after a later round was drawn."""
    decided = Pairing.objects.exclude(decisions=[]).values("round")
    rounds = dict(Round.objects.shown(tournament).filter(pk__in=decided).values_list("pk", "number"))
    boards = fetch_boards(rounds) if rounds else {}
    return [(rounds[pk], board) for pk, found in boards.items() for board in found if number in board.stale_rounds]


def fetch_matches(overview: Overview, with_points: bool = True, rounds: Collection[int] | None = None) -> None:
    """Add their matches to the pairings of an overview, or only to those of the rounds with these keys."""
    wanted = {pk: boards for pk, boards in overview.boards.items() if rounds is None or pk in rounds}
    attach_matches(wanted, with_points)


def attach_matches(boards_by_round: Mapping[int, Sequence[PairingOverview]], with_points: bool = True) -> None:
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


# Find what needs an organiser: failed checks, authors without a bot, and matches that don't get on.

MAX_ITEMS_PER_KIND = 20
MIN_LATE_TIME = timedelta(minutes=5)
"""A match is never called late before."""
LATE_FACTOR = 4
"""A match is late once it takes so many times as long as others did."""


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """An entrant that failed its check, with the fault of its first leg that has one."""

    entrant: Entrant
    match: int | None
    seat: LegSeat | None


@dataclass(frozen=True, slots=True)
class StuckMatch:
    """A match of the current round that doesn't get on."""

    row: PairingMatch
    names: str
    since: datetime | None
    """When it began, for one that takes too long; None for others."""
    error: Message | None
    """How the last attempt at it failed; None where none did, or nobody knows."""
    has_failed: bool
    is_unplayable: bool
    """Whether no worker can play it."""


def list_failed_checks(tournament: Tournament) -> list[FailedCheck]:
    """List the entrants that failed their check, newest first."""
    checks = Check.objects.filter(entrant=OuterRef("pk"), version=OuterRef("version")).order_by("-pk")
    failed = Entrant.objects.filter(tournament=tournament, state=Entrant.State.FAILED)
    failed = failed.select_related("bot__owner", "version__bot").defer("version__build_log")
    annotated = failed.annotate(check_match=Subquery(checks.values("match")[:1])).order_by("-pk")
    entrants: list[Any] = list(annotated[:MAX_ITEMS_PER_KIND])
    faulty = LegSeat.objects.filter(leg__match__in=[one.check_match for one in entrants]).exclude(verdict=Verdict.OK)
    seats: dict[int, LegSeat] = {}
    for seat in faulty.select_related("leg").defer("leg__record", "leg__deal").order_by("leg__number", "seat"):
        seats.setdefault(seat.leg.match_id, seat)
    return [FailedCheck(one, one.check_match, seats.get(one.check_match or 0)) for one in entrants]


def list_waiting_entrants(tournament: Tournament) -> list[Entrant]:
    """List the entrants that wait for approval, oldest first."""
    waiting = tournament.entrants.filter(state=Entrant.State.WAITING).select_related("bot__owner", "version__bot")
    return list(waiting.order_by("pk")[:MAX_ITEMS_PER_KIND])


def list_missing_authors(tournament: Tournament) -> list[User]:
    """List the authors who are expected and have entered nothing that may play, by name."""
    busy = tournament.entrants.filter(state__in=(*BUSY_STATES, Entrant.State.FAILED)).values("bot__owner")
    return list(list_expected_authors(tournament).exclude(pk__in=busy).order_by("username"))


def is_any_worker_able() -> bool:
    """Return whether a worker that reported lately takes matches."""
    return any(worker.is_able for worker in list_live_workers())


def list_stuck_matches(tournament: Tournament, round: Round) -> list[StuckMatch]:
    """List the matches of a round that take too long, whose attempts fail, or that no worker can play.

    No worker plays those with a remote bot, and these take as long as their clocks let them.
    """
    last_error = Attempt.objects.filter(match=OuterRef("match"), ending__in=["lost", "failed"]).order_by("-number")
    rows = PairingMatch.objects.filter(
        pairing__round=round,
        pairing__is_over=False,
        counts=True,
        match__state__in=[Match.State.QUEUED, Match.State.RUNNING],
    ).select_related("match", "pairing")
    rows = rows.defer("match__deal", "match__options", "match__limits")
    rows = rows.annotate(
        error=Subquery(last_error.values("error")[:1]), last_attempt=Subquery(last_error.values("pk")[:1])
    )
    unplayable = _find_unplayable(rows)
    listed = Match.objects.filter(pk__in=rows.values("match"))
    of_remote = set(listed.with_player(version__language=REMOTE_LANGUAGE).values_list("pk", flat=True))
    late_after = max(MIN_LATE_TIME, timedelta(seconds=LATE_FACTOR * _find_usual_duration(tournament)))

    def is_late(row: Any) -> bool:
        started = row.match.started_at
        is_long = started is not None and now() - started > late_after
        return row.match.state == Match.State.RUNNING and row.match_id not in of_remote and is_long

    ordered = rows.order_by("pairing__board", "number")
    found = [row for row in ordered if row.last_attempt or row.match_id in unplayable or is_late(row)]
    shown = found[:MAX_ITEMS_PER_KIND]
    players = Participant.objects.select_related("version__bot").order_by("index")
    prefetch_related_objects(shown, Prefetch("match__participants", players))
    return [
        StuckMatch(
            row,
            " – ".join(one.version.bot.name for one in row.match.participants.all()),
            row.match.started_at if is_late(row) else None,
            row.error,
            bool(row.last_attempt),
            row.match_id in unplayable,
        )
        for row in shown
    ]


def _find_usual_duration(tournament: Tournament) -> float:
    """Return the mean seconds from start to end of its matches; before the first, of those of the ladder."""
    took = ExpressionWrapper(F("finished_at") - F("started_at"), DurationField())
    own = Match.objects.filter(pairing_match__pairing__round__tournament=tournament, state=Match.State.FINISHED)
    mean: timedelta | None = own.aggregate(mean=Avg(took))["mean"]
    if mean is not None:
        return mean.total_seconds()
    settings = tournament.full_settings
    usual = Ladder.objects.usual_seconds(tournament.game, tournament.edition)
    return usual * settings.legs_per_match / settings.seats


def _find_unplayable(rows: QuerySet[PairingMatch]) -> set[int]:
    """Return which of these matches no worker can play; none while no worker takes any."""
    able = [worker for worker in list_live_workers() if worker.is_able]
    found = unplayable_matches(best_capabilities(able)).filter(pk__in=rows.values("match"))
    found = found.exclude(pk__in=found.with_player(version__language=REMOTE_LANGUAGE).values("pk"))
    return set(found.values_list("pk", flat=True)) if able else set()


def count_failures(tournament: Tournament) -> int:
    """Count the matches that the arena failed to play since the tournament was last resumed."""
    return PairingMatch.objects.filter(pairing__round__tournament=tournament, failed=True).count()
