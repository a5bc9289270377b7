"""Look up a ladder's entries, and queue its next matches."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from functools import cached_property
from math import ceil, inf
from random import SystemRandom
from statistics import fmean, median
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q, QuerySet, Sum
from django.utils.timezone import now

from arena.bots.models import Bot, TeamMember
from arena.bots.running import WorkerCapabilities
from arena.contests.ladders.matchmaking import (
    MATCH_OVERHEAD_S,
    MAX_OPEN_MATCHES_PER_ENTRY,
    Candidate,
    Seated,
    Table,
    choose_match_entries,
    choose_match_size,
    take_nearest,
)
from arena.contests.ladders.models import Entry, EntryQuerySet, Ladder, LadderMatch, PairStat
from arena.contests.ladders.rating import MIN_RANKED_MATCHES
from arena.contests.ladders.services.entering import compute_delay, find_delays
from arena.contests.ladders.services.seasons import derive_match_deal, take_off_strangers
from arena.core.database import is_past
from arena.core.errors import Conflict
from arena.matches.models import Match, Participant, find_lesson
from arena.matches.services import queue_match
from arena.matches.slots import schedule_next_match
from arena.matches.workers import list_known_capabilities, unplayable_matches
from engine.message import gettext_noop, message
from engine.registry import find_game

# Look up a ladder's entries for matchmaking: each query reads few rows of an index, however many entries there are.

MAX_ENTRY_IDLE_TIME = timedelta(days=1)
"""An entry that has waited longer for a match may be served first."""
UNUSED_KEYS = (0,)
"""Keys that no row has, so that the query is the same with and without keys."""
SEATED_COLUMNS = ("pk", "rating", "deviation")
CANDIDATE_COLUMNS = (
    *SEATED_COLUMNS,
    "version__bot__owner",
    "version__bot__owner__is_house",
    "version__bot__co_authors",
    "processor_s",
)


class LadderCandidates:
    """Look up active entries of a ladder as a `CandidateSource`: all, or those that these workers can play."""

    most_open: float = MAX_OPEN_MATCHES_PER_ENTRY

    def __init__(
        self,
        ladder: Ladder,
        capabilities: WorkerCapabilities | None = None,
        stuck: Collection[int] = (),
        resting_owners: Collection[int] = frozenset(),
    ) -> None:
        """Read a ladder.

        `stuck` are ids of matches that no worker can play now: they block no entry. Entries of `resting_owners` are
        left out.
        """
        self.ladder = ladder
        self.dispersion = ladder.dispersion
        self.spread = ladder.spread
        self.top_rating = ladder.top_rating
        self.capabilities = capabilities
        self.stuck = stuck
        self.resting_owners = set(resting_owners)
        self.weighs_costs = False

    @cached_property
    def _open_matches(self) -> list[list[Seated]]:
        """Entries of each match not rated yet. Planning one join takes longer than these two reads."""
        tables: dict[int, list[int]] = {}
        for match, version in _list_open_participants(self.ladder.pk):
            if match not in self.stuck:
                tables.setdefault(match, []).append(version)
        versions = {version for table in tables.values() for version in table}
        seated = {version: Seated(*fields) for version, *fields in _list_seated_entries(self.ladder.pk, versions)}
        return [[seated[version] for version in table if version in seated] for table in tables.values()]

    @cached_property
    def _team_places(self) -> list[tuple[int, int]]:
        """Bot and author for each author of a bot beside its owner; few bots have any."""
        return list(
            TeamMember.objects.joined().filter(bot__game=self.ladder.game).order_by().values_list("bot", "user")
        )

    def list_open_matches(self) -> Sequence[Sequence[Seated]]:
        """Return the entries of each match that is not rated yet."""
        return self._open_matches

    def add_open_match(self, entries: Sequence[Entry]) -> None:
        """Add a match that has just been queued."""
        self._open_matches.append([Seated(entry.pk, entry.rating, entry.deviation) for entry in entries])

    def find_overdue(self, barred: Collection[int]) -> Candidate | None:
        """Return the entry that has waited longest, if longer than MAX_IDLE_TIME."""
        late = _list_overdue_entries(self.active, now() - MAX_ENTRY_IDLE_TIME, barred or UNUSED_KEYS)
        return next(build_candidates(late), None)

    def list_most_uncertain(self, count: int, least_rating: float | None) -> Sequence[Candidate]:
        """Return up to `count` entries of at least this rating, largest deviation first."""
        least = -inf if least_rating is None else least_rating
        return list(build_candidates(_list_uncertain_entries(self.active, least, count=count)))

    def list_around(
        self, rating: float, count: int, barred: Collection[int], authors: Collection[int]
    ) -> Sequence[Candidate]:
        """Return the entries nearest to a rating on either side."""
        available = self.active.exclude(pk__in=barred or UNUSED_KEYS)
        available = available.exclude(version__bot__owner__in=authors or UNUSED_KEYS)
        if on_teams := {bot for bot, author in self._team_places if author in authors}:
            available = available.exclude(version__bot__in=on_teams)
        above, below = (
            list_side(available, rating, count=2 * count) for list_side in (_list_entries_above, _list_entries_below)
        )
        return take_nearest(list(build_candidates(above)), list(build_candidates(below)), count)

    def count_meetings(self, entries: Collection[int]) -> Counter[Table]:
        """Count the rated matches between each two of these entries."""
        return Counter({(low, high): count for low, high, count in _count_meetings(entries)})

    @property
    def active(self) -> EntryQuerySet:
        """Active entries that the workers can play."""
        active = Entry.objects.active().filter(ladder=self.ladder)
        if self.resting_owners:
            active = active.exclude(version__bot__owner__in=self.resting_owners)
        if self.capabilities is None:
            return active
        if not self.capabilities.is_for_rated:
            active = active.filter(version__bot__owner__is_house=True)
        return active.filter(~self.capabilities.cannot_run(version="version__"), version__held_back_at=None)


def build_candidates(rows: Iterable[tuple[Any, ...]], *, is_guest: bool = False) -> Iterator[Candidate]:
    """Yield the candidates of rows of CANDIDATE_COLUMNS."""
    for *row, co_authors, processor_s in rows:
        entry, rating, deviation, owner, is_house = row
        authors = frozenset(one["id"] for one in co_authors)
        yield Candidate(entry, rating, deviation, owner, is_house, authors, processor_s or 0.0, is_guest)


def _list_open_participants(ladder: int) -> QuerySet[Participant, tuple[int, int]]:
    """List match and version of each participant of a match not rated yet."""
    rows = Participant.objects.filter(match__ladder_match__ladder=ladder, match__ladder_match__in_flight=True)
    return rows.exclude(match__state=Match.State.VOID).order_by().values_list("match", "version")


def _list_seated_entries(ladder: int, versions: Collection[int]) -> QuerySet[Entry, tuple[Any, ...]]:
    return Entry.objects.filter(ladder=ladder, version__in=versions).values_list("version", *SEATED_COLUMNS)


def _list_overdue_entries(
    active: EntryQuerySet, before: datetime, barred: Collection[int]
) -> QuerySet[Entry, tuple[Any, ...]]:
    late = active.filter(paired_at__lt=before).exclude(pk__in=barred)
    return late.order_by("paired_at").values_list(*CANDIDATE_COLUMNS)[:1]


def _list_uncertain_entries(
    active: EntryQuerySet, least_rating: float, *, count: int
) -> QuerySet[Entry, tuple[Any, ...]]:
    entries = active.filter(rating__gte=least_rating)
    return entries.order_by("-deviation").values_list(*CANDIDATE_COLUMNS)[:count]


def _list_entries_above(entries: EntryQuerySet, rating: float, *, count: int) -> QuerySet[Entry, tuple[Any, ...]]:
    return entries.filter(rating__gte=rating).order_by("rating").values_list(*CANDIDATE_COLUMNS)[:count]


def _list_entries_below(entries: EntryQuerySet, rating: float, *, count: int) -> QuerySet[Entry, tuple[Any, ...]]:
    return entries.filter(rating__lt=rating).order_by("-rating").values_list(*CANDIDATE_COLUMNS)[:count]


def _count_meetings(entries: Collection[int]) -> QuerySet[PairStat, tuple[int, int, int]]:
    stats = PairStat.objects.filter(low__in=entries, high__in=entries)
    return stats.order_by().values_list("low", "high").annotate(Sum("matches"))


# Queue the next matches of a ladder.

LADDER_MATCH_PRIORITY = 0
MATCH_DURATION_SAMPLE_SIZE = 20
"""Number of recent matches whose durations are expected of the next ones."""
MIN_MATCH_SECONDS = 0.1
NEWCOMER_CHARGE_S = 1.0
FIRST_EDITION_CHARGE_S = 0.8
"""The ladder of a game's first edition plays five matches while others play four, until their bots are ranked."""

