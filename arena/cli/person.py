"""`pennant play me BOT`: a person plays one leg against bots in the terminal."""

import json
import random
import secrets
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, ExitStack, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import click
from rich.console import Console
from rich.text import Text

from arena.cli import MachineError, writing
from arena.cli.bot_paths import build_program, choose_sandbox, find_program
from arena.cli.campaign import HomeClock
from arena.cli.files import Results, write_match
from arena.cli.terminal_games import Battalion, BattleLine, Presenter, SeatNames
from arena.core.release import arena_version
from arena.runner.match import FAULTS, LegReport, MatchReport, SeatPlay, ask_for_move, dismiss_bots, record_fault
from arena.runner.program import Limits, Program, Verdict
from arena.runner.protocol import LegInfo, make_visible
from arena.runner.sandbox.base import Sandbox, SandboxError
from engine.core import Game, IllegalAction, Json, MalformedAction, Move, Outcome, Seat, State, forfeit_event
from engine.deal import deal_hash, derive_seed
from engine.replay import BOT, MAX_ACTION_LENGTH, PERSON, make_record
from engine.variants import Variant

# Play one leg between a person and bots, and write its record.
#
# Each bot is one process from the start to the end of the leg, as in a match. It is stopped while it is not asked, so
# that neither its clock nor the leg's bound of elapsed time counts how long the person thinks.

PERSON_NAME = "me"
"""The person's name in records, and what stands for a bot on the command line."""


@dataclass(frozen=True, slots=True)
class TakeBack:
    """The person's wish to take the last step back."""


@dataclass(frozen=True, slots=True)
class Leave:
    """The person's wish to leave the leg."""

    reason: str
    """One of PERSON_ENDINGS."""


Choice = Move | TakeBack | Leave


class Person(Protocol):
    """The person who plays at the terminal."""

    def tell(self, state: State) -> None:
        """Show what has happened since the last call."""

    def choose(self, state: State, *, can_take_back: bool) -> Choice:
        """Return what the person does now."""

    def wait_for(self, seat: Seat) -> AbstractContextManager[object]:
        """Return the context in which the bot at a seat thinks."""


@dataclass(frozen=True, slots=True)
class PersonLegSpec:
    """The input of a leg with a person."""

    game: Game
    edition: str
    options: Json
    deal: Json
    salt: str
    programs: tuple[Program | None, ...]
    """The program at each seat; None where the person sits."""
    limits: Limits
    is_clocked: bool = True
    arena: str | None = None
    """The version of the arena, for the record."""


def play_leg_with_person(spec: PersonLegSpec, person: Person, sandbox: Sandbox) -> LegReport:
    """Play a leg. Raises SandboxError. All its processes have ended when this returns or raises."""
    leg = PersonLeg(spec, person)
    with ExitStack() as stack:
        for bot in leg.bots.values():
            stack.callback(bot.close)
        return leg.run(sandbox)


