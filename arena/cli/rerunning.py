"""`pennant rerun`: ask a bot again what it was asked in a recorded leg."""

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import click
from rich.console import Console

from arena.cli.api import ROOT, Api, find_api
from arena.cli.bot_paths import build_program
from arena.cli.debugging import prepare_debugging
from arena.cli.faults import LOG_LINES_KEPT, describe_stage
from arena.cli.files import UnreadableRecord, read_record
from arena.cli.own_versions import find_bot
from arena.cli.sandboxes import choose_sandbox, find_bare_sandbox
from arena.runner.program import BadProgramError, Program
from arena.runner.rerun import RerunAnswer, rerun_seat
from arena.runner.sandbox import SandboxError
from arena.runner.text import make_visible
from engine.replay import BadRecord, verify

NAMED = re.compile(r"(\d+)/(\d+)")
PAGE = re.compile(r"/matches/(\d+)/legs/(\d+)/record\.json")
MAX_DIFFERENCES_SHOWN = 20


@click.command()
@click.argument("record")
@click.option("--bot", "bot", metavar="BOT", required=True, help="The bot to ask, named as for gauntlet.")
@click.option("--seat", type=click.IntRange(min=0), help="Its seat, from 0. [default: the one with its name]")
@click.option("--until", metavar="N", type=click.IntRange(min=0), help="Ask nothing after decision N of the leg.")
@click.option("--debug", is_flag=True, help="Let the bot wait for a debugger, without sandbox and clock.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with all answers.")
@click.option("--no-sandbox", is_flag=True, help="Run the bot without a sandbox. Only for bots you trust.")
def rerun(  # noqa: PLR0913 - a parameter an option
    record: str, bot: str, seat: int | None, until: int | None, debug: bool, as_json: bool, no_sandbox: bool
) -> None:
    """Ask a bot what was asked at a seat of a recorded leg, and tell where it answers differently now.

    RECORD is a file that `play --out` or `record` wrote, MATCH/LEG on the arena at PENNANT_URL, or the address of a
    record; for what only you may see, set PENNANT_TOKEN. The bot reads the same lines as then, only `bank_ms` is of
    today. The leg goes on as recorded whatever it answers. The exit code is 1 if the bot has a fault.
    """
    errors = Console(stderr=True, highlight=False, markup=False)
    found = _find_record(record)
    program = _find_bot(bot)
    seat = _choose_seat(found, program.name) if seat is None else _check_seat(found, seat)
    sandbox = choose_sandbox({program.language}, bare=no_sandbox, errors=errors)
    try:
        built = build_program(program, sandbox)
        if debug:
            sandbox = prepare_debugging([(built, Path(bot))], sandbox, find_bare_sandbox({program.language}))
        answers = list(rerun_seat(found, seat, built, sandbox, until))
    except (BadProgramError, SandboxError) as error:
        raise click.ClickException(str(error)) from error
    has_fault = any(answer.problem for answer in answers)
    if as_json:
        click.echo(json.dumps(_export(record, seat, answers)))
    else:
        for line in _describe(record, found, seat, answers):
            click.echo(line)
    sys.exit(int(has_fault))


def _find_record(text: str) -> dict[str, Any]:
    """Return the verified record of a file or an arena. Raises click.ClickException."""
    found: dict[str, Any]
    try:
        if text.startswith(("http://", "https://")):
            found = _fetch(text)
        elif not Path(text).exists() and (named := NAMED.fullmatch(text)):
            found = find_api(needs_token=False).get(f"matches/{named[1]}/legs/{named[2]}/record/")
        else:
            found = read_record(Path(text))
        verify(found)
    except (UnreadableRecord, BadRecord) as error:
        raise click.ClickException(f"{text}: {error}") from error
    return found


def _fetch(address: str) -> Any:
    scheme, host, path = urlsplit(address)[:3]
    page = PAGE.fullmatch(path)
    return _choose_api(f"{scheme}://{host}").get(f"{ROOT}matches/{page[1]}/legs/{page[2]}/record/" if page else path)


def _choose_api(origin: str) -> Api:
    """Return the client of an arena. It has the token of PENNANT_TOKEN only for the arena that this is for."""
    own = urlsplit(os.environ.get("PENNANT_URL", ""))
    return find_api(needs_token=False) if f"{own.scheme}://{own.netloc}" == origin else Api(origin)


def _find_bot(text: str) -> Program:
    try:
        return find_bot(text)
    except BadProgramError as error:
        raise click.ClickException(str(error)) from error


def _choose_seat(record: dict[str, Any], name: str) -> int:
    """Return the seat at which a bot of this name sat. Raises click.ClickException unless there is one."""
    seats = [number for number, each in enumerate(record["seats"]) if each["name"].casefold() == name.casefold()]
    if len(seats) != 1:
        raise click.ClickException(f"At which seat is {name} to be asked? {_list_seats(record)}")
    return seats[0]


def _check_seat(record: dict[str, Any], seat: int) -> int:
    if seat >= len(record["seats"]):
        raise click.ClickException(f"There is no seat {seat} in this leg: {_list_seats(record)}")
    return seat


def _list_seats(record: dict[str, Any]) -> str:
    names = (make_visible(each["name"]) for each in record["seats"])
    return ", ".join(f"--seat {number} ({name})" for number, name in enumerate(names))


def _describe(text: str, record: dict[str, Any], seat: int, answers: list[RerunAnswer]) -> Iterator[str]:
    """Yield the heading, a line for each difference, the fault if there is one, and the sum."""
    yield f"{text} · seat {seat} ({make_visible(record['seats'][seat]['name'])}) · {len(answers)} decisions"
    different = [answer for answer in answers if not answer.is_same or answer.problem]
    for answer in different[:MAX_DIFFERENCES_SHOWN]:
        stage = describe_stage(answer.request.get("view") or {})
        where = f"decision {answer.decision}{f' ({stage})' if stage else ''}"
        yield f"  {where:24} recorded {answer.recorded!r}   now {make_visible(answer.answer)!r}"
        if answer.problem:
            yield f"    {make_visible(answer.problem)}"
        yield from (f"    {line}" for line in answer.log.rstrip().splitlines()[-LOG_LINES_KEPT:])
    if len(different) > MAX_DIFFERENCES_SHOWN:
        yield f"  and {len(different) - MAX_DIFFERENCES_SHOWN} more"
    changed = sum(not answer.is_same for answer in answers)
    yield f"{changed} of {len(answers)} answers differ"


def _export(text: str, seat: int, answers: list[RerunAnswer]) -> dict[str, Any]:
    return {
        "record": text,
        "seat": seat,
        "different": sum(not answer.is_same for answer in answers),
        "answers": [
            {
                "decision": answer.decision,
                "recorded": answer.recorded,
                "now": answer.answer,
                "is_same": answer.is_same,
                "problem": answer.problem,
            }
            for answer in answers
        ],
    }