chance = SystemRandom()


@transaction.atomic
def queue_ladder_matches(*, ladder: Ladder, only_low: bool = False) -> list[Match]:
    """Queue as many matches as the settings allow, and return them; none if the season is finished or paused.

    While a lesson runs none are queued on public ladders.
    With `only_low` none is queued while half of them still wait for a worker, those of slow bots aside: what has to be
    looked up before takes as long as choosing one, so several are chosen at a time.
    """
    ladder = _lock_for_pairing(ladder)
    if ladder.closed_at is not None or ladder.paused_at is not None:
        return []
    if ladder.group_id is not None:
        take_off_strangers(ladder=ladder)
    elif find_lesson() is not None:
        return []
    capabilities = list_known_capabilities()
    of_ladder = Match.objects.filter(ladder_match__ladder=ladder, ladder_match__in_flight=True)
    unplayable = list(
        unplayable_matches(capabilities).filter(pk__in=of_ladder.values("pk")).values_list("pk", flat=True)
    )
    open_matches = of_ladder.filter(state__in=[Match.State.QUEUED, Match.State.RUNNING]).only("state", "delay_s")
    waiting = [match for match in open_matches if match.pk not in unplayable]
    prompt = sum(match.state == Match.State.QUEUED and not match.delay_s for match in waiting)
    if only_low and 2 * prompt >= settings.MAX_WAITING_MATCHES_PER_LADDER:
        return []
    usual_seconds = _update_match_seconds(ladder)
    delays = find_delays(waiting, usual_seconds)
    source = LadderCandidates(ladder, chance.choice(capabilities) if capabilities else None, unplayable, delays.owners)
    room = settings.MAX_WAITING_MATCHES_PER_LADDER - (len(waiting) - len(delays.matches))
    has_newcomers = source.active.filter(_newcomers(ladder)).exists()
    source.weighs_costs = not has_newcomers
    room = min(room, _count_allowed_matches(source, has_newcomers)) if room > 0 else 0
    seats = find_game(ladder.game).seats
    matches: list[Match] = []
    while len(matches) < room:
        table = choose_match_entries(source, choose_match_size(ladder.last_number + 1, seats), chance)
        if table is None:
            break
        matches.append(_queue_match(source, table, usual_seconds))
    return matches


