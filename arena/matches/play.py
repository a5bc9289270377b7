"""Play a claimed match: hand it to the runner and store what comes back."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from time import monotonic

from django.db.models import prefetch_related_objects

from arena.bots.models import BotVersion
from arena.bots.running import STRONGEST_SAMPLE, choose_ladder_level, fetch_programs
from arena.core.logs import log_with
from arena.core.release import arena_version
from arena.matches.attempts import carry_out
from arena.matches.models import Attempt, Match, PackageTrial
from arena.matches.services import fail_attempt, record_heartbeat, store_report
from arena.matches.workers import report_alive
from arena.runner.match import Heartbeat, LegProgress, MatchReport, MatchSpec
from arena.runner.program import Limits, Program

MATCH_HEARTBEAT_INTERVAL_S = 5.0
LIVE_UPDATE_INTERVAL_S = 0.9
"""The state of a leg is stored this often for spectators, a little more often than the runner reports it."""
Play = Callable[[MatchSpec, Heartbeat], MatchReport]
"""A function that plays a match and calls the heartbeat now and then, which may raise to stop it."""


def play_attempt(*, attempt: Attempt, play: Play) -> bool:
    """Play the match of an attempt, and store the result or the failure. Return whether there is a result."""

    def play_and_store() -> None:
        store_report(attempt=attempt, report=play(match_spec(attempt.match), heartbeat(attempt)))

    with log_with(match_id=attempt.match_id, attempt_id=attempt.pk):
        return carry_out(attempt, play_and_store, lambda error: fail_attempt(attempt=attempt, error=error))


def match_spec(match: Match) -> MatchSpec:
    """Return what the runner needs to play a match."""
    prefetch_related_objects([match], "legs")  # for `store_report`, too: they stay as they are until then
    rows = match.participants.select_related("version__bot__owner").defer("version__build_log")
    versions = [row.version for row in rows]
    return MatchSpec(
        game=match.game,
        edition=match.edition,
        options=match.options,
        deal=match.deal,
        salts=tuple(leg.salt for leg in match.legs.all()),
        limits=Limits(**match.limits),
        programs=tuple(fetch_match_programs(match, versions)),
        series=match.series_length,
        later_deals=tuple(leg.deal for leg in match.legs.all() if leg.deal is not None),
        arena=arena_version(),
        keeps_legs_apart=len({version.bot.owner_id for version in versions}) > 1,
    )


def fetch_match_programs(match: Match, versions: Sequence[BotVersion]) -> list[Program]:
    """Return the program of each version; on a ladder the house's strongest sample plays at a level of its own."""
    programs = fetch_programs(versions)
    if programs[0].package_set and (trial := PackageTrial.objects.filter(match=match).first()) is not None:
        used = {"packages": trial.packages, "package_set": trial.package_set}
        programs = [
            replace(program, **used) if version.pk == trial.version_id else program
            for program, version in zip(programs, versions, strict=True)
        ]
    strongest = [
        index
        for index, version in enumerate(versions)
        if version.bot.owner.is_house and version.bot.name == STRONGEST_SAMPLE
    ]
    if strongest and Match.objects.filter(pk=match.pk, ladder_match__isnull=False).exists():
        for index in strongest:
            programs[index] = choose_ladder_level(programs[index])
    return programs


def heartbeat(attempt: Attempt) -> Heartbeat:
    """Return the function that the runner calls at every decision.

    It records a heartbeat every few seconds, and how far the match is about once a second. Raises AttemptLost.
    """
    due, show_at = monotonic() + MATCH_HEARTBEAT_INTERVAL_S, monotonic() + LIVE_UPDATE_INTERVAL_S
    shown = (0, 0)

    def beat_when_due(underway: LegProgress | None) -> None:
        nonlocal due, show_at, shown
        at = monotonic()
        now = shown if underway is None else (underway.leg, len(underway.actions))
        if now != shown and at >= show_at:
            record_heartbeat(attempt=attempt, underway=underway)
            shown, show_at = now, at + LIVE_UPDATE_INTERVAL_S
        elif at >= due:
            record_heartbeat(attempt=attempt)
            report_alive()
        else:
            return
        due = at + MATCH_HEARTBEAT_INTERVAL_S

    return beat_when_due
