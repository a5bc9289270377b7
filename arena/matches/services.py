"""Move a match from queued to finished.

Claiming and storing are conditional updates, so a match is never played twice: who changes no row has nothing to do.
"""

import secrets
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from random import SystemRandom
from typing import Any

import orjson
from django.db import transaction
from django.db.models import Exists, Q
from django.db.models.functions import Now
from django.utils.timezone import now

from arena.bots.group_only import find_audience
from arena.bots.models import BotVersion
from arena.bots.samples import list_samples
from arena.bots.services import record_trial_result
from arena.matches import workers
from arena.matches.capabilities import WorkerCapabilities
from arena.matches.draining import find_drained
from arena.matches.models import Attempt, AttemptQuerySet, Leg, LegSeat, Match, MatchQuerySet, Participant, Trial
from arena.matches.verdict_counts import count_verdicts
from arena.runner.languages import LANGUAGES
from arena.runner.leg import LegProgress
from arena.runner.limits import Limits
from arena.runner.match import MatchReport, list_seatings
from arena.runner.verdict import FAULT_NAMES, Verdict
from arena.times import is_past
from engine.core import Json
from engine.deal import deal_hash
from engine.message import Message, gettext_noop, message
from engine.record_hash import record_hash
from engine.registry import GAMES, find_game
from engine.series import FIRST_SEATING, SeriesLength, check_series
from engine.variants import find_variant

MAX_FAILED_ATTEMPTS = 3
"""After this many failures of the arena a match ends without a result."""
MAX_LOST_ATTEMPTS = 10
"""After this many workers stopped while they played it a match ends without a result; restarts count, too."""
HEARTBEAT_TIMEOUT = timedelta(seconds=45)
"""Workers report every few decisions, and no decision takes longer than some seconds."""
REPUBLISH_DELAY = timedelta(seconds=20)
REPUBLISH_BATCH_SIZE = 32
QUEUE_PEEK_SIZE = 8
"""The number of matches at the head of the queue that a worker tries to claim at a time."""
TRIAL_RETRY_DELAY = timedelta(minutes=5)
TRIAL_PRIORITY = 10
LIVE_FIELDS = ("seat", "action", "auto", "verdict", "ms", "cpu_ms", "late_ms")
"""Fields of a decision that are stored while the leg is played; what a bot notes comes with the record only."""
ALL_CAPABILITIES = WorkerCapabilities(is_for_all=True, is_for_rated=True, languages=frozenset(LANGUAGES))


class AttemptLost(Exception):
    """The match, or the decision in a live game, was given to another worker: what this attempt still does is lost."""


def queue_match(  # noqa: PLR0913 - all that decides a match
    *,
    versions: Sequence[BotVersion],
    game: str,
    edition: str,
    priority: int = 0,
    limits: Limits | None = None,
    deal: Json | None = None,
    salts: Sequence[str] | None = None,
    virtual_start: float = 0.0,
    delay_s: float = 0.0,
    series: SeriesLength | None = None,
    deals: Sequence[Json] | None = None,
    options: Mapping[str, Any] | None = None,
    group: int | None = None,
) -> Match:
    """Queue a match and fix all that decides it: versions, options, limits, the deal, and a salt for every leg.

    `options` are changes of the edition's; where they make it another edition, the match is of that one.
    `delay_s` puts the match off from its virtual start time.
    A series has a deal and a salt for every game that it may have; `deals` are these, and `deal` is not given then.
    Deals and salts are drawn where they aren't given. A match is for a `group` alone, given by its key, if its
    tournament is or one of its bots. Raises BadOptions, BadSeries where the game is not played so, or Conflict for bots
    of different groups.
    """
    audience = find_audience([version.bot for version in versions], group)
    rules = find_game(game)
    variant = find_variant(rules, edition, options)
    if series is None:
        seated = list_seatings(len(versions))
        deals = [deal or rules.deal(variant.options, len(versions), SystemRandom())] * len(seated)
    else:
        check_series(rules, len(versions))
        seated = [FIRST_SEATING, *[()] * (series.max_games - 1)]
        deals = deals or [rules.deal(variant.options, len(versions), SystemRandom()) for _ in seated]
    salts = salts or [secrets.token_hex(16) for _ in seated]
    with transaction.atomic(savepoint=False):
        match = Match.objects.create(
            game=game,
            edition=variant.edition,
            options=variant.options,
            changed_options=variant.changed_options,
            rules_version=rules.rules_version,
            limits=asdict(limits or Limits()),
            deal=deals[0],
            series=series and series.to_json(),
            priority=priority,
            virtual_start=virtual_start + delay_s,
            delay_s=delay_s,
            group_id=audience,
        )
        Participant.objects.bulk_create(
            Participant(
                match=match,
                index=index,
                version=version,
                is_hidden=audience is not None and version.bot.group_id is None,
            )
            for index, version in enumerate(versions)
        )
        Leg.objects.bulk_create(
            Leg(
                match=match,
                number=number,
                seating=seating,
                salt=salt,
                deal=own if number > 1 and series is not None else None,
                deal_hash=deal_hash(own, salt),
            )
            for number, (seating, salt, own) in enumerate(zip(seated, salts, deals, strict=True), 1)
        )
    return match


