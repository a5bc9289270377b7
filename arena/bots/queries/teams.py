"""Find the people who work on a bot, and the invitations to do so."""

from collections.abc import Iterable

from django.db.models import F, QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot, TeamMember


def list_authors_of_bot(bot: Bot) -> list[User]:
    """Return all authors of a bot, the one who leads first."""
    return [bot.owner, *_list_co_authors([bot])]


def list_authors_of_bots(bots: Iterable[Bot]) -> list[User]:
    """Return all authors of these bots but the house, each once."""
    bots = list(bots)
    leads = [bot.owner for bot in bots if not bot.owner.is_house]
    return list({user.pk: user for user in (*leads, *_list_co_authors(bots))}.values())


def _list_co_authors(bots: Iterable[Bot]) -> list[User]:
    """Return the authors of bots beside those who lead. Bots of one person need no query."""
    keys = [one["id"] for bot in bots for one in bot.co_authors]
    users = User.objects.in_bulk(keys) if keys else {}
    return [users[key] for key in dict.fromkeys(keys) if key in users]


def list_team(bot: Bot) -> QuerySet[TeamMember]:
    """List the people on a bot's team beside its lead: those who have joined in that order, then those invited."""
    places = TeamMember.objects.filter(bot=bot, declined_at=None).select_related("user", "invited_by")
    return places.order_by(F("joined_at").asc(nulls_last=True), "pk")


def find_on_team(bot: Bot, username: str) -> User | None:
    """Return the user of this name if it is an author of the bot or invited to be one, or None."""
    if username == bot.owner.username:
        return bot.owner
    place = list_team(bot).filter(user__username=username).first()
    return place.user if place else None


def find_invitation(bot: Bot, reader: object) -> TeamMember | None:
    """Return the reader's open invitation to work on a bot, or None."""
    if not isinstance(reader, User):
        return None
    return TeamMember.objects.invited().filter(bot=bot, user=reader).select_related("invited_by").first()


def list_invitations(user: User) -> QuerySet[TeamMember]:
    """List the open invitations of a user to work on bots, newest first."""
    return TeamMember.objects.invited().filter(user=user).select_related("bot", "invited_by").order_by("-pk")
