"""The audit log: one line for each act of staff, added with the act and never changed."""

import logging

from django.conf import settings
from django.db import models
from django.db.models import QuerySet
from django.utils.timezone import now

from arena.people.accounts.models import User

# The audit log: one line for each act of staff.


class AuditedAct(models.TextChoices):
    """An act of staff that has effects on others."""

    PAUSE_LADDER = "ladder.pause"
    RESUME_LADDER = "ladder.resume"
    DRAIN_WORKER = "worker.drain"
    RESUME_WORKER = "worker.resume"
    CANCEL_MATCH = "match.cancel"
    REPLAY_MATCH = "match.replay"
    SUSPEND_AUTHOR = "author.suspend"
    BAN_AUTHOR = "author.ban"
    REINSTATE_AUTHOR = "author.reinstate"
    STOP_BOT = "bot.stop"
    RELEASE_BOT = "bot.release"
    RENAME_BOT = "bot.rename"
    REMOVE_FILES = "files.remove"
    CLOSE_UPLOADS = "uploads.close"
    OPEN_UPLOADS = "uploads.open"
    START_LESSON = "lesson.start"
    END_LESSON = "lesson.end"
    ADD_USER = "user.add"
    CHANGE_USER = "user.change"
    DELETE_USER = "user.delete"
    APPROVE_USER = "user.approve"
    RESUME_ENTRY = "entry.resume"


class AuditEntry(models.Model):
    """An act of staff: who did what when, on what, and why. Entries are added with the act, and never changed."""

    at = models.DateTimeField(default=now)
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        help_text="Who did it; null for commands.",
    )
    actor_name = models.CharField(max_length=150, help_text="Name of the user, or of the operating system's account.")
    act = models.CharField(max_length=30, choices=AuditedAct)
    about = models.CharField(max_length=60, blank=True, help_text="Kind and key of what it was done on.")
    subject = models.CharField(max_length=200, help_text="Name of what it was done on.")
    reason = models.TextField(help_text="Why, in the words of who did it.")
    outcome = models.TextField(help_text="What it changed.")

    class Meta:
        ordering = ["-pk"]
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["about"], name="audit_by_subject")]

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M:%S} {self.actor_name}: {self.act} on {self.subject}"


# Add lines to the audit log.

logger = logging.getLogger(__name__)
Actor = User | str
"""A user, or the name of who runs a command."""


def record_act(*, by: Actor, act: AuditedAct, about: str, subject: str, why: str, outcome: str) -> AuditEntry:
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


# Read the audit log.


def list_acts(*, act: str = "", actor: str = "", subject: str = "") -> QuerySet[AuditEntry]:
    """List acts, newest first: of a kind, by somebody, on something with these words in its name."""
    lookups = {"act": act, "actor_name": actor, "subject__icontains": subject}
    return AuditEntry.objects.filter(**{name: value for name, value in lookups.items() if value})