class PersonLeg:
    """A leg with a person while it is played."""

    def __init__(self, spec: PersonLegSpec, person: Person) -> None:
        self.spec = spec
        self.person = person
        self.seats = range(len(spec.programs))
        self.bots = {
            seat: SeatPlay(seat, program, spec.limits, is_clocked=spec.is_clocked)
            for seat, program in enumerate(spec.programs)
            if program is not None
        }
        self.state: State = spec.game.start(spec.options, len(self.seats), spec.deal)
        self.seeds = tuple(derive_seed(spec.salt, seat) for seat in self.seats)
        self.actions: list[Json] = []
        self.verdicts = [Verdict.OK for _ in self.seats]
        self.draft: list[tuple[State, int]] = []
        """For each of the person's steps that can be taken back, the state and the number of actions before it."""

    def run(self, sandbox: Sandbox) -> LegReport:
        """Start the bots, play the leg and end the bots."""
        self.start_bots(sandbox)
        while (seat := self.state.to_act) is not None:
            move = self.state.forced()
            if move is not None:
                self.play(seat, move, {"auto": True})
            elif seat not in self.bots:
                self.ask_person(seat)
            else:
                self.ask_bot(self.bots[seat])
            self.person.tell(self.state)
        return self.finish(self.state.outcome)

    def start_bots(self, sandbox: Sandbox) -> None:
        """Start the bots in seat order.

        With two seats a bot that fails to start forfeits at once, with more when it is asked.
        """
        spec = self.spec
        table = LegInfo(
            game=spec.game.key,
            edition=spec.edition,
            options=spec.options,
            seats=len(self.seats),
            deal_hash=deal_hash(spec.deal, spec.salt),
            limits=spec.limits,
            seeds=self.seeds,
        )
        for bot in self.bots.values():
            try:
                bot.start(sandbox, table)
            except FAULTS as error:
                record_fault(bot, error, self.state)
                if len(self.seats) == 2:
                    self.forfeit(bot)

    def play(self, seat: Seat, move: Move, details: Json) -> None:
        """Play a move, with these details in its entry of the record."""
        self.actions.append({"seat": seat, "action": self.state.text(move), **details})
        self.state.play(move)

    def ask_person(self, seat: Seat) -> None:
        """Have the person take a step, take one back, or leave."""
        choice = self.person.choose(self.state, can_take_back=bool(self.draft))
        if isinstance(choice, TakeBack):
            self.state, length = self.draft.pop()
            del self.actions[length:]
        elif isinstance(choice, Leave):
            self.actions.append(forfeit_event(seat, choice.reason))
            self.state.forfeit(seat, choice.reason)
        else:
            self.take_step(seat, choice)

    def take_step(self, seat: Seat, move: Move) -> None:
        """Play the person's move and what follows without a choice.

        It can be taken back unless it has shown the person something, or another seat is to decide.
        """
        before, length = self.state.copy(), self.state.log_length
        self.draft.append((before, len(self.actions)))
        self.play(seat, move, {})
        while self.state.to_act == seat and (forced := self.state.forced()) is not None:
            self.play(seat, forced, {"auto": True})
        if self.state.to_act != seat or self.spec.game.is_revealing(self.state.events(seat, length)):
            self.draft.clear()

    def ask_bot(self, bot: SeatPlay) -> None:
        """Have a bot decide, or forfeit."""
        if bot.fault is None:
            try:
                with self.person.wait_for(bot.seat):
                    move, entry = ask_for_move(bot, self.state)
            except FAULTS as error:
                record_fault(bot, error, self.state)
            else:
                self.actions.append(entry)
                self.state.play(move)
                return
        self.forfeit(bot)

    def forfeit(self, bot: SeatPlay) -> None:
        """Put a bot out by its fault."""
        assert bot.fault is not None
        verdict = bot.fault.verdict
        self.verdicts[bot.seat] = verdict
        self.actions.append(forfeit_event(bot.seat, verdict.value))
        self.state.forfeit(bot.seat, verdict.value)

    def finish(self, outcome: Outcome | None) -> LegReport:
        """Tell the bots the result, end them, and return the report."""
        assert outcome is not None
        verdicts = [verdict.value for verdict in self.verdicts]
        dismiss_bots(self.bots.values(), self.state, outcome, verdicts)
        return self.build_report(self.build_record(outcome, verdicts))

    def build_record(self, outcome: Outcome, verdicts: list[str]) -> Json:
        """Return the record of the leg."""
        spec = self.spec
        return make_record(
            game=spec.game,
            edition=spec.edition,
            options=spec.options,
            deal=spec.deal,
            salt=spec.salt,
            seats=[self.describe_seat(seat) for seat in self.seats],
            actions=self.actions,
            outcome=outcome,
            verdicts=verdicts,
            arena=spec.arena,
        )

    def describe_seat(self, seat: Seat) -> Json:
        """Return a seat as the record has it."""
        program = self.spec.programs[seat]
        if program is None:
            return {"name": PERSON_NAME, "kind": PERSON}
        return {"name": program.name, "version": program.version, "kind": BOT, "seed": self.seeds[seat]}

    def build_report(self, record: Json) -> LegReport:
        """Return the report; a person's log is empty, and so is their clock."""
        bots = [self.bots.get(seat) for seat in self.seats]
        clocks = [bot.clock if bot else None for bot in bots]
        return LegReport(
            seating=tuple(self.seats),
            record=record,
            stderr=tuple(bot.stderr if bot else "" for bot in bots),
            faults=tuple(
                bot.fault if bot and verdict is not Verdict.OK else None
                for bot, verdict in zip(bots, self.verdicts, strict=True)
            ),
            spent_ms=tuple(clock.spent_ms if clock else 0.0 for clock in clocks),
            answers=tuple(clock.answers if clock else 0 for clock in clocks),
            elapsed_ms=tuple(clock.elapsed_ms if clock else 0.0 for clock in clocks),
            waited_ms=tuple(clock.waited_ms if clock else 0.0 for clock in clocks),
        )


# Find the action that a person means by a few letters.


def find_actions(text: str, legal: Sequence[str]) -> list[str]:
    """Return the legal actions that a text may stand for, without regard to case.

    Whole words go before beginnings of words, and whole actions before those whose first word, the verb, is left out.
    Last come the actions that begin with these words: "claim" stands for every claim.
    """
    words = text.lower().split()
    for fits in (str.__eq__, is_beginning):
        for left_out in (0, 1):
            found = [action for action in legal if match_words(words, action.lower().split()[left_out:], fits)]
            if found:
                return found
    return [action for action in legal if action.lower().split()[: len(words)] == words] if words else []


