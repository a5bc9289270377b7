"""Store decisions of live games, and what follows from them: who is to decide, and the end."""

import zlib
from collections.abc import Sequence

import orjson
from django.utils.timezone import now

from arena.livegames.models import LiveDecision, LiveGame, LiveSeat
from arena.livegames.position import describe_seat, find_rules, play_forced_moves
from arena.release import arena_version
from engine.core import Json, State
from engine.deal import derive_seed
from engine.message import Message
from engine.record_hash import record_hash
from engine.replay import make_record


def lock_game(pk: int) -> LiveGame:
    """Return a game that no other transaction changes until this one ends."""
    return LiveGame.objects.select_for_update().get(pk=pk)


def list_seats(game: LiveGame) -> list[LiveSeat]:
    """Return the seats of a game in order, with who sits there."""
    return list(game.seats.select_related("version__bot__owner", "user").defer("version__build_log").order_by("seat"))


def store_decisions(
    game: LiveGame, seats: Sequence[LiveSeat], state: State, entries: Sequence[Json], before: Sequence[Json]
) -> None:
    """Store decisions that the state has taken already, then those without a choice, and move on or end the game.

    `before` are the decisions stored until now. The game must be locked.
    """
    entries = [*entries, *play_forced_moves(state)]
    LiveDecision.objects.bulk_create(
        LiveDecision(game=game, number=number, entry=entry) for number, entry in enumerate(entries, game.decisions)
    )
    game.decisions += len(entries)
    game.decided_at = game.published_at = now()
    game.seat_to_act = state.to_act
    game.bot_to_act = None if state.to_act is None else seats[state.to_act].version
    if state.outcome is not None:
        finish_game(game, seats, state, [*before, *entries])
    game.save()


def finish_game(game: LiveGame, seats: Sequence[LiveSeat], state: State, entries: Sequence[Json]) -> None:
    """Write the record and the result of each seat into the rows; the caller saves the game."""
    outcome = state.outcome
    assert outcome is not None
    verdicts = {entry["seat"]: entry["verdict"] for entry in entries if "verdict" in entry}
    record = make_record(
        game=find_rules(game),
        edition=game.edition,
        options=game.options,
        deal=game.deal,
        salt=game.salt,
        seats=[describe_seat(seat, derive_seed(game.salt, seat.seat)) for seat in seats],
        actions=entries,
        outcome=outcome,
        verdicts=[verdicts.get(seat.seat, "ok") for seat in seats],
        arena=arena_version(),
    )
    for seat in seats:
        seat.place, seat.score = outcome.places[seat.seat], outcome.scores[seat.seat]
        seat.verdict, seat.draft = verdicts.get(seat.seat, "ok"), []
    LiveSeat.objects.bulk_update(seats, ["place", "score", "verdict", "draft"])
    game.state, game.finished_at, game.reason = LiveGame.State.FINISHED, now(), outcome.reason
    game.record, game.record_hash = zlib.compress(orjson.dumps(record), 9), record_hash(record)


def void_game(game: LiveGame, reason: Message) -> None:
    """End a game without a result. The game must be locked."""
    game.state, game.finished_at, game.void_reason = LiveGame.State.VOID, now(), reason
    game.seat_to_act = game.bot_to_act = None
    game.save()
