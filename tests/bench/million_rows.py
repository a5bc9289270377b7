"""The rows of an old arena, table by table: what each column is, in SQL, and where the rows come from. Columns that
aren't named have the default of their field."""

import json
import sys
import zlib
from dataclasses import asdict
from time import perf_counter
from typing import Any

import django

django.setup()

from django.core.management import call_command  # noqa: E402 - once Django knows its settings
from django.db import connection  # noqa: E402
from django.db.models import Model  # noqa: E402

from arena.bots.models import Blob, Bot, BotVersion  # noqa: E402
from arena.contests.ladders.models import Entry, Ladder, LadderMatch, PairStat, RatingChange, RatingPoint  # noqa: E402
from arena.matches.models import Leg, LegSeat, Match, Participant, VerdictCount  # noqa: E402
from arena.pages.watch.showing import fetch_programme  # noqa: E402
from arena.people.accounts.models import User  # noqa: E402
from arena.runner import archive  # noqa: E402
from arena.runner.program import Limits  # noqa: E402
from tests.arena.pages.conftest import play_at_random  # noqa: E402
from tests.bench.million import AFTERWARDS, BOTS, DAYS, MATCHES, TABLES, WAITING  # noqa: E402

Row = tuple[type[Model], dict[str, str], str]
"""Table, column by field, and the rest of the statement from its `from` on."""
DONE = "from made where g <= {matches}"
EVERY = "from made"
FILES = zlib.compress(archive.pack_files({"bot.py": b"while True: print(input())\n"}))
"""What every version consists of."""
EITHER = "made cross join generate_series(0, 1) i"
BEST, NEWEST = 12, 200
"""Bots whose last matches have records, and newest matches that have."""
IS_OVER = "g <= {matches}"


def people() -> list[Row]:
    version = {"bot_id": "id", "number": "1", "source_id": "'0'", "size": "100", "state": "'accepted'"}
    newer = version | {"bot_id": "id - {bots}", "number": "2"}
    return [
        (User, {"id": "id", "username": "'author' || id", "password": "'!'", "is_house": "id = 1"},
         "from generate_series(1, {bots} / 2 + 1) id"),
        (Blob, {"sha256": "'0'", "content": f"'\\x{FILES.hex()}'", "size": str(len(FILES))}, ""),
        (Bot, {"id": "id", "owner_id": "case when id <= 4 then 1 else 1 + (id + 1) / 2 end", "name": "'Bot ' || id",
               "slug": "'bot-' || id", "game": "'battleline'", "created_at": "now()"},
         "from generate_series(1, {bots}) id"),
        (BotVersion, version | {"id": "id", "created_at": "now()"}, "from generate_series(1, {bots}) id"),
        (BotVersion, newer | {"id": "id", "created_at": "now()"}, "from generate_series({bots} + 1, {all}) id"),
    ]  # fmt: skip


def played() -> list[Row]:
    ended = f"case when {IS_OVER} then ended end"
    return [
        (Match, {"id": "g", "game": "'battleline'", "edition": "'standard'", "rules_version": "1", "deal": "'{{}}'",
                 "options": "'{{}}'", "state": f"case when {IS_OVER} then 'finished' else 'queued' end",
                 "created_at": "ended - interval '9 seconds'", "started_at": f"{ended} - interval '5 seconds'",
                 "finished_at": ended, "settled_at": ended}, EVERY),
        (Participant, {"id": "2 * g - 1 + i", "match_id": "g", "index": "i",
                       "version_id": "case i when 0 then a else b end",
                       "points": f"case when {IS_OVER} then abs(i - k / 4.0) end"}, f"from {EITHER}"),
        (Leg, {"id": "2 * g - 1 + i", "match_id": "g", "number": "1 + i", "salt": "md5(g::text)",
               "seating": "case i when 0 then '[0, 1]'::jsonb else '[1, 0]'::jsonb end",
               "deal_hash": "md5(g::text) || md5(g::text)", "record": "'\\x00'", "decisions": "50",
               "reason": "'breakthrough'"}, f"from {EITHER}"),
        (LegSeat, {"id": "4 * g - 3 + 2 * i + seat", "leg_id": "2 * g - 1 + i", "seat": "seat",
                   "participant_id": "2 * g - 1 + abs(i - seat)",
                   "place": "1 + ((abs(i - seat) = 0)::int # (k > 2 * i)::int)", "score": "5",
                   "verdict": "case when mod(g * 7 + i, 301) = 0 and seat = 1 then 'timeout' else 'ok' end"},
         f"from {EITHER} cross join generate_series(0, 1) seat where {IS_OVER}"),
        (VerdictCount, {"version_id": "version_id", "verdict": "verdict", "legs": "count(*)"},
         "from matches_legseat s join matches_participant p on p.id = s.participant_id group by version_id, verdict"),
    ]  # fmt: skip


