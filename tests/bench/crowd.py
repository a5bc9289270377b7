"""The part of `bench_pick` that runs where its database is set up: a ladder of many, and how long is taken there."""

from collections.abc import Callable
from random import SystemRandom
from statistics import quantiles
from time import perf_counter

from django.conf import settings
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from arena.contests.ladders.matchmaking import choose_match_entries
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.services.pairing import LadderCandidates, queue_ladder_matches
from arena.matches.services import claim_next

ROUNDS = 200
MATCHES_PER_ENTRY = 20
CROWD = """
insert into accounts_user (id, password, is_superuser, username, first_name, last_name, email, is_staff, is_active,
    date_joined, is_house) select n, '', false, 'u' || n, '', '', '', false, true, now(), false from {numbers};
insert into bots_blob (sha256, content, size) values ('0', '', 0);
insert into bots_bot (id, owner_id, name, slug, game, created_at)
    select n, n, 'b' || n, 'b' || n, 'battleline', now() from {numbers};
insert into bots_botversion (id, bot_id, number, language, source_id, size, state, build_log,
    is_on_hold, build_published_at, created_at) select n, n, 1, 'python', '0', 1, 'accepted', '', false,
    now(), now() from {numbers};
insert into ladders_entry (id, ladder_id, version_id, state, state_reason, is_anchor, first_rating, first_deviation,
    rating, deviation, matches, points, opponents, is_ranked, recent_legs, paired_at, created_at)
    select n, {ladder}, n, 'active', null, false, 1500, 300, 1500 + 400 * (random() + random() + random() - 1.5),
    15 + 30 * random(), 100, 50, 50, true, '', now() - random() * interval '30 hours', now() from {numbers};
insert into ladders_pairstat (ladder_id, low_id, high_id, seats, matches, halves, squares)
    select {ladder}, n, n + step, 2, 1 + step % 5, 2, 4 from {numbers}, generate_series(1, 20) step
    where n + step <= {entries};
insert into matches_match (id, game, edition, options, rules_version, limits, deal, state, priority, virtual_start,
    void_reason, created_at, published_at, started_at, finished_at, settled_at) select n, 'battleline', 'standard',
    '{{}}', 1, '{{}}', '{{}}', 'finished', 0, n, null, now(), now(), now(), now() + interval '4 seconds', now()
    from {matches};
insert into matches_participant (match_id, index, version_id)
    select n, i, 1 + (n + i * 7) % {entries} from {matches}, generate_series(0, 1) i;
insert into ladders_laddermatch (ladder_id, match_id, number, in_flight, sequence, void_reason, created_at)
    select {ladder}, n, n, false, n, null, now() from {matches};
select setval('matches_match_id_seq', {last}); select setval('matches_participant_id_seq', {last} * 2);
update ladders_ladder set last_number = {last}, last_sequence = {last}, top_rating = 1700;
analyze;
"""


def main(entries: int) -> None:
    ladder = Ladder.objects.create(game="battleline", edition="standard", title="Many")
    last = entries * MATCHES_PER_ENTRY // 2
    numbers, matches = f"generate_series(1, {entries}) n", f"generate_series(1, {last}) n"
    with connection.cursor() as cursor:
        cursor.execute(CROWD.format(ladder=ladder.pk, entries=entries, last=last, numbers=numbers, matches=matches))
    ladder.refresh_from_db()
    settings.MAX_WAITING_MATCHES_PER_LADDER, settings.LADDER_NEWCOMER_MATCHES, settings.LADDER_MATCHES_PER_HOUR = (
        12,
        0,
        10**9,
    )
    print(f"{entries:,} entries, {last:,} matches; milliseconds")
    for _ in range(8):
        queue_ladder_matches(ladder=ladder)
    for seats in (2, 4):
        measure(
            f"a pick for {seats}",
            lambda seats=seats: choose_match_entries(LadderCandidates(ladder), seats, SystemRandom()),
        )
    measure("a match made", lambda: undone(lambda: queue_ladder_matches(ladder=ladder)))
    measure("a match claimed", lambda: undone(lambda: claim_next(worker="w")))


def undone(act: Callable[[], object]) -> None:
    with transaction.atomic():
        if not act():
            raise RuntimeError("nothing was done")
        transaction.set_rollback(True)


def measure(name: str, act: Callable[[], object]) -> None:
    with CaptureQueriesContext(connection) as queries:
        act()
    took_ms = []
    for _ in range(ROUNDS):
        began = perf_counter()
        act()
        took_ms.append((perf_counter() - began) * 1000)
    cuts = quantiles(took_ms, n=20)
    print(f"{name:<16} median {cuts[9]:6.2f}  p95 {cuts[18]:6.2f}  max {max(took_ms):6.2f}  {len(queries)} queries")
