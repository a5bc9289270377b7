"""For whom something is that was drawn once for all its readers."""

from dataclasses import dataclass

from django.contrib.auth.models import AnonymousUser

from arena.accounts.models import User


@dataclass(frozen=True, slots=True)
class Audience:
    """Whoever sees a page that was checked already: everybody, or the members of a group."""

    group: int | None = None
    """Key of the group; None for everybody."""


Reader = User | AnonymousUser | Audience | None
"""Who reads: a person, nobody in particular, or all who see what is for a group."""
