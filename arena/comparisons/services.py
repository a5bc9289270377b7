"""Compare two versions: queue matches, count them in order, and end with an answer."""

from collections.abc import Collection, Iterator, Sequence
from datetime import timedelta
from itertools import groupby

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Q
from django.utils.timezone import now

from arena.accounts.models import User
from arena.accounts.suspension import check_not_suspended
from arena.bots.group_only import check_is_public, check_may_meet
from arena.bots.models import BotVersion
from arena.bots.quotas import QuotaSpent
from arena.bots.stopping import check_plays
from arena.bots.teams import check_author
from arena.comparisons.adjusted_sprt import decide_adjusted
from arena.comparisons.luck import choose_value_function
from arena.comparisons.models import Comparison, ComparisonMatch
from arena.comparisons.settings import (
    ComparisonSettings,
    NotComparable,
    check_pair,
    find_field,
    find_rules,
    previous_version,
)
from arena.comparisons.sprt import MAX_PAIRS, PRESETS, decide
from arena.errors import ArenaError, Conflict
from arena.ladders.models import Ladder
from arena.ladders.services.entering import promote_to_ladders
from arena.matches.fair_share import estimate_bot_seconds, schedule_next_match
from arena.matches.models import Match
from arena.matches.services import queue_match
from arena.notices.models import Event
from arena.notices.services import notify_user
from engine.message import Message, gettext_noop, join_messages, message
from engine.variants import Variant

DAY = timedelta(hours=24)
PRIORITY = 0
FAIR_SHARE_WEIGHT = 0.25
"""All comparisons of an author get a quarter of the workers' time that one ladder gets."""
ADJUSTED_FIELDS = ("adjusted_llr", "adjusted_total", "adjusted_squares", "adjusted_pairs")


@transaction.atomic
def start_comparison(
    *, owner: User, version: BotVersion, baseline: BotVersion | None = None, settings: ComparisonSettings | None = None
) -> Comparison:
    """Start to compare a version with another, by default the one before it.

    `queue_comparison_matches` queues the matches. Raises NotYours, NotComparable, UnplayableRules, Conflict,
    QuotaSpent or AuthorSuspended.
    """
    settings = settings or ComparisonSettings()
    check_not_suspended(User.objects.select_for_update().get(pk=owner.pk))
    check_author(version.bot, owner)
    check_plays(version.bot, reader=owner)
    rules = find_rules(version, settings)
    baseline = baseline or previous_version(version)
    if baseline is None:
        problem = gettext_noop("There is no older version of %(name)s: say what to compare it with.")
        raise NotComparable(message(problem, name=version.bot.name))
    check_pair(owner, version, baseline)
    check_may_meet([version.bot, baseline.bot])
    if settings.mode == Comparison.Mode.FIELD or settings.promote_if_better:
        check_is_public(version.bot)
    _check_same(version, baseline, settings, rules)
    _check_quota(owner)
    field = find_field(version, baseline, rules.edition) if settings.mode == Comparison.Mode.FIELD else []
    adjusts = settings.adjust_for_luck
    preset = PRESETS[settings.preset]
    comparison = Comparison.objects.create(
        owner=owner,
        version=version,
        baseline=baseline,
        edition=rules.edition,
        changed_options=rules.changed_options,
        mode=settings.mode,
        elo0=preset.elo0,
        elo1=preset.elo1,
        promote_if_better=settings.promote_if_better,
        value_function=choose_value_function(version.bot.game, rules, [version, baseline, *field]) if adjusts else None,
    )
    comparison.result_counts = [0] * comparison.unit.results
    comparison.save(update_fields=["result_counts"])
    comparison.opponents.set(field)
    return comparison


@transaction.atomic
def queue_comparison_matches(*, comparison: Comparison) -> list[Match]:
    """Queue matches until the comparison has as many waiting as it may, and return the new ones.

    None while the author of either version is suspended; of a field, authors who are suspended are passed over.
    """
    comparison = _lock(comparison)
    if comparison.is_over or _is_author_suspended(comparison):
        return []
    rows = comparison.comparison_matches
    open_units = rows.in_flight().values("number").distinct().count()
    last = rows.aggregate(last=Max("number"))["last"] or 0
    room = min(settings.MAX_WAITING_MATCHES_PER_COMPARISON, MAX_PAIRS - comparison.pairs) - open_units
    field = list(comparison.opponents.accepted().may_go_on().select_related("bot").order_by("pk"))
    if comparison.mode == Comparison.Mode.FIELD and not field:
        return []
    return [
        match
        for number in range(last + 1, last + 1 + room)
        for match in _queue_unit(comparison, number, field[(number - 1) % len(field)] if field else None)
    ]


@transaction.atomic
def count_comparison_match(*, match: Match) -> Comparison | None:
    """Count what can be counted now that a match is over, and return its comparison, or None."""
    row = ComparisonMatch.objects.select_related("comparison").filter(match=match).first()
    return None if row is None else count_units(comparison=row.comparison)


