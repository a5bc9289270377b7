"""Read matches, their legs, participants and trials, with what is shown of them."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db.models import Count, F, Min, OuterRef, Prefetch, Q, QuerySet, Subquery, prefetch_related_objects

from arena.bots.models import Bot, BotVersion
from arena.bots.queries import list_named_versions
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
from arena.matches.queue import PlaceInQueue, count_matches_ahead, place_in_queue
from arena.people.accounts.models import User
from arena.people.groups.models import Reader
from arena.runner.program import Verdict
from engine.registry import GAMES

# Read matches with what is shown of them, in a fixed number of queries.

PURPOSES = {"trial": "trial", "ladder_match": "ladder", "challenge": "challenge", "comparison_match": "comparison"}
"""Purpose of a match by the related row that tells it."""
OTHER_PURPOSE = "other"


def list_visible_matches(reader: User | AnonymousUser) -> MatchQuerySet:
    """List the matches a reader may see, without what only the runner needs."""
    return Match.objects.visible_to(reader).lean()


def keep_visible_matches(reader: User | AnonymousUser, matches: Collection[int]) -> list[int]:
    """Return those of these matches that a reader may see, in their order: an author may have left a bot's group."""
    visible = set(Match.objects.visible_to(reader).filter(pk__in=matches).values_list("pk", flat=True))
    return [match for match in matches if match in visible]


def list_matches_by_key(keys: QuerySet[Participant]) -> QuerySet[Match]:
    """List the matches of these participants."""
    return Match.objects.lean().filter(pk__in=keys.values("match"))


def list_public_legs(match: Match) -> list[Leg]:
    """List the legs of a match with what is public while they are played."""
    return list(match.legs.only("match", "number", "seating", "deal_hash").order_by("number"))


def find_match_with_legs(reader: User | AnonymousUser, pk: int) -> Match | None:
    """Return a match that the reader may see with its legs and their seats, or None.

    Deals, records, logs and salts are not read.
    """
    seats = LegSeat.objects.select_related("participant").defer("stderr", "fault")
    legs = Leg.objects.defer("record", "salt", "deal").prefetch_related(Prefetch("seats", seats))
    found = Match.objects.visible_to(reader).defer("deal").prefetch_related(Prefetch("legs", legs))
    return found.filter(pk=pk).first()


def fetch_purposes(matches: Sequence[int]) -> dict[int, str]:
    """Return the purpose of each of these matches."""
    rows = Match.objects.filter(pk__in=matches).values_list("pk", *(f"{row}__pk" for row in PURPOSES))
    return {
        pk: next((kind for kind, key in zip(PURPOSES.values(), keys, strict=True) if key), OTHER_PURPOSE)
        for pk, *keys in rows
    }


def fetch_deal_hashes(matches: Sequence[int]) -> dict[int, list[str]]:
    """Return the deal hashes of the legs of these matches."""
    hashes: dict[int, list[str]] = {match: [] for match in matches}
    legs = Leg.objects.filter(match__in=matches).order_by("match", "number")
    for match, deal_hash in legs.values_list("match", "deal_hash"):
        hashes[match].append(deal_hash)
    return hashes


# Read the recent matches of a bot: all, lost, with faults or unrated.

EVEN_POINTS = 0.5


def list_started_matches(matches: Sequence[int], limit: int) -> QuerySet[Match]:
    """List the newest of these matches that have left the queue."""
    found = Match.objects.filter(pk__in=matches).exclude(state=Match.State.QUEUED)
    return found.order_by("-pk").lean()[:limit]


def list_unrated_matches(matches: Sequence[int], limit: int) -> QuerySet[Match]:
    """List the newest of these matches that no ladder counts."""
    return Match.objects.filter(pk__in=matches, ladder_match=None).order_by("-pk").lean()[:limit]


def list_lost_matches(matches: Sequence[int], bot: int, limit: int) -> QuerySet[Match]:
    """List the newest of these matches in which the bot made less than half of the points."""
    lost = Participant.objects.filter(match__in=matches, version__bot=bot, points__lt=EVEN_POINTS)
    return Match.objects.filter(pk__in=lost.values("match")).order_by("-pk").lean()[:limit]


