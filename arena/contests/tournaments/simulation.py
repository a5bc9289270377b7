"""Simulate the rest of a tournament: who wins it, and how long it takes."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from dataclasses import field as with_default
from math import ceil, log
from random import Random
from statistics import fmean, quantiles
from types import MappingProxyType
from typing import NamedTuple

from arena.contests.ladders.rating import INITIAL_RATING_ELO, LOGITS_PER_ELO, expected_score
from arena.contests.tournaments.formats import find_format
from arena.contests.tournaments.formats.base import Entrant, Format, Pairing, Result, Round, decide_walkover
from arena.contests.tournaments.settings import Settings
from arena.contests.tournaments.standings import MatchResult, decide, rank
from arena.runner.program import FREE_MS_PER_ANSWER, Limits
from engine.games.battleline.state import WIN_SCORE
from engine.series import SeriesLength, series_points

# Forecast a tournament: simulate the rest of it many times with the entrants' ratings.
#
# Ratings are estimates, so each run draws the strength of every entrant from the normal distribution of its rating.
#
# A leg between two is drawn with probability 0.01, and otherwise won so that its expected points are those of Elo. At
# larger tables places follow the Plackett-Luce model. The legs of a match are independent, although they share a deal.
#
# The next round is the one that the format draws, unless the field is very large. Later rounds of a Swiss tournament
# are paired more simply, because its own pairing takes too long to be repeated often.

DRAWN_LEG_SHARE = 0.01
"""The share of legs between two that are drawn."""
PODIUM_PLACES = 3
"""The places on the podium; see `EntrantChances.podium`."""
MAX_EXACT_PAIRING_ENTRANTS = 64
"""With more entrants the next round of a Swiss tournament is paired simply, too: the exact pairing takes seconds."""
NO_DEVIATIONS: Mapping[int, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class EntrantChances:
    """The chances of an entrant, as shares of the simulations."""

    win: float
    podium: float
    """The share in which it is third or better; in a bracket two may share third place."""
    place: float
    """Its mean place."""

    def as_json(self) -> dict[str, float]:
        """Return the shares by name."""
        return asdict(self)


def simulate(  # noqa: PLR0913 - what a tournament is takes four
    format: Format,
    field: Sequence[Entrant],
    rounds: Sequence[Round],
    settings: Settings,
    ratings: Mapping[int, float],
    deviations: Mapping[int, float] = NO_DEVIATIONS,
    *,
    runs: int,
    seed: str,
) -> dict[int, EntrantChances]:
    """Return the chances by entrant number after these rounds. The same seed gives the same result.

    Entrants without a rating get that of a newcomer; the ratings of those without a standard deviation are certain.
    """
    means = {entrant.number: ratings.get(entrant.number, INITIAL_RATING_ELO) for entrant in field}
    rest = _Simulation(format, field, settings, means)
    rng = Random(seed)
    is_exact = len(field) <= MAX_EXACT_PAIRING_ENTRANTS
    following = format.pair(field, rounds, settings) if is_exact else rest.pair_next(rounds)
    places: dict[int, list[int]] = {entrant.number: [] for entrant in field}
    for _ in range(runs):
        drawn = {number: rng.gauss(mean, deviations.get(number, 0.0)) for number, mean in means.items()}
        run = replace(rest, ratings=drawn)
        for standing in rank(format, field, run.play_rounds(rounds, following, rng), settings):
            places[standing.number].append(standing.place)
    return {number: _summarise_places(found, runs) for number, found in places.items()}


def _summarise_places(places: Sequence[int], runs: int) -> EntrantChances:
    return EntrantChances(
        places.count(1) / runs, sum(place <= PODIUM_PLACES for place in places) / runs, sum(places) / runs
    )


@dataclass(frozen=True, slots=True)
class _Simulation:
    """The simulation of a tournament's rest: everything but the random numbers."""

    format: Format
    field: Sequence[Entrant]
    settings: Settings
    ratings: Mapping[int, float]
    drawn: dict[int, Sequence[Pairing] | None] = with_default(default_factory=dict)
    """The pairings that are the same in every run, by the number of rounds before them."""

    def play_rounds(self, rounds: Sequence[Round], following: Sequence[Pairing] | None, rng: Random) -> list[Round]:
        """Return all rounds of a run, those before included; `following` are the pairings of the next round."""
        played = list(rounds)
        while following is not None:
            played.append([self.decide_pairing(pairing, len(played) + 1, rng) for pairing in following])
            following = self.pair_next(played)
        return played

    def pair_next(self, rounds: Sequence[Round]) -> Sequence[Pairing] | None:
        if self.format.is_result_independent:
            if len(rounds) not in self.drawn:
                self.drawn[len(rounds)] = self.format.pair(self.field, rounds, self.settings)
            return self.drawn[len(rounds)]
        return self.format.pair_roughly(self.field, rounds, self.settings)

    def decide_pairing(self, pairing: Pairing, round_number: int, rng: Random) -> Result:
        result = decide_walkover(pairing, self.field, round_number)
        matches: list[MatchResult] = []
        while result is None:
            matches.append(self.play_match(pairing, rng))
            result = decide(pairing, matches, self.settings)
        return result

    def play_match(self, pairing: Pairing, rng: Random) -> MatchResult:
        """Play a match: a leg for every seating, or a series of games."""
        ratings = [self.ratings[number] for number in pairing.entrants]
        if self.settings.series is not None:
            return play_series(ratings, self.settings.series, rng)
        legs = [play_duel(ratings, rng) if len(ratings) == 2 else play_table(ratings, rng) for _ in ratings]
        points = tuple(sum(column) / len(legs) for column in zip(*(leg[0] for leg in legs), strict=True))
        return MatchResult(points, tuple(float(sum(column)) for column in zip(*(leg[1] for leg in legs), strict=True)))


