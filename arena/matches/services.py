"""Move a match from queued to finished, or cancel it, and tell its authors."""

import secrets
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import timedelta
from random import SystemRandom
from typing import Any

import orjson
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q
from django.utils.timezone import now
from django.utils.translation import gettext

from arena.bots.models import BotVersion
from arena.bots.running import ALL_CAPABILITIES, WorkerCapabilities, list_samples
from arena.bots.services import hold_back_version, record_trial_result
from arena.bots.teams import find_audience, list_authors_of_bot, list_authors_of_bots
from arena.core.database import is_past, write_rows
from arena.core.wake import Work, wake
from arena.matches import workers
from arena.matches.attempts import RETRY_PERIOD, Attempts
from arena.matches.models import (
    Attempt,
    Leg,
    LegSeat,
    Match,
    MatchQuerySet,
    PackageTrial,
    Participant,
    Trial,
    VerdictCount,
)
from arena.matches.slots import Purpose, find_purposes
from arena.matches.workers import find_drained
from arena.people.notices.models import Event
from arena.people.notices.services import notify_staff, notify_user
from arena.runner.bot_packages import name_versions
from arena.runner.languages import PackageSet
from arena.runner.match import LegProgress, MatchReport, list_seatings
from arena.runner.program import FAULT_NAMES, Limits, Verdict
from engine.core import Json
from engine.deal import deal_hash
from engine.message import Message, gettext_noop, join_messages, message
from engine.registry import GAMES, find_game
from engine.replay import record_hash
from engine.series import FIRST_SEATING, SeriesLength, check_series
from engine.variants import find_variant

# Cancel matches that have no result yet, also while they are played.

OPEN_STATES = (Match.State.QUEUED, Match.State.RUNNING)


def list_open_matches_of_author(owner: int) -> MatchQuerySet:
    """List the matches that wait or are played with a bot of this owner."""
    return Match.objects.filter(state__in=OPEN_STATES).with_player(version__bot__owner=owner)


def list_open_matches_of_versions(versions: Collection[int]) -> MatchQuerySet:
    """List the matches that wait or are played with one of these versions."""
    return Match.objects.filter(state__in=OPEN_STATES).with_player(version__in=versions)


def cancel_matches(*, matches: Iterable[int], reason: Message) -> list[int]:
    """Cancel those of these matches that wait or are played, and return them.

    The worker of one that is played notices at its next heartbeat, and its result is refused.
    """
    cancelled = [pk for pk in matches if _cancel_match(pk, reason)]
    if cancelled:
        wake(Work.REMOTE_LEG, cancelled[0])
    return cancelled


@transaction.atomic
def _cancel_match(pk: int, reason: Message) -> bool:
    """Cancel a match. Its attempt is ended first, as when a result is stored, so that only one of both succeeds.

    A worker may claim the match meanwhile, and its attempt is seen only once the match is locked.
    """
    _end_attempts(pk)
    moment = now()
    cancelled = {"state": Match.State.VOID, "void_reason": reason, "finished_at": moment, "cancelled_at": moment}
    is_cancelled = Match.objects.filter(pk=pk, state__in=OPEN_STATES).update(**cancelled) == 1
    if is_cancelled:
        _end_attempts(pk)
    return is_cancelled


def _end_attempts(pk: int) -> None:
    ended = {"ended_at": now(), "ending": Attempt.Ending.CANCELLED, "underway": None}
    Attempt.objects.open().filter(match=pk).update(**ended)


PURPOSES_OF_UNRATED = {
    Purpose.TRIAL: "records of trials",
    Purpose.PACKAGES: "records of trials with other packages",
    Purpose.COMPARISON: "records of comparisons",
    Purpose.CHALLENGE: "records of challenges",
}


def explain_missing_record(match: Match, otherwise: str) -> str:
    """Return why a match has no records any more, in the reader's language: they were removed, or `otherwise`."""
    if set(find_purposes(match)) <= PURPOSES_OF_UNRATED.keys():
        return gettext(
            "This match's records were removed: records of unrated matches are only kept for a limited time. "
            "The result stands."
        )
    return otherwise


# Notify authors of matches that have ended.

TRIAL_RESULTS = {
    BotVersion.State.ACCEPTED: gettext_noop("%(version)s was accepted."),
    BotVersion.State.REJECTED: gettext_noop("%(version)s was rejected."),
}
TRIED_AGAIN = gettext_noop("%(version)s doesn't play with the packages that were installed: %(packages)s.")
LEFT_OUT = gettext_noop("%(version)s doesn't play on the %(edition)s ladder.")