def list_faulty_matches(matches: Sequence[int], bot: int, limit: int) -> QuerySet[Match]:
    """List the newest of these matches in which the bot was at fault."""
    seats = LegSeat.objects.filter(participant__match__in=matches, participant__version__bot=bot)
    faulty = seats.exclude(verdict=Verdict.OK).values("participant__match")
    return Match.objects.filter(pk__in=faulty).order_by("-pk").lean()[:limit]


def find_first_place_in_queue(matches: MatchQuerySet) -> PlaceInQueue | None:
    """Return the place in the queue of the first of these matches that waits, or None."""
    first = matches.queued().defer("deal", "options", "limits").first()
    return None if first is None else place_in_queue(first)


def find_queue_place_of(matches: Sequence[int]) -> PlaceInQueue | None:
    """Return the place in the queue of the first of these matches that waits, or None."""
    return find_first_place_in_queue(Match.objects.filter(pk__in=matches))


def list_leg_records(participants: Sequence[int], limit: int) -> QuerySet[LegSeat, tuple[int, Any, Any]]:
    """List seat, stored record and limits of the newest finished legs of these participants."""
    seats = LegSeat.objects.filter(participant__in=participants, leg__record__isnull=False)
    seats = seats.filter(leg__match__state=Match.State.FINISHED)
    return seats.order_by("-pk").values_list("seat", "leg__record", "leg__match__limits")[:limit]


def fetch_series_points(matches: Sequence[int], bot: int) -> dict[int, float]:
    """Return the points of a bot in those of these matches that are finished series, by match."""
    rows = Participant.objects.filter(match__in=matches, version__bot=bot, series_score__isnull=False)
    return {match: points or 0.0 for match, points in rows.order_by().values_list("match", "points")}


def list_meeting_seats(
    matches: Sequence[int], bots: Sequence[int]
) -> QuerySet[LegSeat, tuple[int, int, int, int, int, str]]:
    """List leg, match, bot, seat, place and verdict of these bots in these matches, oldest first."""
    seats = LegSeat.objects.filter(participant__match__in=matches, participant__version__bot__in=bots)
    seats = seats.filter(leg__match__state=Match.State.FINISHED).order_by("participant__match", "leg")
    return seats.values_list("leg", "participant__match", "participant__version__bot", "seat", "place", "verdict")


# Find the newest matches.


def find_newest_match_id() -> int:
    """Return the key of the newest match, or 0."""
    return Match.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def fetch_ends_between(first: int, last: int) -> list[tuple[int, datetime | None]]:
    """Return the keys from `first` to `last` of finished matches that everybody may see, and when they ended."""
    matches = Match.objects.visible_to(None).filter(pk__range=(first, last), state=Match.State.FINISHED)
    return list(matches.filter(game__in=GAMES).order_by("pk").values_list("pk", "finished_at"))


# Read who took part in matches, and their faults, for lists of matches.

LISTED_COLUMNS = (
    *("match", "index", "points", "series_score", "version__number", "version__language"),
    *("version__bot__name", "version__bot__slug", "version__bot__co_authors"),
    *("version__bot__crest_difference", "version__bot__crest_design", "version__bot__is_remote"),
    "version__bot__owner__username",
)
"""The columns of a participant that lists show."""


def list_participants(matches: Sequence[int]) -> dict[int, list[Participant]]:
    """Return the participants of each of these matches in order, with what lists show of their bots."""
    participants = Participant.objects.filter(match__in=matches).select_related("version__bot__owner")
    participants = participants.annotate(
        trial=F("match__trial__edition"), clock=F("match__ladder_match__ladder__clock")
    )
    found: dict[int, list[Participant]] = {match: [] for match in matches}
    for one in participants.only(*LISTED_COLUMNS).order_by("match_id", "index"):
        one.tried_edition = vars(one)["trial"]
        found[one.match_id].append(one)
    for seated in found.values():
        has_one_leg = any(one.tried_edition or vars(one)["clock"] or one.version.bot.is_remote for one in seated)
        for one in seated:
            one.legs_played = 1 if has_one_leg else len(seated)
    return found


