"""The arena as a newcomer runs it: whole, with real processes, and not always ended politely."""

import os
import shutil
import signal
import socket
import stat
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest

from tests.full import default_and_full
from tests.story.installation import Installation, Up

MORE = 20
"""Than may be waiting when it stops."""
UNDER_THE_USUAL_UMASK = ("sh", "-c", 'umask 022 && exec "$@"', "sh")
STOP_S = 8.0
"""Some three seconds by design; the rest is for a busy machine."""


def check_books(arena: Installation) -> None:
    """Every rated match counts once: no gap, no double, a change for each participant, one stored attempt.

    A stop may come between the end of a match and its rating; such a match is not settled, and the next start rates it.
    """
    rated = arena.rated()
    for ladder, latest in dict(rated).items():
        assert [sequence for one, sequence in rated if one == ladder] == list(range(1, latest + 1))
    seats = arena.query(
        "select count(*) from matches_participant p join ladders_laddermatch l on l.match_id = p.match_id"
        " where l.sequence > 0"
    )
    assert arena.query("select count(*) from ladders_ratingchange") == seats
    assert arena.query("select sum(matches) from ladders_entry") == seats
    stored = [match for (match,) in arena.query("select match_id from matches_attempt where ending = 'stored'")]
    assert len(set(stored)) == len(stored)
    assert ids(arena, "state = 'finished'") == set(stored)
    rated_matches = {match for (match,) in arena.query("select match_id from ladders_laddermatch where sequence > 0")}
    assert rated_matches <= set(stored)
    assert set(stored) - rated_matches <= ids(arena, "settled_at is null")
    assert arena.query("select count(*) from matches_match where state = 'void'") == [(0,)]


def check_ratings(arena: Installation) -> None:
    """What stands is what the ledger comes to."""
    stands = arena.query("select id, rating, deviation, matches, points, opponents from ladders_entry order by id")
    assert any(rating != 1500 for _, rating, *_ in stands)
    assert "lines" in arena.manage("recompute_ratings")
    found = arena.query("select id, rating, deviation, matches, points, opponents from ladders_entry order by id")
    for entry, before in zip(found, stands, strict=True):
        assert entry == pytest.approx(before, abs=1e-6)


def ids(arena: Installation, where: str) -> set[int]:
    return {match for (match,) in arena.query(f"select id from matches_match where {where}")}


@pytest.mark.parametrize("kind", default_and_full(["embedded"], ["bare_embedded"]))
def test_the_first_start_plays_and_ends(request: pytest.FixtureRequest, kind: str) -> None:
    """By default with tables that are there already, since they take ten seconds of a processor to make."""
    arena: Installation = request.getfixturevalue(kind)
    with arena.up("--matches", "5", "--exit", before=UNDER_THE_USUAL_UMASK) as up:
        up.wait_for(lambda: passes_remote_bots(arena.port))
        assert up.end() == 0, up.said()
        assert not up.members()
    assert "Admin account: admin, password " in up.said()
    assert f"Pennant is at http://localhost:{arena.port}/" in up.said()
    assert " of 5 matches rated" in up.said()
    assert len(arena.rated()) == 5
    check_books(arena)


def passes_remote_bots(port: int) -> bool:
    """Whether remote bots and readers are both served at this port, and a reader by a connection of a remote bot's."""
    with suppress(httpx.TransportError), httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
        token = {"Authorization": "Bearer pnt_none"}
        told = client.get("/api/v1/remote/messages/", params={"bot": "none", "room": 1}, headers=token)
        assert told.status_code == 401 and "token" in told.json()["detail"], told.text
        assert client.get("/api/v1/remote/none/").status_code == 404
        page = client.get("/health/", follow_redirects=True)
        assert page.status_code == 200 and [one.status_code for one in page.history] == [307]
        return True
    return False


def test_a_new_database_is_readable_by_its_owner_alone(bare_embedded: Installation) -> None:
    connect = "from django.db import connection; connection.ensure_connection()"
    bare_embedded.manage("shell", "--command", connect, before=UNDER_THE_USUAL_UMASK)
    assert stat.S_IMODE((bare_embedded.data / "db.sqlite3").stat().st_mode) == 0o600


def stop_in_a_match(arena: Installation, up: Up) -> tuple[int, int]:
    """A match that a worker's process plays for the first time, and that process, which stands still now."""
    while True:
        up.wait_for(lambda: arena.query("select 1 from matches_attempt where ended_at is null and number = 1"))
        for match, worker in arena.query(
            "select match_id, worker from matches_attempt where ended_at is null and number = 1"
        ):
            pid = int(worker.split("/")[2])
            os.kill(pid, signal.SIGSTOP)
            sleep(0.1)
            if arena.query(
                f"select 1 from matches_attempt where ended_at is null and number = 1 and match_id = {match}"
            ):
                return match, pid
            os.kill(pid, signal.SIGCONT)


def is_over(arena: Installation, match: int) -> bool:
    return bool(arena.query(f"select 1 from matches_match where id = {match} and settled_at is not null"))


def endings(arena: Installation, match: int) -> list[str]:
    rows = arena.query(f"select ending from matches_attempt where match_id = {match} order by number")
    return [row[0] for row in rows]


