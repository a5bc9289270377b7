"""Find analyses and what they say of bots, matches and the workers' time."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count, Exists, F, Min, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from arena.bots.models import Bot, BotVersion
from arena.contests.analysis.models import LegAnalysis, LegAnalysisQuerySet, SeatAnalysis, WaitingLine
from arena.contests.comparisons.models import ParticipantLuck
from arena.contests.comparisons.services import list_matches_with_deal_in_play
from arena.contests.ladders.models import Ladder, LadderMatch
from arena.matches.livegames.models import LiveGame
from arena.matches.models import Leg, LegSeat, Match, Participant
from arena.matches.queue import list_live_workers
from arena.matches.slots import LEAST_SHARE
from arena.people.accounts.models import User
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import COARSE, FULL
from engine.core import Json
from engine.registry import GAMES

# Find the analysis of a leg, and count those that come before it.

Subject = Leg | LiveGame
"""What can be analysed: a leg of a match, or a live game."""


@dataclass(frozen=True, slots=True)
class ShownAnalysis:
    """The result that pages show: that of the full pass, or of the coarse one until then."""

    analysis: LegAnalysis
    is_coarse: bool

    @property
    def key(self) -> str:
        """Return a key that changes with the content."""
        return f"{self.analysis.pk} {COARSE if self.is_coarse else FULL}"

    @property
    def content(self) -> Json:
        """Return the analysis as JSON."""
        content = self.analysis.coarse_data if self.is_coarse else self.analysis.result_data
        assert content is not None
        return content


@dataclass(frozen=True, slots=True)
class LegAnalyses:
    """The analyses of a leg: a finished one to show, and that by the newest value function."""

    done: LegAnalysis | None
    newest: LegAnalysis | None
    """The analysis by the newest value function; None where nobody has requested it."""

    @property
    def pending(self) -> LegAnalysis | None:
        """Return the newest one while it waits or is made."""
        return self.newest if self.newest is not None and self.newest.is_pending else None

    @property
    def shown(self) -> ShownAnalysis | None:
        """Return what can be shown: a finished one, or else the coarse result of the newest."""
        if self.done is not None:
            return ShownAnalysis(self.done, is_coarse=False)
        if self.newest is not None and self.newest.coarse_result is not None:
            return ShownAnalysis(self.newest, is_coarse=True)
        return None


def find_analyses(subject: Subject) -> LegAnalyses:
    """Return the analyses of a leg or a live game, which may be shown to whoever asks."""
    rows = list(list_analyses(subject).order_by(F("finished_at").desc(nulls_last=True)))
    played = subject.match if isinstance(subject, Leg) else subject
    for row in rows:
        if isinstance(subject, Leg):
            row.leg = subject
        else:
            row.live_game = subject
    evaluator = find_evaluator(played.game, played.edition)
    current = evaluator and (evaluator.version, evaluator.weights_hash)
    done = next((row for row in rows if row.is_done), None)
    return LegAnalyses(done, next((row for row in rows if (row.function_version, row.function_hash) == current), None))


def fetch_result(subject: Subject) -> LegAnalysis | None:
    """Return the finished analysis of a leg or a live game; None where there is none, or only a coarse result."""
    return list_analyses(subject).filter(state=LegAnalysis.State.DONE).order_by("-pk").first()


def fetch_shown(subject: Subject) -> ShownAnalysis | None:
    """Return what is shown of the analysis of a leg or a live game; None where there is nothing yet."""
    return find_analyses(subject).shown


def list_analyses(subject: Subject) -> QuerySet[LegAnalysis]:
    """List the analyses of a leg or a live game, without their parts."""
    of_subject = Q(leg=subject) if isinstance(subject, Leg) else Q(live_game=subject)
    return LegAnalysis.objects.filter(of_subject).defer("parts")


def count_ahead(analysis: LegAnalysis) -> int:
    """Count the analyses that are done before this one."""
    earlier = Q(pk__lt=analysis.pk, is_automatic=analysis.is_automatic)
    if analysis.is_automatic:
        earlier |= Q(is_automatic=False)
    return LegAnalysis.objects.unfinished().filter(earlier).count()


def count_coarse_ahead(analysis: LegAnalysis) -> int:
    """Count the coarse passes that are made before that of this one."""
    return LegAnalysis.objects.in_line(WaitingLine.COARSE).filter(pk__lt=analysis.pk).count()


def list_requested_analyses(user: User) -> QuerySet[LegAnalysis]:
    """List the analyses that a user has requested, oldest first."""
    return LegAnalysis.objects.filter(requested_by=user).select_related("leg", "live_game").order_by("pk")


# Fetch a bot's luck of the draw and its most frequent mistakes from the analyses of its legs.

SEATS_LOOKED_AT = 200
"""Typical mistakes are counted in so many of a bot's newest analysed legs."""
EXAMPLES_PER_KIND = 5


