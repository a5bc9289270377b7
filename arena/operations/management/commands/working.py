"""Tell whether a worker of this machine is alive."""

from django.core.management.base import BaseCommand, CommandError
from django.utils.timezone import now

from arena.matches.models import WorkerStatus
from arena.matches.queue import WORKER_TIMEOUT


class Command(BaseCommand):
    """Exit with 0 where a worker is alive, as a container's health check wants it."""

    help = "Exit with an error unless a worker has run the scheduler's periodic task in the last few minutes."
    requires_system_checks = []

    def handle(self, **_: object) -> None:
        """Exit with an error if no worker is alive."""
        latest = WorkerStatus.objects.order_by("-seen_at").first()
        if latest is None or latest.seen_at < now() - WORKER_TIMEOUT:
            raise CommandError("No worker has run lately.")
        self.stdout.write(f"{latest.worker}: {latest.hint or latest.sandbox}")
