"""Store matches that are over, without playing them in a sandbox."""

from collections.abc import Sequence
from random import Random

from arena.bots.models import BotVersion
from arena.contests.analysis.models import LegAnalysis, WaitingLine, pack
from arena.contests.analysis.services import claim_analysis, work_on_analysis
from arena.matches.models import Leg, Match
from arena.matches.services import claim_match, queue_match, store_report
from arena.matches.workers import this_worker
from arena.runner.match import LegReport, MatchReport
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
    """Make the coarse passes that wait, and then the first analysis that may go on, or a slice of it."""
    while make_coarse_pass() is not None:
        pass
    return work_on(claim_full_pass(), seconds)


def make_coarse_pass() -> LegAnalysis | None:
    """Make the first coarse pass that waits."""
    return work_on(claim_analysis(worker=this_worker(), line=WaitingLine.COARSE))


def work_on(analysis: LegAnalysis | None, seconds: float = 1000.0) -> LegAnalysis | None:
    if analysis is not None:
        assert work_on_analysis(analysis=analysis, seconds=seconds)
        analysis.refresh_from_db()
    return analysis


def claim_full_pass(worker: str | None = None) -> LegAnalysis | None:
    """Claim a full pass, as if the coarse passes that come before them were made."""
    LegAnalysis.objects.in_line(WaitingLine.COARSE).filter(worker="").update(coarse_result=pack({}))
    lines = (WaitingLine.FULL, WaitingLine.UNREQUESTED)
    claimed = (claim_analysis(worker=worker or this_worker(), line=line) for line in lines)
    return next(filter(None, claimed), None)
