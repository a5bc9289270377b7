"""The audit log: one line for each act of staff."""

from django.conf import settings
from django.db import models
from django.utils.timezone import now


class Act(models.TextChoices):
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
    act = models.CharField(max_length=30, choices=Act)
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
