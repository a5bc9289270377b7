"""Any order of moves, forfeits, copies, redeals and refused words, held against what every game promises."""

from random import Random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from engine.contract.checks import check_outcome, check_redeal, check_refusal, check_state
from engine.contract.plays import begin_play, portray
from engine.core import PERSON_ENDINGS, Game, State
from tests.engine.facts import find_facts
from tests.engine.plays import EDITION_NAMES, EVERY_EDITION
from tests.full import is_full_run

RUNS, STEPS = (40, 120) if is_full_run() else (4, 40)


class Play(RuleBasedStateMachine):
    """A play to which anything may happen that the contract allows."""

    game: Game
    edition: str
    state: State

    @initialize(seed=st.integers(0, 10_000))
    def begin(self, seed: int) -> None:
        self.state = begin_play(self.game, self.edition, seed)
        self.limit = self.game.max_plies(self.game.options(self.edition), self.state.seats)
        self.out: set[int] = set()
        self.time = 0

    def is_over(self) -> bool:
        return self.state.to_act is None

    @precondition(lambda self: not self.is_over())
    @rule(choice=st.integers(0, 10_000))
    def play(self, choice: int) -> None:
        seat, length = self.state.to_act, self.state.log_length
        moves = self.state.moves()
        action = self.state.text(moves[choice % len(moves)])
        self.state.play(self.state.parse(action))
        first = self.state.events(seat, length)[0]
        assert (first["seat"], first["action"]) == (seat, action)

    @precondition(lambda self: not self.is_over())
    @rule(choice=st.integers(0, 3), verdict=st.sampled_from(("timeout", "crash", *PERSON_ENDINGS)))
    def forfeit(self, choice: int, verdict: str) -> None:
        still_in = [seat for seat in range(self.state.seats) if not self.state.is_out(seat)]
        seat = still_in[choice % len(still_in)]
        self.state.forfeit(seat, verdict)
        self.out.add(seat)

    @rule()
    def go_on_with_a_copy(self) -> None:
        before = portray(self.state)
        self.state = self.state.copy()
        assert portray(self.state) == before

    @rule(seed=st.integers(0, 10_000))
    def go_on_with_what_a_seat_cannot_tell_apart(self, seed: int) -> None:
        rng = Random(seed)
        self.state = check_redeal(self.state, rng.randrange(self.state.seats), rng)

    @rule(seed=st.integers(0, 10_000), junk=st.text(max_size=20))
    def say_anything(self, seed: int, junk: str) -> None:
        before = portray(self.state)
        if not self.is_over():
            check_refusal(self.state, find_facts(self.game.key).write_any_action(Random(seed), self.state))
        check_refusal(self.state, junk)
        assert portray(self.state) == before

    @invariant()
    def keeps_its_promises(self) -> None:
        check_state(self.game, self.state)
        assert self.state.ply <= self.limit and self.state.to_act not in self.out
        if self.game.counts:
            now = self.state.view(0)[self.game.counts]
            assert now - self.time in (0, 1)
            self.time = now
        if self.is_over():
            check_outcome(self.state.outcome, self.state.seats)


@pytest.mark.parametrize(("game", "edition"), EVERY_EDITION, ids=EDITION_NAMES)
def test_whatever_happens_the_promises_are_kept(game: Game, edition: str) -> None:
    machine = type("PlayOfThis", (Play,), {"game": game, "edition": edition})
    run_state_machine_as_test(machine, settings=settings(max_examples=RUNS, stateful_step_count=STEPS, deadline=None))