@pytest.mark.full
@pytest.mark.servers
def test_what_is_killed_in_the_middle_of_a_match_is_played_again_and_counts_once(served: Installation) -> None:
    arena = served
    with arena.up("--matches", "100000") as up:
        up.greets()
        up.wait_for(lambda: len(arena.rated()) >= 2)

        match, child = stop_in_a_match(arena, up)
        worker = int(Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(worker, signal.SIGKILL)
        os.kill(child, signal.SIGKILL)
        again_s = up.wait_for(lambda: is_over(arena, match))
        assert endings(arena, match) == ["lost", "stored"]
        assert "The worker ended (by SIGKILL), and is started again" in up.said()

        match, child = stop_in_a_match(arena, up)
        os.kill(child, signal.SIGKILL)
        alone_s = up.wait_for(lambda: is_over(arena, match))
        assert endings(arena, match) == ["lost", "stored"]
        print(f"played again after {again_s:.1f} s (worker killed), {alone_s:.1f} s (only its process)")

        os.killpg(up.process.pid, signal.SIGTERM)
        assert up.end(STOP_S) == 0
    check_books(arena)


@pytest.mark.full
def test_it_stops_at_once_and_goes_on_where_it_was(arena: Installation) -> None:
    with arena.up("--matches", "100000") as up:
        up.greets()
        up.wait_for(lambda: len(arena.rated()) >= 2)
        (match,) = arena.query("select match_id from ladders_laddermatch where sequence = 1")[0]
        about = f"select * from matches_attempt where match_id = {match}"
        before = arena.query(about)
        for _ in range(2):
            arena.deliver("arena.tasks.play_next")
        arena.deliver("arena.tasks.settle_match", match)

        began = monotonic()
        os.killpg(up.process.pid, signal.SIGINT)
        assert up.end(STOP_S) == 0, up.said()
        print(f"stopped after {monotonic() - began:.1f} s")
        assert not up.members()
    assert "Traceback" not in up.said()
    rated = len(arena.rated())
    left = ids(arena, "state in ('queued', 'running')")
    with arena.up("--matches", str(MORE), "--exit") as up:
        assert up.end() == 0, up.said()
    assert "Admin account" not in up.said()
    assert len(arena.rated()) == rated + MORE
    assert arena.query("select count(*) from matches_match where state in ('queued', 'running')") == [(0,)]
    assert arena.query(about) == before
    assert left and left <= ids(arena, "state = 'finished'")
    assert len(ids(arena, "state = 'finished'")) == rated + MORE
    check_books(arena)
    check_ratings(arena)


@pytest.mark.full
def test_it_stops_at_once_while_it_migrates_and_goes_on_at_the_next_start(bare_embedded: Installation) -> None:
    with bare_embedded.up() as up:
        up.wait_for(lambda: "django_migrations" in [name for (name,) in list_tables(bare_embedded)])
        began = monotonic()
        up.process.terminate()
        assert up.end(STOP_S) == 1
        print(f"stopped after {monotonic() - began:.1f} s")
    assert "Stopped before the database was ready." in up.said() and "Traceback" not in up.said()
    assert "ladders_ladder" not in [name for (name,) in list_tables(bare_embedded)]
    with bare_embedded.up() as up:
        up.greets()


def list_tables(arena: Installation) -> list[tuple[str]]:
    """The tables of a database of SQLite, which may not be there yet."""
    return arena.query("select name from sqlite_master where type = 'table'")


@pytest.mark.full
def test_a_second_up_is_refused_and_nothing_outlives_a_killed_one(embedded: Installation) -> None:
    with embedded.up("--matches", "100000", "--host", "::1") as up:
        up.greets()
        assert f"http://[::1]:{embedded.port}/" in up.said()
        with embedded.up() as second:
            assert second.end() == 1
        assert "Another `up` is using" in second.said()
        up.wait_for(embedded.rated)
        up.process.kill()
        up.process.wait()
        deadline = monotonic() + 5
        while up.members():
            assert monotonic() < deadline, f"still there: {up.members()}"
            sleep(0.05)


def test_a_taken_port_is_a_clear_error(embedded: Installation) -> None:
    with socket.create_server(("127.0.0.1", embedded.port)), embedded.up() as up:
        assert up.end() == 1
    assert f"Port {embedded.port} of 127.0.0.1 can't be used" in up.said() and "up --port " in up.said()


@pytest.mark.full
def test_without_a_sandbox_it_says_so_and_keeps_matches_queued(tmp_path: Path) -> None:
    """In a user namespace that may make no others, so no sandbox can be built."""
    if not shutil.which("unshare"):
        pytest.skip("unshare is not installed")
    forbid = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
    before = ("unshare", "--user", "--map-root-user", "sh", "-c", forbid, "sh")
    arena = Installation(tmp_path)
    with arena.up(before=before) as up:
        up.greets()
        up.wait_for(lambda: arena.query("select 1 from matches_match"))
        up.wait_for(lambda: arena.query("select 1 from matches_workerstatus where hint is not null"))
        os.killpg(up.process.pid, signal.SIGINT)
        assert up.end(STOP_S) == 0
    assert "NO MATCHES CAN BE PLAYED YET" in up.said()
    assert arena.query("select distinct state from matches_match") == [("queued",)]
    assert arena.query("select count(*) from matches_attempt") == [(0,)]
    with arena.up("--matches", "1", "--exit", before=before) as up:
        assert up.end() == 1
    assert "This machine can't play matches" in up.said()