def notify_of_match(*, match: Match) -> None:
    """Notify the authors of a public match by their webhooks. A second call changes nothing."""
    if match.state != Match.State.FINISHED or not match.is_public:
        return
    participants = match.participants.select_related("version__bot__owner").only(
        *("match", "points", "series_score", "version__number", "version__bot__slug"),
        *("version__bot__co_authors", "version__bot__owner__is_house"),
    )
    payload = _match_payload(match, list(participants))
    for user in list_authors_of_bots([one.version.bot for one in participants]):
        notify_user(user=user, event=Event.MATCH_FINISHED, about=f"match {match.pk}", payload=payload)


def notify_of_trial(*, match: Match) -> None:
    """Notify the authors of a version of the result of its trial, by a notice and by their webhooks.

    Of its trial in an edition they are only told a fault, and that by no webhook. Nothing of a group is sent to
    webhooks. A second call changes nothing.
    """
    trial = Trial.objects.filter(match=match).select_related("version__bot__owner").first()
    if trial is None or match.state != Match.State.FINISHED or trial.version.state not in TRIAL_RESULTS:
        return
    version = trial.version
    reason, detail, about = version.state_reason, version.state_detail, f"version {version.pk}"
    result = message(TRIAL_RESULTS[BotVersion.State(version.state)], version=str(version))
    if trial.edition:
        if trial.fault is None:
            return
        editions = find_game(match.game).editions
        result = message(LEFT_OUT, version=str(version), edition=message(editions[trial.edition]))
        reason, detail, about = trial.fault, trial.fault_detail, f"{about} in {trial.edition}"
    payload = {
        "bot": version.bot.slug,
        "version": version.number,
        "state": version.state,
        "reason": str(version.state_reason or ""),
        "detail": str(version.state_detail or ""),
        "match": trial.match_id,
    }
    for user in list_authors_of_bot(version.bot):
        notify_user(
            user=user,
            event=Event.TRIAL_FINISHED,
            text=join_messages(result, reason, detail),
            url=version.get_absolute_url(),
            about=about,
            payload=None if version.bot.group_id is not None or trial.edition else payload,
        )


def notify_of_package_trial(*, match: Match) -> None:
    """Notify the authors of a version that fails with other packages, by a notice. A second call changes nothing."""
    trial = PackageTrial.objects.filter(match=match, has_passed=False).select_related("version__bot__owner").first()
    if trial is None:
        return
    packages = ", ".join(name_versions(trial.packages))
    result = message(TRIED_AGAIN, version=str(trial.version), packages=packages)
    for user in list_authors_of_bot(trial.version.bot):
        notify_user(
            user=user,
            event=Event.TRIAL_FINISHED,
            text=join_messages(result, trial.fault, trial.fault_detail),
            url=trial.version.get_absolute_url(),
            about=f"version {trial.version_id} with {trial.package_set}",
        )


def _match_payload(match: Match, participants: list[Participant]) -> dict[str, Any]:
    return {
        "match": match.pk,
        "game": match.game,
        "edition": match.edition,
        "changed_options": match.changed_options,
        "participants": [
            {
                "bot": one.version.bot.slug,
                "version": one.version.number,
                "points": one.points,
                **({} if one.series_score is None else {"series_score": one.series_score}),
            }
            for one in participants
        ],
        **({} if match.series is None else {"series": match.series}),
    }


# Keep count of how often each version's legs ended with which verdict, in the matches that its bot's pages list.


def count_verdicts(seats: Iterable[LegSeat]) -> None:
    """Count the verdicts of a match, in the transaction that stores it; `seats` come with their participants.

    Hidden participants aren't counted: everybody reads the numbers of a public bot, and may not learn from them what it
    plays for a group.
    The rows are changed in one order, so that two matches between the same versions don't wait for each other.
    """
    shown = (seat for seat in seats if not seat.participant.is_hidden)
    for (version, verdict), legs in sorted(Counter((one.participant.version_id, one.verdict) for one in shown).items()):
        counted = VerdictCount.objects.filter(version=version, verdict=verdict)
        if not counted.update(legs=F("legs") + legs):
            VerdictCount.objects.bulk_create([VerdictCount(version_id=version, verdict=verdict)], ignore_conflicts=True)
            counted.update(legs=F("legs") + legs)


