"""Say what can be done after the end of a live game, and how the people and bots of it stand."""

from collections.abc import Sequence

from django.urls import reverse
from django.utils.translation import gettext as _

from arena.livegames.models import LiveGame, LiveSeat
from arena.livegames.players import Player
from arena.livegames.queries.games import count_results
from arena.livegames.services.deciding import find_own_seat
from arena.livegames.services.starting import add_series_game, has_next_game
from arena.livegames.services.storing import list_seats
from arena.pages.play.context import Finish


def build_finish(game: LiveGame, seats: Sequence[LiveSeat], own: LiveSeat | None, player: Player) -> Finish:
    """Return what the end of a game offers its reader."""
    watch = reverse("live_game_replay", args=[game.slug])
    if own is None:
        return Finish(watch=watch, next=reverse("play"))
    return Finish(
        watch=watch,
        swap=reverse("live_game_swap", args=[game.slug]),
        next=f"{reverse('play')}?game={game.game}&edition={game.edition}",
        next_game=reverse("live_game_next", args=[game.slug]) if has_next_game(game, seats) else "",
        other_leg=[*compare_with_swapped(game, player), *describe_series(game, seats, own)],
        note=describe_results(seats, own, player),
    )


def describe_series(game: LiveGame, seats: Sequence[LiveSeat], own: LiveSeat) -> list[tuple[str, str]]:
    """Return how a series stands after a game of it, the reader's score first."""
    if game.series is None or game.state != LiveGame.State.FINISHED:
        return []
    scores = add_series_game(game, seats)
    own_first = sorted(range(len(scores)), key=lambda seat: seat != own.seat)
    heading = _("Series after game %(number)s") % {"number": game.series_number}
    return [(heading, ":".join(f"{scores[seat]:g}" for seat in own_first))]


def compare_with_swapped(game: LiveGame, player: Player) -> list[tuple[str, str]]:
    """Return the reader's results in both plays of a deal, if there are two."""
    first = game.swapped_from or game
    second = getattr(first, "swapped", None)
    if second is None or not (first.is_over and second.is_over):
        return []
    headings = (_("First seats"), _("Seats swapped"))
    return [(heading, describe_own_result(one, player)) for heading, one in zip(headings, (first, second), strict=True)]


def describe_own_result(game: LiveGame, player: Player) -> str:
    """Return how a game ended for a person, with the scores."""
    seats = list_seats(game)
    own = find_own_seat(seats, player)
    if own is None or own.place is None:
        return _("no result")
    own_first = sorted(seats, key=lambda seat: seat is not own)
    return f"{name_place(own, seats)} ({':'.join(f'{seat.score:g}' for seat in own_first)})"


def name_place(own: LiveSeat, seats: Sequence[LiveSeat]) -> str:
    """Return won, drawn, lost, or the place at a table of more than two."""
    shared = sum(seat.place == own.place for seat in seats) > 1
    if len(seats) > 2:
        return _("place %(place)s of %(seats)s") % {"place": own.place, "seats": len(seats)}
    if shared:
        return _("drawn")
    return _("won") if own.place == 1 else _("lost")


def describe_results(seats: Sequence[LiveSeat], own: LiveSeat, player: Player) -> str:
    """Return how often the reader has won against the bot of a table of two."""
    other = next((seat for seat in seats if seat.pk != own.pk), None)
    if len(seats) != 2 or other is None or other.version is None:
        return ""
    bot = other.version.bot
    won, drawn, lost = count_results(player, [bot.pk]).get(bot.pk, (0, 0, 0))
    text = _(
        "You against %(bot)s so far: %(won)s won, %(drawn)s drawn, %(lost)s lost. Swapped seats and games with hints "
        "are practice."
    )
    return text % {"bot": bot.name, "won": won, "drawn": drawn, "lost": lost}