def match_words(words: Sequence[str], action: Sequence[str], fits: Callable[[str, str], bool]) -> bool:
    """Return whether each word fits the word of the action at its place."""
    return bool(words) and len(words) == len(action) and all(map(fits, words, action))


def is_beginning(word: str, whole: str) -> bool:
    """Return whether a word is the whole one or begins it. Numbers are never cut, nor is a colour a card."""
    return word == whole or (word[-1:].isalpha() and whole.startswith(word) and not whole[len(word)].isdigit())


# The terminal at which a person plays: what is printed, and what the lines mean that are typed.

PROMPT = "> "
HELP = (
    ("NUMBER", "play the action with this number in the list"),
    ("list, l", "list all actions with their numbers"),
    ("board, b", "show the table again"),
    ("why ACTION, w", "show why an action isn't allowed, with the rule"),
    ("undo, u", "undo your last action, unless it showed you something new"),
    ("resign", "resign; Ctrl-C and Ctrl-D resign too, after asking"),
    ("help, ?", "show this list"),
)
"""By the words that may be typed in every game: their meaning."""
LEFT_COLUMN_WIDTH = 16


class NoInput(Exception):
    """The input has ended, or the person has pressed Ctrl-C."""


class Unclear(Exception):
    """A line means no action, or several. The message says what is wrong."""


