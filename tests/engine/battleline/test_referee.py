"""The engine and a second referee agree at every decision of whole plays without tactics and tiles."""

from collections import Counter
from random import Random
from typing import Any

import pytest

from engine.core import Outcome, State
from engine.registry import GAMES
from tests.engine.battleline.referee import Referee, judge
from tests.engine.plays import how_many
from tests.full import is_full_run

GAME = GAMES["battleline"]
PLAYS = how_many(600 if is_full_run() else 16)
PLAYS_OF_OTHERS = how_many(20 if is_full_run() else 1)
BUILDING_SHARE = 0.75
"""Share of the cards that are played where they fit best, so that all formations and early claims are seen."""
CLAIMING_SHARES = (0.8, 0.8, 0.1, 0.0)
"""Shares of the decisions with a claim at which one is made, by leg: who never claims plays to the last place."""
OTHERS: list[dict[str, Any]] = [
    {"claims": "either"},
    {"claims": "any", "hand": 7},
    {"values": 10, "hand": 7, "pass": "no-troop"},
    {"flags": 7, "claims": "any"},
    {"flags": 5, "envelopment": 3, "breakthrough": False},
    {"colours": "SHDC", "flags": 5, "envelopment": 3},
]
"""Changes of the edition, of every kind that the second referee knows."""


class Lockstep:
    """One play of both. `seen` counts what happened in it."""

    def __init__(self, seed: str, seen: Counter[str], **changes: Any) -> None:
        self.rng, self.seen = Random(seed), seen
        self.claiming_share = self.rng.choice(CLAIMING_SHARES)
        options = GAME.options("highlands", **changes)
        deal = GAME.deal(options, 2, self.rng)
        self.state: State = GAME.start(options, 2, deal)
        self.referee = Referee(options, list(deal["troops"]))

    def play_out(self) -> None:
        while self.referee.to_act is not None:
            self.compare()
            action = self.choose()
            self.note(action)
            self.state.play(self.state.parse(action))
            self.referee.play(action)
        self.compare()
        assert self.referee.result is not None
        scores, reason = self.referee.result
        assert self.state.outcome == Outcome.from_scores(scores, reason)
        self.seen[f"end {reason}"] += 1
        self.seen["award"] += sum(event.get("event") == "award" for event in self.referee.events(None))
        self.seen["tries"] += self.referee.tries

    def compare(self) -> None:
        state, referee = self.state, self.referee
        texts = [state.text(move) for move in state.moves()]
        assert len(set(texts)) == len(texts) and set(texts) == referee.legal()
        assert state.to_act == referee.to_act
        for seat in (0, 1, None):
            assert state.events(seat) == referee.events(seat)
            if seat is not None:
                assert state.view(seat) == referee.view(seat)
        self.seen["decisions"] += 1

    def choose(self) -> str:
        actions = sorted(self.referee.legal())
        claims = [action for action in actions if action.startswith("claim")]
        if claims and self.rng.random() < self.claiming_share:
            return self.rng.choice(claims)
        others = [action for action in actions if action not in claims]
        if self.referee.decision == "play" and self.rng.random() < BUILDING_SHARE:
            return max(others, key=self.fit)
        return self.rng.choice(others)

    def fit(self, action: str) -> tuple[int, float]:
        """How well a card goes with those that lie there."""
        _, *words = action.split()
        if not words:
            return 0, 0.0
        card, flag = words[0], int(words[1]) - 1
        side = self.referee.sides[flag][self.referee.to_act or 0]
        near = sum(
            2 * (card[0] == other[0]) + (abs(int(card[1:]) - int(other[1:])) < 3) + 2 * (card[1:] == other[1:])
            for other in side
        )
        return near, self.rng.random()

    def note(self, action: str) -> None:
        """Count what is rare."""
        referee, (verb, *words) = self.referee, action.split()
        self.seen[verb] += 1
        if verb == "claim":
            flag, seat = int(words[0]) - 1, referee.to_act or 0
            theirs = referee.sides[flag][1 - seat]
            self.seen[f"claim against {len(theirs)}"] += 1
            self.seen[str(referee.describe(seat, flag)["formation"])] += 1
            self.seen["claim after playing"] += referee.decision == "finish"
            mine = tuple(referee.sides[flag][seat])
            self.seen["tie"] += len(theirs) == len(mine) and judge(tuple(theirs)) == judge(mine)


def test_the_edition_is_played_as_the_second_referee_says() -> None:
    """BL-80 to BL-87, with BL-1 to BL-5, BL-10, BL-15 to BL-21, BL-23 to BL-25."""
    seen: Counter[str] = Counter()
    for seed in range(PLAYS):
        Lockstep(f"highlands {seed}", seen).play_out()
    print(f"{PLAYS} legs: {', '.join(f'{count:,} {name}' for name, count in sorted(seen.items()))}")
    wanted = {"phalanx", "battalion", "host", "claim against 1", "claim against 2", "claim against 3"}
    wanted |= {"pass", "done", "award", "end breakthrough", "end envelopment"}
    wanted |= {"wedge", "skirmish", "tie", "claim against 0"} if is_full_run() else set()
    assert not [name for name in sorted(wanted) if not seen[name]]
    assert not seen["claim after playing"], "BL-82: only before a card is played"


@pytest.mark.parametrize("changes", OTHERS, ids=str)
def test_other_rules_without_tactics_are_too(changes: dict[str, Any]) -> None:
    seen: Counter[str] = Counter()
    for seed in range(PLAYS_OF_OTHERS):
        Lockstep(f"{changes} {seed}", seen, **changes).play_out()
    assert bool(seen["claim after playing"]) <= (changes.get("claims", "start") != "start")
