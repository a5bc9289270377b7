"""Gather what the members of a group have done, for marks: a line each, also for those who entered nothing."""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import Count, Q

from arena.bots.models import Bot, BotVersion
from arena.contests.ladders.models import Ladder
from arena.contests.ladders.queries import list_by_rating, list_pair_stats
from arena.contests.tournaments.models import Tournament
from arena.contests.tournaments.overview import fetch_overview
from arena.matches.models import LegSeat, Match
from arena.people.groups.models import Group, Membership
from arena.people.groups.services import list_members
from arena.runner.program import Verdict


@dataclass(frozen=True, slots=True)
class BotScore:
    """What a bot has reached in a contest."""

    place: int | None
    """None before the first round, and for a bot that is disqualified or provisional."""
    points: float
    faults: int
    beaten: int
    """Number of opponents that it has beaten: in a pairing, or on a ladder over all their matches."""


@dataclass(slots=True)
class MarkLine:
    """What a member has done."""

    member: Membership
    bots: list[str] = field(default_factory=list)
    """Names of the bots of the contest's game that the group may know of."""
    versions: int = 0
    last_upload: datetime | None = None
    check: str = ""
    """State of the newest version; empty where there is none."""
    best: BotScore | None = None
    """Of the bot that did best; None without one in the contest."""
    faults: int = 0
    """Of all the member's bots in the contest."""


def collect_marks(group: Group, contest: Tournament | Ladder | None) -> list[MarkLine]:
    """Return a line for each member, with results of a contest of the group if one is given."""
    lines = {member.user_id: MarkLine(member) for member in list_members(group)}
    # Bots for another group are that group's secret.
    bots = Bot.objects.of_authors(list(lines)).filter(Q(group=None) | Q(group=group))
    bots = bots.filter(game=contest.game) if contest is not None else bots
    authors = {
        bot.pk: [lines[pk] for pk in {bot.owner_id, *(one["id"] for one in bot.co_authors)} if pk in lines]
        for bot in bots
    }
    versions = BotVersion.objects.filter(bot__in=list(authors)).order_by("created_at", "pk")
    for bot, name, created_at, state in versions.values_list("bot", "bot__name", "created_at", "state"):
        for line in authors[bot]:
            line.bots = sorted({*line.bots, name})
            line.versions += 1
            line.last_upload, line.check = created_at, state
    for bot, score in _score(contest, list(authors)).items():
        for line in authors.get(bot, []):
            line.faults += score.faults
            if line.best is None or _rank(score) < _rank(line.best):
                line.best = score
    return list(lines.values())


def _rank(score: BotScore) -> tuple[bool, int, float]:
    return score.place is None, score.place or 0, -score.points


def _score(contest: Tournament | Ladder | None, bots: Iterable[int]) -> dict[int, BotScore]:
    """Return the scores of bots in a contest by their keys; those of others may be among them."""
    if isinstance(contest, Tournament):
        return _score_tournament(contest)
    return _score_ladder(contest, bots) if contest is not None else {}


def _score_tournament(tournament: Tournament) -> dict[int, BotScore]:
    tournament.shows_all = True  # marks are for organisers alone
    overview = fetch_overview(tournament)
    faults = Counter(fault.entrant for fault in overview.faults)
    beaten: dict[int, set[int]] = defaultdict(set)
    for result in (result for results in overview.results for result in results if result.played):
        if result.winner is not None:
            beaten[result.winner] |= {*result.pairing.entrants} - {result.winner}
    return {
        overview.by_number[one.number].bot_id: BotScore(
            one.place or None, one.points, faults[one.number], len(beaten[one.number])
        )
        for one in (overview.standings if overview.field else [])
    }


def _score_ladder(ladder: Ladder, bots: Iterable[int]) -> dict[int, BotScore]:
    entries = list(list_by_rating(ladder))
    seats = LegSeat.objects.filter(
        leg__match__ladder_match__ladder=ladder,
        leg__match__state=Match.State.FINISHED,
        participant__version__bot__in=list(bots),
    ).exclude(verdict=Verdict.OK)
    faults = dict(seats.order_by().values_list("participant__version__bot").annotate(count=Count("pk")))
    leads: Counter[tuple[int, int]] = Counter()
    for pair in list_pair_stats({entry.pk for entry in entries}).filter(ladder=ladder):
        lead = pair.halves - pair.matches * pair.seats
        leads[pair.low.version.bot_id, pair.high.version.bot_id] += lead
        leads[pair.high.version.bot_id, pair.low.version.bot_id] -= lead
    beaten = Counter(one for (one, other), lead in leads.items() if lead > 0 and one != other)
    return {
        entry.version.bot_id: BotScore(
            place if entry.is_ranked else None,
            entry.points,
            faults.get(entry.version.bot_id, 0),
            beaten[entry.version.bot_id],
        )
        for place, entry in enumerate(entries, start=1)
    }
