"""What happens on a ladder: versions enter, matches are made, results are rated."""

from collections import Counter
from datetime import timedelta
from math import ceil
from random import SystemRandom

from django.conf import settings
from django.db import transaction
from django.db.models import Count, Max, Q
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.ladders import matchmaking, rating
from arena.ladders.models import Entry, Ladder, LadderMatch, RatingChange
from arena.matches.models import Match, Participant
from arena.matches.services import queue_match
from engine.deal import shuffle
from engine.registry import find_game

IN_FLIGHT = [Match.State.QUEUED, Match.State.RUNNING]
REMEMBERED = 500
"""Who sat with whom in so many matches of a ladder counts when the next ones are made."""


@transaction.atomic
def enter(*, ladder: Ladder, version: BotVersion) -> Entry | None:
    """Put an accepted version on a ladder, once. It takes over from the bot's older one and starts at its rating.

    None where a newer version of the bot is there already.
    """
    Ladder.objects.select_for_update().get(pk=ladder.pk)
    of_bot = Entry.objects.filter(ladder=ladder, version__bot_id=version.bot_id).order_by("-version__number")
    latest = of_bot.select_related("version").first()
    if latest is not None and latest.version.number >= version.number:
        return latest if latest.version_id == version.pk else None
    start = latest.rating if latest else rating.FIRST
    of_bot.update(active=False)
    return Entry.objects.create(ladder=ladder, version=version, parent=latest, first_rating=start, rating=start)


def enter_accepted(*, match: Match) -> None:
    """Put the version whose trial this match was on the ladders of its game, if it was accepted."""
    version = BotVersion.objects.accepted().filter(trials__match=match).select_related("bot").first()
    if version is not None:
        for ladder in Ladder.objects.filter(game=version.bot.game):
            enter(ladder=ladder, version=version)


@transaction.atomic
def pair_ladder(*, ladder: Ladder) -> list[Match]:
    """Queue matches for whoever has played least, as far as the pace in the settings allows."""
    Ladder.objects.select_for_update().get(pk=ladder.pk)
    room = settings.LADDER_WAITING - LadderMatch.objects.filter(ladder=ladder, match__state__in=IN_FLIGHT).count()
    if room <= 0:
        return []
    entries = list(Entry.objects.standing(ladder))
    waiting = _waiting(ladder)
    candidates = [_candidate(entry, waiting[entry.version_id]) for entry in entries]
    room = min(room, _pace(ladder, candidates))
    tables = matchmaking.choose_tables(candidates, _recent_tables(ladder), find_game(ladder.game).seats, room)
    versions = {entry.pk: entry.version for entry in entries}
    return [_queue_table(ladder, [versions[entry] for entry in table]) for table in tables]


@transaction.atomic
def rate_match(*, match: Match) -> None:
    """Rate a finished ladder match, exactly once, as the next in the ladder's order."""
    row = LadderMatch.objects.filter(match=match, match__state=Match.State.FINISHED).first()
    if row is None:
        return
    ladder = Ladder.objects.select_for_update().get(pk=row.ladder_id)
    row.refresh_from_db()
    if row.sequence is not None:
        return
    latest = LadderMatch.objects.filter(ladder=ladder).aggregate(latest=Max("sequence"))["latest"] or 0
    row.sequence = latest + 1
    row.save(update_fields=["sequence"])
    participants = list(match.participants.all())
    found = Entry.objects.filter(ladder=ladder, version__in=[participant.version_id for participant in participants])
    by_version = {entry.version_id: entry for entry in found}
    entries = [by_version[participant.version_id] for participant in participants]
    before = [entry.rating for entry in entries]
    after = rating.rate(before, [participant.points for participant in participants])
    for entry, old, new in zip(entries, before, after, strict=True):
        entry.rating = new
        entry.matches += 1
        entry.save(update_fields=["rating", "matches"])
        RatingChange.objects.create(ladder_match=row, entry=entry, before=old, after=new)


@transaction.atomic
def recompute_ratings(*, ladder: Ladder) -> None:
    """Rate every rated match of a ladder again from the start, in order. Gives the numbers that are there already."""
    Ladder.objects.select_for_update().get(pk=ladder.pk)
    entries = {entry.version_id: entry for entry in Entry.objects.filter(ladder=ladder)}
    for entry in entries.values():
        entry.rating, entry.matches = entry.first_rating, 0
    for row in LadderMatch.objects.rated().filter(ladder=ladder).prefetch_related("match__participants"):
        participants = list(row.match.participants.all())
        sides = [entries[participant.version_id] for participant in participants]
        before = [entry.rating for entry in sides]
        after = rating.rate(before, [participant.points for participant in participants])
        for entry, old, new in zip(sides, before, after, strict=True):
            entry.rating, entry.matches = new, entry.matches + 1
            RatingChange.objects.filter(ladder_match=row, entry=entry).update(before=old, after=new)
    Entry.objects.bulk_update(entries.values(), ["rating", "matches"])


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
    LadderMatch.objects.create(ladder=ladder, match=match)
    return match
