"""What random plays show of the game: every decision, tactic, tile and ending, counted by edition.

    uv run python -m tests.engine.battleline.test_coverage 1000

prints the counts of so many plays of each edition.
"""

import sys
from collections import Counter
from functools import cache
from random import Random

import pytest

from engine.core import State
from engine.games.battleline.tiles import TILES
from engine.registry import GAMES
from tests.engine.battleline.staging import EDITION_CASES, GUILE
from tests.engine.plays import any_move, begin, how_many, run
from tests.full import is_full_run

GAME = GAMES["battleline"]
PLAYS = how_many(200 if is_full_run() else 100)
each_edition = pytest.mark.parametrize("edition", EDITION_CASES)

DECISIONS = ("play", "finish", "scout", "return", "marshes", "watchtower", "draft", "lay")
IN_SLOTS = ("leader-1", "leader-2", "cavalry", "shield", "fog", "mud")


@cache
def count_plays(edition: str, plays: int) -> Counter[str]:
    """How often each decision was asked, each word could be said and was, and what became of claims and tiles."""
    seen: Counter[str] = Counter()
    for seed in range(plays):
        for state in run(begin(GAME, edition, seed), Random(seed), leaves_flags if seed % 4 == 3 else any_move):
            if state.to_act is not None:
                view = state.view(state.to_act)
                seen[f"decision {view['decision']}"] += 1
                seen.update({f"may {state.text(move).split()[0]}" for move in state.moves()})
                seen[f"return for {view.get('returning', {}).get('from')}"] += 1
        count_events(state, seen)
    return seen


def count_events(state: State, seen: Counter[str]) -> None:
    flags = state.view(0)["flags"]
    for event in state.events(None):
        words = event.get("action", event.get("event", "")).split()
        seen[words[0]] += 1
        if words[0] == "play" or words[0] in GUILE:
            seen[f"card {words[1] if words[0] == 'play' else words[0]}"] += 1
        if words[0] in ("claim", "award"):
            flag = flags[(int(words[1]) if words[0] == "claim" else event["flag"]) - 1]
            seen[f"{words[0]} on {flag['tile']}"] += 1
            seen[f"claim under {'fog' * flag['fog']}{'mud' * flag['mud']}"] += 1
            seen[f"formation {event.get('formation')}"] += 1
        if words[0] == "lay":
            seen[f"lay {words[2]}"] += 1
    assert state.outcome is not None
    seen[f"end {state.outcome.reason}"] += 1


def leaves_flags(state: State, rng: Random) -> int:
    """Leaves its flags unclaimed, so that plays come to two passes."""
    others = [move for move in state.moves() if not state.text(move).startswith("claim")]
    return others[int(rng.random() * len(others))]


def wanted(edition: str) -> dict[str, int]:
    """What the plays of an edition must have shown, and how often."""
    options = GAME.options(edition)
    few = PLAYS // 10
    names = ["decision play", "decision finish", "claim", "play", "draw", "done", "pass", "may claim", "may pass"]
    names += [f"formation {kind}" for kind in ("wedge", "phalanx", "battalion", "skirmish", "host")]
    names += ["end envelopment", "award"] + ["end breakthrough"] * options["breakthrough"]
    if options["tactics"]:
        names += ["decision scout", "decision return", "return for scout", "claim under fog", "claim under mud"]
        names += [f"card {card}" for card in (*IN_SLOTS, *GUILE)] + [f"may {verb}" for verb in GUILE]
    if options["tiles"] != "none":
        names += ["decision marshes", "decision watchtower", "decision return", "return for fields", "remove"]
        names += [f"claim on {tile}" for tile in TILES]
    if options["tiles"] == "drafted":
        names += ["decision draft", "decision lay", "pick", "lay up", "lay down"]
    rare = ("end ", "award", "formation ", "pass", "may pass", "claim under", "claim on")
    least = {name: max(1, few // 4) if name.startswith(rare) else few for name in names}
    return least | {"formation wedge": 1 if not options["tactics"] else few // 4}


@each_edition
def test_random_plays_show_every_decision_tactic_tile_and_ending(edition: str) -> None:
    seen = count_plays(edition, PLAYS)
    missing = {name: seen[name] for name, least in wanted(edition).items() if seen[name] < least}
    assert not missing, missing


@each_edition
def test_random_plays_show_nothing_that_the_edition_has_not(edition: str) -> None:
    seen, options = count_plays(edition, PLAYS), GAME.options(edition)
    if not options["tactics"]:
        assert not [name for name in seen if name.startswith("card ") and not name[-1].isdigit()]
        assert not seen["decision scout"]
    if options["tiles"] == "none":
        assert not seen["decision marshes"] + seen["decision watchtower"] + seen["return for fields"]
    if options["tiles"] != "drafted":
        assert not seen["decision draft"] + seen["decision lay"]
    assert options["breakthrough"] or not seen["end breakthrough"]


def print_table(plays: int) -> None:
    counts = {edition: count_plays(edition, plays) for edition in GAME.editions}
    print(f"{'':22}" + "".join(f"{edition:>15}" for edition in counts))
    for name in sorted({name for seen in counts.values() for name in seen if not name[-1].isdigit()}):
        print(f"{name:22}" + "".join(f"{seen[name]:>15,}" for seen in counts.values()))
    every = [name for name in DECISIONS if any(seen[f"decision {name}"] for seen in counts.values())]
    print(f"{len(every)} of {len(DECISIONS)} decisions, {plays} plays of each edition")


if __name__ == "__main__":
    print_table(int(sys.argv[1]))