class Terminal:
    """The person's side of a leg."""

    def __init__(self, console: Console, presenter: Presenter, own: Seat) -> None:
        self.console = console
        self.presenter = presenter
        self.own = own
        self.told = 0
        """The log position up to which events were printed."""
        self.is_board_due = True
        self.commands: dict[str, Callable[[State, str], None]] = {
            **dict.fromkeys(("list", "l"), self.print_list),
            **dict.fromkeys(("board", "b"), self.print_board),
            **dict.fromkeys(("why", "w"), self.print_reason),
            **dict.fromkeys(("help", "h", "?"), self.print_help),
        }

    def tell(self, state: State) -> None:
        """Print what has happened since the last call. After a step was taken back, what it brought is forgotten."""
        if state.log_length < self.told:
            self.told, self.is_board_due = state.log_length, True
            return
        for event in state.events(self.own, self.told):
            self.is_board_due |= self.presenter.draws_every_step or event.get("seat") not in (self.own, None)
            sentence = self.presenter.describe(event)
            if sentence:
                self.print(f"{make_visible(sentence)}.")
        self.told = state.log_length

    def wait_for(self, seat: Seat) -> AbstractContextManager[object]:
        """Return the context in which the bot at a seat thinks: on a terminal a line says so until it has decided."""
        if not self.console.is_terminal:
            return nullcontext()
        return self.console.status(Text(f"{self.presenter.names.name(seat)} is thinking.", "dim"), spinner="dots")

    def choose(self, state: State, *, can_take_back: bool) -> Choice:
        """Ask until an answer is one."""
        legal = list(state.actions())
        if self.is_board_due:
            self.print_board(state, "")
        self.print(self.presenter.ask(state.view(self.own), legal), "bold")
        for line in self.presenter.list_options(legal):
            self.print(line)
        while True:
            try:
                choice = self.read_choice(state, legal, can_take_back=can_take_back)
            except NoInput:
                return Leave("abandoned")
            except Unclear as problem:
                self.print_problem(str(problem))
            else:
                if choice is not None:
                    return choice

    def read_choice(self, state: State, legal: Sequence[str], *, can_take_back: bool) -> Choice | None:
        """Return what a line means, or None where it needed no more than something printed.

        Raises NoInput and Unclear.
        """
        try:
            line = self.read_line()
        except NoInput:
            line = "resign"
        word, _, rest = line.partition(" ")
        if word.lower() in self.commands:
            self.commands[word.lower()](state, rest.strip())
            return None
        if line.lower() == "resign":
            return Leave("resigned") if self.is_sure_to_resign() else None
        if line.lower() in ("undo", "u"):
            if not can_take_back:
                raise Unclear("nothing to undo: no action since you last saw something new")
            return TakeBack()
        return self.find_move(state, line, legal) if line else None

    def read_line(self) -> str:
        """Return the next line without spare spaces. Raises NoInput."""
        try:
            if self.console.stderr:
                self.console.print(PROMPT, end="")
                line = input()
            else:
                line = input(PROMPT)
        except (EOFError, KeyboardInterrupt) as end:
            self.print("")
            raise NoInput from end
        except UnicodeDecodeError:
            raise Unclear("this line isn't UTF-8 text") from None
        if not sys.stdin.isatty():
            self.print(make_visible(line[:MAX_ACTION_LENGTH]))
        if len(line) > MAX_ACTION_LENGTH:
            raise Unclear(f"this line has more than {MAX_ACTION_LENGTH} characters")
        return " ".join(line.split())

    def is_sure_to_resign(self) -> bool:
        """Ask once whether to resign. Raises NoInput."""
        self.print("Resign this game? yes: resign, no: keep playing", "bold")
        return self.read_line().lower() in ("y", "yes", "resign")

    def find_move(self, state: State, line: str, legal: Sequence[str]) -> int:
        """Return the move that a line means. Raises Unclear."""
        found = self.find_listed(line, legal)
        if len(found) > 1:
            raise Unclear(f"{line} could be {', or '.join(found[:4])}; type more of it")
        try:
            return state.parse(found[0] if found else self.presenter.write_out(line))
        except (IllegalAction, MalformedAction) as refused:
            raise Unclear(make_visible(str(refused))) from refused

    def find_listed(self, line: str, legal: Sequence[str]) -> list[str]:
        """Return the listed actions that a line may stand for: by number, in short, or in full. Raises Unclear."""
        found = find_actions(self.presenter.write_out(line), legal) or find_actions(line, legal)
        if not (line.isascii() and line.isdecimal()):
            return found
        number = int(line)
        if 1 <= number <= len(legal):
            found.append(legal[number - 1])
        elif not found:
            raise Unclear(f"no action has this number; use 1 to {len(legal)}")
        return list(dict.fromkeys(found))

    def print_board(self, state: State, _: str) -> None:
        """Print the table as the person may see it."""
        self.print("")
        for line in self.presenter.draw_board(state.view(self.own)):
            self.console.print(line, soft_wrap=False)
        self.print("")
        self.is_board_due = False

    def print_list(self, state: State, _: str) -> None:
        """Print all listed actions with their numbers, and the grammar of what else is allowed."""
        options = [self.presenter.describe_option(action) for action in state.actions()]
        options = [f"{number:>3} {option}" for number, option in enumerate(options, start=1)]
        width = max(map(len, options)) + 3
        columns = max(1, self.console.width // width)
        for start in range(0, len(options), columns):
            self.print("".join(f"{option:{width}}" for option in options[start : start + columns]).rstrip())
        if state.open_grammar:
            self.print(f"also allowed: {state.open_grammar}", "dim")

    def print_reason(self, state: State, action: str) -> None:
        """Print whether an action is allowed, and if not, why. Raises Unclear."""
        if not action:
            raise Unclear("add the action, as in why " + next(iter(state.actions())))
        try:
            written = state.text(self.find_move(state, action, list(state.actions())))
        except Unclear as reason:
            self.console.print(Text.assemble(("not allowed: ", "red"), str(reason)))
        else:
            self.console.print(Text.assemble(("allowed: ", "green"), written))

    def print_help(self, _state: State, _: str) -> None:
        """Print what may be typed."""
        for typed, meaning in (*self.presenter.short_forms, *HELP):
            space = " " if len(typed) < LEFT_COLUMN_WIDTH else f"\n{'':{LEFT_COLUMN_WIDTH}} "
            self.print(f"{typed:{LEFT_COLUMN_WIDTH if space == ' ' else 0}}{space}{meaning}")

    def print_problem(self, problem: str) -> None:
        """Print why a line was not taken, and the way out."""
        self.console.print(Text.assemble(("error: ", "bold red"), problem))
        self.print("nothing was played; type list for allowed actions, help for what you can type", "dim")

    def print(self, line: str, style: str = "") -> None:
        """Print a line that holds no markup."""
        self.console.print(Text(line, style))


# Play one leg at the terminal, and print and save what came of it.

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
    clock: HomeClock


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
    except SandboxError as failure:
        raise MachineError(f"The sandbox failed, so no one loses: {failure}") from failure
    except KeyboardInterrupt:
        console.print(Text("\nYou left the game while a bot was playing, so it has no record."))
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
        limits=game.clock.limits,
        is_clocked=game.clock.is_kept,
        arena=arena_version(),
    )
    return spec, sandbox


def print_heading(console: Console, game: TerminalGame, names: SeatNames) -> None:
    """Print what is played and by whom."""
    variant = game.rules.variant_name(game.variant.edition, game.variant.options)
    seats = ", ".join(f"seat {seat} {names.name(seat)}" for seat in range(len(game.bots)))
    console.print(Text.assemble((f"{game.rules.title}, {variant}", "bold"), f" · {seats}"))
    console.print(Text("type help to see what you can type", "dim"))


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
    with writing(game.out):
        game.out.mkdir(parents=True, exist_ok=True)
        write_match(game.out, 1, MatchReport((report,)))
    console.print(Text(f"next: pennant verify {game.out / '1-1.json'}", "dim"), soft_wrap=True)
