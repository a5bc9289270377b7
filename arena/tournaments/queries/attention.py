"""Find what needs an organiser: failed checks, authors without a bot, and matches that don't get on."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import OuterRef, Prefetch, QuerySet, Subquery, prefetch_related_objects
from django.utils.timezone import now

from arena.accounts.models import User
from arena.matches.capabilities import best_capabilities, unplayable_matches
from arena.matches.models import Attempt, LegSeat, Match, Participant
from arena.matches.queries.queue import list_live_workers
from arena.runner.verdict import Verdict
from arena.tournaments.models import Check, Entrant, PairingMatch, Round, Tournament
from arena.tournaments.services.forecasting import estimate_match_seconds
from arena.tournaments.services.reminding import BUSY_STATES, list_expected_authors
from engine.message import Message

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
    """List the matches of a round that take too long, whose attempts fail, or that no worker can play."""
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
    late_after = max(MIN_LATE_TIME, timedelta(seconds=LATE_FACTOR * estimate_match_seconds(tournament)))

    def is_late(row: Any) -> bool:
        started = row.match.started_at
        return row.match.state == Match.State.RUNNING and started is not None and now() - started > late_after

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


def _find_unplayable(rows: QuerySet[PairingMatch]) -> set[int]:
    """Return which of these matches no worker can play; none while no worker takes any."""
    able = [worker for worker in list_live_workers() if worker.is_able]
    found = unplayable_matches(best_capabilities(able)).filter(pk__in=rows.values("match"))
    return set(found.values_list("pk", flat=True)) if able else set()


def count_failures(tournament: Tournament) -> int:
    """Count the matches that the arena failed to play since the tournament was last resumed."""
    return PairingMatch.objects.filter(pairing__round__tournament=tournament, failed=True).count()
