"""Make the data folder ready for the site."""

from functools import partial

from django.core.management.base import BaseCommand

from arena.operations.management.prepare import ADMIN_USERNAME, prepare_installation


class Command(BaseCommand):
    """Migrate the database, and add what every arena has."""

    help = "Create what the web, worker and scheduler need: database tables, static files, sample bots and an admin."
    requires_system_checks = []

    def handle(self, **_: object) -> None:
        """Prepare the installation."""
        password = prepare_installation(partial(print, flush=True))
        if password is not None:
            self.stdout.write(f"Admin account: {ADMIN_USERNAME}, password {password} (shown only now)")
