"""Let several people work on a bot. One of them leads: the bot's owner, who invites the others and lets them go.

Who may change a bot is asked here: `check_author` for what all its authors may do, `check_lead` for the rest.
"""

from datetime import timedelta

from django.db import transaction
from django.utils.timezone import now

from arena.accounts.models import User
from arena.accounts.suspension import check_not_suspended
from arena.bots.group_only import check_membership
from arena.bots.models import Bot, TeamMember, Token
from arena.bots.quotas import has_room_for_bot
from arena.errors import Conflict, NotYours
from arena.notices.models import Event, Notice
from arena.notices.services import notify_user, renew_notice
from engine.message import Message, gettext_noop, message

MAX_TEAM_SIZE = 10
"""The lead and the open invitations included."""
MAX_TEAM_INVITATIONS_PER_DAY = 30
INVITATION_WINDOW = timedelta(days=1)
REINVITATION_DELAY = timedelta(days=1)
"""Who has refused an invitation isn't asked again before that."""


def check_author(bot: Bot, user: User) -> None:
    """Raise NotYours unless a user is one of the bot's authors."""
    if not bot.has_author(user):
        raise NotYours(message(gettext_noop("%(name)s belongs to somebody else."), name=bot.name))


def check_lead(bot: Bot, user: User) -> None:
    """Raise NotYours unless a user leads the bot's team, which may be of one person."""
    check_author(bot, user)
    if not bot.is_led_by(user):
        problem = gettext_noop("Only %(lead)s, who leads the team of %(name)s, can do this.")
        raise NotYours(message(problem, lead=bot.owner.username, name=bot.name))


@transaction.atomic
def invite_author(*, bot: Bot, by: User, user: User) -> TeamMember:
    """Invite a user to the bot's team, as its lead; the user gets a notice. Raise NotYours, Conflict, AuthorSuspended.

    Who is invited already gets no second invitation.
    """
    bot = _lock_led_bot(bot, by)
    if bot.has_author(user):
        raise Conflict(message(gettext_noop("%(person)s is on the team already."), person=user.username))
    _check_may_join(bot, user)
    known = TeamMember.objects.filter(bot=bot, user=user).first()
    if known is not None and known.declined_at is None:
        return known
    if known is not None and known.declined_at is not None and known.declined_at > now() - REINVITATION_DELAY:
        problem = gettext_noop("An invitation of %(person)s was refused or withdrawn lately: try again tomorrow.")
        raise Conflict(message(problem, person=user.username))
    _check_invitation_limits(bot, by)
    values = {"invited_by": by, "invited_at": now(), "joined_at": None, "declined_at": None}
    invited, _ = TeamMember.objects.update_or_create(bot=bot, user=user, defaults=values)
    text = message(gettext_noop("%(person)s invites you to work on %(name)s."), person=by.username, name=bot.name)
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
    joined = gettext_noop("%(person)s works on %(name)s now.")
    _tell(bot, bot.owner, message(joined, person=user.username, name=bot.name), named=user)
    return bot


@transaction.atomic
def decline_invitation(*, bot: Bot, user: User) -> None:
    """Refuse an invitation, as the invited user. Raise Conflict."""
    bot = _lock_bot(bot)
    _decline(_require_invitation(bot, user))
    refused = gettext_noop("%(person)s doesn't want to work on %(name)s.")
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
        problem = gettext_noop("You lead the team of %(name)s: hand over the lead before you leave it.")
        raise Conflict(message(problem, name=bot.name))
    place = TeamMember.objects.filter(bot=bot, user=user, declined_at=None).first()
    if place is None:
        raise Conflict(message(gettext_noop("%(person)s is not on the team."), person=user.username))
    if place.joined_at is None:
        _decline(place)
        Notice.objects.filter(user=user, event=Event.GROUP_INVITATION, about=f"team {bot.pk}").delete()
        return
    _leave(place)
    if user.pk == by.pk:
        left = gettext_noop("%(person)s doesn't work on %(name)s any more.")
        _tell(bot, bot.owner, message(left, person=user.username, name=bot.name), named=user)
    else:
        _tell(bot, user, message(gettext_noop("You don't work on %(name)s any more."), name=bot.name))


@transaction.atomic
def hand_over_lead(*, bot: Bot, by: User, user: User) -> Bot:
    """Let another author lead the team; the former lead stays on it. Return the bot. Raise NotYours or Conflict."""
    bot = _lock_led_bot(bot, by)
    if bot.is_led_by(user):
        raise Conflict(message(gettext_noop("%(person)s leads the team already."), person=user.username))
    place = TeamMember.objects.joined().filter(bot=bot, user=user).select_related("user").first()
    if place is None:
        raise Conflict(message(gettext_noop("%(person)s is not on the team."), person=user.username))
    heir = User.objects.select_for_update().get(pk=user.pk)
    if not heir.is_active or heir.suspended_at is not None:
        raise Conflict(message(gettext_noop("%(person)s can't lead a team now."), person=heir.username))
    if not has_room_for_bot(heir):
        problem = gettext_noop("%(person)s leads as many bots as anybody may have here.")
        raise Conflict(message(problem, person=heir.username))
    former = bot.owner
    _make_lead(bot, place)
    TeamMember.objects.update_or_create(
        bot=bot, user=former, defaults={"invited_by": None, "joined_at": now(), "declined_at": None}
    )
    _copy_team(bot)
    text = message(gettext_noop("%(person)s has made you the lead of %(name)s."), person=by.username, name=bot.name)
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
        _tell(bot, heir.user, message(gettext_noop("You are the lead of %(name)s now."), name=bot.name))
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
            problem = gettext_noop("%(name)s is for its group only, and %(person)s is not in the group.")
            raise Conflict(message(problem, name=bot.name, person=user.username)) from None


def _check_invitation_limits(bot: Bot, by: User) -> None:
    """Raise Conflict where the team is full or its lead has sent enough invitations."""
    if 1 + bot.team.filter(declined_at=None).count() >= MAX_TEAM_SIZE:
        problem = gettext_noop("A team has at most %(most)s people, those who are invited included.")
        raise Conflict(message(problem, most=MAX_TEAM_SIZE))
    lately = TeamMember.objects.filter(invited_by=by, invited_at__gt=now() - INVITATION_WINDOW)
    if lately.count() >= MAX_TEAM_INVITATIONS_PER_DAY:
        problem = gettext_noop("You have invited %(most)s people in 24 hours: invite the others tomorrow.")
        raise Conflict(message(problem, most=MAX_TEAM_INVITATIONS_PER_DAY))


def _require_invitation(bot: Bot, user: User) -> TeamMember:
    """Return the open invitation of a user. Raise Conflict where there is none."""
    invited = TeamMember.objects.invited().filter(bot=bot, user=user).first()
    if invited is None:
        problem = gettext_noop("You are not invited to work on %(name)s: ask its lead for an invitation.")
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
