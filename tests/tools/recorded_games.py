"""Play, rank and keep the recorded games that a new arena shows until its own matches are better.

`uv run python -m tests.tools.recorded_games play FOLDER` plays the house bots against each other, each pairing with its
own seed, and takes some ten minutes of a core. `… rank FOLDER` lists the legs, the best to watch first. `… keep FOLDER
LEG…` analyses the named ones and adds them to the product: watch each of them before, as a record in the viewer, and
after, at its own address. `… list` prints what the product has.

Keep legs with the same checkout that played them: a file says when its leg was played, by the date of the record's own
file, and names the bots by the hash of their files.

A leg is the better to watch the lower the chance of its winner fell in its last third, and the closer it ended. The
chance is that of the value function with all cards open, which an analysis shows, too; where a game has none, it is the
share of what the game counts as standing. Legs with a fault, drawn ones, and short ones are left out.
"""

import argparse
import gzip
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import django
import orjson

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "arena.settings")
    os.environ.setdefault("DEBUG", "on")
    django.setup()  # how a game presents itself is part of the site

from arena.cli.files import compute_digest
from arena.matches.recorded_games import RECORDED_GAME_SUFFIX, RECORDED_GAMES_FOLDER, list_recorded_games
from arena.pages.games import find_presentation
from arena.pages.matches.replay import play_back
from arena.runner.data_files import SAMPLES_FOLDER
from arena.runner.program import read_program
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import analyse
from engine.core import Json
from engine.replay import record_hash, states, verify

PAIRINGS = (
    ("battalion", "standard", "general", "greedy", 15),
    ("battalion", "standard", "general", "brute", 15),
    ("battleline", "short", "marshal", "careful", 16),
    ("battleline", "standard", "marshal", "careful", 16),
    ("battleline", "medieval", "marshal", "careful", 16),
    ("battleline", "advanced", "marshal", "careful", 16),
    ("battleline", "standard", "careful", "greedy", 20),
    ("battleline", "advanced", "careful", "greedy", 12),
)
"""Game, edition, two house bots, and the number of matches, of two legs on the same deal each."""
MIN_ACTIONS = 30
CLOSENESS_WEIGHT = 0.25
LAST_PART = 2 / 3
"""The last third of a leg begins here."""
LAST_ACTIONS = 8
RECOVERED = 0.5
"""The leg turned at least so many actions before its end, and the winner was seen to be ahead before the last one. A
chance that is low until the end was a wrong estimate.
"""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A leg that may be kept."""

    path: Path
    record: Json
    winner: int
    turning_point: int
    """The number of actions after which the winner stood worst in the last third."""
    lowest: float
    """How the winner stood then, from 0 to 1."""
    closeness: float
    """The loser's score as a share of the winner's, from 0 to 1."""

    @property
    def name(self) -> str:
        """Return the folder and the file without their endings, by which it is kept."""
        return f"{self.path.parent.name}/{self.path.stem}"

    @property
    def slug(self) -> str:
        """Return what its address ends with."""
        return f"{self.path.parent.name}-{self.path.stem}"

    @property
    def score(self) -> float:
        """Return how good it is to watch, from 0 to 1."""
        return (1 - CLOSENESS_WEIGHT) * (1 - self.lowest) + CLOSENESS_WEIGHT * self.closeness


def play(folder: Path) -> None:
    """Play all pairings, each into a folder of its own. One that is there already is not played again."""
    for game, edition, first, second, matches in PAIRINGS:
        out = folder / f"{game}-{edition}-{first}-{second}"
        if out.exists():
            continue
        command = [str(Path(sys.executable).with_name("pennant")), "play", first, second, "--game", game]
        command += [
            "--edition",
            edition,
            "--matches",
            str(matches),
            "--seed",
            f"recorded-{out.name}",
            "--out",
            str(out),
        ]
        subprocess.run(command, check=True)


def list_candidates(folder: Path) -> list[Candidate]:
    """List the legs of a folder that may be kept, best first."""
    found = [candidate for path in sorted(folder.glob("*/*.json")) if (candidate := read_candidate(path)) is not None]
    return sorted(found, key=lambda candidate: -candidate.score)


def read_candidate(path: Path) -> Candidate | None:
    """Return the leg of a file; None where it can't be kept."""
    record: Json = orjson.loads(path.read_bytes())
    result = record["result"]
    if len(record["actions"]) < MIN_ACTIONS or set(result["verdicts"]) != {"ok"} or result["places"].count(1) != 1:
        return None
    winner = result["places"].index(1)
    shares = measure_shares(record)
    shares = [1 - share for share in shares] if winner else shares
    last_part = range(int(len(shares) * LAST_PART), len(shares) - LAST_ACTIONS)
    turning_point = min(last_part, key=lambda number: shares[number])
    if max(shares[turning_point:-1]) < RECOVERED:
        return None
    best, other = max(result["scores"]), min(result["scores"])
    return Candidate(path, record, winner, turning_point, shares[turning_point], other / best if best else 0.0)


