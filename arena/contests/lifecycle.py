"""Stop what bots play in contests and let it go on, rename and forget there, and say what has expired."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q, QuerySet

from arena.bots.models import Bot
from arena.contests.analysis.models import LegAnalysis
from arena.contests.comparisons.models import Comparison
from arena.contests.comparisons.services import end_comparison, lock_comparison
from arena.contests.following.models import Follow, News, NewsPreference
from arena.contests.ladders.models import Entry, EntryQuerySet, Ladder
from arena.contests.ladders.services.entering import activate_entry, mark_fit_stale
from arena.contests.ladders.services.ledger import lock_ladder
from arena.contests.ladders.services.seasons import take_off_strangers
from arena.contests.puzzles.models import Answer
from arena.contests.puzzles.services import forget_solver
from arena.contests.tournaments.models import (
    Entrant,
    EntrantQuerySet,
    OrganiserAct,
    OrganiserActKind,
    Pairing,
    PairingMatch,
    Tournament,
)
from arena.contests.tournaments.services.access import PAIRING_SEPARATOR
from arena.contests.tournaments.services.entering import PLAYABLE_STATES, check_room, find_entry_state, leave
from arena.contests.tournaments.services.matches import find_current_round, lock_tournament
from arena.contests.tournaments.services.organising import State, mark_paused
from arena.core.database import ByteLength, Expired
from arena.core.errors import Conflict
from arena.core.wake import Work, wake
from arena.matches.models import Match
from arena.matches.services import OPEN_STATES, cancel_matches
from arena.people.accounts.models import User
from arena.people.groups.models import Group
from arena.people.notices.services import delete_followed_news
from engine.message import Message, Value, gettext_noop, message

# Stop entries on ladders, and let them play again.


def list_playing_entries() -> EntryQuerySet:
    """List the entries that play on running ladders."""
    return Entry.objects.active().filter(ladder__closed_at=None)


def list_stopped_entries(owner: User) -> EntryQuerySet:
    """List the entries on running ladders that were stopped with their author or bot, of bots that may play."""
    stopped = Entry.objects.filter(state=Entry.State.SUSPENDED, stopped_with_author=True)
    return stopped.filter(version__bot__owner=owner, version__bot__stopped_at=None, ladder__closed_at=None)


@transaction.atomic
def stop_entries(*, entries: EntryQuerySet, reason: Message) -> int:
    """Suspend entries until their bot or author may play again, and return how many."""
    stopped = {"state": Entry.State.SUSPENDED, "state_reason": reason, "stopped_with_author": True}
    return sum(Entry.objects.filter(pk__in=keys).update(**stopped) for keys in _lock_by_ladder(entries))


@transaction.atomic
def restart_entries(*, entries: EntryQuerySet) -> int:
    """Let stopped entries play again, and return how many."""
    count = 0
    for keys in _lock_by_ladder(entries):
        for entry in Entry.objects.filter(pk__in=keys).select_related("ladder"):
            activate_entry(entry.ladder, entry)
            count += 1
    return count


@transaction.atomic
def retire_versions(*, versions: Collection[int], reason: Message) -> int:
    """Take versions whose files are removed off all running ladders for good, and return how many entries these are."""
    there = Entry.objects.exclude(state=Entry.State.RETIRED).filter(version__in=versions, ladder__closed_at=None)
    retired = {"state": Entry.State.RETIRED, "state_reason": reason, "stopped_with_author": False}
    return sum(Entry.objects.filter(pk__in=keys).update(**retired) for keys in _lock_by_ladder(there))


def _lock_by_ladder(entries: EntryQuerySet) -> Iterator[list[int]]:
    """Lock the ladders of these entries one after the other, so that none is paired meanwhile; yield the keys there."""
    for ladder in Ladder.objects.filter(entries__in=entries).distinct().order_by("pk"):
        ladder = lock_ladder(ladder)
        keys = list(entries.filter(ladder=ladder).values_list("pk", flat=True))
        mark_fit_stale(ladder)
        yield keys


def take_off_strangers_of_group(*, group: Group) -> None:
    """Take the bots of former members off all running ladders of a group."""
    for ladder in Ladder.objects.open().filter(group=group).order_by("pk"):
        take_off_strangers(ladder=ladder)


# Stop comparisons.


@transaction.atomic
def stop_comparisons_of_versions(*, versions: Collection[int], reason: Message) -> int:
    """End all running comparisons of these versions without an answer, and return how many."""
    running = Comparison.objects.running().filter(Q(version__in=versions) | Q(baseline__in=versions)).order_by("pk")
    stopped = [one for one in map(lock_comparison, running) if not one.is_over]
    for comparison in stopped:
        end_comparison(comparison, Comparison.State.STOPPED, reason)
    return len(stopped)


# Withdraw bots from tournaments, and take them back.

OVER_STATES = (State.FINISHED, State.CANCELLED)


@dataclass(frozen=True, slots=True)
class Withdrawals:
    """What became of tournaments when bots were withdrawn."""

    entrants: int
    paused: list[str]
    """Titles of the tournaments that were paused, because a table of theirs lacks one of several bots now."""


def list_playing_entrants() -> EntrantQuerySet:
    """List the entrants of tournaments that are not over that are neither out nor failed their check."""
    return Entrant.objects.filter(state__in=PLAYABLE_STATES).exclude(tournament__state__in=OVER_STATES)


@transaction.atomic
def readmit_entrants(*, entrants: EntrantQuerySet) -> int:
    """Enter bots again that were withdrawn with themselves or their author, and return how many.

    Only tournaments that have not started take them, as far as they have room: in others, rounds went on without them.
    """
    found = entrants.select_related("tournament", "bot__owner", "version").order_by("tournament", "pk")
    return sum(_readmit(entrant) for entrant in found)


def list_readmittable(owner: User) -> EntrantQuerySet:
    """List the entrants withdrawn with their author or bot, which may play, of tournaments that have not started."""
    withdrawn = Entrant.objects.filter(state=Entrant.State.WITHDRAWN, stopped_with_author=True, bot__owner=owner)
    withdrawn = withdrawn.filter(bot__stopped_at=None)
    return withdrawn.filter(tournament__started_at=None).exclude(tournament__state__in=OVER_STATES)


@transaction.atomic
def withdraw_entrants(*, entrants: EntrantQuerySet, reason: Message, may_return: bool) -> Withdrawals:
    """Withdraw entrants, tournament by tournament, so that none goes on meanwhile, and cancel their matches there."""
    count, paused = 0, []
    for tournament in Tournament.objects.filter(entrants__in=entrants).distinct().order_by("pk"):
        tournament = lock_tournament(tournament)
        for entrant in entrants.filter(tournament=tournament):
            leave(tournament, entrant, Entrant.State.WITHDRAWN, reason)
            Entrant.objects.filter(pk=entrant.pk).update(stopped_with_author=may_return)
            _cancel_open_matches(tournament, entrant, reason)
            count += 1
            if _has_open_table(tournament, entrant):
                template = gettext_noop(
                    "The arena's staff stopped %(bot)s at a table of several bots: replay the round."
                )
                tournament = mark_paused(tournament, message(template, bot=entrant.bot.name))
                paused.append(tournament.title)
    return Withdrawals(count, paused)


def _cancel_open_matches(tournament: Tournament, entrant: Entrant, reason: Message) -> None:
    """Cancel the checks of an entrant and the matches of its pairings. Others are queued with their numbers if due."""
    cancel_matches(matches=_list_open(entrant.checks.values_list("match", flat=True)), reason=reason)
    of_entrant = PairingMatch.objects.filter(pairing__seats__entrant=entrant, pairing__round__tournament=tournament)
    dropped = cancel_matches(matches=_list_open(of_entrant.values_list("match", flat=True)), reason=reason)
    PairingMatch.objects.filter(match__in=dropped).update(counts=False)


def _list_open(matches: QuerySet[Any, int]) -> list[int]:
    return list(Match.objects.filter(pk__in=matches, state__in=OPEN_STATES).values_list("pk", flat=True))


def _has_open_table(tournament: Tournament, entrant: Entrant) -> bool:
    """Return whether the current round has an undecided pairing of more than two with this entrant."""
    last = find_current_round(tournament)
    open_pairings = Pairing.objects.filter(round=last, is_over=False, seats__entrant=entrant)
    return any(pairing.seats.count() > 2 for pairing in open_pairings) and tournament.state == State.RUNNING


def _readmit(entrant: Entrant) -> bool:
    """Enter an entrant again, unless its tournament is full meanwhile or has started."""
    tournament = lock_tournament(entrant.tournament)
    if tournament.has_started or tournament.is_over:
        return False
    try:
        check_room(tournament, entrant.bot)
    except Conflict:
        return False
    entrant.state, entrant.state_reason = find_entry_state(entrant.version), None
    entrant.stopped_with_author = False
    entrant.save(update_fields=["state", "state_reason", "stopped_with_author"])
    wake(Work.TOURNAMENT, tournament.pk)
    return True


# Write a bot's new name into forecasts and acts, and take a person's name out of these.

BOT_KEYS = ("bot", "winner", "pairing")
"""The values of messages that name bots."""


def rename_in_acts(*, bot: Bot, old_name: str) -> None:
    """Put a bot's name in the place of its old one in the acts of its tournaments."""
    for act in OrganiserAct.objects.filter(tournament__entrants__bot=bot).distinct():
        if act.text is None:
            continue
        values = {key: _replace(value, old_name, bot.name) for key, value in act.text.values.items() if key in BOT_KEYS}
        renamed = Message(act.text.template, {**act.text.values, **values})
        if renamed != act.text:
            act.text = renamed
            act.save(update_fields=["text"])


