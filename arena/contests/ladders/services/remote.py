"""Register remote bots, let bots join and leave the open ladders, on which remote bots play, and pair them there."""

from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta
from itertools import chain, combinations
from math import inf
from operator import attrgetter
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.utils.timezone import now

from arena.bots.models import REMOTE_LANGUAGE, Bot, BotVersion
from arena.bots.services import check_plays, create_bot, declare_remote_version
from arena.bots.teams import check_author
from arena.contests.ladders.matchmaking import (
    Candidate,
    Seated,
    Table,
    choose_match_entries,
    sort_pair,
    take_nearest,
)
from arena.contests.ladders.models import TITLE_ENDINGS, Entry, Ladder, LadderMatch, PairStat
from arena.contests.ladders.queries import count_playing, list_ladders_of_bot
from arena.contests.ladders.rating import DUEL
from arena.contests.ladders.services.entering import check_admitted, enter_promoted, enter_version
from arena.contests.ladders.services.ledger import lock_ladder
from arena.contests.ladders.services.pairing import CANDIDATE_COLUMNS, LadderCandidates, build_candidates, chance
from arena.contests.ladders.services.seasons import (
    derive_match_deal,
    list_samples_on,
    list_versions_to_enter,
    make_samples_anchors,
    open_season,
    take_off,
)
from arena.core.errors import ArenaError, Conflict
from arena.matches.models import Match, Participant, find_lesson
from arena.matches.remote.models import RemoteBot
from arena.matches.services import queue_match
from arena.matches.workers import list_known_capabilities
from arena.people.accounts.models import User
from arena.runner.program import REMOTE_LIMITS
from engine.message import gettext_noop, message
from engine.registry import GAMES

# Register remote bots, and declare their versions.


@transaction.atomic
def create_remote_bot(*, owner: User, name: str, game: str, declared: str) -> Bot:
    """Create a bot that runs on its author's machine, with its first version, which needs no trial.

    `declared` says what it runs on. Raises as `create_bot`, and BadDeclaration.
    """
    bot = create_bot(owner=owner, name=name, game=game, is_remote=True)
    RemoteBot.objects.create(bot=bot)
    declare_remote_version(bot=bot, declared=declared, by=owner)
    return bot


@transaction.atomic
def declare_version(*, bot: Bot, declared: str, by: User) -> tuple[BotVersion, bool]:
    """Declare what a remote bot runs on from now on, and return its version, and whether that is a new one.

    A new version takes over from the one before on open ladders. Raises as `declare_remote_version`.
    """
    version, is_new = declare_remote_version(bot=bot, declared=declared, by=by)
    if is_new:
        for ladder in list_ladders_of_bot(bot):
            enter_version(ladder=ladder, version=version)
    return version, is_new


# Open ladders: opened when the first bot joins, with the sample bots as anchors.


@transaction.atomic
def join_open_ladder(*, game: str, edition: str, clock: str, bot: Bot, by: User) -> Entry:
    """Let the newest accepted version of a bot play on an edition's open ladder, as its author wishes.

    Raise NotYours, ForGroupOnly, LadderFull, NotPassed, BotStopped, AuthorSuspended, ArenaError where there is no such
    ladder for the bot, or Conflict without a version.
    """
    check_author(bot, by)
    check_plays(bot, reader=by)
    if bot.game != game:
        problem = gettext_noop("%(name)s doesn't play %(game)s.")
        raise ArenaError(message(problem, name=bot.name, game=GAMES[game].title if game in GAMES else game))
    version = list_versions_to_enter(Bot.objects.filter(pk=bot.pk)).first()
    if version is None:
        raise Conflict(message(gettext_noop("%(name)s has no version that passed its trial."), name=bot.name))
    ladder = find_or_open_ladder(game=game, edition=edition, clock=clock)
    check_admitted(ladder, bot)
    return enter_promoted(ladder, version)


@transaction.atomic
def leave_open_ladder(*, ladder: Ladder, bot: Bot, by: User) -> None:
    """Take a bot off an open ladder, as its author. Its results stay. Raise NotYours or Conflict."""
    check_author(bot, by)
    ladder = lock_ladder(ladder)
    if not ladder.clock or not take_off(ladder, Entry.objects.filter(ladder=ladder, version__bot=bot)):
        problem = gettext_noop("%(name)s doesn't play on %(ladder)s.")
        raise Conflict(message(problem, name=bot.name, ladder=str(ladder)))


