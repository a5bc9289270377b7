"""Create and find groups, let people in and out of them, by lists too, and sign in those whom a list let in."""

import hashlib
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Case, Count, Exists, F, IntegerField, OuterRef, Q, QuerySet, Subquery, Value, When
from django.utils.timezone import now

from arena.core.environment import SignUpMode
from arena.core.errors import ArenaError, Conflict, NotYours
from arena.people.accounts.limits import count_announcement, count_join_code, forgive_attempt
from arena.people.accounts.models import User
from arena.people.accounts.names import check_name, find_free_slug, make_slug
from arena.people.accounts.services import check_not_suspended
from arena.people.groups.listing import ListedPerson
from arena.people.groups.models import (
    Group,
    GroupAnnouncement,
    Invitation,
    Membership,
    SignInLink,
    new_code,
    read_code,
)
from arena.people.notices.announcing import check_text, take_back, tell_all
from arena.people.notices.models import Event
from arena.people.notices.services import notify_user, renew_notice
from engine.message import gettext_noop, literal, message

# Find groups and their members.

ROLE_ORDER = Case(
    When(role=Membership.Role.OWNER, then=Value(0)),
    When(role=Membership.Role.CO_ORGANISER, then=Value(1)),
    default=Value(2),
    output_field=IntegerField(),
)
Reader = User | AnonymousUser | None


def visible_to(reader: Reader) -> QuerySet[Group]:
    """List the groups that a reader may see: those in which the reader is. Not even superusers see others."""
    if not isinstance(reader, User):
        return Group.objects.none()
    return Group.objects.filter(memberships__user=reader)


def find_group(reader: Reader, slug: str) -> Group | None:
    """Return that group if the reader is in it, or None."""
    return visible_to(reader).filter(slug=slug).first()


def list_groups(reader: User) -> QuerySet[Group]:
    """List the groups of a reader, each with `members_count` and the reader's own `role` and `reading_accepted_at`."""
    own = Membership.objects.filter(group=OuterRef("pk"), user=reader)
    counts = Membership.objects.filter(group=OuterRef("pk")).order_by().values("group").annotate(count=Count("pk"))
    return (
        visible_to(reader)
        .exclude(_is_for_rehearsal())
        .annotate(
            role=Subquery(own.values("role")),
            reading_accepted_at=Subquery(own.values("reading_accepted_at")),
            members_count=Subquery(counts.values("count")),
        )
    )


def list_organised_groups(user: User) -> QuerySet[Group]:
    """List the groups of which a user is an owner or a co-organiser, those for a rehearsal left out."""
    own = Group.objects.filter(memberships__user=user, memberships__role__in=Membership.ORGANISING_ROLES)
    return own.exclude(_is_for_rehearsal())


def _is_for_rehearsal() -> Q:
    """Return the condition of groups that exist for one rehearsal of a tournament alone."""
    return Q(tournaments__is_rehearsal=True)


def find_organised_group(user: User, slug: str) -> Group | None:
    """Return that group if the user is an owner or a co-organiser of it, or None."""
    return list_organised_groups(user).filter(slug=slug).first() if slug else None


def find_membership(group: Group, user: Reader) -> Membership | None:
    """Return the membership of a user in a group, or None."""
    return Membership.objects.filter(group=group, user=user).first() if isinstance(user, User) else None


def is_group_organiser(group: Group | int | None, user: object) -> bool:
    """Return whether a user, who may be anonymous, is an owner or a co-organiser of a group."""
    if group is None or not isinstance(user, User):
        return False
    return Membership.objects.filter(group=group, user=user, role__in=Membership.ORGANISING_ROLES).exists()


def list_members(group: Group, *, by_username: bool = False) -> QuerySet[Membership]:
    """List the members with their users: owners first, then co-organisers, each by real name or username.

    Each has `link_expires_at` where the account's one-time link is not used yet, even if it has expired; null else.
    """
    unused = SignInLink.objects.filter(membership=OuterRef("pk"), used_at=None).order_by("-pk")
    members = Membership.objects.filter(group=group).select_related("user")
    members = members.annotate(link_expires_at=Subquery(unused.values("expires_at")[:1]), rank=ROLE_ORDER)
    return members.order_by(F("rank"), *(() if by_username else ("real_name",)), "user__username")


def count_members(group: Group) -> int:
    """Count the members of a group."""
    return Membership.objects.filter(group=group).count()


