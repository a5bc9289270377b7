"""The matches of a tournament in the queue."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.ladders.models import Entry, Ladder, LadderMatch
from arena.matches.fair_share import schedule_next_match
from arena.matches.models import Match
from arena.matches.services import queue_match
from arena.tournaments.models import Check, Entrant, Pairing, PairingMatch, Tournament
from arena.tournaments.replay_results import deal_number
from engine.message import Message
from engine.registry import find_game

PRIORITY = 2
"""Before ladders and comparisons, which have no spectators waiting; after what an author is waiting for."""
PATIENT = -1
"""After everything else."""


def queue_pairing_match(tournament: Tournament, pairing: Pairing, number: int) -> Match:
    """With round, seats, entrants and versions of the pairing read along."""
    versions = [seat.entrant.version for seat in pairing.seats.all()]
    place = deal_number(pairing.round.attempt, pairing.round.number, pairing.board, number)
    rules, season = find_game(tournament.game), tournament.season
    deal = season.deal(rules, rules.options(tournament.edition), len(versions), place)
    priority = PATIENT if tournament.is_low_priority else PRIORITY
    match = _queue(tournament, versions, priority, deal=deal, salts=season.salts(len(versions), place))
    PairingMatch.objects.create(pairing=pairing, match=match, number=number)
    if tournament.is_rated:
        _rate(tournament, versions, match)
    return match


def queue_check(tournament: Tournament, entrant: Entrant) -> Match:
    """At the largest table that the tournament has."""
    match = _queue(tournament, [entrant.version] * tournament.full_settings.seats, PRIORITY)
    Check.objects.create(entrant=entrant, version=entrant.version, match=match)
    return match


def revealed_secret(tournament: Tournament) -> str | None:
    """None as long as one of its deals may be in play: also a match that counts no more is played to its end."""
    if tournament.state != Tournament.State.FINISHED:
        return None
    going_on = Match.objects.filter(pairing_match__pairing__round__tournament=tournament)
    unplayed = [Match.State.QUEUED, Match.State.RUNNING]
    return None if going_on.filter(state__in=unplayed).exists() else tournament.secret


def cancel_waiting_matches(tournament: Tournament, reason: Message) -> None:
    """Make void what waits in the queue for it. What is being played is played to its end."""
    waiting = Match.objects.filter(
        Q(pairing_match__pairing__round__tournament=tournament) | Q(tournament_check__entrant__tournament=tournament),
        state=Match.State.QUEUED,
    )
    cancel_queued_matches(list(waiting.values_list("pk", flat=True)), reason)


def cancel_queued_matches(matches: Sequence[int], reason: Message) -> None:
    """Those of them that are queued: they leave room for others with their numbers."""
    queued = Match.objects.filter(pk__in=matches, state=Match.State.QUEUED)
    dropped = [
        pk
        for pk in queued.values_list("pk", flat=True)
        if queued.filter(pk=pk).update(state=Match.State.VOID, void_reason=reason, finished_at=now())
    ]
    PairingMatch.objects.filter(match__in=dropped).update(counts=False)


def _queue(tournament: Tournament, versions: Sequence[BotVersion], priority: int, **drawn: Any) -> Match:
    virtual_start, tournament.next_turn = schedule_next_match(
        priority=priority,
        after=tournament.next_turn,
        seconds=Ladder.objects.usual_seconds(tournament.game, tournament.edition),
    )
    tournament.save(update_fields=["next_turn"])
    return queue_match(
        versions=versions,
        game=tournament.game,
        edition=tournament.edition,
        priority=priority,
        virtual_start=virtual_start,
        **drawn,
    )


def _rate(tournament: Tournament, versions: Sequence[BotVersion], match: Match) -> None:
    """Where all of them are on the ladder."""
    ladder = Ladder.objects.open().filter(game=tournament.game, edition=tournament.edition).first()
    if ladder is not None and Entry.objects.filter(ladder=ladder, version__in=versions).count() == len(versions):
        LadderMatch.objects.create(ladder=ladder, match=match)