def list_participations(versions: Sequence[int], **bounds: int) -> QuerySet[Participant]:
    """List where these versions take part, within bounds given as lookups of the match's key."""
    return Participant.objects.shown().filter(version__in=versions, **bounds)


def fetch_fault_verdicts(participants: Sequence[int]) -> dict[int, list[Verdict]]:
    """Return the verdicts of each of these participants that are faults, in the order of the legs."""
    seats = LegSeat.objects.filter(participant__in=participants).exclude(verdict=Verdict.OK)
    found: dict[int, list[Verdict]] = {}
    for participant, verdict in seats.order_by("leg_id").values_list("participant", "verdict"):
        found.setdefault(participant, []).append(Verdict(verdict))
    return found


def fetch_leg_reasons(matches: Sequence[int]) -> dict[int, list[str]]:
    """Return the reasons for which the legs of each of these matches ended, in their order; none before the end."""
    found: dict[int, list[str]] = {match: [] for match in matches}
    legs = Leg.objects.filter(match__in=matches).exclude(reason="").order_by("match", "number")
    for match, reason in legs.values_list("match", "reason"):
        found[match].append(reason)
    return found


# Read legs that bots lost by a fault.


def list_faults(
    versions: Sequence[int],
    *,
    verdicts: Collection[Verdict] | None,
    oldest: int,
    before: int | None,
    limit: int,
) -> list[LegSeat]:
    """List faults of these versions in matches from `oldest` to `before`, newest matches first."""
    played = Participant.objects.shown().filter(version__in=versions, match__gte=oldest)
    if before is not None:
        played = played.filter(match__lt=before)
    # Looked up by their keys: the other way round every fault of every bot would be read.
    keys = list(played.order_by().values_list("pk", flat=True))
    seats = _list_faulty_seats(keys)
    if verdicts:
        seats = seats.filter(verdict__in=verdicts)
    return list(seats.order_by("-leg__match_id", "leg__number", "seat")[:limit])


def find_last_fault(participants: Sequence[int]) -> LegSeat | None:
    """Return the first fault in the newest match of these participants that has any, or None."""
    return _list_faulty_seats(participants).order_by("-leg__match_id", "leg__number", "participant__index").first()


def _list_faulty_seats(participants: Sequence[int]) -> QuerySet[LegSeat]:
    seats = LegSeat.objects.filter(participant__in=participants, leg__match__state=Match.State.FINISHED)
    shown = [
        "leg__number",
        "leg__match__finished_at",
        "participant__version__number",
        "participant__version__bot__slug",
    ]
    return (
        seats.exclude(verdict=Verdict.OK)
        .select_related("leg__match", "participant__version__bot")
        .only("seat", "verdict", "stderr", "fault", *shown)
    )


# Read verdicts and newest matches of versions, in a time that doesn't grow with their number.

MIN_LEGS_PER_MATCH = 1
"""A series of one game has as few."""


def attach_verdicts(versions: Iterable[Any]) -> list[Any]:
    """Give each version `verdicts`: in all its finished matches, the number of legs by verdict."""
    found = list(versions)
    verdicts: dict[int, dict[str, int]] = {version.pk: {} for version in found}
    rows = VerdictCount.objects.filter(version__in=list(verdicts)).order_by("pk")
    for key, verdict, legs in rows.values_list("version", "verdict", "legs"):
        verdicts[key][verdict] = legs
    for version in found:
        version.verdicts = verdicts[version.pk]
    return found


def count_legs(versions: Iterable[Any]) -> dict[int, int]:
    """Count the legs of each version, which has its `verdicts`, by its key."""
    return {version.pk: sum(version.verdicts.values()) for version in versions}


def fetch_matches(keys: Sequence[int]) -> QuerySet[Match]:
    """List the matches with these keys, newest first."""
    return Match.objects.filter(pk__in=keys).lean().order_by("-pk")