@dataclass(frozen=True, slots=True)
class DrawLuck:
    """The luck of all measured draws of a bot."""

    draws: int
    mean: float
    """Mean luck of a draw, as a chance of winning from -1 to 1."""
    z: float
    """The mean in its standard errors: by chance alone it is rarely beyond 3."""

    @property
    def points(self) -> float:
        """Return the mean in points of winning chance."""
        return 100 * self.mean


@dataclass(slots=True)
class MistakeKind:
    """One kind of mistakes of a bot."""

    kind: str
    game: str
    count: int = 0
    lost: float = 0.0
    """Sum of the chances that they gave away."""
    examples: list["MistakeExample"] = field(default_factory=list)
    """The most expensive ones, the worst first."""


@dataclass(frozen=True, slots=True)
class MistakeExample:
    """A mistake of a bot, and where it can be seen."""

    match: int
    edition: str
    leg: int
    seat: int
    mistake: dict[str, Any]


@dataclass(frozen=True, slots=True)
class MistakeSummary:
    """The mistakes of a bot's newest analysed legs."""

    legs: int
    judgements: dict[str, int]
    kinds: Sequence[MistakeKind]
    """Those that gave away most first."""


def fetch_draw_luck(bot: Bot) -> DrawLuck | None:
    """Return the luck of a bot's draws, of analysed legs and of comparisons; None where there are too few of them."""
    of_comparisons = ParticipantLuck.objects.filter(participant__version__bot=bot)
    analysed = SeatAnalysis.objects.filter(participant__version__bot=bot, participant__luck=None)
    found = [
        rows.aggregate(draws=Sum("draws"), luck=Sum(luck), squares=Sum(squares))
        for rows, luck, squares in (
            (of_comparisons, "luck", "squares"),
            (analysed, "draw_luck", "draw_luck_squares"),
        )
    ]
    draws, luck, squares = (sum(rows[name] or 0 for rows in found) for name in ("draws", "luck", "squares"))
    variance = (squares - luck * luck / draws) / (draws - 1) if draws > 1 else 0.0
    if variance <= 0:
        return None
    mean = luck / draws
    return DrawLuck(draws, mean, mean / math.sqrt(variance / draws))


def list_lost_legs(bot: Bot) -> QuerySet[Leg]:
    """List the legs in which a bot wasn't first, the newest first, of the matches that its pages show."""
    lost = LegSeat.objects.filter(participant__in=Participant.objects.shown().filter(version__bot=bot), place__gt=1)
    finished = Leg.objects.filter(match__state=Match.State.FINISHED, pk__in=lost.values("leg"))
    return finished.select_related("match").order_by("-match_id", "-number")


def summarize_mistakes(bot: Bot, version: int | None = None) -> MistakeSummary:
    """Return the mistakes in a bot's newest analysed legs, or in those of one of its versions, by its number."""
    own = SeatAnalysis.objects.filter(participant__version__bot=bot).select_related("analysis__leg__match")
    if version is not None:
        own = own.filter(participant__version__number=version)
    own = own.only("seat", "mistakes", "analysis__leg__number", "analysis__leg__match__edition").order_by("-pk")
    rows = list(own[:SEATS_LOOKED_AT])
    kinds: dict[str, MistakeKind] = {}
    judgements: Counter[str] = Counter()
    for row in rows:
        leg = row.analysis.leg
        assert leg is not None, "only legs of matches have participants"
        for mistake in row.mistakes:
            judgements[mistake["judgement"]] += 1
            kind = kinds.setdefault(mistake["kind"], MistakeKind(mistake["kind"], bot.game))
            kind.count += 1
            kind.lost += mistake["loss"]
            kind.examples.append(MistakeExample(leg.match_id, leg.match.edition, leg.number, row.seat, mistake))
    for kind in kinds.values():
        kind.examples = sorted(kind.examples, key=lambda one: -one.mistake["loss"])[:EXAMPLES_PER_KIND]
    return MistakeSummary(len(rows), dict(judgements), sorted(kinds.values(), key=lambda kind: -kind.lost))


