"""Make what `bench_remote` needs in its arena: remote bots, or a season of fixed matches, which it waits for."""

import json
import os
import sys
from time import sleep

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
django.setup()

from arena.bots.models import BotVersion  # noqa: E402
from arena.bots.teams import issue_token  # noqa: E402
from arena.contests.ladders.models import Ladder, LadderMatch  # noqa: E402
from arena.contests.ladders.services.remote import create_remote_bot, join_open_ladder  # noqa: E402
from arena.contests.ladders.services.seasons import derive_match_deal  # noqa: E402
from arena.matches.models import Leg, Match  # noqa: E402
from arena.matches.services import queue_match  # noqa: E402
from arena.people.accounts.models import User  # noqa: E402

GAME, EDITION = "battleline", "standard"
FIXED_SECRET = "5" * 64
PLAYERS = ("careful", "greedy", "random")


def make_bots(count: int) -> None:
    """Print the address and a token of each new bot; each has an author of its own."""
    rows = []
    for number in range(count):
        owner = User.objects.create_user(f"author{number}", password=None)
        bot = create_remote_bot(owner=owner, name=f"Remote {number}", game=GAME, declared="a script")
        join_open_ladder(game=GAME, edition=EDITION, clock="open", bot=bot, by=owner)
        rows.append((bot.slug, issue_token(owner=owner, bot=bot, name="bench")[1]))
    print(json.dumps(rows))


def play_season(count: int) -> None:
    """Queue the matches of a season whose secret is fixed, wait for them, and print all that they decided."""
    ladder = Ladder.objects.public().open().get(game=GAME, edition=EDITION)
    Match.objects.filter(ladder_match__ladder=ladder).delete()
    Ladder.objects.filter(pk=ladder.pk).update(secret=FIXED_SECRET, last_number=0, last_sequence=0)
    ladder.refresh_from_db()
    house = BotVersion.objects.accepted().filter(bot__owner__is_house=True, bot__game=GAME)
    players = [house.filter(bot__name=name).order_by("-number").first() for name in PLAYERS]
    matches = []
    for number in range(1, count + 1):
        deal, salts = derive_match_deal(ladder, number, 2)
        versions = [players[number % 3], players[(number + 1) % 3]]
        match = queue_match(versions=versions, game=GAME, edition=EDITION, deal=deal, salts=salts)
        LadderMatch.objects.create(ladder=ladder, match=match, number=number)
        matches.append(match.pk)
    while Match.objects.filter(pk__in=matches).exclude(state=Match.State.FINISHED).exists():
        sleep(0.5)
    for leg in Leg.objects.filter(match__in=matches).order_by("match", "number"):
        record = leg.record_data
        actions = [(entry["seat"], entry["action"]) for entry in record["actions"]]
        print(json.dumps([leg.number, record["deal_hash"], actions, record["result"]], sort_keys=True))


if __name__ == "__main__":
    {"bots": make_bots, "season": play_season}[sys.argv[1]](int(sys.argv[2]))