def find_oldest_match(legs: dict[int, int], scanned: int, before: int | None = None) -> int:
    """Return the match to look back to when `scanned` matches of the busiest version are read; 0 for all.

    The limit keeps the whole history of a busy bot from being read. `legs` are counted by version.
    """
    busiest = max(legs, key=lambda pk: legs[pk])
    if legs[busiest] <= MIN_LEGS_PER_MATCH * scanned:
        return 0
    played = Participant.objects.shown().filter(version=busiest)
    if before is not None:
        played = played.filter(match__lt=before)
    return played.order_by("-match").values_list("match", flat=True)[scanned - 1 : scanned].first() or 0


def list_newest_participants(versions: Sequence[BotVersion], limit: int) -> dict[int, list[int]]:
    """Return the participants of these versions in their newest matches, by match, newest first."""
    legs = count_legs(versions)
    if not legs:
        return {}
    # An index has the matches of one version in their order; those of several are sorted.
    if len(legs) == 1:
        played = Participant.objects.shown().filter(version=next(iter(legs)))
    else:
        played = Participant.objects.shown().filter(version__in=list(legs), match__gte=find_oldest_match(legs, limit))
    by_match: dict[int, list[int]] = {}
    for match, participant in played.order_by("-match").values_list("match", "pk")[: 2 * limit]:
        by_match.setdefault(match, []).append(participant)
    return dict(islice(by_match.items(), limit))


def list_shared_matches(
    versions: Sequence[BotVersion], others: Collection[int], *, scanned: int, limit: int
) -> list[int]:
    """Return the newest matches in which these versions met the others, among the `scanned` newest of theirs."""
    legs = count_legs(versions)
    if not legs:
        return []
    own = Participant.objects.shown().filter(version__in=list(legs), match__gte=find_oldest_match(legs, scanned))
    met = own.filter(match__participants__version__in=others).order_by("-match")
    return list(met.values_list("match", flat=True).distinct()[:limit])


def list_points(matches: Sequence[int]) -> QuerySet[Participant, tuple[int, int, float | None]]:
    """List match, version and points of all who have points in these matches."""
    played = Participant.objects.filter(match__in=matches, points__isnull=False)
    return played.order_by().values_list("match", "version", "points")


# Limit how far back lists of matches look, so that rare matches are found without reading all that were played.

MAX_KEY = 2**63 - 1
"""The largest key that a database can store; no row has it."""


def find_scan_limit(
    versions: Sequence[int], depth: int, before: int | None = None, after: int | None = None
) -> int | None:
    """Return the match that one of these versions played `depth` matches ago, or None if none has played so many.

    Matches are counted from the newest, from the match `before`, or upwards from the match `after`. Up to the match
    returned these versions have at least `depth` matches, and few more.
    """
    if after is not None:
        upwards = Participant.objects.shown().filter(version=OuterRef("pk"), match__gt=after).order_by("match")
        return min(_list_nth_matches(versions, upwards, depth), default=None)
    start = MAX_KEY if before is None else before
    downwards = Participant.objects.shown().filter(version=OuterRef("pk"), match__lt=start).order_by("-match")
    return max(_list_nth_matches(versions, downwards, depth), default=None)


def _list_nth_matches(versions: Sequence[int], played: QuerySet[Participant], depth: int) -> list[int]:
    nth = BotVersion.objects.filter(pk__in=versions).annotate(nth=Subquery(played.values("match")[depth - 1 : depth]))
    return [match for match in nth.order_by().values_list("nth", flat=True) if match is not None]


def find_scan_limit_of_all(depth: int, before: int | None = None, after: int | None = None) -> int | None:
    """Return the match that is `depth` matches away, of all bots, or None if there are fewer."""
    if after is not None:
        matches = Match.objects.filter(pk__gt=after).order_by("pk")
    else:
        matches = Match.objects.filter(pk__lt=before or MAX_KEY).order_by("-pk")
    return next(iter(matches.values_list("pk", flat=True)[depth - 1 : depth]), None)


