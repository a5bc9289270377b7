import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.runner.clock import FREE_MS, Clock, OutOfTime


def test_a_quick_answer_costs_nothing() -> None:
    clock = Clock(1000, 500)
    clock.charge(FREE_MS)
    assert clock.bank_ms == 500


def test_only_what_goes_beyond_the_free_time_comes_out_of_the_bank() -> None:
    clock = Clock(1000, 500)
    clock.charge(120)
    assert clock.bank_ms == 400


def test_an_answer_at_the_hard_limit_is_in_time() -> None:
    Clock(1000, 30000).charge(1000)


def test_an_answer_beyond_the_hard_limit_is_late_however_full_the_bank() -> None:
    with pytest.raises(OutOfTime, match="1001 ms; 1000 ms is the limit"):
        Clock(1000, 30000).charge(1001)


def test_an_answer_that_empties_the_bank_is_late() -> None:
    with pytest.raises(OutOfTime, match="emptied the time bank"):
        Clock(1000, 100).charge(120)


def test_a_bot_without_a_bank_lives_on_quick_answers() -> None:
    clock = Clock(1000, 0)
    clock.charge(15)
    assert clock.allowance_ms == FREE_MS
    with pytest.raises(OutOfTime):
        clock.charge(21)


def test_the_allowance_is_the_smaller_of_hard_limit_and_bank() -> None:
    assert Clock(1000, 30000).allowance_ms == 1000
    assert Clock(1000, 300).allowance_ms == 320


@given(st.lists(st.floats(0, 2000), max_size=50), st.floats(1, 1000), st.floats(0, 5000))
def test_whoever_keeps_to_the_allowance_never_goes_below_nothing(
    answers: list[float], move: float, bank: float
) -> None:
    clock = Clock(move, bank)
    taken = 0.0
    for took in answers:
        took = min(took, clock.allowance_ms)
        taken += max(0.0, took - FREE_MS)
        try:
            clock.charge(took)
        except OutOfTime:
            assert clock.bank_ms == 0
            return
        assert clock.bank_ms == pytest.approx(bank - taken, abs=1e-6)
    assert clock.answers == len(answers)
