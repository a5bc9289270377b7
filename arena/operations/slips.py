"""Slips: mail them, and give a new one to somebody who has signed in before; both reach beyond the group."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from smtplib import SMTPException, SMTPRecipientsRefused
from time import monotonic

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.conf import settings
from django.contrib.auth.models import Group as Rights
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import Q
from django.template.loader import render_to_string
from django.utils.timezone import get_default_timezone, localtime

from arena.bots.models import Bot, Token
from arena.bots.teams import revoke_token
from arena.contests.tournaments.models import Tournament
from arena.core.errors import Conflict
from arena.people.accounts.limits import TooManyActions, count_mailed_slip
from arena.people.accounts.models import User
from arena.people.accounts.services import end_all_sessions
from arena.people.groups.models import Group, Membership, SignInLink
from arena.people.groups.services import (
    Slip,
    check_organises,
    find_open_link,
    is_group_organiser,
    make_link_for_known,
    renew_unused_link,
    use_link,
)
from arena.people.notices.models import Event
from arena.people.notices.services import notify_user
from arena.runner.protocol import make_visible
from engine.message import gettext_noop, message

# A new link for somebody who has signed in before. Who opens it gets into the account, the organiser included, so it is
# made only for accounts that hold nothing but the work of the organiser's group, and checked again when it is opened.


@transaction.atomic
def give_link(*, member: Membership, by: User, days: int) -> Slip:
    """Make a new link for a member's account that a list of the group made, as an organiser; the old one ends.

    To an account that somebody has signed in to it works for two days. Raise NotYours, ArenaError or Conflict.
    """
    check_organises(member.group, by)
    user = User.objects.select_for_update().get(pk=member.user_id)
    if user.last_login is None:
        return renew_unused_link(member=member, by=by, days=days)
    check_holds_no_more(member, user)
    return make_link_for_known(member=member, by=by)


def check_holds_no_more(member: Membership, user: User) -> None:
    """Raise Conflict for an account that holds more than the work of the member's group, or may come to do so."""
    if not member.sign_in_links.exists():
        problem = gettext_noop(
            "%(name)s's account wasn't created from this group's lists. They can use “Forgot your password?” "
            "or ask the arena's staff."
        )
        raise Conflict(message(problem, name=member.shown_name))
    if _holds_more(member, user):
        problem = gettext_noop(
            "%(name)s's account contains more than this group's work, so organisers can't open it: a "
            "confirmed email address, two-factor or school sign-in, a bot that isn't only for this group, "
            "another group, or permissions. They can use “Forgot your password?” or ask the arena's staff."
        )
        raise Conflict(message(problem, name=member.shown_name))


def _holds_more(member: Membership, user: User) -> bool:
    has_rights = user.is_staff or user.is_superuser or user.is_house or user.user_permissions.exists()
    if has_rights or member.is_organiser or Rights.objects.filter(user=user).exists():
        return True
    bots = Bot.objects.filter(Q(pk__in=Bot.objects.of_authors([user])) | Q(team__user=user))
    found = (
        EmailAddress.objects.filter(user=user, verified=True),
        Authenticator.objects.filter(user=user),
        SocialAccount.objects.filter(user=user),
        Membership.objects.filter(user=user).exclude(pk=member.pk),
        bots.exclude(group=member.group),
        Tournament.objects.filter(Q(organiser=user) | Q(co_organisers=user)),
    )
    return any(rows.exists() for rows in found)


def find_usable_link(token: str) -> SignInLink | None:
    """Return the link with this token if it still opens its account, or None."""
    link = find_open_link(token)
    if link is None or not link.is_for_known:
        return link
    try:
        _check_known(link)
    except Conflict:
        return None
    return link


def _check_known(link: SignInLink) -> None:
    """Raise Conflict for a link that must not open its account any more, since either side has changed."""
    if not is_group_organiser(link.membership.group, link.created_by):
        raise Conflict(message(gettext_noop("This link has expired or was already used.")))
    check_holds_no_more(link.membership, link.membership.user)


