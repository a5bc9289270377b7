"""Start live games: choose seats, deal, take a seat by a link, and play the same deal again with other seats."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import Enum
from random import SystemRandom
from typing import Any

from django.db import transaction
from django.utils.crypto import salted_hmac
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.errors import Conflict
from arena.livegames.errors import CannotStart, LinkUsed
from arena.livegames.limits import check_may_start
from arena.livegames.models import LiveGame, LiveSeat, make_link
from arena.livegames.players import Player
from arena.livegames.position import build_state
from arena.livegames.queries.opponents import list_playable_versions
from arena.livegames.services.deciding import find_own_seat
from arena.livegames.services.hinting import NO_HINT_FOR_EDITION
from arena.livegames.services.storing import list_seats, lock_game, store_decisions
from arena.matches.variants import parse_series_length, resolve_variant
from arena.runner.limits import Limits
from engine.analysis.evaluators import has_evaluator
from engine.core import Json
from engine.message import gettext_noop, message
from engine.registry import find_game
from engine.series import FIRST_SEATING, SeriesLength, next_seating


class Person(Enum):
    """The person at a seat that no bot has."""

    ME = "me"
    """The person who starts the game."""
    LINK = "link"
    """The first person who opens the link."""


COPIED_FIELDS = tuple("game edition options changed_options rules_version limits is_public has_hints".split())
"""What a game that follows another one has of it."""
SeatChoice = BotVersion | Person


@dataclass(frozen=True, slots=True)
class Sitting:
    """Everything that decides a new game but the deal."""

    game: str
    seats: Sequence[SeatChoice]
    edition: str = ""
    options: Mapping[str, Any] | None = None
    series: Mapping[str, Any] | None = None
    """Length of a series of games as JSON; None for a single game."""
    is_public: bool = False
    has_hints: bool = False
    limits: Limits | None = None


def start_live_game(*, player: Player, sitting: Sitting, address: str) -> LiveGame:
    """Deal a new game and return it; it begins at once unless a seat waits for somebody with the link.

    `address` is the network that the request came from. Raises CannotStart, UnplayableRules, TooManyGames or
    GuestsMayNotPlay.
    """
    # The checks and the deal are outside the transaction: SQLite lets nobody else write meanwhile.
    hashed = hash_address(address)
    check_may_start(player, hashed)
    variant = resolve_variant(sitting.game, sitting.edition, sitting.options)
    check_seats(player, sitting)
    if sitting.has_hints:
        check_hints(sitting, variant.edition, variant.options)
    series = parse_series_length(sitting.game, len(sitting.seats), sitting.series)
    rules = find_game(sitting.game)
    game = LiveGame(
        game=rules.key,
        edition=variant.edition,
        options=variant.options,
        changed_options=variant.changed_options,
        deal=rules.deal(variant.options, len(sitting.seats), SystemRandom()),
        rules_version=rules.rules_version,
        limits=asdict(sitting.limits or Limits()),
        is_public=sitting.is_public,
        has_hints=sitting.has_hints,
        address=hashed,
        series=series and series.to_json(),
        series_scores=[0.0] * len(sitting.seats) if series else [],
    )
    return open_game(game, [build_seat(choice, player) for choice in sitting.seats])


@transaction.atomic
def swap_seats(*, game: LiveGame, player: Player, address: str) -> LiveGame:
    """Deal a finished game again with every seat moved on by one, and return the new game, or the one there is.

    Raises NotSeated, CannotStart, TooManyGames or GuestsMayNotPlay.
    """
    game = lock_game(game.pk)
    seats = list_seats(game)
    if not game.is_over or find_own_seat(seats, player) is None:
        raise CannotStart(message(gettext_noop("Only a game of yours that is over can be played with swapped seats.")))
    if hasattr(game, "swapped"):
        return game.swapped
    hashed = check_may_go_on(game, seats, player, address)
    copied = {name: getattr(game, name) for name in (*COPIED_FIELDS, "deal")}
    again = LiveGame(**copied, address=hashed, swapped_from=game)
    moved = [seats[(seat.seat + 1) % len(seats)] for seat in seats]
    return open_game(again, [copy_person(seat) for seat in moved])


@transaction.atomic
def play_next_game(*, game: LiveGame, player: Player, address: str) -> LiveGame:
    """Start the next game of a series, with a new deal and the winner at the first seat, or return the one there is.

    Raises NotSeated, CannotStart, TooManyGames or GuestsMayNotPlay.
    """
    game = lock_game(game.pk)
    seats = list_seats(game)
    if not has_next_game(game, seats) or find_own_seat(seats, player) is None:
        raise CannotStart(message(gettext_noop("No further game of this series can be started.")))
    if hasattr(game, "next"):
        return game.next
    hashed = check_may_go_on(game, seats, player, address)
    seating = next_seating(FIRST_SEATING, [seat.place or 0 for seat in seats])
    scores = add_series_game(game, seats)
    again = LiveGame(
        **{name: getattr(game, name) for name in (*COPIED_FIELDS, "series")},
        deal=find_game(game.game).deal(game.options, len(seats), SystemRandom()),
        address=hashed,
        previous=game,
        series_number=game.series_number + 1,
        series_scores=[scores[seat] for seat in seating],
    )
    return open_game(again, [copy_person(seats[seat]) for seat in seating])


def check_may_go_on(game: LiveGame, seats: Sequence[LiveSeat], player: Player, address: str) -> str:
    """Return the hash of the address from which a person starts a game with the seats of this one.

    Raises CannotStart, TooManyGames or GuestsMayNotPlay.
    """
    hashed = hash_address(address)
    check_may_start(player, hashed)
    check_bots(player, game.game, [seat.version for seat in seats if seat.version is not None])
    return hashed


def has_next_game(game: LiveGame, seats: Sequence[LiveSeat]) -> bool:
    """Return whether the series of a game goes on after it."""
    if game.series is None or game.state != LiveGame.State.FINISHED:
        return False
    return not SeriesLength.from_json(game.series).is_over(game.series_number, add_series_game(game, seats))


def add_series_game(game: LiveGame, seats: Sequence[LiveSeat]) -> list[float]:
    """Return the series score of each seat after this game."""
    return [before + (seat.score or 0.0) for before, seat in zip(game.series_scores, seats, strict=True)]


@transaction.atomic
def take_seat(*, link: str, player: Player) -> LiveGame:
    """Let a person take the seat of a link, once, and return the game. Raises LinkUsed or Conflict."""
    found = LiveSeat.objects.filter(link=link).first() if link else None
    if found is None:
        raise LinkUsed(message(gettext_noop("This link is unknown, or somebody has taken the seat with it already.")))
    game = lock_game(found.game_id)
    seats = list_seats(game)
    seat = seats[found.seat]
    if seat.link != link:
        raise LinkUsed(message(gettext_noop("This link is unknown, or somebody has taken the seat with it already.")))
    if find_own_seat(seats, player) is not None:
        problem = gettext_noop("You sit in this game already. Send the link to the person you want to play with.")
        raise Conflict(message(problem))
    seat.link, seat.user, seat.guest = None, player.user, "" if player.user else player.guest
    seat.save(update_fields=["link", "user", "guest"])
    begin_if_full(game, seats)
    return game


@transaction.atomic
def adopt_guest_games(*, player: Player) -> int:
    """Give a user the seats that they took as a guest, and return how many these were."""
    if player.user is None or not player.guest:
        return 0
    return LiveSeat.objects.filter(guest=player.guest).update(user=player.user, guest="")


@transaction.atomic
def open_game(game: LiveGame, seats: list[LiveSeat]) -> LiveGame:
    """Store a new game with its seats, and begin it unless a seat is free."""
    game.salt = secrets.token_hex(16)
    game.state = LiveGame.State.SEATING
    game.save()
    for number, seat in enumerate(seats):
        seat.game, seat.seat = game, number
        seat.bank_ms = game.bot_limits.bank_ms if seat.version else 0.0
    LiveSeat.objects.bulk_create(seats)
    begin_if_full(game, list_seats(game))
    return game


def begin_if_full(game: LiveGame, seats: Sequence[LiveSeat]) -> None:
    """Begin a game whose last seat was taken."""
    if not any(seat.is_free for seat in seats):
        game.state, game.created_at = LiveGame.State.PLAYING, now()
        store_decisions(game, seats, build_state(game, len(seats), []), [], [])


def build_seat(choice: SeatChoice, player: Player) -> LiveSeat:
    """Return the row of a seat, without game and number."""
    if isinstance(choice, BotVersion):
        return LiveSeat(version=choice)
    if choice is Person.LINK:
        return LiveSeat(link=make_link())
    return LiveSeat(user=player.user, guest="" if player.user else player.guest)


def copy_person(seat: LiveSeat) -> LiveSeat:
    """Return the row of a seat in another game, with the same bot or person."""
    return LiveSeat(version=seat.version, user=seat.user, guest=seat.guest)


def check_seats(player: Player, sitting: Sitting) -> None:
    """Raise CannotStart where these can't sit at one table."""
    rules = find_game(sitting.game)
    if len(sitting.seats) not in rules.seats:
        problem = gettext_noop("%(game)s is not played by %(seats)s.")
        raise CannotStart(message(problem, game=rules.title, seats=len(sitting.seats)))
    if sitting.seats.count(Person.ME) != 1:
        raise CannotStart(message(gettext_noop("You take exactly one of the seats.")))
    check_bots(player, sitting.game, [choice for choice in sitting.seats if isinstance(choice, BotVersion)])


def check_hints(sitting: Sitting, edition: str, options: Json) -> None:
    """Raise CannotStart where no hints can be given: in games with other people, and without a value function."""
    if Person.LINK in sitting.seats:
        raise CannotStart(
            message(gettext_noop("Hints are for games against bots: play without them, or choose a bot."))
        )
    if not has_evaluator(sitting.game, edition, options):
        raise CannotStart(message(NO_HINT_FOR_EDITION))


def check_bots(player: Player, game: str, bots: Sequence[BotVersion]) -> None:
    """Raise CannotStart where the player may not, or not any more, play one of these bots."""
    allowed = set(list_playable_versions(player, game).values_list("pk", flat=True))
    for bot in bots:
        if bot.pk not in allowed:
            problem = gettext_noop("%(bot)s can't be played here: its author doesn't offer it, or it has no files.")
            raise CannotStart(message(problem, bot=str(bot)))


def hash_address(address: str) -> str:
    """Return a hash of an address, so that the table tells nobody who was here."""
    return salted_hmac("arena.livegames", address, algorithm="sha256").hexdigest()