@transaction.atomic
def queue_trial(*, version: BotVersion) -> Match | None:
    """Queue the trial of a version and return the match.

    None where it waits for none or has one already, and while its author is suspended.

    The version is participant 0, at the largest table of its game; the house's simplest bot takes every other seat, or
    the version itself where there is none. An author's second trial waits for the first of everybody.
    """
    version = BotVersion.objects.select_for_update(of=("self",)).select_related("bot__owner").get(pk=version.pk)
    tried = Trial.objects.filter(version=version).exclude(match__state=Match.State.VOID)
    if version.state != BotVersion.State.ON_TRIAL or tried.exists() or version.bot.game not in GAMES:
        return None
    if version.bot.owner.suspended_at is not None:
        return None
    game = find_game(version.bot.game)
    others = game.seats[-1] - 1
    waiting = Match.objects.queued().filter(trial__version__bot__owner=version.bot.owner_id)
    match = queue_match(
        versions=[version, *[_simplest_sample(game.key) or version] * others],
        game=game.key,
        edition=next(iter(game.editions)),
        priority=TRIAL_PRIORITY,
        virtual_start=float(waiting.count()),
    )
    Trial.objects.create(match=match, version=version)
    return match


def _simplest_sample(game: str) -> BotVersion | None:
    house = BotVersion.objects.accepted().filter(bot__owner__is_house=True, bot__game=game).order_by("-number")
    for name in list_samples(game):
        if version := house.filter(bot__name=name).first():
            return version
    return None


def claim_next(*, worker: str, capabilities: WorkerCapabilities = ALL_CAPABILITIES) -> Attempt | None:
    """Claim the first queued match for a worker of these capabilities, and return the attempt.

    None where there is none, or where the worker's machine is drained. Matches that other workers claim first are
    passed over.
    """
    queued = Match.objects.queued().filter(~Exists(find_drained(worker)))
    playable = queued.playable(**asdict(capabilities)).values_list("pk", flat=True)
    while found := list(playable[:QUEUE_PEEK_SIZE]):
        for match_id in found:
            if (attempt := claim_match(match_id=match_id, worker=worker)) is not None:
                return attempt
    return None


@transaction.atomic
def claim_match(*, match_id: int, worker: str) -> Attempt | None:
    """Claim a queued match and return the attempt; None where it isn't queued any more."""
    waiting = Match.objects.filter(pk=match_id, state=Match.State.QUEUED)
    if waiting.update(state=Match.State.RUNNING, started_at=now()) != 1:
        return None
    number = Attempt.objects.filter(match_id=match_id).count() + 1
    token = secrets.token_hex(16)
    return Attempt.objects.create(match_id=match_id, number=number, worker=worker, token=token, heartbeat_at=Now())