def hide_names(members: Iterable[Membership], group: Group, own: Membership) -> list[Membership]:
    """Return the members as the reader, who is one of them, may see them: perhaps without others' real names."""
    shown = list(members)
    if group.hides_names and not own.is_organiser:
        for member in shown:
            if member.pk != own.pk:
                member.real_name = ""
    return shown


def fetch_real_names(reader: Reader, group: int | None) -> dict[int, str]:
    """Return the real names of a group's members by their users' keys if the reader may see them; else none."""
    found = visible_to(reader).filter(pk=group).first() if group is not None else None
    if found is None or found.hides_names and not is_group_organiser(found, reader):
        return {}
    named = Membership.objects.filter(group=group).exclude(real_name="")
    return dict(named.values_list("user", "real_name"))


def find_member(group: Group, pk: int) -> Membership | None:
    """Return a membership of the group, or None."""
    return Membership.objects.filter(group=group, pk=pk).select_related("user", "group").first()


def list_unused_accounts(group: Group) -> QuerySet[Membership]:
    """List the members whose accounts a list has made, and to which nobody has signed in yet."""
    waiting = SignInLink.objects.filter(membership=OuterRef("pk"), used_at=None)
    return Membership.objects.filter(Exists(waiting), group=group, user__last_login=None).select_related("user")


def count_unused_links(group: Group) -> int:
    """Count the members who have not used their sign-in link yet, even if it has expired."""
    return list_unused_accounts(group).count()


def list_invitations_to(group: Group) -> QuerySet[Invitation]:
    """List the invitations to a group that nobody has answered yet. Whose accounts these are is not read."""
    return Invitation.objects.filter(group=group)


def list_own_invitations(user: User) -> QuerySet[Invitation]:
    """List the invitations of a user."""
    return Invitation.objects.filter(user=user).select_related("group", "created_by")


def find_own_invitation(user: User, pk: int) -> Invitation | None:
    """Return an invitation of this user, or None."""
    return list_own_invitations(user).filter(pk=pk).first()


# Create groups, and change how they are called.

CREATE_PERMISSION = "tournaments.add_tournament"
"""Whoever may organise tournaments may make groups: one permission makes an organiser."""
MAX_GROUPS_OF_OWNER = 50
RESERVED_SLUGS = frozenset({"new", "join", "sign-in", "invitations"})
"""Words that stand in the place of a slug in addresses."""


@transaction.atomic
def create_group(
    *,
    owner: User,
    name: str,
    description: str = "",
    real_name: str = "",
    hides_names: bool = False,
    reads_bots: bool = False,
) -> Group:
    """Create a group whose only member is its owner. Raise NotYours, Conflict, ArenaError or AuthorSuspended."""
    check_not_suspended(owner)
    if not owner.has_perm(CREATE_PERMISSION):
        problem = gettext_noop("Your account can't create groups. An administrator of this arena can allow it.")
        raise NotYours(message(problem))
    name = _check_new_name(name)
    User.objects.select_for_update().get(pk=owner.pk)
    if Membership.objects.filter(user=owner, role=Membership.Role.OWNER).count() >= MAX_GROUPS_OF_OWNER:
        problem = gettext_noop("You already own %(most)s groups, the maximum. Delete one first.")
        raise Conflict(message(problem, most=MAX_GROUPS_OF_OWNER))
    group = Group.objects.create(
        name=name,
        slug=_find_free_slug(name),
        description=description,
        hides_names=hides_names,
        reads_bots=reads_bots,
        created_by=owner,
    )
    Membership.objects.create(
        group=group,
        user=owner,
        role=Membership.Role.OWNER,
        real_name=real_name.strip(),
        reading_accepted_at=now() if reads_bots else None,
    )
    return group


@transaction.atomic
def make_private_group(*, name: str, owners: Sequence[User]) -> Group:
    """Create a group that nobody else joins, whose members all own it, for what only they should see."""
    group = Group.objects.create(name=_check_name(name), slug=_find_free_slug(name), created_by=owners[0])
    Membership.objects.bulk_create(Membership(group=group, user=owner, role=Membership.Role.OWNER) for owner in owners)
    return group


