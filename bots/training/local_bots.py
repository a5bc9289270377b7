"""Let sample bots of Battle Line play in this process, without sandboxes, for long series of legs."""

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from random import Random
from types import ModuleType
from typing import Any

from engine.core import Json, State
from engine.registry import find_game

SAMPLES = Path(__file__).parents[1] / "samples"
GAME = find_game("battleline")


class LocalBot:
    """A sample whose functions are called here as its process would be asked. It has modules of its own."""

    def __init__(self, name: str, level: int | None = None) -> None:
        self.choose: Callable[[Json], str | Json] = lambda message: message["legal"][0]
        self.hello: Callable[[Json], object] = lambda message: None
        self.name = name if level is None else f"{name} {level}"
        self.level = level
        kit = ModuleType("pennant_kit")
        kit.__dict__["run"] = self.register
        folder = SAMPLES / name
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
        limits = {"start_ms": 5000, "move_ms": 1000, "bank_ms": 30000, "memory_mb": 256}
        self.hello(
            {
                "type": "hello",
                "game": "battleline",
                "edition": edition,
                "options": options,
                "seat": seat,
                "limits": limits,
                "seed": seed,
            }
        )
        if self.level is not None:
            search: Any = self.modules["search"]
            table: Any = self.modules["bot"].__dict__["table"]
            table["level"] = search.LEVELS[self.level - 1]

    def decide(self, state: State, seat: int) -> tuple[str, float | None]:
        """Return the bot's action and its `eval`."""
        message = {
            "type": "turn",
            "n": state.ply,
            "seat": seat,
            "view": state.view(seat),
            "legal": [state.text(move) for move in state.moves()],
            "bank_ms": 30000,
        }
        answer = self.choose(message)
        return (answer, None) if isinstance(answer, str) else (answer["action"], answer.get("eval"))


def play_leg(
    bots: tuple[LocalBot, LocalBot], edition: str, seed: str, evals: list[tuple[int, float]] | None = None
) -> float:
    """Play a leg, `bots` by seat, and return the points of seat 0. The evals of the bots are added by seat."""
    options = GAME.options(edition)
    state = GAME.start(options, 2, GAME.deal(options, 2, Random(seed)))
    for seat, bot in enumerate(bots):
        bot.begin(options, edition, seat, Random(f"{seed} {seat}").getrandbits(50))
    while (seat_to_act := state.to_act) is not None:
        forced = state.forced()
        if forced is not None:
            state.play(forced)
            continue
        action, told = bots[seat_to_act].decide(state, seat_to_act)
        if evals is not None and told is not None:
            evals.append((seat_to_act, told))
        state.play(state.parse(action))
    assert state.outcome is not None
    places = state.outcome.places
    return 0.5 if places[0] == places[1] else float(places[0] == 1)


def play_pairs(bots: tuple[LocalBot, LocalBot], edition: str, seeds: Iterator[str]) -> Iterator[int]:
    """Yield for each deal twice the points of the first bot in its two legs, seats swapped: 0 to 4."""
    for seed in seeds:
        own = play_leg(bots, edition, seed) + 1 - play_leg((bots[1], bots[0]), edition, seed)
        yield round(2 * own)


def list_counts(results: Mapping[int, int]) -> list[int]:
    """Return the counts of pairs by result, as the test of versions takes them."""
    return [results.get(result, 0) for result in range(5)]