@transaction.atomic
def release_matches(matches: Sequence[int]) -> None:
    """Let those see these matches who would have seen them if their round hadn't been hidden."""
    withheld = Match.objects.filter(pk__in=matches, is_withheld=True)
    released = list(withheld.select_for_update(of=("self",)).values_list("pk", flat=True))
    Match.objects.filter(pk__in=released).update(is_withheld=False)
    shown = Participant.objects.filter(match__in=released)
    shown = shown.filter(Q(match__group=None) | Q(version__bot__group__isnull=False))
    shown.update(is_hidden=False)
    seats = LegSeat.objects.filter(participant__match__in=released, leg__match__state=Match.State.FINISHED)
    count_verdicts(seats.select_related("participant").only("verdict", "participant"))
    for match in Match.objects.filter(pk__in=released):
        notify_of_match(match=match)


# Move a match from queued to finished.
#
# Claiming and storing are conditional updates, so a match is never played twice: who changes no row has nothing to do.

MAX_VERSION_FAILURES = 3
"""A version that was in so many failed attempts within RETRY_PERIOD, on workers that play others, is held back."""
MATCH_HEARTBEAT_TIMEOUT = timedelta(seconds=45)
"""Workers report every few seconds, whatever the runner process is doing."""
UPLOAD_GRACE = timedelta(seconds=20)
"""A version without a trial after this time was missed when it was uploaded."""
QUEUE_PEEK_SIZE = 8
"""The number of matches at the head of the queue that a worker tries to claim at a time."""
TRIAL_RETRY_DELAY = timedelta(minutes=5)
TRIAL_PRIORITY = 10
EDITION_TRIAL_PRIORITY = 9
"""Whether an upload is accepted comes first, and after it on which ladders it plays."""
LIVE_FIELDS = ("seat", "action", "auto", "verdict", "ms", "cpu_ms", "late_ms", "refused")
"""Fields of a decision that are stored while the leg is played; what a bot notes comes with the record only."""


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
    is_withheld: bool = False,
    legs: int | None = None,
    first_seating: int = 0,
) -> Match:
    """Queue a match and fix all that decides it: versions, options, limits, the deal, and a salt for every leg.

    It has a leg for each seating, or so many of these `legs` from the one at `first_seating` on. `options` are changes
    of the edition's; where they make it another edition, the match is of that one. `delay_s` puts the match off from
    its virtual start time. A series has a deal and a salt for every game that it may have; `deals` are these, and
    `deal` is not given then. Deals and salts are drawn where they aren't given. A match is for a `group` alone, given
    by its key, if its tournament is or one of its bots; one that `is_withheld` waits for its round to be revealed.
    Raises BadOptions, BadSeries where the game is not played so, or Conflict for bots of different groups.
    """
    audience = find_audience([version.bot for version in versions], group)
    rules = find_game(game)
    variant = find_variant(rules, edition, options)
    if series is None:
        seated = list_seatings(len(versions))[first_seating:][:legs]
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
            is_withheld=is_withheld,
        )
        Participant.objects.bulk_create(
            Participant(
                match=match,
                index=index,
                version=version,
                is_hidden=is_withheld or (audience is not None and version.bot.group_id is None),
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
        if any(version.is_remote for version in versions):
            wake(Work.REMOTE_LEG, match.pk)
    return match


@transaction.atomic
def queue_trial(*, version: BotVersion) -> Match | None:
    """Queue the trial of a version and return the match, or the first of those that a version accepted has left.

    None where it waits for none or has one already, and while its author is suspended. An author's second trial waits
    for the first of everybody.
    """
    version = BotVersion.objects.select_for_update(of=("self",)).select_related("bot__owner").get(pk=version.pk)
    if version.bot.game not in GAMES or version.bot.owner.suspended_at is not None:
        return None
    trials = Trial.objects.filter(version=version)
    if version.state == BotVersion.State.ACCEPTED and trials.exclude(edition="").exists():
        return next(iter(_queue_edition_trials(version)), None)
    tried = trials.exclude(match__state=Match.State.VOID)
    if version.state != BotVersion.State.ON_TRIAL or tried.exists():
        return None
    waiting = Match.objects.queued().filter(trial__version__bot__owner=version.bot.owner_id, priority=TRIAL_PRIORITY)
    match = _queue_trial_match(version, next(iter(GAMES[version.bot.game].editions)), waiting, TRIAL_PRIORITY)
    Trial.objects.create(match=match, version=version)
    return match


def _queue_edition_trials(version: BotVersion) -> list[Match]:
    """Queue a leg of each edition after the first in which an accepted version was not tried."""
    tried = Trial.objects.filter(version=version).exclude(match__state=Match.State.VOID)
    editions = set(tried.values_list("edition", flat=True))
    waiting = Match.objects.queued().filter(
        trial__version__bot__owner=version.bot.owner_id, priority=EDITION_TRIAL_PRIORITY
    )
    matches = []
    for edition in list(GAMES[version.bot.game].editions)[1:]:
        if edition not in editions:
            match = _queue_trial_match(version, edition, waiting, EDITION_TRIAL_PRIORITY, legs=1)
            Trial.objects.create(match=match, version=version, edition=edition)
            matches.append(match)
    return matches


def _queue_trial_match(
    version: BotVersion, edition: str, waiting: MatchQuerySet, priority: int, legs: int | None = None
) -> Match:
    """Queue a match of a version behind those of its author that wait.

    The version is participant 0, at the largest table of its game; the house's simplest bot takes every other seat, or
    the version itself where there is none.
    """
    game = find_game(version.bot.game)
    others = game.seats[-1] - 1
    return queue_match(
        versions=[version, *[_simplest_sample(game.key) or version] * others],
        game=game.key,
        edition=edition,
        priority=priority,
        virtual_start=float(waiting.count()),
        legs=legs,
    )


def list_versions_to_try_again(found: PackageSet) -> list[int]:
    """Return accepted versions that use packages of another set, and were not tried with those of this one, by age."""
    without_result = Q(match__state=Match.State.VOID) & is_past("match__finished_at", TRIAL_RETRY_DELAY)
    tried = PackageTrial.objects.filter(version=OuterRef("pk"), package_set=found.hash).exclude(without_result)
    using = BotVersion.objects.may_go_on().accepted().filter(bot__game__in=list(GAMES), source__isnull=False)
    other = using.exclude(package_set__in=["", found.hash]).filter(~Exists(tried)).order_by("pk")
    return [key for key, packages in other.values_list("pk", "packages") if found.versions.keys() >= packages.keys()]


@transaction.atomic
def queue_package_trial(*, version: BotVersion, found: PackageSet) -> Match | None:
    """Queue the trial of an accepted version with another set of packages; None if it needs none or has one."""
    version = BotVersion.objects.select_for_update(of=("self",)).select_related("bot__owner").get(pk=version.pk)
    if version.pk not in list_versions_to_try_again(found):
        return None
    waiting = Match.objects.queued().filter(
        package_trial__version__bot__owner=version.bot.owner_id, priority=EDITION_TRIAL_PRIORITY
    )
    edition = next(iter(GAMES[version.bot.game].editions))
    match = _queue_trial_match(version, edition, waiting, EDITION_TRIAL_PRIORITY)
    packages = {name: found.versions[name] for name in version.packages}
    PackageTrial.objects.create(match=match, version=version, package_set=found.hash, packages=packages)
    return match


@transaction.atomic
def apply_package_trial_result(*, match: Match) -> None:
    """Let a version play with another set of packages if it had no fault with it, from now on.

    Until then, and where it fails, it plays on machines with the set before: the arena changed the packages, not the
    author. Nothing is done where the match was no such trial or has no result.
    """
    trial = PackageTrial.objects.filter(match=match, has_passed=None).select_related("version").first()
    if trial is None or match.state != Match.State.FINISHED:
        return
    faults = LegSeat.objects.filter(leg__match=match, participant__index=0).exclude(verdict=Verdict.OK)
    fault = faults.select_related("leg").order_by("leg__number").first()
    if fault is None:
        use = {"packages": trial.packages, "package_set": trial.package_set}
        BotVersion.objects.accepted().filter(pk=trial.version_id).update(**use)
    else:
        template = gettext_noop("%(verdict)s in leg %(leg)s of its trial.")
        verdict = FAULT_NAMES[Verdict(fault.verdict)]
        trial.fault = message(template, verdict=verdict, leg=fault.leg.number)
        trial.fault_detail = fault.fault_message
    trial.has_passed = fault is None
    trial.save(update_fields=["has_passed", "fault", "fault_detail"])


def _simplest_sample(game: str) -> BotVersion | None:
    house = BotVersion.objects.accepted().filter(bot__owner__is_house=True, bot__game=game).order_by("-number")
    for name in list_samples(game):
        if version := house.filter(bot__name=name).first():
            return version
    return None


def claim_next(
    *,
    worker: str,
    capabilities: WorkerCapabilities = ALL_CAPABILITIES,
    priorities: Collection[int] | None = None,
) -> Attempt | None:
    """Claim the first queued match for a worker of these capabilities, and return the attempt.

    None where there is none, or where the worker's machine is drained. Matches that other workers claim first are
    passed over. With `priorities`, only matches of these are taken.
    """
    queued = Match.objects.queued().due().filter(~Exists(find_drained(worker)))
    if priorities is not None:
        queued = queued.filter(priority__in=priorities)
    playable = queued.playable(capabilities).values_list("pk", flat=True)
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
    return MATCH_ATTEMPTS.begin(match_id=match_id, number=number, worker=worker)


def record_heartbeat(*, attempt: Attempt, underway: LegProgress | None = None) -> None:
    """Record that the attempt goes on, and how far it is, for those who watch. Raises AttemptLost."""
    changes: Json = {}
    if underway is not None:
        changes["underway"] = describe_underway(underway)
    MATCH_ATTEMPTS.beat(attempt, **changes)


def describe_underway(underway: LegProgress) -> Json:
    """Return how far a leg is, as it is stored for those who watch."""
    told: Json = {
        "leg": underway.leg,
        "seating": underway.seating,
        "actions": [{name: entry[name] for name in LIVE_FIELDS if name in entry} for entry in underway.actions],
    }
    return told | {"series_scores": underway.series_scores} if underway.series_scores else told


@transaction.atomic
def store_report(*, attempt: Attempt, report: MatchReport) -> None:
    """Store the result of a match, once. Raises AttemptLost where the attempt no longer holds the match."""
    MATCH_ATTEMPTS.end_stored(attempt)
    match = attempt.match
    participants = list(match.participants.all())
    scores = report.scores if report.is_series else [None] * len(participants)
    for participant, points, score in zip(participants, report.points, scores, strict=True):
        participant.points, participant.series_score = points, score
    for played in report.legs:
        for seat, index in enumerate(played.seating):
            _count_elapsed(participants[index], played.elapsed_ms[seat], played.waited_ms[seat])
    write_rows(participants, ["points", "series_score", "elapsed_s", "waited_s"])
    legs = list(match.legs.all())
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
                    refusals=played.refusals[seat] if played.refusals else 0,
                )
            )
    write_rows(legs, fields)
    LegSeat.objects.bulk_create(seats)
    count_verdicts(seats)
    _running(attempt).update(state=Match.State.FINISHED, finished_at=now())


