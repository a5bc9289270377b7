"""Stop a bot everywhere at once, and let it play again."""

from dataclasses import dataclass

from django.db import transaction

from arena.bots.models import Bot, BotVersion
from arena.bots.stopping import RETIRED_REASON, STOPPED_BY_STAFF_REASON, mark_playing, mark_stopped
from arena.comparisons.services import stop_comparisons_of_versions
from arena.ladders.services.stopping import restart_entries_of_bot, stop_entries_of_bot
from arena.livegames.services.stopping import end_games_of_stopped_bots
from arena.matches.cancelling import cancel_matches, list_open_matches_of_versions
from arena.tournaments.services.stopping import Withdrawals, readmit_bot, withdraw_bot


@dataclass(frozen=True, slots=True)
class Stopped:
    """The numbers of entries, matches and games that stopped with a bot."""

    entries: int
    """On ladders."""
    withdrawals: Withdrawals
    comparisons: int
    matches: int
    """Cancelled ones."""
    live_games: int


@transaction.atomic
def stop_bot(*, bot: Bot, by_staff: bool) -> Stopped:
    """Stop a bot on ladders, in tournaments, comparisons, challenges and live games. Raises Conflict.

    Tournaments and ladders are locked first, so that nothing is paired meanwhile. Matches that staff stops are
    cancelled; those of a bot that its owner retires are played to their end.
    """
    bot = mark_stopped(bot=bot, by_staff=by_staff)
    reason = STOPPED_BY_STAFF_REASON if by_staff else RETIRED_REASON
    versions = list(BotVersion.objects.filter(bot=bot).values_list("pk", flat=True))
    withdrawals = withdraw_bot(bot=bot, reason=reason)
    comparisons = stop_comparisons_of_versions(versions=versions, reason=reason)
    entries = stop_entries_of_bot(bot=bot, reason=reason)
    waiting = list(list_open_matches_of_versions(versions).values_list("pk", flat=True)) if by_staff else []
    cancelled = cancel_matches(matches=waiting, reason=reason)
    return Stopped(entries, withdrawals, comparisons, len(cancelled), end_games_of_stopped_bots())


@transaction.atomic
def release_bot(*, bot: Bot, by_staff: bool) -> tuple[int, int]:
    """Let a bot play again; return the number of its entries on ladders and in tournaments. Raises Conflict.

    Tournaments that have started meanwhile go on without it.
    """
    bot = mark_playing(bot=bot, by_staff=by_staff)
    if bot.owner.suspended_at is not None:
        return 0, 0
    return restart_entries_of_bot(bot=bot), readmit_bot(bot=bot)
