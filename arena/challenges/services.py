"""Unrated matches that authors want."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.models import BotVersion
from arena.bots.quotas import QuotaSpent
from arena.challenges.models import Challenge
from arena.errors import ArenaError, NotYours
from arena.ladders.models import Entry
from arena.matches.services import queue_match
from engine.registry import find_game

DAY = timedelta(hours=24)
PRIORITY = 5


class NotChallengeable(ArenaError):
    """These two can't play each other. The message says why."""


@transaction.atomic
def challenge(*, owner: User, version: BotVersion, opponent: BotVersion, edition: str = "") -> Challenge:
    """Queue an unrated match of one of the owner's versions against a bot that is on a ladder now, or another own one.

    Of the game's first edition unless another is given. Raises NotYours, NotChallengeable or QuotaSpent.
    """
    User.objects.select_for_update().get(pk=owner.pk)
    if version.bot.owner_id != owner.pk:
        raise NotYours(f"{version.bot.name} belongs to somebody else.")
    editions = find_game(version.bot.game).editions
    if edition and edition not in editions:
        raise NotChallengeable(f"There is no edition {edition!r}; there are: {', '.join(editions)}.")
    _check_pair(owner, version, opponent)
    today = Challenge.objects.filter(owner=owner, created_at__gt=now() - DAY).count()
    if today >= settings.CHALLENGES_PER_DAY:
        raise QuotaSpent(
            f"You have made {today} challenges in 24 hours, "
            f"and nobody may make more than {settings.CHALLENGES_PER_DAY}."
        )
    match = queue_match(
        versions=[version, opponent],
        game=version.bot.game,
        edition=edition or next(iter(editions)),
        priority=PRIORITY,
    )
    return Challenge.objects.create(owner=owner, version=version, match=match)


def _check_pair(owner: User, version: BotVersion, opponent: BotVersion) -> None:
    for one in (version, opponent):
        if one.state != BotVersion.State.ACCEPTED:
            raise NotChallengeable(f"{one} has not passed its trial.")
    if version.bot.game != opponent.bot.game:
        raise NotChallengeable(f"{version.bot.name} and {opponent.bot.name} play different games.")
    if version.pk == opponent.pk:
        raise NotChallengeable("A version can't play itself.")
    is_active = Entry.objects.active().filter(version=opponent, ladder__closed_at=None).exists()
    if opponent.bot.owner_id != owner.pk and not is_active:
        raise NotChallengeable(f"{opponent} is not on a ladder now.")