def _replace(value: Value, old_name: str, name: str) -> Value:
    if not isinstance(value, str):
        return value
    return PAIRING_SEPARATOR.join(name if part == old_name else part for part in value.split(PAIRING_SEPARATOR))


def forget_name_in_acts(*, user: User, name: str, pseudonym: str) -> None:
    """Put a pseudonym in the place of a user's old name in the acts by which the user began or ceased to organise.

    The user organises nothing of others any more.
    """
    for act in OrganiserAct.objects.filter(act__in=[OrganiserActKind.ADD_ORGANISER, OrganiserActKind.REMOVE_ORGANISER]):
        if act.text is not None and act.text.values.get("name") == name:
            act.text = Message(act.text.template, {**act.text.values, "name": pseudonym})
            act.save(update_fields=["text"])
    user.co_organised_tournaments.clear()


def rename_in_forecasts(*, slug: str, new_slug: str) -> None:
    """Write the new address of a bot into the forecasts of the tournaments in which it is entered."""
    told = Tournament.objects.filter(entrants__bot__slug=new_slug).exclude(forecast=None)
    for tournament in told.only("pk", "forecast"):
        forecast = {
            number: {**chance, "bot": new_slug} if chance["bot"] == slug else chance
            for number, chance in (tournament.forecast or {}).items()
        }
        Tournament.objects.filter(pk=tournament.pk).update(forecast=forecast)


