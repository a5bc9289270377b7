"""A Swiss and a double elimination, in the rows of an installation.

    python -m tests.story.two_tournaments begin|standings

Both print JSON. The checks of entries are left out: they would take as long again.
"""

import json
import sys
from dataclasses import asdict

import django

SIZES = {"swiss": 32, "double-elimination": 16}
ROUNDS = 5
GAME, EDITION = "battleline", "short"
BOT = """
import json, random, sys
rng = random.Random({name!r})
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type": "ready"}}', flush=True)
    elif message["type"] == "turn":
        print(json.dumps({{"action": rng.choice(message["legal"])}}), flush=True)
"""


def source(number: int) -> bytes:
    """About a bot that plays the same way whenever it sees the same."""
    return BOT.format(name=f"bot {number}").encode()


def begin() -> None:
    organiser = User.objects.create_superuser("olga")
    house = User.objects.create_user("fixed", is_house=True)
    bots = []
    for number in range(1, max(SIZES.values()) + 1):
        bots.append(create_bot(owner=house, name=f"Fixed {number}", game=GAME))
        add_version(bot=bots[-1], files={"bot.py": source(number)}, state="accepted")
    for format, size in SIZES.items():
        settings = Settings(format=format, rounds=ROUNDS if format == "swiss" else None)
        plan = TournamentPlan(title=format, game=GAME, edition=EDITION, settings=settings)
        tournament = open_entries(tournament=create(organiser=organiser, plan=plan), organiser=organiser)
        for bot in bots[:size]:
            enter(tournament=tournament, bot=bot, user=organiser)
        tournament.entrants.update(state="ready")
        close_entries(tournament=tournament, organiser=organiser)
        play_tournament(tournament.pk)
    print(json.dumps({one.slug: [one.secret, one.commitment] for one in Tournament.objects.all()}))


def standings() -> None:
    found = {one.slug: [asdict(standing) for standing in read_standings(one)] for one in Tournament.objects.all()}
    print(json.dumps(found))


if __name__ == "__main__":
    django.setup()
    from arena.bots.services import add_version, create_bot
    from arena.contests.tournaments.models import Tournament
    from arena.contests.tournaments.services.entering import enter
    from arena.contests.tournaments.services.matches import read_standings
    from arena.contests.tournaments.services.organising import TournamentPlan, close_entries, create, open_entries
    from arena.contests.tournaments.settings import Settings
    from arena.operations.tasks import play_tournament
    from arena.people.accounts.models import User

    {"begin": begin, "standings": standings}[sys.argv[1]]()
