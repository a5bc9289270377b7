"""`pennant puzzle`: solve the puzzle of the day, write puzzles from records, and test a bot's claim logic on them."""

import json
import shlex
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import click
import orjson
from rich.console import Console

from arena.cli import NoError, RequestError, writing
from arena.cli.api import Api, find_api
from arena.cli.bot_paths import json_option
from arena.cli.files import DOWNLOAD_SUFFIX, UnreadableRecord, read_download, read_record
from arena.cli.person import PRESENTERS
from arena.cli.terminal_games import Presenter, SeatNames
from arena.runner.protocol import make_visible
from engine.core import Json
from engine.games.battleline.plain_proof import count_unseen, prove
from engine.games.battleline.puzzles import GAME_KEY, ClaimPuzzle, find_claim_puzzles
from engine.replay import BadRecord, begin, take, verify

CLAIM, BEST = "claim", "best"
YES = ("yes", "y")
TODAY = "today"
MAX_WRONG_SHOWN = 10
TEST_TIMEOUT_S = 600


@click.command("puzzle")
@click.argument("records", metavar="[RECORD…]", nargs=-1, type=click.Path(exists=True, path_type=Path))
@click.option("--best", is_flag=True, help="Show the puzzle about the best card instead of the one about a claim.")
@click.option("--day", metavar="DATE", default=TODAY, help="Show the puzzle of this day, such as 2026-11-30.")
@click.option("--answer", metavar="ANSWER", help="Answer without being asked: yes, a card such as G7, or an action.")
@click.option("--write", metavar="FILE", type=click.Path(path_type=Path), help="Write puzzles from RECORDs to a file.")
@click.option("--count", type=click.IntRange(min=1), default=1000, show_default=True, help="Puzzles to write at most.")
@click.option("--all", "takes_all", is_flag=True, help="Write all puzzles, instead of equally many with each answer.")
@click.option(
    "--test",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Test a program on the puzzles of a file.",
)
@click.option("--run", metavar="COMMAND", help="The program to test, such as “python claims.py”.")
@json_option
def puzzle(  # noqa: PLR0913 - a parameter an option
    records: Sequence[Path],
    best: bool,
    day: str,
    answer: str | None,
    write: Path | None,
    count: int,
    takes_all: bool,
    test: Path | None,
    run: str | None,
    as_json: bool,
) -> None:
    """Solve the puzzle of the day of the arena at PENNANT_URL, or test your bot's claim logic on many puzzles.

    Without options, the command draws the position, asks you for the answer, and says whether it's right. With a token
    in PENNANT_TOKEN, your answer counts on the arena.

    With --write, it looks for claim puzzles in each RECORD: a record written by `play --out` or `record`, a folder of
    records, or a file written by `download`. Each line of the new file is a puzzle: `view` is what a bot gets, with
    `options` and `seat`; `question` has the flag, and `solution` the answer, proved in two ways.

    With --test and --run, it starts a program and writes all puzzles of such a file to its stdin, one per line, without
    their solutions. The program prints a line for each: `{"claim": true}` or `{"claim": false}`, and can add the
    refuting `card`. The exit code is 1 if an answer is wrong.
    """
    if (test is None) != (run is None):
        raise click.UsageError("--test and --run go together.")
    if bool(records) != (write is not None):
        raise click.UsageError("--write needs records to take puzzles from, and records need --write FILE.")
    if write is not None:
        write_puzzles(records, write, count, takes_all=takes_all)
    elif test is not None and run is not None:
        test_program(test, run, as_json=as_json)
    else:
        solve(BEST if best else CLAIM, day, answer, as_json=as_json)


# Solve the puzzle of a day.


def solve(kind: str, day: str, answer: str | None, *, as_json: bool) -> None:
    """Show the puzzle of a day, ask for the answer, and say whether it's right."""
    if day != TODAY:
        try:
            date.fromisoformat(day)
        except ValueError:
            raise RequestError(f"{day!r} is no date such as 2026-11-30.") from None
    api = find_api(needs_token=False)
    path = f"puzzles/{kind}/{day}/"
    shown = api.get(path)
    if as_json and answer is None:
        click.echo(json.dumps(shown))
        return
    console = Console(highlight=False, markup=False)
    if not as_json:
        print_puzzle(console, shown)
    if answer is None:
        answer = click.prompt(describe_prompt(shown))
    sent = read_answer(shown, answer)
    told = api.post(f"{path}answer/", json=sent) if api.token else shown | {"solution": find_solution(api, shown)}
    if as_json:
        click.echo(json.dumps(told))
    else:
        print_verdict(console, told, sent)


