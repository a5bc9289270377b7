"""Open and close seasons, and let groups have ladders of their own."""

from collections import defaultdict
from collections.abc import Sequence
from math import hypot
from statistics import fmean

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.bots.running import is_on_ladder, list_anchors, list_samples
from arena.bots.services import check_plays
from arena.bots.teams import check_author, check_membership
from arena.contests.ladders.models import Entry, Ladder, LadderMatch, LadderMatchQuerySet, new_secret
from arena.contests.ladders.queries import list_admitted_bots
from arena.contests.ladders.rating import DISPERSION_OF_ONE_LEG, DUEL, INITIAL_DISPERSION, VERSION_CHANGE_SD_ELO
from arena.contests.ladders.services.entering import (
    LadderFull,
    NotPassed,
    check_admitted,
    describe_house_ratings,
    enter_promoted,
    enter_version,
    mark_fit_stale,
    pause_ladder,
    restart_carried_samples,
    resume_ladder,
)
from arena.contests.ladders.services.ledger import lock_ladder
from arena.core.errors import ArenaError, Conflict
from arena.matches.models import Leg
from arena.people.accounts.models import User
from arena.people.groups.models import Group
from arena.people.groups.services import is_group_organiser, lock_organised_group
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import describe_value_function
from engine.core import Json
from engine.message import gettext_noop, message
from engine.registry import GAMES, find_game
from engine.season import SEASON_FORMAT, Season, commitment

# Open and close seasons, derive their deals, and publish what verifies them.

CARRIED_ENTRY_STATES = (Entry.State.ACTIVE, Entry.State.SUSPENDED)

CARRIED_LADDER_FIELDS = (
    "anchor_mean", "dispersion", "spread", "top_rating", "match_seconds", "next_virtual_start", "paused_at",
)  # fmt: skip


@transaction.atomic
def open_season(*, game: str, edition: str, title: str, group: Group | None = None, clock: str = "") -> Ladder:
    """Return the running season of an edition, or open the next one and commit to its secret.

    It commits to its value function and to the measured ratings of the house's bots as well.
    With `group` it is one of the group's own ladder, with `clock` one of an open ladder.
    """
    seasons = Ladder.objects.filter(game=game, edition=edition, group=group, clock=clock)
    if running := seasons.open().first():
        return running
    last = seasons.order_by("season").last()
    secret, evaluator = new_secret(), find_evaluator(game, edition)
    return Ladder.objects.create(
        game=game,
        edition=edition,
        season=last.season + 1 if last else 1,
        title=title,
        group=group,
        clock=clock,
        dispersion=DISPERSION_OF_ONE_LEG if clock else INITIAL_DISPERSION,
        secret=secret,
        commitment=commitment(secret),
        value_function=evaluator and describe_value_function(evaluator),
        house_ratings=describe_house_ratings(game, edition),
    )


@transaction.atomic
def close_season(*, ladder: Ladder) -> Ladder:
    """End a season, open the next and return it. Raise Conflict if it is over already.

    Matches that wait or run are still played and rated; then the secret is published. Active entries start the next
    season from their ratings, with a larger deviation.
    """
    ladder = end_season(ladder=ladder)
    following = open_season(
        game=ladder.game, edition=ladder.edition, title=ladder.title, group=ladder.group, clock=ladder.clock
    )
    carry_over(last=ladder, following=following)
    make_samples_anchors(ladder=following)
    following.refresh_from_db()
    return following


@transaction.atomic
def end_season(*, ladder: Ladder) -> Ladder:
    """End a season without opening the next, and return it. Raise Conflict if it is over already."""
    ladder = lock_ladder(ladder)
    if ladder.closed_at is not None:
        problem = gettext_noop("Season %(season)s of %(ladder)s has already ended.")
        raise Conflict(message(problem, season=ladder.season, ladder=str(ladder)))
    ladder.closed_at = now()
    ladder.save(update_fields=["closed_at"])
    return ladder


