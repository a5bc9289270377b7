"""Say who plays: a user, or a guest who is known by a secret in the session."""

import hashlib
from dataclasses import dataclass

from django.db.models import Q

from arena.accounts.models import User


@dataclass(frozen=True, slots=True)
class Player:
    """A person who may sit at live games: a user, a guest, or a user who has played as a guest before."""

    user: User | None = None
    guest: str = ""
    """Hash of the guest's secret; empty where there is none."""

    @classmethod
    def of_secret(cls, user: User | None, secret: str) -> "Player":
        """Return the player with this secret, of which only the hash is stored."""
        return cls(user, hashlib.sha256(secret.encode()).hexdigest() if secret else "")

    @property
    def is_known(self) -> bool:
        """Return whether the person can be told apart from others."""
        return self.user is not None or bool(self.guest)

    @property
    def seats(self) -> Q:
        """Return the condition for the seats of this person."""
        own = Q(pk__in=[])
        if self.user is not None:
            own |= Q(user=self.user)
        if self.guest:
            own |= Q(guest=self.guest)
        return own