@transaction.atomic
def edit_group(*, group: Group, by: User, name: str, description: str, hides_names: bool, reads_bots: bool) -> Group:
    """Change name, description, who sees real names and whether organisers read bots; the address stays.

    Who declares that organisers read bots accepts it; the other members are asked. Once it ends, nobody's acceptance is
    left. Raise NotYours or ArenaError.
    """
    group = lock_organised_group(group, by)
    if reads_bots != group.reads_bots:
        concerned = Membership.objects.filter(group=group)
        concerned = concerned.filter(user=by) if reads_bots else concerned
        concerned.update(reading_accepted_at=now() if reads_bots else None)
    group.name, group.description = name if name == group.name else _check_new_name(name), description
    group.hides_names, group.reads_bots = hides_names, reads_bots
    group.save(update_fields=["name", "description", "hides_names", "reads_bots"])
    return group


def lock_group(group: Group) -> Group:
    """Lock a group within a transaction and return it."""
    return Group.objects.select_for_update().get(pk=group.pk)


def lock_organised_group(group: Group, user: User, *, as_owner: bool = False) -> Group:
    """Lock a group and return it. Raise NotYours unless the user organises it, or with `as_owner` owns it."""
    group = lock_group(group)
    if as_owner:
        check_owner(group, user)
    else:
        check_organises(group, user)
    return group


def check_organises(group: Group, user: User) -> None:
    """Raise NotYours unless a user is an owner or a co-organiser of the group."""
    if not is_group_organiser(group, user):
        raise NotYours(message(gettext_noop("Only the group's owners and co-organisers can do that.")))


def check_owner(group: Group, user: User) -> None:
    """Raise NotYours unless a user owns the group."""
    if not Membership.objects.filter(group=group, user=user, role=Membership.Role.OWNER).exists():
        raise NotYours(message(gettext_noop("Only the group's owners can do that.")))


def _check_name(name: str) -> str:
    name = " ".join(name.split())
    if not name:
        raise ArenaError(message(gettext_noop("A group needs a name.")))
    return name


def _check_new_name(name: str) -> str:
    """Return a name that somebody types: each word is in one script, as "Python кружок" has two."""
    return _check_name(" ".join(check_name(word, is_reserved_allowed=True) for word in name.split()))


def _find_free_slug(name: str) -> str:
    """Return a slug that no group has, with a number if the name is used already."""
    stem = make_slug(name, 60) or "group"
    taken = {*RESERVED_SLUGS, *Group.objects.filter(slug__startswith=stem).values_list("slug", flat=True)}
    return find_free_slug(stem, taken, 70)


# Let people into groups by a code or an invitation, and out of them.

MAX_MEMBERS = 500
MAX_CODE_HOURS = 24 * 90


class WrongCode(ArenaError):
    """No group can be joined by this code."""


@transaction.atomic
def renew_join_code(*, group: Group, by: User, hours: int) -> Group:
    """Give a group a new code that is valid for these hours; the old one ends. Raise NotYours or ArenaError."""
    group = lock_organised_group(group, by)
    if not 1 <= hours <= MAX_CODE_HOURS:
        raise ArenaError(message(gettext_noop("A code is valid for 1 to %(most)s hours."), most=MAX_CODE_HOURS))
    group.join_code, group.join_code_expires_at = new_code(), now() + timedelta(hours=hours)
    group.save(update_fields=["join_code", "join_code_expires_at"])
    return group


@transaction.atomic
def end_join_code(*, group: Group, by: User) -> Group:
    """Let nobody join by the code any more. Raise NotYours."""
    group = lock_organised_group(group, by)
    group.join_code = group.join_code_expires_at = None
    group.save(update_fields=["join_code", "join_code_expires_at"])
    return group


def find_group_by_code(*, typed: str, user: User, address: str) -> Group:
    """Return the group that a code leads to. Each wrong code is counted. Raise WrongCode or TooManyActions."""
    counted = count_join_code(user=user.pk, address=address)
    code = read_code(typed)
    group = Group.objects.filter(join_code=code, join_code_expires_at__gt=now()).first() if code else None
    if group is None:
        problem = gettext_noop("This code isn't valid for any group. It may have expired: ask for a new one.")
        raise WrongCode(message(problem))
    forgive_attempt(counted)
    return group


@transaction.atomic
def join_group(*, group: Group, user: User, real_name: str, accepts_reading: bool = False) -> Membership:
    """Make a user a member, who has shown the code or an invitation. Raise ArenaError or Conflict.

    Who is a member already stays it, with the same role and name. `accepts_reading` says whether the user accepts that
    organisers read bots; where they do, nobody joins without.
    """
    group = lock_group(group)
    member = Membership.objects.filter(group=group, user=user).first()
    if member is not None:
        return member
    check_room(group, 1)
    accepted_at = _accept_reading(group, accepts_reading)
    Invitation.objects.filter(group=group, user=user).delete()
    name = " ".join(real_name.split())
    return Membership.objects.create(group=group, user=user, real_name=name, reading_accepted_at=accepted_at)


