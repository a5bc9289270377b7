"""From rows to the values that formats work with."""

from collections import defaultdict
from itertools import groupby

from django.db.models import Sum

from arena.matches.models import LegSeat, Match, Participant
from arena.tournaments.formats import base
from arena.tournaments.models import Entrant, Pairing, PairingMatch, PairingSeat, Round, Tournament
from arena.tournaments.pairing_outcome import Game
from arena.tournaments.standings import Standing, rank


def lock(tournament: Tournament) -> Tournament:
    """Return the tournament as it is now, locked until the end of the transaction that must be open."""
    return Tournament.objects.select_for_update(no_key=True).get(pk=tournament.pk)


def read_field(tournament: Tournament) -> list[base.Entrant]:
    """By number. Empty before versions are frozen."""
    rows = Entrant.objects.field().filter(tournament=tournament).values_list("number", "left_in_round")
    return [base.Entrant(number, left_in_round) for number, left_in_round in rows if number is not None]


def read_rounds(tournament: Tournament) -> list[list[base.Result]]:
    """Return the results of all rounds that are over, each in the order of its boards."""
    seats = PairingSeat.objects.filter(
        pairing__round__tournament=tournament,
        pairing__round__is_latest_attempt=True,
        pairing__round__finished_at__isnull=False,
    ).order_by("pairing__round__number", "pairing__board", "index")
    rows = seats.values_list(
        "pairing__round__number", "pairing__board", "pairing__name", "pairing__must_decide", "pairing__played",
        "entrant__number", "points", "score",
    )  # fmt: skip
    rounds: dict[int, list[base.Result]] = defaultdict(list)
    for (number, _, name, must_decide, played), group in groupby(rows, key=lambda row: row[:5]):
        numbers, points, scores = zip(*(row[5:] for row in group), strict=True)
        rounds[number].append(base.Result(base.Pairing(numbers, name, must_decide), points, scores, played))
    return [rounds[number] for number in sorted(rounds)]


def read_standings(tournament: Tournament) -> list[Standing]:
    """Best first, after the rounds that are over."""
    return rank(tournament.format, read_field(tournament), read_rounds(tournament), tournament.full_settings)


def current_round(tournament: Tournament) -> Round | None:
    """Return the last round that was begun, over or not."""
    return Round.objects.current().filter(tournament=tournament).last()


def as_value(pairing: Pairing) -> base.Pairing:
    """With its seats and their entrants read along."""
    numbers = tuple(seat.entrant.number or 0 for seat in pairing.seats.all())
    return base.Pairing(numbers, pairing.name, pairing.must_decide)


def read_games(pairings: list[Pairing]) -> dict[int, list[Game]]:
    """By pairing: its matches that count and have a result, in the order of their numbers."""
    counting = PairingMatch.objects.filter(pairing__in=pairings, counts=True, match__state=Match.State.FINISHED)
    rows = list(counting.order_by("pairing", "number").values_list("pairing", "match"))
    matches = [match for _, match in rows]
    points: dict[int, list[float]] = defaultdict(list)
    played = Participant.objects.filter(match__in=matches).order_by("match", "index")
    for match, share in played.values_list("match", "points"):
        points[match].append(share or 0.0)
    scores: dict[int, list[float]] = defaultdict(list)
    summed = LegSeat.objects.filter(participant__match__in=matches).values("participant__match", "participant__index")
    for row in summed.annotate(total=Sum("score")).order_by("participant__match", "participant__index"):
        scores[row["participant__match"]].append(row["total"])
    games: dict[int, list[Game]] = defaultdict(list)
    for pairing, match in rows:
        games[pairing].append(Game(tuple(points[match]), tuple(scores[match])))
    return games
