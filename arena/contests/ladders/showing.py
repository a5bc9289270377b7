"""Find the rated matches that spectators may be shown, and choose the order in which they are."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from math import ceil
from typing import TypeVar

from django.db.models import Exists, IntegerField, OuterRef, Subquery
from django.utils.timezone import now

from arena.contests.ladders.models import Entry, Ladder, LadderMatch, LadderMatchQuerySet, RatingChange
from arena.matches.models import Attempt, Leg, LegSeat, Match, Participant
from arena.runner.program import Verdict
from engine.registry import GAMES

# Choose rated matches for spectators, and the order in which they are shown. Pure: no database.

STRENGTH_STEP_ELO = 50.0
"""Weaker bots whose ratings lie in the same step are about equally strong: then the closer match comes first."""
EVEN_GAP_ELO = 50.0
"""Up to this difference of the ratings a match is called even."""
MATCHES_BEFORE_SAME_PAIR = 6
"""A pair of bots comes back after this many matches of others, where there are so many."""
GOOD_MATCHES_WANTED = 12
"""With so many good matches of its own an arena needs no recorded games."""
ROTATION = timedelta(minutes=20)
"""Time after which another match comes first."""
MAX_ROTATED = 12
"""Number of the best matches that take turns."""
MAX_WEAKER_ELO = 200.0
"""Nothing is preferred for variety to a match whose weaker bot is rated by so much higher."""

Item = TypeVar("Item")


class PlaylistReason(StrEnum):
    """The sentence that says why a match was chosen."""

    NEW_VERSION = "new version"
    """It was the first rated match of a version."""
    CLOSEST = "closest"
    """Its bots had similar ratings."""
    STRONG = "strong"
    """Its weaker bot has a high rating."""


@dataclass(frozen=True, slots=True)
class ShowableMatch:
    """A rated match that may be shown."""

    match: int
    bots: tuple[int, ...]
    """Keys of the bots."""
    ratings: tuple[float, ...]
    """Ratings of the bots before the match, in Elo."""
    first_version: int | None = None
    """Number of the version that plays its first rated match here, if one does."""
    strengths: tuple[float, ...] = ()
    """Ratings of the bots now, in Elo, as before their first matches all have the same; if empty those before count."""
    is_good: bool = False
    """Whether all its bots have a rank now, in the better half of those that have one on their ladder."""

    @property
    def gap(self) -> float:
        """Return the difference between the highest and the lowest rating before the match, in Elo."""
        return max(self.ratings) - min(self.ratings)

    @property
    def weaker(self) -> float:
        """Return the rating of the weakest bot now, in Elo."""
        return min(self.strengths or self.ratings)

    @property
    def sort_key(self) -> tuple[bool, float, float]:
        """Return what is lower for a match that comes first."""
        return compute_place_in_show(self.is_good, self.strengths or self.ratings)


@dataclass(frozen=True, slots=True)
class PlaylistItem:
    """A match of the playlist, and what is said of it."""

    match: int
    reason: PlaylistReason
    value: float
    """The figure behind the reason: number of the version, gap, or rating of the weaker bot."""
    weaker: float
    """Rating of the weaker bot, in Elo."""
    is_good: bool


def compute_place_in_show(is_good: bool, strengths: Sequence[float]) -> tuple[bool, float, float]:
    """Return what is lower for a match that comes first: good ones, the strength of the weaker bot, closeness.

    The front page, /watch/ and the match of the day go by it, so that they can't disagree on the best match.
    """
    return not is_good, -(min(strengths) // STRENGTH_STEP_ELO), max(strengths) - min(strengths)


def build_playlist(candidates: Sequence[ShowableMatch], length: int) -> list[PlaylistItem]:
    """Return up to `length` matches, each once: those with the strongest weaker bot first, of equal ones the closest.

    A pair comes back after some matches of others, where there are some that are nearly as strong. Candidates come
    newest first; of equal ones the newer is chosen.
    """
    left = sorted(candidates, key=lambda one: one.sort_key)
    chosen: list[ShowableMatch] = []
    while left and len(chosen) < length:
        recent = {frozenset(one.bots) for one in chosen[-MATCHES_BEFORE_SAME_PAIR:]}
        near = (one for one in left if is_near(one, left[0]))
        following = next((one for one in near if frozenset(one.bots) not in recent), left[0])
        left.remove(following)
        chosen.append(following)
    return [describe(one) for one in chosen]


def describe(candidate: ShowableMatch) -> PlaylistItem:
    """Return a match with the most remarkable thing that can be said of it."""
    if candidate.first_version is not None:
        reason, value = PlaylistReason.NEW_VERSION, float(candidate.first_version)
    elif candidate.gap <= EVEN_GAP_ELO:
        reason, value = PlaylistReason.CLOSEST, candidate.gap
    else:
        reason, value = PlaylistReason.STRONG, candidate.weaker
    return PlaylistItem(candidate.match, reason, value, candidate.weaker, candidate.is_good)


def is_near(other: ShowableMatch | PlaylistItem, best: ShowableMatch | PlaylistItem) -> bool:
    """Return whether a match can take the place of the best one for a change."""
    return other.is_good == best.is_good and best.weaker - other.weaker <= MAX_WEAKER_ELO


def count_rotated(order: Sequence[PlaylistItem]) -> int:
    """Return how many of the first matches take turns at coming first: those that are nearly as strong as the best."""
    return sum(is_near(choice, order[0]) for choice in order[:MAX_ROTATED])


def needs_recorded_games(candidates: Sequence[ShowableMatch]) -> bool:
    """Return whether there are too few good matches yet to show nothing else."""
    return sum(one.is_good for one in candidates) < GOOD_MATCHES_WANTED


def rotate(order: Sequence[Item], time: datetime, length: int = MAX_ROTATED) -> list[Item]:
    """Return what is shown from this time on: the first ones take turns at coming first, for everybody the same."""
    best = list(order[:length])
    at = int(time.timestamp() // ROTATION.total_seconds()) % len(best) if best else 0
    return [*best[at:], *best[:at], *order[length:]]


# Find the rated matches that spectators may be shown, and the leg of each that lasted longest.

MAX_CANDIDATES = 300
MAX_MATCHES_LOOKED_AT = 10_000
"""Good matches are looked for among so many of the newest: where few bots are ranked yet, hardly any may be good."""
MAX_AGE = timedelta(days=7)
"""Only matches that ended within a week of the newest one are candidates."""
LIVE_AFTER = timedelta(seconds=10)
"""A match that is played faster would be over before anybody has seen a turn of it."""
TOP_SHARE, MIN_TOP_PLACE = 3, 3
"""Live matches come first whose bots are both in the first third of their ladder, at least among the first three."""
MAX_PLACE_TOLD = 500
MAX_LIVE_MATCHES = 50
WEAK_ELO = 1500.0
"""A match between two below this rating comes first only where there is nothing else."""


@dataclass(frozen=True, slots=True)
class LiveMatch:
    """A rated match that is being played and that anybody may watch."""

    match: int
    weaker: float
    """The lowest rating of its bots, in Elo."""
    stronger: float
    is_of_top: bool
    """Whether all its bots are in the first third of their ladder."""
    places: tuple[int | None, ...]
    """The place of each bot on its ladder; None for a provisional one, or one far down."""

    @property
    def gap(self) -> float:
        """Return the difference between the highest and the lowest rating, in Elo."""
        return self.stronger - self.weaker

    @property
    def sort_key(self) -> tuple[bool, bool, float, float]:
        """Return what is lower for a match that is shown earlier."""
        step = 0.0 if self.is_of_top else -(self.weaker // STRENGTH_STEP_ELO)
        return not self.is_of_top, self.stronger < WEAK_ELO, step, self.gap


def list_candidates() -> list[ShowableMatch]:
    """List rated matches that anybody may watch, newest first: those without a fault, records complete.

    They are the newest good ones of the last week. Where these are too few, the newest of all are added, or where
    nothing was played then, those of the last week in which something was.
    """
    strong = list_strong_entries()
    good = list_good_matches(strong)
    matches = good
    if len(good) < GOOD_MATCHES_WANTED:
        matches = sorted({*good, *list_showable_matches()}, reverse=True)
    changes = RatingChange.objects.filter(ladder_match__match__in=matches)
    earlier = RatingChange.objects.filter(entry=OuterRef("entry"), pk__lt=OuterRef("pk"))
    rows = changes.annotate(has_earlier=Exists(earlier)).values_list(
        *("ladder_match__match", "entry__version", "entry__version__number", "before", "entry__rating", "has_earlier")
    )
    ratings: dict[int, dict[int, tuple[float, float]]] = {}
    first_versions: dict[int, int] = {}
    for match, version, number, before, rating, has_earlier in rows:
        ratings.setdefault(match, {})[version] = before, rating
        if not has_earlier:
            first_versions[match] = number
    points = list_points(matches)
    return [
        ShowableMatch(
            match=match,
            bots=tuple(bot for _, bot, _ in points[match]),
            ratings=tuple(ratings[match][version][0] for version, _, _ in points[match]),
            first_version=first_versions.get(match),
            strengths=tuple(ratings[match][version][1] for version, _, _ in points[match]),
            is_good=match in good,
        )
        for match in matches
        if match in ratings and len(points[match]) == len(ratings[match])
    ]


def list_strong_entries() -> list[int]:
    """List the keys of the entries with a rank in the better half of those that have one on their public ladder."""
    ranked = Entry.objects.active().public().filter(is_ranked=True, ladder__closed_at=None)
    by_ladder: dict[int, list[int]] = {}
    for ladder, entry in ranked.order_by("ladder", "-rating", "pk").values_list("ladder", "pk"):
        by_ladder.setdefault(ladder, []).append(entry)
    return [entry for entries in by_ladder.values() for entry in entries[: (len(entries) + 1) // 2]]


def list_good_matches(strong: Collection[int]) -> list[int]:
    """List the keys of the newest matches of the week between these entries that may be shown, newest first."""
    if not strong:
        return []
    newest = Subquery(LadderMatch.objects.order_by("-match").values("match")[:1], output_field=IntegerField())
    others = RatingChange.objects.filter(ladder_match=OuterRef("pk")).exclude(entry__in=strong)
    rated = filter_public_rated(LadderMatch.objects.filter(match__game__in=list(GAMES)))
    recent = rated.filter(match__gt=newest - MAX_MATCHES_LOOKED_AT, match__finished_at__gte=now() - MAX_AGE)
    found = exclude_incomplete(recent.filter(~Exists(others)))
    return list(found.order_by("-match").values_list("match", flat=True)[:MAX_CANDIDATES])


def list_showable_matches() -> list[int]:
    """List the keys of the newest rated matches that may be shown, newest first."""
    newest = filter_public_rated(LadderMatch.objects.filter(match__game__in=list(GAMES)))
    rows = newest.order_by("-match").values_list("match", "match__finished_at")[:MAX_CANDIDATES]
    found = [(match, finished_at) for match, finished_at in rows if finished_at]
    if not found:
        return []
    since = min(now(), max(finished_at for _, finished_at in found)) - MAX_AGE
    recent = [match for match, finished_at in found if finished_at >= since]
    whole = exclude_incomplete(LadderMatch.objects.filter(match__in=recent))
    return sorted(whole.values_list("match", flat=True), reverse=True)


def list_live_matches() -> list[LiveMatch]:
    """List the rated matches that are being played by sandboxed bots and that anybody may watch.

    Those between bots of the first third of a ladder come first, the closest of them before all others; then those with
    the strongest weaker bot, of about equally strong ones the closest, then the latest.
    """
    reported = Attempt.objects.open().filter(underway__isnull=False, started_at__lte=now() - LIVE_AFTER)
    rated = reported.filter(
        match__ladder_match__ladder__clock="",
        match__state=Match.State.RUNNING,
        match__game__in=list(GAMES),
        match__in=Match.objects.visible_to(None),
    )
    running = list(rated.order_by("-started_at").values_list("match", flat=True)[:MAX_LIVE_MATCHES])
    if not running:
        return []
    entry = Entry.objects.filter(ladder=OuterRef("match__ladder_match__ladder"), version=OuterRef("version"))
    rows = Participant.objects.filter(match__in=running).annotate(
        on_ladder=entry.values("pk")[:1], rating=entry.values("rating")[:1]
    )
    sides: dict[int, list[tuple[int | None, float]]] = {match: [] for match in running}
    for match, of_match, rating in rows.order_by("match", "index").values_list("match", "on_ladder", "rating"):
        sides[match].append((of_match, rating or 0.0))
    places = _fetch_top_places({one for of_match in sides.values() for one, _rating in of_match if one})
    found = [_describe_live(match, of_match, places) for match, of_match in sides.items() if of_match]
    return sorted(found, key=lambda live: live.sort_key)


def _describe_live(
    match: int, sides: Sequence[tuple[int | None, float]], places: Mapping[int, tuple[int, bool, bool]]
) -> LiveMatch:
    ratings = [rating for _entry, rating in sides]
    placed = [places.get(entry or 0) for entry, _rating in sides]
    numbers = tuple(one[0] if one and one[1] else None for one in placed)
    return LiveMatch(match, min(ratings), max(ratings), all(one is not None and one[2] for one in placed), numbers)


def _fetch_top_places(entries: Collection[int]) -> dict[int, tuple[int, bool, bool]]:
    """Return the place of those of these entries that are not far down, whether they are ranked, and of the top."""
    ladders = Ladder.objects.filter(entries__in=entries).distinct().defer("secret")
    found = {}
    for ladder in ladders:
        listed = Entry.objects.by_rating(ladder.pk, ladder.idle_before)
        last = max(MIN_TOP_PLACE, ceil(listed.count() / TOP_SHARE))
        rows = listed.values_list("pk", "is_ranked")[:MAX_PLACE_TOLD]
        for place, (entry, is_ranked) in enumerate(rows, start=1):
            if entry in entries:
                found[entry] = place, is_ranked, place <= last
    return found


def filter_public_rated(matches: LadderMatchQuerySet) -> LadderMatchQuerySet:
    """Return the rated public matches among these, without those on open ladders."""
    return filter_visible_rated(matches).filter(ladder__clock="")


def filter_visible_rated(matches: LadderMatchQuerySet) -> LadderMatchQuerySet:
    """Return those of these matches that are rated, not excluded, and visible to everybody."""
    return matches.filter(sequence__isnull=False, void_sequence=None, match__in=Match.objects.visible_to(None))


def exclude_incomplete(matches: LadderMatchQuerySet) -> LadderMatchQuerySet:
    """Return these matches without those with a fault or a lost record."""
    faults = LegSeat.objects.filter(leg__match=OuterRef("match")).exclude(verdict=Verdict.OK)
    lost = Leg.objects.filter(match=OuterRef("match"), record=None)
    return matches.exclude(Exists(faults)).exclude(Exists(lost))


def list_points(matches: Iterable[int]) -> dict[int, list[tuple[int, int, float]]]:
    """Return version, bot and points of the participants of each of these matches, in order."""
    found: dict[int, list[tuple[int, int, float]]] = {match: [] for match in matches}
    rows = Participant.objects.filter(match__in=found).order_by("match", "index")
    for match, version, bot, points in rows.values_list("match", "version", "version__bot", "points"):
        found[match].append((version, bot, points or 0.0))
    return found


def find_longest_leg(match: int) -> int:
    """Return the number of a match's leg with the most decisions; 1 where none is known."""
    legs = Leg.objects.filter(match=match, decisions__gt=0).order_by("-decisions", "number")
    return legs.values_list("number", flat=True).first() or 1