@transaction.atomic
def queue_rematch(*, ladder_match: LadderMatch) -> Match:
    """Queue another match of the same entries on the ladder, on the next deal. Raises Conflict as `check_rematch`."""
    ladder = Ladder.objects.select_for_update().get(pk=ladder_match.ladder_id)
    entries = check_rematch(ladder, ladder_match)
    return _queue_match(LadderCandidates(ladder), tuple(entries), ladder.match_seconds)


def check_rematch(ladder: Ladder, ladder_match: LadderMatch) -> list[int]:
    """Return the entries of a match. Raises Conflict where the ladder pairs no matches, or they can't meet."""
    if ladder.clock:
        problem = gettext_noop("%(ladder)s schedules matches when its bots are online, so this one can't be replayed.")
        raise Conflict(message(problem, ladder=str(ladder)))
    if ladder.closed_at is not None or ladder.paused_at is not None:
        problem = gettext_noop("%(ladder)s isn't currently scheduling matches, so this one can't be replayed.")
        raise Conflict(message(problem, ladder=str(ladder)))
    versions = list(ladder_match.match.participants.values_list("version", flat=True))
    entries = Entry.objects.active().filter(ladder=ladder, version__in=versions).values_list("pk", flat=True)
    if len(entries) < len(versions):
        problem = gettext_noop(
            "A bot in this match doesn't currently play on %(ladder)s, so the match can't be replayed."
        )
        raise Conflict(message(problem, ladder=str(ladder)))
    bots = Bot.objects.filter(versions__in=versions, owner__is_house=False)
    authors = Counter(author for bot in bots.distinct() for author in bot.author_keys)
    if any(count > 1 for count in authors.values()):
        problem = gettext_noop("Bots in this match now share an author, so the match can't be replayed.")
        raise Conflict(message(problem))
    return list(entries)


def _lock_for_pairing(ladder: Ladder) -> Ladder:
    """Lock the ladder; during a rush, which limits the matches of all ladders together, lock all of them."""
    if settings.LADDER_RUSH_UNTIL:
        list(Ladder.objects.open().order_by("pk").select_for_update().values_list("pk"))
    return Ladder.objects.select_for_update().get(pk=ladder.pk)


def _newcomers(ladder: Ladder) -> Q:
    """Return which entries let the matches of the ladder follow each other without pause.

    Those that are ranked by a strength measured beforehand play as many matches as a rank takes otherwise, and on the
    first edition as many as newcomers do at most: a new arena has something to show, and its ratings are its own soon.
    """
    known_matches = settings.LADDER_NEWCOMER_MATCHES if _is_of_first_edition(ladder) else MIN_RANKED_MATCHES
    return Q(is_ranked=False, matches__lt=settings.LADDER_NEWCOMER_MATCHES) | Q(
        is_known=True, matches__lt=min(known_matches, settings.LADDER_NEWCOMER_MATCHES)
    )


def _is_of_first_edition(ladder: Ladder) -> bool:
    return ladder.edition == next(iter(find_game(ladder.game).editions))


