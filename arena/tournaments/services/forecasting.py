"""Estimate how long a tournament takes, and who wins it."""

from datetime import timedelta

from django.db.models import Avg, DurationField, ExpressionWrapper, F

from arena.ladders.models import Ladder
from arena.ladders.rating.elo import INITIAL_RATING_ELO
from arena.matches.models import Match
from arena.matches.waiting import count_parallel_matches
from arena.tournaments.estimate import count_boards_left, estimate_seconds_left
from arena.tournaments.formats import base
from arena.tournaments.models import Entrant, Tournament
from arena.tournaments.services.rows import read_field, read_rounds
from arena.tournaments.services.seeding import order_by_strength
from arena.tournaments.settings import InvalidSettings
from arena.tournaments.simulation import simulate

SIMULATIONS_PER_FORECAST = 200
MAX_ENTRANTS_FORECAST_BEFORE_START = 64
"""Larger fields have no forecast before the start: it is renewed with each entry, and would take a worker minutes."""


def is_forecast_due(tournament: Tournament) -> bool:
    """Return whether a new forecast is due: a round has ended since the last one.

    Before the start it is due if all checks are over and the bots that are ready have changed.
    """
    if tournament.state == Tournament.State.RUNNING:
        return tournament.forecast_after_round != tournament.rounds.latest_attempts().exclude(finished_at=None).count()
    if tournament.has_started or tournament.state not in (Tournament.State.OPEN, Tournament.State.CHECKING):
        return False
    entrants = tournament.entrants
    if entrants.filter(state=Entrant.State.CHECKING).exists():
        return False
    ready = set(entrants.filter(state=Entrant.State.READY).values_list("bot__slug", flat=True))
    told = {chance["bot"] for chance in (tournament.forecast or {}).values()}
    return 2 <= len(ready) <= MAX_ENTRANTS_FORECAST_BEFORE_START and ready != told


def rename_in_forecasts(*, slug: str, new_slug: str) -> None:
    """Write the new address of a bot into the forecasts of the tournaments in which it is entered."""
    told = Tournament.objects.filter(entrants__bot__slug=new_slug).exclude(forecast=None)
    for tournament in told.only("pk", "forecast"):
        forecast = {
            number: {**chance, "bot": new_slug} if chance["bot"] == slug else chance
            for number, chance in (tournament.forecast or {}).items()
        }
        Tournament.objects.filter(pk=tournament.pk).update(forecast=forecast)


def store_forecast(*, tournament: Tournament) -> None:
    """Simulate the rest of a tournament with the ladder's ratings, and store the chances of each entrant.

    Before the start the whole tournament is simulated with the bots that are ready. The forecast has the form
    {seed: {"bot": slug, field of Chance: value}}.
    """
    entrants = _number_entrants(tournament)
    rounds = read_rounds(tournament) if tournament.has_started else []
    field = [base.Entrant(number, entrant.left_in_round) for number, entrant in entrants.items()]
    settings = tournament.full_settings
    try:
        settings.check(len(field))
    except InvalidSettings:
        return
    ratings = {number: INITIAL_RATING_ELO if one.rating is None else one.rating for number, one in entrants.items()}
    found = simulate(
        tournament.format,
        field,
        rounds,
        settings,
        ratings,
        runs=SIMULATIONS_PER_FORECAST,
        seed=tournament.commitment,
    )
    kept = {number: {"bot": entrants[number].bot.slug, **chance.as_json()} for number, chance in found.items()}
    Tournament.objects.filter(pk=tournament.pk).update(forecast=kept, forecast_after_round=len(rounds))


def _number_entrants(tournament: Tournament) -> dict[int, Entrant]:
    """Return the entrants by number; before the start, by the number that they would get now."""
    entrants = tournament.entrants.select_related("bot")
    if tournament.has_started:
        return {entrant.number: entrant for entrant in entrants.seeded() if entrant.number is not None}
    ready = order_by_strength(tournament, entrants.filter(state=Entrant.State.READY))
    return dict(enumerate(ready, 1))


def estimate_time_left(tournament: Tournament) -> float | None:
    """Return the estimated seconds until its end with the machines that are online now; None if it can't be known."""
    field = read_field(tournament) if tournament.has_started else _list_expected_entrants(tournament)
    if tournament.is_over or len(field) < 2:
        return None
    settings = tournament.full_settings
    try:
        settings.check(len(field))
    except InvalidSettings:
        return None
    rounds = read_rounds(tournament) if tournament.has_started else []
    return estimate_seconds_left(
        count_boards_left(field, rounds, settings),
        settings,
        match_seconds=estimate_match_seconds(tournament),
        parallel_matches=count_parallel_matches(),
    )


def estimate_match_seconds(tournament: Tournament) -> float:
    """Return the mean duration of its matches; before the first, that of the ladder."""
    took = ExpressionWrapper(F("finished_at") - F("started_at"), DurationField())
    own: timedelta | None = Match.objects.filter(
        pairing_match__pairing__round__tournament=tournament, state=Match.State.FINISHED
    ).aggregate(mean=Avg(took))["mean"]
    if own is not None:
        return own.total_seconds()
    settings = tournament.full_settings
    usual = Ladder.objects.usual_seconds(tournament.game, tournament.edition)
    return usual * settings.legs_per_match / settings.seats


def _list_expected_entrants(tournament: Tournament) -> list[base.Entrant]:
    """Return as many entrants as have entered; which bots they are doesn't change the duration."""
    there = Entrant.objects.not_out().filter(tournament=tournament).exclude(state=Entrant.State.FAILED).count()
    return [base.Entrant(number) for number in range(1, there + 1)]
