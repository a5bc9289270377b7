"""Compare two versions: check, queue matches, count them in order, take luck off, and end with an answer."""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import groupby
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max, Prefetch, Q, QuerySet
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.bots.queries import Reader, list_named_versions
from arena.bots.services import check_plays, check_sandboxed
from arena.bots.teams import QuotaSpent, check_author, check_is_public, check_may_meet
from arena.contests.comparisons.models import Comparison, ComparisonMatch, LuckSuspension, ParticipantLuck
from arena.contests.comparisons.sprt import MAX_PAIRS, PRESETS, decide, decide_adjusted
from arena.contests.ladders.models import Entry, Ladder
from arena.contests.ladders.rating import INITIAL_RATING_ELO
from arena.contests.ladders.services.entering import promote_to_ladders
from arena.core.database import is_past
from arena.core.errors import ArenaError, Conflict
from arena.core.wake import Work, wake
from arena.matches.filters import resolve_variant
from arena.matches.models import Leg, LegSeat, Match
from arena.matches.queries import find_first_place_in_queue
from arena.matches.queue import PlaceInQueue
from arena.matches.services import queue_match
from arena.matches.slots import estimate_bot_seconds, schedule_next_match
from arena.people.accounts.models import User
from arena.people.accounts.services import check_not_suspended
from arena.people.notices.models import Event
from arena.people.notices.services import notify_staff, notify_user
from engine.analysis.evaluators import Evaluator, find_evaluator
from engine.analysis.leg import SeatLuck, describe_value_function, measure_luck
from engine.core import Json
from engine.message import Message, gettext_noop, join_messages, message
from engine.registry import GAMES
from engine.variants import Variant

# The settings of a comparison: check whether versions may be compared, and choose the opponents of a field.

MAX_FIELD_SIZE = 16
MIN_FIELD_SIZE = 2


class NotComparable(ArenaError):
    """Two versions can't be compared like that; the message says why."""


@dataclass(frozen=True, slots=True)
class ComparisonSettings:
    """Choices of the author who starts a comparison."""

    mode: str = Comparison.Mode.HEAD_TO_HEAD
    preset: str = "default"
    """A key of `sprt.PRESETS`."""
    edition: str = ""
    """The game's first one where empty."""
    promote_if_better: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)
    """Changes of the edition's options."""
    adjust_for_luck: bool = False
    """Whether the results less a part of the luck decide."""


def find_rules(version: BotVersion, settings: ComparisonSettings) -> Variant:
    """Return the rules that are played by. Raises NotComparable for unknown settings, or UnplayableRules."""
    if settings.mode not in Comparison.Mode.values or settings.preset not in PRESETS:
        problem = gettext_noop("Choose a mode (%(modes)s) and a preset (%(presets)s).")
        raise NotComparable(message(problem, modes=", ".join(Comparison.Mode.values), presets=", ".join(PRESETS)))
    return resolve_variant(version.bot.game, settings.edition, settings.options)


def check_pair(owner: User, version: BotVersion, baseline: BotVersion) -> None:
    """Check that two versions may be compared. Raises NotComparable or RunsElsewhere."""
    for one in (version, baseline):
        check_sandboxed(one.bot)
        if one.state != BotVersion.State.ACCEPTED:
            raise NotComparable(message(gettext_noop("%(version)s hasn't passed its trial."), version=str(one)))
    if version.bot.game != baseline.bot.game:
        problem = gettext_noop("%(one)s and %(other)s play different games.")
        raise NotComparable(message(problem, one=version.bot.name, other=baseline.bot.name))
    if version.source_id == baseline.source_id:
        raise NotComparable(message(gettext_noop("Both have the same files, so neither is better.")))
    is_own = baseline.bot.has_author(owner)
    if not is_own and not baseline.entries.active().public().filter(ladder__closed_at=None).exists():
        raise NotComparable(message(gettext_noop("%(version)s isn't on a ladder."), version=str(baseline)))


def previous_version(version: BotVersion) -> BotVersion | None:
    """Return the accepted version of the bot before this one, or None."""
    older = version.bot.versions.filter(number__lt=version.number).exclude(source=version.source_id)
    return older.accepted().order_by("-number").first()