def record_heartbeat(*, attempt: Attempt, underway: LegProgress | None = None) -> None:
    """Record that the attempt goes on, and how far it is, for those who watch. Raises AttemptLost."""
    changes: Json = {}
    if underway is not None:
        actions = _live_actions(underway.actions)
        changes["underway"] = {"leg": underway.leg, "seating": underway.seating, "actions": actions}
        if underway.series_scores:
            changes["underway"]["series_scores"] = underway.series_scores
    if _held(attempt).update(heartbeat_at=Now(), **changes) != 1:
        raise AttemptLost(f"{attempt} was taken from {attempt.worker}")


@transaction.atomic
def store_report(*, attempt: Attempt, report: MatchReport) -> None:
    """Store the result of a match, once. Raises AttemptLost where the attempt no longer holds the match."""
    if not _end(attempt, Attempt.Ending.STORED):
        raise AttemptLost(f"{attempt} was taken from {attempt.worker}")
    match = attempt.match
    participants = list(match.participants.all())
    scores = report.scores if report.is_series else [None] * len(participants)
    for participant, points, score in zip(participants, report.points, scores, strict=True):
        participant.points, participant.series_score = points, score
    for played in report.legs:
        for seat, index in enumerate(played.seating):
            _count_elapsed(participants[index], played.elapsed_ms[seat], played.waited_ms[seat])
    Participant.objects.bulk_update(participants, ["points", "series_score", "elapsed_s", "waited_s"])
    legs = list(match.legs.defer("deal"))
    fields = ["record", "record_hash", "reason", "decisions"]
    if report.is_series:
        Leg.objects.filter(match=match, number__gt=len(report.legs)).delete()
        legs = legs[: len(report.legs)]
        fields.append("seating")
    seats = []
    for leg, played in zip(legs, report.legs, strict=True):
        result = played.record["result"]
        leg.seating = played.seating
        leg.record = zlib.compress(orjson.dumps(played.record), 9)
        leg.record_hash = record_hash(played.record)
        leg.reason = result["reason"]
        leg.decisions = len(played.record["actions"])
        for seat, index in enumerate(played.seating):
            fault = played.faults[seat]
            seats.append(
                LegSeat(
                    leg=leg,
                    seat=seat,
                    participant=participants[index],
                    place=result["places"][seat],
                    score=result["scores"][seat],
                    verdict=result["verdicts"][seat],
                    stderr=played.stderr[seat].replace("\0", "\N{REPLACEMENT CHARACTER}"),
                    fault=fault and _fault_json(asdict(fault)),
                )
            )
    Leg.objects.bulk_update(legs, fields)
    LegSeat.objects.bulk_create(seats)
    count_verdicts(seats)
    _running(attempt).update(state=Match.State.FINISHED, finished_at=now())


@transaction.atomic
def fail_attempt(*, attempt: Attempt, error: Message) -> None:
    """End an attempt that the arena failed; the match is queued again, or ends without a result after too many."""
    if _end(attempt, Attempt.Ending.FAILED, error):
        _give_back(attempt)


def requeue_lost_matches() -> list[int]:
    """Queue again the matches of workers that are gone or silent, and return their ids.

    Heartbeats are told by the clock of the database, since workers' own may differ.
    """
    silent = set(
        Attempt.objects.open().filter(is_past("heartbeat_at", HEARTBEAT_TIMEOUT, Now())).values_list("pk", flat=True)
    )
    requeued = []
    for attempt in Attempt.objects.open().defer("underway"):
        if attempt.pk in silent or workers.is_gone(attempt.worker):
            with transaction.atomic():
                if _end(attempt, Attempt.Ending.LOST, message(gettext_noop("The worker stopped."))):
                    _give_back(attempt)
                    requeued.append(attempt.match_id)
    return requeued


