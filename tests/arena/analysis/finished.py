"""Store matches that are over, without playing them in a sandbox."""

from collections.abc import Sequence
from random import Random

from arena.analysis.models import LegAnalysis
from arena.analysis.services.making import claim_analysis
from arena.analysis.work import work_on_analysis
from arena.bots.models import BotVersion
from arena.matches.models import Leg, Match
from arena.matches.services import claim_match, queue_match, store_report
from arena.matches.workers import this_worker
from arena.runner.leg import LegReport
from arena.runner.match import MatchReport
from engine.registry import find_game
from tests.engine.analysis.plays import play_leg, random_chooser

SHORT = 6
"""Decisions after which a seat goes out: enough to analyse something."""


def finish_match(
    versions: Sequence[BotVersion], *, queued: Match | None = None, decisions: int | None = SHORT, seed: str = "deal 0"
) -> Match:
    """Store the result of a match, of standard Battle Line unless one is queued, both legs of random play.

    All chance of a match that is queued here comes from the seed, so that its analysis is always the same.
    """
    game = find_game("battleline")
    deal = game.deal(game.options("standard"), 2, Random(seed))
    match = queued or queue_match(
        versions=versions, game="battleline", edition="standard", deal=deal, salts=["salt", "pepper"]
    )
    attempt = claim_match(match_id=match.pk, worker=this_worker())
    assert attempt is not None
    reports = tuple(report_leg(match, leg, decisions) for leg in match.legs.order_by("number"))
    store_report(attempt=attempt, report=MatchReport(reports))
    match.refresh_from_db()
    return match


def report_leg(match: Match, leg: Leg, decisions: int | None) -> LegReport:
    choosers = (random_chooser(f"{leg.number} first"), random_chooser(f"{leg.number} second"))
    record = play_leg("", choosers, edition=match.edition, deal=match.deal, max_actions=decisions)
    record |= {"salt": leg.salt, "deal_hash": leg.deal_hash}
    none = (0.0, 0.0)
    return LegReport(tuple(leg.seating), record, ("", ""), (None, None), none, (0, 0), none, none)


def make_analysis(seconds: float = 1000.0) -> LegAnalysis | None:
    """Make the first analysis that waits, or a slice of it."""
    analysis = claim_analysis(worker=this_worker())
    if analysis is not None:
        assert work_on_analysis(analysis=analysis, seconds=seconds)
        analysis.refresh_from_db()
    return analysis