@transaction.atomic
def fail_attempt(*, attempt: Attempt, error: Message) -> None:
    """End an attempt that the arena failed. The match is tried again later, for RETRY_PERIOD.

    A version that was in MAX_VERSION_FAILURES failed attempts while their workers played other matches, and in none
    that was played, is held back: one bot that the arena can't run must not keep all workers busy.
    """
    if not MATCH_ATTEMPTS.end_without_result(attempt, Attempt.Ending.FAILED, error):
        return
    failed = Attempt.objects.filter(ending=Attempt.Ending.FAILED, ended_at__gt=now() - RETRY_PERIOD)
    for version in attempt.match.participants.values_list("version", flat=True):
        own = list(failed.filter(match__participants__version=version).distinct().order_by("ended_at"))
        if (
            len(own) >= MAX_VERSION_FAILURES
            and _is_cause(version, own)
            and hold_back_version(version=version, at=now())
        ):
            _report_held_back(BotVersion.objects.select_related("bot").get(pk=version))


def _report_held_back(version: BotVersion) -> None:
    problem = gettext_noop(
        "%(version)s is held back: the arena failed to play it %(times)s times within an hour, on workers "
        "that play other bots. Check its matches' errors, then release it."
    )
    notify_staff(
        event=Event.VERSION_HELD_BACK,
        text=message(problem, version=str(version), times=MAX_VERSION_FAILURES),
        url=version.get_absolute_url(),
        about=f"version {version.pk}",
    )