@transaction.atomic
def pick_matches_to_republish() -> list[int]:
    """Return queued matches not published lately, the most urgent first, and count them as published now.

    A batch of a long queue suffices: a worker takes the first match that it may play, whichever message woke it.
    """
    stale = Match.objects.queued().filter(is_past("published_at", REPUBLISH_DELAY), game__in=list(GAMES))
    picked = list(stale.values_list("pk", flat=True)[:REPUBLISH_BATCH_SIZE])
    Match.objects.filter(pk__in=picked).update(published_at=now())
    return picked


def list_versions_without_trial() -> list[int]:
    """Return the versions that wait for a trial and have none: the message was lost, or the trial had no result."""
    without_result = Q(match__state=Match.State.VOID) & is_past("match__finished_at", TRIAL_RETRY_DELAY)
    blocking = Trial.objects.exclude(without_result)
    on_trial = BotVersion.objects.on_trial().may_go_on()
    waiting = on_trial.filter(is_past("created_at", REPUBLISH_DELAY), bot__game__in=list(GAMES))
    return list(waiting.exclude(pk__in=blocking.values("version")).values_list("pk", flat=True))


def apply_trial_result(*, match: Match) -> None:
    """Accept or reject the version whose trial this match was, if it was one and has a result."""
    trial = Trial.objects.filter(match=match).select_related("version").first()
    if trial is None or match.state != Match.State.FINISHED:
        return
    faults = LegSeat.objects.filter(leg__match=match, participant__index=0).exclude(verdict=Verdict.OK)
    fault = faults.select_related("leg").order_by("leg__number").first()
    if fault is None:
        record_trial_result(version=trial.version, fault=None)
        return
    verdict = FAULT_NAMES[Verdict(fault.verdict)]
    reason = message(gettext_noop("%(verdict)s in leg %(leg)s of its trial."), verdict=verdict, leg=fault.leg.number)
    record_trial_result(version=trial.version, fault=reason, detail=fault.fault_message)


def _fault_json(fault: Json) -> Json:
    """Return a fault as a database can store it, without NUL."""
    kept: Json = orjson.loads(orjson.dumps(fault).replace(b"\\u0000", b"\\ufffd"))
    return kept


def _held(attempt: Attempt) -> AttemptQuerySet:
    return Attempt.objects.open().filter(pk=attempt.pk, token=attempt.token)


def _end(attempt: Attempt, ending: Attempt.Ending, error: Message | None = None) -> bool:
    return _held(attempt).update(ended_at=now(), ending=ending, error=error, underway=None) == 1


def _live_actions(actions: Sequence[Json]) -> list[Json]:
    return [{name: entry[name] for name in LIVE_FIELDS if name in entry} for entry in actions]


def _count_elapsed(participant: Participant, elapsed_ms: float, waited_ms: float) -> None:
    participant.elapsed_s = (participant.elapsed_s or 0.0) + elapsed_ms / 1000
    participant.waited_s = (participant.waited_s or 0.0) + waited_ms / 1000


def _running(attempt: Attempt) -> MatchQuerySet:
    return Match.objects.filter(pk=attempt.match_id, state=Match.State.RUNNING)


def _give_back(attempt: Attempt) -> None:
    endings = list(Attempt.objects.filter(match_id=attempt.match_id).values_list("ending", flat=True))
    reason = None
    if endings.count(Attempt.Ending.FAILED) >= MAX_FAILED_ATTEMPTS:
        failed = Attempt.objects.filter(match_id=attempt.match_id, ending=Attempt.Ending.FAILED).latest("number")
        problem = gettext_noop("The arena failed to play it %(times)s times, the last time with: %(failure)s")
        reason = message(problem, times=MAX_FAILED_ATTEMPTS, failure=failed.error or "")
    elif endings.count(Attempt.Ending.LOST) >= MAX_LOST_ATTEMPTS:
        reason = message(gettext_noop("%(count)s workers stopped while they played it."), count=MAX_LOST_ATTEMPTS)
    if reason:
        _running(attempt).update(state=Match.State.VOID, void_reason=reason, finished_at=now())
    else:
        _running(attempt).update(state=Match.State.QUEUED, started_at=None, published_at=now())
