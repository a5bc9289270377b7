"""Which matches a ladder plays next."""

from collections.abc import Sequence
from datetime import timedelta
from math import ceil
from random import SystemRandom

from django.conf import settings
from django.db import transaction
from django.db.models import Avg, DurationField, ExpressionWrapper, F
from django.utils.timezone import now

from arena.ladders.matchmaking import Table, choose_table, table_size
from arena.ladders.models import Entry, Ladder, LadderMatch
from arena.ladders.services.lookups import Lookups
from arena.ladders.services.seasons import deal_for
from arena.matches.capabilities import list_known_capabilities, unplayable_matches
from arena.matches.fair_share import schedule_next_match
from arena.matches.models import Match
from arena.matches.services import queue_match
from engine.registry import find_game

PRIORITY = 0
TIMED = 20
"""Of so many of its last matches a ladder learns how long the next one takes."""
SHORTEST_S = 0.1

chance = SystemRandom()


@transaction.atomic
def pair_ladder(*, ladder: Ladder) -> list[Match]:
    """Queue matches, as far as the pace in the settings allows. None for a season that is over."""
    ladder = _lock(ladder)
    if ladder.closed_at is not None:
        return []
    capabilities = list_known_capabilities()
    of_ladder = Match.objects.filter(ladder_match__ladder=ladder, ladder_match__in_flight=True)
    nobodys = list(unplayable_matches(capabilities).filter(pk__in=of_ladder.values("pk")).values_list("pk", flat=True))
    waiting = of_ladder.filter(state__in=[Match.State.QUEUED, Match.State.RUNNING]).exclude(pk__in=nobodys)
    source = Lookups(ladder, chance.choice(capabilities) if capabilities else None, nobodys)
    room = settings.LADDER_WAITING - waiting.count()
    room = min(room, _pace(source)) if room > 0 else 0
    seats = find_game(ladder.game).seats
    matches: list[Match] = []
    while len(matches) < room:
        table = choose_table(source, table_size(ladder.last_number + 1, seats), chance)
        if table is None:
            break
        matches.append(_queue_table(source, table))
    return matches


def _lock(ladder: Ladder) -> Ladder:
    """In a rush all ladders together make so many matches and no more, so one at a time counts and makes them."""
    if settings.LADDER_RUSH_UNTIL:
        list(Ladder.objects.open().order_by("pk").select_for_update().values_list("pk"))
    return Ladder.objects.select_for_update().get(pk=ladder.pk)


def _pace(source: Lookups) -> int:
    """How many matches may be made now. Of a rush, each ladder gets its share."""
    if settings.LADDER_RUSH_UNTIL:
        left: int = settings.LADDER_RUSH_UNTIL - LadderMatch.objects.exclude(match__state=Match.State.VOID).count()
        if left > 0:
            return ceil(left / Ladder.objects.open().count())
    newcomers = source.active.filter(is_ranked=False, matches__lt=settings.LADDER_NEWCOMER_MATCHES)
    waiting: int = settings.LADDER_WAITING
    return waiting if newcomers.exists() else _hourly_room(source.ladder)


def _hourly_room(ladder: Ladder) -> int:
    """One match at a time, so that they come evenly and not in one heap every hour."""
    if not settings.LADDER_MATCHES_PER_HOUR:
        return 0
    apart = timedelta(hours=1) / settings.LADDER_MATCHES_PER_HOUR
    latest = LadderMatch.objects.filter(ladder=ladder, number=ladder.last_number)
    return 0 if latest.filter(created_at__gt=now() - apart).exists() else 1


def _queue_table(source: Lookups, table: Table) -> Match:
    """Who sits where, and so who comes after whom, is left to chance; in the legs all change seats."""
    ladder = source.ladder
    order = chance.sample(table, len(table))
    entries = Entry.objects.filter(pk__in=table).select_related("version__bot__owner").defer("version__build_log")
    seated = sorted(entries, key=lambda entry: order.index(entry.pk))
    ladder.last_number += 1
    turn = _take_turn(ladder)
    deal, salts = deal_for(ladder, ladder.last_number, len(table))
    match = queue_match(
        versions=[entry.version for entry in seated],
        game=ladder.game,
        edition=ladder.edition,
        priority=PRIORITY,
        deal=deal,
        salts=salts,
        turn=turn,
    )
    ladder.save(update_fields=["last_number", "next_turn", "match_seconds"])
    LadderMatch.objects.create(ladder=ladder, match=match, number=ladder.last_number)
    _note(source, seated)
    return match


def _take_turn(ladder: Ladder) -> float:
    ladder.match_seconds = _match_seconds(ladder)
    turn, ladder.next_turn = schedule_next_match(
        priority=PRIORITY, after=ladder.next_turn, seconds=ladder.match_seconds
    )
    return turn


def _match_seconds(ladder: Ladder) -> float:
    """How long a match took of late."""
    rows = LadderMatch.objects.filter(ladder=ladder, sequence__gt=ladder.last_sequence - TIMED)
    took = ExpressionWrapper(F("match__finished_at") - F("match__started_at"), DurationField())
    mean = rows.aggregate(mean=Avg(took))["mean"]
    return ladder.match_seconds if mean is None else max(mean.total_seconds(), SHORTEST_S)


def _note(source: Lookups, seated: Sequence[Entry]) -> None:
    Entry.objects.filter(pk__in=[entry.pk for entry in seated]).update(paired_at=now())
    source.add_flight(seated)
