"""Let several people work on a bot, and scripts act for them; say how many bots one owner can have."""

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet, Sum
from django.utils.formats import date_format
from django.utils.timezone import localtime, now

from arena.bots.models import Blob, Bot, BotVersion, TeamMember, Token
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.people.accounts.models import User
from arena.people.accounts.services import check_not_suspended
from arena.people.groups.models import Group, Membership
from arena.people.notices.models import Event, Notice
from arena.people.notices.services import notify_user, renew_notice
from engine.message import Message, gettext_noop, message

# Limit how many bots, versions and bytes one owner may store.

UPLOAD_QUOTA_PERIOD = timedelta(hours=24)
BYTES_PER_MIB = 1024 * 1024


class QuotaSpent(ArenaError):
    """The owner has reached a limit; the message says what to do, or when to try again."""

    status = 429


def check_bot_quota(owner: User) -> None:
    """Check that one more bot is allowed. Raises QuotaSpent."""
    if not has_room_for_bot(owner):
        problem = gettext_noop("You already have %(most)s bots, the maximum. Upload new versions of those.")
        raise QuotaSpent(message(problem, most=settings.MAX_BOTS_PER_OWNER))


def has_room_for_bot(owner: User) -> bool:
    """Return whether a user may lead one more bot."""
    return Bot.objects.of(owner).count() < settings.MAX_BOTS_PER_OWNER


def check_daily_version_quota(owner: User, *, uploader: User) -> None:
    """Check that one more version is allowed today: all count for the owner. Raises QuotaSpent."""
    today = BotVersion.objects.filter(bot__owner=owner, created_at__gt=now() - UPLOAD_QUOTA_PERIOD).order_by(
        "-created_at"
    )
    uploaded = list(today.values_list("created_at", flat=True)[: settings.MAX_VERSIONS_PER_DAY])
    if len(uploaded) < settings.MAX_VERSIONS_PER_DAY:
        return
    if not uploaded:
        raise QuotaSpent(message(gettext_noop("Uploads are disabled on this arena.")))
    again = localtime(uploaded[-1] + UPLOAD_QUOTA_PERIOD)
    problem = gettext_noop(
        "You've uploaded %(most)s versions in 24 hours, the maximum. You can upload again at %(time)s."
    )
    values: dict[str, str | int] = {"most": settings.MAX_VERSIONS_PER_DAY, "time": date_format(again, "H:i T, j F")}
    if uploader.pk != owner.pk:
        problem = gettext_noop(
            "The bots led by %(lead)s have had %(most)s uploads in 24 hours, the maximum. You can upload "
            "again at %(time)s."
        )
        values["lead"] = owner.username
    spent = message(problem, **values)
    raise QuotaSpent(spent, retry_after=(again - now()).total_seconds())


def check_storage_quota(owner: User, *, uploader: User) -> None:
    """Check that what is stored for an owner, the newest version included, is allowed. Raises QuotaSpent."""
    kept = count_stored_bytes(owner)
    if kept > settings.MAX_MEGABYTES_PER_OWNER * BYTES_PER_MIB:
        problem = gettext_noop(
            "Your bots would take up %(kept)s MiB; the maximum is %(most)s MiB. Leave out anything this one "
            "doesn't need, or ask the arena's operators."
        )
        values: dict[str, str | int] = {"kept": f"{kept / BYTES_PER_MIB:.1f}", "most": settings.MAX_MEGABYTES_PER_OWNER}
        if uploader.pk != owner.pk:
            problem = gettext_noop(
                "The bots led by %(lead)s would take up %(kept)s MiB; the maximum is %(most)s MiB. Leave out "
                "anything this one doesn't need, or ask the arena's operators."
            )
            values["lead"] = owner.username
        raise QuotaSpent(message(problem, **values))


def count_stored_bytes(owner: User) -> int:
    """Return the bytes stored for an owner: sources and binaries of all versions, each content once."""
    versions = BotVersion.objects.filter(bot__owner=owner)
    binaries = versions.exclude(binary=None).values("binary")
    kept = Blob.objects.filter(Q(pk__in=versions.values("source")) | Q(pk__in=binaries))
    return kept.aggregate(total=Sum("size"))["total"] or 0