@transaction.atomic
def count_units(*, comparison: Comparison) -> Comparison:
    """Count the finished units of a comparison in the order of their numbers, and end it with the first that decides.

    Units with a match without a result are left out, and others are queued for them. Counting again changes nothing.
    """
    comparison = _lock(comparison)
    for rows in _units_over(comparison):
        if comparison.is_over:
            break
        ComparisonMatch.objects.filter(pk__in=[row.pk for row in rows]).update(in_flight=False)
        result = _result(rows)
        if result is not None:
            _count(comparison, result, rows)
    return comparison


@transaction.atomic
def stop_comparison(*, comparison: Comparison, owner: User) -> Comparison:
    """End a comparison without an answer, as an author of its bot. Raises NotYours, or Conflict if it is over."""
    check_author(comparison.version.bot, owner)
    comparison = _lock(comparison)
    if comparison.is_over:
        raise Conflict(message(gettext_noop("This comparison is over already.")))
    _end(comparison, Comparison.State.STOPPED)
    return comparison


@transaction.atomic
def stop_comparisons_of_versions(*, versions: Collection[int], reason: Message) -> int:
    """End all running comparisons of these versions without an answer, and return how many."""
    running = Comparison.objects.running().filter(Q(version__in=versions) | Q(baseline__in=versions)).order_by("pk")
    stopped = [one for one in map(_lock, running) if not one.is_over]
    for comparison in stopped:
        _end(comparison, Comparison.State.STOPPED, reason)
    return len(stopped)


def _lock(comparison: Comparison) -> Comparison:
    rows = Comparison.objects.select_for_update(of=("self",))
    return rows.select_related("owner", "version__bot__owner", "baseline__bot__owner").get(pk=comparison.pk)


def _is_author_suspended(comparison: Comparison) -> bool:
    authors = (comparison.version.bot.owner, comparison.baseline.bot.owner)
    return any(author.suspended_at is not None for author in authors)


def _check_same(version: BotVersion, baseline: BotVersion, settings: ComparisonSettings, rules: Variant) -> None:
    same = Comparison.objects.running().filter(version=version, baseline=baseline, mode=settings.mode)
    same = same.filter(edition=rules.edition)
    if found := next((one for one in same if one.changed_options == rules.changed_options), None):
        problem = gettext_noop("These two are being compared already: %(url)s")
        raise Conflict(message(problem, url=found.get_absolute_url()))


def _check_quota(owner: User) -> None:
    today = Comparison.objects.filter(owner=owner, created_at__gt=now() - DAY).count()
    if today >= settings.MAX_COMPARISONS_PER_DAY:
        problem = gettext_noop(
            "You have begun %(count)s comparisons in 24 hours, and nobody may begin more than %(most)s."
        )
        raise QuotaSpent(message(problem, count=today, most=settings.MAX_COMPARISONS_PER_DAY))


def _queue_unit(comparison: Comparison, number: int, opponent: BotVersion | None) -> list[Match]:
    """Queue the matches of a unit. In a field both versions play the same deal."""
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
        options=comparison.changed_options,
        priority=PRIORITY,
        deal=None if twin is None else twin.deal,
        virtual_start=_schedule_match(comparison),
    )


def _schedule_match(comparison: Comparison) -> float:
    """Return the virtual start time of the next match. All comparisons of an author share one flow.

    It is charged what the match is expected to cost: the usual time, or that of the author's version if it is more.
    """
    usual = Ladder.objects.usual_seconds(comparison.version.bot.game, comparison.edition)
    own = estimate_bot_seconds([comparison.version_id]).get(comparison.version_id, 0.0)
    of_owner = Comparison.objects.filter(owner=comparison.owner_id)
    virtual_start, comparison.next_virtual_start = schedule_next_match(
        priority=PRIORITY,
        after=of_owner.aggregate(latest=Max("next_virtual_start"))["latest"] or 0.0,
        seconds=max(usual, own) / FAIR_SHARE_WEIGHT,
    )
    comparison.save(update_fields=["next_virtual_start"])
    return virtual_start


def _units_over(comparison: Comparison) -> Iterator[list[ComparisonMatch]]:
    """Yield the finished units that no unfinished one is before, in order. Luck that is needed must be measured."""
    unmeasured = set(comparison.comparison_matches.without_luck().values_list("pk", flat=True))
    rows = comparison.comparison_matches.in_flight().select_related("match").defer("match__deal", "match__options")
    rows = rows.prefetch_related("match__participants").order_by("number", "of_baseline")
    for _, unit in groupby(rows, key=lambda row: row.number):
        matches = list(unit)
        if not all(row.match.is_over and row.pk not in unmeasured for row in matches):
            return
        yield matches


def _result(rows: list[ComparisonMatch]) -> int | None:
    """Return the index of a unit's result, from the worst; None if one of its matches has no result."""
    if any(row.match.state == Match.State.VOID for row in rows):
        return None
    points = [next(one.points or 0.0 for one in row.match.participants.all() if one.index == 0) for row in rows]
    quarters = [round(4 * share) for share in points]
    return quarters[0] if len(quarters) == 1 else 4 + quarters[0] - quarters[1]


