"""Comparing two versions: what is played for that, in which order it counts, and how it ends."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils.timezone import now

from arena.accounts.models import User
from arena.bots.models import BotVersion
from arena.bots.quotas import QuotaSpent
from arena.comparisons.models import Comparison, ComparisonMatch
from arena.comparisons.sprt import MAX_PAIRS, PRESETS, decide
from arena.errors import ArenaError, Conflict, NotYours
from arena.ladders.models import Entry, Ladder
from arena.ladders.rating.elo import FIRST
from arena.ladders.services.entering import promote
from arena.matches.models import Match
from arena.matches.services import queue_match
from arena.matches.turns import take_turn
from arena.notices.models import Event
from arena.notices.services import tell
from engine.registry import find_game

DAY = timedelta(hours=24)
PRIORITY = -10
MATCH_SECONDS = 5.0
"""Taken to be how long a match lasts, where there is no ladder to tell."""
FIELD_SIZE = 16
MIN_FIELD = 2


class NotComparable(ArenaError):
    """These two can't be compared like that. The message says why."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How two versions are compared."""

    way: str = Comparison.Way.HEAD_TO_HEAD
    preset: str = "default"
    """A key of `sprt.PRESETS`."""
    edition: str = ""
    """The game's first one where empty."""
    promotes: bool = False


@transaction.atomic
def compare(
    *, owner: User, version: BotVersion, baseline: BotVersion | None = None, terms: Terms | None = None
) -> Comparison:
    """Begin to compare a version with another, by default the one before it. `top_up` makes the matches.

    Raises NotYours, NotComparable, Conflict or QuotaSpent.
    """
    terms = terms or Terms()
    User.objects.select_for_update().get(pk=owner.pk)
    if version.bot.owner_id != owner.pk:
        raise NotYours(f"{version.bot.name} belongs to somebody else.")
    edition = _edition(version, terms)
    baseline = baseline or previous_version(version)
    if baseline is None:
        raise NotComparable(f"There is no older version of {version.bot.name}: say what to compare it with.")
    _check_pair(owner, version, baseline)
    _check_same(version, baseline, terms, edition)
    _check_quota(owner)
    preset = PRESETS[terms.preset]
    comparison = Comparison.objects.create(
        owner=owner,
        version=version,
        baseline=baseline,
        edition=edition,
        way=terms.way,
        lower=preset.lower,
        upper=preset.upper,
        promotes=terms.promotes,
    )
    comparison.counts = [0] * comparison.unit.results
    comparison.save(update_fields=["counts"])
    if terms.way == Comparison.Way.FIELD:
        comparison.opponents.set(find_field(version, baseline, edition))
    return comparison


def previous_version(version: BotVersion) -> BotVersion | None:
    """The accepted version of the bot before this one."""
    older = version.bot.versions.filter(number__lt=version.number).exclude(source=version.source_id)
    return older.accepted().order_by("-number").first()


def find_field(version: BotVersion, baseline: BotVersion, edition: str) -> list[BotVersion]:
    """Who plays both of a field: the active bots of others, the nearest in rating. Raises NotComparable."""
    on_ladder = Entry.objects.filter(
        ladder__game=version.bot.game, ladder__edition=edition, ladder__closed_at=None
    ).order_by("rating")
    own = on_ladder.filter(version__in=[version, baseline]).order_by("deviation").values_list("rating", flat=True)
    middle = own.first() or FIRST
    others = on_ladder.active().exclude(version__bot__owner=version.bot.owner).exclude(version__bot=baseline.bot_id)
    others = others.select_related("version__bot")
    near = [
        *others.filter(rating__gte=middle)[:FIELD_SIZE],
        *others.filter(rating__lt=middle).reverse()[:FIELD_SIZE],
    ]
    near.sort(key=lambda entry: (abs(entry.rating - middle), entry.pk))
    if len(near) < MIN_FIELD:
        raise NotComparable(f"A field has at least {MIN_FIELD} bots of others, and that ladder has not so many.")
    return [entry.version for entry in near[:FIELD_SIZE]]


@transaction.atomic
def top_up(*, comparison: Comparison) -> list[Match]:
    """Queue as many matches as a comparison may have waiting."""
    comparison = _lock(comparison)
    if comparison.is_over:
        return []
    rows = comparison.comparison_matches
    open_units = rows.in_flight().values("number").distinct().count()
    last = rows.aggregate(last=Max("number"))["last"] or 0
    room = min(settings.COMPARISON_WAITING, MAX_PAIRS - comparison.pairs) - open_units
    field = list(comparison.opponents.select_related("bot").order_by("pk"))
    return [
        match
        for number in range(last + 1, last + 1 + room)
        for match in _queue_unit(comparison, number, field[(number - 1) % len(field)] if field else None)
    ]


