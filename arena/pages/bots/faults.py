"""What broke: crashes, timeouts and illegal actions of a bot. Everybody reads the kind; its owner reads the cause."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import BadRequest
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from arena.baked import LAST_KEY, baked
from arena.bots.models import BotVersion
from arena.comparisons.models import ComparisonMatch
from arena.matches.models import LegSeat, Match, Participant
from arena.pages.appearance import FAULTS
from arena.pages.bots.head_to_head import count_legs, find_oldest
from arena.pages.bots.reading import find_bot, list_versions
from arena.pages.paging import read_key
from arena.runner.verdict import Verdict

PAGE = 15
WALKED = 1500
"""So many matches of the busiest version are looked through for one page."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Verdicts that a reader takes for one thing."""

    key: str
    name: str
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
    """How many legs ended by one kind of fault."""

    kind: Kind
    legs: int
    only_version: int | None
    """The number of the version in which all of them were; None where there was more than one."""


@dataclass(frozen=True, slots=True)
class Health:
    clean: int
    counts: list[Count]
    since: int | None
    """The number of the oldest version that has played."""

    @property
    def faults(self) -> int:
        return sum(count.legs for count in self.counts)

    @property
    def legs(self) -> int:
        return self.clean + self.faults


def read_health(versions: Sequence[BotVersion]) -> Health:
    """Over all legs of these versions, which have their `verdicts`."""
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
    """What everybody is told."""
    is_open: bool
    """Its match may be looked at: no other with the same deal is still to be played."""

    @property
    def replay_url(self) -> str:
        """At the step of the fault."""
        return f"/matches/{self.seat.leg.match_id}/?leg={self.seat.leg.number}&turn=fault-{self.seat.seat}"

    @property
    def ply(self) -> int | None:
        """The decision it was asked for, by the number its message had; None where it never came to that."""
        request = (self.seat.fault or {}).get("request") or {}
        number = request.get("n")
        return number if isinstance(number, int) else None

    @property
    def place(self) -> str:
        """Of this page, for headings that need an id."""
        return f"{self.seat.leg.match_id}-{self.seat.leg.number}-{self.seat.seat}"


@dataclass(frozen=True, slots=True)
class FaultPage:
    faults: list[Fault]
    older: int | None
    """Key to ask for with `before`; None at the end."""


def find_faults(versions: Sequence[BotVersion], kind: Kind | None, before: int | None) -> FaultPage:
    """Newest matches first, those before the match `before`. As many queries for many as for few."""
    legs = {pk: count for pk, count in count_legs(versions).items() if count}
    if not any(has_failed(version) for version in versions):
        return FaultPage([], None)
    oldest = find_oldest(legs, WALKED, before)
    # Asked for by their keys: the other way round every fault of every bot would be read.
    walk = ask_walk(list(legs), oldest, LAST_KEY if before is None else before)
    found = ask_faulty(walk, verdicts=kind.verdicts if kind else None, limit=PAGE + 1)
    shown = found
    if len(found) > PAGE:
        cut = found[-1].leg.match_id
        shown = [seat for seat in found[:PAGE] if seat.leg.match_id != cut] or found[:PAGE]
        oldest = shown[-1].leg.match_id
    hidden = find_hidden({seat.leg.match_id for seat in shown})
    return FaultPage([describe(seat, seat.leg.match_id not in hidden) for seat in shown], oldest or None)


@baked
def ask_walk(versions: Sequence[int], oldest: int, before: int) -> QuerySet:
    walk = Participant.objects.filter(version__in=versions, match__gte=oldest, match__lt=before)
    return walk.order_by().values_list("pk", flat=True)


@baked
def ask_faulty(participants: Sequence[int], *, verdicts: tuple[Verdict, ...] | None, limit: int) -> QuerySet[LegSeat]:
    seats = LegSeat.objects.filter(participant__in=participants, leg__match__state=Match.State.FINISHED)
    seats = seats.exclude(verdict=Verdict.OK)
    if verdicts:
        seats = seats.filter(verdict__in=verdicts)
    return read_along(seats).order_by("-leg__match_id", "leg__number", "seat")[:limit]


def has_failed(version: BotVersion) -> bool:
    """Whether it ever was at fault."""
    return any(legs for verdict, legs in version.verdicts.items() if verdict != Verdict.OK)


def read_along(seats: QuerySet[LegSeat]) -> QuerySet[LegSeat]:
    """With what is shown of leg, match and version."""
    seats = seats.select_related("leg__match", "participant__version__bot")
    shown = [
        "leg__number",
        "leg__match__finished_at",
        "participant__version__number",
        "participant__version__bot__slug",
    ]
    return seats.only("seat", "verdict", "stderr", "fault", *shown)


def describe(seat: LegSeat, is_open: bool) -> Fault:
    fault = FAULTS[Verdict(seat.verdict)]
    return Fault(seat, fault.icon, str(fault.label), is_open)


def find_hidden(matches: set[int]) -> set[int]:
    """Those whose deal is still to be played by others: till then nothing of their cards is shown."""
    rows = ask_compared(list(matches))
    if not rows:
        return set()
    unplayed = [Match.State.QUEUED, Match.State.RUNNING]
    twins = ComparisonMatch.objects.filter(comparison__in={row[1] for row in rows}, match__state__in=unplayed)
    waiting = set(twins.values_list("comparison", "number"))
    return {match for match, *deal in rows if tuple(deal) in waiting}


@baked
def ask_compared(matches: Sequence[int]) -> QuerySet:
    return ComparisonMatch.objects.filter(match__in=matches).values_list("match", "comparison", "number")


def last_fault(participants: Sequence[int]) -> Fault | None:
    """The first one in the newest match of these."""
    found = ask_last(participants)
    return describe(found[0], not find_hidden({found[0].leg.match_id})) if found else None


@baked
def ask_last(participants: Sequence[int]) -> QuerySet[LegSeat]:
    seats = LegSeat.objects.filter(participant__in=participants, leg__match__state=Match.State.FINISHED)
    seats = read_along(seats.exclude(verdict=Verdict.OK))
    return seats.order_by("-leg__match_id", "leg__number", "participant__index")[:1]


def index(request: HttpRequest, slug: str) -> HttpResponse:
    bot = find_bot(slug)
    every = list_versions(bot)
    number, asked = read_key(request.GET, "version"), request.GET.get("kind", "")
    kind = next((one for one in KINDS if one.key == asked), None)
    if asked and kind is None:
        raise BadRequest
    versions = [one for one in every if number in (None, one.number)]
    before = read_key(request.GET, "before")
    page = find_faults(versions, kind, before) if versions else FaultPage([], None)
    context = {
        "bot": bot,
        "is_owner": bot.owner_id == request.user.pk,
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