def list_match_ids_between(versions: Sequence[int], first: int, last: int) -> list[int]:
    """Return the ids of the matches of these versions from `first` to `last`."""
    played = Participant.objects.shown().filter(version__in=versions, match__gte=first, match__lte=last)
    return list(played.order_by().values_list("match", flat=True))


def list_version_ids(bot: int) -> list[int]:
    """Return the ids of all versions of a bot."""
    return list(BotVersion.objects.filter(bot=bot).order_by().values_list("pk", flat=True))


def list_newest_match_ids(versions: Sequence[int], count: int) -> list[int]:
    """Return the ids of the newest matches of these versions, newest first, without reading all of theirs."""
    oldest = find_scan_limit(versions, count) or 0
    played = Participant.objects.shown().filter(version__in=versions, match__gte=oldest).order_by("-match")
    return list(played.values_list("match", flat=True).distinct()[:count])


# Read finished matches in the order in which they ended, a few at a time, for downloads of many records.

MATCHES_PER_QUERY = 100
"""Matches whose records are in memory at once: some megabytes."""


def keep_matches_of(matches: QuerySet[Match], bot: Bot) -> QuerySet[Match]:
    """Return those of the matches in which a version of the bot took part."""
    return matches.filter(pk__in=Participant.objects.shown().filter(version__bot=bot).values("match"))


def list_ended_matches(
    matches: QuerySet[Match], since: datetime | None, after: int, until: datetime | None
) -> list[tuple[int, datetime]]:
    """Return id and end of the next matches with a result: those that ended at `since` with a higher id, or later."""
    found = matches.filter(state=Match.State.FINISHED, finished_at__isnull=False)
    if since is not None:
        found = found.filter(Q(finished_at__gt=since) | Q(finished_at=since, pk__gt=after), finished_at__gte=since)
    if until is not None:
        found = found.filter(finished_at__lt=until)
    rows = found.order_by("finished_at", "pk").values_list("pk", "finished_at")[:MATCHES_PER_QUERY]
    return [(pk, ended) for pk, ended in rows if ended is not None]


def list_legs_of(matches: Collection[int]) -> Iterator[Leg]:
    """Yield the legs of these matches that have a record, in order."""
    legs = Leg.objects.filter(match__in=matches, record__isnull=False).defer("deal")
    by_match: dict[int, list[Leg]] = {pk: [] for pk in matches}
    for leg in legs.order_by("match", "number"):
        by_match[leg.match_id].append(leg)
    for found in by_match.values():
        yield from found


# Read the trials of versions: how they ended, or how far they have come.

UNREAD_FIELDS = ("match__deal", "match__options", "match__limits")


def list_versions_with_trials(bot: Bot) -> QuerySet[BotVersion]:
    """List the versions of a bot with their trials and who uploaded them."""
    trials = Trial.objects.select_related("match").defer(*UNREAD_FIELDS)
    versions = list_named_versions().select_related("uploaded_by").filter(bot=bot)
    return versions.prefetch_related(Prefetch("trials", trials))


def find_version_with_trials(bot: Bot, number: int) -> BotVersion | None:
    """Return that version of a bot with its trials, or None."""
    return list_versions_with_trials(bot).filter(number=number).first()


def newest_prefetched_trial(version: BotVersion) -> Trial | None:
    """Return the latest trial that decides whether a version is accepted, or None: its trials were prefetched."""
    return next((trial for trial in reversed(version.trials.all()) if not trial.edition), None)


def find_package_trial(version: BotVersion, package_set: str) -> PackageTrial | None:
    """Return the newest trial of a version with another set of packages, or None."""
    trials = PackageTrial.objects.filter(version=version, package_set=package_set)
    return trials.exclude(match__state=Match.State.VOID).order_by("-pk").first()


def list_edition_trials(version: BotVersion) -> list[Trial]:
    """Return the latest trial of a version in each edition after the first, in their order; they were prefetched."""
    latest = {trial.edition: trial for trial in version.trials.all() if trial.edition}
    editions = GAMES[version.bot.game].editions if version.bot.game in GAMES else ()
    return [latest[edition] for edition in editions if edition in latest]


