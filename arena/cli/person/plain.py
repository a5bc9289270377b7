"""Show a game by its views, its events and its legal actions. The games with a drawing of their own build on it."""

from collections.abc import Sequence
from typing import Any

from rich.text import Text

from arena.cli.person.seats import SeatNames, describe_forfeit
from arena.runner.text import make_visible
from engine.core import Json, Outcome

MAX_OPTIONS_NUMBERED = 9
"""With more legal actions than this, a question doesn't list each with its number."""
NOT_SHOWN = ("decision", "to_move")
"""Keys of a view that the question stands for."""


class Presenter:
    """How a game is shown, and what a person may type in it."""

    short_forms: Sequence[tuple[str, str]] = ()
    """For the help: what may be typed, and what it means."""
    draws_every_step = False
    """Whether the board is drawn after each own step, not only when the turn comes back."""

    def __init__(self, names: SeatNames, options: Json, edition: str) -> None:
        self.names = names
        self.options = options
        self.edition = edition

    def draw_board(self, view: Json) -> list[Text]:
        """Return the view as lines."""
        shown = [(key, value) for key, value in view.items() if key not in NOT_SHOWN]
        width = max((len(key) for key, _ in shown), default=0)
        return [
            Text(f"{f'you are seat {self.names.own}':{width}}"),
            *(Text(f"{key.replace('_', ' '):{width}}  {write_value(value)}") for key, value in shown),
        ]

    def describe(self, event: Json) -> str | None:
        """Return an event as a sentence without its stop, or None where it is not worth one."""
        if event.get("action") == "forfeit":
            return describe_forfeit(self.names, event)
        what = event.get("action") or event.get("event", "")
        details = [
            f"{key} {write_value(value)}" for key, value in event.items() if key not in ("seat", "action", "event")
        ]
        sentence = f"{what}{': ' if details else ''}{', '.join(details)}"
        return f"{self.names.subject(event['seat'])}: {sentence}" if "seat" in event else sentence

    def ask(self, view: Json, legal: Sequence[str]) -> str:
        """Return the question that the person has to answer."""
        return f"Your turn: {view['decision']}."

    def list_options(self, legal: Sequence[str]) -> list[str]:
        """Return the legal actions in lines: each with its number where they are few, else by their first words."""
        if len(legal) <= MAX_OPTIONS_NUMBERED:
            return ["   ".join(f"{number} {action}" for number, action in enumerate(legal, start=1))]
        return group_actions(legal)

    def describe_option(self, action: str) -> str:
        """Return an action as the list of all shows it."""
        return action

    def write_out(self, text: str) -> str:
        """Return a short form as the action it stands for, anything else as it is."""
        return text

    def describe_ending(self, outcome: Outcome) -> str:
        """Return the result as a sentence without its stop."""
        first = [seat for seat, place in enumerate(outcome.places) if place == 1]
        if len(first) > 1:
            return f"{self.names.join(first)} share the first place ({outcome.reason})"
        return f"{self.names.say(first[0], 'win')} ({outcome.reason})"


def group_actions(legal: Sequence[str]) -> list[str]:
    """Return a line for all actions that differ in their last word alone: "attack 1a: 1:1a 1:1b"."""
    groups: dict[str, list[str]] = {}
    for action in legal:
        beginning, _, last = action.rpartition(" ")
        groups.setdefault(beginning, []).append(last)
    alone = groups.pop("", [])
    lines = [f"{beginning}: {' '.join(endings)}" for beginning, endings in groups.items()]
    return [*lines, " · ".join(alone)] if alone else lines


def write_value(value: Any) -> str:
    """Return a JSON value in one line."""
    if isinstance(value, dict):
        return " · ".join(f"{make_visible(str(key))} {write_value(part)}" for key, part in value.items())
    if isinstance(value, list):
        nested = any(isinstance(part, list | dict) for part in value)
        return (" | " if nested else " ").join(map(write_value, value)) or "none"
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return make_visible(str(value)).replace("\n", " ")