@transaction.atomic
def count_match(*, match: Match) -> Comparison | None:
    """Count what can be counted now that a match is over; the comparison it was for. None where it was for none."""
    row = ComparisonMatch.objects.select_related("comparison").filter(match=match).first()
    return row and count_units(comparison=row.comparison)


@transaction.atomic
def count_units(*, comparison: Comparison) -> Comparison:
    """Count the finished units of a comparison in the order of their numbers, and end it with the first that decides.

    What is void is left out; `top_up` makes another for it. Counting again changes nothing.
    """
    comparison = _lock(comparison)
    for rows in _units_over(comparison):
        if comparison.is_over:
            break
        ComparisonMatch.objects.filter(pk__in=[row.pk for row in rows]).update(in_flight=False)
        result = _result(rows)
        if result is not None:
            _count(comparison, result)
    return comparison


@transaction.atomic
def stop(*, comparison: Comparison, owner: User) -> Comparison:
    """End a comparison without an answer. Raises NotYours, or Conflict where it is over."""
    if comparison.owner_id != owner.pk:
        raise NotYours("This comparison was begun by somebody else.")
    comparison = _lock(comparison)
    if comparison.is_over:
        raise Conflict("This comparison is over already.")
    _end(comparison, Comparison.State.STOPPED, "")
    return comparison


def _lock(comparison: Comparison) -> Comparison:
    rows = Comparison.objects.select_for_update(of=("self",))
    return rows.select_related("owner", "version__bot", "baseline__bot").get(pk=comparison.pk)


def _edition(version: BotVersion, terms: Terms) -> str:
    editions = find_game(version.bot.game).editions
    if terms.way not in Comparison.Way.values or terms.preset not in PRESETS:
        raise NotComparable(
            f"Choose one of the ways {', '.join(Comparison.Way.values)} and one of the presets {', '.join(PRESETS)}."
        )
    if terms.edition and terms.edition not in editions:
        raise NotComparable(f"There is no edition {terms.edition!r}; there are: {', '.join(editions)}.")
    return terms.edition or next(iter(editions))


def _check_pair(owner: User, version: BotVersion, baseline: BotVersion) -> None:
    for one in (version, baseline):
        if one.state != BotVersion.State.ACCEPTED:
            raise NotComparable(f"{one} has not passed its trial.")
    if version.bot.game != baseline.bot.game:
        raise NotComparable(f"{version.bot.name} and {baseline.bot.name} play different games.")
    if version.source_id == baseline.source_id:
        raise NotComparable("These are the same files: neither is better.")
    is_own = baseline.bot.owner_id == owner.pk
    if not is_own and not baseline.entries.active().filter(ladder__closed_at=None).exists():
        raise NotComparable(f"{baseline} is not on a ladder now.")


def _check_same(version: BotVersion, baseline: BotVersion, terms: Terms, edition: str) -> None:
    same = Comparison.objects.running().filter(version=version, baseline=baseline, way=terms.way, edition=edition)
    if found := same.first():
        raise Conflict(f"These two are being compared already: {found.get_absolute_url()}")


def _check_quota(owner: User) -> None:
    today = Comparison.objects.filter(owner=owner, created_at__gt=now() - DAY).count()
    if today >= settings.COMPARISONS_PER_DAY:
        raise QuotaSpent(
            f"You have begun {today} comparisons in 24 hours, and nobody may begin more than "
            f"{settings.COMPARISONS_PER_DAY}."
        )


def _queue_unit(comparison: Comparison, number: int, opponent: BotVersion | None) -> list[Match]:
    """In a field both play the same deal, so the luck of it is in neither's favour."""
    if opponent is None:
        match = _queue(comparison, [comparison.version, comparison.baseline])
        ComparisonMatch.objects.create(comparison=comparison, match=match, number=number)
        return [match]
    first = _queue(comparison, [comparison.version, opponent])
    second = _queue(comparison, [comparison.baseline, opponent], first)
    ComparisonMatch.objects.create(comparison=comparison, match=first, number=number)
    ComparisonMatch.objects.create(comparison=comparison, match=second, number=number, of_baseline=True)
    return [first, second]


def _queue(comparison: Comparison, versions: list[BotVersion], twin: Match | None = None) -> Match:
    return queue_match(
        versions=versions,
        game=comparison.version.bot.game,
        edition=comparison.edition,
        priority=PRIORITY,
        deal=twin and twin.deal,
        turn=_take_turn(comparison),
    )