def rated() -> list[Row]:
    low, high = "least(a, b)", "greatest(a, b)"
    halves = "case when a < b then k else 4 - k end"
    return [
        (Entry, {"id": "e.id", "ladder_id": "1", "version_id": "e.id", "rating": "rating",
                 "parent_id": "case when e.id > {bots} then e.id - {bots} end", "deviation": "20 + 30 * random()",
                 "is_ranked": "true", "in_fit": "true", "created_at": "now() - interval '90 days'",
                 "state": "case when e.id <= {all} - {bots} then 'retired' else 'active' end",
                 "is_anchor": "e.id between {bots} + 1 and {bots} + 4"}, "from made_entry e"),
        (LadderMatch, {"id": "g", "ladder_id": "1", "match_id": "g", "number": "g", "in_flight": f"not ({IS_OVER})",
                       "sequence": f"case when {IS_OVER} then g end", "created_at": "ended"}, EVERY),
        (RatingChange, {"id": "2 * g - 1 + i", "ladder_match_id": "g", "entry_id": "e.id", "before": "rating",
                        "after": "rating + 9 * (random() - 0.5)", "deviation": "30"},
         f"from {EITHER} join made_entry e on e.id = case i when 0 then a else b end where {IS_OVER} order by g, i"),
        (PairStat, {"ladder_id": "1", "low_id": low, "high_id": high, "seats": "2", "matches": "count(*)",
                    "halves": f"sum({halves})", "squares": f"sum(({halves}) ^ 2)"},
         f"{DONE} group by {low}, {high}"),
        (RatingPoint, {"entry_id": "id", "day": "current_date - ago", "rating": "rating + 40 * (random() - 0.5)",
                       "deviation": "30 + ago", "rank": "100", "matches": "100"},
         "from made_entry cross join generate_series(0, {days} - 1) ago where id > {all} - {bots}"),
    ]  # fmt: skip


def list_rows() -> list[Row]:
    ladder = {"id": "1", "game": "'battleline'", "edition": "'standard'", "title": "'Battle Line'",
              "commitment": "repeat('0', 64)", "season": "1"}  # fmt: skip
    return [*people(), (Ladder, ladder, ""), *played(), *rated()]


def insert(cursor: Any, model: type[Model], values: dict[str, str], source: str, sizes: dict[str, int]) -> None:
    columns, chosen, defaults = [], [], []
    for field in model._meta.concrete_fields:
        if field.generated or (field.primary_key and field.attname not in values):
            continue
        columns.append(f'"{field.column}"')
        if field.attname in values:
            chosen.append(values[field.attname].format(**sizes))
        else:
            chosen.append("%s")
            default = asdict(Limits()) if field.name == "limits" else field.get_default()
            defaults.append(field.get_db_prep_save(default, connection))
    into = f"insert into {model._meta.db_table} ({', '.join(columns)})"
    cursor.execute(f"{into} select {', '.join(chosen)} {source}", defaults)


def fill(bots: int, matches: int) -> None:
    """The tables of the arena, which are empty."""
    sizes = {"bots": bots, "all": bots + bots // 5, "matches": matches, "waiting": WAITING, "days": DAYS}
    with connection.cursor() as cursor:
        cursor.execute("set session_replication_role = replica; set synchronous_commit = off; select setseed(0.5)")
        cursor.execute(TABLES.format(spread=bots // 5, **sizes))
        for model, values, source in list_rows():
            begun = perf_counter()
            insert(cursor, model, values, source.format(**sizes), sizes)
            print(f"{model._meta.db_table:28} {cursor.rowcount:10,} rows  {perf_counter() - begun:6.1f} s", flush=True)
        cursor.execute(AFTERWARDS.format(**sizes))
        cursor.execute("set session_replication_role = origin")
        for model in {row[0] for row in list_rows()} - {Blob}:
            table = model._meta.db_table
            cursor.execute(f"select setval(pg_get_serial_sequence('{table}', 'id'), max(id)) from {table}")
        cursor.execute("vacuum analyze")


def tell() -> list[int]:
    """Give the newest matches, the last ones of the best bots, and those that play by themselves, records that can be
    watched: two real legs, the same in all of them. Returns their ids."""
    best = Entry.objects.active().order_by("-rating")[:BEST].values_list("last_match", flat=True)
    newest = Match.objects.over().order_by("-pk")[:NEWEST].values_list("pk", flat=True)
    played = (choice.match for choice in fetch_programme().choices)
    matches = sorted({*best, *newest, *played})
    for number in (1, 2):
        legs = Leg.objects.filter(match__in=matches, number=number)
        if legs.exclude(record=b"\0").exists():
            break
        record = play_at_random(number)
        legs.update(record=zlib.compress(json.dumps(record).encode()), decisions=len(record["actions"]))
    return matches


def ensure(bots: int = BOTS, matches: int = MATCHES) -> None:
    """Fill the database that Django was told of, where it is empty."""
    call_command("migrate", verbosity=0)
    if not Match.objects.exists():
        fill(bots, matches)
    tell()


if __name__ == "__main__":
    ensure(*map(int, sys.argv[1:]))