def find_edition_trial(version: BotVersion, edition: str) -> Trial | None:
    """Return the latest trial that decides whether a version joins the ladders of an edition, or None."""
    return Trial.objects.filter(version=version, edition=edition).order_by("-pk").first()


def list_trials_not_passed(version: BotVersion) -> list[Trial]:
    """Return the trials for which a version isn't on the ladders of an edition: it had a fault, or they go on."""
    attach_trials(version)
    return [trial for trial in list_edition_trials(version) if not trial.has_passed]


def attach_trials(version: BotVersion) -> None:
    """Prefetch the trials of a version."""
    prefetch_related_objects([version], Prefetch("trials", Trial.objects.select_related("match").defer(*UNREAD_FIELDS)))


def find_latest_trial(version: BotVersion) -> Trial | None:
    """Return the latest trial that decides whether a version is accepted, with its match, or None."""
    trials = Trial.objects.filter(version=version, edition="").select_related("match").defer(*UNREAD_FIELDS)
    return trials.order_by("-pk").first()


@dataclass(frozen=True, slots=True)
class WaitingUploads:
    """The uploads that the arena has accepted and not begun to build or to try."""

    to_build: int
    on_trial: int
    oldest: datetime | None
    """When the oldest was uploaded; None where none waits."""


def list_waiting_uploads() -> QuerySet[BotVersion]:
    """List the versions that wait to be built or for their trial, from the moment they are accepted."""
    states = (BotVersion.State.BUILDING, BotVersion.State.ON_TRIAL)
    begun = Trial.objects.filter(match__state__in=[Match.State.RUNNING, Match.State.FINISHED])
    waiting = BotVersion.objects.filter(state__in=states, bot__game__in=list(GAMES)).may_go_on()
    return waiting.exclude(pk__in=begun.values("version"))


def count_waiting_uploads() -> WaitingUploads:
    """Count the uploads that wait."""
    builds = Count("pk", filter=Q(state=BotVersion.State.BUILDING))
    found = list_waiting_uploads().aggregate(all=Count("pk"), builds=builds, oldest=Min("created_at"))
    return WaitingUploads(found["builds"], found["all"] - found["builds"], found["oldest"])


def count_uploads_ahead(version: BotVersion) -> int:
    """Count the uploads that are built or tried before this one."""
    trial = find_latest_trial(version)
    if trial is not None and trial.match.state == Match.State.QUEUED:
        return count_matches_ahead([trial.match_id])[trial.match_id]
    return list_waiting_uploads().filter(created_at__lt=version.created_at).count()


def list_trial_seats(trial: Trial | None, *, with_logs: bool = True) -> QuerySet[LegSeat]:
    """List how the version did in each leg of its trial; nothing before the match is finished."""
    seats = LegSeat.objects.filter(participant__index=0, leg__match__state=Match.State.FINISHED)
    seats = seats.filter(leg__match=trial.match_id) if trial else seats.none()
    seats = seats.select_related("leg").defer("leg__record", "leg__deal").order_by("leg__number")
    return seats if with_logs else seats.defer("stderr", "fault", "leg__record", "leg__deal")


def find_leg_underway(trial: Trial) -> int:
    """Return the number of the leg that is played now; 0 before the bot has answered its first message."""
    report = Attempt.objects.open().filter(match=trial.match_id).values_list("underway", flat=True).first()
    if report is None:
        return 0
    leg: int = report["leg"]
    return leg if leg > 1 or report["actions"] else 0


# Reads for replays: finished matches, their legs with records, and who sat where.


def find_match(reader: Reader, pk: int) -> Match | None:
    """Return a match that a reader may see with what it is played for, without its deal, or None."""
    purposes = ("ladder_match__ladder", "trial", "challenge", "comparison_match__comparison")
    tournament = "pairing_match__pairing__round__tournament"
    unneeded = [f"{tournament}__{name}" for name in ("secret", "forecast", "description")]
    found = Match.objects.visible_to(reader).select_related(*purposes, tournament).filter(pk=pk)
    return found.defer("deal", "options", *unneeded).first()


