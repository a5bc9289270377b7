"""The contract of a game, and the second implementation of its rules."""

import pytest

from engine.contract.checks import CHECKS
from engine.contract.oracle import check_oracle
from engine.contract.plays import Subject
from guessing.rules import GAME
from guessing.tests.oracle import expect

each_edition = pytest.mark.parametrize("edition", GAME.editions)


@pytest.mark.parametrize("name", CHECKS)
@each_edition
def test_the_contract_is_kept(edition: str, name: str) -> None:
    """Check the game as `pennant check-game` does."""
    CHECKS[name](Subject(GAME, edition))


@each_edition
def test_the_oracle_says_the_same(edition: str) -> None:
    """Compare whole plays with the second implementation."""
    check_oracle(Subject(GAME, edition, plays=60), expect)
