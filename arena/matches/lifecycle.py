"""Stop and rename bots in what was played, and say what of it has expired."""

import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any, cast

import orjson
from django.db import transaction
from django.db.models import Exists, Model, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.utils.timezone import now

from arena.bots.models import REMOTE_LANGUAGE, Bot, BotVersion
from arena.core.database import ByteLength, Expired
from arena.matches.livegames.models import LiveGame, LiveHint, LiveSeat
from arena.matches.livegames.position import (
    list_seats,
    lock_game,
    void_game,
)
from arena.matches.models import (
    Leg,
    LegSeat,
    Match,
    WorkerStatus,
)
from arena.matches.remote.models import list_old_tables
from arena.matches.services import PURPOSES_OF_UNRATED
from arena.matches.slots import Purpose
from arena.people.accounts.models import User
from engine.message import Message, gettext_noop, message
from engine.replay import record_hash

# Stop live games with bots that the staff has stopped.

STOPPED = (
    Q(version__bot__owner__suspended_at__isnull=False)
    | Q(version__bot__stopped_at__isnull=False)
    | Q(version__source=None) & ~Q(version__language=REMOTE_LANGUAGE)
)
"""Seats of bots whose author is suspended, that are stopped, or whose files were removed; remote bots have no files."""


def list_games_of_stopped_bots() -> QuerySet[LiveGame]:
    """List the games of people that are not over and have a bot that may not play any more.

    Legs with remote bots end with their matches.
    """
    seats = LiveSeat.objects.filter(STOPPED, version__isnull=False)
    return LiveGame.objects.open().filter(match=None).filter(pk__in=seats.values("game"))


def end_games_of_stopped_bots() -> int:
    """End the games of bots that may not play any more without a result, and return how many these were.

    A bot that is thinking meanwhile has its answer refused.
    """
    voided = 0
    for pk in list_games_of_stopped_bots().values_list("pk", flat=True):
        with transaction.atomic():
            game = lock_game(pk=pk)
            versions = (seat.version for seat in list_seats(game) if seat.version is not None)
            reasons = (find_stop_reason(version) for version in versions)
            reason = next(filter(None, reasons), None)
            if reason is not None and not game.is_over:
                void_game(game, reason)
                voided += 1
    return voided


def find_stop_reason(version: BotVersion) -> Message | None:
    """Return why a bot may not play any more, to the person who plays it; None where it may."""
    if version.bot.stopped_at is not None and not version.bot.is_stopped_by_staff:
        problem = gettext_noop("The owner of %(bot)s retired it, so this game has no result.")
        return message(problem, bot=version.bot.name)
    if version.bot.owner.suspended_at is not None or version.bot.is_stopped_by_staff:
        problem = gettext_noop("The arena's staff stopped %(bot)s, so this game has no result.")
        return message(problem, bot=version.bot.name)
    if version.source_id is None and version.language != REMOTE_LANGUAGE:
        problem = gettext_noop("The arena's staff removed the files of %(bot)s, so this game has no result.")
        return message(problem, bot=version.bot.name)
    return None


# Give a person or a bot another name in the records of live games, whose hashes are without names.


def rename_person_in_live_games(*, user: User, name: str) -> None:
    """Write a user's new name into the records of their live games."""
    _rename_seats(LiveSeat.objects.filter(user=user), name)


def rename_bot_in_live_games(*, bot: Bot, name: str) -> None:
    """Write a bot's new name into the records of its live games."""
    _rename_seats(LiveSeat.objects.filter(version__bot=bot), name)


def _rename_seats(seats: QuerySet[LiveSeat], name: str) -> None:
    finished = seats.filter(game__record__isnull=False).select_related("game").order_by("pk")
    for seat in finished.iterator():
        record = seat.game.record_data
        record["seats"][seat.seat]["name"] = name
        assert record_hash(record) == seat.game.record_hash
        LiveGame.objects.filter(pk=seat.game_id).update(record=zlib.compress(orjson.dumps(record), 9))


# Say what of live games is not needed any more: guests' games, hints, bots' logs, and where games began.

GUEST_GAME_RETENTION = timedelta(days=30)
ADDRESS_RETENTION = timedelta(days=2)
"""Limits look back for a day."""


