"""Tournaments organised without a database: bots leave and are disqualified, and rounds are played again."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from random import Random

from arena.contests.tournaments.document import (
    StatedMatch,
    StatedPairing,
    StatedRound,
    TournamentDocument,
    compute_deal_number,
)
from arena.contests.tournaments.formats import FORMATS
from arena.contests.tournaments.formats.base import Entrant, Format, Pairing, Result, decide_walkover
from arena.contests.tournaments.phases import list_phases
from arena.contests.tournaments.settings import Settings
from arena.contests.tournaments.standings import MatchResult, Standing, count_matches_needed, decide, rank

MAX_REPLAYS = 3


@dataclass
class Organised:
    """A tournament with what was played of it, as its rows would have it."""

    settings: Settings
    entrants: dict[int, Entrant]
    stated: list[StatedRound] = field(default_factory=list)
    """All rounds, also those that were replayed."""

    @property
    def format(self) -> Format:
        return FORMATS[self.settings.format]

    @property
    def field(self) -> list[Entrant]:
        return [self.entrants[number] for number in sorted(self.entrants)]

    @property
    def counted(self) -> list[StatedRound]:
        return sorted((one for one in self.stated if one.is_latest_attempt), key=lambda one: one.number)

    @property
    def rounds(self) -> list[list[Result]]:
        return [[stated.result for stated in one.pairings if stated.result] for one in self.counted]

    @property
    def standings(self) -> list[Standing]:
        return rank(self.format, self.field, self.rounds, self.settings)

    def build_document(self) -> TournamentDocument:
        """Tournament document as is now, without its secret."""
        phases = list_phases(self.format, self.field, self.rounds, self.settings)
        return TournamentDocument(
            season=None,
            commitment="",
            game="battleline",
            edition="standard",
            options={},
            settings=self.settings,
            field=tuple(self.field),
            rounds=tuple(self.stated),
            standings=tuple(map(asdict, self.standings)),
            phases=tuple(
                {
                    "number": phase.number,
                    "key": phase.key,
                    "tables": [{"name": one.name, "standings": [*map(asdict, one.standings)]} for one in phase.tables],
                }
                for phase in phases
            ),
        )


def organise(settings: Settings, count: int, rng: Random, disturbance: float = 0.08) -> Iterator[Organised]:
    """Yield a tournament of `count` entrants after each of its rounds, and at its end.

    `disturbance` is the probability that an entrant leaves in a round.
    """
    own = Organised(settings, {number: Entrant(number) for number in range(1, count + 1)})
    replays = 0
    while (pairings := own.format.pair(own.field, own.rounds, settings)) is not None:
        number = len(own.counted) + 1
        _let_some_leave(own, pairings, number, rng, disturbance)
        attempt = sum(one.number == number for one in own.stated)
        stated = tuple(
            _play(own, pairing, ScheduledAt(attempt, number, board), rng) for board, pairing in enumerate(pairings, 1)
        )
        own.stated.append(StatedRound(number, attempt, is_latest_attempt=True, is_over=True, pairings=stated))
        if replays < MAX_REPLAYS and rng.random() < 2 * disturbance:
            replays += 1
            _replay(own, rng.randint(1, number))
        yield own
    yield own


@dataclass(frozen=True)
class ScheduledAt:
    """The place of a pairing."""

    attempt: int
    round: int
    board: int


def _let_some_leave(own: Organised, pairings: list[Pairing], number: int, rng: Random, disturbance: float) -> None:
    """Let entrants leave while a round is played: at once if that decides their pairing, or else after it."""
    for entrant in own.field:
        if not entrant.is_in(number) or rng.random() >= disturbance:
            continue
        paired = next((one for one in pairings if entrant.number in one.entrants), None)
        at_once = paired is not None and len(paired.entrants) == 2 and rng.random() < 0.7
        own.entrants[entrant.number] = replace(
            entrant, left_in_round=number + (not at_once), is_disqualified=rng.random() < 0.3
        )


def _play(own: Organised, pairing: Pairing, where: ScheduledAt, rng: Random) -> StatedPairing:
    """Play the matches of a pairing, one in five of them even."""
    result = decide_walkover(pairing, own.field, where.round)
    matches: list[MatchResult] = []
    while result is None and count_matches_needed(pairing, matches, own.settings):
        matches.append(_draw_match(len(pairing.entrants), rng))
    result = result or decide(pairing, matches, own.settings)
    stated = [_state(where, number, match) for number, match in enumerate(matches, 1)]
    return StatedPairing(where.board, pairing, result, tuple(stated))


def _draw_match(seats: int, rng: Random) -> MatchResult:
    strengths = [0] * seats if rng.random() < 0.2 else rng.sample(range(seats), seats)
    points = [(sum(own > it for it in strengths) + (sum(own == it for it in strengths) - 1) / 2) for own in strengths]
    scores = tuple(float(rng.randint(0, 5)) for _ in strengths)
    return MatchResult(tuple(one / (seats - 1) for one in points), scores)


def _state(where: ScheduledAt, number: int, match: MatchResult) -> StatedMatch:
    deal = compute_deal_number(where.attempt, where.round, where.board, number)
    return StatedMatch(deal, number, deal, True, match.points, match.game_points, 1, (), ())


def _replay(own: Organised, number: int) -> None:
    """Take a round and all after it out, as the service does."""
    own.stated = [replace(one, is_latest_attempt=one.is_latest_attempt and one.number < number) for one in own.stated]
    for entrant in own.field:
        if entrant.left_in_round is not None and entrant.left_in_round > number:
            own.entrants[entrant.number] = replace(entrant, left_in_round=number)
