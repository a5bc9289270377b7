"""`pennant gauntlet`: one bot against many, which goes on where it was stopped."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result
from pytest_django.live_server_helper import LiveServer

from arena.cli import main
from arena.cli.files import EloEstimate
from arena.cli.gauntlet import Rating, describe_rating, estimate_rating, fetch_ratings
from arena.cli.playing import _choose_api
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.services.entering import enter_version
from arena.people.accounts.models import User
from arena.runner.sandbox.base import Sandbox
from engine.registry import GAMES
from tests.cli.running import SAMPLES, one_core, pennant, pennant_process
from tests.conftest import MakeVersion
from tests.runner.conftest import sandbox as sandbox

PICKS = "from pennant_kit import run\nrun(lambda message: message['legal'][{chosen}])\n"


@pytest.fixture
def heron(tmp_path: Path) -> Path:
    (tmp_path / "heron.py").write_text(PICKS.format(chosen=0))
    return tmp_path / "heron.py"


def run(heron: Path, *opponents: str | Path, matches: int, seed: str = "3") -> dict[str, Any]:
    out = heron.parent / "out"
    done = pennant(
        "gauntlet", heron, *opponents, "--matches", str(matches), "--seed", seed, "--out", out, "--json", "--no-sandbox"
    )
    assert done.returncode == 0, done.stderr
    printed: dict[str, Any] = json.loads(done.stdout)
    return printed


def test_each_opponent_is_played_as_play_would(heron: Path) -> None:
    printed = run(heron, "brute", "greedy", matches=2)
    assert [row["opponent"] for row in printed["opponents"]] == ["brute", "greedy"]
    for row in printed["opponents"]:
        played = pennant(
            "play", heron, row["opponent"], "--matches", "2", "--seed", "3", "--json", "--no-sandbox", "--allow-faults"
        )
        # The legs of a match are two, and each counts one point there.
        assert row["points"] * 2 == json.loads(played.stdout)["bots"][0]["points"]
        assert row["matches"] == sum(row["pentanomial"]) == 2


def test_it_goes_on_where_it_was_stopped(heron: Path) -> None:
    log = heron.parent / "out" / "matches.jsonl"
    run(heron, "brute", matches=2)
    before = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(before[0] + before[1][:20])
    printed = run(heron, "brute", "greedy", matches=2)
    after = log.read_bytes().splitlines(keepends=True)
    assert after[0] == before[0] and len(after) == 4
    assert [row["matches"] for row in printed["opponents"]] == [2, 2]
    assert json.loads(after[1])["points"] == json.loads(before[1])["points"]


def test_other_files_are_not_mixed_with_those_of_before(heron: Path) -> None:
    opponent = heron.with_name("egret.py")
    opponent.write_text(PICKS.format(chosen=-1))
    run(heron, opponent, matches=1)
    opponent.write_text(PICKS.format(chosen=0))
    assert [row["matches"] for row in run(heron, opponent, matches=1)["opponents"]] == [1]
    assert len((heron.parent / "out" / "matches.jsonl").read_text().splitlines()) == 2
    heron.write_text(PICKS.format(chosen=-1))
    done = pennant_process("gauntlet", heron, opponent, "--out", heron.parent / "out", "--no-sandbox")
    assert done.returncode == 2
    assert "the bot's files have changed" in done.stderr and "name another folder: --out" in done.stderr


def test_faults_are_told_and_their_records_kept(sandbox: Sandbox, tmp_path: Path) -> None:
    done = pennant("gauntlet", SAMPLES / "faulty" / "crashes", "random", "--matches", "1", "--out", tmp_path)
    assert done.returncode == 1, done.stderr
    assert "against random, 1-1: crashes (crash) at decision " in done.stdout
    assert len(list((tmp_path / "records" / "random").glob("*.json"))) == 2


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["random", "greedy", "greedy"], "greedy is named twice"),
        (["random", "nobody"], "nobody isn't a file"),
        (["random"], "Missing argument 'OPPONENT…'"),
        (["random", "greedy", "--edition", "gold"], "no edition 'gold'; editions are: standard"),
    ],
)
def test_what_can_not_be_played_is_refused_in_a_sentence(arguments: list[str], sentence: str, tmp_path: Path) -> None:
    done = pennant("gauntlet", *arguments, "--out", tmp_path / "out")
    assert done.returncode != 0 and sentence in done.stderr and "Traceback" not in done.stderr


def test_all_editions_share_a_table_and_have_folders_of_their_own(heron: Path) -> None:
    out = heron.parent / "out"
    arguments = ("gauntlet", heron, "brute", "--matches", "1", "--edition", "all", "--no-sandbox", "--out", out)
    done = pennant(*arguments, COLUMNS="120")
    assert done.returncode == 0 and "edition" in done.stdout and done.stderr.count("seed ") == 1, done.stderr
    editions = list(GAMES["battleline"].editions)
    assert [one["edition"] for one in json.loads(pennant(*arguments, "--json").stdout)["editions"]] == editions
    assert sorted(path.name for path in out.iterdir()) == sorted(editions)


def test_one_that_played_nothing_leaves_no_folder(tmp_path: Path) -> None:
    (tmp_path / "bot.c").write_text("int main(void) { return wing; }")
    done = pennant("gauntlet", tmp_path / "bot.c", "random", "--no-sandbox", "--out", tmp_path / "out" / "short")
    assert done.returncode == 1 and not (tmp_path / "out").exists()


# Estimates of a rating from matches at home against bots that an arena has rated.

PICKS_AT_RANDOM = (
    "from random import Random\nfrom pennant_kit import run\n"
    "draws = Random(3)\nrun(lambda message: draws.choice(message['legal']))\n"
)


def test_estimates_are_averaged_by_what_is_known_of_them() -> None:
    even = EloEstimate(0, -30, 30, 0.5)
    one = estimate_rating([Rating(1500, 40)], [even])
    assert one == Rating(pytest.approx(1500), pytest.approx(50))
    both = estimate_rating([Rating(1500, 40), Rating(1600, 40)], [even, even])
    assert both == Rating(pytest.approx(1550), pytest.approx(50 / 2**0.5))
    nearer = estimate_rating([Rating(1500, 40), Rating(1600, 4000)], [even, even])
    assert nearer is not None and 1500 < nearer.value < 1501


def test_bounds_are_no_estimate() -> None:
    assert estimate_rating([Rating(1500, 40)] * 2, [EloEstimate(None, 400, None, 1.0), None]) is None
    assert estimate_rating([], []) is None


@pytest.mark.parametrize(
    ("value", "place"), [(900, "below random"), (1500, "between random and greedy"), (2000, "above greedy")]
)
def test_the_place_among_opponents_is_told(value: float, place: str) -> None:
    ratings = {"greedy": Rating(1700, 20), "random": Rating(1000, 0)}
    told = describe_rating("Battle Line, Standard", Rating(value, 35.4), ratings)
    assert told == f"estimated rating on Battle Line, Standard: {value} ± 35, {place}"


@pytest.fixture
def rated(ladder: Ladder, house: User, ana: User, make_version: MakeVersion) -> Ladder:
    """A ladder with the ratings of two samples and of a version of ana's."""
    for owner, name, rating in ((house, "random", 1000.0), (house, "greedy", 1700.0), (ana, "Kingfisher", 1500.0)):
        entry = enter_version(ladder=ladder, version=make_version(owner, name))
        assert entry is not None
        Entry.objects.filter(pk=entry.pk).update(rating=rating, deviation=10)
    return ladder


