"""Eight workers deliver results at once, each twice, and some of their transactions come to nothing."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from queue import Empty, SimpleQueue
from random import Random

import pytest
from django.db import connection, transaction
from django.db.models import F
from django.utils.timezone import now

from arena.contests.ladders.models import Entry, Fit, Ladder, LadderMatch, PairStat, RatingChange
from arena.contests.ladders.services.entering import enter_version
from arena.contests.ladders.services.ledger import append_finished_matches, revoke_matches
from arena.contests.ladders.services.refitting import refit_ladder
from arena.matches.models import Match
from arena.people.accounts.models import User
from engine.message import literal
from tests.arena.contests.ladders.conftest import store_match
from tests.arena.contests.ladders.test_ledger import check_recomputed
from tests.conftest import MakeVersion

WORKERS = 8
MATCHES = 48
ABORTED = 0.25


class Aborted(Exception):
    """A worker died before its transaction was committed."""


class Worker:
    """One thread, and its own chance."""

    def __init__(self, ladder: Ladder, seed: int) -> None:
        self.ladder = ladder
        self.random = Random(seed)

    def work(self, deliveries: SimpleQueue[int]) -> None:
        with closing(connection), suppress(Empty):
            while True:
                match = deliveries.get_nowait()
                self.deliver(match)

    def deliver(self, match: int) -> None:
        """Store that a match is over and have it counted, until that is committed."""
        while True:
            try:
                with transaction.atomic():
                    running = Match.objects.filter(pk=match, state=Match.State.RUNNING)
                    running.update(state=Match.State.FINISHED, finished_at=now())
                    self.die()
                with transaction.atomic():
                    append_finished_matches(ladder=self.ladder)
                    self.die()
                break
            except Aborted:
                continue
        if self.random.random() < 0.1:
            refit_ladder(ladder=self.ladder)

    def die(self) -> None:
        if self.random.random() < ABORTED:
            raise Aborted


@pytest.mark.django_db(transaction=True)
def test_each_result_counts_once_whoever_delivers_it_how_often(ladder: Ladder, make_version: MakeVersion) -> None:
    random = Random(7)
    owners = [User.objects.create_user(f"owner{number}") for number in range(6)]
    entries = [enter_version(ladder=ladder, version=make_version(owner, f"bot {owner}")) for owner in owners]
    rows = []
    for _ in range(MATCHES):
        seats = random.choice((2, 2, 2, 3))
        legs = [[random.randint(1, seats) for _ in range(seats)] for _ in range(seats)]
        rows.append(store_match(ladder, random.sample(entries, seats), legs, state=Match.State.RUNNING))
    deliveries: SimpleQueue[int] = SimpleQueue()
    for match in sorted([row.match_id for row in rows] * 2, key=lambda _: random.random()):
        deliveries.put(match)
    with ThreadPoolExecutor(WORKERS) as threads:
        workers = [Worker(ladder, seed) for seed in range(WORKERS)]
        for end in [threads.submit(worker.work, deliveries) for worker in workers]:
            end.result()
    revoke_matches(ladder_matches=rows[:5], reason=literal("Thrown."))

    check_lines(ladder)
    seats = sum(row.match.participants.count() for row in rows)
    assert RatingChange.objects.count() == seats
    assert sum(Entry.objects.values_list("matches", flat=True)) == seats - voided(rows[:5])
    assert sum(PairStat.objects.values_list("matches", flat=True)) > MATCHES - 5
    assert Fit.objects.exists()
    check_recomputed(ladder)


def check_lines(ladder: Ladder) -> None:
    """Every line of the ledger is there, and there once."""
    ladder.refresh_from_db()
    assert not LadderMatch.objects.in_flight().exists()
    counting = LadderMatch.objects.values_list("sequence", flat=True)
    voids = LadderMatch.objects.exclude(void_sequence=None).exclude(void_sequence=F("sequence"))
    lines = sorted([*counting, *voids.values_list("void_sequence", flat=True)])
    assert lines == list(range(1, MATCHES + 5 + 1)) and ladder.last_sequence == lines[-1]


def voided(rows: list[LadderMatch]) -> int:
    return sum(row.match.participants.count() for row in rows)