def _accept_reading(group: Group, accepts: bool) -> datetime | None:
    """Return since when organisers can read what a new member uploads. Raise ArenaError unless that is accepted."""
    if not group.reads_bots:
        return None
    if not accepts:
        problem = gettext_noop("This group's organisers can read its bots: accept that to join.")
        raise ArenaError(message(problem), fields=["accepts_reading"])
    return now()


@transaction.atomic
def accept_reading(*, member: Membership) -> Membership:
    """Let organisers read what the person uploads from now on. Raise Conflict where they don't read bots."""
    if not lock_group(member.group).reads_bots:
        raise Conflict(message(gettext_noop("This group's organisers can't currently read bots.")))
    if member.reading_accepted_at is None:
        member.reading_accepted_at = now()
        member.save(update_fields=["reading_accepted_at"])
    return member


def check_room(group: Group, count: int) -> None:
    """Raise Conflict where so many people more would be too many for a group that is locked."""
    if Membership.objects.filter(group=group).count() + count > MAX_MEMBERS:
        problem = gettext_noop("A group can have at most %(most)s members.")
        raise Conflict(message(problem, most=MAX_MEMBERS))


@transaction.atomic
def accept_invitation(*, invitation: Invitation, accepts_reading: bool = False) -> Membership:
    """Make the invited user a member, with what the list had of the person. Raise as `join_group`."""
    member = join_group(
        group=invitation.group,
        user=invitation.user,
        real_name=invitation.real_name,
        accepts_reading=accepts_reading,
    )
    member.email, member.number, member.columns = invitation.email, invitation.number, invitation.columns
    member.save(update_fields=["email", "number", "columns"])
    return member


def refuse_invitation(*, invitation: Invitation) -> None:
    """Delete an invitation, as the invited user or an organiser."""
    invitation.delete()


# Change roles and names of members, and let them go.

Role = Membership.Role


@transaction.atomic
def set_role(*, member: Membership, by: User, role: Role) -> Membership:
    """Give a member another role, as an owner. Raise NotYours, or Conflict for the last owner."""
    group = lock_organised_group(member.group, by, as_owner=True)
    if role != Role.OWNER:
        _check_owner_left(group, member)
    member.role = role
    member.save(update_fields=["role"])
    return member


@transaction.atomic
def set_real_name(*, member: Membership, by: User, real_name: str) -> Membership:
    """Change the name that the group sees, as its person or as an organiser. Raise NotYours."""
    if member.user_id != by.pk:
        lock_organised_group(member.group, by)
    member.real_name = " ".join(real_name.split())
    member.save(update_fields=["real_name"])
    return member


@transaction.atomic
def remove_member(*, member: Membership, by: User) -> None:
    """Take a person out of a group: oneself, or others as an organiser; organisers only as an owner.

    Raise NotYours, or Conflict for the last owner.
    """
    if member.user_id != by.pk:
        lock_organised_group(member.group, by, as_owner=member.is_organiser)
    _check_owner_left(lock_group(member.group), member)
    user, is_unused = member.user, member.sign_in_links.filter(used_at=None).exists()
    member.delete()
    if is_unused and user.last_login is None and not user.has_usable_password():
        user.delete()  # a list made the account, and nobody can sign in to it any more


def _check_owner_left(group: Group, leaving: Membership) -> None:
    owners = Membership.objects.filter(group=group, role=Role.OWNER)
    if leaving.role == Role.OWNER and not owners.exclude(pk=leaving.pk).exists():
        problem = gettext_noop("A group needs an owner: first make another member an owner, or delete the group.")
        raise Conflict(message(problem))


# Announce something to all members.


def announce_to_group(*, group: Group, by: User, text: str) -> GroupAnnouncement:
    """Announce a plain text to all members, as an organiser: by notice, and by mail to those who want it.

    Raise NotYours, ArenaError or TooManyActions. Call it outside a transaction.
    """
    text = check_text(text)
    check_organises(group, by)
    count_announcement(user=by.pk)
    with transaction.atomic():
        group = lock_organised_group(group, by)
        made = GroupAnnouncement.objects.create(group=group, author=by, text=literal(text))
        people = User.objects.filter(memberships__group=group, is_active=True).exclude(pk=by.pk)
        url = group.get_absolute_url()
        tell_all(people, name=group.name, describe=lambda _: literal(text), url=url, about=made.about)
    return made