def find_field(version: BotVersion, baseline: BotVersion, edition: str) -> list[BotVersion]:
    """Return the opponents of a field: active bots of others, nearest in rating. Raises NotComparable."""
    on_ladder = (
        Entry.objects.public()
        .filter(ladder__game=version.bot.game, ladder__edition=edition, ladder__closed_at=None)
        .order_by("rating")
    )
    own = on_ladder.filter(version__in=[version, baseline]).order_by("deviation").values_list("rating", flat=True)
    middle = own.first() or INITIAL_RATING_ELO
    of_authors = Bot.objects.of_authors(version.bot.author_keys)
    others = on_ladder.active().exclude(version__bot__in=of_authors).exclude(version__bot=baseline.bot_id)
    others = others.select_related("version__bot")
    near = [
        *others.filter(rating__gte=middle)[:MAX_FIELD_SIZE],
        *others.filter(rating__lt=middle).reverse()[:MAX_FIELD_SIZE],
    ]
    near.sort(key=lambda entry: (abs(entry.rating - middle), entry.pk))
    if len(near) < MIN_FIELD_SIZE:
        problem = gettext_noop("A field needs at least %(least)s bots by other authors, but that ladder has fewer.")
        raise NotComparable(message(problem, least=MIN_FIELD_SIZE))
    return [entry.version for entry in near[:MAX_FIELD_SIZE]]


# Read the luck of comparisons: matches whose luck is to be measured, and bots whose luck is odd.

MEASURED_WITHIN = timedelta(seconds=30)
"""After this time the message that asked for a measurement is taken for lost."""


def list_matches_without_luck() -> list[int]:
    """Return the finished matches of adjusted comparisons whose luck should have been measured by now."""
    overdue = ComparisonMatch.objects.without_luck().filter(is_past("match__finished_at", MEASURED_WITHIN))
    return list(overdue.order_by("pk").values_list("match", flat=True))


def list_suspended_bots(bots: Collection[int]) -> QuerySet[Bot]:
    """List those of these bots whose comparisons are not adjusted for luck."""
    return Bot.objects.filter(pk__in=bots, luck_suspension__isnull=False, luck_suspension__dismissed_at=None)


def find_luck_suspension(bot: Bot) -> LuckSuspension | None:
    """Return the suspension of a bot's adjustment, or None."""
    return LuckSuspension.objects.filter(bot=bot, dismissed_at=None).first()


logger = logging.getLogger(__name__)


def has_luck_adjustment(game: str, edition: str) -> bool:
    """Return whether results of these rules can be adjusted for luck here."""
    return settings.ANALYSIS_SHARE_PERCENT > 0 and find_evaluator(game, edition) is not None


def is_luck_measured(game: str) -> bool:
    """Return whether results of any edition of a game can be adjusted for luck here."""
    return game in GAMES and any(has_luck_adjustment(game, edition) for edition in GAMES[game].editions)


def choose_value_function(game: str, rules: Variant, versions: Sequence[BotVersion]) -> Json:
    """Return what fixes the adjustment of a comparison between these versions. Raises NotComparable.

    Where the running season has published a value function, no other one is used.
    """
    evaluator = None if rules.changed_options else find_evaluator(game, rules.edition)
    if evaluator is None:
        problem = gettext_noop("These rules have no value function, so results can't be adjusted for luck.")
        raise NotComparable(message(problem))
    if not has_luck_adjustment(game, rules.edition):
        raise NotComparable(message(gettext_noop("Analysis is turned off on this arena, so luck can't be measured.")))
    if odd := list_suspended_bots([version.bot_id for version in versions]).first():
        problem = gettext_noop("%(name)s has had implausible luck, so comparisons with it aren't adjusted for luck.")
        raise NotComparable(message(problem, name=odd.name))
    chosen = describe_value_function(evaluator)
    season = Ladder.objects.public().open().filter(game=game, edition=rules.edition).first()
    if season is not None and season.value_function not in (None, chosen):
        problem = gettext_noop(
            "The value function isn't the one published with this season. Results can't be adjusted for luck "
            "until the next season."
        )
        raise NotComparable(message(problem))
    return chosen