# Find the decisions of an author's bots that gave away the most lately.

WORST_SEATS_LOOKED_AT = 200
"""Seats that gave away most in all, in which the worst decisions are looked for: a seat gave away no less than its
worst decision did, so with fewer analysed seats than that none is missed."""
UNNEEDED_OF_SEATS = (
    *(f"analysis__{name}" for name in ("parts", "coarse_result", "result")),
    *(f"analysis__leg__{name}" for name in ("record", "deal", "match__deal")),
    "participant__version__build_log",
)


@dataclass(frozen=True, slots=True)
class WorstDecision:
    """A decision of a bot, with what the analysis of its leg says of it. Chances are from 0 to 1."""

    seat: SeatAnalysis
    """The numbers of its seat, with its leg, match and version."""
    mistake: dict[str, Any]
    chance: float
    """The bot's chance after what it did, as it could know it."""
    best_chance: float

    @property
    def leg(self) -> Leg:
        """Return the leg of a match in which it was made."""
        assert self.seat.analysis.leg is not None, "only legs of matches have participants"
        return self.seat.analysis.leg

    @property
    def version(self) -> BotVersion:
        """Return the version that made it."""
        assert self.seat.participant is not None, "only live games have seats without participants"
        return self.seat.participant.version


@dataclass(frozen=True, slots=True)
class WorstDecisions:
    """The worst decisions of an author's bots since a time, the worst first."""

    decisions: Sequence[WorstDecision]
    is_any_analysed: bool
    """Whether any of their legs has been analysed since then."""


def fetch_worst_decisions(author: User, since: datetime, limit: int) -> WorstDecisions:
    """Return the decisions that gave away most in matches since then, of all bots that a user leads or works on.

    Of matches that the user may see, and whose deals are in play nowhere else. Where a leg was analysed by several
    value functions, the newest analysis counts.
    """
    own = SeatAnalysis.objects.filter(
        participant__version__bot__in=Bot.objects.of_authors([author]),
        participant__match__in=Match.objects.visible_to(author).filter(finished_at__gte=since, game__in=GAMES),
        analysis__state=LegAnalysis.State.DONE,
        analysis__finished_at__gte=since,
    )
    related = ("analysis__leg__match", "participant__version__bot__owner")
    own = own.select_related(*related).defer(*UNNEEDED_OF_SEATS).order_by("-given_away", "-pk")
    found = list(own[:WORST_SEATS_LOOKED_AT])
    hidden = list_matches_with_deal_in_play({seat.participant.match_id for seat in found if seat.participant})
    newest: dict[tuple[int, int], SeatAnalysis] = {}
    for seat in found:
        key = (seat.analysis.leg_id or 0, seat.seat)
        is_open = seat.participant is not None and seat.participant.match_id not in hidden
        if is_open and (key not in newest or newest[key].analysis_id < seat.analysis_id):
            newest[key] = seat
    worst = sorted(
        ((seat, mistake) for seat in newest.values() for mistake in seat.mistakes),
        key=lambda pair: (-pair[1]["loss"], pair[0].pk, pair[1]["number"]),
    )[:limit]
    analyses = LegAnalysis.objects.only("result").in_bulk({seat.analysis_id for seat, _mistake in worst})
    graded = {key: {one["number"]: one for one in row.result_data["decisions"]} for key, row in analyses.items()}
    decisions = []
    for seat, mistake in worst:
        told = graded[seat.analysis_id][mistake["number"]]
        decisions.append(WorstDecision(seat, mistake, told["chance"], told["best_chance"]))
    return WorstDecisions(decisions, bool(newest))


