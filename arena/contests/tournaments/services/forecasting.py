"""Forecast who wins a tournament, and how long it takes."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from statistics import fmean, median, pstdev

from django.conf import settings as django_settings

from arena.contests.ladders.rating import Z_SCORE_95
from arena.contests.tournaments.formats import base
from arena.contests.tournaments.models import Entrant, Pairing, PairingMatch, PairingSeat, Tournament
from arena.contests.tournaments.phases import count_expected_entrants
from arena.contests.tournaments.queries import count_rounds_over
from arena.contests.tournaments.services.matches import find_current_round, find_priority, read_field, read_rounds
from arena.contests.tournaments.services.organising import (
    NEWCOMER,
    LadderStrength,
    fetch_strengths,
    order_by_strength,
)
from arena.contests.tournaments.settings import InvalidSettings
from arena.contests.tournaments.simulation import (
    PLAYING_S_PER_LEG,
    QUICK_BOT,
    STORING_S_PER_MATCH,
    BotSeconds,
    MatchSlots,
    RoundLeft,
    SecondsRange,
    bound_seconds,
    count_boards_left,
    estimate_seconds_left,
    simulate,
    summarise_seconds,
)
from arena.matches.models import Match
from arena.matches.queue import count_slots, fetch_leg_seconds, fetch_queue_match_seconds, list_house_leg_seconds
from arena.matches.slots import LEAST_SHARE, NEVER_OWED
from arena.runner.program import Limits
from engine.message import Message, gettext_noop, message
from engine.registry import GAMES

# Forecast who wins a tournament, by the ratings on the ladder and how certain these are.

NO_FORECAST = gettext_noop("No forecast yet: the ratings are too uncertain to tell the bots apart.")
SIMULATIONS_PER_FORECAST = 200
MAX_ENTRANTS_FORECAST_BEFORE_START = 64
"""Larger fields have no forecast before the start: it is renewed with each entry, and would take a worker minutes."""


def is_forecast_due(tournament: Tournament) -> bool:
    """Return whether a new forecast is due: a round has ended since the last one.

    Before the start it is due if all checks are over and the bots that are ready have changed; where it was left out,
    once the ratings are certain enough.
    """
    if tournament.state == Tournament.State.RUNNING:
        return tournament.forecast_after_round != count_rounds_over(tournament)
    if tournament.has_started or tournament.state not in (Tournament.State.OPEN, Tournament.State.CHECKING):
        return False
    entrants = tournament.entrants
    if entrants.filter(state=Entrant.State.CHECKING).exists():
        return False
    ready = set(entrants.filter(state=Entrant.State.READY).values_list("bot__slug", flat=True))
    told = {chance["bot"] for chance in (tournament.forecast or {}).values()}
    if is_forecast_left_out(tournament) and not are_ratings_certain(_list_strengths_of_ready(tournament)):
        return False
    return 2 <= len(ready) <= MAX_ENTRANTS_FORECAST_BEFORE_START and ready != told


def is_forecast_left_out(tournament: Tournament) -> bool:
    """Return whether the latest forecast was left out since the ratings are not certain enough."""
    return tournament.forecast is None and tournament.forecast_after_round is not None


def explain_missing_forecast(tournament: Tournament) -> Message | None:
    """Return why a tournament that is not over has no forecast, or None."""
    return message(NO_FORECAST) if is_forecast_left_out(tournament) and not tournament.is_over else None


def are_ratings_certain(strengths: Collection[LadderStrength]) -> bool:
    """Return whether the bots' margins are, on average, no wider than the standard deviation of their ratings."""
    if len(strengths) < 2:
        return False
    margins = [Z_SCORE_95 * strength.deviation for strength in strengths]
    return fmean(margins) <= pstdev(strength.rating for strength in strengths)


