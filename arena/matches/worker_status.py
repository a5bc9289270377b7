"""What workers report about themselves."""

from datetime import datetime, timedelta

from django.db import models
from django.utils.timezone import now

from arena.fields import MessageField


class WorkerStatusQuerySet(models.QuerySet["WorkerStatus"]):
    """Filters of workers."""

    def recent(self, age: timedelta) -> "WorkerStatusQuerySet":
        """Return those that reported within this time, by name."""
        return self.since(now() - age)

    def since(self, time: datetime) -> "WorkerStatusQuerySet":
        """Return those that reported since then, by name."""
        return self.filter(seen_at__gte=time).order_by("worker")

    def able(self) -> "WorkerStatusQuerySet":
        """Return those that take matches: with a sandbox that works, and not drained."""
        return self.exclude(level="").filter(drained_at=None)


class WorkerStatus(models.Model):
    """The last report of a worker about itself."""

    worker = models.CharField(max_length=100, unique=True, help_text="Host name.")
    seen_at = models.DateTimeField(default=now)
    sandbox = models.CharField(
        max_length=40, blank=True, help_text="Name of the sandbox in use; empty when none works."
    )
    level = models.CharField(max_length=4, blank=True, help_text="A key of LEVELS; empty when no sandbox works.")
    hint = MessageField(help_text="What to install or to allow for the best level.")
    report = models.JSONField(default=dict, help_text="The fields of arena.runner.sandbox.levels.Report.")
    checked_at = models.DateTimeField(null=True, help_text="When the layers were last tried.")
    drained_at = models.DateTimeField(
        null=True, help_text="Since when it takes no matches, as staff wants it; null if it takes them."
    )

    objects = WorkerStatusQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "worker statuses"

    def __str__(self) -> str:
        return self.worker

    @property
    def is_able(self) -> bool:
        """Return whether it takes matches, as `able` selects."""
        return bool(self.level) and self.drained_at is None

    @property
    def languages(self) -> dict[str, str]:
        """The versions of the languages that run on it, by key."""
        found = self.report.get("languages", [])
        return {language["key"]: language["version"] for language in found if language["version"] is not None}
