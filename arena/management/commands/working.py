from datetime import timedelta

from django.core.management.base import BaseCommand, CommandError
from django.utils.timezone import now

from arena.matches.models import WorkerStatus

SILENT = timedelta(minutes=5)
"""No match takes longer, and between two of them a worker says that it is there."""


class Command(BaseCommand):
    help = "Fails unless a worker was told to sweep by the scheduler, and did so, within the last minutes."
    requires_system_checks = []

    def handle(self, **_: object) -> None:
        latest = WorkerStatus.objects.order_by("-seen_at").first()
        if latest is None or latest.seen_at < now() - SILENT:
            raise CommandError("No worker has been at work lately.")
        self.stdout.write(f"{latest.worker}: {latest.hint or latest.sandbox}")