Leg = tuple[Sequence[float], Sequence[float]]
"""The points and game points of a leg."""


def play_duel(ratings: Sequence[float], rng: Random) -> Leg:
    """Play a leg of Battle Line: all game points of the loser below the winner's are equally likely."""
    luck = rng.random() - expected_score(ratings[0] - ratings[1])
    first, second = int(rng.random() * WIN_SCORE), int(rng.random() * WIN_SCORE)
    if abs(luck) < DRAWN_LEG_SHARE / 2:
        return (0.5, 0.5), (first, second)
    return ((1, 0), (WIN_SCORE, second)) if luck < 0 else ((0, 1), (first, WIN_SCORE))


def play_series(ratings: Sequence[float], length: SeriesLength, rng: Random) -> MatchResult:
    """Play a series of games, in which who starts makes no difference."""
    scores, games = [0.0, 0.0], 0
    while not length.is_over(games, scores):
        _, scored = play_duel(ratings, rng)
        scores, games = [total + score for total, score in zip(scores, scored, strict=True)], games + 1
    return MatchResult(series_points(scores), tuple(scores))


def play_table(ratings: Sequence[float], rng: Random) -> Leg:
    """Play a leg at a larger table; game points are the number of opponents left behind, as in Battalion.

    Places follow the order of exponential waiting times whose rates are the strengths (Plackett-Luce).
    """
    times = [log(-log(1.0 - rng.random()) or 1e-300) - LOGITS_PER_ELO * rating for rating in ratings]
    behind = [sum(other > own for other in times) for own in times]
    return [count / (len(ratings) - 1) for count in behind], behind


# Estimate how long a tournament takes, from the processor time of its matches and the number played at a time.
#
# A round lasts at least as long as its work spread evenly over the slots, and as its longest chain of matches that
# follow one another. Slots that take the next match as soon as they are free never need more than that work and all
# but one slot's part of that chain together (Graham, 1966). Estimates are a range between these bounds.

PLAYING_S_PER_LEG = 0.04
"""Seconds of a leg that are not its bots': the referee, and starting their processes.

A match of two quick samples takes 0.13 s in the player and its bots (docs/operating.md, *Size*), of which the bots' own
clocks count 0.05 to 0.08 s; the rest is for two legs.
"""
STORING_S_PER_MATCH = 0.05
"""Seconds in which a match is claimed, stored and settled, in Django and the database (docs/operating.md, *Size*)."""


@dataclass(frozen=True, slots=True)
class BotSeconds:
    """Processor seconds of a bot in one leg."""

    mean: float
    high: float
    """The upper quartile of its matches."""


QUICK_BOT = BotSeconds(mean=0.02, high=0.085)
"""A bot of which nothing is known, on an arena without house bots that have played.

By their own clocks the samples `random`, `greedy` and `careful` need 0.015, 0.02 and 0.085 s for a leg of Battle Line
on the machine of docs/operating.md, *Size*.
"""


def summarise_seconds(found: Sequence[float]) -> BotSeconds:
    """Return mean and upper quartile of a bot's processor seconds in legs, of which there must be some."""
    mean = fmean(found)
    upper = quantiles(found, n=4, method="inclusive")[2] if len(found) > 1 else mean
    return BotSeconds(mean, max(mean, upper))


@dataclass(frozen=True, slots=True)
class MatchSlots:
    """The worker processes that play matches."""

    count: int
    share: float = 1.0
    """The part of their time that the tournament gets while others wait, above 0."""
    ahead_s: float = 0.0
    """Processor seconds of the matches that are played before its own."""