# Find the people who work on a bot, and the invitations to do so.


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


# Bots for one group only: whom they may meet, and who sees their matches.


class ForGroupOnly(ArenaError):
    """What was asked for would show a bot to people outside its group."""


def find_audience(bots: Sequence[Bot], group: int | None = None) -> int | None:
    """Return the key of the group that alone sees a match of these bots; None where it is public. Raise Conflict."""
    groups = {bot.group_id for bot in bots} | {group}
    groups.discard(None)
    if len(groups) > 1:
        raise Conflict(message(gettext_noop("Bots of different groups can't play each other.")))
    return next(iter(groups), None)


def check_may_meet(bots: Sequence[Bot]) -> None:
    """Raise ForGroupOnly where a bot for a group would meet somebody's bot outside it, whose author would see it."""
    for bot in bots:
        if bot.group_id is None:
            continue
        outside = [
            other
            for other in bots
            if other.group_id != bot.group_id and not other.author_keys <= bot.author_keys and not other.owner.is_house
        ]
        if outside:
            problem = gettext_noop(
                "%(name)s is only for its group: it can only play the group's bots, its author's other bots "
                "and the sample bots."
            )
            raise ForGroupOnly(message(problem, name=bot.name))


def check_is_public(bot: Bot) -> None:
    """Raise ForGroupOnly for a bot that is for a group."""
    if bot.group_id is not None:
        problem = gettext_noop("%(name)s is only for its group. Publish it on its Manage page first.")
        raise ForGroupOnly(message(problem, name=bot.name))


def check_membership(owner: User, group: Group) -> None:
    """Raise NotYours unless a user is in a group for which a bot of theirs should be."""
    if not Membership.objects.filter(group=group, user=owner).exists():
        raise NotYours(message(gettext_noop("You aren't in this group.")))


# Let several people work on a bot. One of them leads: the bot's owner, who invites the others and lets them go.
#
# Who may change a bot is asked here: `check_author` for what all its authors may do, `check_lead` for the rest.

MAX_TEAM_SIZE = 10
"""The lead and the open invitations included."""
MAX_TEAM_INVITATIONS_PER_DAY = 30
INVITATION_WINDOW = timedelta(days=1)
REINVITATION_DELAY = timedelta(days=1)
"""Who has refused an invitation isn't asked again before that."""


def check_author(bot: Bot, user: User) -> None:
    """Raise NotYours unless a user is one of the bot's authors."""
    if not bot.has_author(user):
        raise NotYours(message(gettext_noop("%(name)s belongs to someone else."), name=bot.name))


def check_lead(bot: Bot, user: User) -> None:
    """Raise NotYours unless a user leads the bot's team, which may be of one person."""
    check_author(bot, user)
    if not bot.is_led_by(user):
        problem = gettext_noop("Only %(lead)s, the lead of %(name)s, can do that.")
        raise NotYours(message(problem, lead=bot.owner.username, name=bot.name))


@transaction.atomic
def invite_author(*, bot: Bot, by: User, user: User) -> TeamMember:
    """Invite a user to the bot's team, as its lead; the user gets a notice. Raise NotYours, Conflict, AuthorSuspended.

    Who is invited already gets no second invitation.
    """
    bot = _lock_led_bot(bot, by)
    if bot.has_author(user):
        raise Conflict(message(gettext_noop("%(person)s is already on the team."), person=user.username))
    _check_may_join(bot, user)
    known = TeamMember.objects.filter(bot=bot, user=user).first()
    if known is not None and known.declined_at is None:
        return known
    if known is not None and known.declined_at is not None and known.declined_at > now() - REINVITATION_DELAY:
        problem = gettext_noop("An invitation to %(person)s was recently refused or withdrawn. Try again tomorrow.")
        raise Conflict(message(problem, person=user.username))
    _check_invitation_limits(bot, by)
    values = {"invited_by": by, "invited_at": now(), "joined_at": None, "declined_at": None}
    invited, _ = TeamMember.objects.update_or_create(bot=bot, user=user, defaults=values)
    text = message(gettext_noop("%(person)s invited you to work on %(name)s."), person=by.username, name=bot.name)
    url = f"{bot.get_absolute_url()}invitation/"
    renew_notice(user=user, event=Event.GROUP_INVITATION, about=f"team {bot.pk}", text=text, url=url)
    return invited


