"""Which matches a ladder plays next."""

from collections import Counter
from datetime import timedelta
from math import ceil
from random import SystemRandom

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Q
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.ladders import matchmaking
from arena.ladders.models import Entry, Ladder, LadderMatch
from arena.matches.models import Match, Participant
from arena.matches.services import queue_match
from engine.deal import shuffle
from engine.registry import find_game

REMEMBERED = 500


@transaction.atomic
def pair_ladder(*, ladder: Ladder) -> list[Match]:
    """Queue matches for whoever has played least, as far as the pace in the settings allows."""
    ladder = Ladder.objects.select_for_update().get(pk=ladder.pk)
    room = settings.LADDER_WAITING - LadderMatch.objects.in_flight().filter(ladder=ladder).count()
    if room <= 0:
        return []
    entries = list(Entry.objects.standing(ladder))
    waiting = _waiting(ladder)
    candidates = [_candidate(entry, waiting[entry.version_id]) for entry in entries]
    room = min(room, _pace(ladder, candidates))
    tables = matchmaking.choose_tables(candidates, _recent_tables(ladder), find_game(ladder.game).seats, room)
    versions = {entry.pk: entry.version for entry in entries}
    return [_queue_table(ladder, [versions[entry] for entry in table]) for table in tables]


def _candidate(entry: Entry, waiting: int) -> matchmaking.Candidate:
    owner = entry.version.bot.owner
    return matchmaking.Candidate(
        entry=entry.pk,
        owner=owner.pk,
        is_house=owner.is_house,
        rating=entry.rating,
        played=entry.matches + waiting,
    )


def _waiting(ladder: Ladder) -> Counter[int]:
    """How many matches of each version are not rated yet."""
    unrated = Q(match__ladder_match__ladder=ladder, match__ladder_match__sequence=None)
    rows = Participant.objects.filter(unrated).exclude(match__state=Match.State.VOID)
    return Counter(dict(rows.values_list("version").annotate(Count("pk")).order_by()))


def _recent_tables(ladder: Ladder) -> list[matchmaking.Table]:
    """The entries of each of the last matches that were or will be played, oldest first."""
    entries = dict(Entry.objects.filter(ladder=ladder).values_list("version", "pk"))
    recent = LadderMatch.objects.filter(ladder=ladder).order_by("-pk").values_list("match", flat=True)[:REMEMBERED]
    rows = Participant.objects.filter(match__in=list(recent)).exclude(match__state=Match.State.VOID)
    tables: dict[int, list[int]] = {}
    for match, version in rows.order_by("match", "index").values_list("match", "version"):
        tables.setdefault(match, []).append(entries[version])
    return [tuple(table) for table in tables.values()]


def _pace(ladder: Ladder, candidates: list[matchmaking.Candidate]) -> int:
    """How many matches may be made now. Of a rush, each ladder gets its share."""
    if settings.LADDER_RUSH_UNTIL:
        left = settings.LADDER_RUSH_UNTIL - LadderMatch.objects.exclude(match__state=Match.State.VOID).count()
        if left > 0:
            return ceil(left / Ladder.objects.count())
    if any(candidate.played < settings.LADDER_NEWCOMER_MATCHES for candidate in candidates):
        return settings.LADDER_WAITING
    return _hourly_room(ladder)


def _hourly_room(ladder: Ladder) -> int:
    """One match at a time, so that they come evenly and not in one heap every hour."""
    if not settings.LADDER_MATCHES_PER_HOUR:
        return 0
    apart = timedelta(hours=1) / settings.LADDER_MATCHES_PER_HOUR
    return 0 if LadderMatch.objects.filter(ladder=ladder, created_at__gt=now() - apart).exists() else 1


def _queue_table(ladder: Ladder, versions: list[BotVersion]) -> Match:
    """Everybody sits everywhere, by rotation; who comes after whom at a larger table is left to chance."""
    first, *others = versions
    shuffle(others, SystemRandom())
    match = queue_match(versions=[first, *others], game=ladder.game, edition=ladder.edition)
    ladder.last_number += 1
    ladder.save(update_fields=["last_number"])
    LadderMatch.objects.create(ladder=ladder, match=match, number=ladder.last_number)
    return match
