"""The contract of a game and the oracle, for Goofspiel and for Goofspiel with a mistake in it."""

import pytest

from engine.contract.checks import CHECKS
from engine.contract.errors import ContractError
from engine.contract.oracle import check_oracle
from engine.contract.plays import Subject
from goofspiel.rules import GAME
from goofspiel.tests.mistakes import MISTAKES
from goofspiel.tests.oracle import expect

WORDS = {
    "ScoresArePlaces": "places don't agree with the scores",
    "LowestScoreIsFirst": "places don't agree with the scores",
    "NoTurn": "count what Game.counts says",
    "TurnJumps": "'turn' goes from 0 to 2",
    "BidIsToldAtOnce": "tell what seat . can't know",
    "BidIsToldAndRedealCopies": "hide it from the others",
    "EverythingIsTold": "hide it from the others",
    "BidIsNotSecretAndRedealCopies": "always the same state",
    "SecretIsNotDeclared": "put 'bid' into Game.secret_actions",
    "RedealCopies": "deal anew what 'bid' hides",
    "RedealKeepsPrizes": "always the same state",
    "RedealKeepsBids": "deal anew what 'bid' hides",
    "ViewShowsBids": "tells seat . what it can't know: hands",
    "ViewShowsNextPrize": "tells seat 0 what it can't know: next",
    "ExplanationShowsBids": "uses what seat . can't know",
    "CopiesShareTheLog": "shares something",
    "ListIsNotComplete": "moves.. is not complete",
    "WhoForfeitsKeepsItsPlace": "behind all who are still in",
    "WhoForfeitsIsAskedAgain": "asked again",
    "ForfeitOfOneEndsItForThree": "the others play on",
    "ChanceOutsideTheDeal": "chance is for deal",
    "EventsChangeLater": "the first after a decision",
    "PlaysAreLonger": "takes more than max_plies",
    "AnyWordIsLegal": "parse.. of a move's text is not the move",
    "RedealDrawsFromElsewhere": "use the given rng alone",
    "NumbersMayHaveZeros": "isn't how the move is written",
    "CapitalsAreRead": "isn't how the move is written",
    "RedealKeepsTheBidInTheLog": "changed it in one place",
    "RedealChangesTheFirstBidOnly": "never changes what 'bid' of seat . hides",
    "ViewShowsAListThatGrows": "view.. returns something that changes",
    "RefusalShowsABid": "refusal of .* tells what the seat can't know",
    "DealIsUsedUp": "changes the options or the deal",
    "CardTwiceIsTaken": "an element of prizes twice",
    "ChangesAreLost": "leaves the edition's value|all options given at once",
}
"""What the error says of each mistake; the others are found by the oracle."""
each_edition = pytest.mark.parametrize("edition", GAME.editions)


@pytest.mark.parametrize("name", CHECKS)
@each_edition
def test_the_contract_is_kept(edition: str, name: str) -> None:
    CHECKS[name](Subject(GAME, edition))


@each_edition
def test_the_oracle_says_the_same(edition: str) -> None:
    check_oracle(Subject(GAME, edition, plays=60), expect)


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_found(name: str) -> None:
    subject = Subject(MISTAKES[name], "short", plays=8)
    with pytest.raises(ContractError, match=WORDS.get(name, "the oracle says otherwise")):
        for check in CHECKS.values():
            check(subject)
        check_oracle(subject, expect)