def _count_allowed_matches(source: LadderCandidates, has_newcomers: bool) -> int:
    """Return how many matches may wait now. Ladders share the matches of a rush evenly."""
    if settings.LADDER_RUSH_UNTIL:
        rushed = LadderMatch.objects.filter(ladder__clock="").exclude(match__state=Match.State.VOID)
        left: int = settings.LADDER_RUSH_UNTIL - rushed.count()
        if left > 0:
            return ceil(left / Ladder.objects.open().filter(clock="").count())
    waiting: int = settings.MAX_WAITING_MATCHES_PER_LADDER
    return waiting if has_newcomers else _compute_hourly_allowance(source.ladder)


def _compute_hourly_allowance(ladder: Ladder) -> int:
    """Return 1 if the next match of the hourly rate is due, else 0, so that matches are spread evenly.

    The ladders of all groups share the rate of one public ladder.
    """
    if not settings.LADDER_MATCHES_PER_HOUR:
        return 0
    apart = timedelta(hours=1) / settings.LADDER_MATCHES_PER_HOUR
    if ladder.group_id is not None:
        apart *= Ladder.objects.open().exclude(group=None).count()
    latest = LadderMatch.objects.filter(ladder=ladder, number=ladder.last_number)
    return 0 if latest.exclude(is_past("created_at", apart)).exists() else 1


def _queue_match(source: LadderCandidates, table: Table, usual_seconds: float) -> Match:
    """Queue a match of these entries in random seats; they change seats in each leg."""
    ladder = source.ladder
    order = chance.sample(table, len(table))
    entries = Entry.objects.filter(pk__in=table).select_related("version__bot__owner")
    entries = entries.only(*SEATED_COLUMNS, "processor_s", "version__bot__group", "version__bot__owner__is_house")
    seated = sorted(entries, key=lambda entry: order.index(entry.pk))
    ladder.last_number += 1
    charge_s = _find_charge(source, seated)
    virtual_start, ladder.next_virtual_start = schedule_next_match(
        priority=LADDER_MATCH_PRIORITY, after=_find_end_of_flow(ladder), seconds=charge_s
    )
    delay_s, slow_owners = compute_delay([entry.version for entry in seated], usual_seconds)
    delay_s *= charge_s / max(usual_seconds, MIN_MATCH_SECONDS)  # as much of the time of which the charge is a part
    source.resting_owners |= slow_owners
    deal, salts = derive_match_deal(ladder, ladder.last_number, len(table))
    match = queue_match(
        versions=[entry.version for entry in seated],
        game=ladder.game,
        edition=ladder.edition,
        priority=LADDER_MATCH_PRIORITY,
        deal=deal,
        salts=salts,
        virtual_start=virtual_start,
        delay_s=delay_s,
        group=ladder.group_id,
    )
    ladder.save(update_fields=["last_number", "next_virtual_start", "match_seconds"])
    LadderMatch.objects.create(ladder=ladder, match=match, number=ladder.last_number)
    _record_pairing(source, seated)
    return match


def _find_charge(source: LadderCandidates, seated: Sequence[Entry]) -> float:
    """Return what a ladder is charged for a match: its processor seconds, whatever else the machine does meanwhile.

    Until all its bots are ranked, each match costs the same, so that ladders get equal numbers of matches however long
    their bots think; the game's first edition gets some more.
    """
    if source.weighs_costs:
        return MATCH_OVERHEAD_S + sum(entry.processor_s or 0.0 for entry in seated)
    return FIRST_EDITION_CHARGE_S if _is_of_first_edition(source.ladder) else NEWCOMER_CHARGE_S


def _find_end_of_flow(ladder: Ladder) -> float:
    """Return the virtual time from which a ladder goes on in the queue.

    The ladders of all groups are one flow: however many are opened, they get as much of the workers' time as one public
    ladder, and what the public ones leave.
    """
    if ladder.group_id is None:
        return ladder.next_virtual_start
    of_groups = Ladder.objects.exclude(group=None).aggregate(latest=Max("next_virtual_start"))["latest"]
    return max(ladder.next_virtual_start, float(of_groups or 0.0))


def _update_match_seconds(ladder: Ladder) -> float:
    """Update the mean duration of recent matches, and return their median, in seconds."""
    rows = LadderMatch.objects.filter(ladder=ladder, sequence__gt=ladder.last_sequence - MATCH_DURATION_SAMPLE_SIZE)
    took = [
        max((finished - started).total_seconds(), MIN_MATCH_SECONDS)
        for started, finished in rows.values_list("match__started_at", "match__finished_at")
        if started and finished
    ]
    if not took:
        return ladder.match_seconds
    ladder.match_seconds = fmean(took)
    return median(took)


def _record_pairing(source: LadderCandidates, seated: Sequence[Entry]) -> None:
    Entry.objects.filter(pk__in=[entry.pk for entry in seated]).update(paired_at=now())
    source.add_open_match(seated)
