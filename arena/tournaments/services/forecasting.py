"""What can be said of a tournament before it is over: how long it takes, and who may win it."""

from datetime import timedelta

from django.db.models import Avg, DurationField, ExpressionWrapper, F

from arena.ladders.models import Ladder
from arena.ladders.rating.elo import FIRST_RATING
from arena.matches.models import Match
from arena.matches.waiting import count_parallel_matches
from arena.tournaments.estimate import boards_left, seconds_left
from arena.tournaments.formats import base
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.services.rows import read_field, read_rounds
from arena.tournaments.services.seeding import by_strength
from arena.tournaments.settings import InvalidSettings
from arena.tournaments.simulation import simulate

RUNS = 200
REHEARSED_MOST = 64
"""Of more bots nothing is foretold before it begins: each that is ready would take minutes of a worker."""


def wants_forecast(tournament: Tournament) -> bool:
    """Return whether a new forecast is due.

    It is when a round has ended since the last one; before the start, when all checks are over and other bots are
    ready.
    """
    if tournament.state == Tournament.State.RUNNING:
        return tournament.forecast_after_round != tournament.rounds.current().exclude(finished_at=None).count()
    if tournament.has_started or tournament.state not in (Tournament.State.OPEN, Tournament.State.CHECKING):
        return False
    entrants = tournament.entrants
    if entrants.filter(state=Entrant.State.CHECKING).exists():
        return False
    ready = set(entrants.filter(state=Entrant.State.READY).values_list("bot__slug", flat=True))
    told = {chance["bot"] for chance in (tournament.forecast or {}).values()}
    return 2 <= len(ready) <= REHEARSED_MOST and ready != told


def forecast(*, tournament: Tournament) -> None:
    """Simulate what is left of a tournament with the ladder's ratings, and store the outcome.

    Before the start, all of it is simulated with the bots that are ready. What is stored is {seed: {"bot": slug, field
    of Chance: value}}.
    """
    entrants = _seeded(tournament)
    rounds = read_rounds(tournament) if tournament.has_started else []
    field = [base.Entrant(number, entrant.left_in_round) for number, entrant in entrants.items()]
    settings = tournament.full_settings
    try:
        settings.check(len(field))
    except InvalidSettings:
        return
    ratings = {number: FIRST_RATING if one.rating is None else one.rating for number, one in entrants.items()}
    found = simulate(tournament.format, field, rounds, settings, ratings, runs=RUNS, seed=tournament.commitment)
    kept = {number: {"bot": entrants[number].bot.slug, **chance.as_json()} for number, chance in found.items()}
    Tournament.objects.filter(pk=tournament.pk).update(forecast=kept, forecast_after_round=len(rounds))


def _seeded(tournament: Tournament) -> dict[int, Entrant]:
    """By number; before there are numbers, by those that they would get now."""
    entrants = tournament.entrants.select_related("bot")
    if tournament.has_started:
        return {entrant.number: entrant for entrant in entrants.field() if entrant.number is not None}
    ready = by_strength(tournament, entrants.filter(state=Entrant.State.READY))
    return dict(enumerate(ready, 1))


def time_left(tournament: Tournament) -> float | None:
    """Seconds until its end, if it went on from now with the machines that are here. None where nobody can tell."""
    field = read_field(tournament) if tournament.has_started else _would_play(tournament)
    if tournament.is_over or len(field) < 2:
        return None
    settings = tournament.full_settings
    try:
        settings.check(len(field))
    except InvalidSettings:
        return None
    rounds = read_rounds(tournament) if tournament.has_started else []
    return seconds_left(
        boards_left(field, rounds, settings),
        settings,
        match_seconds=match_seconds(tournament),
        at_once=count_parallel_matches(),
    )


def match_seconds(tournament: Tournament) -> float:
    """How long its matches took; before there are any, those of the ladder of its edition."""
    took = ExpressionWrapper(F("finished_at") - F("started_at"), DurationField())
    own: timedelta | None = Match.objects.filter(
        pairing_match__pairing__round__tournament=tournament, state=Match.State.FINISHED
    ).aggregate(mean=Avg(took))["mean"]
    if own is not None:
        return own.total_seconds()
    return Ladder.objects.usual_seconds(tournament.game, tournament.edition)


def _would_play(tournament: Tournament) -> list[base.Entrant]:
    """As many as have entered; who they are doesn't change how long it takes."""
    there = Entrant.objects.in_it().filter(tournament=tournament).exclude(state=Entrant.State.FAILED).count()
    return [base.Entrant(number) for number in range(1, there + 1)]
