"""Play a round robin between bots of different styles: `uv run python -m bots.training styles found.json [NAME …]`.

The strength of `marshal` against other samples could be strength against one family: they share its view of the game.
So the bench has players that judge otherwise, all in this process:

- samples: `careful`, `greedy`, `marshal` and its levels (`marshal:ladder`);
- `exhaustive`: `marshal` by the search that it had before, which compares all moves and replies on many deals;
- `former`: `marshal` by weights that were learnt from fewer legs, in its current search;
- by shifted weights: `breaker` wants adjacent flags alone, `rusher` is first to complete its sides, `hoarder` draws
  tactics and keeps them, `gambler` draws them and plays them at once, as a bluff;
- by judgements of their own, without redeals: `builder` looks at its own formations only, `blocker` answers where the
  other seat has laid cards, `waiter` holds back wherever it has laid more cards than the other seat;
- `rollouts`: the sample `searcher` with a fixed number of playouts instead of a clock.

All that was played is in the file, and the same command goes on where it was stopped. The same seed gives the same
results on any machine; a compiled engine halves the time (engine/README.md).
"""

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from random import Random
from time import process_time
from typing import Any, Final, NamedTuple, cast

from pennant.local_bots import LocalBot

from bots.training.best_response import FIRST_HAND_WEIGHT, SCALED_LINE_WEIGHTS, Responder
from bots.training.local_legs import Player, play_pairs
from bots.training.ratings import summarize
from engine.core import Json, State
from engine.games.battleline.cards import FIRST_TACTIC, TACTIC_DECK, card_set, remove_cards
from engine.games.battleline.legal import is_claim_provable
from engine.games.battleline.moves import CLAIM, DRAW, PASS, PLACE
from engine.games.battleline.position import FINISH, PLAY, RETURNING
from engine.games.battleline.state import BattleLineState
from engine.games.battleline.value import (
    TACTIC_KINDS,
    compare_outlooks,
    compute_outlook,
    read_weights_file,
)

FORMER_WEIGHTS_PATH: Final = Path(__file__).with_name("former_weights.json")
EXHAUSTIVE_BUDGET: Final[Json] = {"positions": 600, "rounds": 3, "replies": 8, "temperature": 0.0}
LIGHT_BUDGET: Final[Json] = {"positions": 150, "rounds": 1, "replies": 0, "temperature": 0.0}
"""That of `marshal` on ladders."""
PLAYOUT_ROUNDS: Final = 3
BENCH: Final = (
    "careful",
    "former",
    "breaker",
    "rusher",
    "hoarder",
    "gambler",
    "builder",
    "blocker",
    "waiter",
    "rollouts",
)
RESULTS: Final = 5
SAVE_EVERY_PAIRS: Final = 5


class Sight(NamedTuple):
    """A flag as a seat sees it."""

    own: int
    """Cards that the seat has laid there."""
    other: int
    own_worth: float
    """Expected worth of the seat's side, from 0 to 1 (see `compute_outlook`)."""
    other_worth: float
    chance: float
    """Likelihood that the seat's side ends up stronger; 0 or 1 where the flag is claimed or a claim is provable."""


@dataclass(frozen=True, slots=True)
class Style:
    """How a player without redeals judges a position, and how it treats tactics."""

    judge: Callable[[Sight], float]
    """The worth of a flag."""
    tactics_wanted: int
    """It draws a tactic while it holds fewer."""
    tactic_price: float
    """What a tactic must add, compared with a troop."""


STYLES: Final = {
    "builder": Style(lambda flag: flag.own_worth * (1 + flag.own) / 4, 0, 0.1),
    "blocker": Style(lambda flag: flag.chance * (0.3 + flag.other) - 0.3 * max(0, flag.own - flag.other), 2, 0.4),
    "waiter": Style(lambda flag: flag.chance - 0.12 * max(0, flag.own - flag.other), 1, 0.3),
}


