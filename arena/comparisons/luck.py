"""Take luck off the results of comparisons: whether it may be done, how much there was, and whose luck is odd."""

import logging
from collections.abc import Sequence

from django.conf import settings
from django.db import transaction
from django.utils.timezone import now

from arena.bots.models import Bot, BotVersion
from arena.comparisons.models import Comparison, ComparisonMatch, LuckSuspension, ParticipantLuck
from arena.comparisons.queries.luck import list_suspended_bots
from arena.comparisons.settings import NotComparable
from arena.ladders.models import Ladder
from arena.matches.models import Leg, LegSeat, Match
from arena.notices.models import Event
from arena.notices.services import notify_staff
from engine.analysis.evaluator import Evaluator
from engine.analysis.evaluators import find_evaluator
from engine.analysis.luck import SeatLuck, describe_value_function, measure_luck
from engine.core import Json
from engine.message import gettext_noop, message
from engine.registry import GAMES
from engine.variants import Variant

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
        problem = gettext_noop("There is no value function for these rules, so nothing can be adjusted for luck.")
        raise NotComparable(message(problem))
    if not has_luck_adjustment(game, rules.edition):
        raise NotComparable(message(gettext_noop("This arena makes no analyses at present, so it measures no luck.")))
    if odd := list_suspended_bots([version.bot_id for version in versions]).first():
        problem = gettext_noop("The luck of %(name)s is out of line, so no comparison with it is adjusted for luck.")
        raise NotComparable(message(problem, name=odd.name))
    chosen = describe_value_function(evaluator)
    season = Ladder.objects.public().open().filter(game=game, edition=rules.edition).first()
    if season is not None and season.value_function not in (None, chosen):
        problem = gettext_noop(
            "The value function is another one than that which was published with the season: "
            "nothing can be adjusted for luck before the next season."
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
    found = _measure(row)
    if found is not None:
        changes = {"luck": (found[0].luck - found[1].luck) / row.match.legs.count()}
    with transaction.atomic():
        if ComparisonMatch.objects.without_luck().filter(pk=row.pk).update(**changes) == 1 and found is not None:
            _store_participants(row.match, found)
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
            "The luck of %(name)s is out of line: its mean over %(draws)s draws is %(z)s standard errors from 0. "
            "Comparisons with it are no longer adjusted for luck."
        )
        text = message(template, name=bot.name, draws=draws, z=f"{z:+.1f}")
        notify_staff(event=Event.LUCK_SUSPENDED, text=text, url=bot.get_absolute_url(), about=f"bot {bot.pk}")
    return row


def dismiss_suspensions(*, suspensions: Sequence[LuckSuspension]) -> int:
    """Let new comparisons with these bots be adjusted again, for good. Return how many were suspended."""
    wanted = [row.pk for row in suspensions]
    return LuckSuspension.objects.filter(pk__in=wanted, dismissed_at=None).update(dismissed_at=now())


def _measure(row: ComparisonMatch) -> list[SeatLuck] | None:
    """Return the luck by index of the participant; None where it can't be measured."""
    evaluator = find_evaluator(row.match.game, row.match.edition, row.match.options)
    if evaluator is None or describe_value_function(evaluator) != row.comparison.value_function:
        return None
    try:
        return _add_legs(row.match, evaluator)
    except Exception:  # whatever it was, no bot can cause it, so it is ours
        logger.exception("The luck of match %s can't be measured", row.match_id)
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


def _store_participants(match: Match, found: Sequence[SeatLuck]) -> None:
    ParticipantLuck.objects.bulk_create(
        ParticipantLuck(participant=one, draws=luck.draws, luck=luck.luck, squares=luck.squares)
        for one, luck in zip(match.participants.order_by("index"), found, strict=True)
    )