@transaction.atomic
def sign_in_by_link(*, link: SignInLink, username: str, password: str, accepts_reading: bool = False) -> User:
    """Give the account the name and password that its person chose; the link ends. Both were checked before.

    An account that was there before keeps its name. Whoever was signed in to it isn't any more, its tokens are revoked,
    and it is told who made the link. Raise Conflict.
    """
    if not link.is_for_known:
        return use_link(link=link, username=username, password=password, accepts_reading=accepts_reading)
    User.objects.select_for_update().get(pk=link.membership.user_id)
    _check_known(link)
    user = use_link(link=link, username=link.membership.user.username, password=password)
    end_all_sessions(user=user)
    for token in Token.objects.valid().filter(owner=user):
        revoke_token(token=token, owner=user)
    text = gettext_noop(
        "Someone signed in with the link that %(name)s, an organiser of %(group)s, created on %(time)s. The "
        "password was changed, other sessions were ended and API tokens were revoked."
    )
    time = f"{localtime(link.created_at, get_default_timezone()):%Y-%m-%d %H:%M %Z}"
    by = link.created_by.username if link.created_by else ""
    told = message(text, name=by, group=link.membership.group.name, time=time)
    notify_user(user=user, event=Event.ACCOUNT_LINK, text=told, url="/sessions/")
    return user


# Mail slips. Only hashes of links are stored, so a slip is mailed in the request that made its link, or not at all:
# what isn't sent then is printed.

MAIL_BUDGET_S = 20.0
"""Time for the slips of one request; the rest is printed."""
MAIL_TIMEOUT_S = 5
"""Time that the mail server has for one answer."""
SENDING_BACKENDS = (".smtp.EmailBackend", ".locmem.EmailBackend")
"""Ends of names of Django's backends that send mail, or keep it for tests. Others would write links into logs."""
logger = logging.getLogger(__name__)


class MailOutcome(StrEnum):
    """What became of a slip that was to be mailed."""

    SENT = "sent"
    NO_ADDRESS = "no_address"
    REFUSED = "refused"
    LIMITED = "limited"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class MailedSlip:
    """A slip, and whether the mail server took it."""

    slip: Slip
    outcome: MailOutcome


def can_mail_slips() -> bool:
    """Return whether this arena sends mail."""
    return str(settings.EMAIL_BACKEND).endswith(SENDING_BACKENDS)


def mail_slips(*, group: Group, by: User, slips: Sequence[Slip], build_link: Callable[[str], str]) -> list[MailedSlip]:
    """Mail slips that were just made to the addresses of the list, by one connection, and say what became of each.

    Call it outside a transaction: it takes up to MAIL_BUDGET_S. `build_link` returns the address of a path.
    """
    if not can_mail_slips():
        return [MailedSlip(slip, MailOutcome.FAILED) for slip in slips]
    ends_at, found = monotonic() + MAIL_BUDGET_S, []
    connection: BaseEmailBackend | None = get_connection(timeout=MAIL_TIMEOUT_S)
    for slip in slips:
        outcome = MailOutcome.NO_ADDRESS
        if slip.email and (connection is None or monotonic() > ends_at):
            outcome = MailOutcome.FAILED
        elif slip.email:
            outcome = _mail_slip(group, by, slip, build_link(slip.path), connection)
            connection = None if outcome == MailOutcome.FAILED else connection
        found.append(MailedSlip(slip, outcome))
    if connection is not None:
        connection.close()
    return found


def _mail_slip(group: Group, by: User, slip: Slip, link: str, connection: BaseEmailBackend | None) -> MailOutcome:
    context = {
        "name": make_visible(slip.real_name),
        "group": make_visible(group.name),
        "by": by.username,
        "username": slip.username,
        "link": link,
        "expires_at": slip.expires_at,
    }
    subject = " ".join(render_to_string("account/email/slip_subject.txt", context).split())
    text = render_to_string("account/email/slip_message.txt", context).strip() + "\n"
    subject = f"{settings.ACCOUNT_EMAIL_SUBJECT_PREFIX}{subject}"
    try:
        count_mailed_slip(user=by.pk, address=slip.email)
        if connection is not None:
            connection.open()
        EmailMessage(subject, text, to=[slip.email], connection=connection).send()
    except TooManyActions:
        return MailOutcome.LIMITED
    except SMTPRecipientsRefused:
        return MailOutcome.REFUSED
    except (OSError, SMTPException):
        logger.exception("Slips of the group %s could not be mailed", group.pk)
        return MailOutcome.FAILED
    return MailOutcome.SENT