def find_finished_match(reader: Reader, pk: int) -> Match | None:
    """Return a match with a result that a reader may see, without its deal; None where there is none."""
    return Match.objects.visible_to(reader).filter(pk=pk, state=Match.State.FINISHED).defer("deal").first()


def list_finished_matches(reader: Reader, keys: Sequence[int]) -> list[Match]:
    """Return those of these matches that have a result and the reader may see, in this order, as `lean` leaves them."""
    found = Match.objects.visible_to(reader).filter(state=Match.State.FINISHED).lean().in_bulk(keys)
    return [found[key] for key in keys if key in found]


def list_running_matches(keys: Sequence[int]) -> list[Match]:
    """Return those of these matches that are being played and everybody may see, in order, as `lean` leaves them."""
    found = Match.objects.visible_to(None).filter(state=Match.State.RUNNING).lean().in_bulk(keys)
    return [found[key] for key in keys if key in found]


def find_finished_leg(reader: Reader, match: int, number: int, *, with_record: bool = True) -> Leg | None:
    """Return a leg of a match with a result that the reader may see, with its match and record, or None."""
    # By the key of the match itself: a number that no key can be finds nothing there, and fails as a foreign key.
    visible = Match.objects.visible_to(reader).filter(pk=match, state=Match.State.FINISHED)
    legs = Leg.objects.filter(match__in=visible, number=number)
    legs = legs.select_related("match").defer("match__deal", "deal")
    return (legs if with_record else legs.defer("match__deal", "deal", "record")).first()


def list_attempts(match: Match) -> list[Attempt]:
    """Return the attempts to play a match."""
    return list(match.attempts.all())


def list_legs(match: Match) -> list[Leg]:
    """Return the legs of a match in order, without their records."""
    legs = list(Leg.objects.filter(match=match).defer("record", "deal").order_by("number"))
    for leg in legs:
        leg.match = match
    return legs


def count_legs_of(match: Match) -> int:
    """Return the number of legs of a match."""
    return Leg.objects.filter(match=match).count()


def fetch_record(leg: Leg) -> bytes | memoryview | None:
    """Return the packed record of a leg; None where it was lost."""
    return Leg.objects.values_list("record", flat=True).get(pk=leg.pk)


def list_legs_with_records(match: Match, numbers: Sequence[int] | None = None) -> list[Leg]:
    """Return the legs of a match in order, or those of these numbers. A lost record is None."""
    legs = Leg.objects.filter(match=match).defer("deal").order_by("number")
    return list(legs if numbers is None else legs.filter(number__in=numbers))


def list_seats(legs: Sequence[Leg]) -> list[LegSeat]:
    """Return the seats of these legs in order, with the bots that sat there."""
    by_key = {leg.pk: leg for leg in legs}
    seats = LegSeat.objects.filter(leg__in=by_key).select_related("participant__version__bot__owner")
    found = list(seats.defer("participant__version__build_log").order_by("leg", "seat"))
    for seat in found:
        seat.leg = by_key[seat.leg_id]
    return found


def attach_leg_seats(participants: Sequence[Participant]) -> None:
    """Read in one query where each participant sat in every leg, and which place that brought."""
    seats = LegSeat.objects.only("participant_id", "leg_id", "seat", "place", "score", "verdict").order_by("leg_id")
    prefetch_related_objects(participants, Prefetch("leg_seats", seats))


def list_next_matches(versions: Sequence[BotVersion], match: int, reader: Reader) -> list[tuple[Bot, int]]:
    """Return the bot of each of these versions and the key of its next match with a result after this one, if any.

    Only matches that the reader may see are found.
    """
    found = []
    visible = Match.objects.visible_to(reader).filter(state=Match.State.FINISHED)
    for version in versions:
        later = Participant.objects.filter(version=version, match__gt=match, match__in=visible)
        following = later.order_by("match").values_list("match", flat=True).first()
        if following is not None:
            found.append((version.bot, following))
    return found
