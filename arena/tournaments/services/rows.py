"""Read rows as the values that formats take."""

from collections import defaultdict
from itertools import groupby

from django.db.models import Sum

from arena.matches.models import LegSeat, Match, Participant
from arena.tournaments.formats import base
from arena.tournaments.models import Entrant, Pairing, PairingMatch, PairingSeat, Round, Tournament
from arena.tournaments.pairing_outcome import MatchResult
from arena.tournaments.phases import Phase, list_phases
from arena.tournaments.standings import Standing, rank


def lock_tournament(tournament: Tournament) -> Tournament:
    """Return the current row of a tournament, locked until the end of the transaction."""
    return Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)


def read_field(tournament: Tournament) -> list[base.Entrant]:
    """Return the seeded entrants by number; none before the start."""
    rows = Entrant.objects.seeded().filter(tournament=tournament).values_list("number", "left_in_round", "state")
    return [
        base.Entrant(number, left_in_round, state == Entrant.State.DISQUALIFIED)
        for number, left_in_round, state in rows
        if number is not None
    ]


def read_rounds(tournament: Tournament) -> list[list[base.Result]]:
    """Return the results of all finished rounds, each in the order of its boards."""
    seats = PairingSeat.objects.filter(
        pairing__round__tournament=tournament,
        pairing__round__is_latest_attempt=True,
        pairing__round__finished_at__isnull=False,
    ).order_by("pairing__round__number", "pairing__board", "index")
    rows = seats.values_list(
        "pairing__round__number", "pairing__board", "pairing__name", "pairing__must_decide", "pairing__played",
        "entrant__number", "points", "game_points",
    )  # fmt: skip
    rounds: dict[int, list[base.Result]] = defaultdict(list)
    for (number, _, name, must_decide, played), group in groupby(rows, key=lambda row: row[:5]):
        numbers, points, game_points = zip(*(row[5:] for row in group), strict=True)
        rounds[number].append(base.Result(base.Pairing(numbers, name, must_decide), points, game_points, played))
    return [rounds[number] for number in sorted(rounds)]


def read_standings(tournament: Tournament) -> list[Standing]:
    """Return the standings after the finished rounds, best first."""
    return rank(tournament.format, read_field(tournament), read_rounds(tournament), tournament.full_settings)


def read_phases(tournament: Tournament) -> list[Phase]:
    """Return the phases with their standings after the finished rounds."""
    return list_phases(tournament.format, read_field(tournament), read_rounds(tournament), tournament.full_settings)


def find_current_round(tournament: Tournament) -> Round | None:
    """Return the last round that was started; None before the first."""
    return Round.objects.latest_attempts().filter(tournament=tournament).last()


def build_pairing(pairing: Pairing) -> base.Pairing:
    """Return a pairing as formats take it. Its seats and their entrants must be prefetched."""
    numbers = tuple(seat.entrant.number or 0 for seat in pairing.seats.all())
    return base.Pairing(numbers, pairing.name, pairing.must_decide)


def read_match_results(pairings: list[Pairing]) -> dict[int, list[MatchResult]]:
    """Return the results of the finished matches that count, by pairing in the order of their numbers."""
    counting = PairingMatch.objects.filter(pairing__in=pairings, counts=True, match__state=Match.State.FINISHED)
    rows = list(counting.order_by("pairing", "number").values_list("pairing", "match"))
    matches = [match for _, match in rows]
    points: dict[int, list[float]] = defaultdict(list)
    played = Participant.objects.filter(match__in=matches).order_by("match", "index")
    for match, share in played.values_list("match", "points"):
        points[match].append(share or 0.0)
    game_points: dict[int, list[float]] = defaultdict(list)
    summed = LegSeat.objects.filter(participant__match__in=matches).values("participant__match", "participant__index")
    for row in summed.annotate(total=Sum("score")).order_by("participant__match", "participant__index"):
        game_points[row["participant__match"]].append(row["total"])
    results: dict[int, list[MatchResult]] = defaultdict(list)
    for pairing, match in rows:
        results[pairing].append(MatchResult(tuple(points[match]), tuple(game_points[match])))
    return results
