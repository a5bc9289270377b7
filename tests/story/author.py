"""Authors of an installation, as rows.

    python -m tests.story.author token NAME...
    python -m tests.story.author bot NAME GAME FILE
    python -m tests.story.author tournament GAME EDITION SEATS
    python -m tests.story.author remote GAME NAME...
    python -m tests.story.author legs EDITION COUNT BOT BOT

The first prints an API token of each author, the second lets an author of this name upload a bot of the same name, the
third prints the slug of a tournament of all accepted bots of a game at tables. The fourth registers a remote bot of the
same name for each author, and prints a token of each; the fifth queues legs between two remote bots.
"""

import sys
from collections.abc import Callable
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


def register_remote_bots(game: str, *names: str) -> None:
    for name in names:
        owner, _ = User.objects.get_or_create(username=name)
        create_remote_bot(owner=owner, name=name, game=game, declared="a program of the tests")
    print_tokens(*names)


def queue_legs(edition: str, count: str, *names: str) -> None:
    versions = [Bot.objects.get(slug=name).versions.get() for name in names]
    for _ in range(int(count)):
        queue_match(versions=versions, game=versions[0].bot.game, edition=edition, limits=REMOTE_LIMITS["open"], legs=1)


if __name__ == "__main__":
    django.setup()
    from django.db.transaction import atomic

    from arena.bots.models import Bot
    from arena.bots.services import create_bot, submit_version
    from arena.bots.teams import issue_token
    from arena.contests.ladders.services.remote import create_remote_bot
    from arena.contests.tournaments.services.entering import enter
    from arena.contests.tournaments.services.organising import TournamentPlan, close_entries, create, open_entries
    from arena.contests.tournaments.settings import Settings
    from arena.matches.services import queue_match
    from arena.operations.tasks import play_tournament
    from arena.people.accounts.models import User
    from arena.runner.archive import Upload
    from arena.runner.program import REMOTE_LIMITS

    commands: dict[str, Callable[..., None]] = {
        "token": print_tokens,
        "bot": upload_bot,
        "tournament": begin_tournament,
        "remote": register_remote_bots,
        "legs": queue_legs,
    }
    commands[sys.argv[1]](*sys.argv[2:])
