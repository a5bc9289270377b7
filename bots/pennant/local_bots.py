"""Let sample bots play in this process, without sandboxes: for training, and for long series of legs."""

import sys
from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import Any

from arena.runner.data_files import SAMPLES_FOLDER
from engine.core import Json, State


class LocalBot:
    """A sample whose functions are called here as its process would be asked. It has modules of its own."""

    def __init__(self, name: str, level: str = "", game: str = "battleline") -> None:
        self.choose: Callable[[Json], str | Json] = lambda message: message["legal"][0]
        self.hello: Callable[[Json], object] = lambda message: None
        self.name = f"{name} {level}" if level else name
        self.level = level
        self.game = game
        self.events_sent = 0
        kit = ModuleType("pennant_kit")
        kit.__dict__["run"] = self.register
        folder = SAMPLES_FOLDER / name
        own = {path.stem for path in folder.glob("*.py")}
        hidden = {key: sys.modules.pop(key) for key in [*own, "pennant_kit"] if key in sys.modules}
        sys.modules["pennant_kit"] = kit
        sys.path.insert(0, str(folder))
        try:
            self.modules = {key: import_module(key) for key in sorted(own)}
        finally:
            sys.path.remove(str(folder))
            for key in [*own, "pennant_kit"]:
                sys.modules.pop(key, None)
            sys.modules.update(hidden)

    def register(
        self,
        choose: Callable[[Json], str | Json],
        ready: Json | None = None,
        hello: Callable[[Json], object] | None = None,
        end: Callable[[Json], object] | None = None,
    ) -> None:
        """Stand in for the kit's `run`."""
        self.choose = choose
        self.hello = hello or self.hello

    def begin(self, options: Json, edition: str, seat: int, seed: int) -> None:
        """Tell the bot that a leg begins."""
        self.events_sent = 0
        limits = {"start_ms": 5000, "move_ms": 1000, "bank_ms": 30000, "memory_mb": 256}
        self.hello(
            {
                "type": "hello",
                "game": self.game,
                "edition": edition,
                "options": options,
                "seat": seat,
                "limits": limits,
                "seed": seed,
            }
        )
        if self.level:
            search: Any = self.modules["search"]
            table: Any = self.modules["bot"].__dict__["table"]
            table["level"] = search.LEVELS[self.level]

    def decide(self, state: State, seat: int) -> tuple[str, float | None]:
        """Return the bot's action and its `eval`."""
        message = {
            "type": "turn",
            "n": state.ply,
            "seat": seat,
            "view": state.view(seat),
            "legal": [state.text(move) for move in state.moves()],
            "events": state.events(seat, self.events_sent),
            "bank_ms": 30000,
        }
        self.events_sent = state.log_length
        answer = self.choose(message)
        return (answer, None) if isinstance(answer, str) else (answer["action"], answer.get("eval"))
