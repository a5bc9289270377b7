"""Find the hint that a person sees."""

import hashlib
from collections.abc import Sequence

import orjson

from arena.livegames.models import LiveGame, LiveHint, LiveSeat
from engine.core import Json


def hash_position(number: int, draft: Sequence[Json]) -> str:
    """Return the hash of a decision: how many are stored, and the steps after these."""
    return hashlib.sha256(orjson.dumps([number, [step["action"] for step in draft]])).hexdigest()


def find_hint_asked(game: LiveGame, own: LiveSeat | None) -> LiveHint | None:
    """Return the hint that a person has asked for at the decision that the seat is to make now; None without one."""
    if own is None or not game.has_hints or game.seat_to_act != own.seat:
        return None
    return game.hints.filter(position=hash_position(game.decisions, own.draft)).first()
