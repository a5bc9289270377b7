"""Queue the matches of a tournament, and read its rows as the values that formats take."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django.db.models import Q, Sum
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.contests.ladders.models import Entry, Ladder, LadderMatch
from arena.contests.tournaments.document import compute_deal_number
from arena.contests.tournaments.formats import base
from arena.contests.tournaments.models import Check, Entrant, Pairing, PairingMatch, PairingSeat, Round, Tournament
from arena.contests.tournaments.phases import Phase, list_phases
from arena.contests.tournaments.queries import fetch_draw_orders
from arena.contests.tournaments.standings import MatchResult, Standing, join_legs, mark_decisions, rank
from arena.matches.models import LegSeat, Match, Participant
from arena.matches.services import queue_match
from arena.matches.slots import schedule_next_match
from arena.runner.program import REMOTE_LIMITS
from engine.message import Message
from engine.registry import find_game

# Queue and cancel the matches of a tournament.

TOURNAMENT_PRIORITY = 5
"""Above challenges, ladders and comparisons; below trials, for which authors wait."""
TOURNAMENT_CLOCK = "open"
"""The clock of matches with a remote bot: that of open ladders."""
LOW_PRIORITY = -5
"""Below everything else: played only when nothing else waits."""


def queue_pairing_match(tournament: Tournament, pairing: Pairing, number: int) -> Match:
    """Queue match `number` of a pairing, and return it. Its round, seats, entrants and versions must be prefetched."""
    versions = [seat.entrant.version for seat in pairing.seats.all()]
    place = compute_deal_number(pairing.round.attempt, pairing.round.number, pairing.board, number)
    rules, season = find_game(tournament.game), tournament.season
    options, series = tournament.options, tournament.full_settings.series
    drawn: dict[str, Any]
    if is_played_apart(pairing):
        first = (number - 1) % len(versions)
        drawn = {"deal": season.deal(rules, options, len(versions), place), "salts": season.salts(1, place)}
        drawn |= {"legs": 1, "first_seating": first, "limits": REMOTE_LIMITS[TOURNAMENT_CLOCK]}
    elif series is None:
        drawn = {"deal": season.deal(rules, options, len(versions), place), "salts": season.salts(len(versions), place)}
    else:
        deals = season.deals(rules, options, len(versions), place, series.max_games)
        drawn = {"series": series, "deals": deals, "salts": season.salts(series.max_games, place)}
    hidden = tournament.hidden_from_round if tournament.is_concealed else None
    drawn["is_withheld"] = hidden is not None and pairing.round.number >= hidden
    match = _queue_match(tournament, versions, find_priority(tournament), **drawn)
    PairingMatch.objects.create(pairing=pairing, match=match, number=number)
    if tournament.is_rated:
        _count_for_ladder(tournament, versions, match)
    return match


def is_played_apart(pairing: Pairing) -> bool:
    """Return whether each leg of a pairing is a match of its own, with its own deal: if a remote bot is in it.

    Its seats, entrants, versions and bots must be prefetched.
    """
    return any(seat.entrant.version.bot.is_remote for seat in pairing.seats.all())


def find_priority(tournament: Tournament) -> int:
    """Return the priority of its pairings' matches."""
    return LOW_PRIORITY if tournament.is_low_priority else TOURNAMENT_PRIORITY


def queue_check(tournament: Tournament, entrant: Entrant) -> Match:
    """Queue a check of an entrant, in which its version has all seats of a table, and return it."""
    match = _queue_match(tournament, [entrant.version] * tournament.full_settings.seats, TOURNAMENT_PRIORITY)
    Check.objects.create(entrant=entrant, version=entrant.version, match=match)
    return match


def fetch_revealed_secret(tournament: Tournament) -> str | None:
    """Return the secret of a finished tournament; None before, and while matches are unfinished or rounds hidden."""
    if tournament.state != Tournament.State.FINISHED or tournament.is_concealed:
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
    seconds = Ladder.objects.usual_seconds(tournament.game, tournament.edition)
    seconds *= settings.legs_per_match / settings.seats
    virtual_start, tournament.next_turn = schedule_next_match(
        priority=priority,
        after=tournament.next_turn,
        seconds=0.0 if any(version.bot.is_remote for version in versions) else seconds,  # it takes no worker's slot
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


# Read rows as the values that formats take.


def lock_tournament(tournament: Tournament) -> Tournament:
    """Return the current row of a tournament with all of its rounds, locked until the end of the transaction."""
    found = Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)
    found.shows_all = True
    return found


