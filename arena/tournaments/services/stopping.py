"""Take bots out of tournaments, and replay matches, as staff wants it whoever organises the tournament."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from arena.accounts.models import User
from arena.bots.models import Bot
from arena.bots.removing import FILES_REMOVED_REASON
from arena.errors import Conflict
from arena.ladders.services.entering import STOPPED_WITH_AUTHOR_REASON
from arena.matches.cancelling import OPEN_STATES, cancel_matches
from arena.matches.models import Match
from arena.tournaments.models import Entrant, EntrantQuerySet, Pairing, PairingMatch, Tournament
from arena.tournaments.services.entering import PLAYABLE_STATES, check_room, leave
from arena.tournaments.services.organising import mark_paused
from arena.tournaments.services.rows import find_current_round, lock_tournament
from engine.message import Message, gettext_noop, message

State = Tournament.State
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


@transaction.atomic
def replay_match(*, match: Match) -> Tournament:
    """Let a match of a tournament be played again with the same number and deal; return the tournament.

    `advance_tournament` queues the other match. Raises Conflict as `check_replay`.
    """
    row = find_pairing_match(match)
    tournament = lock_tournament(row.pairing.round.tournament)
    check_replay(find_pairing_match(match))
    PairingMatch.objects.filter(pk=row.pk).update(counts=False)
    return tournament


def find_pairing_match(match: Match) -> PairingMatch:
    """Return the row of a match in its tournament, with pairing, round and tournament."""
    return PairingMatch.objects.select_related("pairing__round__tournament").get(match=match)


def find_replacement(row: PairingMatch) -> int | None:
    """Return the match that counts in the place of another one; None where there is none yet."""
    counting = PairingMatch.objects.filter(pairing=row.pairing_id, number=row.number, counts=True)
    return counting.values_list("match", flat=True).first()


def check_replay(row: PairingMatch) -> None:
    """Raise Conflict where the pairing of a match is decided, or where the match doesn't count."""
    tournament, round = row.pairing.round.tournament, row.pairing.round
    if tournament.state not in (State.RUNNING, State.PAUSED):
        raise Conflict(message(gettext_noop("%(tournament)s is not being played."), tournament=tournament.title))
    if row.pairing.is_over or not row.counts or not round.is_latest_attempt:
        problem = gettext_noop(
            "The result of this match can't be taken out of %(tournament)s alone: its pairing is decided, or the match "
            "doesn't count. The organiser can replay round %(round)s."
        )
        raise Conflict(message(problem, tournament=tournament.title, round=round.number))


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
    return True