def print_puzzle(console: Console, shown: Json) -> None:
    """Print the position and the question."""
    console.print(f"{make_title(shown)} · {shown['edition']} · difficulty {shown['difficulty']} of 5\n")
    names = SeatNames(["seat 0", "seat 1"], shown["seat"])
    presenter = PRESENTERS.get(shown["game"], Presenter)(names, shown["options"], shown["edition"])
    for line in presenter.draw_board(shown["view"]):
        console.print(line, soft_wrap=True)
    console.print()


def make_title(shown: Json) -> str:
    """Return the heading of a puzzle."""
    words = "Which card is best?" if shown["kind"] == BEST else "Can you claim it?"
    return f"{words} Puzzle {shown['number']}, {shown['day']}"


def describe_prompt(shown: Json) -> str:
    """Return the question."""
    if shown["kind"] == BEST:
        return "Which action is best, such as “play G7 4”?"
    flag = shown["question"]["flag"]
    return f"Can you claim flag {flag}? Cards in hands count as unseen. Type yes, or the card that refutes the claim"


def read_answer(shown: Json, text: str) -> Json:
    """Return what a person typed as an answer of the API. Raise click.ClickException."""
    typed = text.strip()
    if shown["kind"] == BEST:
        if typed not in shown["question"]["legal"]:
            raise RequestError(f"{make_visible(typed)!r} isn't one of: {', '.join(shown['question']['legal'])}")
        return {"action": typed}
    if typed.casefold() in YES:
        return {"claim": True}
    card = typed.upper()
    if card not in count_unseen(shown["options"], shown["view"]):
        raise RequestError(f"{make_visible(typed)!r} is neither yes nor a troop that isn't on the table.")
    return {"claim": False, "card": card}


def find_solution(api: Api, shown: Json) -> Json:
    """Return the solution of a puzzle to somebody without a token: claims can be proved on this machine."""
    if shown["kind"] == BEST:
        raise click.ClickException(f"To answer this puzzle, create a token at {api.url}/tokens/ and set PENNANT_TOKEN.")
    proof = prove(shown["options"], shown["view"], shown["seat"], shown["question"]["flag"])
    return {"claim": True} if proof.holds else {"claim": False, "card": proof.refutations[0][0]}


def print_verdict(console: Console, told: Json, sent: Json) -> None:
    """Print whether the answer is right, and the solution."""
    solution = told["solution"]
    if told["kind"] == BEST:
        is_right = sent["action"] == solution["best"]
        explained = f"{solution['best']} is best; {solution['played']} was played."
    else:
        is_right = sent == solution
        explained = describe_claim(solution, told["question"]["flag"])
    console.print(("Right: " if is_right else "Not this time: ") + explained)
    for action, chance in sorted(solution.get("chances", {}).items(), key=lambda one: -one[1]):
        console.print(f"  {100 * chance:3.0f}%  {action}")
    given = told.get("given")
    if given is not None and given["tries"] > 1:
        console.print(f"Only your first answer counts: it was {'right' if given['is_right'] else 'wrong'}.")


def describe_claim(solution: Json, flag: int) -> str:
    """Return the solution of a claim as a sentence."""
    if solution["claim"]:
        return f"flag {flag} can be claimed, as no unseen troop refutes it."
    return f"flag {flag} can't be claimed yet, because of {solution['card']}."


# Write puzzles from records.


def write_puzzles(paths: Sequence[Path], target: Path, count: int, *, takes_all: bool) -> None:
    """Write at most `count` puzzles of the records in these files and folders, each position once."""
    lines = list_lines(record for path in paths for record in list_records(path))
    kept = list(islice(lines, count)) if takes_all else choose_balanced(lines, count)
    if not kept:
        raise NoError("No puzzles found in these records.")
    with writing(target):
        target.write_bytes(b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in kept))
    true = sum(line["solution"]["claim"] for line in kept)
    click.echo(f"{target}: {len(kept)} puzzles; {true} claims hold, {len(kept) - true} are refuted by one card")


def list_records(path: Path) -> Iterator[Json]:
    """Yield the valid records of a file or folder. Raise click.ClickException."""
    try:
        if path.is_dir():
            found: Iterable[Json] = map(read_record, sorted(path.glob("*.json")))
        elif path.name.endswith(DOWNLOAD_SUFFIX):
            found = (line["record"] for line in read_download(path))
        else:
            found = [read_record(path)]
        for record in found:
            verify(record)
            yield record
    except (UnreadableRecord, BadRecord) as error:
        raise click.ClickException(f"{path}: {error}") from error


def list_lines(records: Iterable[Json]) -> Iterator[Json]:
    """Yield the puzzles of records as lines of a file, each position once."""
    seen = set()
    for record in records:
        puzzles = list(find_claim_puzzles(record)) if record["game"] == GAME_KEY else []
        state, done = begin(record), 0
        for one in puzzles:
            for entry in record["actions"][done : one.turn]:
                take(state, entry)
            done = one.turn
            if one.position_hash not in seen:
                seen.add(one.position_hash)
                yield build_line(record, one, state.view(one.seat))


