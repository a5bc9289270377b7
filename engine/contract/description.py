"""Check what a game says of itself: key, editions, options, seats and deals."""

import json
from random import Random

from engine.contract.errors import ContractError, require, require_same
from engine.contract.plays import Subject
from engine.core import BadDeal
from engine.options import BadOptions


def check_description(subject: Subject) -> None:
    """Check the attributes of the game and what it does with options."""
    game, edition = subject.game, subject.edition
    require(game.key.isidentifier() and game.key.islower(), "key: use lower-case letters, it is part of addresses")
    require(bool(game.title) and game.rules_version >= 1, "title and rules_version: say both, versions from 1 on")
    require(game.counts in (None, "turn", "round"), "counts: it is 'turn', 'round' or None")
    require(len(game.seats) > 0 and game.seats[0] >= 2, "seats: a game has two seats or more")
    options = subject.options
    require_same(json.loads(json.dumps(options)), options, "options() are not plain JSON")
    require_same(game.options(edition, **options), options, "options(): all options given at once are not the same")
    require_same([option.key for option in game.rule_options], list(options), "rule_options describe other options")
    try:
        game.options(edition, no_such_option=1)
    except BadOptions:
        pass
    else:
        raise ContractError("options() takes an option that isn't there: use engine.options.build_options")
    try:
        game.options("no-such-edition")
    except BadOptions:
        return
    raise ContractError("options() takes an edition that isn't there: use engine.options.build_options")


def check_deals(subject: Subject) -> None:
    """Check that deals are JSON made of the given chance alone, and that wrong ones are refused."""
    game, options = subject.game, subject.options
    for seats in game.seats:
        deals = [game.deal(options, seats, Random(seed)) for seed in (1, 1, 2, 3, 4)]
        require_same(deals[0], deals[1], "deal() differs for the same seed: use the given rng alone")
        differs = deals[0] == {} or any(deal != deals[0] for deal in deals[2:])
        require(differs, "deal() is the same for every seed: use the given rng, or deal {} where there is no chance")
        require_same(json.loads(json.dumps(deals[0])), deals[0], "deal() is not plain JSON")
        if deals[0]:
            refuse_deal(subject, seats, {}, "an empty deal")
        refuse_deal(subject, seats, deals[0] | {"no-such-part": 1}, "a deal with a part that isn't there")
    for seats in (0, 1, game.seats[-1] + 1):
        refuse_deal(subject, seats, game.deal(options, game.seats[0], Random(1)), f"{seats} seats")


def refuse_deal(subject: Subject, seats: int, deal: dict[str, object], what: str) -> None:
    """Raise ContractError unless the game refuses to start so."""
    try:
        subject.game.start(subject.options, seats, deal)
    except BadDeal:
        return
    raise ContractError(f"start() takes {what}: raise BadDeal")