# Figures of analyses for operators.


@dataclass(frozen=True, slots=True)
class AnalysisFigures:
    """How many analyses wait and are made, and when the longest waiting one was requested."""

    waiting: int
    running: int
    oldest: datetime | None


def fetch_analysis_figures() -> AnalysisFigures:
    """Return the figures of this moment. One that is made in slices counts as running between them, too."""
    found = LegAnalysis.objects.unfinished().aggregate(
        waiting=Count("pk", filter=Q(state=LegAnalysis.State.WAITING)),
        running=Count("pk", filter=Q(state=LegAnalysis.State.RUNNING)),
        oldest=Min("created_at"),
    )
    return AnalysisFigures(**found)


# Choose the matches of a ladder that are analysed without being asked for.


def list_top_matches(ladder: Ladder, since: datetime, limit: int) -> list[Match]:
    """Return the rated matches since then whose weaker bot had the highest rating, without those analysed already."""
    analysed = LegAnalysis.objects.filter(leg__match=OuterRef("match"))
    rated = LadderMatch.objects.filter(
        ~Exists(analysed), ladder=ladder, void_sequence=None, match__finished_at__gte=since, sequence__isnull=False
    )
    rated = rated.annotate(weaker=Min("changes__before")).filter(weaker__isnull=False).order_by("-weaker", "-pk")
    return [row.match for row in rated.select_related("match").defer("match__deal")[:limit]]


# Find where finished matches turned, as far as their legs have been analysed.


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """The decision of a match that gave away the most."""

    leg: int
    decision: int
    """The number of the decision in the record of the leg, from 0."""
    loss: float
    """The chance that it gave away, from 0 to 1."""


def fetch_turning_points(matches: Sequence[int]) -> dict[int, TurningPoint]:
    """Return by match the worst decision of all analysed legs; matches without one are left out."""
    seats = SeatAnalysis.objects.filter(
        analysis__leg__match__in=matches, analysis__state=LegAnalysis.State.DONE
    ).exclude(mistakes=[])
    found: dict[int, TurningPoint] = {}
    rows = seats.values_list("analysis__leg__match", "analysis__leg__number", "mistakes")
    for match, leg, mistakes in rows.order_by("analysis__leg", "seat"):
        worst = max(mistakes, key=lambda mistake: mistake["loss"])
        if match not in found or worst["loss"] > found[match].loss:
            found[match] = TurningPoint(leg, worst["number"], worst["loss"])
    return found


def fetch_judged_losses(matches: Sequence[int]) -> dict[int, dict[int, dict[int, float]]]:
    """Return by match and number of the leg what decisions with a judgement gave away, by their numbers in the record.

    A leg that was analysed without finding one has no losses; legs that weren't analysed are left out.
    """
    found: dict[int, dict[int, dict[int, float]]] = {}
    seats = SeatAnalysis.objects.filter(analysis__leg__match__in=matches, analysis__state=LegAnalysis.State.DONE)
    for match, leg, mistakes in seats.order_by("pk").values_list(
        "analysis__leg__match", "analysis__leg__number", "mistakes"
    ):
        losses = found.setdefault(match, {}).setdefault(leg, {})
        losses.update({mistake["number"]: mistake["loss"] for mistake in mistakes})
    return found


# How much of the workers' time analyses may take: a share of their processes, and of one process's time below that.


def is_analysis_on() -> bool:
    """Return whether this arena makes analyses at all."""
    return settings.ANALYSIS_SHARE_PERCENT > 0


def count_granted_processes() -> float:
    """Return the number of worker processes, perhaps a part of one, whose time analyses may take while matches wait."""
    workers = max(1, list_live_workers().able().count())
    return settings.ANALYSIS_SHARE_PERCENT / 100 * settings.CELERY_WORKER_CONCURRENCY * workers


def count_slots() -> int:
    """Return how many analyses may be made at the same time: at least one, unless they are switched off."""
    return max(1, int(count_granted_processes())) if is_analysis_on() else 0


def compute_rest(worked_s: float, line: WaitingLine) -> timedelta:
    """Return how long an analysis rests after so many seconds of work.

    While no match waits, it doesn't. Where less than one process is granted, it rests for the others' part of the time.
    """
    return timedelta(seconds=worked_s * (compute_stretch(line) - 1))


