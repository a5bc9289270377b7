"""Stop what staff wants stopped: the pairing of a ladder, all entries of an author, or those of some versions."""

from collections.abc import Collection, Iterator

from django.db import transaction
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.removing import FILES_REMOVED_REASON
from arena.errors import Conflict
from arena.ladders.models import Entry, EntryQuerySet, Ladder
from arena.ladders.services.entering import STOPPED_WITH_AUTHOR_REASON, activate_entry, mark_fit_stale
from arena.ladders.services.ledger import lock_ladder
from engine.message import Message, gettext_noop, message


@transaction.atomic
def pause_ladder(*, ladder: Ladder) -> None:
    """Let no new matches be paired; those that wait or are played go on. Raises Conflict."""
    ladder = lock_ladder(ladder)
    check_pausable(ladder)
    ladder.paused_at = now()
    ladder.save(update_fields=["paused_at"])


def check_pausable(ladder: Ladder) -> None:
    """Raise Conflict for a ladder that is paused, or whose season is over."""
    if ladder.closed_at is not None:
        problem = gettext_noop("Season %(season)s of %(ladder)s is over.")
        raise Conflict(message(problem, season=ladder.season, ladder=str(ladder)))
    if ladder.paused_at is not None:
        raise Conflict(message(gettext_noop("%(ladder)s is paused already."), ladder=str(ladder)))


@transaction.atomic
def resume_ladder(*, ladder: Ladder) -> None:
    """Let matches be paired again. Raises Conflict if the ladder isn't paused."""
    ladder = lock_ladder(ladder)
    check_paused(ladder)
    ladder.paused_at = None
    ladder.save(update_fields=["paused_at"])


def check_paused(ladder: Ladder) -> None:
    """Raise Conflict for a ladder that isn't paused."""
    if ladder.paused_at is None:
        raise Conflict(message(gettext_noop("%(ladder)s is not paused."), ladder=str(ladder)))


@transaction.atomic
def stop_entries_of_author(*, owner: User) -> int:
    """Suspend all entries of an author that play on running ladders, and return how many."""
    playing = Entry.objects.active().filter(version__bot__owner=owner, ladder__closed_at=None)
    stopped = {"state": Entry.State.SUSPENDED, "state_reason": STOPPED_WITH_AUTHOR_REASON, "stopped_with_author": True}
    return sum(Entry.objects.filter(pk__in=keys).update(**stopped) for keys in _lock_by_ladder(playing))


@transaction.atomic
def stop_entries_of_bot(*, bot: Bot, reason: Message) -> int:
    """Suspend all entries of a bot that play on running ladders, and return how many."""
    playing = Entry.objects.active().filter(version__bot=bot, ladder__closed_at=None)
    stopped = {"state": Entry.State.SUSPENDED, "state_reason": reason, "stopped_with_author": True}
    return sum(Entry.objects.filter(pk__in=keys).update(**stopped) for keys in _lock_by_ladder(playing))


@transaction.atomic
def restart_entries_of_author(*, owner: User) -> int:
    """Let the entries play again that were stopped with their author, and return how many."""
    return _restart(list_stopped_entries(owner))


@transaction.atomic
def restart_entries_of_bot(*, bot: Bot) -> int:
    """Let the entries play again that were stopped with a bot, and return how many."""
    return _restart(list_stopped_entries(bot.owner).filter(version__bot=bot))


def _restart(stopped: EntryQuerySet) -> int:
    count = 0
    for keys in _lock_by_ladder(stopped):
        for entry in Entry.objects.filter(pk__in=keys).select_related("ladder"):
            activate_entry(entry.ladder, entry)
            count += 1
    return count


def list_stopped_entries(owner: User) -> EntryQuerySet:
    """List the entries on running ladders that were stopped with their author or bot, of bots that may play."""
    stopped = Entry.objects.filter(state=Entry.State.SUSPENDED, stopped_with_author=True)
    return stopped.filter(version__bot__owner=owner, version__bot__stopped_at=None, ladder__closed_at=None)


@transaction.atomic
def retire_versions(*, versions: Collection[int]) -> int:
    """Take versions whose files are removed off all running ladders for good, and return how many entries these are."""
    there = Entry.objects.exclude(state=Entry.State.RETIRED).filter(version__in=versions, ladder__closed_at=None)
    retired = {"state": Entry.State.RETIRED, "state_reason": FILES_REMOVED_REASON, "stopped_with_author": False}
    return sum(Entry.objects.filter(pk__in=keys).update(**retired) for keys in _lock_by_ladder(there))


def _lock_by_ladder(entries: EntryQuerySet) -> Iterator[list[int]]:
    """Lock the ladders of these entries one after the other, so that none is paired meanwhile; yield the keys there."""
    for ladder in Ladder.objects.filter(entries__in=entries).distinct().order_by("pk"):
        ladder = lock_ladder(ladder)
        keys = list(entries.filter(ladder=ladder).values_list("pk", flat=True))
        mark_fit_stale(ladder)
        yield keys
