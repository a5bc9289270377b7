"""Queue the next matches of a ladder."""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from math import ceil
from random import SystemRandom
from statistics import fmean, median

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils.timezone import now

from arena.bots.models import Bot
from arena.errors import Conflict
from arena.ladders.matchmaking import Table, choose_match_entries, choose_match_size
from arena.ladders.models import Entry, Ladder, LadderMatch
from arena.ladders.services.candidates import LadderCandidates
from arena.ladders.services.group_ladders import take_off_strangers
from arena.ladders.services.seasons import derive_match_deal
from arena.ladders.services.slow_bots import compute_delay, find_delays
from arena.matches.capabilities import list_known_capabilities, unplayable_matches
from arena.matches.fair_share import schedule_next_match
from arena.matches.models import Match
from arena.matches.services import queue_match
from arena.times import is_past
from engine.message import gettext_noop, message
from engine.registry import find_game

LADDER_MATCH_PRIORITY = 0
MATCH_DURATION_SAMPLE_SIZE = 20
"""Number of recent matches whose durations are expected of the next ones."""
MIN_MATCH_SECONDS = 0.1

chance = SystemRandom()


@transaction.atomic
def queue_ladder_matches(*, ladder: Ladder) -> list[Match]:
    """Queue as many matches as the settings allow, and return them; none for a season that is over or paused."""
    ladder = _lock_for_pairing(ladder)
    if ladder.closed_at is not None or ladder.paused_at is not None:
        return []
    if ladder.group_id is not None:
        take_off_strangers(ladder=ladder)
    capabilities = list_known_capabilities()
    of_ladder = Match.objects.filter(ladder_match__ladder=ladder, ladder_match__in_flight=True)
    unplayable = list(
        unplayable_matches(capabilities).filter(pk__in=of_ladder.values("pk")).values_list("pk", flat=True)
    )
    waiting = of_ladder.filter(state__in=[Match.State.QUEUED, Match.State.RUNNING]).exclude(pk__in=unplayable)
    usual_seconds = _update_match_seconds(ladder)
    delays = find_delays(waiting, usual_seconds)
    source = LadderCandidates(ladder, chance.choice(capabilities) if capabilities else None, unplayable, delays.owners)
    room = settings.MAX_WAITING_MATCHES_PER_LADDER - waiting.exclude(pk__in=delays.matches).count()
    room = min(room, _count_allowed_matches(source)) if room > 0 else 0
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
    if ladder.closed_at is not None or ladder.paused_at is not None:
        problem = gettext_noop("No matches are paired on %(ladder)s now, so this one can't be replayed.")
        raise Conflict(message(problem, ladder=str(ladder)))
    versions = list(ladder_match.match.participants.values_list("version", flat=True))
    entries = Entry.objects.active().filter(ladder=ladder, version__in=versions).values_list("pk", flat=True)
    if len(entries) < len(versions):
        problem = gettext_noop("A bot of this match doesn't play on %(ladder)s now, so the match can't be replayed.")
        raise Conflict(message(problem, ladder=str(ladder)))
    bots = Bot.objects.filter(versions__in=versions, owner__is_house=False)
    authors = Counter(author for bot in bots.distinct() for author in bot.author_keys)
    if any(count > 1 for count in authors.values()):
        problem = gettext_noop("Bots of this match have an author in common now, so the match can't be replayed.")
        raise Conflict(message(problem))
    return list(entries)


def _lock_for_pairing(ladder: Ladder) -> Ladder:
    """Lock the ladder; during a rush, which limits the matches of all ladders together, lock all of them."""
    if settings.LADDER_RUSH_UNTIL:
        list(Ladder.objects.open().order_by("pk").select_for_update().values_list("pk"))
    return Ladder.objects.select_for_update().get(pk=ladder.pk)


def _count_allowed_matches(source: LadderCandidates) -> int:
    """Return how many matches may wait now. Ladders share the matches of a rush evenly."""
    if settings.LADDER_RUSH_UNTIL:
        left: int = settings.LADDER_RUSH_UNTIL - LadderMatch.objects.exclude(match__state=Match.State.VOID).count()
        if left > 0:
            return ceil(left / Ladder.objects.open().count())
    newcomers = source.active.filter(is_ranked=False, matches__lt=settings.LADDER_NEWCOMER_MATCHES)
    waiting: int = settings.MAX_WAITING_MATCHES_PER_LADDER
    return waiting if newcomers.exists() else _compute_hourly_allowance(source.ladder)


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
    entries = Entry.objects.filter(pk__in=table).select_related("version__bot__owner").defer("version__build_log")
    seated = sorted(entries, key=lambda entry: order.index(entry.pk))
    ladder.last_number += 1
    virtual_start, ladder.next_virtual_start = schedule_next_match(
        priority=LADDER_MATCH_PRIORITY, after=_find_end_of_flow(ladder), seconds=usual_seconds
    )
    delay_s, slow_owners = compute_delay([entry.version for entry in seated], usual_seconds)
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
