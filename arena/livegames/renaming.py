"""Give a person or a bot another name in the records of live games, whose hashes are without names."""

import zlib

import orjson
from django.db.models import QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.livegames.models import LiveGame, LiveSeat
from engine.record_hash import record_hash


def rename_person_in_live_games(*, user: User, name: str) -> None:
    """Write a user's new name into the records of their live games."""
    _rename(LiveSeat.objects.filter(user=user), name)


def rename_bot_in_live_games(*, bot: Bot, name: str) -> None:
    """Write a bot's new name into the records of its live games."""
    _rename(LiveSeat.objects.filter(version__bot=bot), name)


def _rename(seats: QuerySet[LiveSeat], name: str) -> None:
    finished = seats.filter(game__record__isnull=False).select_related("game").order_by("pk")
    for seat in finished.iterator():
        record = seat.game.record_data
        record["seats"][seat.seat]["name"] = name
        assert record_hash(record) == seat.game.record_hash
        LiveGame.objects.filter(pk=seat.game_id).update(record=zlib.compress(orjson.dumps(record), 9))