def measure_match_luck(*, match_id: int) -> Comparison | None:
    """Measure the luck of a finished match of an adjusted comparison, once. Return the comparison, or None.

    Where it can't be measured, the result counts as it is: that is no less right, but less certain.
    """
    rows = ComparisonMatch.objects.without_luck().filter(match=match_id)
    row = rows.select_related("comparison", "match").defer("match__deal").first()
    if row is None:
        return None
    changes: Json = {"is_luck_unknown": True}
    found = measure_seat_luck(row.match, row.comparison.value_function)
    if found is not None:
        changes = {"luck": (found[0].luck - found[1].luck) / row.match.legs.count()}
    with transaction.atomic():
        if ComparisonMatch.objects.without_luck().filter(pk=row.pk).update(**changes) == 1 and found is not None:
            store_luck(row.match, found)
    return row.comparison


def suspend_adjustment(*, bot: Bot, draws: int, z: float) -> LuckSuspension | None:
    """Stop adjusting comparisons with a bot for luck, and tell staff; return None where that was done before.

    Running comparisons go on by their results as they were counted. The bot plays on.
    """
    with transaction.atomic():
        row, is_new = LuckSuspension.objects.get_or_create(bot=bot, defaults={"draws": draws, "z": z})
        if not is_new:
            return None
        running = Comparison.objects.running().with_bot(bot).exclude(value_function=None)
        Comparison.objects.filter(pk__in=running.values("pk")).update(adjustment_suspended=True)
        template = gettext_noop(
            "%(name)s has had implausible luck: its mean over %(draws)s draws is %(z)s standard errors from "
            "0. Comparisons with it are no longer adjusted for luck."
        )
        text = message(template, name=bot.name, draws=draws, z=f"{z:+.1f}")
        notify_staff(event=Event.LUCK_SUSPENDED, text=text, url=bot.get_absolute_url(), about=f"bot {bot.pk}")
    return row


def dismiss_suspensions(*, suspensions: Sequence[LuckSuspension]) -> int:
    """Let new comparisons with these bots be adjusted again, for good. Return how many were suspended."""
    wanted = [row.pk for row in suspensions]
    return LuckSuspension.objects.filter(pk__in=wanted, dismissed_at=None).update(dismissed_at=now())


def measure_seat_luck(match: Match, value_function: Json | None) -> list[SeatLuck] | None:
    """Return the luck by index of the participant; None where the published function can't measure it."""
    evaluator = find_evaluator(match.game, match.edition, match.options)
    if evaluator is None or describe_value_function(evaluator) != value_function:
        return None
    try:
        return _add_legs(match, evaluator)
    except Exception:  # whatever it was, no bot can cause it, so it is ours
        logger.exception("The luck of match %s can't be measured", match.pk)
        return None


def _add_legs(match: Match, evaluator: Evaluator) -> list[SeatLuck] | None:
    """Return the luck of each participant over all legs; None where a record is missing."""
    seats = LegSeat.objects.filter(leg__match=match).values_list("leg", "seat", "participant__index")
    indices = {(leg, seat): index for leg, seat, index in seats}
    found = [SeatLuck(), SeatLuck()]
    for leg in Leg.objects.filter(match=match).defer("deal").order_by("number"):
        if leg.record is None:
            return None
        for seat, luck in enumerate(measure_luck(leg.record_data, evaluator)):
            index = indices[leg.pk, seat]
            found[index] = found[index] + luck
    return found


def store_luck(match: Match, found: Sequence[SeatLuck]) -> None:
    """Store the luck of the participants of a match, once."""
    ParticipantLuck.objects.bulk_create(
        ParticipantLuck(participant=one, draws=luck.draws, luck=luck.luck, squares=luck.squares)
        for one, luck in zip(match.participants.order_by("index"), found, strict=True)
    )


# Compare two versions: queue matches, count them in order, and end with an answer.

DAY = timedelta(hours=24)
PRIORITY = -1
FAIR_SHARE_WEIGHT = 0.25
"""All comparisons of an author get a quarter of the workers' time that one ladder gets."""
ADJUSTED_FIELDS = ("adjusted_llr", "adjusted_total", "adjusted_squares", "adjusted_pairs")