def list_group_announcements(group: Group) -> QuerySet[GroupAnnouncement]:
    """List what was announced to a group, newest first, for its members."""
    return GroupAnnouncement.objects.filter(group=group).select_related("author")


@transaction.atomic
def delete_group_announcement(*, announcement: GroupAnnouncement, by: User) -> None:
    """Delete an announcement and its notices, as an organiser. Raise NotYours."""
    lock_organised_group(announcement.group, by)
    take_back([announcement])


# Links that sign a person in once, to an account that a list has made. Only a hash of the link's token is stored.

MAX_LINK_DAYS = 60
NEWCOMER_PREFIX = "newcomer-"
"""Usernames are public, so that of a new account tells nothing of its person, who chooses another one."""


def create_account(email: str = "") -> User:
    """Create an account under a random name, without a password: nobody can sign in to it but by a link.

    The address is not confirmed: it proves nothing until its person opens a mail.
    """
    user = User(username=_find_free_name(), email=email)
    user.set_unusable_password()
    user.save()
    if email:
        EmailAddress.objects.create(user=user, email=email, primary=True, verified=False)
    return user


def issue_link(
    *, membership: Membership, by: User, expires_at: datetime, is_first: bool, is_for_known: bool = False
) -> str:
    """Return the path of a new link, which is not stored. Earlier unused links of the person end."""
    unused = SignInLink.objects.filter(membership=membership, used_at=None)
    is_first = is_first or unused.filter(is_first=True).exists()
    unused.delete()
    token = secrets.token_urlsafe(32)
    SignInLink.objects.create(
        membership=membership,
        digest=_hash_token(token),
        created_by=by,
        expires_at=expires_at,
        is_first=is_first,
        is_for_known=is_for_known,
    )
    return f"/groups/sign-in/{token}/"


def find_open_link(token: str) -> SignInLink | None:
    """Return the link with this token if it can still be used, or None."""
    found = SignInLink.objects.open().filter(digest=_hash_token(token))
    return found.select_related("membership__user", "membership__group", "created_by").first()


@transaction.atomic
def use_link(*, link: SignInLink, username: str, password: str, accepts_reading: bool = False) -> User:
    """Give the account the name and the password that its person chose; the link ends. Both were checked before.

    Raise Conflict where the link was used, has expired, or the name was taken meanwhile, and ArenaError as
    `join_group`.
    """
    member = link.membership
    if not link.is_for_known:
        member.reading_accepted_at = _accept_reading(lock_group(member.group), accepts_reading)
        member.save(update_fields=["reading_accepted_at"])
    user = User.objects.select_for_update().get(pk=link.membership.user_id)
    is_open = SignInLink.objects.open().filter(pk=link.pk).exists()
    if not is_open or SignInLink.objects.filter(pk=link.pk, used_at=None).update(used_at=now()) != 1:
        raise Conflict(message(gettext_noop("This link has expired or was already used.")))
    if User.objects.filter(username=username).exclude(pk=user.pk).exists():
        raise Conflict(message(gettext_noop("That name is taken: choose another.")))
    user.username = username
    user.set_password(password)
    user.save(update_fields=["username", "password"])
    return user


def _find_free_name() -> str:
    while True:
        name = NEWCOMER_PREFIX + secrets.token_hex(3)
        if not User.objects.filter(username=name).exists():
            return name


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


# Let in the people of a list: an invitation for whom an account is known, a new account for the others.

MAX_ACCOUNTS_PER_DAY = 300
"""Accounts that lists of one organiser may make in a day."""
ACCOUNTS_WINDOW = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Slip:
    """What is printed for a person, or mailed: the only place of the link."""

    real_name: str
    username: str
    path: str
    """The path of the link, which is stored nowhere."""
    expires_at: datetime
    email: str = ""
    """The address that the list had."""


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
    members = list(group.memberships.all())
    present = {member.user_id for member in members}
    listed = [ListedPerson(member.real_name, member.email, member.number) for member in members]
    result = ListResult()
    for person in people:
        user = known.get(person.email)
        if user.pk in present if user is not None else any(person.is_same_person(one) for one in listed):
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


