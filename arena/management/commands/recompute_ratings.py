from django.core.management.base import BaseCommand

from arena.ladders.models import Ladder
from arena.ladders.services import recompute_ratings


class Command(BaseCommand):
    help = "Rate all rated matches again, in their order. It ends at the numbers that are there already."

    def handle(self, **_: object) -> None:
        for ladder in Ladder.objects.all():
            recompute_ratings(ladder=ladder)
            self.stdout.write(f"{ladder}: done")
