"""A Swiss of many authors in the rows of an installation, for `projector_soak`.

    python -m tests.bench.projector_cup SLUG BOTS ROUNDS MATCHES_PER_PAIRING

The checks of entries are left out: they would take as long again.
"""

import sys

import django

GAME, EDITION = "battleline", "short"


def begin(slug: str, bots: int, rounds: int, matches: int) -> None:
    organiser, _ = User.objects.get_or_create(username="olga", defaults={"is_superuser": True, "is_staff": True})
    settings = Settings(format="swiss", rounds=rounds, matches_per_pairing=matches)
    plan = TournamentPlan(title=slug, game=GAME, edition=EDITION, settings=settings, max_entrants=bots)
    tournament = open_entries(tournament=create(organiser=organiser, plan=plan), organiser=organiser)
    for number in range(1, bots + 1):
        author, _ = User.objects.get_or_create(username=f"{slug}-author-{number}")
        bot = create_bot(owner=author, name=f"{slug} {number}", game=GAME)
        add_version(bot=bot, files={"bot.py": source(number)}, state="accepted")
        enter(tournament=tournament, bot=bot, user=author)
    tournament.entrants.update(state="ready")
    close_entries(tournament=tournament, organiser=organiser)
    play_tournament.delay(tournament.pk)


if __name__ == "__main__":
    django.setup()
    from arena.bots.services import add_version, create_bot
    from arena.contests.tournaments.services.entering import enter
    from arena.contests.tournaments.services.organising import TournamentPlan, close_entries, create, open_entries
    from arena.contests.tournaments.settings import Settings
    from arena.operations.tasks import play_tournament
    from arena.people.accounts.models import User
    from tests.story.two_tournaments import source

    begin(sys.argv[1], *map(int, sys.argv[2:]))