@transaction.atomic
def renew_unused_link(*, member: Membership, by: User, days: int) -> Slip:
    """Replace the link of one account that nobody has signed in to yet, as an organiser. Raise NotYours or Conflict."""
    group = lock_organised_group(member.group, by)
    check_days(days)
    waiting = list_unused_accounts(group).filter(pk=member.pk).first()
    if waiting is None:
        problem = gettext_noop("%(name)s has already signed in and doesn't need a slip.")
        raise Conflict(message(problem, name=member.shown_name))
    return _make_slip(waiting, by, days, is_first=False)


KNOWN_LINK_LIFETIME = timedelta(days=2)


@transaction.atomic
def make_link_for_known(*, member: Membership, by: User) -> Slip:
    """Make a link to an account that somebody has signed in to before, as an organiser, and tell the account.

    The account must hold nothing but the work of this group: `arena/operations/slips.py` checks that. Raise NotYours.
    """
    group = lock_organised_group(member.group, by)
    expires_at = now() + KNOWN_LINK_LIFETIME
    path = issue_link(membership=member, by=by, expires_at=expires_at, is_first=False, is_for_known=True)
    text = message(
        gettext_noop(
            "%(name)s, an organiser of %(group)s, created a new sign-in link for your account. Anyone who "
            "opens it can choose a new password. If you didn't ask for it, confirm an email address under "
            "Settings to invalidate the link."
        ),
        name=by.username,
        group=group.name,
    )
    notify_user(user=member.user, event=Event.ACCOUNT_LINK, text=text, url="/accounts/email/")
    return Slip(member.shown_name, member.user.username, path, expires_at, member.email)


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
    values = {
        "real_name": person.real_name,
        "email": person.email,
        "number": person.number,
        "columns": [list(pair) for pair in person.columns],
        "created_by": by,
    }
    Invitation.objects.update_or_create(group=group, user=user, defaults=values)
    text = message(gettext_noop("%(name)s invites you to the group %(group)s."), name=by.username, group=group.name)
    renew_notice(user=user, event=Event.GROUP_INVITATION, about=f"group {group.pk}", text=text, url="/groups/")


def _check_new_accounts(by: User, count: int) -> None:
    """Raise Conflict where nobody may make accounts, or a day's accounts would be too many."""
    if not count:
        return
    if SignUpMode(settings.SIGN_UP) == SignUpMode.CLOSED:
        raise Conflict(message(gettext_noop("Sign-up is closed.")))
    lately = SignInLink.objects.filter(created_by=by, is_first=True, created_at__gt=now() - ACCOUNTS_WINDOW)
    if lately.count() + count > MAX_ACCOUNTS_PER_DAY:
        problem = gettext_noop("Your lists can create at most %(most)s accounts a day. Paste the rest tomorrow.")
        raise Conflict(message(problem, most=MAX_ACCOUNTS_PER_DAY))


def _make_slips(group: Group, by: User, people: Iterable[ListedPerson], days: int) -> list[Slip]:
    slips = []
    for person in people:
        name = person.real_name or person.email
        member = Membership.objects.create(
            group=group,
            user=create_account(person.email),
            real_name=name,
            email=person.email,
            number=person.number,
            columns=[list(pair) for pair in person.columns],
        )
        slips.append(_make_slip(member, by, days, is_first=True))
    return slips


def _make_slip(member: Membership, by: User, days: int, *, is_first: bool) -> Slip:
    expires_at = now() + timedelta(days=days)
    path = issue_link(membership=member, by=by, expires_at=expires_at, is_first=is_first)
    return Slip(member.shown_name, member.user.username, path, expires_at, member.email)


# Take a person's real names out of all groups.


def list_groups_without_heir(user: User) -> QuerySet[Group]:
    """List the groups with other members that nobody would organise without this user."""
    others = Membership.objects.filter(group=OuterRef("pk")).exclude(user=user)
    organised = Group.objects.filter(memberships__user=user, memberships__role=Role.OWNER)
    return organised.filter(Exists(others)).exclude(Exists(others.filter(role__in=Membership.ORGANISING_ROLES)))


@transaction.atomic
def leave_all_groups(*, user: User) -> None:
    """Take a user out of all groups; where it was the last owner, the first co-organiser takes over."""
    for own in Membership.objects.filter(user=user).select_related("group"):
        others = Membership.objects.filter(group=own.group).exclude(user=user)
        if own.role == Role.OWNER and not others.filter(role=Role.OWNER).exists():
            heir = others.filter(role=Role.CO_ORGANISER).order_by("pk").first()
            if heir is not None:
                heir.role = Role.OWNER
                heir.save(update_fields=["role"])
        own.delete()
    Invitation.objects.filter(user=user).delete()
