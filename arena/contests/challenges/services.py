"""Challenges: unrated matches requested by an author."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Prefetch, QuerySet
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.running import is_sample, list_samples
from arena.bots.services import check_plays, check_sandboxed
from arena.bots.teams import QuotaSpent, check_author, check_is_public, check_may_meet
from arena.contests.challenges.models import Challenge
from arena.contests.ladders.models import Entry
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.services.access import check_may_practise
from arena.core.errors import ArenaError
from arena.core.wake import Work, wake
from arena.matches.filters import parse_series_length, resolve_variant
from arena.matches.models import Match
from arena.matches.services import queue_match
from arena.people.accounts.models import User
from arena.people.accounts.services import check_not_suspended
from engine.message import gettext_noop, message

DAY = timedelta(hours=24)
PRIORITY = 3


class NotChallengeable(ArenaError):
    """The two versions can't play each other; the message says why."""


@transaction.atomic
def create_challenge(
    *,
    owner: User,
    version: BotVersion,
    opponent: BotVersion,
    edition: str = "",
    options: Mapping[str, Any] | None = None,
    series: Mapping[str, Any] | None = None,
) -> Challenge:
    """Queue an unrated match of one of the owner's versions against a bot on a ladder, or another of the owner's.

    The match is of the game's first edition unless another is given; `options` are changes of that, `series` its
    length as JSON. Raises NotYours, UnplayableRules, NotChallengeable, QuotaSpent or AuthorSuspended.
    """
    check_not_suspended(User.objects.select_for_update().get(pk=owner.pk))
    check_author(version.bot, owner)
    variant = resolve_variant(version.bot.game, edition, options)
    length = parse_series_length(version.bot.game, 2, series)
    _check_pair(owner, version, opponent)
    _check_quota(owner)
    match = queue_match(
        versions=[version, opponent],
        game=version.bot.game,
        edition=variant.edition,
        options=variant.changed_options,
        series=length,
        priority=PRIORITY,
    )
    wake(Work.MATCH, match.pk)
    return Challenge.objects.create(owner=owner, version=version, match=match)


def _check_quota(owner: User) -> None:
    today = Challenge.objects.filter(owner=owner, created_at__gt=now() - DAY).count()
    if today >= settings.MAX_CHALLENGES_PER_DAY:
        problem = gettext_noop("You've made %(count)s challenges in 24 hours; the maximum is %(most)s.")
        raise QuotaSpent(message(problem, count=today, most=settings.MAX_CHALLENGES_PER_DAY))


def _check_pair(owner: User, version: BotVersion, opponent: BotVersion) -> None:
    _check_plays(owner, version, opponent)
    if version.pk == opponent.pk:
        raise NotChallengeable(message(gettext_noop("A version can't play itself.")))
    check_may_meet([version.bot, opponent.bot])
    is_active = Entry.objects.active().public().filter(version=opponent, ladder__closed_at=None).exists()
    is_in_same_group = version.bot.group_id is not None and version.bot.group_id == opponent.bot.group_id
    if not opponent.bot.has_author(owner) and not is_active and not is_in_same_group:
        raise NotChallengeable(message(gettext_noop("%(version)s isn't on a ladder."), version=str(opponent)))


def _check_plays(owner: User, version: BotVersion, opponent: BotVersion) -> None:
    for one in (version, opponent):
        check_plays(one.bot, reader=owner)
        check_sandboxed(one.bot)
        if one.state != BotVersion.State.ACCEPTED:
            raise NotChallengeable(message(gettext_noop("%(version)s hasn't passed its trial."), version=str(one)))
    if version.bot.game != opponent.bot.game:
        problem = gettext_noop("%(one)s and %(other)s play different games.")
        raise NotChallengeable(message(problem, one=version.bot.name, other=opponent.bot.name))


# Practise for a tournament: a challenge of a sample bot by the tournament's rules.


@transaction.atomic
def create_practice_match(
    *, owner: User, tournament: Tournament, version: BotVersion, opponent: BotVersion
) -> Challenge:
    """Queue a match of one of the owner's versions against a sample bot by the rules of a tournament.

    It counts as a challenge, so as many as of these can be made a day. The tournament's group alone sees it where that
    alone sees the tournament. Where a table has more seats, the sample bot has all others. Raises NotPermitted,
    NotYours, NotChallengeable, Conflict, QuotaSpent or AuthorSuspended.
    """
    check_not_suspended(User.objects.select_for_update().get(pk=owner.pk))
    check_may_practise(tournament, owner)
    check_author(version.bot, owner)
    _check_plays(owner, version, opponent)
    if version.bot.game != tournament.game:
        problem = gettext_noop("%(name)s doesn't play this tournament's game.")
        raise NotChallengeable(message(problem, name=version.bot.name))
    if not is_sample(opponent.bot):
        problem = gettext_noop("%(name)s isn't a sample bot, and you can only practise against those.")
        raise NotChallengeable(message(problem, name=opponent.bot.name))
    if version.bot.group_id not in (None, tournament.audience_id):
        check_is_public(version.bot)
    _check_quota(owner)
    settings = tournament.full_settings
    match = queue_match(
        versions=[version, *[opponent] * (settings.seats - 1)],
        game=tournament.game,
        edition=tournament.edition,
        options=tournament.changed_options,
        series=settings.series,
        priority=PRIORITY,
        group=tournament.audience_id,
    )
    wake(Work.MATCH, match.pk)
    return Challenge.objects.create(owner=owner, version=version, match=match, tournament=tournament)


def list_practice_opponents(game: str) -> list[BotVersion]:
    """List the newest versions of the sample bots that play a game, the simplest first."""
    names = list_samples(game)
    house = BotVersion.objects.accepted().filter(bot__owner__is_house=True, bot__game=game, bot__name__in=names)
    newest = {version.bot.name: version for version in house.select_related("bot__owner").order_by("number")}
    return [newest[name] for name in names if name in newest and newest[name].bot.stopped_at is None]


def list_practice(owner: User, tournament: Tournament) -> QuerySet[Challenge]:
    """List the practice matches of a user for a tournament."""
    return _with_matches().filter(owner=owner, tournament=tournament)


def list_practice_matches(owner: User, tournament: Tournament, limit: int) -> QuerySet[Match]:
    """List the newest practice matches of a user for a tournament."""
    own = Match.objects.filter(challenge__owner=owner, challenge__tournament=tournament)
    return own.order_by("-pk").lean()[:limit]


# List challenges with their matches.


def _with_matches() -> QuerySet[Challenge]:
    return Challenge.objects.prefetch_related(Prefetch("match", Match.objects.lean()))


def list_challenges(owner: User, only_bot: int | None = None) -> QuerySet[Challenge]:
    """List the challenges of a user, or only those of one bot."""
    challenges = _with_matches().filter(owner=owner)
    return challenges if only_bot is None else challenges.filter(version__bot=only_bot)


def fetch_challenge(pk: int) -> Challenge:
    """Return that challenge with its match."""
    return _with_matches().get(pk=pk)


def list_challenge_matches(owner: User, limit: int) -> QuerySet[Match]:
    """List the newest matches that a user has requested."""
    return Match.objects.filter(challenge__owner=owner).order_by("-pk").lean()[:limit]