@transaction.atomic
def start_comparison(
    *, owner: User, version: BotVersion, baseline: BotVersion | None = None, settings: ComparisonSettings | None = None
) -> Comparison:
    """Start to compare a version with another, by default the one before it.

    `queue_comparison_matches` queues the matches. Raises NotYours, RunsElsewhere, NotComparable, UnplayableRules,
    Conflict, QuotaSpent or AuthorSuspended.
    """
    settings = settings or ComparisonSettings()
    check_not_suspended(User.objects.select_for_update().get(pk=owner.pk))
    check_author(version.bot, owner)
    check_plays(version.bot, reader=owner)
    check_sandboxed(version.bot)
    rules = find_rules(version, settings)
    baseline = baseline or previous_version(version)
    if baseline is None:
        problem = gettext_noop("%(name)s has no older version. Choose what to compare it with.")
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
    wake(Work.COMPARISON, comparison.pk)
    return comparison


@transaction.atomic
def queue_comparison_matches(*, comparison: Comparison) -> list[Match]:
    """Queue matches until the comparison has as many waiting as it may, and return the new ones.

    None while the author of either version is suspended; of a field, authors who are suspended are passed over.
    """
    comparison = lock_comparison(comparison)
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
    comparison = lock_comparison(comparison)
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
    comparison = lock_comparison(comparison)
    if comparison.is_over:
        raise Conflict(message(gettext_noop("This comparison has already ended.")))
    end_comparison(comparison, Comparison.State.STOPPED)
    return comparison


def lock_comparison(comparison: Comparison) -> Comparison:
    """Lock a comparison and return it as it is now, with both bots and their owners."""
    rows = Comparison.objects.select_for_update(of=("self",))
    return rows.select_related("owner", "version__bot__owner", "baseline__bot__owner").get(pk=comparison.pk)


def _is_author_suspended(comparison: Comparison) -> bool:
    authors = (comparison.version.bot.owner, comparison.baseline.bot.owner)
    return any(author.suspended_at is not None for author in authors)


def _check_same(version: BotVersion, baseline: BotVersion, settings: ComparisonSettings, rules: Variant) -> None:
    same = Comparison.objects.running().filter(version=version, baseline=baseline, mode=settings.mode)
    same = same.filter(edition=rules.edition)
    if found := next((one for one in same if one.changed_options == rules.changed_options), None):
        problem = gettext_noop("These two are already being compared: %(url)s")
        raise Conflict(message(problem, url=found.get_absolute_url()))


def _check_quota(owner: User) -> None:
    today = Comparison.objects.filter(owner=owner, created_at__gt=now() - DAY).count()
    if today >= settings.MAX_COMPARISONS_PER_DAY:
        problem = gettext_noop("You've started %(count)s comparisons in 24 hours; the maximum is %(most)s.")
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
        end_comparison(comparison, Comparison.State.BETTER if is_better else Comparison.State.NOT_BETTER)
    elif comparison.pairs >= MAX_PAIRS:
        reason = message(gettext_noop("Undecided after %(pairs)s pairs."), pairs=MAX_PAIRS)
        end_comparison(comparison, Comparison.State.UNDECIDED, reason)


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