# Forget who follows, who is followed and who requested analyses; take forgotten names out of what followers were told.


@transaction.atomic
def forget_author(*, user: User) -> None:
    """Delete what a user follows, who follows the user, notices that have the user's name, and answers to puzzles.

    Whoever followed the user would else know the pseudonym. Analyses that the user requested stay, without the user,
    and how many people solved a puzzle.
    """
    forget_solver(user=user)
    LegAnalysis.objects.filter(requested_by=user).update(requested_by=None)
    NewsPreference.objects.filter(user=user).delete()
    Follow.objects.filter(Q(user=user) | Q(author=user)).delete()
    _delete_notices(Q(kind=News.Kind.NEW_BOT, bot__owner=user))


@transaction.atomic
def forget_bot(*, bot: Bot) -> None:
    """Delete who follows a bot, and the notices that have its name."""
    Follow.objects.filter(bot=bot).delete()
    forget_name_of_bot(bot=bot)


def forget_name_of_bot(*, bot: Bot) -> None:
    """Delete the notices of news that have the bot's name. The news themselves name it as it is called when told."""
    _delete_notices(Q(bot=bot) | Q(other=bot))


def _delete_notices(condition: Q) -> None:
    delete_followed_news(about=list(News.objects.filter(condition).values_list("about", flat=True)))


# Say which news, analyses and answers are not needed any more.

NEWS_RETENTION_MARGIN = timedelta(days=8)
"""News are kept longer than the notices of them, which are found by them when a name is to be forgotten."""


def list_expired_news(*, notices_before: datetime) -> Iterator[Expired]:
    """Yield the news of which there are no notices any more, as notices from before then are removed."""
    yield Expired("news", News.objects.filter(happened_at__lt=notices_before - NEWS_RETENTION_MARGIN))


def list_expired_analyses() -> Iterator[Expired]:
    """Yield the analyses of legs whose records were removed: no page shows them any more."""
    yield Expired(
        "analyses of removed records",
        LegAnalysis.objects.filter(leg__isnull=False, leg__record=None),
        size=ByteLength("result"),
    )


def list_expired_answers(*, before: datetime) -> Iterator[Expired]:
    """Yield the answers that guests gave to puzzles before then. How many were right stays with the puzzles."""
    yield Expired("answers of guests", Answer.objects.filter(user=None, at__lt=before))