@transaction.atomic
def carry_over(*, last: Ladder, following: Ladder) -> None:
    """Let a new season begin with the scale and the entries of the last one."""
    for field in CARRIED_LADDER_FIELDS:
        setattr(following, field, getattr(last, field))
    following.is_stale = True
    following.save()
    goes_on = Entry.objects.filter(ladder=last, state__in=CARRIED_ENTRY_STATES).order_by("pk")
    Entry.objects.bulk_create(_copy_to_season(entry, following) for entry in goes_on)


def _copy_to_season(entry: Entry, following: Ladder) -> Entry:
    deviation = hypot(entry.deviation, VERSION_CHANGE_SD_ELO)
    return Entry(
        ladder=following,
        version_id=entry.version_id,
        parent=entry,
        state=entry.state,
        state_reason=entry.state_reason,
        stopped_with_author=entry.stopped_with_author,
        first_rating=entry.rating,
        first_deviation=deviation,
        rating=entry.rating,
        deviation=deviation,
    )


@transaction.atomic
def make_samples_anchors(*, ladder: Ladder) -> None:
    """Make the sample bots the anchors of a season, at their mean. Do nothing once a match of it is rated."""
    ladder = lock_ladder(ladder)
    of_samples = Entry.objects.active().filter(
        ladder=ladder,
        version__bot__owner__is_house=True,
        version__bot__name__in=list_anchors(ladder.game),
    )
    ratings = list(of_samples.values_list("first_rating", flat=True))
    if ladder.last_sequence or not ratings:
        return
    of_samples.update(is_anchor=True)
    restart_carried_samples(ladder)
    ladder.anchor_mean, ladder.is_stale = fmean(ratings), True
    ladder.save(update_fields=["anchor_mean", "is_stale"])


def derive_match_deal(ladder: Ladder, number: int, seats: int, *, legs: int | None = None) -> tuple[Json, list[str]]:
    """Derive the deal and the salts of the match with this number: one per leg, of which there are as many as seats."""
    season = Season(ladder.secret, ladder.game, ladder.edition, ladder.season)
    game = find_game(ladder.game)
    return season.deal(game, game.options(ladder.edition), seats, number), season.salts(legs or seats, number)


def find_revealed_secret(ladder: Ladder) -> str | None:
    """Return the secret of a season, or None as long as a match dealt from it may be played."""
    if ladder.closed_at is None or LadderMatch.objects.in_flight().filter(ladder=ladder).exists():
        return None
    return ladder.secret


def build_season_document(ladder: Ladder) -> Json:
    """Return the public document of a season without its matches, which `build_deal_rows` returns."""
    game = find_game(ladder.game)
    of_open_ladder = {"clock": ladder.clock} if ladder.clock else {}
    return of_open_ladder | {
        "format": SEASON_FORMAT,
        "game": ladder.game,
        "edition": ladder.edition,
        "season": ladder.season,
        "title": ladder.title,
        "options": game.options(ladder.edition),
        "rules_version": game.rules_version,
        "opened_at": ladder.opened_at.isoformat(),
        "closed_at": ladder.closed_at and ladder.closed_at.isoformat(),
        "commitment": ladder.commitment,
        "value_function": ladder.value_function,
        "house_ratings": ladder.house_ratings,
        "secret": find_revealed_secret(ladder),
        "last_number": ladder.last_number,
    }


def list_dealt_matches(ladder: Ladder) -> LadderMatchQuerySet:
    """List the matches dealt from the season's secret, by number."""
    numbered = LadderMatch.objects.filter(ladder=ladder).exclude(number=None)
    return numbered.select_related("match").defer("match__deal", "match__limits").order_by("number")