def compute_stretch(line: WaitingLine = WaitingLine.FULL) -> float:
    """Return how many times as long as its work an analysis takes with its rests: at least once.

    Analyses that nobody asked for get no more than LEAST_SHARE of the time of all processes.
    """
    granted = count_granted_processes()
    if line is WaitingLine.UNREQUESTED:
        granted *= min(1.0, LEAST_SHARE / (settings.ANALYSIS_SHARE_PERCENT / 100)) if granted else 0.0
    if granted >= 1 or granted <= 0 or not Match.objects.queued().for_workers().exists():
        return 1.0
    return 1 / granted


# Estimate when an analysis is done, from what recent ones took on this arena and from the line ahead of it.

RECENT_ANALYSES = 20
"""Analyses whose time is looked at, the latest ones."""
USUAL_FULL_S_PER_ENTRY, USUAL_COARSE_S_PER_ENTRY = 0.05, 0.006
"""Seconds of work for each entry of a record of `standard`, before this arena has made any analysis."""
USUAL_ENTRIES = 100
"""Number of entries assumed of a leg whose length isn't known."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Seconds of work for each entry of a record."""

    coarse_s: float
    full_s: float


def estimate_seconds(analysis: LegAnalysis) -> float | None:
    """Return in how many seconds the next result of a pending analysis is expected: the coarse one, then the full.

    None where nothing can be said: no worker takes anything at present, or the analysis isn't made.
    """
    workers = list_live_workers().able().count()
    if not analysis.is_pending or not is_analysis_on() or not workers:
        return None
    pace = fetch_pace()
    coarse_s = pace.coarse_s * sum_entries(LegAnalysis.objects.in_line(WaitingLine.COARSE).filter(pk__lte=analysis.pk))
    processes = workers * settings.CELERY_WORKER_CONCURRENCY
    if analysis.line is WaitingLine.COARSE:
        own_s = pace.coarse_s * count_entries(analysis)
        return max(own_s, coarse_s / processes)
    earlier = LegAnalysis.objects.in_line(analysis.line).filter(pk__lt=analysis.pk)
    if analysis.line is WaitingLine.UNREQUESTED:
        earlier |= LegAnalysis.objects.unfinished().filter(is_automatic=False)
    ahead_s = pace.full_s * sum_entries(earlier) / count_slots()
    own_s = pace.full_s * (count_entries(analysis) - analysis.entries_done)
    return coarse_s / processes + compute_stretch() * (ahead_s + max(own_s, 0.0))


def fetch_pace() -> Pace:
    """Return what recent analyses took; the usual figures where there are none."""
    recent = LegAnalysis.objects.filter(state=LegAnalysis.State.DONE, entries_done__gt=0)
    usual = Pace(USUAL_COARSE_S_PER_ENTRY, USUAL_FULL_S_PER_ENTRY)
    coarse, full = (
        recent.filter(**{f"{field}__gt": 0})
        .order_by("-finished_at")
        .values_list(field, "entries_done")[:RECENT_ANALYSES]
        for field in ("coarse_s", "worked_s")
    )
    return Pace(
        _divide([*coarse]) or usual.coarse_s,
        _divide([*full]) or usual.full_s,
    )


def sum_entries(analyses: LegAnalysisQuerySet) -> int:
    """Return how many entries these analyses have still before them."""
    decisions = Coalesce("leg__decisions", "live_game__decisions")
    found = analyses.aggregate(
        rows=Count("pk", filter=Q(leg__decisions=None, live_game=None)),
        left=Sum(decisions - F("entries_done")),
    )
    known, unknown = found["left"] or 0, found["rows"]
    return int(max(0, known) + USUAL_ENTRIES * unknown)


def count_entries(analysis: LegAnalysis) -> int:
    """Return how many entries the record of an analysis has."""
    return analysis.subject.decisions or USUAL_ENTRIES


def _divide(rows: list[tuple[float, int]]) -> float:
    return sum(seconds for seconds, _ in rows) / sum(entries for _, entries in rows) if rows else 0.0
