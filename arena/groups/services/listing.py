"""Let in the people of a pasted list: an invitation for whom an account is known, a new account for the others."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from arena.accounts.models import User
from arena.accounts.sign_up_modes import SignUpMode
from arena.errors import ArenaError, Conflict
from arena.groups.models import Group, Invitation, Membership, SignInLink
from arena.groups.name_lists import ListedPerson
from arena.groups.queries.groups import list_unused_accounts
from arena.groups.services.editing import lock_organised_group
from arena.groups.services.joining import check_room
from arena.groups.services.sign_in_links import MAX_LINK_DAYS, create_account, issue_link
from arena.notices.models import Event
from arena.notices.services import renew_notice
from engine.message import gettext_noop, message

MAX_ACCOUNTS_PER_DAY = 300
"""Accounts that lists of one organiser may make in a day."""
ACCOUNTS_WINDOW = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Slip:
    """What is printed for a person whose account is new."""

    real_name: str
    username: str
    path: str
    """The path of the link, which is stored nowhere."""
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class ListResult:
    """What became of a list."""

    new: list[ListedPerson] = field(default_factory=list)
    """Those for whom an account is made."""
    slips: list[Slip] = field(default_factory=list)
    """Of the new accounts; none in a preview."""
    invited: list[ListedPerson] = field(default_factory=list)
    """Those whose confirmed address belongs to an account."""
    present: list[ListedPerson] = field(default_factory=list)
    """Those who are in the group already; for them nothing was changed."""


@transaction.atomic
def add_listed_people(*, group: Group, by: User, people: Sequence[ListedPerson], days: int) -> ListResult:
    """Let the people of a list in, as an organiser. Links of new accounts work once, for so many days.

    Whose confirmed address belongs to an account is invited and gets no link: a list never opens somebody's account.
    Raise NotYours, Conflict or ArenaError; nothing is changed then.
    """
    group = lock_organised_group(group, by)
    result, known = _sort_people(group, by, people, days)
    for person in result.invited:
        _invite(group, by, known[person.email], person)
    result.slips.extend(_make_slips(group, by, result.new, days))
    return result


@transaction.atomic
def preview_listed_people(*, group: Group, by: User, people: Sequence[ListedPerson], days: int) -> ListResult:
    """Return what would become of a list, with the same refusals; nothing is changed."""
    return _sort_people(lock_organised_group(group, by), by, people, days)[0]


def _sort_people(
    group: Group, by: User, people: Sequence[ListedPerson], days: int
) -> tuple[ListResult, dict[str, User]]:
    """Return the people by what becomes of them, and the known users by address. Raise Conflict or ArenaError."""
    check_days(days)
    known = _find_known_users(people)
    members = {member.user_id: member.real_name.casefold() for member in group.memberships.all()}
    result = ListResult()
    for person in people:
        user = known.get(person.email)
        if user is not None and user.pk in members or user is None and person.real_name.casefold() in members.values():
            result.present.append(person)
        else:
            (result.new if user is None else result.invited).append(person)
    check_room(group, len(result.new))
    _check_new_accounts(by, len(result.new))
    return result, known


@transaction.atomic
def renew_unused_links(*, group: Group, by: User, days: int) -> list[Slip]:
    """Replace the links of all accounts that nobody has signed in to yet, as an organiser. Raise NotYours."""
    group = lock_organised_group(group, by)
    check_days(days)
    waiting = list_unused_accounts(group).order_by("real_name")
    return [_make_slip(member, by, days, is_first=False) for member in waiting]


def check_days(days: int) -> None:
    """Raise ArenaError unless a link may be valid for so long."""
    if not 1 <= days <= MAX_LINK_DAYS:
        problem = gettext_noop("A link is valid for 1 to %(most)s days.")
        raise ArenaError(message(problem, most=MAX_LINK_DAYS))


def _find_known_users(people: Iterable[ListedPerson]) -> dict[str, User]:
    """Return the users by their confirmed addresses. One that isn't confirmed may be anybody's."""
    emails = [person.email for person in people if person.email]
    # allauth stores addresses in small letters.
    rows = EmailAddress.objects.filter(email__in=emails, verified=True).select_related("user")
    return {row.email.lower(): row.user for row in rows}


def _invite(group: Group, by: User, user: User, person: ListedPerson) -> None:
    values = {"real_name": person.real_name, "email": person.email, "created_by": by}
    Invitation.objects.update_or_create(group=group, user=user, defaults=values)
    text = message(gettext_noop("%(name)s invites you to the group %(group)s."), name=by.username, group=group.name)
    renew_notice(user=user, event=Event.GROUP_INVITATION, about=f"group {group.pk}", text=text, url="/groups/")


def _check_new_accounts(by: User, count: int) -> None:
    """Raise Conflict where nobody may make accounts, or a day's accounts would be too many."""
    if not count:
        return
    if SignUpMode(settings.SIGN_UP) == SignUpMode.CLOSED:
        raise Conflict(message(gettext_noop("Nobody can make an account here at present.")))
    lately = SignInLink.objects.filter(created_by=by, is_first=True, created_at__gt=now() - ACCOUNTS_WINDOW)
    if lately.count() + count > MAX_ACCOUNTS_PER_DAY:
        problem = gettext_noop("Your lists may make %(most)s accounts a day. Paste the rest tomorrow.")
        raise Conflict(message(problem, most=MAX_ACCOUNTS_PER_DAY))


def _make_slips(group: Group, by: User, people: Iterable[ListedPerson], days: int) -> list[Slip]:
    slips = []
    for person in people:
        name = person.real_name or person.email
        member = Membership.objects.create(group=group, user=create_account(), real_name=name)
        slips.append(_make_slip(member, by, days, is_first=True))
    return slips


def _make_slip(member: Membership, by: User, days: int, *, is_first: bool) -> Slip:
    expires_at = now() + timedelta(days=days)
    path = issue_link(membership=member, by=by, expires_at=expires_at, is_first=is_first)
    return Slip(member.real_name, member.user.username, path, expires_at)
