"""Pages, the API's lists and the choice of who plays ask the database as often for many bots and matches as for few."""

from functools import partial
from itertools import product
from random import Random

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import localdate

from arena.bots.models import BotVersion
from arena.contests.comparisons.services import start_comparison
from arena.contests.formations.models import make_formation
from arena.contests.formations.services import MIN_LEGS_OF_SUCCESS, register_library
from arena.contests.ladders.matchmaking import choose_match_entries
from arena.contests.ladders.models import Entry, Ladder, RatingPoint
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.contests.ladders.services.pairing import LadderCandidates
from arena.matches.services import queue_match
from arena.people.accounts.models import User
from tests.arena.contests.ladders.conftest import store_match

LADDER = "/ladders/battleline/standard/"
ADDRESSES = [
    "/",
    "/ladders/",
    LADDER,
    f"{LADDER}?q=bot",
    f"{LADDER}seasons/1/",
    f"{LADDER}how/?a=bot-0&b=bot-1",
    f"{LADDER}?format=csv",
    f"{LADDER}atlas/",
    "/authors/author0/",
    "/settings/",
    "/matches/",
    "/matches/?bot=bot-0&opponent=bot-1&result=drawn",
    "/matches/?fault=any&rated=yes",
    "/matches/?bot=bot-0",
    "/matches/?state=finished&game=battleline",
    "/bots/",
    "/bots/bot-0/",
    "/bots/bot-0/?history=days",
    "/bots/bot-0/faults/",
    "/bots/bot-0/fingerprint/",
    "/bots/bot-0/against/bot-1/",
    "/bots/bot-0/v/1/",
    "/rules/battalion/formations/",
    "/rules/battalion/formations/?show=deployed",
    "/rules/battalion/formations/?show=successful",
    "/matches/?state=queued",
    "/comparisons/",
    "/queue/",
    "/status/",
    "/api/v1/formations/",
    "/api/v1/bots/",
    "/api/v1/bots/bot-0/",
    "/api/v1/bots/bot-0/versions/",
    "/api/v1/bots/bot-0/ratings/",
    "/api/v1/bots/bot-0/head-to-head/",
    "/api/v1/matches/",
    "/api/v1/matches/?bot=bot-0",
    "/api/v1/comparisons/",
    "/api/v1/ladders/",
    f"/api/v1{LADDER}",
    f"/api/v1{LADDER}standings/",
    f"/api/v1{LADDER}seasons/",
    f"/api/v1{LADDER}seasons/1/deals/",
    f"/api/v1{LADDER}seasons/1/atlas/",
    "/api/v1/queue/",
]
FEW, MANY = 3, 8
STANDARD = {"game": "battleline", "edition": "standard"}


@pytest.fixture
def grow(ladder: Ladder, make_version, settings):
    """Add so many bots of as many authors; the first of all meets each of them. There are ranks, faults and history.

    The first author has further bots, the first bot further versions, and each author has something waiting.
    """
    settings.MAX_LADDER_BOTS_PER_OWNER = 2 * MANY
    register_library()
    entries: list[Entry] = []
    shapes = product(("0", "0,2", "0,2,4", "0,2,4,6"), repeat=2)

    def add(count: int) -> None:
        for number in range(len(entries), len(entries) + count):
            owner = User.objects.create_user(f"author{number}")
            entries.append(enter_version(ladder=ladder, version=make_version(owner, f"Bot {number}")))
            make_version(entries[0].version.bot.owner, "Bot 0", str(number).encode(), BotVersion.State.REJECTED)
            enter_version(ladder=ladder, version=make_version(entries[0].version.bot.owner, f"Further {number}"))
            start_comparison(owner=owner, version=make_version(owner, f"Bot {number}", b"another"))
            queue_match(versions=[entry.version for entry in (entries[0], entries[-1])], **STANDARD)
        for number, other in enumerate(entries[1:]):
            for faults in ((), [(0, 0)]):
                store_match(ladder, [entries[0], other], [[1, 2], [2, 1]], faults, minute=number)
        append_finished_matches(ladder=ladder)
        for entry in entries[-count:]:
            formation = make_formation("/".join([*next(shapes), "0,2,4,6"]))
            formation.first_version, formation.deployed = entry.version, MIN_LEGS_OF_SUCCESS
            formation.save()
        Entry.objects.filter(pk__in=[entry.pk for entry in entries[::2]]).update(
            is_ranked=True, group=1, state="active"
        )
        for entry in entries:
            RatingPoint.objects.get_or_create(entry=entry, day=localdate(), rating=1500, deviation=50, matches=1)

    return add


def count_queries(call) -> int:
    cache.clear()
    with CaptureQueriesContext(connection) as queries:
        call()
    return len(queries)


def ask(address: str) -> None:
    answer = Client().get(address, follow=True)
    assert answer.status_code == 200, (address, answer.status_code)


def test_what_is_asked_does_not_grow_with_what_there_is(grow, ladder):
    def pick() -> None:
        assert choose_match_entries(LadderCandidates(Ladder.objects.get(pk=ladder.pk)), 2, Random(1)) is not None

    def asked() -> dict[str, int]:
        return {address: count_queries(partial(ask, address)) for address in ADDRESSES}

    grow(FEW)
    few, few_picked = asked(), count_queries(pick)
    grow(MANY)
    assert asked() == few
    assert count_queries(pick) <= few_picked