def end_comparison(comparison: Comparison, state: Comparison.State, reason: Message | None = None) -> None:
    """Store how a locked comparison ended, and withdraw its waiting matches."""
    comparison.state, comparison.state_reason, comparison.decided_at = state, reason, now()
    if state == Comparison.State.BETTER and comparison.promote_if_better:
        _promote(comparison)
    comparison.save(update_fields=["state", "state_reason", "state_detail", "decided_at", "promoted_at"])
    waiting, moment = comparison.comparison_matches.in_flight().values("match"), now()
    Match.objects.filter(pk__in=waiting, state=Match.State.QUEUED).update(
        state=Match.State.VOID,
        void_reason=message(gettext_noop("Its comparison is finished.")),
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
        comparison.state_reason = message(gettext_noop("It wasn't promoted to the ladders."))
        comparison.state_detail = error.message
    else:
        comparison.promoted_at = now()


ANSWERS = {
    Comparison.State.BETTER: gettext_noop("%(version)s is better than %(other)s."),
    Comparison.State.NOT_BETTER: gettext_noop("%(version)s isn't better than %(other)s."),
}
GUARD_ANSWERS = {
    Comparison.State.BETTER: gettext_noop("%(version)s is no worse than %(other)s."),
    Comparison.State.NOT_BETTER: gettext_noop("%(version)s is worse than %(other)s."),
}
UNDECIDED_ANSWER = gettext_noop("%(version)s and %(other)s are too close to call.")


def _describe_end(comparison: Comparison) -> Message:
    """Return what the owner is told of a decided comparison."""
    answers = GUARD_ANSWERS if comparison.is_guard else ANSWERS
    template = answers.get(Comparison.State(comparison.state), UNDECIDED_ANSWER)
    answer = message(template, version=str(comparison.version), other=str(comparison.baseline))
    promoted = message(gettext_noop("It's now on the ladders.")) if comparison.promoted_at else None
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


# Find comparisons with the versions they are about.


def list_comparisons(
    reader: Reader, *, bot: Bot | None = None, owner: str = "", state: str = ""
) -> QuerySet[Comparison]:
    """List the comparisons of bots that a reader may see with owner and versions: of a bot, of a user, in a state."""
    lookups = {"version__bot": bot, "owner__username": owner, "state": state}
    found = Comparison.objects.filter(**{name: value for name, value in lookups.items() if value})
    shown = Bot.objects.visible_to(reader)
    found = found.filter(version__bot__in=shown, baseline__bot__in=shown)
    found = found.select_related("owner", "version__bot__owner", "baseline__bot__owner")
    return found.defer("version__build_log", "baseline__build_log")


def list_comparisons_of_author(author: User) -> QuerySet[Comparison]:
    """List the comparisons that a user may see and has started, or that others started for the user's bots."""
    return list_comparisons(author).filter(Q(owner=author) | Q(version__bot__in=Bot.objects.of_authors([author])))


def find_comparison(reader: Reader, pk: int) -> Comparison | None:
    """Return that comparison with its opponents if the reader may see it, or None."""
    return list_comparisons(reader).prefetch_related(Prefetch("opponents", list_named_versions())).filter(pk=pk).first()


# Read how a comparison goes: its matches, and where the next of them stands in the queue.


def list_comparison_matches(comparison: Comparison, limit: int) -> QuerySet[Match]:
    """List the newest matches of a comparison, without those that ended without a result."""
    matches = Match.objects.filter(comparison_match__comparison=comparison).exclude(state=Match.State.VOID)
    return matches.lean()[:limit]


def list_opponents(comparison: Comparison) -> QuerySet[BotVersion]:
    """List the bots that both versions play in a field."""
    return comparison.opponents.select_related("bot").defer("build_log").order_by("pk")


def find_next_place_in_queue(comparison: Comparison) -> PlaceInQueue | None:
    """Return the place in the queue of the first match; None while one is played, or where none is to be."""
    unplayed = Match.objects.filter(comparison_match__comparison=comparison, comparison_match__in_flight=True)
    return None if unplayed.running().exists() else find_first_place_in_queue(unplayed)


# Deals that two matches share.
#
# In a field both versions play the same deal, so while one of the two matches is still to be played, nobody may see
# the cards of the other.

UNPLAYED = (Match.State.QUEUED, Match.State.RUNNING)


def is_deal_in_play(match: Match) -> bool:
    """Return whether another match with the same deal is still to be played."""
    row = ComparisonMatch.objects.filter(match=match.pk).first()
    if row is None:
        return False
    others = ComparisonMatch.objects.filter(comparison=row.comparison_id, number=row.number).exclude(pk=row.pk)
    return others.filter(match__state__in=UNPLAYED).exists()


def list_matches_with_deal_in_play(matches: Collection[int]) -> set[int]:
    """Return those of these finished matches whose deal is still to be played by others."""
    rows = list(ComparisonMatch.objects.filter(match__in=matches).values_list("match", "comparison", "number"))
    if not rows:
        return set()
    comparisons = {comparison for _match, comparison, _number in rows}
    unplayed = ComparisonMatch.objects.filter(comparison__in=comparisons, match__state__in=UNPLAYED)
    in_play = set(unplayed.values_list("comparison", "number"))
    return {match for match, *deal in rows if tuple(deal) in in_play}