def _is_cause(version: int, failed: Sequence[Attempt]) -> bool:
    """Return whether all workers of these attempts have stored results since the first, but none of this version."""
    workers_of = {attempt.worker for attempt in failed}
    stored = Attempt.objects.filter(ending=Attempt.Ending.STORED, ended_at__gt=failed[0].started_at)
    if stored.filter(match__participants__version=version).exists():
        return False
    return workers_of == set(stored.filter(worker__in=workers_of).values_list("worker", flat=True))


def requeue_lost_matches() -> list[int]:
    """Queue again the matches of workers that are gone or silent, and return their ids."""
    return [attempt.match_id for attempt in MATCH_ATTEMPTS.end_lost()]


def has_due_match() -> bool:
    """Return whether a match waits for workers that may be played now."""
    return Match.objects.queued().due().for_workers().filter(game__in=list(GAMES)).exists()


def list_versions_without_trial() -> list[int]:
    """Return the versions that wait for a trial and have none: the message was lost, or the trial had no result."""
    without_result = Q(match__state=Match.State.VOID) & is_past("match__finished_at", TRIAL_RETRY_DELAY)
    blocking = Trial.objects.exclude(without_result)
    may_go_on = BotVersion.objects.may_go_on().filter(bot__game__in=list(GAMES))
    waiting = may_go_on.on_trial().filter(is_past("created_at", UPLOAD_GRACE))
    of_edition = blocking.filter(version=OuterRef("version"), edition=OuterRef("edition"))
    untried = Trial.objects.filter(without_result, ~Exists(of_edition)).exclude(edition="")
    return [
        *waiting.exclude(pk__in=blocking.values("version")).values_list("pk", flat=True),
        *may_go_on.accepted().filter(pk__in=untried.values("version")).values_list("pk", flat=True),
    ]


