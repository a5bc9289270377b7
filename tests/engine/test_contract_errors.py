"""What the checks of the contract say of long values and of several mistakes at once."""

import pytest

from engine.contract.checks import check_secret_actions
from engine.contract.errors import ContractError, describe_difference, require_same
from engine.contract.plays import Subject
from engine.games.battleline.game import BattleLine


class NothingIsSecret(BattleLine):
    secret_actions = frozenset()


def test_all_secret_actions_are_named_at_once() -> None:
    with pytest.raises(ContractError) as found:
        check_secret_actions(Subject(NothingIsSecret(), "standard"))
    words = str(found.value).split("put ")[1].split(" into ")[0].split(", ")
    assert len(words) > 1 and {word.strip("'") for word in words} <= BattleLine.secret_actions
    assert "What follows an action counts, too" in str(found.value)


def test_of_long_lists_what_differs_is_shown() -> None:
    events = [{"event": "deal", "hand": hand} for hand in range(100)]
    other = [*events[:90], {"event": "show", "hand": 90}, *events[91:]]
    with pytest.raises(ContractError) as found:
        require_same(other, events, "events differ")
    assert "found:    90 the same, then [{'event': 'show', 'hand': 90}" in str(found.value)
    assert "expected: 90 the same, then [{'event': 'deal', 'hand': 90}" in str(found.value)
    assert "90 the same, then [{'event': 'show'" in describe_difference({"log": other}, {"log": events})


def test_of_long_texts_what_differs_is_shown() -> None:
    with pytest.raises(ContractError) as found:
        require_same("a" * 2000 + "b", "a" * 2000 + "c", "texts differ")
    assert "ab'" in str(found.value) and "ac'" in str(found.value)


def test_short_values_are_shown_whole() -> None:
    with pytest.raises(ContractError, match=r"found:    \[1, 2\]\n  expected: \[1, 3\]"):
        require_same([1, 2], [1, 3], "numbers differ")