def build_line(record: Json, one: ClaimPuzzle, view: Json) -> Json:
    """Return a puzzle as a line of a file, with its solution."""
    return {
        "id": one.position_hash,
        "kind": CLAIM,
        "game": record["game"],
        "edition": record["edition"],
        "options": record["options"],
        "seat": one.seat,
        "view": view,
        "question": one.question,
        "difficulty": one.difficulty,
        "solution": one.solution,
    }


def choose_balanced(lines: Iterable[Json], count: int) -> list[Json]:
    """Return the first puzzles with each answer, equally many, in a random order that is always the same."""
    by_answer: dict[bool, list[Json]] = {True: [], False: []}
    most = max(1, count // 2)
    for line in lines:
        by_answer[line["solution"]["claim"]].append(line)
        if min(map(len, by_answer.values())) >= most:
            break
    each = min(most, *map(len, by_answer.values()))
    kept = [*by_answer[True][:each], *by_answer[False][:each]]
    Random("puzzles").shuffle(kept)
    return kept


# Test a program on the puzzles of a file.


def test_program(path: Path, command: str, *, as_json: bool) -> None:
    """Start a program, give it the puzzles of a file, and report its wrong answers. Exit with 1 where there are any."""
    puzzles = read_puzzles(path)
    answers = ask_program(command, puzzles)
    wrong = [
        {"line": number, "id": one["id"], "flag": one["question"]["flag"], "answer": given, "solution": one["solution"]}
        for number, (one, given) in enumerate(zip(puzzles, answers, strict=True), start=1)
        if not is_right(given, one["solution"])
    ]
    right = len(puzzles) - len(wrong)
    if as_json:
        click.echo(json.dumps({"puzzles": len(puzzles), "right": right, "wrong": wrong}))
    else:
        click.echo(f"{right} of {len(puzzles)} right")
        for one in wrong[:MAX_WRONG_SHOWN]:
            told = make_visible(json.dumps(one["answer"]))
            click.echo(f"line {one['line']}: {describe_claim(one['solution'], one['flag'])} The program says {told}")
        if len(wrong) > MAX_WRONG_SHOWN:
            click.echo(f"… and {len(wrong) - MAX_WRONG_SHOWN} more")
    sys.exit(1 if wrong else 0)


def read_puzzles(path: Path) -> list[Json]:
    """Return the puzzles of a file. Raise click.ClickException."""
    try:
        puzzles = [orjson.loads(line) for line in path.read_bytes().splitlines() if line.strip()]
    except OSError as error:
        raise click.ClickException(f"{path} can't be read: {error.strerror or error}") from error
    except orjson.JSONDecodeError as error:
        raise click.ClickException(f"{path} has a line that isn't JSON: {error}") from error
    needed = {"id", "view", "seat", "options", "question", "solution"}
    if not puzzles or not all(isinstance(one, dict) and needed <= one.keys() for one in puzzles):
        raise click.ClickException(f"{path} isn't a file that --write wrote.")
    return puzzles


def ask_program(command: str, puzzles: Sequence[Json]) -> list[Any]:
    """Return the answers of a program to puzzles that it gets without their solutions. Raise click.ClickException."""
    asked = [{key: value for key, value in one.items() if key != "solution"} for one in puzzles]
    sent = b"".join(orjson.dumps(one, option=orjson.OPT_APPEND_NEWLINE) for one in asked)
    try:
        done = subprocess.run(
            shlex.split(command), input=sent, stdout=subprocess.PIPE, timeout=TEST_TIMEOUT_S, check=False
        )
    except (OSError, ValueError) as error:
        raise RequestError(f"{command} can't be started: {error}") from error
    except subprocess.TimeoutExpired:
        raise NoError(f"{command} didn't finish within {TEST_TIMEOUT_S} s.") from None
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    if done.returncode or len(lines) != len(puzzles):
        ended = f" and ended with exit code {done.returncode}" if done.returncode else ""
        raise NoError(f"{command} printed {len(lines)} lines for {len(puzzles)} puzzles{ended}.")
    try:
        return [orjson.loads(line) for line in lines]
    except orjson.JSONDecodeError as error:
        raise NoError(f"{command} printed a line that isn't JSON: {error}") from error


def is_right(answer: Any, solution: Json) -> bool:
    """Return whether a program's answer is right. It can leave out the card, but not name another one."""
    if not isinstance(answer, dict) or answer.get("claim") is not solution["claim"]:
        return False
    return answer.get("card") in (None, solution.get("card"))