def store_forecast(*, tournament: Tournament) -> None:
    """Simulate the rest of a tournament with the ladder's ratings of now, and store the chances of each entrant.

    Before the start the whole tournament is simulated with the bots that are ready. The forecast has the form
    {seed: {"bot": slug, field of Chance: value}}; it is left out, null, while the ratings are too uncertain.
    """
    entrants = _number_entrants(tournament)
    rounds = read_rounds(tournament) if tournament.has_started else []
    field = [base.Entrant(number, entrant.left_in_round) for number, entrant in entrants.items()]
    settings = tournament.full_settings
    try:
        settings.check(len(field))
    except InvalidSettings:
        return
    known = fetch_strengths(tournament)
    strengths = {number: known.get(entrant.bot_id, NEWCOMER) for number, entrant in entrants.items()}
    kept = None
    if are_ratings_certain([strengths[one.number] for one in field if one.is_in(len(rounds) + 1)]):
        found = simulate(
            tournament.format,
            field,
            rounds,
            settings,
            {number: strength.rating for number, strength in strengths.items()},
            {number: strength.deviation for number, strength in strengths.items()},
            runs=SIMULATIONS_PER_FORECAST,
            seed=f"{tournament.commitment} {len(rounds)}",
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


def _list_strengths_of_ready(tournament: Tournament) -> list[LadderStrength]:
    known = fetch_strengths(tournament)
    ready = tournament.entrants.filter(state=Entrant.State.READY).values_list("bot", flat=True)
    return [known.get(bot, NEWCOMER) for bot in ready]


# Estimate how long a tournament takes: its bots' processor time, shared out to the slots that play matches.
#
# Bots are measured by their latest matches of the edition, in which those of the tournament are the newest: the
# estimate gets better while it runs. A busy machine makes matches longer, but not their processor time.

NO_MACHINE = gettext_noop("No machine is playing matches.")
REMOTE_BOTS_PLAY = gettext_noop("Remote bots are playing, so there's no estimate.")


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The time that a tournament still takes, or the reason why it isn't known."""

    seconds: SecondsRange | None = None
    whole_clock_s: float | None = None
    """Before the draw, the most that it takes if every bot uses its whole clock."""
    bots: int = 0
    """The number of bots with which it takes that."""
    reason: Message | None = None
    """Why there is no estimate, where that has a reason that people should know."""


def estimate_time_left(tournament: Tournament, rounds_left: Sequence[RoundLeft] | None = None) -> TimeLeft:
    """Return how long it still takes with the machines that play matches now; nothing once it has finished.

    `rounds_left` are those of `list_rounds_left`, or the first of them; they are found where they aren't given.
    """
    if tournament.is_over or tournament.game not in GAMES:
        return TimeLeft()
    if tournament.allows_remote and tournament.entrants.not_out().filter(bot__is_remote=True).exists():
        return TimeLeft(reason=message(REMOTE_BOTS_PLAY))
    slots = count_slots()
    if not slots:
        return TimeLeft(reason=message(NO_MACHINE))
    if tournament.has_started:
        left = list_rounds_left(tournament) if rounds_left is None else rounds_left
        return TimeLeft(_estimate_range(tournament, _list_seeded(tournament), left, slots))
    expected = _number_expected(tournament)
    count = count_expected_entrants(len(expected), tournament.full_settings, tournament.max_entrants)
    rounds = _plan_rounds(tournament, count)
    if not rounds:
        return TimeLeft()
    bound = bound_seconds(
        rounds,
        tournament.full_settings,
        Limits(),
        entrants=count,
        max_plies=GAMES[tournament.game].max_plies(tournament.options, tournament.full_settings.seats),
        slots=slots,
    )
    is_known = len(expected) == count
    return TimeLeft(_estimate_range(tournament, expected, rounds, slots) if is_known else None, bound, count)


def list_rounds_left(
    tournament: Tournament,
    field: Sequence[base.Entrant] | None = None,
    rounds: Sequence[base.Round] | None = None,
) -> list[RoundLeft]:
    """Return what is still to be played once it has started: the rest of the current round, and the rounds after it.

    The field and the results of the finished rounds are read where they aren't given.
    """
    field = read_field(tournament) if field is None else field
    rounds = read_rounds(tournament) if rounds is None else rounds
    if tournament.is_over or not field:
        return []
    found = count_boards_left(field, rounds, tournament.full_settings)
    current = find_current_round(tournament)
    if not found or current is None or current.finished_at is not None:
        return found
    going_on = Pairing.objects.filter(round=current, is_over=False)
    seats = PairingSeat.objects.filter(pairing__in=going_on).values_list("entrant__number", "pairing__must_decide")
    entrants = tuple(number for number, _ in seats if number is not None)
    over = PairingMatch.objects.filter(pairing__in=going_on, counts=True, match__state=Match.State.FINISHED)
    is_knockout = any(must_decide for _, must_decide in seats)
    return [RoundLeft(going_on.count() if entrants else 0, is_knockout, entrants, over.count()), *found[1:]]


def _plan_rounds(tournament: Tournament, count: int) -> list[RoundLeft]:
    """Return all rounds of a tournament of so many bots; none where these settings don't suit them."""
    settings = tournament.full_settings
    try:
        settings.check(count)
    except InvalidSettings:
        return []
    return count_boards_left([base.Entrant(number) for number in range(1, count + 1)], [], settings)


def _list_seeded(tournament: Tournament) -> list[Entrant]:
    return list(tournament.entrants.seeded().only("number", "bot", "version"))


def _number_expected(tournament: Tournament) -> list[Entrant]:
    """Return the bots that have entered, numbered in this order: the seeds are not known yet."""
    there = Entrant.objects.not_out().filter(tournament=tournament).exclude(state=Entrant.State.FAILED)
    entrants = list(there.order_by("pk").only("number", "bot", "version"))
    for number, entrant in enumerate(entrants, start=1):
        entrant.number = number
    return entrants


def _estimate_range(
    tournament: Tournament, entrants: Sequence[Entrant], rounds: Sequence[RoundLeft], slots: int
) -> SecondsRange:
    bots = _measure_bots(tournament, entrants)
    return estimate_seconds_left(rounds, tournament.full_settings, bots, _share_slots(tournament, slots))


def _measure_bots(tournament: Tournament, entrants: Sequence[Entrant]) -> dict[int, BotSeconds]:
    """Return the processor seconds of a leg by entrant number: a bot's own, else those of the usual house bot."""
    rules = tournament.game, tournament.edition
    found = fetch_leg_seconds({one.version_id: one.bot_id for one in entrants}, *rules)
    measured = {version: summarise_seconds(seconds) for version, seconds in found.items()}
    usual = QUICK_BOT
    if any(one.version_id not in measured for one in entrants) and (house := list_house_leg_seconds(*rules)):
        middle = median(house)
        usual = BotSeconds(middle, max(middle, summarise_seconds(house).high))
    return {one.number: measured.get(one.version_id, usual) for one in entrants if one.number is not None}


def _share_slots(tournament: Tournament, count: int) -> MatchSlots:
    """Return the slots with what else wants them: all that is queued before its matches, and its share after that.

    Each line of the queue that waits behind it gets LEAST_SHARE of the time, and analyses get what operators grant.
    """
    priority = find_priority(tournament)
    others = Match.objects.queued().due().for_workers().order_by()
    others = others.exclude(pairing_match__pairing__round__tournament=tournament)
    others = others.exclude(tournament_check__entrant__tournament=tournament)
    ahead = others.filter(priority__gte=priority).count()
    lines = set(others.filter(priority__lt=priority).values_list("priority", flat=True).distinct()) - NEVER_OWED
    share = 1 - LEAST_SHARE * len(lines) - django_settings.ANALYSIS_SHARE_PERCENT / 100
    ahead_s = 0.0
    if ahead:
        ahead_s = ahead * (fetch_queue_match_seconds() + 2 * PLAYING_S_PER_LEG + STORING_S_PER_MATCH)
    return MatchSlots(count, max(share, LEAST_SHARE), ahead_s)
