"""An arena that is years old, in PostgreSQL: ten thousand bots on one ladder, and a million rated matches.

    uv run python -m tests.bench.million URL [--bots 10000] [--matches 1000000]

Makes the database of the URL where the server has none of that name, and fills it where it is empty. All is made
inside the server, by rules and a fixed seed: records are tiny, other rows are as matches leave them.
"""

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from time import perf_counter
from urllib.parse import urlsplit

import psycopg

from tests.servers import postgres

BOTS, MATCHES = 10_000, 1_000_000
WAITING = 50
MEMORY = "4GB"
"""Of the server, so that all of it lies there: a server of one's own should have as much."""
DAYS = 30
"""Each entry has a point of its rating for so many."""
TABLES = """
create unlogged table made_entry as
select id, 1500 + 250 * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()) rating from generate_series(1, {all}) id;
create unlogged table made_rank as select id, row_number() over (order by rating) - 1 place, rating from made_entry;
create unique index on made_rank (place);
create unique index on made_rank (id);
create unlogged table made_seat as
select g, case when random() < 0.08 then (select place from made_rank where id = 1 + g % 4)
    else floor(random() * {all})::int end place,
    round({spread} * sqrt(-2 * ln(1 - random())) * cos(2 * pi() * random()))::int away
from generate_series(1, {matches} + {waiting}) g;
create unlogged table made as
select s.g, one.id a, other.id b, 1 / (1 + 10 ^ ((other.rating - one.rating) / 400)) p, random() r1, random() r2
from made_seat s join made_rank one on one.place = s.place
join made_rank other on other.place = (s.place + case when away = 0 then 1 else away end + {all}) % {all};
alter table made add k int, add ended timestamptz;
update made set b = case when a = b then 1 + b % {all} else b end, k = 2 * ((r1 < p)::int + (r2 < p)::int),
    ended = now() - ({matches} - g) * interval '1 second';
create unique index on made (g);
analyze made;
"""
"""Who plays whom, and how it ends: `g` is the match, `k` the half points of `a`."""
AFTERWARDS = """
update ladders_entry e set matches = s.n, points = s.points, opponents = s.others, last_match_id = s.last,
    rated_at = now() - ({matches} - s.last) * interval '1 second', paired_at = now() - random() * interval '1 day'
from (select id, count(*) n, sum(points) points, max(g) last, count(distinct other) others from
    (select a id, b other, g, k / 4.0 points from made where g <= {matches}
    union all select b, a, g, 1 - k / 4.0 from made where g <= {matches}) one group by id) s where s.id = e.id;
update ladders_entry set is_ranked = false, deviation = 150, matches = 9 where mod(id, 37) = 0;
update ladders_entry e set rank_low = greatest(s.place - 40, 1), rank_high = s.place + 40, "group" = 1 + s.place / 400
from (select id, row_number() over (order by rating desc) place from ladders_entry
    where state = 'active' and is_ranked) s where s.id = e.id;
update ladders_ladder set last_number = {matches} + {waiting}, last_sequence = {matches}, fitted_sequence = {matches},
    fitted_at = now(), spread = 250, pair_interaction_sd = 31, dispersion = 0.93,
    top_rating = (select percentile_cont(0.9) within group (order by rating) from ladders_entry where state = 'active');
drop table made, made_seat, made_rank, made_entry;
"""


def prepare(url: str) -> None:
    """Make the database of this URL, where there is none of that name."""
    parts = urlsplit(url)
    name = parts.path.strip("/")
    with psycopg.connect(parts._replace(path="/postgres").geturl(), autocommit=True) as server:
        if server.execute("select from pg_database where datname = %s", [name]).fetchone() is None:
            server.execute(f'create database "{name}"')


def run_on(url: str | None, module: str, arguments: Sequence[str]) -> int:
    """Run a module as a program whose Django uses this database, or one on a server that lives as long."""
    if url is None:
        with postgres(MEMORY) as own:
            return run_on(f"{own}/million", module, arguments)
    prepare(url)
    environment = os.environ | {"DATABASE_URL": url, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    return subprocess.run([sys.executable, "-m", module, *arguments], env=environment, check=False).returncode


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("url")
    options.add_argument("--bots", type=int, default=BOTS)
    options.add_argument("--matches", type=int, default=MATCHES)
    asked = options.parse_args()
    begun = perf_counter()
    code = run_on(asked.url, "tests.bench.million_rows", [str(asked.bots), str(asked.matches)])
    print(f"{perf_counter() - begun:.0f} s")
    sys.exit(code)


if __name__ == "__main__":
    main()
