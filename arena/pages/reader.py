"""The reader of a page."""

from django.http import HttpRequest

from arena.accounts.models import User


def reader_of(request: HttpRequest) -> User | None:
    """Return the user who is signed in, or None."""
    return request.user if isinstance(request.user, User) else None


def signed_in_reader(request: HttpRequest) -> User:
    """Return the user of a page that nobody reaches without signing in."""
    assert isinstance(request.user, User)
    return request.user
