"""Erase a group with all that is its own. What is public stays, under the user names, which tell nobody's real name."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Q

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.challenges.models import Challenge
from arena.comparisons.models import Comparison
from arena.errors import ArenaError, Conflict
from arena.groups.models import Group, Membership
from arena.groups.queries.groups import list_unused_accounts
from arena.groups.services.editing import lock_organised_group
from arena.ladders.models import Ladder
from arena.matches.models import Match, VerdictCount
from arena.notices.models import Event, Notice
from arena.tournaments.models import Tournament
from engine.message import gettext_noop, message


@dataclass(frozen=True, slots=True)
class GroupContents:
    """How much there is that would be erased, and what would stay."""

    members: int
    bots: int
    """Bots for the group only."""
    matches: int
    ladders: int
    """Seasons of its ladders."""
    hidden_tournaments: int
    shown_tournaments: int
    """Tournaments that others see, too: they stay."""


def count_contents(group: Group) -> GroupContents:
    """Count what a group has."""
    tournaments = Tournament.objects.filter(group=group)
    hidden = tournaments.filter(_is_hidden()).count()
    return GroupContents(
        members=Membership.objects.filter(group=group).count(),
        bots=Bot.objects.filter(group=group).count(),
        matches=Match.objects.filter(group=group).count(),
        ladders=Ladder.objects.filter(group=group).count(),
        hidden_tournaments=hidden,
        shown_tournaments=tournaments.count() - hidden,
    )


@transaction.atomic
def erase_group(*, group: Group, by: User, confirmation: str) -> None:
    """Erase a group, as an owner: names of members, its bots, its ladders, and contests and matches others never saw.

    Tournaments that others see stay with their organisers. Accounts stay, but for those that a list made and nobody
    used. Raise NotYours, ArenaError unless `confirmation` is the name of the group, or Conflict while its matches are
    played.
    """
    group = lock_organised_group(group, by, as_owner=True)
    if confirmation.strip() != group.name:
        problem = gettext_noop("Type the name of the group to delete it.")
        raise ArenaError(message(problem), fields=["confirmation"])
    matches = Match.objects.filter(group=group)
    if matches.filter(state__in=[Match.State.QUEUED, Match.State.RUNNING]).exists():
        problem = gettext_noop(
            "Matches of the group wait or are being played: cancel its tournaments, end the seasons of its ladders, or "
            "wait until they are over."
        )
        raise Conflict(message(problem))
    unused = list(list_unused_accounts(group).values_list("user", flat=True))
    Tournament.objects.filter(_is_hidden(), group=group).delete()
    Tournament.objects.filter(group=group).update(group=None)
    Ladder.objects.filter(group=group).delete()
    _erase_bots(group)
    matches.delete()
    Notice.objects.filter(event=Event.GROUP_INVITATION, about=f"group {group.pk}").delete()
    group.delete()
    User.objects.filter(pk__in=unused, last_login=None).delete()


def _erase_bots(group: Group) -> None:
    """Delete the bots for a group only with what they have played, which was the group's."""
    bots = Bot.objects.filter(group=group)
    versions = Q(version__bot__in=bots)
    played = Match.objects.filter(pk__in=Match.objects.filter(participants__version__bot__in=bots).values("pk"))
    Challenge.objects.filter(match__in=played).delete()
    Comparison.objects.filter(versions | Q(baseline__bot__in=bots)).delete()
    played.delete()
    VerdictCount.objects.filter(versions).delete()
    bots.delete()


def _is_hidden() -> Q:
    return Q(visibility=Tournament.Visibility.GROUP) | Q(state=Tournament.State.DRAFT)
