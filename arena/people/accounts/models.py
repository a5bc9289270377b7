"""Users, invitations, and what is counted to limit sign-ups and wrong passwords."""

import unicodedata
from typing import Any
from urllib.parse import quote

from django.contrib.auth.models import AbstractUser
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Upper
from django.utils.timezone import now

WHOLE_LETTERS = frozenset("\u0587\u0e33\u0eb3")
"""Letters that people type and read as one, of Armenian, Thai and Lao; the form NFKC takes them apart."""


def normalise_name(name: str) -> str:
    """Return a name in the form in which new ones are stored: NFKC, but for some letters."""
    parts = (one if one in WHOLE_LETTERS else unicodedata.normalize("NFKC", one) for one in name)
    return unicodedata.normalize("NFC", "".join(parts))


def is_in_usernames(character: str) -> bool:
    """Return whether usernames can have a character: letters, digits, and the marks that many scripts need."""
    return character.isalnum() or character in "_.@+-" or unicodedata.category(character) in ("Mn", "Mc")


def validate_username(name: str) -> None:
    """Raise ValidationError for a username that isn't one word; Django's own check refuses vowel signs."""
    if not all(map(is_in_usernames, name)):
        raise ValidationError(UnicodeUsernameValidator.message, code="invalid")


INHERITED: "models.Field[Any, Any]" = AbstractUser._meta.get_field("username")


class User(AbstractUser):
    """A person with an account, or the house, which owns the sample bots."""

    username = models.CharField(
        INHERITED.verbose_name,
        max_length=150,
        unique=True,
        help_text=INHERITED.help_text,
        validators=[validate_username],
        error_messages={"unique": INHERITED.error_messages["unique"]},
    )

    username_upper = models.GeneratedField(
        expression=Upper("username"),
        output_field=models.TextField(),
        db_persist=True,
        help_text="The username in capitals, for searches.",
    )
    is_house = models.BooleanField(
        default=False, help_text="Whether it is the house, which owns the sample bots; they play each other, too."
    )

    awaits_approval = models.BooleanField(
        default=False, help_text="Whether staff has not yet let this new user in; the action Approve does."
    )
    suspended_at = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="Since when its bots may not play; null if they may."
    )
    is_banned = models.BooleanField(
        default=False, editable=False, help_text="Whether its suspension refuses sign-in, too."
    )

    time_zone = models.CharField(
        max_length=64,
        blank=True,
        default="",
        help_text="Name of the time zone in which it reads and types times; empty: as the browser says.",
    )

    calendar_link_number = models.PositiveIntegerField(
        default=0, editable=False, help_text="Number of the link to its calendar; the earlier ones work no more."
    )

    @classmethod
    def normalize_username(cls, username: str) -> str:
        """Return a name as it is stored, where Django makes or checks a user."""
        return normalise_name(username)

    def get_absolute_url(self) -> str:
        """Return the address of the author's public page."""
        return f"/authors/{quote(self.username)}/"


class InvitationQuerySet(models.QuerySet["Invitation"]):
    """Selections of invitations."""

    def open(self) -> "InvitationQuerySet":
        """Return those that can still be used."""
        return self.filter(used_at=None, expires_at__gt=now())


class Invitation(models.Model):
    """A link by which one person may make an account. Only the hash of its token is stored."""

    digest = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the token, hexadecimal.")
    note = models.CharField(max_length=200, blank=True, help_text="For whom it is, for staff.")
    email = models.EmailField(blank=True, help_text="Address that the form is filled in with; nothing is sent to it.")
    created_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    created_at = models.DateTimeField(default=now)
    expires_at = models.DateTimeField(help_text="Until when it can be used.")
    used_by = models.ForeignKey(User, models.SET_NULL, null=True, blank=True, related_name="+")
    used_at = models.DateTimeField(null=True, blank=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return self.note or f"Invitation {self.pk}"


class LimitedAction(models.Model):
    """A sign-up, a wrong password, a wrong code or a mail to many, counted for a time; of whom as a hash only."""

    class Kind(models.TextChoices):
        SIGN_UP = "sign_up"
        WRONG_PASSWORD = "wrong_password"
        WRONG_PASSWORD_FROM_ADDRESS = "wrong_password_from_address"
        WRONG_CODE = "wrong_code"
        WRONG_JOIN_CODE = "wrong_join_code"
        WRONG_JOIN_CODE_FROM_ADDRESS = "wrong_join_code_from_address"
        ANNOUNCEMENT = "announcement"
        CHANGED_DEADLINE = "changed_deadline"
        MAILED_SLIP = "mailed_slip"
        MAILED_SLIP_TO_ADDRESS = "mailed_slip_to_address"

    kind = models.CharField(max_length=30, choices=Kind)
    key = models.CharField(max_length=64, help_text="Hash of an address, or of an address and a username.")
    at = models.DateTimeField(default=now)

    class Meta:
        indexes = [
            models.Index(fields=["kind", "key", "at"], name="limited_actions_of_key"),
            models.Index(fields=["at"], name="limited_actions_by_age"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at}"
