"""Find users."""

from allauth.account.models import EmailAddress
from django.db.models import Q, QuerySet

from arena.accounts.models import User


def find_author(username: str) -> User | None:
    """Return the user of this name whom the site shows, or None: those who may sign in, and those who are banned."""
    return list_authors().filter(username=username).first() if "\0" not in username else None


def list_authors() -> QuerySet[User]:
    """List the users whom the site shows: those who may sign in, and those who are banned."""
    return User.objects.filter(Q(is_active=True) | Q(is_banned=True))


def find_user(username: str) -> User | None:
    """Return the user of this name, those who may not sign in included, or None."""
    return User.objects.filter(username=username).first() if "\0" not in username else None


def fetch_other_usernames(user: User) -> list[str]:
    """Return the names of all other users, those who may not sign in included."""
    return list(User.objects.exclude(pk=user.pk).values_list("username", flat=True))


def list_staff() -> QuerySet[User]:
    """List the users who may work in the admin."""
    return User.objects.filter(is_staff=True, is_active=True)


def list_addresses(user: User) -> QuerySet[EmailAddress]:
    """List the mail addresses of a user, those not confirmed included."""
    addresses: QuerySet[EmailAddress] = EmailAddress.objects.filter(user=user)
    return addresses


def find_confirmed_address(user: User) -> str | None:
    """Return the confirmed address of a user, the primary one if it is confirmed; None if none is."""
    confirmed = list_addresses(user).filter(verified=True).order_by("-primary", "pk")
    return confirmed.values_list("email", flat=True).first()
