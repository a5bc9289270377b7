"""Groups with their members, invitations, and the links by which accounts that a list made are signed in."""

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.db import models
from django.db.models import F, Q
from django.utils.timezone import now

from arena.people.accounts.models import User
from arena.people.notices.models import Announcement

# Codes that people type: long and random, without letters that are easily confused.

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base 32: no I, L, O, U."""
CODE_LENGTH = 12
"""60 bits: whoever tries a thousand codes an hour needs a hundred billion years for a half of them."""
LETTERS_PER_PART = 4
READ_AS = str.maketrans("OIL", "011")
SEPARATORS = str.maketrans("", "", " -–\t")


def new_code() -> str:
    """Return a new random code, without hyphens."""
    return "".join(secrets.choice(ALPHABET) for _ in range(CODE_LENGTH))


def format_code(code: str) -> str:
    """Return a code as people read it: in parts of four."""
    return "-".join(code[start : start + LETTERS_PER_PART] for start in range(0, len(code), LETTERS_PER_PART))


def read_code(typed: str) -> str:
    """Return what somebody typed as codes are stored; an empty text where it can't be one."""
    code = typed.translate(SEPARATORS).upper().translate(READ_AS)
    return code if len(code) == CODE_LENGTH and set(code) <= set(ALPHABET) else ""


class Group(models.Model):
    """A class, a club or a company: a space that only its members see."""

    name = models.CharField(max_length=60)
    slug = models.SlugField(max_length=70, unique=True)
    description = models.TextField(blank=True, max_length=2000, help_text="Plain text for its members.")
    hides_names = models.BooleanField(default=False, help_text="Whether real names are for its organisers only.")
    reads_bots = models.BooleanField(
        default=False, help_text="Whether its organisers can read the bots of members who have accepted that."
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=now)
    join_code = models.CharField(
        max_length=12, null=True, unique=True, help_text="Code by which people join, without hyphens; null: nobody can."
    )
    join_code_expires_at = models.DateTimeField(null=True, help_text="Until when the code can be used.")

    class Meta:
        ordering = ["name", "pk"]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        """Return the address of its page."""
        return f"/groups/{self.slug}/"

    @property
    def open_code(self) -> str:
        """Return the code as people read it, while it can be used; an empty text otherwise."""
        is_open = self.join_code_expires_at is not None and self.join_code_expires_at > now()
        return format_code(self.join_code) if self.join_code and is_open else ""


class Membership(models.Model):
    """A person in a group, with the real name that the group alone sees."""

    class Role(models.TextChoices):
        OWNER = "owner"
        CO_ORGANISER = "co_organiser"
        MEMBER = "member"

    ORGANISING_ROLES = (Role.OWNER, Role.CO_ORGANISER)

    group = models.ForeignKey(Group, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role, default=Role.MEMBER)
    real_name = models.CharField(max_length=80, blank=True, help_text="Shown to the members of the group alone.")
    joined_at = models.DateTimeField(default=now)
    email = models.EmailField(blank=True, help_text="Address that the list had, for organisers alone.")
    number = models.CharField(max_length=40, blank=True, help_text="Student number of the list, for organisers alone.")
    columns = models.JSONField(
        default=list, blank=True, help_text="Further columns of the list: pairs of heading and text."
    )
    reading_accepted_at = models.DateTimeField(
        null=True, help_text="Since when organisers can read what the person uploads; null: they can't."
    )

    class Meta:
        ordering = ["group", "pk"]
        constraints = [models.UniqueConstraint(fields=["group", "user"], name="one_membership_each")]

    def __str__(self) -> str:
        return f"{self.user} in {self.group}"

    @property
    def is_organiser(self) -> bool:
        """Return whether the person may manage members and organise tournaments of the group."""
        return self.role in self.ORGANISING_ROLES

    @property
    def shown_name(self) -> str:
        """Return the real name, or the username where none is known."""
        return self.real_name or str(self.user)


class Invitation(models.Model):
    """An invitation of somebody who has an account, until the person accepts or refuses it."""

    group = models.ForeignKey(Group, models.CASCADE, related_name="invitations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="group_invitations")
    real_name = models.CharField(max_length=80, blank=True)
    email = models.EmailField(help_text="The address that the list had, by which organisers know the person.")
    number = models.CharField(max_length=40, blank=True)
    columns = models.JSONField(default=list, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=now)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["group", "user"], name="one_group_invitation_each")]

    def __str__(self) -> str:
        return f"{self.user} to {self.group}"


class SignInLinkQuerySet(models.QuerySet["SignInLink"]):
    """Selections of links."""

    def open(self) -> "SignInLinkQuerySet":
        """Return those that can still be used: whoever signs in by other means needs no link, so it ends then."""
        last_login = "membership__user__last_login"
        is_needed = Q(is_for_known=False, **{last_login: None})
        is_needed |= Q(is_for_known=True, **{f"{last_login}__lt": F("created_at")})
        return self.filter(is_needed, used_at=None, expires_at__gt=now(), membership__user__is_active=True)


class SignInLink(models.Model):
    """A link that signs a person in once, to an account that a list has made. Only its token's hash is stored."""

    membership = models.ForeignKey(Membership, models.CASCADE, related_name="sign_in_links")
    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, hexadecimal.")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(help_text="Until when it can be used.")
    used_at = models.DateTimeField(null=True)
    is_first = models.BooleanField(default=True, help_text="Whether it counts as a new account of its list.")
    is_for_known = models.BooleanField(
        default=False, help_text="Whether somebody has signed in to the account before: its password is replaced."
    )

    objects = SignInLinkQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["created_by", "created_at"], condition=Q(is_first=True), name="accounts_by_lists")
        ]

    def __str__(self) -> str:
        return f"Link of {self.membership}"


class GroupAnnouncement(Announcement):
    """What organisers announced to the members of their group; those who join later read it, too."""

    group = models.ForeignKey(Group, models.CASCADE, related_name="announcements")


# For whom something is that was drawn once for all its readers.


@dataclass(frozen=True, slots=True)
class Audience:
    """Whoever sees a page that was checked already: everybody, or the members of a group."""

    group: int | None = None
    """Key of the group; None for everybody."""


Reader = User | AnonymousUser | Audience | None
"""Who reads: a person, nobody in particular, or all who see what is for a group."""