def measure_shares(record: Json) -> list[float]:
    """Return how the first seat stood at the start and after each action, from 0 to 1."""
    evaluator = find_evaluator(record["game"], record["edition"], record["options"])
    if evaluator is not None:
        return [evaluator.chance(state, 0) for state in states(record)]
    presentation = find_presentation(record["game"], record["edition"], record["options"])
    playback = play_back(record, None)
    assert presentation.measure is not None
    own, other = (level.values for level in presentation.measure(playback))
    shares = [0.5]
    for step in playback.steps[1:]:
        total = own[step.number] + other[step.number]
        shares += [own[step.number] / total if total else 0.5] * len(step.entries)
    return shares


def keep(candidate: Candidate) -> Path:
    """Write a leg with its analysis and with why it was chosen, and return the file."""
    record = candidate.record
    verify(record)
    evaluator = find_evaluator(record["game"], record["edition"], record["options"])
    match, leg = map(int, candidate.path.stem.split("-"))
    line = {
        "match": match,
        "leg": leg,
        "record_hash": record_hash(record),
        "played_on": datetime.fromtimestamp(candidate.path.stat().st_mtime, UTC).date().isoformat(),
        "bots": [describe_bot(seat["name"]) for seat in record["seats"]],
        "why": {
            "measure": "standing" if evaluator is None else "chance",
            "winner": candidate.winner,
            "turning_point": candidate.turning_point,
            "lowest": round(candidate.lowest, 6),
            "closeness": round(candidate.closeness, 6),
            "score": round(candidate.score, 6),
        },
        "record": record,
        "analysis": None if evaluator is None else analyse(record, evaluator),
    }
    RECORDED_GAMES_FOLDER.mkdir(exist_ok=True)
    path = RECORDED_GAMES_FOLDER / f"{candidate.slug}{RECORDED_GAME_SUFFIX}"
    path.write_bytes(gzip.compress(orjson.dumps(line) + b"\n", 9, mtime=0))
    return path


def describe_bot(name: str) -> Json:
    """Return which house bot it was: its name and the hash of its files."""
    return {"name": name, "sha256": compute_digest(read_program(SAMPLES_FOLDER / name))}


def describe(candidates: Sequence[Candidate]) -> Iterator[str]:
    """Yield a line for each candidate."""
    for one in candidates:
        turns, scores = len(one.record["actions"]), one.record["result"]["scores"]
        seats = " v ".join(seat["name"] for seat in one.record["seats"])
        yield (
            f"{one.score:.3f}  {one.name}  {seats}  winner {one.winner}  {turns} actions  scores {scores}"
            f"  lowest {one.lowest:.2f} after {one.turning_point}"
        )


def main() -> None:
    """Play, rank, keep or list recorded games."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.tools.recorded_games",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("play", "rank", "keep"):
        commands.add_parser(name).add_argument("folder", type=Path)
    commands.choices["keep"].add_argument("legs", nargs="+", metavar="PAIRING/MATCH-LEG")
    commands.add_parser("list")
    chosen = parser.parse_args()
    if chosen.command == "play":
        play(chosen.folder)
    elif chosen.command == "rank":
        print(*describe(list_candidates(chosen.folder)), sep="\n")
    elif chosen.command == "keep":
        for candidate in list_candidates(chosen.folder):
            if candidate.name in chosen.legs:
                path = keep(candidate)
                print(f"{path.stat().st_size:6d}  {path.name}", flush=True)
    else:
        for game in list_recorded_games():
            print(f"{game.played_on}  {game.slug}  {' v '.join(game.names)}  {game.why}")


if __name__ == "__main__":
    main()
