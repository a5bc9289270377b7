"""Faults of a bot: crashes, timeouts and illegal actions. Everybody sees the kind, its owner the cause."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from arena.bots.models import BotVersion
from arena.bots.queries.versions import list_versions
from arena.comparisons.queries.shared_deals import list_matches_with_deal_in_play
from arena.matches.models import LegSeat
from arena.matches.queries.faults import find_last_fault, list_faults
from arena.matches.queries.played import attach_verdicts, count_legs, find_oldest_match
from arena.pages.appearance import FAULT_APPEARANCES
from arena.pages.bots.lookup import bot_or_404
from arena.pages.paging import read_key
from arena.runner.verdict import Verdict

PAGE_SIZE = 15
MAX_MATCHES_SCANNED = 1500
"""One page looks through this many matches of the busiest version."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Verdicts that are shown as one kind of fault."""

    key: str
    name: str | Promise
    icon: str
    colour: str
    """The name of a token."""
    verdicts: tuple[Verdict, ...]


KINDS = (
    Kind("crash", _("Crashed"), "crash", "--bad", (Verdict.CRASH, Verdict.MEMORY, Verdict.OUTPUT, Verdict.START)),
    Kind("timeout", _("Timed out"), "clock", "--warn", (Verdict.TIMEOUT,)),
    Kind("illegal", _("Illegal action"), "ban", "--ink-2", (Verdict.ILLEGAL, Verdict.MALFORMED)),
)


@dataclass(frozen=True, slots=True)
class Count:
    """The number of legs that ended by one kind of fault."""

    kind: Kind
    legs: int
    only_version: int | None
    """The number of the version in which all of them were; None where there was more than one."""


@dataclass(frozen=True, slots=True)
class Health:
    """The numbers of legs that ended without a fault, and by each kind of fault."""

    clean: int
    counts: list[Count]
    since: int | None
    """The number of the oldest version that has played."""

    @property
    def faults(self) -> int:
        """Return the number of legs that ended by a fault."""
        return sum(count.legs for count in self.counts)

    @property
    def legs(self) -> int:
        """Return the number of all legs."""
        return self.clean + self.faults


def read_health(versions: Sequence[BotVersion]) -> Health:
    """Count the faults in all legs of these versions, which have their `verdicts`."""
    verdicts: dict[str, dict[int, int]] = {}
    for version in versions:
        for verdict, legs in version.verdicts.items():
            verdicts.setdefault(verdict, {})[version.number] = legs
    counts = []
    for kind in KINDS:
        of_kind: dict[int, int] = {}
        for verdict in kind.verdicts:
            for number, legs in verdicts.get(verdict, {}).items():
                of_kind[number] = of_kind.get(number, 0) + legs
        counts.append(Count(kind, sum(of_kind.values()), next(iter(of_kind)) if len(of_kind) == 1 else None))
    clean = sum(verdicts.get(Verdict.OK, {}).values())
    return Health(clean, counts, min((number for legs in verdicts.values() for number in legs), default=None))


@dataclass(frozen=True, slots=True)
class Fault:
    """A leg that a bot lost by what it did, or didn't do."""

    seat: LegSeat
    icon: str
    words: str
    """Name of the fault, which everybody may read."""
    is_open: bool
    """Its match may be looked at: no other with the same deal is still to be played."""

    @property
    def replay_url(self) -> str:
        """Return the address of the replay at the step of the fault."""
        return f"/matches/{self.seat.leg.match_id}/?leg={self.seat.leg.number}&turn=fault-{self.seat.seat}"

    @property
    def decision(self) -> int | None:
        """Return the number of the decision that was requested; None where none was."""
        request = (self.seat.fault or {}).get("request") or {}
        number = request.get("n")
        return number if isinstance(number, int) else None

    @property
    def place(self) -> str:
        """Return an id for the heading of the fault on its page."""
        return f"{self.seat.leg.match_id}-{self.seat.leg.number}-{self.seat.seat}"


@dataclass(frozen=True, slots=True)
class FaultPage:
    """A page of faults."""

    faults: list[Fault]
    older: int | None
    """Key to ask for with `before`; None at the end."""


def find_faults(versions: Sequence[BotVersion], kind: Kind | None, before: int | None) -> FaultPage:
    """Return a page of faults, newest matches first, those before the match `before`. The query count is constant."""
    legs = {pk: count for pk, count in count_legs(versions).items() if count}
    if not any(has_failed(version) for version in versions):
        return FaultPage([], None)
    oldest = find_oldest_match(legs, MAX_MATCHES_SCANNED, before)
    found = list_faults(
        list(legs), verdicts=kind.verdicts if kind else None, oldest=oldest, before=before, limit=PAGE_SIZE + 1
    )
    shown = found
    if len(found) > PAGE_SIZE:
        next_match = found[-1].leg.match_id
        shown = [seat for seat in found[:PAGE_SIZE] if seat.leg.match_id != next_match] or found[:PAGE_SIZE]
        oldest = shown[-1].leg.match_id
    hidden = list_matches_with_deal_in_play({seat.leg.match_id for seat in shown})
    return FaultPage([describe_fault(seat, seat.leg.match_id not in hidden) for seat in shown], oldest or None)


def has_failed(version: BotVersion) -> bool:
    """Return whether a version, which has its `verdicts`, was ever at fault."""
    return any(legs for verdict, legs in version.verdicts.items() if verdict != Verdict.OK)


def describe_fault(seat: LegSeat, is_open: bool) -> Fault:
    """Return a fault as a page shows it."""
    fault = FAULT_APPEARANCES[Verdict(seat.verdict)]
    return Fault(seat, fault.icon, str(fault.label), is_open)


def last_fault(participants: Sequence[int]) -> Fault | None:
    """Return the first fault in the newest match of these participants that has any, or None."""
    seat = find_last_fault(participants)
    if seat is None:
        return None
    return describe_fault(seat, not list_matches_with_deal_in_play({seat.leg.match_id}))


def index(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the faults of a bot."""
    bot = bot_or_404(request, slug)
    every = attach_verdicts(list_versions(bot))
    number, asked = read_key(request.GET, "version"), request.GET.get("kind", "")
    kind = next((one for one in KINDS if one.key == asked), None)
    if asked and kind is None:
        raise BadRequest
    versions = [one for one in every if number in (None, one.number)]
    before = read_key(request.GET, "before")
    page = find_faults(versions, kind, before) if versions else FaultPage([], None)
    context = {
        "bot": bot,
        "is_owner": bot.has_author(request.user),
        "health": read_health(every),
        "kinds": KINDS,
        "kind": kind,
        "versions": [one for one in every if has_failed(one)],
        "number": number,
        "page": page,
        "before": before,
        "is_filtered": kind is not None or number is not None,
    }
    return render(request, "bots/faults.html", context)