class StyleBot:
    """A player that judges what it sees after each of its moves, flag by flag."""

    game = "battleline"

    def __init__(self, style: Style) -> None:
        self.style = style
        self.seed = 0

    def begin(self, options: Json, edition: str, seat: int, seed: int) -> None:
        """Remember the seed of the leg."""
        self.seed = seed

    def decide(self, state: State, seat: int) -> tuple[str, float | None]:
        """Return the action."""
        table = cast(BattleLineState, state)
        moves = table.moves()
        if moves[0] >> 16 == CLAIM:
            return table.text(moves[0]), None
        if table.decision == FINISH:
            return table.text(self.choose_draw(table, seat, moves)), None
        if table.decision == RETURNING:
            return table.text(min(moves, key=lambda move: (move >> 8 & 255) % FIRST_TACTIC % 10)), None
        if table.decision != PLAY:
            return table.text(Random(f"{self.seed} {table.ply}").choice(moves)), None
        return table.text(max(moves, key=lambda move: self.rate(table, seat, move))), None

    def choose_draw(self, state: BattleLineState, seat: int, moves: Sequence[int]) -> int:
        """Return the draw of a tactic while it wants one, or the first move."""
        held = sum(card >= FIRST_TACTIC for card in state.hands[seat])
        tactics = [move for move in moves if move >> 16 == DRAW and move >> 4 & 15 == TACTIC_DECK]
        return tactics[0] if tactics and held < self.style.tactics_wanted else moves[0]

    def rate(self, state: BattleLineState, seat: int, move: int) -> float:
        """Return the worth of the position after a move, less the price of a tactic."""
        if move >> 16 == PASS:
            return -100.0
        after = state.copy()
        after.play(move)
        is_troop = move >> 16 == PLACE and move >> 8 & 255 < FIRST_TACTIC
        price = 0.0 if is_troop else self.style.tactic_price
        return sum(self.style.judge(flag) for flag in look(after, seat)) - price


def look(state: BattleLineState, seat: int) -> list[Sight]:
    """Return the flags as the seat sees them: every card that it doesn't see may be in the deck."""
    hand = card_set([card for card in state.hands[seat] if card < FIRST_TACTIC])
    hidden = remove_cards(state.unseen, hand)
    found = []
    for flag, owner in enumerate(state.owner):
        own, other = len(state.sides[seat][flag]), len(state.sides[1 - seat][flag])
        if owner is not None:
            found.append(Sight(own, other, float(owner == seat), float(owner != seat), float(owner == seat)))
            continue
        free, other_free = state.slots[seat][flag] - own, state.slots[1 - seat][flag] - other
        ground = state.grounds[seat][flag]
        mine = compute_outlook(state.sets[seat][flag], free, hand, hidden, ground)
        theirs = compute_outlook(state.sets[1 - seat][flag], other_free, 0, hidden, ground)
        if not free and is_claim_provable(state, seat, flag):
            chance = 1.0
        elif not other_free and is_claim_provable(state, 1 - seat, flag):
            chance = 0.0
        else:
            chance = compare_outlooks(mine, theirs, 0.5)
        found.append(Sight(own, other, mine.worth, theirs.worth, chance))
    return found


def shift_weights(weights: Json, name: str) -> Json:
    """Return the weights as a style has them."""
    changed: Json = {key: list(values) for key, values in weights.items()}
    line = changed["line"]
    played = FIRST_HAND_WEIGHT + TACTIC_KINDS + 1
    if name == "breaker":
        for term in ("count", "sum", "odds"):
            for place in SCALED_LINE_WEIGHTS[term]:
                line[place] = 0.0
        line[SCALED_LINE_WEIGHTS["row"][0]] += 3.0
    elif name == "rusher":
        changed["lead"] = [3 * value for value in weights["lead"]]
        changed["tempo"] = [3 * value for value in weights["tempo"]]
    elif name in ("hoarder", "gambler"):
        for kind in range(TACTIC_KINDS + 1):
            line[FIRST_HAND_WEIGHT + kind] += 0.5
        line[played] += -0.5 if name == "hoarder" else 1.5
    else:
        raise ValueError(f"there is no style {name}")
    return changed


class Rollouts(LocalBot):
    """The sample `searcher` with a fixed number of playouts, which makes it as strong on any machine."""

    def __init__(self) -> None:
        super().__init__("searcher")
        bot: Any = self.modules["bot"]
        self.reads = 0
        # It reads the clock at the start of a decision, and before every round of playouts but the first.
        self.step_s: float = bot.MAX_THINKING_TIME_S / (PLAYOUT_ROUNDS - 0.5)
        bot.perf_counter = self.read_clock

    def read_clock(self) -> float:
        """Stand in for the clock, with as much time between two readings as lets it finish its rounds."""
        self.reads += 1
        return self.reads * self.step_s


