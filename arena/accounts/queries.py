"""Find users."""

from arena.accounts.models import User


def find_author(username: str) -> User | None:
    """Return the active user of this name, or None."""
    return User.objects.filter(username=username, is_active=True).first() if "\0" not in username else None
