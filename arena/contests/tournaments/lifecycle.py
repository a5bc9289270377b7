"""Withdraw bots from tournaments and take them back, rename them there, and forget people."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from arena.bots.models import Bot
from arena.bots.services import FILES_REMOVED_REASON
from arena.contests.ladders.services.entering import STOPPED_WITH_AUTHOR_REASON
from arena.contests.tournaments.models import (
    Entrant,
    EntrantQuerySet,
    OrganiserAct,
    OrganiserActKind,
    Pairing,
    PairingMatch,
    Tournament,
)
from arena.contests.tournaments.services.access import (
    PAIRING_SEPARATOR,
)
from arena.contests.tournaments.services.entering import PLAYABLE_STATES, check_room, leave
from arena.contests.tournaments.services.matches import (
    find_current_round,
    lock_tournament,
)
from arena.contests.tournaments.services.organising import State, mark_paused
from arena.core.errors import Conflict
from arena.core.wake import Work, wake
from arena.matches.models import Match
from arena.matches.services import OPEN_STATES, cancel_matches
from arena.people.accounts.models import User
from engine.message import Message, Value, gettext_noop, message

OVER_STATES = (State.FINISHED, State.CANCELLED)


@dataclass(frozen=True, slots=True)
class Withdrawals:
    """What became of tournaments when bots were withdrawn."""

    entrants: int
    paused: list[str]
    """Titles of the tournaments that were paused, because a table of theirs lacks one of several bots now."""


@transaction.atomic
def withdraw_bots_of_author(*, owner: User) -> Withdrawals:
    """Withdraw all bots of a suspended author from all tournaments, and cancel their matches there."""
    return _withdraw(list_playing_entrants().filter(bot__owner=owner), STOPPED_WITH_AUTHOR_REASON, with_author=True)


@transaction.atomic
def withdraw_bot(*, bot: Bot, reason: Message) -> Withdrawals:
    """Withdraw a bot that is stopped from all tournaments, and cancel its matches there."""
    return _withdraw(list_playing_entrants().filter(bot=bot), reason, with_author=True)


@transaction.atomic
def withdraw_versions(*, versions: Collection[int]) -> Withdrawals:
    """Withdraw versions whose files are removed from all tournaments for good, and cancel their matches there."""
    return _withdraw(list_playing_entrants().filter(version__in=versions), FILES_REMOVED_REASON)


def list_playing_entrants() -> EntrantQuerySet:
    """List the entrants of tournaments that are not over that are neither out nor failed their check."""
    return Entrant.objects.filter(state__in=PLAYABLE_STATES).exclude(tournament__state__in=OVER_STATES)


@transaction.atomic
def readmit_bot(*, bot: Bot) -> int:
    """Enter a bot again where it was withdrawn with itself or its author; as `readmit_bots_of_author`."""
    entrants = list_readmittable(bot.owner).filter(bot=bot).select_related("tournament", "bot__owner")
    return sum(_readmit(entrant) for entrant in entrants.order_by("tournament", "pk"))


@transaction.atomic
def readmit_bots_of_author(*, owner: User) -> int:
    """Enter the bots again that were withdrawn with their author, and return how many.

    Only tournaments that have not started take them, as far as they have room: in others, rounds went on without them.
    """
    entrants = list_readmittable(owner).select_related("tournament", "bot__owner").order_by("tournament", "pk")
    return sum(_readmit(entrant) for entrant in entrants)


def list_readmittable(owner: User) -> EntrantQuerySet:
    """List the entrants withdrawn with their author or bot, which may play, of tournaments that have not started."""
    withdrawn = Entrant.objects.filter(state=Entrant.State.WITHDRAWN, stopped_with_author=True, bot__owner=owner)
    withdrawn = withdrawn.filter(bot__stopped_at=None)
    return withdrawn.filter(tournament__started_at=None).exclude(tournament__state__in=OVER_STATES)


def _withdraw(entrants: EntrantQuerySet, reason: Message, *, with_author: bool = False) -> Withdrawals:
    """Withdraw entrants, tournament by tournament, so that none goes on meanwhile."""
    count, paused = 0, []
    for tournament in Tournament.objects.filter(entrants__in=entrants).distinct().order_by("pk"):
        tournament = lock_tournament(tournament)
        for entrant in entrants.filter(tournament=tournament):
            leave(tournament, entrant, Entrant.State.WITHDRAWN, reason)
            Entrant.objects.filter(pk=entrant.pk).update(stopped_with_author=with_author)
            _cancel_open_matches(tournament, entrant, reason)
            count += 1
            if _has_open_table(tournament, entrant):
                template = gettext_noop(
                    "The staff of this arena has stopped %(bot)s at a table of several bots: replay the round."
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
    entrant.state, entrant.state_reason, entrant.stopped_with_author = Entrant.State.CHECKING, None, False
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
