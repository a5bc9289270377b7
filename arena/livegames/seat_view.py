"""Describe a live game as one reader knows it: by what the seat may see, or by what everybody sees."""

from collections.abc import Sequence
from dataclasses import dataclass

from arena.livegames.models import LiveGame, LiveSeat
from arena.livegames.position import build_state, fetch_entries
from engine.core import PUBLIC_ONLOOKER, Json


@dataclass(frozen=True, slots=True)
class SeatView:
    """A live game for one seat, or for who looks on."""

    at: int
    """Number of decisions that the reader sees, the own draft included; a step is sent with it."""
    view: Json | None
    """The seat's view; None for who looks on."""
    events: list[Json]
    """Everything that the reader was told since the deal."""
    legal: list[str]
    """The reader's legal actions; empty while another seat is to decide."""
    open: str | None
    """The grammar of the actions that are not listed."""
    draft: list[str]
    """The reader's steps that can still be taken back."""


def read_seat_view(game: LiveGame, seats: Sequence[LiveSeat], own: LiveSeat | None) -> SeatView:
    """Return what a reader knows of a game that has begun."""
    draft = own.draft if own else []
    entries = [*fetch_entries(game), *draft]
    state = build_state(game, len(seats), entries)
    is_own_turn = own is not None and state.to_act == own.seat
    return SeatView(
        at=len(entries),
        view=state.view(own.seat) if own else None,
        events=state.events(own.seat if own else PUBLIC_ONLOOKER),
        legal=list(state.actions()) if is_own_turn else [],
        open=state.open_grammar if is_own_turn else None,
        draft=[entry["action"] for entry in draft],
    )
