"""Tournaments between real bots, played, interrupted, and gone on with."""

import json
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from arena.cli import main
from arena.cli.campaign import Workers
from arena.contests.tournaments.formats import FORMATS
from arena.runner.match import list_seatings
from arena.runner.sandbox.base import Sandbox, SandboxError
from engine.registry import find_game
from engine.season import Season
from tests.cli.running import PENNANT, PROJECT_ROOT, one_core
from tests.cli.running import hears_interrupts as hears_interrupts
from tests.runner.conftest import sandbox as sandbox
from tests.runner.processes import list_descendants, wait_for_survivors

has_tables = pytest.mark.skipif("tables" not in FORMATS, reason="larger tables are not among the formats")
ROUND_ROBIN = "round-robin"
CHOOSER = "from pennant_kit import run\nrun(lambda message: message['legal'][{chosen}])\n"
CHOICES = {"first": "0", "last": "-1", "middle": "len(message['legal']) // 2", "third": "len(message['legal']) // 3"}
"""Bots that always do the same."""


@pytest.fixture(scope="session")
def steady(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("steady")
    for name, chosen in CHOICES.items():
        (folder / f"{name}.py").write_text(CHOOSER.format(chosen=chosen))
    return [str(folder / f"{name}.py") for name in CHOICES]


def run(*arguments: str | Path) -> Result:
    with one_core():
        return CliRunner().invoke(main, ["tournament", *map(str, arguments)])


def play(*arguments: str | Path) -> dict[str, Any]:
    done = run(*arguments, "--no-sandbox", "--json")
    assert done.exit_code == 0, done.output
    told: dict[str, Any] = json.loads(done.stdout)
    return told


@pytest.fixture(scope="module")
def plain(steady: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A round robin of three whose byes don't count, and what was told of it."""
    folder = tmp_path_factory.mktemp("plain")
    return folder, play(*steady[:3], "--format", ROUND_ROBIN, "--seed", "heron", "--out", folder)


@pytest.fixture(scope="module")
def knockout(steady: list[str], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A knockout for game points, and what was told of it."""
    folder = tmp_path_factory.mktemp("knockout")
    return folder, play(*steady, "--format", "single-elimination", "--out", folder, "--scoring", "game_points")


def lines(folder: Path) -> list[dict[str, Any]]:
    """All matches, in the order of their numbers."""
    found = [json.loads(line) for line in (folder / "matches.jsonl").read_text().splitlines()]
    return sorted(found, key=lambda line: line["match"])


def test_a_round_robin_of_samples_is_played_in_the_sandbox(sandbox: Sandbox, tmp_path: Path) -> None:
    bots = ("greedy", "brute", "random", "random")
    done = run(*bots, "--format", ROUND_ROBIN, "--seed", "7", "--out", tmp_path)
    assert done.exit_code == 0, done.output
    assert "seed 7" in done.stderr
    assert [line.split(":")[0] for line in done.stderr.splitlines() if line.startswith("Round")] == [
        "Round 1",
        "Round 2",
        "Round 3",
    ]
    for words in ("Buchholz", "Cut 1", "S-B", "Direct", "Wins", "Lot", "greedy", "random-2"):
        assert words in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())
    assert len(lines(tmp_path)) == 6
    assert all(verdicts == ["ok", "ok"] for line in lines(tmp_path) for verdicts in line["verdicts"])
    records = sorted((tmp_path / "records").glob("*.json"))
    assert len(records) == 12
    assert CliRunner().invoke(main, ["verify", *map(str, records)]).exit_code == 0


def test_both_phases_have_a_table(steady: list[str], tmp_path: Path) -> None:
    cup = ("--format", "swiss-knockout", "--rounds", "1", "--third-place-match", "--no-sandbox")
    done = run(*steady, *cup, "--out", tmp_path)
    assert done.exit_code == 0, done.output
    headings = [line for line in done.stdout.splitlines() if line in ("Swiss", "Knockout", "All phases")]
    assert headings == ["Swiss", "Knockout", "All phases"]
    told = play("--out", tmp_path)
    assert [[result["name"] for result in results] for results in told["rounds"]] == [
        ["", ""],
        ["W1.1", "W1.2"],
        ["W2.1", "T1.1"],
    ]
    assert [line["place"] for line in told["standings"]] == [1, 2, 3, 4]
    assert [(one["key"], one["rounds"]) for one in told["phases"]] == [("swiss", 1), ("knockout", 2)]


def test_a_swiss_tournament_tells_everything_in_one_object(steady: list[str], tmp_path: Path) -> None:
    told = play(*steady, "random", "--rounds", "2", "--matches-per-pairing", "2", "--seed", "heron", "--out", tmp_path)
    keys = {"game", "edition", "changed_options", "settings", "bots", "rounds", "standings", "phases", "faults"}
    assert set(told) == keys
    assert told["settings"]["seed"] == "heron" and told["settings"]["format"] == "swiss"
    assert [len(results) for results in told["rounds"]] == [3, 3]
    assert all([result["played"] for result in results].count(False) == 1 for results in told["rounds"])
    assert sorted(line["name"] for line in told["standings"]) == sorted([*CHOICES, "random"])
    assert [line["place"] for line in told["standings"]] == [1, 2, 3, 4, 5]
    assert sum(line["score"] for line in told["standings"]) == 4, "byes add nothing"
    assert sum(line["byes"] for line in told["standings"]) == 2
    assert len(lines(tmp_path)) == 2 * 2 * 2
    assert told["bots"][0]["path"] == steady[0] and len(told["bots"][0]["sha256"]) == 64


def test_byes_count_where_they_are_asked_for(
    steady: list[str], plain: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    counted = play(*steady[:3], "--format", ROUND_ROBIN, "--seed", "heron", "--count-byes", "--out", tmp_path)
    folder, told = plain
    for without, with_ in zip(told["standings"], counted["standings"], strict=True):
        assert without["name"] == with_["name"] and without["byes"] == with_["byes"] == 1
        assert with_["score"] == without["score"] + 1
        assert without["played"] == with_["played"] == without["wins"] + without["draws"] + without["losses"] == 2
    other = run("--count-byes", "--out", folder)
    assert other.exit_code == 2 and "count_byes was False, now True" in other.stderr


def test_a_folder_from_before_byes_could_be_left_out_counts_them(
    plain: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    shutil.copytree(plain[0], tmp_path, dirs_exist_ok=True)
    path = tmp_path / "tournament.json"
    plan = json.loads(path.read_text())
    del plan["settings"]["count_byes"]
    path.write_text(json.dumps(plan))
    assert sum(line["score"] for line in play("--out", tmp_path)["standings"]) == 3 + 3


def test_faults_are_counted_and_listed(steady: list[str], tmp_path: Path) -> None:
    wanted = (steady[0], "faulty/crashes", "faulty/illegal", "--format", ROUND_ROBIN, "--out", tmp_path)
    done = run(*wanted, "--no-sandbox")
    assert done.exit_code == 0 and "Faults" in done.stdout
    assert re.search(r"\d00101-[12]: faulty/\w+ \((crash|illegal)\) at decision \d+ \(turn \d+\): ", done.stdout)
    assert "the same in" in done.stdout and "next: pennant rerun " in done.stderr
    told = play("--out", tmp_path)
    assert {fault["bot"] for fault in told["faults"]} == {"faulty/crashes", "faulty/illegal"}
    verdicts = [verdict for line in lines(tmp_path) for seat in line["verdicts"] for verdict in seat if verdict != "ok"]
    assert sorted(fault["verdict"] for fault in told["faults"]) == sorted(verdicts)
    for fault in told["faults"]:
        assert (tmp_path / "records" / f"{fault['match']}-{fault['leg']}.json").is_file()


def test_a_knockout_is_played_for_series_scores(knockout: tuple[Path, dict[str, Any]]) -> None:
    _, told = knockout
    assert [line["place"] for line in told["standings"]] == [1, 2, 3, 3]
    assert all(line["score"] == line["game_points"] for line in told["standings"])
    assert told["standings"][0]["score"] > 0


def test_bl_25_three_bots_meet_in_series(steady: list[str], tmp_path: Path) -> None:
    length = ("--format", "round-robin", "--series-points", "10", "--seed", "heron", "--out", tmp_path)
    told = play(*steady[:3], *length)
    assert told["settings"]["series"] == {"games": None, "points": 10}
    played = [result for results in told["rounds"] for result in results if result["played"]]
    assert len(played) == len(lines(tmp_path)) == 3
    game, season = find_game("battleline"), Season("heron", "battleline", "standard", 1)
    for line, result in zip(lines(tmp_path), played, strict=True):
        assert line["scores"] == result["scores"] and max(line["scores"]) >= 10
        ahead = (line["scores"][0] > line["scores"][1]) + (line["scores"][0] == line["scores"][1]) / 2
        assert line["points"] == [ahead, 1 - ahead] == result["points"]
        games = len(line["verdicts"][0])
        deals = season.deals(game, game.options("standard"), 2, line["match"], games)
        files = [tmp_path / "records" / f"{line['match']}-{leg}.json" for leg in range(1, games + 1)]
        assert [json.loads(file.read_text())["deal"] for file in files] == deals
        assert not (tmp_path / "records" / f"{line['match']}-{games + 1}.json").exists()
    before = lines(tmp_path)
    assert play("--out", tmp_path) == told and lines(tmp_path) == before
    other = run("--series-games", "3", "--out", tmp_path)
    assert other.exit_code == 2 and "series was 10 points, now 3 games" in other.stderr


def test_series_that_can_not_be_played_are_refused(steady: list[str], tmp_path: Path) -> None:
    long = run(*steady[:2], "--series-games", "16", "--out", tmp_path)
    assert long.exit_code == 2 and "A series has 1 to 15 games, not 16." in long.stderr
    other = run(*steady[:2], "--series-games", "3", "--game", "battalion", "--out", tmp_path)
    assert (
        other.exit_code == 2 and "Battalion can't be played as a series by this number of players: 2." in other.stderr
    )


def test_a_folder_of_an_older_version_is_read_with_its_names_of_settings(
    knockout: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    folder, played = knockout
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    path = tmp_path / "tournament.json"
    plan = json.loads(path.read_text())
    settings = plan.pop("settings") | {"scoring": "series"}
    del settings["series"]
    names = {"matches_per_pairing": "pairs", "max_tiebreak_matches": "extra", "advance_per_group": "advance"}
    plan["terms"] = {names.get(name, name): value for name, value in settings.items()}
    path.write_text(json.dumps(plan))
    before = lines(tmp_path)
    assert play("--out", tmp_path) == played and lines(tmp_path) == before


@has_tables
def test_larger_tables_are_played(tmp_path: Path) -> None:
    table = ("--format", "tables", "--seats", "3", "--rounds", "1", "--game", "battalion", "--out", tmp_path)
    told = play("greedy", "brute", "random", *table)
    assert [len(results[0]["bots"]) for results in told["rounds"]] == [3]
    assert sum(told["rounds"][0][0]["points"]) == pytest.approx(1.5)


@has_tables
def test_a_game_for_two_is_not_played_at_larger_tables(tmp_path: Path) -> None:
    done = run("random", "random", "random", "--format", "tables", "--seats", "3", "--out", tmp_path)
    assert done.exit_code == 2 and "--seats: Battle Line doesn't have tables with 3 seats" in done.stderr


def test_all_deals_follow_from_the_seed(steady: list[str], tmp_path: Path) -> None:
    play(*steady[:2], "--format", "double-round-robin", "--seed", "heron", "--out", tmp_path)
    game = find_game("battleline")
    season = Season("heron", "battleline", "standard", 1)
    for line in lines(tmp_path):
        number = (line["round"] * 1000 + line["board"]) * 100 + line["number"]
        deal = season.deal(game, game.options("standard"), 2, number)
        for leg in range(1, len(list_seatings(2)) + 1):
            record = json.loads((tmp_path / "records" / f"{number}-{leg}.json").read_text())
            assert (record["deal"], record["salt"]) == (json.loads(json.dumps(deal)), season.salt(number, leg))


def begin(*arguments: str | Path, folder: Path, until: int) -> "subprocess.Popen[str]":
    """The command in a process of its own, with so many matches over."""
    process = subprocess.Popen(
        [*PENNANT, "tournament", *map(str, arguments), "--out", str(folder), "--no-sandbox"],
        cwd=PROJECT_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    path, deadline = folder / "matches.jsonl", time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if path.exists() and path.read_bytes().count(b"\n") >= until:
            break
        time.sleep(0.005)
    return process


def test_a_killed_tournament_goes_on_as_if_nothing_had_been(steady: list[str], tmp_path: Path) -> None:
    wanted = (*steady, "--format", "swiss", "--rounds", "2", "--matches-per-pairing", "2", "--seed", "heron")
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    undisturbed = play(*wanted, "--out", whole)
    with begin(*wanted, folder=cut, until=2) as process:
        started = list_descendants(process.pid)
        process.send_signal(signal.SIGKILL)
    assert not wait_for_survivors(started)
    before = (cut / "matches.jsonl").read_bytes()
    assert 2 <= before.count(b"\n") < 8
    with (cut / "matches.jsonl").open("ab") as file:
        file.write(b'{"round":2,"board":1,"num')
    assert play("--out", cut) == undisturbed
    assert (cut / "matches.jsonl").read_bytes().startswith(before)
    assert lines(cut) == lines(whole)
    assert play(*wanted, "--out", cut) == undisturbed, "when it is over there is nothing more to play"


@pytest.mark.usefixtures("hears_interrupts")
def test_an_interrupted_tournament_says_how_to_go_on(steady: list[str], tmp_path: Path) -> None:
    with begin(*steady, "--matches-per-pairing", "25", folder=tmp_path, until=1) as process:
        started = list_descendants(process.pid)
        process.send_signal(signal.SIGINT)
        printed, errors = process.communicate(timeout=20)
    assert process.returncode == 130 and printed == ""
    assert f"To continue: pennant tournament --out {tmp_path} --no-sandbox" in errors
    assert "Traceback" not in errors
    assert not wait_for_survivors(started)


@pytest.fixture(scope="module")
def played(steady: list[str], tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("over")
    play(*steady[:2], "--format", ROUND_ROBIN, "--seed", "7", "--out", folder)
    return folder


@pytest.fixture
def over(played: Path, tmp_path: Path) -> Path:
    """The folder of a tournament that is over, of this test alone."""
    shutil.copytree(played, tmp_path, dirs_exist_ok=True)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "sentences"),
    [
        (["--rounds", "5"], ["rounds was left open, now 5"]),
        (
            ["--seed", "8", "--matches-per-pairing", "2"],
            ["seed was 7, now 8", "matches_per_pairing was 1, now 2"],
        ),
        (["--edition", "advanced"], ["edition was standard, now advanced"]),
        (["random", "greedy"], ["bot 1 was first, now random", "bot 2 was last, now greedy"]),
        (["random", "greedy", "brute"], ["it had 2 bots, now 3"]),
    ],
)
def test_with_the_same_folder_nothing_else_is_played(over: Path, arguments: list[str], sentences: list[str]) -> None:
    before = (over / "matches.jsonl").read_bytes()
    done = run(*arguments, "--out", over, "--no-sandbox")
    assert done.exit_code == 2
    assert f"The tournament in {over} is different" in done.stderr and "--out" in done.stderr
    assert all(sentence in done.stderr for sentence in sentences)
    assert (over / "matches.jsonl").read_bytes() == before


def test_a_bot_that_has_changed_is_named(steady: list[str], tmp_path: Path) -> None:
    mine = tmp_path / "mine.py"
    mine.write_text(CHOOSER.format(chosen="0"))
    play(mine, steady[1], "--format", ROUND_ROBIN, "--out", tmp_path / "out")
    mine.write_text(CHOOSER.format(chosen="-1"))
    for arguments in ([], [mine, steady[1]]):
        done = run(*arguments, "--out", tmp_path / "out")
        assert done.exit_code == 2 and "mine's files have changed" in done.stderr


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("matches.jsonl", "{}\n", "matches.jsonl: line 1 is damaged"),
        ("matches.jsonl", '{"round": 1, "board": 2, "number": 1}\n', "line 1 is damaged: this match isn't due"),
        ("matches.jsonl", "heron\n", "line 1 is damaged"),
        ("tournament.json", "heron", "tournament.json: it isn't JSON"),
        ("tournament.json", "{}", "tournament.json was written by another version of pennant"),
        ("tournament.json", '{"format": "pennant-tournament/1"}', "tournament.json is damaged"),
    ],
)
def test_what_is_damaged_is_named(over: Path, name: str, content: str, sentence: str) -> None:
    (over / name).write_text(content)
    done = run("--out", over, "--no-sandbox")
    assert done.exit_code == 2 and sentence in done.stderr


def test_matches_of_others_are_not_taken(over: Path) -> None:
    line = lines(over)[0]
    (over / "matches.jsonl").write_text(json.dumps({**line, "entrants": line["entrants"][::-1]}) + "\n")
    done = run("--out", over, "--no-sandbox")
    assert done.exit_code == 2 and "line 1 is damaged: the entrants of this match are different" in done.stderr


def test_two_commands_play_no_tournament_at_once(steady: list[str], tmp_path: Path) -> None:
    with begin(*steady, "--matches-per-pairing", "25", folder=tmp_path, until=1) as process:
        done = run("--out", tmp_path, "--no-sandbox")
        process.kill()
    assert done.exit_code == 2 and f"Another command is playing the tournament in {tmp_path}." in done.stderr


def test_a_failing_sandbox_is_nobodys_loss(steady: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Workers, spec: object) -> None:
        raise SandboxError("bubblewrap is gone")

    monkeypatch.setattr(Workers, "start", fail)
    done = run(*steady[:2], "--out", tmp_path, "--no-sandbox")
    assert done.exit_code == 3
    assert "no bot is to blame: bubblewrap is gone" in done.stderr and "To continue: pennant tournament" in done.stderr
    assert lines(tmp_path) == []
    monkeypatch.undo()
    assert play("--out", tmp_path)["standings"]


def test_only_who_asks_for_a_tournament_loads_what_it_needs() -> None:
    code = "import sys, {}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    loaded = {}
    for module in ("arena.cli", "arena.cli.tournament"):
        told = subprocess.check_output([sys.executable, "-c", code.format(module)], cwd=PROJECT_ROOT, text=True)
        loaded[module] = set(told.split())
    assert "caissify_pairings" not in loaded["arena.cli"]
    assert "caissify_pairings" in loaded["arena.cli.tournament"]
    assert not {"django", "celery", "redis", "networkx"} & loaded["arena.cli.tournament"]


def test_help_names_it_among_the_others() -> None:
    told = CliRunner().invoke(main, ["--help"]).stdout
    assert [word for word in ("compare", "play", "tournament", "verify") if f"\n  {word} " in told] == [
        "compare",
        "play",
        "tournament",
        "verify",
    ]