@pytest.fixture
def play_gauntlet(live_server: LiveServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PENNANT_URL", live_server.url)
    for name in ("heron.py", "unrated.py"):
        Path(name).write_text(PICKS_AT_RANDOM)

    def run(*arguments: str) -> Result:
        with one_core():
            return CliRunner().invoke(main, ["gauntlet", "heron.py", *arguments, "--seed", "3", "--no-sandbox"])

    return run


@pytest.mark.django_db(transaction=True)
def test_a_gauntlet_estimates_the_rating_on_the_arena(rated: Ladder, play_gauntlet: Callable[..., Result]) -> None:
    asked = ["random", "greedy", "kingfisher/1", "kingfisher/2", "brute"]
    with click.Context(main):
        found = fetch_ratings("battleline", "standard", asked)
    assert {name: rating.value for name, rating in found.items()} == {
        "random": 1000,
        "greedy": 1700,
        "kingfisher/1": 1500,
    }
    done = play_gauntlet("random", "unrated.py", "--matches", "16")
    assert done.exit_code == 0, done.output
    told = json.loads(play_gauntlet("random", "unrated.py", "--matches", "16", "--json").stdout)
    (row,) = (row for row in told["opponents"] if row["opponent"] == "random")
    assert told["rating"]["value"] == pytest.approx(1000 + row["elo"]["elo"])
    assert f"estimated rating on Battle Line, Standard: {told['rating']['value']:.0f} ± " in done.stdout


@pytest.mark.django_db(transaction=True)
def test_too_few_matches_for_a_rating_are_told(rated: Ladder, play_gauntlet: Callable[..., Result]) -> None:
    done = play_gauntlet("random", "unrated.py", "--matches", "2")
    assert done.exit_code == 0, done.output
    assert "no rating on Battle Line, Standard yet: it needs at least 16 matches against random" in done.stdout


@pytest.mark.django_db(transaction=True)
def test_other_rules_have_no_ladder(rated: Ladder, play_gauntlet: Callable[..., Result]) -> None:
    done = play_gauntlet("random", "--matches", "1", "--option", "scout=at-once", "--json")
    assert done.exit_code == 0 and json.loads(done.stdout)["rating"] is None


def test_an_arena_that_does_not_answer_costs_no_results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PENNANT_URL", "http://127.0.0.1:9")
    Path("heron.py").write_text(PICKS_AT_RANDOM)
    done = CliRunner().invoke(main, ["gauntlet", "heron.py", "random", "--matches", "1", "--no-sandbox"])
    assert done.exit_code == 0 and "random" in done.stdout
    assert "No rating is estimated: http://127.0.0.1:9 can't be reached" in done.stderr


def test_a_token_is_sent_to_no_other_arena(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENNANT_URL", "https://arena.example/")
    monkeypatch.setenv("PENNANT_TOKEN", "secret")
    assert _choose_api("https://arena.example").token == "secret"
    for other in ("https://else.example", "http://arena.example", "https://arena.example:444"):
        assert _choose_api(other).token == ""
