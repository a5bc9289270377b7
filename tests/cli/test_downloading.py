"""`pennant download` keeps one file up to date, and `pennant verify` checks it."""

import gzip
from functools import partial
from pathlib import Path

import orjson
import pytest
from pytest_django.live_server_helper import LiveServer

from arena.matches.models import Match
from tests.arena.api.played import queue_rated as queue_rated
from tests.arena.api.played import rated as rated
from tests.arena.api.played import versions as versions
from tests.cli.running import pennant

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(live_server: LiveServer, tmp_path: Path):
    return partial(pennant, folder=tmp_path, PENNANT_URL=live_server.url)


def test_a_file_grows_by_what_is_new_and_verifies(rated: Match, queue_rated, play, run, tmp_path):
    file = tmp_path / "all.jsonl.gz"
    first = run("download", "--bot", "heron", "--ladder", "battleline/standard", "--season", "1", "--out", file.name)
    assert first.stdout == "all.jsonl.gz: 2 new records\n", first.stderr
    assert run("download", "--out", file.name).stdout == "all.jsonl.gz: nothing new\n"
    assert play(queue_rated())
    assert run("download", "--out", file.name).stdout == "all.jsonl.gz: 2 new records\n"
    with gzip.open(file) as lines:
        assert [orjson.loads(line)["leg"] for line in lines] == [1, 2, 1, 2]
    verified = run("verify", file.name)
    assert (verified.returncode, verified.stdout) == (0, "ok all.jsonl.gz: 4 of 4 records\n")


def test_records_are_chosen_by_result_and_fault(rated: Match, run):
    found = [
        run("download", "--bot", "heron", "--result", result, "--out", f"{result}.jsonl.gz").stdout
        for result in ("won", "lost", "drawn")
    ]
    assert sum("2 new records" in said for said in found) == 1 and sum("nothing new" in said for said in found) == 2
    faultless = run("download", "--fault", "any", "--max-rating", "9000", "--out", "faults.jsonl.gz")
    assert "nothing new" in faultless.stdout, faultless.stderr


def test_a_changed_record_is_found(rated: Match, run, tmp_path):
    run("download")
    file = tmp_path / "records.jsonl.gz"
    file.write_bytes(gzip.compress(gzip.decompress(file.read_bytes()).replace(b'"scores":[', b'"scores":[1', 1)))
    verified = run("verify", file.name)
    assert verified.returncode == 1 and "leg 1 of match" in verified.stdout
    assert "refused records.jsonl.gz: 1 of 2 records" in verified.stdout


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--season", "1"), "add --ladder"),
        (("--ladder", "standard"), "GAME/EDITION"),
        (("--bot", "nobody"), "There's no bot with the address nobody."),
        (("--result", "won"), "--result needs a bot: add --bot"),
        (("--fault", "sloth"), "fault"),
    ],
)
def test_what_cannot_be_asked_is_said(rated: Match, run, words, sentence):
    done = run("download", *words)
    assert done.returncode != 0 and sentence in done.stderr


def test_a_file_that_was_cut_off_is_not_added_to(rated: Match, run, tmp_path):
    run("download")
    file = tmp_path / "records.jsonl.gz"
    file.write_bytes(file.read_bytes()[:-9])
    size = file.stat().st_size
    done = run("download")
    assert done.returncode == 2 and "cut off" in done.stderr and file.stat().st_size == size
    assert run("verify", file.name).returncode == 1
