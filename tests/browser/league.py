"""What the samples' league does while browsers look: it doesn't wait for the ladders, and then rests.

python -m tests.browser.league hurry|rest
"""

import sys

import django


def hurry() -> None:
    Match.objects.queued().filter(pairing_match__pairing__round__tournament=league).update(priority=9)


def rest() -> None:
    pause(tournament=league, organiser=league.organiser)


if __name__ == "__main__":
    django.setup()
    from arena.contests.tournaments.models import Tournament
    from arena.contests.tournaments.services.organising import pause
    from arena.matches.models import Match

    league = Tournament.objects.select_related("organiser").get(slug="house-league")
    {"hurry": hurry, "rest": rest}[sys.argv[1]]()
