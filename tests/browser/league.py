"""What the samples' league does while browsers look: it doesn't wait for the ladders, and then rests.

It also chooses the puzzles of the day. python -m tests.browser.league hurry|rest|puzzles
"""

import sys

import django


def hurry() -> None:
    Match.objects.queued().filter(pairing_match__pairing__round__tournament=league).update(priority=9)


def rest() -> None:
    pause(tournament=league, organiser=league.organiser)


def puzzles() -> None:
    """From the recorded games, too: matches of samples are analysed too seldom for a best card."""
    settings.RECORDED_GAMES = True
    choose_daily()


if __name__ == "__main__":
    django.setup()
    from django.conf import settings

    from arena.contests.puzzles.services import choose_daily
    from arena.contests.tournaments.models import Tournament
    from arena.contests.tournaments.services.organising import pause
    from arena.matches.models import Match

    league = Tournament.objects.select_related("organiser").get(slug="house-league")
    {"hurry": hurry, "rest": rest, "puzzles": puzzles}[sys.argv[1]]()