def read_field(tournament: Tournament) -> list[base.Entrant]:
    """Return the seeded entrants by number; none before the start."""
    rows = Entrant.objects.seeded().filter(tournament=tournament).values_list("number", "left_in_round", "state")
    return [
        base.Entrant(number, left_in_round, state == Entrant.State.DISQUALIFIED)
        for number, left_in_round, state in rows
        if number is not None
    ]


def read_rounds(tournament: Tournament) -> list[list[base.Result]]:
    """Return the results of all finished rounds that are shown, each in the order of its boards."""
    seats = PairingSeat.objects.filter(
        pairing__round__in=Round.objects.shown(tournament).latest_attempts().exclude(finished_at=None),
    ).order_by("pairing__round__number", "pairing__board", "index")
    rows = seats.values_list(
        "pairing__round__number", "pairing__board", "pairing__name", "pairing__must_decide", "pairing__played",
        "entrant__number", "points", "game_points", "pairing__given_points", "pairing__decisions",
    )  # fmt: skip
    rounds: dict[int, list[base.Result]] = defaultdict(list)
    orders: dict[int, int] | None = None
    for (number, _, name, must_decide, played), group in groupby(rows, key=lambda row: row[:5]):
        members = list(group)
        numbers, points, game_points = zip(*(row[5:8] for row in members), strict=True)
        result = base.Result(base.Pairing(numbers, name, must_decide), points, game_points, played)
        given, decisions = members[0][8:]
        if decisions:
            orders = fetch_draw_orders(tournament.rounds.all()) if orders is None else orders
            result = mark_decisions(result, decisions, orders.get(number + 1), is_given=given is not None)
        rounds[number].append(result)
    return [rounds[number] for number in sorted(rounds)]


def read_standings(tournament: Tournament) -> list[Standing]:
    """Return the standings after the finished rounds, best first."""
    return rank(tournament.format, read_field(tournament), read_rounds(tournament), tournament.full_settings)


def read_phases(tournament: Tournament) -> list[Phase]:
    """Return the phases with their standings after the finished rounds."""
    return list_phases(tournament.format, read_field(tournament), read_rounds(tournament), tournament.full_settings)


def find_current_round(tournament: Tournament) -> Round | None:
    """Return the last round that was started and is shown; None before the first."""
    return Round.objects.shown(tournament).latest_attempts().last()


def build_pairing(pairing: Pairing) -> base.Pairing:
    """Return a pairing as formats take it. Its seats and their entrants must be prefetched."""
    numbers = tuple(seat.entrant.number or 0 for seat in pairing.seats.all())
    return base.Pairing(numbers, pairing.name, pairing.must_decide)


def read_match_results(pairings: list[Pairing]) -> dict[int, list[MatchResult]]:
    """Return the results of the finished matches that count, by pairing in the order of their numbers.

    In a pairing with a remote bot the legs of a match are matches of their own, whose results are put together.
    """
    counting = PairingMatch.objects.filter(pairing__in=pairings, counts=True, match__state=Match.State.FINISHED)
    rows = list(counting.order_by("pairing", "number").values_list("pairing", "match", "number"))
    matches = [match for _, match, _ in rows]
    points: dict[int, list[float]] = defaultdict(list)
    played = Participant.objects.filter(match__in=matches).order_by("match", "index")
    for match, share in played.values_list("match", "points"):
        points[match].append(share or 0.0)
    game_points: dict[int, list[float]] = defaultdict(list)
    summed = LegSeat.objects.filter(participant__match__in=matches).values("participant__match", "participant__index")
    for row in summed.annotate(total=Sum("score")).order_by("participant__match", "participant__index"):
        game_points[row["participant__match"]].append(row["total"])
    numbered: dict[int, dict[int, MatchResult]] = defaultdict(dict)
    for pairing, match, number in rows:
        numbered[pairing][number] = MatchResult(tuple(points[match]), tuple(game_points[match]))
    apart = {pairing.pk: len(pairing.seats.all()) for pairing in pairings if is_played_apart(pairing)}
    return {pairing: join_legs(found, apart.get(pairing, 1)) for pairing, found in numbered.items()}