@transaction.atomic
def accept_invitation(*, bot: Bot, user: User) -> Bot:
    """Make an invited user one of the bot's authors, and return the bot. Raise Conflict or AuthorSuspended."""
    bot = _lock_bot(bot)
    check_not_suspended(User.objects.get(pk=user.pk))
    invited = _require_invitation(bot, user)
    _check_may_join(bot, user)
    invited.joined_at = now()
    invited.save(update_fields=["joined_at"])
    _copy_team(bot)
    joined = gettext_noop("%(person)s is now an author of %(name)s.")
    _tell(bot, bot.owner, message(joined, person=user.username, name=bot.name), named=user)
    return bot


@transaction.atomic
def decline_invitation(*, bot: Bot, user: User) -> None:
    """Refuse an invitation, as the invited user. Raise Conflict."""
    bot = _lock_bot(bot)
    _decline(_require_invitation(bot, user))
    refused = gettext_noop("%(person)s refused the invitation to work on %(name)s.")
    _tell(bot, bot.owner, message(refused, person=user.username, name=bot.name), named=user)


@transaction.atomic
def remove_author(*, bot: Bot, by: User, user: User) -> None:
    """Take a user off the team or take an invitation back, as the lead, or leave the team oneself.

    The user's tokens for the bot alone are revoked. Raise NotYours or Conflict.
    """
    bot = _lock_bot(bot)
    if user.pk != by.pk:
        check_lead(bot, by)
    else:
        check_author(bot, by)
    if bot.is_led_by(user):
        problem = gettext_noop("You're the lead of %(name)s. Hand over the lead first.")
        raise Conflict(message(problem, name=bot.name))
    place = TeamMember.objects.filter(bot=bot, user=user, declined_at=None).first()
    if place is None:
        raise Conflict(message(gettext_noop("%(person)s isn't on the team."), person=user.username))
    if place.joined_at is None:
        _decline(place)
        Notice.objects.filter(user=user, event=Event.GROUP_INVITATION, about=f"team {bot.pk}").delete()
        return
    _leave(place)
    if user.pk == by.pk:
        left = gettext_noop("%(person)s is no longer an author of %(name)s.")
        _tell(bot, bot.owner, message(left, person=user.username, name=bot.name), named=user)
    else:
        _tell(bot, user, message(gettext_noop("You're no longer an author of %(name)s."), name=bot.name))


@transaction.atomic
def hand_over_lead(*, bot: Bot, by: User, user: User) -> Bot:
    """Let another author lead the team; the former lead stays on it. Return the bot. Raise NotYours or Conflict."""
    bot = _lock_led_bot(bot, by)
    if bot.is_led_by(user):
        raise Conflict(message(gettext_noop("%(person)s already leads the team."), person=user.username))
    place = TeamMember.objects.joined().filter(bot=bot, user=user).select_related("user").first()
    if place is None:
        raise Conflict(message(gettext_noop("%(person)s isn't on the team."), person=user.username))
    heir = User.objects.select_for_update().get(pk=user.pk)
    if not heir.is_active or heir.suspended_at is not None:
        raise Conflict(message(gettext_noop("%(person)s can't lead a team at the moment."), person=heir.username))
    if not has_room_for_bot(heir):
        problem = gettext_noop("%(person)s already has the maximum number of bots.")
        raise Conflict(message(problem, person=heir.username))
    former = bot.owner
    _make_lead(bot, place)
    TeamMember.objects.update_or_create(
        bot=bot, user=former, defaults={"invited_by": None, "joined_at": now(), "declined_at": None}
    )
    _copy_team(bot)
    text = message(gettext_noop("%(person)s made you the lead of %(name)s."), person=by.username, name=bot.name)
    _tell(bot, heir, text, named=by)
    return bot


