from django.core.management.base import BaseCommand

from arena.management.prepare import prepare
from arena.management.seed import ADMIN


class Command(BaseCommand):
    help = "Tables, files for pages, sample bots, an admin: all set-up before web, worker and scheduler start."
    requires_system_checks = []

    def handle(self, **_: object) -> None:
        password = prepare()
        if password is not None:
            self.stdout.write(f"Admin account: {ADMIN}, password {password} (shown only now)")
