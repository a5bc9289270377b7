"""Work on a claimed analysis for a few seconds, and store how far it came."""

from time import monotonic

from arena.analysis.models import LegAnalysis, read_packed
from arena.analysis.services.making import fail_analysis, store_analysis, store_parts
from arena.log_context import log_with
from arena.matches.play import carry_out
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import LegAnalyser

SLICE_S = 4.0
"""A worker goes back to its matches after this time."""


def work_on_analysis(*, analysis: LegAnalysis, seconds: float = SLICE_S) -> bool:
    """Make the next slice of an analysis, and store it or the failure. Return whether something was stored."""
    leg = analysis.leg
    with log_with(live_game_id=analysis.live_game_id) if leg is None else log_with(match_id=leg.match_id):
        return carry_out(
            analysis,
            lambda: _make_slice(analysis, seconds),
            lambda error: fail_analysis(analysis=analysis, error=error),
        )


def _make_slice(analysis: LegAnalysis, seconds: float) -> None:
    began = monotonic()
    record = analysis.subject.record_data
    evaluator = find_evaluator(record["game"], record["edition"], record["options"])
    assert evaluator is not None
    if (evaluator.version, evaluator.weights_hash) != (analysis.function_version, analysis.function_hash):
        raise RuntimeError("it was requested for another value function than this worker has")
    parts = [] if analysis.parts is None else read_packed(analysis.parts)
    analyser = LegAnalyser(record, evaluator, parts)
    while not analyser.is_done:
        analyser.advance()
        # Asked afterwards: each slice gets further, however slow the machine is.
        if monotonic() - began >= seconds:
            break
    if analyser.is_done:
        store_analysis(analysis=analysis, result=analyser.finish())
    else:
        store_parts(analysis=analysis, parts=analyser.parts, worked_s=monotonic() - began)
