"""Queue analyses: for a user who asks, and by itself for the best matches of each ladder."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.utils.formats import date_format
from django.utils.timezone import localtime, now

from arena.accounts.models import User
from arena.analysis.capacity import is_analysis_on
from arena.analysis.errors import AnalysisClosed, NotAnalysable, NotPlayed
from arena.analysis.models import LegAnalysis
from arena.analysis.queries.top_matches import list_top_matches
from arena.bots.quotas import QuotaSpent
from arena.comparisons.queries.shared_deals import is_deal_in_play
from arena.ladders.models import Ladder
from arena.livegames.models import LiveGame
from arena.livegames.players import Player
from arena.livegames.queries.games import is_live_deal_in_play
from arena.livegames.services.deciding import find_own_seat
from arena.livegames.services.storing import list_seats
from arena.matches.models import Leg, Match
from engine.analysis.evaluator import Evaluator
from engine.analysis.evaluators import find_evaluator, has_evaluator
from engine.message import gettext_noop, message

QUOTA_PERIOD = timedelta(hours=24)


@transaction.atomic
def request_analysis(*, user: User, leg: Leg) -> LegAnalysis:
    """Queue the analysis of a leg for a user, and return it; where there is one already, that is returned.

    One that failed is tried again. Raises NotAnalysable, AnalysisClosed or QuotaSpent.
    """
    user = User.objects.select_for_update().get(pk=user.pk)
    return _request(user, check_analysable(leg, user), leg=leg)


@transaction.atomic
def request_live_analysis(*, player: Player, game: LiveGame) -> LegAnalysis:
    """Queue the analysis of a live game that is over, for a user who played it, as `request_analysis` does.

    Guests sign in first: requests are counted by user. Raises NotPlayed, NotAnalysable, AnalysisClosed or QuotaSpent.
    """
    if player.user is None or find_own_seat(list_seats(game), player) is None:
        raise NotPlayed(message(gettext_noop("Only who played this game and is signed in can have it analysed.")))
    user = User.objects.select_for_update().get(pk=player.user.pk)
    return _request(user, check_live_analysable(game), live_game=game)


def _request(user: User, evaluator: Evaluator, **subject: Leg | LiveGame) -> LegAnalysis:
    """Return the analysis of a leg, or of a live game, by this function; queue it where there is none."""
    known = LegAnalysis.objects.of_function(evaluator.version, evaluator.weights_hash).filter(**subject).first()
    if known is not None and known.state != LegAnalysis.State.FAILED:
        return known
    if not is_analysis_on():
        raise AnalysisClosed(message(gettext_noop("This arena makes no analyses at present.")))
    check_quota(user)
    if known is not None:
        return _try_again(known, user)
    return _create(evaluator, requested_by=user, **subject)


def queue_top_matches() -> int:
    """Queue the analysis of one match of each public ladder with some left for today, and return how many legs that is.

    It is the match of the last day whose weaker bot has the highest rating. Called every hour, it spreads them out.
    """
    queued = 0
    if not is_analysis_on():
        return queued
    since = now() - QUOTA_PERIOD
    for ladder in Ladder.objects.public().playable():
        if (
            has_evaluator(ladder.game, ladder.edition)
            and _count_automatic(ladder, since) < settings.ANALYSED_TOP_MATCHES
        ):
            queued += sum(_queue_match(match) for match in list_top_matches(ladder, since, limit=1))
    return queued


def check_analysable(leg: Leg, reader: User | None) -> Evaluator:
    """Return the evaluator of a leg that `reader` may have analysed. Raises NotAnalysable.

    Nothing of a match is analysed that is not over, or whose deal is in play elsewhere.
    """
    match = Match.objects.visible_to(reader).filter(pk=leg.match_id).first()
    if match is None or match.state != Match.State.FINISHED:
        raise NotAnalysable(message(gettext_noop("Only a match that has a result is analysed.")))
    if is_deal_in_play(match):
        problem = gettext_noop("Another match with the same deal is still being played: come back when it is over.")
        raise NotAnalysable(message(problem))
    evaluator = find_evaluator(match.game, match.edition, match.options)
    if evaluator is None:
        raise NotAnalysable(message(gettext_noop("There is no value function for these rules, so no analysis.")))
    if leg.record is None:
        raise NotAnalysable(
            message(gettext_noop("The record of this leg was lost or removed, so it can't be analysed."))
        )
    return evaluator


def check_live_analysable(game: LiveGame) -> Evaluator:
    """Return the evaluator of a live game that may be analysed: one with a result, whose deal isn't in play again.

    Raises NotAnalysable.
    """
    if game.state != LiveGame.State.FINISHED or game.record is None:
        raise NotAnalysable(message(gettext_noop("Only a game that is over and has a result is analysed.")))
    if is_live_deal_in_play(game):
        problem = gettext_noop("The same deal is being played with swapped seats: come back when that game is over.")
        raise NotAnalysable(message(problem))
    evaluator = find_evaluator(game.game, game.edition, game.options)
    if evaluator is None:
        raise NotAnalysable(message(gettext_noop("There is no value function for these rules, so no analysis.")))
    return evaluator


def check_quota(user: User) -> None:
    """Raise QuotaSpent where the user has requested as many analyses as one may in 24 hours."""
    today = LegAnalysis.objects.filter(requested_by=user, created_at__gt=now() - QUOTA_PERIOD).order_by("-created_at")
    requested = list(today.values_list("created_at", flat=True)[: settings.MAX_ANALYSES_PER_DAY])
    if len(requested) < settings.MAX_ANALYSES_PER_DAY:
        return
    if not requested:
        raise QuotaSpent(message(gettext_noop("Nobody may request analyses here at present.")))
    again = localtime(requested[-1] + QUOTA_PERIOD)
    problem = gettext_noop(
        "You have requested %(most)s analyses in 24 hours, and nobody may request more: you can request again at "
        "%(time)s."
    )
    spent = message(problem, most=settings.MAX_ANALYSES_PER_DAY, time=date_format(again, "H:i T, j F"))
    raise QuotaSpent(spent, retry_after=(again - now()).total_seconds())


def _create(evaluator: Evaluator, requested_by: User | None, **subject: Leg | LiveGame) -> LegAnalysis:
    return LegAnalysis.objects.create(
        **subject,
        function_version=evaluator.version,
        function_hash=evaluator.weights_hash,
        requested_by=requested_by,
        is_automatic=requested_by is None,
    )


def _try_again(analysis: LegAnalysis, user: User) -> LegAnalysis:
    analysis.state, analysis.error = LegAnalysis.State.WAITING, None
    analysis.failures = analysis.losses = analysis.entries_done = 0
    analysis.parts, analysis.rests_until = None, None
    analysis.requested_by, analysis.is_automatic, analysis.created_at = user, False, now()
    analysis.save()
    return analysis


def _count_automatic(ladder: Ladder, since: datetime) -> int:
    """Count the matches of a ladder that were chosen since then."""
    chosen = LegAnalysis.objects.filter(
        is_automatic=True, created_at__gt=since, leg__match__ladder_match__ladder=ladder
    )
    return chosen.values("leg__match").distinct().count()


def _queue_match(match: Match) -> int:
    """Queue the analysis of all legs of a match, and return how many there are."""
    made = 0
    for leg in Leg.objects.filter(match=match).defer("deal"):
        try:
            evaluator = check_analysable(leg, None)
        except NotAnalysable:
            continue
        _create(evaluator, requested_by=None, leg=leg)
        made += 1
    return made