@transaction.atomic
def find_or_open_ladder(*, game: str, edition: str, clock: str) -> Ladder:
    """Return the running season of an edition's open ladder, or open one with the sample bots. Raise ArenaError."""
    if game not in GAMES or edition not in GAMES[game].editions:
        problem = gettext_noop("This arena doesn't have an edition %(edition)s of %(game)s.")
        raise ArenaError(message(problem, edition=edition, game=game))
    if clock not in Ladder.Clock.values:
        raise ArenaError(message(gettext_noop("Open ladders are called open or slow.")))
    title = f"{GAMES[game].title}, {GAMES[game].editions[edition]}{TITLE_ENDINGS[clock]}"
    try:
        with transaction.atomic():
            ladder = open_season(game=game, edition=edition, title=title, clock=clock)
    except IntegrityError:  # another bot has just opened it
        return Ladder.objects.open().get(game=game, edition=edition, group=None, clock=clock)
    if not ladder.entries.exists():
        for version in list_samples_on(ladder):
            enter_version(ladder=ladder, version=version)
        make_samples_anchors(ladder=ladder)
        ladder.refresh_from_db()
    return ladder


# Pair the bots of open ladders: who is here and has room gets a match. Offline bots get none.
#
# Matches are paced by who is here, not by an allowance. All that is needed is read in a few queries, however many bots
# are here, and each bot gets as many matches as it has room for.

OPEN_LADDER_PRIORITY = -10
"""Below that of all matches that workers play: none of those waits behind them, or shares their virtual time."""
MAX_LEGS_PER_AUTHOR = 16
"""Legs of all remote bots that an author leads, at a time: open ladders pair no more."""
MAX_MATCHES_WITH_WORKERS = 8
"""Matches on all open ladders at a time in which one of the bots is run by workers."""
ABSENCE_LIMIT = timedelta(minutes=2)
"""A match that waits for a bot that has been away for longer is cancelled."""
UNFINISHED = (Match.State.QUEUED, Match.State.RUNNING)
BOTS_GONE_REASON = message(gettext_noop("A bot went offline before the match began."))
NO_ROOM_REASON = message(gettext_noop("A bot had no room for the match."))


class OpenCandidates:
    """Keep in memory who can be paired on an open ladder now, as a `CandidateSource`."""

    top_rating: float | None = None
    weighs_costs = False
    most_open = inf

    def __init__(self, ladder: Ladder, room: Mapping[int, int], room_with_workers: int) -> None:
        """Read who can be paired: the remote bots that are in `room`, by bot, and if workers have room the others."""
        self.ladder = ladder
        self.dispersion, self.spread = ladder.dispersion, ladder.spread
        self.room_with_workers = room_with_workers
        rows = _list_rows_of_remote(ladder, room)
        self.room = {row[0]: room[bot] for *row, bot in rows}
        """Further matches by entry, of remote bots."""
        guests = _list_guests(ladder) if self.room and room_with_workers > 0 else ()
        found = [*build_candidates(row[:-1] for row in rows), *build_candidates(guests, is_guest=True)]
        self.free = {one.entry: one for one in found}
        self.meetings = _count_meetings(ladder, self.room)
        self.open_matches = [list(table) for table in LadderCandidates(ladder).list_open_matches()]
        self._by_rating = sorted(found, key=attrgetter("rating"))
        self._by_deviation = sorted(found, key=attrgetter("deviation"), reverse=True)

    def seat(self, table: Table) -> None:
        """Take the room that a match of these entries takes."""
        self.open_matches.append([self.free[entry] for entry in table])
        if any(self.free[entry].is_guest for entry in table):
            self.room_with_workers -= 1
        for entry in table:
            self.room[entry] = self.room.get(entry, 1) - 1
        gone = {one.entry for one in self.free.values() if not self._has_room(one)}
        for entry in gone:
            del self.free[entry]

    def _has_room(self, one: Candidate) -> bool:
        return self.room_with_workers > 0 if one.is_guest else self.room[one.entry] > 0

    def list_open_matches(self) -> Sequence[Sequence[Seated]]:
        """Return the entries of each match that is not rated yet."""
        return self.open_matches

    def find_overdue(self, barred: Collection[int]) -> Candidate | None:
        """Return None: who is here doesn't wait."""
        return None

    def list_most_uncertain(self, count: int, least_rating: float | None) -> Sequence[Candidate]:
        """Return up to `count` entries of at least this rating, largest deviation first."""
        least = -inf if least_rating is None else least_rating
        return [one for one in self._by_deviation if one.entry in self.free and one.rating >= least][:count]

    def list_around(
        self, rating: float, count: int, barred: Collection[int], authors: Collection[int]
    ) -> Sequence[Candidate]:
        """Return the entries nearest to a rating on either side."""
        middle = bisect_left(self._by_rating, rating, key=attrgetter("rating"))
        above, below = (
            [
                one
                for one in side
                if one.entry in self.free and one.entry not in barred and one.authors.isdisjoint(authors)
            ]
            for side in (self._by_rating[middle:], self._by_rating[:middle][::-1])
        )
        return take_nearest(above, below, count)

    def count_meetings(self, entries: Collection[int]) -> Counter[Table]:
        """Count the rated matches between each two of these entries."""
        pairs = (sort_pair(one, other) for one, other in combinations(entries, 2))
        return Counter({pair: self.meetings[pair] for pair in pairs if pair in self.meetings})