def load(name: str, edition: str) -> Player:
    """Return the player of this name."""
    weights = read_weights_file()["editions"].get(edition)
    if name in STYLES:
        return StyleBot(STYLES[name])
    if name == "rollouts":
        return Rollouts()
    if name == "exhaustive":
        return Responder(weights, EXHAUSTIVE_BUDGET)
    if name == "former":
        return Responder(json.loads(FORMER_WEIGHTS_PATH.read_text()))
    if name in BENCH and name != "careful":
        return Responder(shift_weights(weights, name), LIGHT_BUDGET)
    sample, _, level = name.partition(":")
    if sample == "marshal" and not level:
        return Responder(weights)
    return LocalBot(sample, level)


class RoundRobin:
    """Who played whom, with the counts of pairs by twice the points of the first one; its file has all of it."""

    def __init__(self, path: Path, edition: str, seed: str) -> None:
        self.path = path
        self.found: Json = {"edition": edition, "seed": seed, "counts": {}, "cpu_s": 0.0}
        if path.exists():
            self.found = json.loads(path.read_text())

    def play(self, first: str, second: str, pairs: int) -> list[int]:
        """Play on until the two have played so many pairs, and return the counts."""
        edition, seed = self.found["edition"], self.found["seed"]
        counts: list[int] = self.found["counts"].setdefault(f"{first} {second}", [0] * RESULTS)
        done = sum(counts)
        if done >= pairs:
            return counts
        deals = (f"{seed} {first} {second} {pair}" for pair in range(done, pairs))
        start, before = process_time(), self.found["cpu_s"]
        for result in play_pairs((load(first, edition), load(second, edition)), edition, deals):
            counts[result] += 1
            self.found["cpu_s"] = round(before + process_time() - start, 1)
            if sum(counts) % SAVE_EVERY_PAIRS == 0:
                self.save()
        self.save()
        return counts

    def save(self) -> None:
        """Write what was played."""
        self.path.write_text(json.dumps(self.found, indent=1) + "\n")

    def list_totals(self, name: str, others: Iterable[str]) -> list[int]:
        """Return the counts of all pairs of a player against the others together."""
        totals = [0] * RESULTS
        for other in others:
            own = self.found["counts"].get(f"{name} {other}", [0] * RESULTS)
            turned = self.found["counts"].get(f"{other} {name}", [0] * RESULTS)[::-1]
            totals = [sum(one) for one in zip(totals, own, turned, strict=True)]
        return totals


def describe(first: str, second: str, counts: Sequence[int]) -> str:
    """Return a line of the table."""
    told = summarize(counts)
    points = sum(result * count for result, count in enumerate(counts)) / (RESULTS - 1) / sum(counts)
    interval = f"{told['elo']:+.0f} [{told['low']:+.0f}, {told['high']:+.0f}] Elo"
    return f"{first:>14} : {second:14} {points:.3f}  {interval:24} {sum(counts)} pairs {list(counts)}"


def run(robin: RoundRobin, names: Sequence[str], only: str, pairs: int) -> None:
    """Play all pairings, or those of one player, and print each and what everybody has against all others."""
    others = [name for name in names if name != only]
    pairings = [(only, other) for other in others] if only else list(combinations(names, 2))
    for first, second in pairings:
        print(describe(first, second, robin.play(first, second, pairs)), flush=True)
    for name in [only] if only else names:
        totals = robin.list_totals(name, [other for other in names if other != name])
        if sum(totals):
            print(describe(name, "all of them", totals), flush=True)
    print(f"{robin.found['cpu_s']:.0f} s of CPU", flush=True)


def main(arguments: Sequence[str]) -> None:
    """Play a round robin."""
    parser = argparse.ArgumentParser(prog="python -m bots.training styles", description=__doc__)
    parser.add_argument("file", type=Path, help="what was played; goes on from it where it is there")
    parser.add_argument("names", nargs="*", default=["marshal", *BENCH], metavar="NAME")
    parser.add_argument("--only", default="", metavar="NAME", help="play only the pairings of this player")
    parser.add_argument("--edition", default="standard")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--pairs", type=int, default=100, help="mirrored pairs of each pairing")
    chosen = parser.parse_args(arguments)
    run(RoundRobin(chosen.file, chosen.edition, chosen.seed), chosen.names, chosen.only, chosen.pairs)
