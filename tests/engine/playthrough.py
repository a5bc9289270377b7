"""Whole plays as text, with every seat's view and the legal actions at every ply, kept under `playthroughs/`.

A change of behaviour shows as a difference in these files. When it is wanted, write them anew and read the difference:

    uv run python -m tests.engine.playthrough
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from engine.core import Json, State
from engine.registry import GAMES, find_game
from tests.engine.facts import find_facts
from tests.engine.plays import any_move

FOLDER = Path(__file__).with_name("playthroughs")
WIDTH = 116


@dataclass(frozen=True)
class Play:
    """Which play is told."""

    game: str
    edition: str
    seed: int
    seats: int = 2

    @property
    def path(self) -> Path:
        """The seats are named where the game has more than one number of them."""
        several = f"-{self.seats}" if len(find_game(self.game).seats) > 1 else ""
        return FOLDER / f"{self.game}-{self.edition}{several}.txt"


PLAYS = tuple(
    Play(key, edition, seed, seats)
    for key in GAMES
    for (edition, seats), seed in find_facts(key).playthrough_seeds.items()
)
"""Those that games have chosen."""


def tell(play: Play) -> str:
    game = find_game(play.game)
    rng = Random(play.seed)
    options = game.options(play.edition)
    deal = game.deal(options, play.seats, rng)
    state = game.start(options, play.seats, deal)
    lines = [f"# {game.title}, {game.editions[play.edition]}: a random play with seed {play.seed}", ""]
    lines += [f"options {compact(options)}", f"deal {compact(deal)}", ""]
    lines += [f"told to {'all' if seat is None else seat}: {compact(e)}" for seat, e in told(state, 0)]
    shown: list[Json] = [{} for _ in range(play.seats)]
    while state.to_act is not None:
        lines += ["", f"== ply {state.ply}: seat {state.to_act}"]
        lines += describe(state, shown)
        move = any_move(state, rng)
        since = state.log_length
        why = state.explain(state.text(move))
        lines += [f"   because {compact(why)}"] if why is not None else []
        lines.append(f"-> {state.text(move)}{' (forced)' if state.forced() is not None else ''}")
        state.play(move)
        lines += [f"   told to {'all' if seat is None else seat}: {compact(e)}" for seat, e in told(state, since)]
    lines += ["", f"== after {state.ply} plies"]
    lines += describe(state, shown)
    lines.append(f"outcome {state.outcome}")
    return "\n".join(lines) + "\n"


def describe(state: State, shown: list[Json]) -> Iterator[str]:
    """What each seat sees, as far as it changed since it was last shown, and the legal actions."""
    for seat in range(state.seats):
        view = flatten(state.view(seat))
        for name in sorted(shown[seat].keys() - view.keys()):
            yield f"   seat {seat} no longer sees {name}"
        for name, value in view.items():
            if shown[seat].get(name) != value:
                yield f"   seat {seat} sees {name} {compact(value)}"
        shown[seat] = view
    yield from fold("legal: " + " | ".join(state.text(move) for move in state.moves()))


def flatten(view: Json) -> Json:
    """The fields of a view, the items of lists of objects one by one."""
    flat: Json = {}
    for name, value in view.items():
        if isinstance(value, list) and value and isinstance(value[0], dict):
            flat |= {f"{name}[{number}]": item for number, item in enumerate(value)}
        else:
            flat[name] = value
    return flat


def told(state: State, since: int) -> Iterator[tuple[int | None, Json]]:
    """Events to everybody once, others seat by seat."""
    seats = [state.events(seat, since) for seat in range(state.seats)]
    if all(events == seats[0] for events in seats):
        yield from ((None, event) for event in seats[0])
    else:
        yield from ((seat, event) for seat, events in enumerate(seats) for event in events)


def fold(text: str) -> Iterator[str]:
    line = "  "
    for word in text.split(" | "):
        if len(line) + len(word) > WIDTH:
            yield line + " |"
            line = "     "
        line += (" | " if line.strip() else " ") + word
    yield line


def compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    for play in PLAYS:
        play.path.write_text(tell(play), encoding="utf-8")
        print(f"{play.path}: {play.path.stat().st_size:,} bytes")
