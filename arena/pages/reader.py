"""Who reads a page."""

from django.http import HttpRequest

from arena.accounts.models import User


def reader_of(request: HttpRequest) -> User | None:
    """Return the user who is signed in, or None."""
    return request.user if isinstance(request.user, User) else None
