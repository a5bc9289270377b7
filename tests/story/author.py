"""Authors of an installation, as rows.

    python -m tests.story.author token NAME...
    python -m tests.story.author bot NAME GAME FILE
    python -m tests.story.author tournament GAME EDITION SEATS

The first prints an API token of each author, the second lets an author of this name upload a bot of the same name, the
third prints the slug of a tournament of all accepted bots of a game at tables.
"""

import sys
from pathlib import Path

import django


def print_tokens(*names: str) -> None:
    for name in names:
        owner, _ = User.objects.get_or_create(username=name)
        print(issue_token(owner=owner, name="a script")[1])


def upload_bot(name: str, game: str, file: str) -> None:
    owner, _ = User.objects.get_or_create(username=name)
    program = Path(file)
    with atomic():
        bot = create_bot(owner=owner, name=name, game=game)
        submit_version(owner=owner, bot=bot, files=Upload({program.name: program.read_bytes()}))


def begin_tournament(game: str, edition: str, seats: str) -> None:
    organiser = User.objects.create_superuser("olga")
    settings = Settings(format="tables", seats=int(seats), rounds=1)
    plan = TournamentPlan(title=f"Tables of {game}", game=game, edition=edition, settings=settings)
    tournament = open_entries(tournament=create(organiser=organiser, plan=plan), organiser=organiser)
    for bot in Bot.objects.filter(game=game, versions__state="accepted").distinct():
        enter(tournament=tournament, bot=bot, user=organiser)
    tournament.entrants.update(state="ready")
    close_entries(tournament=tournament, organiser=organiser)
    play_tournament.delay(tournament.pk)
    print(tournament.slug)


if __name__ == "__main__":
    django.setup()
    from django.db.transaction import atomic

    from arena.bots.models import Bot
    from arena.bots.services import create_bot, submit_version
    from arena.bots.teams import issue_token
    from arena.contests.tournaments.services.entering import enter
    from arena.contests.tournaments.services.organising import TournamentPlan, close_entries, create, open_entries
    from arena.contests.tournaments.settings import Settings
    from arena.operations.tasks import play_tournament
    from arena.people.accounts.models import User
    from arena.runner.archive import Upload

    commands = {"token": print_tokens, "bot": upload_bot, "tournament": begin_tournament}
    commands[sys.argv[1]](*sys.argv[2:])
