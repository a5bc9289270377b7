"""Queue and cancel the matches of a tournament."""

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
from arena.tournaments.replay_results import compute_deal_number
from engine.message import Message
from engine.registry import find_game

TOURNAMENT_PRIORITY = 2
"""Above ladders and comparisons, which have no spectators; below trials and challenges, for which authors wait."""
LOW_PRIORITY = -1
"""Below everything else."""


def queue_pairing_match(tournament: Tournament, pairing: Pairing, number: int) -> Match:
    """Queue match `number` of a pairing, and return it. Its round, seats, entrants and versions must be prefetched."""
    versions = [seat.entrant.version for seat in pairing.seats.all()]
    place = compute_deal_number(pairing.round.attempt, pairing.round.number, pairing.board, number)
    rules, season = find_game(tournament.game), tournament.season
    options, series = tournament.options, tournament.full_settings.series
    drawn: dict[str, Any]
    if series is None:
        drawn = {"deal": season.deal(rules, options, len(versions), place), "salts": season.salts(len(versions), place)}
    else:
        deals = season.deals(rules, options, len(versions), place, series.max_games)
        drawn = {"series": series, "deals": deals, "salts": season.salts(series.max_games, place)}
    priority = LOW_PRIORITY if tournament.is_low_priority else TOURNAMENT_PRIORITY
    match = _queue_match(tournament, versions, priority, **drawn)
    PairingMatch.objects.create(pairing=pairing, match=match, number=number)
    if tournament.is_rated:
        _count_for_ladder(tournament, versions, match)
    return match


def queue_check(tournament: Tournament, entrant: Entrant) -> Match:
    """Queue a check of an entrant, in which its version has all seats of a table, and return it."""
    match = _queue_match(tournament, [entrant.version] * tournament.full_settings.seats, TOURNAMENT_PRIORITY)
    Check.objects.create(entrant=entrant, version=entrant.version, match=match)
    return match


def fetch_revealed_secret(tournament: Tournament) -> str | None:
    """Return the secret of a finished tournament; None before, and while any of its matches is unfinished."""
    if tournament.state != Tournament.State.FINISHED:
        return None
    matches = Match.objects.filter(pairing_match__pairing__round__tournament=tournament)
    unfinished = [Match.State.QUEUED, Match.State.RUNNING]
    return None if matches.filter(state__in=unfinished).exists() else tournament.secret


def cancel_waiting_matches(tournament: Tournament, reason: Message) -> None:
    """Cancel the queued matches of a tournament. Running ones are played to their end."""
    waiting = Match.objects.filter(
        Q(pairing_match__pairing__round__tournament=tournament) | Q(tournament_check__entrant__tournament=tournament),
        state=Match.State.QUEUED,
    )
    cancel_queued_matches(list(waiting.values_list("pk", flat=True)), reason)


def cancel_queued_matches(matches: Sequence[int], reason: Message) -> None:
    """Cancel those of these matches that are queued; others can be queued with their numbers."""
    queued, moment = Match.objects.filter(pk__in=matches, state=Match.State.QUEUED), now()
    cancelled = {"state": Match.State.VOID, "void_reason": reason, "finished_at": moment, "cancelled_at": moment}
    dropped = [pk for pk in queued.values_list("pk", flat=True) if queued.filter(pk=pk).update(**cancelled)]
    PairingMatch.objects.filter(match__in=dropped).update(counts=False)


def _queue_match(tournament: Tournament, versions: Sequence[BotVersion], priority: int, **drawn: Any) -> Match:
    """Queue a match of these versions at the tournament's next virtual start time, and return it."""
    settings = tournament.full_settings
    virtual_start, tournament.next_turn = schedule_next_match(
        priority=priority,
        after=tournament.next_turn,
        seconds=Ladder.objects.usual_seconds(tournament.game, tournament.edition)
        * (settings.legs_per_match / settings.seats),
    )
    tournament.save(update_fields=["next_turn"])
    return queue_match(
        versions=versions,
        game=tournament.game,
        edition=tournament.edition,
        options=tournament.changed_options,
        priority=priority,
        virtual_start=virtual_start,
        group=tournament.audience_id,
        **drawn,
    )


def _count_for_ladder(tournament: Tournament, versions: Sequence[BotVersion], match: Match) -> None:
    """Let a match count for the ladder if all its versions are on it."""
    ladder = Ladder.objects.public().open().filter(game=tournament.game, edition=tournament.edition).first()
    if ladder is not None and Entry.objects.filter(ladder=ladder, version__in=versions).count() == len(versions):
        LadderMatch.objects.create(ladder=ladder, match=match)
