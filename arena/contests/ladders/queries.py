"""Read ladders, their entries, matches, ratings and standings."""

from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db.models import (
    Case,
    Count,
    Exists,
    F,
    FloatField,
    Max,
    Min,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce, Upper
from django.utils.timezone import now

from arena.bots.models import REMOTE_LANGUAGE, Bot, BotQuerySet, BotVersion, TeamMember
from arena.contests.ladders.models import (
    ENTRY_INACTIVITY_PERIOD,
    LIST_ORDER,
    Entry,
    EntryQuerySet,
    Ladder,
    LadderMatch,
    LadderQuerySet,
    PairStat,
    RatingChange,
    RatingPoint,
)
from arena.contests.ladders.overall import OverallScore, compute_overall_scores
from arena.contests.ladders.rating import Rating
from arena.contests.ladders.showing import filter_visible_rated
from arena.matches.filters import HasRules, name_variant
from arena.matches.models import LegSeat, Match, Participant
from arena.matches.remote.models import RemoteBot
from arena.people.accounts.models import User
from arena.people.groups.models import Group, Membership, Reader
from arena.people.groups.services import list_groups
from engine.message import Message, gettext_noop, literal, message
from engine.registry import GAMES

# Read and search standings, and find the ranks of their entries.

MAX_SEARCH_RESULTS = 300
"""Up to here the bots that a search finds are looked up by their keys; of more only the best are returned."""
RANK_ORDER_CACHE_S = 30
MIN_ENTRIES_TO_CACHE_COUNT = 1000
"""The entries of a smaller ladder are counted each time."""
STANDINGS_COLUMNS = (
    *("ladder", "state", "rating", "deviation", "matches", "is_ranked", "group", "place_low", "place_high"),
    *("opponents", "was_ranked", "has_sure_place", "version__number", "version__declared"),
    *("points", "luck", "luck_matches"),
    *("version__bot__name", "version__bot__slug", "version__bot__co_authors"),
    *("version__bot__crest_difference", "version__bot__crest_design", "version__bot__is_remote"),
    *("version__bot__owner__username", "version__bot__owner__is_house"),
)
"""The columns of an entry that standings show."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of an entry among all bots of its ladder's list, and how many these are."""

    number: int
    bots: int
    low: int
    """Best plausible place; never after the place, though ratings move between two fits."""
    high: int


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The keys of the entries that a search has found."""

    pks: Sequence[int] | QuerySet[Entry, int]
    """Best first; to be sliced."""
    is_cut: bool
    """Whether more entries fit."""


def list_standings(ladder: Ladder, *, bot: str = "") -> EntryQuerySet:
    """List the entries of a ladder, best first, or the one of a bot."""
    entries = Entry.objects.standing(ladder)
    return entries.filter(version__bot__slug=bot) if bot else entries


def list_by_rating(ladder: Ladder) -> EntryQuerySet:
    """List all bots of a ladder as its page does, the best rating first, whether they have a place or not."""
    listed = Entry.objects.by_rating(ladder.pk, ladder.idle_before)
    return listed.select_related("version__bot__owner").defer("version__build_log")


def find_best_entry(ladder: Ladder, author: User) -> Entry | None:
    """Return the entry of an author's best bot on a ladder's list, or None."""
    return list_by_rating(ladder).filter(version__bot__in=Bot.objects.of_authors([author])).first()


def count_entries_before(entry: Entry, ladder: Ladder) -> int:
    """Return how many entries of the ladder come before this one."""
    return Entry.objects.standing(ladder).before(entry).count()


def search_standings(ladder: Ladder, words: str, owner: int | None) -> SearchResult:
    """Search a list for bots or authors whose name contains the words, or for the bots of an owner, or both."""
    ordered = Entry.objects.by_rating(ladder.pk, ladder.idle_before).values_list("pk", flat=True)
    part = Upper(Value(words))
    authors = User.objects.filter(username_upper__contains=part).values("pk")
    on_teams = TeamMember.objects.joined().filter(user__in=authors).values("bot")
    bots = Bot.objects.filter(Q(name_upper__contains=part) | Q(owner__in=authors) | Q(pk__in=on_teams)).order_by()
    if owner is not None:
        own = Bot.objects.of_authors([owner])
        ordered, bots = ordered.filter(version__bot__in=own), bots.filter(pk__in=own)
    if not words:
        return SearchResult(ordered, False)
    few = list(bots.values_list("pk", flat=True)[: MAX_SEARCH_RESULTS + 1])
    if len(few) <= MAX_SEARCH_RESULTS:
        return SearchResult(list(ordered.filter(version__bot__in=few)), False)
    # Many bots match, so reading down the standings finds the best of them soon.
    fits = Q(version__bot__name_upper__contains=part) | Q(version__bot__owner__username_upper__contains=part)
    best = list(ordered.filter(fits)[: MAX_SEARCH_RESULTS + 1])
    return SearchResult(best[:MAX_SEARCH_RESULTS], len(best) > MAX_SEARCH_RESULTS)


def fetch_entries_in_order(pks: Sequence[int]) -> list[Entry]:
    """List these entries in this order, each with its version, bot and owner.

    They are read once it is known which: the rows that a page far down skips are not joined.
    """
    found = Entry.objects.filter(pk__in=pks).select_related("version__bot__owner").only(*STANDINGS_COLUMNS)
    entries = {entry.pk: entry for entry in found}
    return [entries[pk] for pk in pks if pk in entries]


def count_standings(ladder: Ladder) -> int:
    """Count the entries of standings; the number is cached for a moment where it is large."""
    key = f"size:{ladder.pk}"
    count: int | None = cache.get(key)
    if count is None:
        count = list_standings(ladder).count()
        if count > MIN_ENTRIES_TO_CACHE_COUNT:
            cache.set(key, count, RANK_ORDER_CACHE_S)
    return count


def number_places(entries: Iterable[Entry], first: int, bots: int) -> dict[int, Place]:
    """Return the place by entry, of those that have one among entries that follow each other from `first` on."""
    return {
        entry.pk: _place(entry, number, bots) for number, entry in enumerate(entries, start=first) if entry.is_ranked
    }


def find_places(ladder: Ladder, entries: Iterable[Entry]) -> dict[int, Place]:
    """Return the place by entry, of any entries of a list that have one; those of the cached order if it has all."""
    wanted = {entry.pk: entry for entry in entries if entry.is_ranked}
    if not wanted:
        return {}
    order = _list_keys_by_rating(ladder)
    if not wanted.keys() <= set(order):
        order = _list_keys_by_rating(ladder, is_fresh=True)
    numbers = {pk: number for number, pk in enumerate(order, start=1) if pk in wanted}
    return {pk: _place(wanted[pk], number, len(order)) for pk, number in numbers.items()}


def find_place(entry: Entry) -> Place | None:
    """Return the place of an entry, or None if it has none yet or is not on the list."""
    if not entry.is_ranked:
        return None
    order = _list_keys_by_rating(entry.ladder)
    return _place(entry, order.index(entry.pk) + 1, len(order)) if entry.pk in order else None


def _place(entry: Entry, number: int, bots: int) -> Place:
    low, high = min(entry.place_low or number, number), max(entry.place_high or number, number)
    return Place(number, bots, low, min(high, max(bots, number)))


def _list_keys_by_rating(ladder: Ladder, *, is_fresh: bool = False) -> "array[int]":
    """Return the keys of all entries of a list, in its order; cached for a moment, as a large ladder takes long."""
    times = (one.timestamp() for one in (ladder.opened_at, ladder.fitted_at or ladder.opened_at))
    key = f"order:{ladder.pk}:{':'.join(map(str, times))}"
    kept = None if is_fresh else cache.get(key)
    if kept is None:
        kept = array("q", list_by_rating(ladder).values_list("pk", flat=True)).tobytes()
        cache.set(key, kept, RANK_ORDER_CACHE_S)
    return array("q", kept)


# Read the entries of bots on ladders, and which version plays for a bot.
#
# Each reader finds what `EntryQuerySet.shown_to` says; what names opponents for anybody reads public ladders alone.


@dataclass(frozen=True, slots=True)
class ActiveAuthors:
    """Who works on the active entries of a ladder."""

    owned: Counter[int]
    """Number of entries by owner."""
    of_teams: Sequence[tuple[int, Set[int]]]
    """Owner and other authors of each entry that has several."""

    @property
    def bots(self) -> int:
        """Return the number of entries."""
        return sum(self.owned.values())

    def count_others(self, entry: Entry, authors: Set[int], *, is_house: bool) -> int:
        """Count the entries that one can meet: those that share no author with it, or all others for a house bot."""
        if is_house:
            return self.bots - entry.is_active
        own = sum(self.owned[author] for author in authors)
        return (
            self.bots
            - own
            - sum(owner not in authors and not authors.isdisjoint(others) for owner, others in self.of_teams)
        )


def fetch_active_authors(ladder: Ladder) -> ActiveAuthors:
    """Return who works on the active entries of a ladder."""
    active = Entry.objects.active().filter(ladder=ladder).order_by()
    owned = active.values_list("version__bot__owner").annotate(Count("pk"))
    teams = active.filter(version__bot__in=TeamMember.objects.joined().order_by().values("bot"))
    rows = teams.values_list("version__bot__owner", "version__bot__co_authors")
    return ActiveAuthors(Counter(dict(owned)), [(owner, {one["id"] for one in others}) for owner, others in rows])


def list_active_entries(reader: Reader, bots: Sequence[int]) -> QuerySet[Entry]:
    """List the entries that play for these bots on running ladders, with version and ladder, best first."""
    entries = Entry.objects.active().shown_to(reader).filter(version__bot__in=bots, ladder__closed_at=None)
    entries = entries.select_related("version", "ladder__group").order_by("-is_ranked", "-rating")
    own = ("rating", "deviation", "is_ranked", "place_low", "place_high", "version__bot")
    of_ladder = ("group__slug", "clock", "game", "edition", "title", "season", "closed_at")
    return entries.only(*own, *(f"ladder__{field}" for field in of_ladder))


def list_entries_of_bots(reader: Reader, bots: Sequence[int]) -> QuerySet[Entry]:
    """List all entries of these bots, with version, bot and ladder."""
    entries = Entry.objects.shown_to(reader).filter(version__bot__in=bots)
    entries = entries.select_related("version__bot", "ladder")
    return entries.defer("version__build_log", "ladder__secret")


def list_entries_in_play(reader: Reader, bots: Sequence[int]) -> QuerySet[Entry]:
    """List the entries of these bots on running ladders, suspended or not."""
    entries = Entry.objects.shown_to(reader).filter(version__bot__in=bots, ladder__closed_at=None)
    entries = entries.exclude(state=Entry.State.RETIRED)
    entries = entries.select_related("ladder", "version").defer("ladder__secret", "version__build_log")
    return entries.order_by("version__number", "ladder")


def list_current_entries(reader: Reader, bot: Bot, versions: Sequence[BotVersion]) -> list[Entry]:
    """List what plays for a bot on running ladders or is suspended there, and what these versions were there."""
    entries = Entry.objects.shown_to(reader).filter(version__bot=bot, ladder__closed_at=None)
    entries = entries.filter(~Q(state=Entry.State.RETIRED) | Q(version__in=[one.pk for one in versions]))
    entries = entries.select_related("ladder__group", "version")
    return sorted(entries.defer("version__build_log", "ladder__secret"), key=lambda one: one.ladder.place)


def is_in_play(version: BotVersion) -> bool:
    """Return whether a version plays on a running ladder."""
    return Entry.objects.active().filter(version=version, ladder__closed_at=None).exists()


def list_entries_of_version(reader: Reader, version: BotVersion) -> list[Entry]:
    """List the entries of a version on running ladders, in the games' order."""
    entries = Entry.objects.shown_to(reader).filter(version=version, ladder__closed_at=None)
    entries = entries.select_related("ladder__group")
    found = sorted(entries.defer("ladder__secret").order_by(), key=lambda one: one.ladder.place)
    for entry in found:
        entry.version = version
    return found


def list_entries_of_author(reader: Reader, author: User) -> list[Entry]:
    """Return what plays for an author on the running ladders, by game and edition."""
    playing = Entry.objects.active().shown_to(reader).filter(ladder__closed_at=None)
    entries = playing.filter(version__bot__in=Bot.objects.of_authors([author]))
    entries = entries.select_related("ladder__group", "version__bot").defer("version__build_log", "ladder__secret")
    return sorted(entries, key=lambda one: (one.ladder.game, one.ladder.place))


def fetch_entry_keys(reader: Reader, bot: Bot, **conditions: object) -> set[int]:
    """Return the keys of a bot's entries that meet the conditions."""
    return set(Entry.objects.shown_to(reader).filter(version__bot=bot, **conditions).values_list("pk", flat=True))


def find_playing_version_number(reader: Reader, bot: Bot) -> int | None:
    """Return the number of the newest version that plays for a bot on any ladder, or None."""
    playing = Entry.objects.active().shown_to(reader).filter(version__bot=bot, ladder__closed_at=None)
    return playing.order_by("-version__number").values_list("version__number", flat=True).first()


def find_playing_version(slug: str, edition: str) -> BotVersion | None:
    """Return the version that plays for a bot on the edition's public ladder, else on another; None if none does."""
    entries = Entry.objects.active().public().filter(version__bot__slug=slug, ladder__closed_at=None).order_by("pk")
    playing = list(entries.select_related("ladder", "version__bot").defer("ladder__secret", "version__build_log"))
    here = [entry for entry in playing if entry.ladder.edition == edition]
    return (here or playing)[0].version if playing else None


def find_challenge_opponent(bot: Bot, edition: str, challenger: User) -> BotVersion | None:
    """Return the version that plays for a bot as `find_playing_version` does.

    A challenger's own bot that plays on no ladder is met in its newest accepted version. None if there is none.
    """
    playing = find_playing_version(bot.slug, edition)
    if playing is not None or not bot.has_author(challenger):
        return playing
    return bot.versions.select_related("bot").accepted().order_by("-number").first()


def fetch_ratings_of_versions(versions: Sequence[int], game: str, edition: str) -> dict[int, float]:
    """Return by version the rating on the running public ladder of an edition, for those that play there."""
    entries = Entry.objects.active().public().filter(version__in=versions, ladder__closed_at=None)
    found = entries.filter(ladder__game=game, ladder__edition=edition).order_by()
    return dict(found.values_list("version", "rating"))


# Find ladders and their seasons: the public ones, or where a group is given those of the group.
#
# Secrets are not read unless a season's document needs them.


def _annotate_listed_bots(ladders: QuerySet[Ladder]) -> QuerySet[Ladder]:
    """Return them each with the number of bots on its list, from which those fall that played no match for long."""
    since = now() - ENTRY_INACTIVITY_PERIOD
    recent = Q(entries__rated_at=None) | Q(
        entries__rated_at__gte=Coalesce(F("closed_at") - ENTRY_INACTIVITY_PERIOD, since)
    )
    return ladders.defer("secret").annotate(bots=Count("entries", filter=recent & Q(entries__state=Entry.State.ACTIVE)))


def list_open_ladders(group: Group | None = None, clock: str = "") -> QuerySet[Ladder]:
    """List the running seasons, each with the number of bots on its list and the best rating with a place.

    They are those of a group's ladders, or with `clock` those on which remote bots play by that clock.
    """
    return _annotate_running(Ladder.objects.open().filter(group=group, clock=clock))


def list_remote_ladders(game: str = "") -> QuerySet[Ladder]:
    """List the running seasons on which remote bots play, by both clocks, as `list_open_ladders` does; or a game's."""
    running = Ladder.objects.for_remote().open()
    return _annotate_running(running.filter(game=game) if game else running)


def _annotate_running(running: QuerySet[Ladder]) -> QuerySet[Ladder]:
    ranked = Q(entries__state=Entry.State.ACTIVE, entries__is_ranked=True)
    running = _annotate_listed_bots(running)
    return running.annotate(best=Max("entries__rating", filter=ranked)).select_related("group")


def find_open_ladder(game: str, edition: str, group: Group | None = None, clock: str = "") -> Ladder | None:
    """Return the running season of an edition with the number of bots on its list, or None."""
    return list_open_ladders(group, clock).filter(game=game, edition=edition).first()


def list_seasons(game: str, edition: str, group: Group | None = None, clock: str = "") -> QuerySet[Ladder]:
    """List all seasons of an edition, each with the number of bots on its list."""
    seasons = Ladder.objects.filter(game=game, edition=edition, group=group, clock=clock)
    return _annotate_listed_bots(seasons).select_related("group")


def find_season(game: str, edition: str, number: int, group: Group | None = None, clock: str = "") -> Ladder | None:
    """Return that season with its secret, or None."""
    return Ladder.objects.filter(game=game, edition=edition, season=number, group=group, clock=clock).first()


def list_ladders_of_group(group: Group) -> list[Ladder]:
    """List the latest season of each edition of which a group has had a ladder, in the order of games and editions."""
    seasons = _annotate_listed_bots(Ladder.objects.filter(group=group)).select_related("group").order_by("season")
    latest = {(one.game, one.edition): one for one in seasons}
    return sorted(latest.values(), key=lambda one: (one.game, one.place))


def list_editions() -> list[tuple[str, str]]:
    """List the keys of game and edition of all that can be played here, and of games that are gone with a ladder."""
    installed = [(key, edition) for key, game in GAMES.items() for edition in game.editions]
    return list(dict.fromkeys([*installed, *Ladder.objects.public().order_by("pk").values_list("game", "edition")]))


def list_ladders_of_game(game: str) -> list[Ladder]:
    """List all public seasons of all editions of a game, in the order of its editions."""
    return sorted(Ladder.objects.public().filter(game=game).defer("secret"), key=lambda one: one.place)


def list_main_ladders() -> list[Ladder]:
    """Return the running public ladder of each game's first edition."""
    firsts: dict[str, Ladder] = {}
    for ladder in sorted(Ladder.objects.public().open().defer("secret"), key=lambda one: one.place):
        firsts.setdefault(ladder.game, ladder)
    return [firsts[game] for game in GAMES if game in firsts]


def list_busiest_ladders(limit: int) -> list[Ladder]:
    """Return the running public ladders of installed games with most bots, those without any left out."""
    active = Count("entries", filter=Q(entries__state=Entry.State.ACTIVE))
    running = Ladder.objects.public().open().filter(game__in=list(GAMES)).defer("secret").annotate(active=active)
    return list(running.filter(active__gt=0).order_by("-active", "pk")[:limit])


def fetch_leaders(ladders: Sequence[int]) -> dict[int, Entry]:
    """Return who leads each of these running ladders, with version and bot: the first bot on the list.

    Nobody leads while that bot is provisional.
    """
    listed = Entry.objects.present(now() - ENTRY_INACTIVITY_PERIOD).filter(ladder=OuterRef("pk"))
    first = listed.order_by(*LIST_ORDER).values("pk")[:1]
    keys = Ladder.objects.filter(pk__in=ladders).annotate(leader=Subquery(first)).values("leader")
    entries = Entry.objects.filter(pk__in=keys, is_ranked=True)
    entries = entries.select_related("version__bot").defer("version__build_log")
    return {entry.ladder_id: entry for entry in entries}


def fetch_newest_results(ladders: Sequence[int]) -> dict[int, int]:
    """Return the key of the newest rated match that anybody may see, by ladder."""
    rated = filter_visible_rated(LadderMatch.objects.filter(ladder=OuterRef("pk")))
    newest = rated.order_by("-sequence").values("match")[:1]
    rows = Ladder.objects.filter(pk__in=ladders).annotate(newest=Subquery(newest)).values_list("pk", "newest")
    return {ladder: match for ladder, match in rows if match is not None}


# The standing over all editions of a game.


def list_ladders_of_standing(game: str) -> list[Ladder]:
    """List the ladders that count in the standing of a game: the running public ones, in the order of editions."""
    return sorted(Ladder.objects.public().open().filter(game=game).defer("secret"), key=lambda one: one.place)


def fetch_overall_scores(ladders: Sequence[Ladder]) -> list[OverallScore]:
    """Return the scores of all bots with a place on these ladders, over all of them; best first."""
    key = f"overall:{':'.join(f'{one.pk}-{one.fitted_sequence}' for one in ladders)}"
    kept: list[OverallScore] | None = cache.get(key)
    if kept is None:
        ratings: dict[int, dict[int, Rating]] = {one.pk: {} for one in ladders}
        listed = Entry.objects.present(now() - ENTRY_INACTIVITY_PERIOD).filter(ladder__in=ratings, is_ranked=True)
        for ladder, bot, *rating in listed.values_list("ladder", "version__bot", "rating", "deviation"):
            ratings[ladder][bot] = Rating(*rating)
        kept = compute_overall_scores(ratings)
        cache.set(key, kept, RANK_ORDER_CACHE_S)
    return kept


# Read how far the ratings of ladders are behind the results of their matches.


@dataclass(frozen=True, slots=True)
class RatingLag:
    """What a ladder has still to count."""

    game: str
    edition: str
    unrated: int
    """Number of matches that are finished and not in the ledger."""
    oldest: datetime | None
    """When the first of them finished; None where there is none."""
    unfitted: int
    """Number of lines of the ledger that came after the last fit of all ratings."""


def list_rating_lags() -> list[RatingLag]:
    """List the running public ladders with what each has still to count."""
    waiting = LadderMatch.objects.in_flight().filter(ladder=OuterRef("pk"), match__state=Match.State.FINISHED)
    of_ladder = waiting.order_by().values("ladder")
    rows = (
        Ladder.objects.public()
        .open()
        .annotate(
            unrated=Subquery(of_ladder.annotate(count=Count("pk")).values("count")),
            oldest=Subquery(of_ladder.annotate(oldest=Min("match__finished_at")).values("oldest")),
        )
    )
    columns = ("game", "edition", "unrated", "oldest", "last_sequence", "fitted_sequence")
    return [
        RatingLag(game, edition, unrated or 0, oldest, last - fitted)
        for game, edition, unrated, oldest, last, fitted in rows.values_list(*columns)
    ]


# Read what entries scored against each other in rated matches.

MAX_RIVALS_LISTED = 10


def list_pair_stats(entries: set[int]) -> QuerySet[PairStat]:
    """List the results of these entries against all others they met in rated matches."""
    stats = PairStat.objects.filter(Q(low__in=entries) | Q(high__in=entries), matches__gt=0)
    return stats.select_related("ladder", "low__version__bot", "high__version__bot").defer(
        "ladder__secret", "low__version__build_log", "high__version__build_log"
    )


def list_rivals(entry: Entry) -> list[tuple[Entry, int, float]]:
    """List the entries that this one met most often, with the number of matches and its points from 0 to 1 each."""
    stats = PairStat.objects.filter(Q(low=entry) | Q(high=entry), matches__gt=0).values_list("low", "high")
    summed = stats.annotate(met=Sum("matches"), points=Sum(Cast("halves", FloatField()) / (2 * F("seats"))))
    found = {}
    for low, high, met, points in summed.order_by("-met", "low", "high")[:MAX_RIVALS_LISTED]:
        found[high if low == entry.pk else low] = met, points if low == entry.pk else met - points
    bot = ("version__bot__name", "version__bot__slug", "version__bot__crest_difference", "version__bot__crest_design")
    shown = ("rating", "state", "version__number", "version__bot__is_remote", *bot)
    entries = Entry.objects.select_related("version__bot").only(*shown).in_bulk(list(found))
    return [(entries[pk], met, points / met) for pk, (met, points) in found.items()]


# Read who may play on the ladders of a group, who does, and the newest matches there.


def list_admitted_bots(ladder: Ladder) -> BotQuerySet:
    """List the bots that may play on a group's ladder: of its members and of the house, public or for the group.

    Workers run them: no remote bot is among them.
    """
    members = Membership.objects.filter(group=ladder.group_id).values("user")
    by_whom = Q(owner__in=members) | Q(owner__is_house=True)
    admitted = Bot.objects.sandboxed().filter(by_whom, game=ladder.game)
    return admitted.filter(Q(group=None) | Q(group=ladder.group_id))


def list_ladders_of_bot(bot: Bot) -> LadderQuerySet:
    """List the running ladders on which new versions of a bot play by themselves.

    A bot for a group plays on all ladders of the group; a public one on all public ladders, and on those of groups and
    on open ladders on which one of its authors has entered it. A remote one has only the latter.
    """
    running = Ladder.objects.open().filter(game=bot.game).order_by(F("group").asc(nulls_first=True), "pk")
    if bot.group_id is not None:
        return running.filter(group=bot.group_id)
    in_play = Entry.objects.exclude(state=Entry.State.RETIRED).filter(version__bot=bot)
    joined = Q(pk__in=in_play.values("ladder"))
    return running.filter(joined if bot.is_remote else Q(group=None, clock="") | joined)


# Read remote bots: which are here, and where they and others may play.


@dataclass(frozen=True, slots=True)
class Presence:
    """Whether a remote bot is connected."""

    is_online: bool
    seen_at: datetime | None
    """When it was last connected; None before the first time."""
    playing: int
    """Number of matches that it plays or that wait for it."""
    room: int
    """Number of legs that it takes at a time; 0 before its program has said."""


def fetch_presence(bots: Collection[int]) -> dict[int, Presence]:
    """Return whether each of these bots is connected, given by their keys; those that workers run are left out."""
    playing = count_playing()
    found = RemoteBot.objects.filter(bot__in=bots)
    return {one.bot_id: Presence(one.is_here, one.seen_at, playing[one.bot_id], one.room) for one in found}


def count_playing() -> Counter[int]:
    """Count the matches that each remote bot plays or that wait for it, by bot. Few matches are open at a time."""
    seats = Participant.objects.filter(
        version__language=REMOTE_LANGUAGE, match__state__in=[Match.State.QUEUED, Match.State.RUNNING]
    )
    rows = seats.order_by().values_list("version__bot").annotate(Count("match", distinct=True))
    return Counter(dict(rows))


def count_online_by_ladder(ladders: Collection[int]) -> dict[int, int]:
    """Return how many of the bots that play on each of these open ladders are connected now; none is left out."""
    online = RemoteBot.objects.online().values("bot")
    active = Entry.objects.active().filter(ladder__in=ladders, version__bot__in=online).order_by()
    return Counter(active.values_list("ladder", flat=True))


def fetch_open_ladders_of(bot: Bot) -> set[tuple[str, str]]:
    """Return the edition and the clock of each open ladder on which a bot is in play."""
    in_play = Entry.objects.exclude(state=Entry.State.RETIRED).filter(version__bot=bot, ladder__closed_at=None)
    rows = in_play.filter(ladder__group=None).exclude(ladder__clock="")
    return set(rows.values_list("ladder__edition", "ladder__clock"))


def list_own_remote_bots(owner: User) -> QuerySet[Bot]:
    """List the remote bots that a user leads or works on, with owners, by name."""
    return Bot.objects.of_authors([owner]).filter(is_remote=True).select_related("owner").order_by("name_upper")


def count_refusals(bots: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return how many answers of each of these bots were refused in finished legs, and how many legs these are."""
    seats = LegSeat.objects.filter(participant__version__bot__in=bots).order_by()
    rows = seats.values_list("participant__version__bot").annotate(Sum("refusals"), Count("pk"))
    return {bot: (refusals, legs) for bot, refusals, legs in rows}


def list_bots_to_join(game: str, edition: str, clock: str, author: User) -> QuerySet[Bot]:
    """List the public bots of an author that don't play on an edition's open ladder, remote ones first, by name."""
    playing = Entry.objects.active().filter(
        ladder__game=game, ladder__edition=edition, ladder__clock=clock, ladder__group=None, ladder__closed_at=None
    )
    own = Bot.objects.of_authors([author]).filter(game=game, group=None, stopped_at=None)
    free = own.filter(Exists(BotVersion.objects.accepted().filter(bot=OuterRef("pk"))))
    return free.exclude(versions__entries__in=playing).order_by("-is_remote", "name_upper")


def list_bots_on(ladder: Ladder, author: User) -> QuerySet[Bot]:
    """List the bots of an author that are in play on an open ladder, by name."""
    in_play = Entry.objects.exclude(state=Entry.State.RETIRED).filter(ladder=ladder)
    return Bot.objects.of_authors([author]).filter(versions__entries__in=in_play).distinct().order_by("name_upper")


FULL_LADDER = gettext_noop(
    "You already have %(most)s bots playing on %(ladder)s, the limit. Pause one so that %(version)s can play."
)


def explain_full_ladder(ladder: Ladder, version: BotVersion) -> Message | None:
    """Return why a ladder has no room for a version, or None: its owner may have so many other bots there."""
    owner, most = version.bot.owner, settings.MAX_LADDER_BOTS_PER_OWNER
    playing = Entry.objects.active().filter(ladder=ladder, version__bot__owner=owner).exclude(version__bot=version.bot)
    if owner.is_house or playing.count() < most:
        return None
    return message(FULL_LADDER, most=most, ladder=str(ladder), version=str(version))


def explain_hold(version: BotVersion) -> Message | None:
    """Return why an accepted version on hold has no room on the ladders; None where its author holds it."""
    if not version.is_on_hold or version.state != BotVersion.State.ACCEPTED:
        return None
    found = (explain_full_ladder(ladder, version) for ladder in list_ladders_of_bot(version.bot))
    return next(filter(None, found), None)


def list_bots_to_enter(ladder: Ladder, author: User) -> QuerySet[Bot]:
    """List the bots of an author that may play on a group's ladder and don't, by name."""
    playing = Entry.objects.active().filter(ladder=ladder)
    free = list_admitted_bots(ladder).of_authors([author]).exclude(versions__entries__in=playing)
    return free.filter(stopped_at=None).order_by("name_upper")


def list_public_bots_on(ladder: Ladder, author: User | None = None) -> QuerySet[Bot]:
    """List the public bots of members, or of an author, that are in play on a group's ladder, by name."""
    in_play = Entry.objects.exclude(state=Entry.State.RETIRED).filter(ladder=ladder)
    bots = Bot.objects.filter(group=None, owner__is_house=False, versions__entries__in=in_play).distinct()
    return (bots if author is None else bots.of_authors([author])).order_by("name_upper")


def list_running_ladders_for(bot: Bot, author: User) -> list[tuple[Ladder, bool]]:
    """List the running ladders of an author's groups that a bot may play on, each with whether it is in play there."""
    ladders = Ladder.objects.open().filter(game=bot.game, group__in=list_groups(author)).select_related("group")
    in_play = Entry.objects.exclude(state=Entry.State.RETIRED).filter(version__bot=bot)
    there = set(in_play.values_list("ladder", flat=True))
    admitted = [one for one in ladders.defer("secret") if list_admitted_bots(one).filter(pk=bot.pk).exists()]
    return [(one, one.pk in there) for one in sorted(admitted, key=lambda one: (str(one.group), one.place))]


def list_newest_matches(ladder: Ladder, limit: int) -> QuerySet[Match]:
    """List the newest matches of a ladder that are over, newest first."""
    return Match.objects.over().lean().filter(ladder_match__ladder=ladder).order_by("-pk")[:limit]


def count_open_matches(ladder: Ladder) -> int:
    """Count the matches of a ladder that wait or are being played."""
    unfinished = [Match.State.QUEUED, Match.State.RUNNING]
    return Match.objects.filter(ladder_match__ladder=ladder, state__in=unfinished).count()


def count_rated_since(ladder: Ladder, moment: datetime) -> int:
    """Count the matches of a ladder that were rated since then."""
    rated = LadderMatch.objects.filter(ladder=ladder, sequence__isnull=False, void_sequence=None)
    return rated.filter(match__finished_at__gte=moment).count()


def fetch_pair_results(entries: Sequence[int]) -> dict[tuple[int, int], tuple[float, int]]:
    """Return the points and the number of rated matches of one of these entries against another, by both."""
    found: dict[tuple[int, int], tuple[float, int]] = {}
    stats = PairStat.objects.filter(low__in=entries, high__in=entries, matches__gt=0)
    for low, high, seats, matches, halves in stats.values_list("low", "high", "seats", "matches", "halves"):
        points = halves / (2 * seats)
        for pair, share in (((low, high), points), ((high, low), matches - points)):
            before = found.get(pair, (0.0, 0))
            found[pair] = (before[0] + share, before[1] + matches)
    return found


# Read the history of ratings, by day and by match.

MAX_RATING_DAYS_LISTED, MAX_RATING_CHANGES_LISTED = 366, 200
"""Maximum length of the history of a rating, by day and by match."""


def list_daily_ratings(bot: int, ladder: int) -> list[tuple[float, float, int, date, int, int | None]]:
    """List rating, deviation, matches, day, version and place of a bot over all its versions, newest first.

    The place is None on days when it was provisional.
    """
    days = RatingPoint.objects.filter(entry__version__bot=bot, entry__ladder=ladder).order_by("-day", "-pk")
    place = Case(When(rank__isnull=False, then=F("place")))
    columns = ("rating", "deviation", "matches", "day", "entry__version__number", place)
    return list(days.values_list(*columns)[:MAX_RATING_DAYS_LISTED])


def list_ratings_by_match(entry: int) -> list[tuple[float, float, datetime | None]]:
    """List rating and deviation of an entry after each of its last matches, and when these ended, newest first."""
    changes = RatingChange.objects.filter(entry=entry).order_by("-pk")
    return list(
        changes.values_list("after", "deviation", "ladder_match__match__finished_at")[:MAX_RATING_CHANGES_LISTED]
    )


def fetch_places_by_day(
    ladder: Ladder, bots: Sequence[int], most: int
) -> tuple[list[date], dict[tuple[int, date], tuple[int, bool]]]:
    """Return some days of a season, spread evenly over it, and the places of these bots on each, oldest first.

    A place comes with whether it was sure: that of a provisional bot is where its rating put it.
    """
    key = f"season:{ladder.pk}:{ladder.fitted_sequence}:{most}:{'-'.join(map(str, bots))}"
    kept: tuple[list[date], dict[tuple[int, date], tuple[int, bool]]] | None = cache.get(key)
    if kept is None:
        kept = _read_places_by_day(ladder, bots, most)
        cache.set(key, kept, RANK_ORDER_CACHE_S)
    return kept


def _read_places_by_day(
    ladder: Ladder, bots: Sequence[int], most: int
) -> tuple[list[date], dict[tuple[int, date], tuple[int, bool]]]:
    points = RatingPoint.objects.filter(entry__ladder=ladder, entry__version__bot__in=bots, place__isnull=False)
    days = sorted(points.order_by().values_list("day", flat=True).distinct())
    steps = min(most, len(days))
    shown = [days[(len(days) - 1) * step // max(steps - 1, 1)] for step in range(steps)]
    rows = points.filter(day__in=shown).order_by("entry").values_list("entry__version__bot", "day", "place", "rank")
    return shown, {(bot, day): (place or 0, rank is not None) for bot, day, place, rank in rows}


def list_ratings_by_bot_and_ladder(bots: Sequence[int], after: date, before: date) -> Iterable[tuple[Any, ...]]:
    """List bot, ladder, day and rating of these bots on running ladders between two days, oldest first."""
    points = RatingPoint.objects.filter(entry__version__bot__in=bots, entry__ladder__closed_at=None)
    between = points.filter(day__gt=after, day__lt=before).order_by("day", "entry")
    return between.values_list("entry__version__bot", "entry__ladder", "day", "rating")


def list_rating_points(reader: Reader, bot: Bot, **conditions: object) -> QuerySet[RatingPoint]:
    """List the daily ratings of a bot's versions; conditions are lookups of the entry."""
    shown = Entry.objects.shown_to(reader).filter(version__bot=bot)
    points = RatingPoint.objects.filter(entry__in=shown)
    points = points.filter(**{f"entry__{name}": value for name, value in conditions.items()})
    return points.select_related("entry__ladder", "entry__version").defer(
        "entry__ladder__secret", "entry__version__build_log"
    )


# Titles of games and editions. Those of a game that is not installed now are kept in the titles of its ladders.


def find_game_title(key: str) -> str:
    """Return the title of a game, or its key where it is not installed and never had a ladder."""
    if key in GAMES:
        return GAMES[key].title
    titles = [game for game, _edition in _find_kept_titles(key).values()]
    return titles[0] if titles else key


def find_variant_name(played: HasRules) -> Message:
    """Return the edition and the changed options by which something is played; of a game that is gone the edition."""
    if played.game in GAMES:
        return name_variant(played)
    _game, edition = _find_kept_titles(played.game).get(played.edition, ("", ""))
    return literal(edition or played.edition)


def _find_kept_titles(game: str) -> Mapping[str, tuple[str, str]]:
    try:
        return _read_kept_titles(game)
    except Ladder.DoesNotExist:
        return {}


@lru_cache(maxsize=256)
def _read_kept_titles(game: str) -> Mapping[str, tuple[str, str]]:
    """Return the titles of game and edition by edition. Raises Ladder.DoesNotExist, so that only titles are cached."""
    titles = dict(Ladder.objects.public().filter(game=game).order_by("season").values_list("edition", "title"))
    if not titles:
        raise Ladder.DoesNotExist
    parts = {edition: title.partition(", ") for edition, title in titles.items()}
    return {edition: (name, edition_title) for edition, (name, _comma, edition_title) in parts.items()}


# Read rated matches of ladders, and how they changed ratings.


@dataclass(frozen=True, slots=True)
class RatingStep:
    """The change of a version's rating by a rated match, in Elo."""

    before: float
    after: float
    deviation: float
    """Standard deviation afterwards."""
    is_taken_back: bool
    """Whether the match was excluded from the ratings later."""


def fetch_ladder_matches(matches: Sequence[int]) -> dict[int, LadderMatch]:
    """Return the row of the ledger of each of these matches that was played for a ladder."""
    rows = LadderMatch.objects.filter(match__in=matches).select_related("ladder__group").defer("ladder__secret")
    return {row.match_id: row for row in rows}


def keep_rated_between(
    matches: QuerySet[Match], lowest: float | None, highest: float | None, bot: str = ""
) -> QuerySet[Match]:
    """Keep the rated matches before which all but this bot, by its slug, had a rating between these bounds.

    Without a bound the matches are returned as they are.
    """
    changes = RatingChange.objects.filter(ladder_match__match=OuterRef("pk"))
    others = changes.exclude(entry__version__bot__slug=bot)
    for lookup, bound in (("before__lt", lowest), ("before__gt", highest)):
        if bound is not None:
            matches = matches.filter(Exists(changes), ~Exists(others.filter(**{lookup: bound})))
    return matches


def fetch_rating_steps(matches: Collection[int]) -> dict[int, dict[int, RatingStep]]:
    """Return by match, of those that are played for a ladder, the changes by version; empty until it is counted."""
    columns = ("entry__version", "before", "after", "deviation")
    rows = LadderMatch.objects.filter(match__in=matches).values_list(
        "match", "void_sequence", *(f"changes__{column}" for column in columns)
    )
    steps: dict[int, dict[int, RatingStep]] = {}
    for match, void_sequence, version, before, after, deviation in rows:
        of_match = steps.setdefault(match, {})
        if version is not None:
            of_match[version] = RatingStep(before, after, deviation, void_sequence is not None)
    return steps


def list_recent_rated_matches(entry: Entry, limit: int) -> list[int]:
    """Return the keys of an entry's newest rated matches, newest first."""
    changes = RatingChange.objects.filter(entry=entry, ladder_match__void_sequence=None).order_by("-pk")
    return list(changes.values_list("ladder_match__match", flat=True)[:limit])
