"""Add lines to the audit log."""

import logging

from arena.accounts.models import User
from arena.audit.models import Act, AuditEntry

logger = logging.getLogger(__name__)
Actor = User | str
"""A user, or the name of who runs a command."""


def record_act(*, by: Actor, act: Act, about: str, subject: str, why: str, outcome: str) -> AuditEntry:
    """Add a line to the audit log, within the transaction of the act."""
    user, name = (by, by.username) if isinstance(by, User) else (None, by)
    entry = AuditEntry.objects.create(
        actor=user,
        actor_name=name,
        act=act,
        about=about,
        subject=subject,
        reason=why,
        outcome=outcome,
    )
    logger.warning("%s by %s on %s", act, entry.actor_name, subject)
    return entry


def forget_name_in_audit_log(*, user: User, pseudonym: str) -> None:
    """Put a pseudonym in the place of a user's name; reasons about that user, which may name the person, go."""
    AuditEntry.objects.filter(actor=user).update(actor_name=pseudonym)
    AuditEntry.objects.filter(about=f"user {user.pk}").update(subject=pseudonym, reason="")
