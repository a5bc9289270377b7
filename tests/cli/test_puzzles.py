"""`pennant puzzle`: the day's puzzle of a real arena, and files of puzzles for programs."""

import json
import sys
from pathlib import Path

import pytest
from pytest_django.live_server_helper import LiveServer

from arena.bots.teams import issue_token
from arena.contests.puzzles.models import Answer, Puzzle
from arena.people.accounts.models import User
from engine.games.battleline.plain_proof import prove
from tests.arena.contests.puzzles.made import DAY, make_puzzles
from tests.cli.running import pennant

SOLVER = """
import json, sys
from engine.games.battleline.plain_proof import prove
for line in sys.stdin:
    asked = json.loads(line)
    assert "solution" not in asked
    proof = prove(asked["options"], asked["view"], asked["seat"], asked["question"]["flag"])
    print(json.dumps({"claim": proof.holds, "card": None if proof.holds else proof.refutations[0][0]}))
"""
CLAIMS_ALL = "import sys\nfor line in sys.stdin: print('{\"claim\": true}')"


def type_answer(puzzle: Puzzle) -> str:
    return "yes" if puzzle.solution["claim"] else puzzle.solution["card"].lower()


@pytest.mark.django_db(transaction=True)
def test_the_days_puzzle_is_solved_in_the_terminal(live_server: LiveServer, ana: User) -> None:
    claim, best = make_puzzles()
    arena = {"PENNANT_URL": live_server.url, "PENNANT_TOKEN": issue_token(owner=ana, name="CI")[1]}
    done = pennant("puzzle", "--day", DAY.isoformat(), typed=f"{type_answer(claim)}\n", **arena)
    assert done.returncode == 0, done.stderr
    assert f"Puzzle 1, {DAY}" in done.stdout and f"flag {claim.question['flag']}" in done.stdout
    assert "Right: " in done.stdout and "hand" in done.stdout
    assert Answer.objects.get(puzzle=claim).user == ana
    done = pennant("puzzle", "--best", "--day", DAY.isoformat(), "--answer", best.solution["played"], **arena)
    assert f"Not this time: {best.solution['best']} is best" in done.stdout and " 61%" in done.stdout
    again = pennant("puzzle", "--best", "--day", DAY.isoformat(), "--answer", best.solution["best"], **arena)
    assert "Only your first answer counts: it was wrong." in again.stdout
    told = json.loads(pennant("puzzle", "--day", DAY.isoformat(), "--json", **arena).stdout)
    assert told["solution"] == claim.solution


@pytest.mark.django_db(transaction=True)
def test_without_a_token_a_claim_is_proved_on_this_machine(live_server: LiveServer) -> None:
    claim, best = make_puzzles()
    arena = {"PENNANT_URL": live_server.url, "PENNANT_TOKEN": ""}
    done = pennant("puzzle", "--day", DAY.isoformat(), "--answer", type_answer(claim), **arena)
    assert "Right: " in done.stdout and not Answer.objects.exists()
    refused = pennant("puzzle", "--best", "--day", DAY.isoformat(), "--answer", best.solution["best"], **arena)
    assert refused.returncode == 2 and "create a token" in refused.stderr
    for arguments, reason in (
        (("--answer", "joker"), "neither yes nor a troop"),
        (("--day", "soon"), "no date"),
        (("--day", "2999-01-01"), "That day has no puzzle."),
        (("--best", "--answer", "play X1 1"), "isn't one of"),
    ):
        refused = pennant("puzzle", "--day", DAY.isoformat(), *arguments, **arena)
        assert refused.returncode and reason in refused.stderr, arguments


@pytest.fixture(scope="module")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records")
    rules = ("--matches", "6", "--seed", "3", "--no-sandbox")
    assert pennant("play", "greedy", "brute", *rules, "--out", folder).returncode == 0
    return folder


def read_lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_puzzles_are_written_from_records(records: Path, tmp_path: Path) -> None:
    every, some = tmp_path / "every.jsonl", tmp_path / "some.jsonl"
    done = pennant("puzzle", records, "--write", every, "--all")
    assert done.returncode == 0, done.stderr
    lines = read_lines(every)
    assert f"{len(lines)} puzzles" in done.stdout and len({line["id"] for line in lines}) == len(lines) > 4
    for line in lines:
        proof = prove(line["options"], line["view"], line["seat"], line["question"]["flag"])
        card = line["solution"].get("card")
        assert (proof.holds, proof.refutations) == (line["solution"]["claim"], ((card,),) if card else ())
        assert line["view"]["hand"] and line["view"]["to_move"] == line["seat"]
    assert pennant("puzzle", records, "--write", some, "--count", "4").returncode == 0
    answers = [line["solution"]["claim"] for line in read_lines(some)]
    assert sorted(answers) == [False, False, True, True]


def test_a_program_is_tested_on_puzzles(records: Path, tmp_path: Path) -> None:
    file, solver, hasty = tmp_path / "puzzles.jsonl", tmp_path / "solver.py", tmp_path / "hasty.py"
    solver.write_text(SOLVER)
    hasty.write_text(CLAIMS_ALL)
    pennant("puzzle", records, "--write", file)
    count = len(read_lines(file))
    done = pennant("puzzle", "--test", file, "--run", f"{sys.executable} {solver}", PYTHONPATH=str(Path.cwd()))
    assert done.returncode == 0 and f"{count} of {count} right" in done.stdout
    done = pennant("puzzle", "--test", file, "--run", f"{sys.executable} {hasty}")
    assert done.returncode == 1 and f"{count // 2} of {count} right" in done.stdout
    assert "can't be claimed yet, because of" in done.stdout
    told = json.loads(pennant("puzzle", "--test", file, "--run", f"{sys.executable} {hasty}", "--json").stdout)
    assert (told["puzzles"], told["right"], len(told["wrong"])) == (count, count // 2, count // 2)


@pytest.mark.parametrize(
    ("program", "reason"),
    [
        ("print(1)", "printed 1 lines for"),
        ("raise SystemExit(3)", "exit code 3"),
        ("import sys; print(*sys.stdin)", ""),
    ],
)
def test_a_program_that_fails_is_reported(records: Path, tmp_path: Path, program: str, reason: str) -> None:
    file, failing = tmp_path / "puzzles.jsonl", tmp_path / "failing.py"
    failing.write_text(program)
    pennant("puzzle", records, "--write", file, "--count", "4")
    done = pennant("puzzle", "--test", file, "--run", f"{sys.executable} {failing}")
    assert done.returncode == 1 and reason in done.stderr


def test_options_that_do_not_go_together_are_refused(records: Path, tmp_path: Path) -> None:
    (tmp_path / "odd.jsonl").write_text("{}\n")
    for arguments, reason in (
        ([records], "--write"),
        (["--write", tmp_path / "x"], "records"),
        (["--test", tmp_path / "odd.jsonl"], "go together"),
        (["--test", tmp_path / "odd.jsonl", "--run", "true"], "isn't a file that --write wrote"),
        ([tmp_path / "odd.jsonl", "--write", tmp_path / "x"], "odd.jsonl"),
    ):
        done = pennant("puzzle", *arguments)
        assert done.returncode and reason in done.stderr, arguments