def _list_rows_of_remote(ladder: Ladder, room: Collection[int]) -> list[tuple[Any, ...]]:
    here = Entry.objects.active().filter(ladder=ladder, version__bot__in=room)
    return list(here.order_by().values_list(*CANDIDATE_COLUMNS, "version__bot"))


def _list_guests(ladder: Ladder) -> list[tuple[Any, ...]]:
    """List the entries of bots that workers can run now, as candidates."""
    capabilities = list_known_capabilities()
    runnable = LadderCandidates(ladder, chance.choice(capabilities) if capabilities else None).active
    return list(runnable.filter(version__bot__is_remote=False).order_by().values_list(*CANDIDATE_COLUMNS))


def _count_meetings(ladder: Ladder, entries: Collection[int]) -> Counter[Table]:
    """Count the rated matches of these entries, by pair."""
    stats = PairStat.objects.filter(Q(low__in=entries) | Q(high__in=entries), ladder=ladder).order_by()
    return Counter({(low, high): matches for low, high, matches in stats.values_list("low", "high", "matches")})


def find_room() -> dict[int, int]:
    """Return how many further matches each remote bot takes that is here, by bot; those without room are left out.

    The bots that an author leads share MAX_LEGS_PER_AUTHOR evenly.
    """
    playing = count_playing()
    owners = dict(Bot.objects.filter(pk__in=playing).values_list("pk", "owner"))
    of_owner: Counter[int] = Counter()
    for bot, matches in playing.items():
        of_owner[owners[bot]] += matches
    here = list(RemoteBot.objects.online().order_by("bot").values_list("bot", "room", "bot__owner"))
    found: Counter[int] = Counter()
    for matches in range(max((room for _, room, _ in here), default=0)):
        for bot, room, owner in here:
            if room - playing[bot] > matches and of_owner[owner] < MAX_LEGS_PER_AUTHOR:
                found[bot] += 1
                of_owner[owner] += 1
    return dict(found)


def list_ladders_to_pair(match: Match) -> list[Ladder]:
    """List the open ladders on which the remote bots of a match play, the one on which they waited longest first.

    A bot has the same room for all of its ladders, so the first one could take it every time.
    """
    bots = match.participants.filter(version__language=REMOTE_LANGUAGE).values("version__bot")
    entries = Entry.objects.active().filter(version__bot__in=bots, ladder__in=Ladder.objects.for_remote().playable())
    rows = entries.order_by("paired_at", "pk").values_list("ladder", flat=True)
    ladders = Ladder.objects.only("clock").in_bulk(rows)
    return [ladders[key] for key in dict.fromkeys(rows)]