def _take_turn(comparison: Comparison) -> float:
    """All comparisons of one author are one flow."""
    ladder = Ladder.objects.open().filter(game=comparison.version.bot.game, edition=comparison.edition)
    seconds = ladder.values_list("match_seconds", flat=True).first() or MATCH_SECONDS
    of_owner = Comparison.objects.filter(owner=comparison.owner_id)
    turn, comparison.next_turn = take_turn(
        priority=PRIORITY,
        after=of_owner.aggregate(turn=Max("next_turn"))["turn"] or 0.0,
        latest=Comparison.objects.aggregate(turn=Max("next_turn"))["turn"] or 0.0,
        seconds=seconds,
    )
    comparison.save(update_fields=["next_turn"])
    return turn


def _units_over(comparison: Comparison) -> Iterator[list[ComparisonMatch]]:
    """The units that nothing before them holds up, in order."""
    rows = comparison.comparison_matches.in_flight().select_related("match").defer("match__deal", "match__options")
    rows = rows.prefetch_related("match__participants").order_by("number", "of_baseline")
    for _, unit in groupby(rows, key=lambda row: row.number):
        matches = list(unit)
        if not all(row.match.is_over for row in matches):
            return
        yield matches


def _result(rows: list[ComparisonMatch]) -> int | None:
    """The number of a unit's result, from the worst; None where something of it is void."""
    if any(row.match.state == Match.State.VOID for row in rows):
        return None
    points = [next(one.points for one in row.match.participants.all() if one.index == 0) for row in rows]
    quarters = [round(4 * share) for share in points]
    return quarters[0] if len(quarters) == 1 else 4 + quarters[0] - quarters[1]


def _count(comparison: Comparison, result: int) -> None:
    comparison.counts[result] += 1
    comparison.pairs += 1
    comparison.llr, is_better = decide(comparison.counts, comparison.unit, comparison.lower, comparison.upper)
    comparison.save(update_fields=["counts", "pairs", "llr"])
    if is_better is not None:
        _end(comparison, Comparison.State.BETTER if is_better else Comparison.State.NOT_BETTER, "")
    elif comparison.pairs >= MAX_PAIRS:
        _end(comparison, Comparison.State.UNDECIDED, f"Nothing was decided in {MAX_PAIRS} pairs.")


def _end(comparison: Comparison, state: Comparison.State, reason: str) -> None:
    comparison.state, comparison.state_reason, comparison.decided_at = state, reason, now()
    if state == Comparison.State.BETTER and comparison.promotes:
        _promote(comparison)
    comparison.save(update_fields=["state", "state_reason", "decided_at", "promoted_at"])
    waiting = comparison.comparison_matches.in_flight().values("match")
    Match.objects.filter(pk__in=waiting, state=Match.State.QUEUED).update(
        state=Match.State.VOID, void_reason="The comparison that it was for is over.", finished_at=now()
    )
    comparison.comparison_matches.in_flight().update(in_flight=False)
    if state != Comparison.State.STOPPED:
        _tell(comparison)


def _promote(comparison: Comparison) -> None:
    """The answer stands, whatever the ladders say to it."""
    try:
        with transaction.atomic():
            promote(version=comparison.version, owner=comparison.owner)
    except ArenaError as error:
        comparison.state_reason = f"It was not promoted. {error}"
    else:
        comparison.promoted_at = now()


ANSWERS = {
    Comparison.State.BETTER: "is better than",
    Comparison.State.NOT_BETTER: "is not better than",
    Comparison.State.UNDECIDED: "can't be told from",
}


def _tell(comparison: Comparison) -> None:
    answer = ANSWERS[Comparison.State(comparison.state)]
    promoted = " It was promoted to the ladders." if comparison.promoted_at else ""
    tell(
        user=comparison.owner,
        event=Event.COMPARISON_DECIDED,
        text=f"{comparison.version} {answer} {comparison.baseline}.{promoted} {comparison.state_reason}".strip(),
        url=comparison.get_absolute_url(),
        about=f"comparison {comparison.pk}",
        payload={
            "comparison": comparison.pk,
            "bot": comparison.version.bot.slug,
            "version": comparison.version.number,
            "baseline": {"bot": comparison.baseline.bot.slug, "version": comparison.baseline.number},
            "state": comparison.state,
            "reason": comparison.state_reason,
            "pairs": comparison.pairs,
            "llr": comparison.llr,
            "promoted": comparison.promoted_at is not None,
        },
    )