def build_deal_rows(ladder: Ladder, matches: Sequence[LadderMatch]) -> list[Json]:
    """Return the rows of these matches in a season's document. Options are included where they differ from it."""
    options = find_game(ladder.game).options(ladder.edition)
    legs = Leg.objects.filter(match__in=[row.match_id for row in matches]).order_by("match", "number")
    deal_hashes, record_hashes = defaultdict(list), defaultdict(list)
    for match, deal_hash, record_hash in legs.values_list("match", "deal_hash", "record_hash"):
        deal_hashes[match].append(deal_hash)
        record_hashes[match].append(record_hash)
    seats = DUEL if ladder.clock else None
    return [
        _build_deal_row(row, deal_hashes[row.match_id], record_hashes[row.match_id], options, seats) for row in matches
    ]


def _build_deal_row(
    row: LadderMatch, deal_hashes: list[str], record_hashes: list[str], options: Json, seats: int | None
) -> Json:
    """Return the row of a match with a leg for each seat, or with so many `seats`."""
    deal_row = {
        "number": row.number,
        "match": row.match_id,
        "state": row.match.state,
        "seats": seats or len(deal_hashes),
        "rules_version": row.match.rules_version,
        "deal_hashes": deal_hashes,
    }
    if all(record_hashes):
        deal_row["record_hashes"] = record_hashes
    return deal_row if row.match.options == options else deal_row | {"options": row.match.options}


# The ladders of groups: opened, paused and ended by their organisers; who plays there, and who plays no more.


@transaction.atomic
def open_group_ladder(*, group: Group, by: User, game: str, edition: str, with_samples: bool = True) -> Ladder:
    """Open a ladder of an edition for a group alone, as an organiser, or the next season of one; return it.

    The group's own bots play on it at once, with those of the last season, and the sample bots if wished: they fix the
    scale, which without them is centred on the bots that play. Raise NotYours, ArenaError, or Conflict where one runs.
    """
    group = lock_organised_group(group, by)
    if game not in GAMES or edition not in GAMES[game].editions:
        problem = gettext_noop("This arena doesn't have an edition %(edition)s of %(game)s.")
        raise ArenaError(message(problem, edition=edition, game=game))
    seasons = Ladder.objects.filter(group=group, game=game, edition=edition)
    if running := seasons.open().first():
        raise Conflict(message(gettext_noop("%(ladder)s is already open."), ladder=str(running)))
    last = seasons.order_by("season").last()
    title = f"{GAMES[game].title}, {GAMES[game].editions[edition]}"
    ladder = open_season(game=game, edition=edition, title=title, group=group)
    if last is not None:
        _continue_season(last, ladder, with_samples)
    if with_samples:
        for version in list_samples_on(ladder):
            enter_version(ladder=ladder, version=version)
        make_samples_anchors(ladder=ladder)
    own = Q(group=group) | Q(versions__entries__ladder=ladder)
    for version in list_versions_to_enter(list_admitted_bots(ladder).filter(own, stopped_at=None)):
        try:
            enter_version(ladder=ladder, version=version)
        except (LadderFull, NotPassed):
            continue
    ladder.refresh_from_db()
    return ladder


@transaction.atomic
def end_group_season(*, ladder: Ladder, by: User) -> Ladder:
    """End the season of a group's ladder, as an organiser. Raise NotYours, or Conflict where it is over.

    Matches that wait or run are still played and rated; then the group reads the secret.
    """
    _check_organiser(ladder, by)
    return end_season(ladder=ladder)


@transaction.atomic
def pause_group_ladder(*, ladder: Ladder, by: User) -> None:
    """Let no new matches be paired on a group's ladder, as an organiser. Raise NotYours or Conflict."""
    _check_organiser(ladder, by)
    pause_ladder(ladder=ladder)


@transaction.atomic
def resume_group_ladder(*, ladder: Ladder, by: User) -> None:
    """Let matches be paired again on a group's ladder, as an organiser. Raise NotYours or Conflict."""
    _check_organiser(ladder, by)
    resume_ladder(ladder=ladder)