def list_expired_live_games(*, logs_before: datetime) -> Iterator[Expired]:
    """Yield the games that no user has played, and what is in others but not for good."""
    users = LiveSeat.objects.filter(game=OuterRef("pk"), user__isnull=False)
    guests_only = LiveGame.objects.filter(~Exists(users), match=None, created_at__lt=now() - GUEST_GAME_RETENTION)
    yield Expired("live games of guests", guests_only, size=ByteLength("record"))
    yield Expired("tables of matches with remote bots", list_old_tables())
    started = LiveGame.objects.filter(created_at__lt=now() - ADDRESS_RETENTION).exclude(address="")
    yield Expired("addresses of live games", started, lambda some: some.update(address=""))
    hints = LiveHint.objects.filter(game__finished_at__lt=now() - ADDRESS_RETENTION)
    yield Expired("hints of live games", hints)
    logs = LiveSeat.objects.filter(game__finished_at__lt=logs_before).exclude(stderr="")
    yield Expired("logs of bots in live games", logs, lambda some: some.update(stderr=""), ByteLength("stderr"))


# Give a bot another name in the records of its matches, whose hashes are without names.

LEGS_AT_A_TIME = 200


def rename_in_records(*, bot: Bot, name: str) -> int:
    """Write a bot's new name into the records of all its legs, and return how many these are.

    What its author declared that it ran on goes with the old name.
    """
    seats = LegSeat.objects.filter(participant__version__bot=bot)
    legs = Leg.objects.filter(pk__in=seats.values("leg")).exclude(record=None).order_by("pk").defer("deal")
    numbers = list(legs.values_list("pk", flat=True))
    for start in range(0, len(numbers), LEGS_AT_A_TIME):
        some = legs.filter(pk__in=numbers[start : start + LEGS_AT_A_TIME])
        changed = [_rename_leg(leg, name) for leg in some.prefetch_related(Prefetch("seats", seats, to_attr="of_bot"))]
        Leg.objects.bulk_update(changed, ["record"])
    return len(numbers)


def _rename_leg(leg: Leg, name: str) -> Leg:
    record = leg.record_data
    for seat in getattr(leg, "of_bot"):  # noqa: B009
        record["seats"][seat.seat]["name"] = name
        record["seats"][seat.seat].pop("declared", None)
    assert record_hash(record) == leg.record_hash or not leg.record_hash
    leg.record = zlib.compress(orjson.dumps(record), 9)
    return leg


# Say what of old matches is not needed any more: bots' logs, and the records of matches that were not rated.
#
# Matches of ladders and tournaments keep their records for good: whoever verifies a season reads them.

WORKER_RETENTION = timedelta(days=30)
"""Each container is another worker, by its host name."""


def list_expired_records(*, before: datetime) -> Iterator[Expired]:
    """Yield the matches that were not rated and ended before then, and whose records are still stored.

    They are looked for by what they were played for: among all matches there may be few of them.
    """
    kept = {f"match__{purpose.value}": None for purpose in Purpose if purpose not in PURPOSES_OF_UNRATED}
    stored = Leg.objects.filter(match=OuterRef("match"), record__isnull=False).order_by()
    sizes = stored.values("match").annotate(size=Sum(ByteLength("record"))).values("size")
    for purpose, kind in PURPOSES_OF_UNRATED.items():
        model = cast(type[Model], Match._meta.get_field(purpose.value).related_model)
        rows = model._default_manager.filter(
            Exists(stored), match__finished_at__lt=before, match__settled_at__isnull=False, **kept
        )
        yield Expired(kind, rows, _remove_records, Subquery(sizes))


def _remove_records(rows: QuerySet[Any]) -> None:
    Leg.objects.filter(match__in=list(rows.values_list("match", flat=True))).update(record=None)


def list_expired_logs(*, before: datetime) -> Iterator[Expired]:
    """Yield what bots wrote to stderr in matches that ended before then."""
    rows = LegSeat.objects.filter(leg__match__finished_at__lt=before).exclude(stderr="")
    yield Expired("logs of bots", rows, lambda some: some.update(stderr=""), ByteLength("stderr"))


def list_expired_workers() -> Iterator[Expired]:
    """Yield the last reports of workers that have been gone for long."""
    yield Expired("reports of gone workers", WorkerStatus.objects.filter(seen_at__lt=now() - WORKER_RETENTION))