@transaction.atomic
def queue_open_ladder_matches(*, ladder: Ladder) -> list[Match]:
    """Queue a match for each online remote bot that has room and finds an opponent, and return them.

    None is queued while a lesson runs, or where the season is finished or paused.
    """
    if not (room := find_room()) or find_lesson() is not None:
        return []
    ladder = lock_ladder(ladder)
    if ladder.closed_at is not None or ladder.paused_at is not None:
        return []
    source = OpenCandidates(ladder, room, MAX_MATCHES_WITH_WORKERS - count_matches_with_workers())
    tables = []
    while (table := choose_match_entries(source, DUEL, chance)) is not None:
        tables.append(chance.sample(table, len(table)))
        source.seat(table)
    return _queue_matches(ladder, tables)


def count_matches_with_workers() -> int:
    """Count the matches on open ladders that wait or are played and in which one of the bots is run by workers."""
    on_open_ladder = {"match__ladder_match__in_flight": True, "match__ladder_match__ladder__clock__gt": ""}
    seats = Participant.objects.filter(match__state__in=UNFINISHED, **on_open_ladder)
    return seats.exclude(version__language=REMOTE_LANGUAGE).count()


def _queue_matches(ladder: Ladder, tables: Sequence[Sequence[int]]) -> list[Match]:
    """Queue a match of one leg for each table, given by its entries in the order of their seats."""
    if not tables:
        return []
    keys = list(chain.from_iterable(tables))
    entries = Entry.objects.filter(pk__in=keys).select_related("version__bot").in_bulk()
    matches, first = [], ladder.last_number + 1
    for number, table in enumerate(tables, first):
        deal, salts = derive_match_deal(ladder, number, len(table), legs=1)
        matches.append(
            queue_match(
                versions=[entries[entry].version for entry in table],
                game=ladder.game,
                edition=ladder.edition,
                priority=OPEN_LADDER_PRIORITY,
                limits=REMOTE_LIMITS[ladder.clock],
                deal=deal,
                salts=salts,
                legs=1,
            )
        )
    LadderMatch.objects.bulk_create(
        LadderMatch(ladder=ladder, match=match, number=number) for number, match in enumerate(matches, first)
    )
    ladder.last_number += len(matches)
    ladder.save(update_fields=["last_number"])
    Entry.objects.filter(pk__in=keys).update(paired_at=now())
    return matches


def cancel_abandoned_matches() -> list[int]:
    """Cancel the matches of open ladders whose bots went away, were stopped or have no room, and return their keys.

    Those that have begun are left: who doesn't come back in time loses them.
    """
    away = Q(remote__seen_at=None) | Q(remote__seen_at__lt=now() - ABSENCE_LIMIT)
    stopped = Q(stopped_at__isnull=False) | Q(owner__suspended_at__isnull=False)
    gone = Bot.objects.filter(Q(is_remote=True) & away | stopped)
    waiting = Match.objects.filter(state=Match.State.QUEUED, table=None, ladder_match__ladder__clock__gt="")
    of_gone = Participant.objects.filter(match__in=waiting, version__bot__in=gone)
    held_back = Participant.objects.filter(match__in=waiting, version__held_back_at__isnull=False)
    reasons = dict.fromkeys((of_gone | held_back).order_by().values_list("match", flat=True), BOTS_GONE_REASON)
    for key in _list_matches_without_room(waiting):
        reasons.setdefault(key, NO_ROOM_REASON)
    moment = now()
    cancelled = {"state": Match.State.VOID, "finished_at": moment, "cancelled_at": moment}
    return [
        key
        for key, reason in sorted(reasons.items())
        if Match.objects.filter(pk=key, state=Match.State.QUEUED, table=None).update(void_reason=reason, **cancelled)
    ]


def _list_matches_without_room(waiting: QuerySet[Match]) -> list[int]:
    """List those of these matches that have waited long for a bot that has taken back the room they were made for.

    Its opponents would keep room for them for as long as it likes.
    """
    playing = count_playing()
    rooms = RemoteBot.objects.filter(bot__in=playing).values_list("bot", "room")
    full = [bot for bot, room in rooms if playing[bot] > room]
    long_ago = waiting.filter(created_at__lt=now() - ABSENCE_LIMIT, participants__version__bot__in=full)
    return list(long_ago.order_by().values_list("pk", flat=True).distinct())