@transaction.atomic
def enter_group_ladder(*, ladder: Ladder, bot: Bot, by: User) -> Entry:
    """Let the newest accepted version of a bot play on a group's ladder, as its author who is in the group.

    Raise NotYours, ForGroupOnly, LadderFull, SeasonOver, NotPassed, BotStopped, AuthorSuspended, or Conflict without a
    version.
    """
    group = _get_group(ladder)
    check_author(bot, by)
    check_membership(by, group)
    check_plays(bot, reader=by)
    check_admitted(ladder, bot)
    version = list_versions_to_enter(Bot.objects.filter(pk=bot.pk)).first()
    if version is None:
        raise Conflict(message(gettext_noop("%(name)s has no version that passed its trial."), name=bot.name))
    return enter_promoted(ladder, version)


@transaction.atomic
def leave_group_ladder(*, ladder: Ladder, bot: Bot, by: User) -> None:
    """Take a bot off a group's ladder, as its author or an organiser. Its results stay. Raise NotYours or Conflict."""
    if not is_group_organiser(_get_group(ladder), by):
        check_author(bot, by)
    ladder = lock_ladder(ladder)
    if not take_off(ladder, Entry.objects.filter(ladder=ladder, version__bot=bot)):
        problem = gettext_noop("%(name)s doesn't play on %(ladder)s.")
        raise Conflict(message(problem, name=bot.name, ladder=str(ladder)))


@transaction.atomic
def take_off_strangers(*, ladder: Ladder) -> int:
    """Take the bots off a group's ladder that may not play there any more, and return how many entries these are."""
    strangers = Entry.objects.filter(ladder=ladder).exclude(version__bot__in=list_admitted_bots(ladder))
    return take_off(lock_ladder(ladder), strangers)


def take_off(ladder: Ladder, entries: QuerySet[Entry]) -> int:
    """Retire those of these entries of a locked ladder that are in play, and return how many these are."""
    keys = list(entries.exclude(state=Entry.State.RETIRED).values_list("pk", flat=True))
    if keys:
        retired = {"state": Entry.State.RETIRED, "state_reason": None, "stopped_with_author": False}
        Entry.objects.filter(pk__in=keys).update(**retired)
        mark_fit_stale(ladder)
    return len(keys)


def _continue_season(last: Ladder, following: Ladder, with_samples: bool) -> None:
    """Let a season begin with what played in the last one; paused or not before, it runs."""
    carry_over(last=last, following=following)
    if following.paused_at is not None:
        following.paused_at = None
        following.save(update_fields=["paused_at"])
    if not with_samples:
        Entry.objects.filter(ladder=following, version__bot__owner__is_house=True).delete()
    take_off_strangers(ladder=following)


def list_samples_on(ladder: Ladder) -> QuerySet[BotVersion]:
    """List the sample bots that play on the ladders of an edition, each in its newest version."""
    names = [name for name in list_samples(ladder.game) if is_on_ladder(name, ladder.edition)]
    return list_versions_to_enter(Bot.objects.filter(owner__is_house=True, game=ladder.game, name__in=names))


def list_versions_to_enter(bots: QuerySet[Bot]) -> QuerySet[BotVersion]:
    """List the newest accepted version of each of these bots, those on hold left out."""
    accepted = BotVersion.objects.accepted().filter(bot__in=bots, is_on_hold=False)
    newest = accepted.order_by().values("bot").annotate(newest=Max("pk")).values("newest")
    return BotVersion.objects.filter(pk__in=newest).select_related("bot__owner").order_by("pk")


def _check_organiser(ladder: Ladder, by: User) -> None:
    lock_organised_group(_get_group(ladder), by)


def _get_group(ladder: Ladder) -> Group:
    """Return the group whose ladder it is. Raises Conflict for a public one."""
    if ladder.group is None:
        raise Conflict(message(gettext_noop("%(ladder)s isn't a group ladder."), ladder=str(ladder)))
    return ladder.group
