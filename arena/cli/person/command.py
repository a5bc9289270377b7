"""Play one leg at the terminal, and print and save what came of it."""

import json
import random
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from arena.cli.bot_paths import build_program, find_program
from arena.cli.files import write_match
from arena.cli.person.battalion import Battalion
from arena.cli.person.battleline import BattleLine
from arena.cli.person.leg import PERSON_NAME, PersonLegSpec, play_leg_with_person
from arena.cli.person.plain import Presenter
from arena.cli.person.seats import SeatNames
from arena.cli.person.terminal import Terminal
from arena.cli.results import Results
from arena.cli.sandboxes import choose_sandbox
from arena.release import arena_version
from arena.runner.leg import LegReport
from arena.runner.limits import Limits
from arena.runner.match import MatchReport
from arena.runner.program import BadProgramError
from arena.runner.sandbox import Sandbox, SandboxError
from arena.runner.text import make_visible
from engine.core import Game, Outcome
from engine.variants import Variant

PRESENTERS: dict[str, type[Presenter]] = {"battleline": BattleLine, "battalion": Battalion}
"""By key of the game; any other one is shown by its views and legal actions."""
MAX_NOTES_SHOWN = 5
INTERRUPTED = 130
"""The exit code of a program that Ctrl-C ends."""


@dataclass(frozen=True, slots=True)
class TerminalGame:
    """A play of a person and bots: the rules, the seats, and the place of the record."""

    rules: Game
    variant: Variant
    bots: Sequence[str]
    """The bots as they were named; PERSON_NAME is the person's seat."""
    seed: str | None
    out: Path | None
    as_json: bool
    no_sandbox: bool


def play_at_terminal(game: TerminalGame, errors: Console) -> int:
    """Play one leg with a person, and return the exit code: 1 where the person left or a bot had a fault."""
    console = errors if game.as_json else Console(highlight=False)
    seed = game.seed or str(secrets.randbelow(10**9))
    try:
        spec, sandbox = prepare(game, seed, errors)
        names = SeatNames([program.name if program else PERSON_NAME for program in spec.programs], find_seat(game))
        presenter = PRESENTERS.get(game.rules.key, Presenter)(names, spec.options, spec.edition)
        print_heading(console, game, names)
        report = play_leg_with_person(spec, Terminal(console, presenter, names.own), sandbox)
    except BadProgramError as error:
        raise click.ClickException(str(error)) from error
    except SandboxError as failure:
        raise click.ClickException(f"The sandbox failed, so nobody loses by it: {failure}") from failure
    except KeyboardInterrupt:
        console.print(Text("\nYou left the game while a bot was playing, so there is no record of it."))
        return INTERRUPTED
    print_end(console, presenter, report)
    save(console, game, seed, report)
    if game.as_json:
        results = Results(names.names)
        results.add(MatchReport((report,)))
        click.echo(json.dumps(results.as_json()))
    left = any(entry.get("reason") == "abandoned" for entry in report.record["actions"])
    return int(left or any(report.faults))


def find_seat(game: TerminalGame) -> int:
    """Return the person's seat."""
    return list(game.bots).index(PERSON_NAME)


def prepare(game: TerminalGame, seed: str, errors: Console) -> tuple[PersonLegSpec, Sandbox]:
    """Return the leg, with the deal that this seed gives the first match of `pennant play`, and the sandbox.

    Raises BadProgramError, SandboxError and click.ClickException.
    """
    programs = [None if bot == PERSON_NAME else find_program(bot) for bot in game.bots]
    sandbox = choose_sandbox({program.language for program in programs if program}, bare=game.no_sandbox, errors=errors)
    rng = random.Random(f"{seed}:1")
    deal = game.rules.deal(game.variant.options, len(programs), rng)
    spec = PersonLegSpec(
        game=game.rules,
        edition=game.variant.edition,
        options=game.variant.options,
        deal=deal,
        salt=f"{rng.getrandbits(128):032x}",
        programs=tuple(program and build_program(program, sandbox) for program in programs),
        limits=Limits(),
        arena=arena_version(),
    )
    return spec, sandbox


def print_heading(console: Console, game: TerminalGame, names: SeatNames) -> None:
    """Print what is played and by whom."""
    variant = game.rules.variant_name(game.variant.edition, game.variant.options)
    seats = ", ".join(f"seat {seat} {names.name(seat)}" for seat in range(len(game.bots)))
    console.print(Text.assemble((f"{game.rules.title}, {variant}", "bold"), f" · {seats}"))
    console.print(Text("help shows what you can type", "dim"))


def print_end(console: Console, presenter: Presenter, report: LegReport) -> None:
    """Print the result, the faults of bots, and what they noted last."""
    result = report.record["result"]
    outcome = Outcome(tuple(result["places"]), tuple(result["scores"]), result["reason"])
    console.print()
    style = "bold green" if outcome.places[presenter.names.own] == 1 else "bold"
    console.print(Text(f"{presenter.describe_ending(outcome)}.", style))
    for name, fault in zip(presenter.names.names, report.faults, strict=True):
        if fault is not None:
            console.print(Text.assemble((f"{name}: {fault.verdict}. ", "red"), make_visible(str(fault.message))))
    notes = [entry for entry in report.record["actions"] if entry.get("note")]
    for entry in notes[-MAX_NOTES_SHOWN:]:
        note = make_visible(entry["note"]).replace("\n", " ")
        console.print(Text(f"{presenter.names.names[entry['seat']]} noted at {entry['action']}: {note}"))


def save(console: Console, game: TerminalGame, seed: str, report: LegReport) -> None:
    """Write the record and the bots' logs where that was asked for, and print what one would do next."""
    if game.out is None:
        console.print(
            Text(f"next: the same deal again, with a record: --seed {seed} --out games", "dim"), soft_wrap=True
        )
        return
    try:
        game.out.mkdir(parents=True, exist_ok=True)
        write_match(game.out, 1, MatchReport((report,)))
    except OSError as error:
        raise click.ClickException(f"{game.out} can't be written: {error.strerror or error}") from error
    console.print(Text(f"next: pennant verify {game.out / '1-1.json'}", "dim"), soft_wrap=True)
