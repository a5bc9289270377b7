"""Rated matches that are really played, by random play within this process, and counted by a ladder."""

from collections.abc import Sequence
from random import Random

from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.ladders.services.ledger import append_finished_matches
from arena.matches.models import Match
from arena.matches.services import claim_match, queue_match, store_report
from arena.matches.workers import this_worker
from arena.runner.match import LegReport, MatchReport
from engine.core import Json, State
from engine.registry import find_game
from engine.replay import make_record

WINNING = ("claim", "attack")


def choose(state: State, rng: Random) -> int:
    """Return a random move that wins something, if there is one, else any."""
    moves = list(state.moves())
    return rng.choice([move for move in moves if state.text(move).startswith(WINNING)] or moves)


def play_record(match: Match, deal: Json, rng: Random, seats: int, crash_after: int | None) -> Json:
    """Return the record of a leg; the seat to act crashes after so many decisions."""
    game = find_game(match.game)
    state = game.start(match.options, seats, deal)
    actions: list[Json] = []
    verdicts = ["ok"] * seats
    while (seat := state.to_act) is not None:
        forced = state.forced()
        if forced is None and crash_after is not None and len(actions) >= crash_after and verdicts[seat] == "ok":
            verdicts[seat] = "crash"
            state.forfeit(seat, "crash")
            actions.append({"seat": seat, "action": "forfeit", "verdict": "crash"})
            continue
        move = choose(state, rng) if forced is None else forced
        auto = {} if forced is None else {"auto": True}
        actions.append({"seat": seat, "action": state.text(move), "ms": 1, "cpu_ms": 1, **auto})
        state.play(move)
    assert state.outcome is not None
    return make_record(
        game=game,
        edition=match.edition,
        options=match.options,
        deal=deal,
        salt="",
        seats=[{"name": "bot", "version": "1"}] * seats,
        actions=actions,
        outcome=state.outcome,
        verdicts=verdicts,
    )


def play_rated(ladder: Ladder, entries: Sequence[Entry], seed: int, crash_after: int | None = None) -> LadderMatch:
    """Play a match on a ladder, and append it to the ledger. All chance of it comes from the seed."""
    rng, seats, game = Random(seed), len(entries), find_game(ladder.game)
    deal = game.deal(game.options(ladder.edition), seats, rng)
    versions = [one.version for one in entries]
    match = queue_match(versions=versions, game=ladder.game, edition=ladder.edition, deal=deal)
    row = LadderMatch.objects.create(ladder=ladder, match=match)
    attempt = claim_match(match_id=match.pk, worker=this_worker())
    assert attempt is not None
    none = (0.0,) * seats
    reports = [
        LegReport(
            tuple(leg.seating),
            play_record(match, match.deal, rng, seats, crash_after) | {"salt": leg.salt, "deal_hash": leg.deal_hash},
            ("",) * seats,
            (None,) * seats,
            none,
            (0,) * seats,
            none,
            none,
        )
        for leg in match.legs.order_by("number")
    ]
    store_report(attempt=attempt, report=MatchReport(tuple(reports)))
    append_finished_matches(ladder=ladder)
    row.refresh_from_db()
    assert row.sequence
    ladder.refresh_from_db()
    return row