@transaction.atomic
def leave_all_teams(*, user: User) -> None:
    """Take a user off all teams, and delete the notices of them that have the user's name.

    Teams that the user leads are led by who has been on them longest then; where nobody is, nobody is invited any more.
    """
    led = Bot.objects.select_for_update(of=("self",)).select_related("owner").filter(owner=user).order_by("pk")
    for bot in led:
        Notice.objects.filter(event=Event.GROUP_INVITATION, about=f"team {bot.pk}").delete()
        members = TeamMember.objects.joined().filter(bot=bot, user__is_active=True, user__suspended_at=None)
        heir = members.select_related("user").order_by("joined_at", "pk").first()
        if heir is None:
            TeamMember.objects.invited().filter(bot=bot).delete()
            continue
        _make_lead(bot, heir)
        _copy_team(bot)
        _tell(bot, heir.user, message(gettext_noop("You're now the lead of %(name)s."), name=bot.name))
    for place in TeamMember.objects.filter(user=user).select_related("bot"):
        _lock_bot(place.bot)
        _leave(place)
    Notice.objects.filter(event=Event.GROUP_INVITATION, about__startswith=f"author {user.pk} ").delete()


def _lock_bot(bot: Bot) -> Bot:
    """Return the bot as it is now, with its owner."""
    return Bot.objects.select_for_update(of=("self",)).select_related("owner").get(pk=bot.pk)


def _lock_led_bot(bot: Bot, by: User) -> Bot:
    """Return the bot as it is now. Raise NotYours or AuthorSuspended."""
    bot = _lock_bot(bot)
    check_lead(bot, by)
    check_not_suspended(bot.owner)
    return bot


def _check_may_join(bot: Bot, user: User) -> None:
    """Raise Conflict where a user can't work on a bot."""
    if bot.owner.is_house or user.is_house:
        raise Conflict(message(gettext_noop("The arena's sample bots have no team.")))
    if bot.group is not None:
        try:
            check_membership(user, bot.group)
        except NotYours:
            problem = gettext_noop("%(name)s is only for its group, and %(person)s isn't in the group.")
            raise Conflict(message(problem, name=bot.name, person=user.username)) from None


def _check_invitation_limits(bot: Bot, by: User) -> None:
    """Raise Conflict where the team is full or its lead has sent enough invitations."""
    if 1 + bot.team.filter(declined_at=None).count() >= MAX_TEAM_SIZE:
        problem = gettext_noop("A team can have at most %(most)s people, including those invited.")
        raise Conflict(message(problem, most=MAX_TEAM_SIZE))
    lately = TeamMember.objects.filter(invited_by=by, invited_at__gt=now() - INVITATION_WINDOW)
    if lately.count() >= MAX_TEAM_INVITATIONS_PER_DAY:
        problem = gettext_noop("You've invited %(most)s people in 24 hours, the maximum. Try again tomorrow.")
        raise Conflict(message(problem, most=MAX_TEAM_INVITATIONS_PER_DAY))


def _require_invitation(bot: Bot, user: User) -> TeamMember:
    """Return the open invitation of a user. Raise Conflict where there is none."""
    invited = TeamMember.objects.invited().filter(bot=bot, user=user).first()
    if invited is None:
        problem = gettext_noop("You aren't invited to work on %(name)s. Ask its lead for an invitation.")
        raise Conflict(message(problem, name=bot.name))
    return invited


def _decline(invited: TeamMember) -> None:
    invited.declined_at = now()
    invited.save(update_fields=["declined_at"])


def _leave(place: TeamMember) -> None:
    Token.objects.valid().filter(owner=place.user_id, bot=place.bot_id).update(revoked_at=now())
    bot = place.bot
    place.delete()
    _copy_team(bot)


def _make_lead(bot: Bot, place: TeamMember) -> None:
    bot.owner = place.user
    bot.save(update_fields=["owner"])
    place.delete()


def _copy_team(bot: Bot) -> None:
    """Copy who is on a team to its bot, whose row is locked."""
    team = TeamMember.objects.joined().filter(bot=bot).order_by("joined_at", "pk")
    bot.co_authors = [{"id": key, "username": name} for key, name in team.values_list("user", "user__username")]
    bot.save(update_fields=["co_authors"])