@transaction.atomic
def apply_trial_result(*, match: Match) -> bool:
    """Accept or reject the version whose trial this match was, or find whether it passed in an edition.

    Nothing is done where the match was no trial or has no result. A version that is accepted is tried in the other
    editions of its game: it joins the ladders of those in which it has no fault. Those trials are queued with the
    acceptance, so that nobody sees it without them. Return whether some were.
    """
    trial = Trial.objects.filter(match=match).select_related("version__bot__owner").first()
    if trial is None or match.state != Match.State.FINISHED:
        return False
    faults = LegSeat.objects.filter(leg__match=match, participant__index=0).exclude(verdict=Verdict.OK)
    fault = faults.select_related("leg").order_by("leg__number").first()
    reason, detail = (None, None) if fault is None else (_describe_trial_fault(fault, trial), fault.fault_message)
    if trial.edition:
        result = {"has_passed": fault is None, "fault": reason, "fault_detail": detail}
        Trial.objects.filter(pk=trial.pk, has_passed=None).update(**result)
        return False
    record_trial_result(version=trial.version, fault=reason, detail=detail)
    return fault is None and bool(_queue_edition_trials(trial.version))


def _describe_trial_fault(fault: LegSeat, trial: Trial) -> Message:
    verdict = FAULT_NAMES[Verdict(fault.verdict)]
    if trial.edition:
        return message(gettext_noop("%(verdict)s in its trial leg."), verdict=verdict)
    return message(gettext_noop("%(verdict)s in leg %(leg)s of its trial."), verdict=verdict, leg=fault.leg.number)


def _fault_json(fault: Json) -> Json:
    """Return a fault as a database can store it, without NUL."""
    kept: Json = orjson.loads(orjson.dumps(fault).replace(b"\\u0000", b"\\ufffd"))
    return kept


def _count_elapsed(participant: Participant, elapsed_ms: float, waited_ms: float) -> None:
    participant.elapsed_s = (participant.elapsed_s or 0.0) + elapsed_ms / 1000
    participant.waited_s = (participant.waited_s or 0.0) + waited_ms / 1000


def _running(attempt: Attempt) -> MatchQuerySet:
    return Match.objects.filter(pk=attempt.match_id, state=Match.State.RUNNING)


def _give_back(attempt: Attempt, pause: timedelta | None) -> None:
    """Queue the match of an attempt that ended without a result again; without a pause end it, too."""
    if pause is None:
        reason = message(gettext_noop("Not played: the server kept failing for an hour."))
        _running(attempt).update(state=Match.State.VOID, void_reason=reason, finished_at=now())
    else:
        _running(attempt).update(state=Match.State.QUEUED, started_at=None, retry_at=now() + pause if pause else None)


MATCH_ATTEMPTS = Attempts(
    Attempt,
    work=("match_id",),
    heartbeat_timeout=MATCH_HEARTBEAT_TIMEOUT,
    give_back=_give_back,
    cleared={"underway": None},
    goes_on=lambda attempt: workers.is_remote_server(attempt.worker),
)
