"""The checks of the contract, in the order in which their errors help most."""

from collections.abc import Callable, Mapping

from engine.contract.description import check_deals, check_description
from engine.contract.plays import Subject
from engine.contract.secrets import (
    check_explanations,
    check_redeals,
    check_revealing_events,
    check_secret_actions,
    check_whole_secret,
)
from engine.contract.steps import check_copies, check_decisions, check_forfeits, check_playing_again, check_words

Check = Callable[[Subject], None]

CHECKS: Mapping[str, Check] = {
    "description": check_description,
    "deals": check_deals,
    "decisions": check_decisions,
    "copies": check_copies,
    "playing again": check_playing_again,
    "words": check_words,
    "forfeits": check_forfeits,
    "redeals": check_redeals,
    "secret actions": check_secret_actions,
    "revealing events": check_revealing_events,
    "all that is secret": check_whole_secret,
    "explanations": check_explanations,
}
"""By name: raises ContractError where the subject breaks a part of the contract."""