class SecondsRange(NamedTuple):
    """The shortest and the longest time that is likely."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """Return the mean of both."""
        return (self.low + self.high) / 2


class RoundLeft(NamedTuple):
    """A round that is still to be played, or the rest of one."""

    boards: int
    """The number of its pairings that are played."""
    is_knockout: bool
    """Whether a pairing ends once it is decided."""
    entrants: tuple[int, ...]
    """Numbers of the entrants that are likely to be in these pairings."""
    matches_over: int = 0
    """The number of finished matches of these pairings."""


def count_boards_left(field: Sequence[Entrant], rounds: Sequence[Round], settings: Settings) -> list[RoundLeft]:
    """Return the remaining rounds; in a bracket as if better seeds always won."""
    format = find_format(settings.format)
    there = tuple(entrant.number for entrant in field if entrant.is_in(len(rounds) + 1))
    if not format.is_bracket:
        left = max(format.count_rounds(len(field), settings) - len(rounds), 0)
        return [RoundLeft(max(len(there) // settings.seats, 1), False, there)] * left
    played, found = list(rounds), []
    while (pairings := format.pair_roughly(field, played, settings)) is not None:
        number = len(played) + 1
        over = [(pairing, decide_walkover(pairing, field, number)) for pairing in pairings]
        to_play = [pairing for pairing, result in over if result is None]
        entrants = tuple(number for pairing in to_play for number in pairing.entrants)
        found.append(RoundLeft(len(to_play), any(pairing.must_decide for pairing in to_play), entrants))
        played.append([result or _let_favourite_win(pairing) for pairing, result in over])
    return found


def _let_favourite_win(pairing: Pairing) -> Result:
    """Return the result in which places follow the seeds."""
    order = sorted(pairing.entrants)
    others = len(order) - 1
    points = tuple(1 - order.index(number) / others for number in pairing.entrants)
    return Result(pairing, points, tuple(0.0 for _ in points))


@dataclass(frozen=True, slots=True)
class Work:
    """Seconds of work in a round."""

    total: float
    longest: float
    """Of the matches that follow one another: those of the slowest pairing in a knockout, else the slowest match."""

    def spread(self, slots: int) -> SecondsRange:
        """Return the least and the most that it takes on slots that are never idle while a match waits."""
        return SecondsRange(max(self.total / slots, self.longest), self.total / slots + (1 - 1 / slots) * self.longest)


def estimate_seconds_left(
    rounds: Sequence[RoundLeft], settings: Settings, bots: Mapping[int, BotSeconds], slots: MatchSlots
) -> SecondsRange:
    """Return the seconds until the end of these rounds, with the bots' seconds by entrant number.

    At best all slots are free, bots need what they needed on average, and no match of a knockout is drawn. At worst
    they need the upper quartile, knockouts go to half of their tie-break matches, and the tournament gets its share of
    the slots after all that is ahead of it.
    """
    means, highs = ({number: getattr(one, name) for number, one in bots.items()} for name in ("mean", "high"))
    fewest = settings.matches_per_pairing // 2 + 1
    most = settings.matches_per_pairing + ceil(settings.max_tiebreak_matches / 2)
    low = sum(_measure_work(left, settings, means, fewest).spread(slots.count).low for left in rounds)
    high = sum(_measure_work(left, settings, highs, most).spread(slots.count).high for left in rounds)
    return SecondsRange(low, max(low, high / slots.share + slots.ahead_s / slots.count))


def _measure_work(left: RoundLeft, settings: Settings, seconds: Mapping[int, float], knockout_matches: int) -> Work:
    """Return the work of a round; a pairing of a knockout has so many matches."""
    if not left.boards:
        return Work(0.0, 0.0)
    known = [seconds[number] for number in left.entrants]
    mean = fmean(known)

    def measure_match(bots_s: float) -> float:
        return settings.legs_per_match * (bots_s + PLAYING_S_PER_LEG) + STORING_S_PER_MATCH

    matches = knockout_matches if left.is_knockout else settings.matches_per_pairing
    to_play = max(left.boards * matches - left.matches_over, left.boards)
    in_turn = min(matches, to_play) if left.is_knockout else 1
    most = max(known)
    others = (sum(known) - most) / max(len(known) - 1, 1)
    slowest = measure_match(most + (settings.seats - 1) * others)
    return Work(to_play * measure_match(settings.seats * mean), in_turn * slowest)


def bound_seconds(
    rounds: Sequence[RoundLeft], settings: Settings, limits: Limits, *, entrants: int, max_plies: int, slots: int
) -> float:
    """Return the most seconds that these rounds, all of a tournament, take if every bot uses its whole clock.

    Every match is played, tie-breaks included, and every leg is as long as the rules of the game allow: `max_plies`
    decisions, of each of which a part is free.
    """
    legs = settings.seats if settings.series is None else settings.series.max_games
    leg_s = (settings.seats * limits.elapsed_ms + max_plies * FREE_MS_PER_ANSWER) / 1000 + PLAYING_S_PER_LEG
    match_s = legs * leg_s + STORING_S_PER_MATCH
    possible = find_format(settings.format).count_rounds(entrants, settings)
    more = max(possible - len(rounds), 0)  # rounds that are not played if better seeds always win: a second final
    total = 0.0
    for left in [*rounds, *([rounds[-1]._replace(boards=1)] * more if rounds else [])]:
        matches = settings.matches_per_pairing + (settings.max_tiebreak_matches if left.is_knockout else 0)
        in_turn = matches if left.is_knockout else 1
        if left.boards:
            total += Work(left.boards * matches * match_s, in_turn * match_s).spread(slots).high
    return total