def _count(comparison: Comparison, result: int, rows: Sequence[ComparisonMatch]) -> None:
    comparison.result_counts[result] += 1
    comparison.pairs += 1
    test = (comparison.result_counts, comparison.unit, comparison.elo0, comparison.elo1)
    comparison.llr, is_better = decide(*test)
    if comparison.value_function is not None:
        _add_adjusted(comparison, result, rows, comparison.value_function["luck_share"])
        comparison.adjusted_llr, answer = decide_adjusted(comparison.adjusted_sums, *test)
        is_better = answer if comparison.is_adjusted else is_better
    comparison.save(update_fields=["result_counts", "pairs", "llr", *ADJUSTED_FIELDS])
    if is_better is not None:
        _end(comparison, Comparison.State.BETTER if is_better else Comparison.State.NOT_BETTER)
    elif comparison.pairs >= MAX_PAIRS:
        reason = message(gettext_noop("Nothing was decided in %(pairs)s pairs."), pairs=MAX_PAIRS)
        _end(comparison, Comparison.State.UNDECIDED, reason)


def _add_adjusted(comparison: Comparison, result: int, rows: Sequence[ComparisonMatch], share: float) -> None:
    """Add the result of a unit less a share of its luck, as far as it could be measured.

    In a field the luck of the version is taken off, and that of the baseline in its own match added.
    """
    luck = [row.luck or 0.0 for row in rows]
    surplus = luck[0] if len(luck) == 1 else (luck[0] - luck[1]) / 2
    adjusted = result / (comparison.unit.results - 1) - share * surplus
    comparison.adjusted_total += adjusted
    comparison.adjusted_squares += adjusted**2
    comparison.adjusted_pairs += all(row.luck is not None for row in rows)


def _end(comparison: Comparison, state: Comparison.State, reason: Message | None = None) -> None:
    comparison.state, comparison.state_reason, comparison.decided_at = state, reason, now()
    if state == Comparison.State.BETTER and comparison.promote_if_better:
        _promote(comparison)
    comparison.save(update_fields=["state", "state_reason", "state_detail", "decided_at", "promoted_at"])
    waiting, moment = comparison.comparison_matches.in_flight().values("match"), now()
    Match.objects.filter(pk__in=waiting, state=Match.State.QUEUED).update(
        state=Match.State.VOID,
        void_reason=message(gettext_noop("The comparison that it was for is over.")),
        finished_at=moment,
        cancelled_at=moment,
    )
    comparison.comparison_matches.in_flight().update(in_flight=False)
    if state != Comparison.State.STOPPED:
        _notify(comparison)


def _promote(comparison: Comparison) -> None:
    """Promote the version if the ladders let it; the answer stands either way."""
    try:
        with transaction.atomic():
            promote_to_ladders(version=comparison.version, owner=comparison.owner)
    except ArenaError as error:
        comparison.state_reason = message(gettext_noop("It was not promoted."))
        comparison.state_detail = error.message
    else:
        comparison.promoted_at = now()


ANSWERS = {
    Comparison.State.BETTER: gettext_noop("%(version)s is better than %(other)s."),
    Comparison.State.NOT_BETTER: gettext_noop("%(version)s is not better than %(other)s."),
}
GUARD_ANSWERS = {
    Comparison.State.BETTER: gettext_noop("%(version)s is no worse than %(other)s."),
    Comparison.State.NOT_BETTER: gettext_noop("%(version)s is worse than %(other)s."),
}
UNDECIDED_ANSWER = gettext_noop("%(version)s can't be told from %(other)s.")


def _describe_end(comparison: Comparison) -> Message:
    """Return what the owner is told of a decided comparison."""
    answers = GUARD_ANSWERS if comparison.is_guard else ANSWERS
    template = answers.get(Comparison.State(comparison.state), UNDECIDED_ANSWER)
    answer = message(template, version=str(comparison.version), other=str(comparison.baseline))
    promoted = message(gettext_noop("It was promoted to the ladders.")) if comparison.promoted_at else None
    return join_messages(answer, promoted, comparison.state_reason, comparison.state_detail)


def _notify(comparison: Comparison) -> None:
    """Notify the owner that the comparison is decided."""
    notify_user(
        user=comparison.owner,
        event=Event.COMPARISON_DECIDED,
        text=_describe_end(comparison),
        url=comparison.get_absolute_url(),
        about=f"comparison {comparison.pk}",
        payload={
            "comparison": comparison.pk,
            "bot": comparison.version.bot.slug,
            "version": comparison.version.number,
            "baseline": {"bot": comparison.baseline.bot.slug, "version": comparison.baseline.number},
            "state": comparison.state,
            "reason": str(comparison.state_reason or ""),
            "detail": str(comparison.state_detail or ""),
            "pairs": comparison.pairs,
            "llr": comparison.deciding_llr,
            "promoted": comparison.promoted_at is not None,
        },
    )
