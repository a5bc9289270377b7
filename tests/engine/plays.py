"""Random plays of any game, for tests of the contract."""

import os
from random import Random
from typing import Any

from engine.contract.plays import Choose, play_out, run
from engine.contract.plays import begin_play as begin
from engine.contract.plays import choose_any as any_move
from engine.core import PERSON_ENDINGS, Game, Json, forfeit_event
from engine.registry import GAMES
from engine.replay import make_record
from tests.engine.facts import find_facts

__all__ = ["any_move", "begin", "play_out", "run"]
EVERY_EDITION = [(game, edition) for game in GAMES.values() for edition in game.editions]
LONGER = os.environ.get("PENNANT_RANDOM_PLAYS")
"""Random plays of each edition wherever a test plays any, for a longer run."""
EDITION_NAMES = [f"{game.key}-{edition}" for game, edition in EVERY_EDITION]


def how_many(usual: int) -> int:
    """Random plays of each edition that a test makes."""
    return int(LONGER) if LONGER else usual


def random_record(
    game: Game, edition: str, seed: int, choose: Choose = any_move, verdict: str = "ok", **changes: Any
) -> Json:
    """The record of a random play with as many seats as the seed says.

    With a verdict, the seat asked after some decisions goes out by it (the game's `forfeit_ply`; `start`: before the
    first one). With one of PERSON_ENDINGS it is a person's seat, and the next one, which is not to act.
    """
    rng, salt = Random(seed), f"salt {seed}"
    options = game.options(edition, **changes)
    seats = game.seats[seed % len(game.seats)]
    deal = game.deal(options, seats, rng)
    state = game.start(options, seats, deal)
    actions: list[Json] = []
    verdicts = ["ok"] * seats
    players: list[Json] = [{"name": f"bot {seat}", "version": 1} for seat in range(seats)]
    stop = None if verdict == "ok" else 0 if verdict == "start" else find_facts(game.key).forfeit_ply
    while (seat := state.to_act) is not None:
        forced = state.forced()
        if stop is not None and state.ply >= stop and forced is None:
            if verdict in PERSON_ENDINGS:
                seat = (seat + 1) % seats
                players[seat] = {"name": "Eva", "kind": "person"}
            else:
                verdicts[seat] = verdict
            actions.append(forfeit_event(seat, verdict))
            state.forfeit(seat, verdict)
            stop = None
            continue
        move = choose(state, rng) if forced is None else forced
        told: Json = {"auto": True} if forced is not None else {"ms": 2, "cpu_ms": 1}
        actions.append({"seat": seat, "action": state.text(move)} | told)
        state.play(move)
    assert state.outcome is not None
    return make_record(
        game=game,
        edition=edition,
        options=options,
        deal=deal,
        salt=salt,
        seats=players,
        actions=actions,
        outcome=state.outcome,
        verdicts=verdicts,
    )
