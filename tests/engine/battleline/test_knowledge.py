"""What a position tracks_knowledge to be quick never changes an answer."""

from collections import Counter
from math import comb
from random import Random
from typing import cast

import pytest

from engine.games.battleline.legal import is_claim_provable
from engine.games.battleline.moves import CLAIM
from engine.games.battleline.state import BattleLineState
from engine.registry import GAMES
from tests.engine.battleline import oracle
from tests.engine.battleline.rebuild import rebuilt
from tests.engine.battleline.staging import EDITION_CASES
from tests.engine.battleline.tables import duel_at
from tests.engine.plays import any_move, begin, how_many, run
from tests.full import is_full_run

GAME = GAMES["battleline"]
PLAYS = how_many(60 if is_full_run() else 12)
TOO_MANY = 100_000
"""Completions to try for one claim."""
each_edition = pytest.mark.parametrize("edition", EDITION_CASES)


def begin_play(seed: int, edition: str = "standard") -> BattleLineState:
    return cast(BattleLineState, begin(GAME, edition, seed))


def claims_seldom(state: BattleLineState, rng: Random) -> int:
    """Leaves flags open, so that more can happen at them; plays tactics when it can."""
    others = [move for move in state.moves() if move >> 16 != CLAIM]
    if not others or rng.random() < 0.05:
        return any_move(state, rng)
    tactics = [move for move in others if state.text(move).split()[0] in ("redeploy", "traitor", "deserter")]
    pick = tactics if tactics and rng.random() < 0.5 else others
    return pick[int(rng.random() * len(pick))]


def check_against_fresh(state: BattleLineState) -> None:
    fresh = rebuilt(state)
    assert state.moves() == fresh.moves()
    assert (state.unseen, state.sets) == (fresh.unseen, fresh.sets)
    for seat in (0, 1):
        assert state.view(seat) == fresh.view(seat)
        for flag, owner in enumerate(state.owner):
            if owner is None:
                assert is_claim_provable(state, seat, flag) is is_claim_provable(fresh, seat, flag), (seat, flag)


@each_edition
def test_a_play_gives_the_moves_of_the_same_position_built_afresh(edition: str) -> None:
    for seed in range(PLAYS):
        rng = Random(seed)
        for state in run(begin_play(seed, edition), rng, claims_seldom if seed % 2 else any_move):  # type: ignore[arg-type]
            if rng.random() < 0.6:
                check_against_fresh(state)  # type: ignore[arg-type]


@each_edition
def test_a_copy_that_goes_its_own_way_leaves_the_play_as_it_was_and_the_other_way_round(edition: str) -> None:
    """Both go on, and are asked in turns: nothing that one learns may be taken for known by the other."""
    for seed in range(PLAYS // 2):
        rng = Random(seed)
        state = begin_play(seed, edition)
        for _ in range(rng.randint(5, 80)):
            if state.to_act is not None:
                state.play(claims_seldom(state, rng))
        twins = [state, state.copy()]
        for _ in range(20):
            for twin in twins:
                if twin.to_act is not None:
                    check_against_fresh(twin)
                    twin.play(claims_seldom(twin, rng))


@each_edition
def test_claims_in_random_plays_are_those_that_trying_everything_finds(edition: str) -> None:
    """Every flag, both seats, before every decision; a few questions are too large to try everything."""
    answers: Counter[tuple[int, bool]] = Counter()
    known: dict[oracle.Duel, bool] = {}
    plays = 4 if not is_full_run() else 60 if edition == "standard" else 10
    for seed in range(plays):
        for state in run(begin_play(seed, edition), Random(seed), claims_seldom if seed % 2 else any_move):  # type: ignore[arg-type]
            for seat in (0, 1):
                for flag, owner in enumerate(state.owner):  # type: ignore[attr-defined]
                    if owner is None:
                        duel = duel_at(state, seat, flag)  # type: ignore[arg-type]
                        if comb(len(duel.unseen), max(duel.free, 0)) > TOO_MANY:
                            continue
                        expected = ask_oracle(duel, known)
                        assert is_claim_provable(state, seat, flag) is expected, duel  # type: ignore[arg-type]
                        if duel.complete:
                            answers[duel.free, expected] += 1
    few = {4: 1, 10: 4, 60: 40}[plays]
    assert min(answers[free, holds] for free in (0, 1, 2) for holds in (True, False)) > few, answers


def ask_oracle(duel: oracle.Duel, known: dict[oracle.Duel, bool]) -> bool:
    """Each question once."""
    if duel not in known:
        known[duel] = oracle.is_provable(duel)
    return known[duel]