def _tell(bot: Bot, user: User, text: Message, *, named: User | None = None) -> None:
    """Leave a notice. `named` is whom it names, so that it goes when that person's name goes."""
    about = f"author {named.pk} {now().timestamp()}" if named else ""
    notify_user(user=user, event=Event.GROUP_INVITATION, text=text, url=bot.get_absolute_url(), about=about)


# Tokens let a script act for its owner. A token is shown once; only its hash is kept.

TOKEN_TEXT_PREFIX = "pnt_"
MAX_TOKEN_CHARACTERS_SHOWN = 8
"""The first characters of a token, by which its owner recognizes it."""
MAX_TOKENS_PER_USER = 20
MAX_TOKEN_NAME_LENGTH = 60
TOKEN_LAST_USE_RESOLUTION = timedelta(minutes=1)
"""The time of the last use is stored this often at most, so that not every request writes."""


class BadTokenName(ArenaError):
    """The name of a token is empty, too long or unprintable."""


@transaction.atomic
def issue_token(*, owner: User, name: str, bot: Bot | None = None) -> tuple[Token, str]:
    """Issue a token for one bot, or for all the owner's bots, and return it with its text, which is not kept.

    Raises BadTokenName, NotYours, or Conflict where its owner has enough of them.
    """
    name = " ".join(name.split())
    if not name or len(name) > MAX_TOKEN_NAME_LENGTH or not name.isprintable():
        problem = gettext_noop("Say what the token is for, in up to %(most)s characters.")
        raise BadTokenName(message(problem, most=MAX_TOKEN_NAME_LENGTH))
    if bot is not None:
        check_author(bot, owner)
    User.objects.select_for_update().get(pk=owner.pk)
    if Token.objects.valid().filter(owner=owner).count() >= MAX_TOKENS_PER_USER:
        problem = gettext_noop("You already have %(most)s tokens, the maximum. Revoke one first.")
        raise Conflict(message(problem, most=MAX_TOKENS_PER_USER))
    text = TOKEN_TEXT_PREFIX + secrets.token_urlsafe(32)
    token = Token.objects.create(
        owner=owner, bot=bot, name=name, digest=hash_token(text), prefix=text[:MAX_TOKEN_CHARACTERS_SHOWN]
    )
    return token, text


def find_token(text: str) -> Token | None:
    """Return the valid token with this text, with its owner and bot, and note its use; None if there is none."""
    if not text.startswith(TOKEN_TEXT_PREFIX):
        return None
    known = Token.objects.valid().select_related("owner", "bot")
    token = known.filter(digest=hash_token(text), owner__is_active=True).first()
    if token is not None:
        long_ago = Q(last_used_at=None) | Q(last_used_at__lt=now() - TOKEN_LAST_USE_RESOLUTION)
        if token.last_used_at is None or token.last_used_at < now() - TOKEN_LAST_USE_RESOLUTION:
            Token.objects.filter(long_ago, pk=token.pk).update(last_used_at=now())
    return token


def revoke_token(*, token: Token, owner: User) -> None:
    """Make a token invalid; a second call changes nothing. Raises NotYours."""
    if token.owner_id != owner.pk:
        raise NotYours(message(gettext_noop("This token belongs to someone else.")))
    Token.objects.valid().filter(pk=token.pk).update(revoked_at=now())


def hash_token(text: str) -> str:
    """Return the hash by which a token is stored; a plain hash suffices for long random texts."""
    return hashlib.sha256(text.encode()).hexdigest()


# List the tokens of a user.


def list_valid_tokens(owner: User) -> QuerySet[Token]:
    """List the tokens of a user that were not revoked, each with its bot."""
    return Token.objects.valid().filter(owner=owner).select_related("bot")


def find_valid_token(owner: User, pk: int) -> Token | None:
    """Return a token of this user that was not revoked, or None."""
    return list_valid_tokens(owner).filter(pk=pk).first()


def find_own_token(owner: User, pk: int) -> Token | None:
    """Return a token of this user, revoked or not, or None."""
    return Token.objects.filter(pk=pk, owner=owner).first()
