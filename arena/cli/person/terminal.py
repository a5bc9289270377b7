"""The terminal at which a person plays: what is printed, and what the lines mean that are typed."""

import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext

from rich.console import Console
from rich.text import Text

from arena.cli.person.leg import Choice, Leave, TakeBack
from arena.cli.person.matching import find_actions
from arena.cli.person.plain import Presenter
from arena.runner.text import make_visible
from engine.core import IllegalAction, MalformedAction, Seat, State
from engine.record_shape import MAX_ACTION_LENGTH

PROMPT = "> "
HELP = (
    ("NUMBER", "the action with this number in the list"),
    ("list, l", "all actions with their numbers"),
    ("board, b", "the table again"),
    ("why ACTION, w", "why an action is not allowed, with the ruling"),
    ("undo, u", "take a step back, until you have seen something new by it"),
    ("resign", "give up; Ctrl-C and Ctrl-D ask the same"),
    ("help, ?", "this list"),
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
                raise Unclear("there is nothing to take back: no step since you last saw something new")
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
            raise Unclear("this line is not text in UTF-8") from None
        if not sys.stdin.isatty():
            self.print(make_visible(line[:MAX_ACTION_LENGTH]))
        if len(line) > MAX_ACTION_LENGTH:
            raise Unclear(f"this line is longer than {MAX_ACTION_LENGTH} characters")
        return " ".join(line.split())

    def is_sure_to_resign(self) -> bool:
        """Ask once whether to resign. Raises NoInput."""
        self.print("Resign this game? yes: resign, no: keep playing", "bold")
        return self.read_line().lower() in ("y", "yes", "resign")

    def find_move(self, state: State, line: str, legal: Sequence[str]) -> int:
        """Return the move that a line means. Raises Unclear."""
        found = self.find_listed(line, legal)
        if len(found) > 1:
            raise Unclear(f"{line} could be {', or '.join(found[:4])}; write more of it")
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
            raise Unclear(f"there is no action with this number; they go from 1 to {len(legal)}")
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
            self.print(f"more is allowed: {state.open_grammar}", "dim")

    def print_reason(self, state: State, action: str) -> None:
        """Print whether an action is allowed, and if not, why. Raises Unclear."""
        if not action:
            raise Unclear("write the action too, as in why " + next(iter(state.actions())))
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
        self.print("nothing was played; list shows what is allowed, help what may be typed", "dim")

    def print(self, line: str, style: str = "") -> None:
        """Print a line that holds no markup."""
        self.console.print(Text(line, style))
