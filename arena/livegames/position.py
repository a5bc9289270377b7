"""Build the state of a live game from its decisions."""

from collections.abc import Sequence

from arena.livegames.models import LiveGame, LiveSeat
from engine.core import Game, Json, State
from engine.registry import find_game
from engine.replay import take


def fetch_entries(game: LiveGame) -> list[Json]:
    """Return the stored decisions of a game as its row counts them, as in a record; later ones are left out."""
    stored = game.stored_decisions.filter(number__lt=game.decisions).order_by("number")
    return list(stored.values_list("entry", flat=True))


def build_state(game: LiveGame, seats: int, entries: Sequence[Json]) -> State:
    """Return the state after these decisions."""
    state = find_rules(game).start(game.options, seats, game.deal)
    for entry in entries:
        take(state, entry)
    return state


def find_rules(game: LiveGame) -> Game:
    """Return the rules of a live game. Raises UnknownGame."""
    return find_game(game.game)


def play_forced_moves(state: State, *, seat: int | None = None) -> list[Json]:
    """Play the decisions without a choice, only those of `seat` where it is given, and return them as in a record."""
    entries = []
    while (move := state.forced()) is not None and (seat is None or state.to_act == seat):
        entries.append({"seat": state.to_act, "action": state.text(move), "auto": True})
        state.play(move)
    return entries


def describe_seat(seat: LiveSeat, seed: int) -> Json:
    """Return a seat as a record has it."""
    if seat.version is not None:
        return {"name": seat.version.bot.name, "version": seat.version.number, "kind": "bot", "seed": seed}
    return {"name": name_person(seat), "kind": "person"}


def name_person(seat: LiveSeat) -> str:
    """Return the name of the person at a seat; a guest has none of their own."""
    return seat.user.username if seat.user is not None else "Guest"
