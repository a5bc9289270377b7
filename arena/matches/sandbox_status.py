"""The status of this machine's sandbox, and its last report on it."""

import logging
import socket
from datetime import datetime, timedelta
from time import monotonic

from django.utils.timezone import now

from arena.matches.models import WorkerStatus
from arena.matches.runner_process import RunnerProcess, RunnerProcessError, runner_process
from arena.runner.sandbox.levels import Report
from engine.core import Json

RETRY_INTERVAL_S = 15.0
"""Without a working sandbox, the machine is examined again after this time."""
STATUS_MAX_AGE_S = 3600.0
"""The layers of a sandbox are tested again after this time."""
REPORT_INTERVAL_S = 10.0
logger = logging.getLogger(__name__)


class SandboxStatus:
    """The sandbox of this worker: what it may play, and what it last reported of that."""

    def __init__(self, player: RunnerProcess) -> None:
        self.player = player
        self.look_at = 0.0
        self.tell_at = 0.0
        self.told: Json = {}

    def get(self) -> RunnerProcess | None:
        """Return the runner process, or None where it has no sandbox, and report its state now and then."""
        report = self._report()
        if monotonic() >= self.tell_at or report != self.told:
            self._tell(report)
        return self.player if report["level"] is not None else None

    def _report(self) -> Json:
        if monotonic() < self.look_at:
            return self.told
        try:
            report = self.player.report()
            age = monotonic() - self.player.examined_at
            if age > (RETRY_INTERVAL_S if report["level"] is None else STATUS_MAX_AGE_S):
                report = self.player.examine()
        except RunnerProcessError as failure:
            logger.error("no match can be played here: %s", failure)
            self.look_at = monotonic() + RETRY_INTERVAL_S
            report = Report(None, "", (), (), f"What should play matches here fails: {failure}.", 0.0).as_json()
        return report

    def _tell(self, report: Json) -> None:
        if report["level"] is None and report != self.told:
            logger.error("no match can be played here: %s", report["hint"])
        self.told, self.tell_at = report, monotonic() + REPORT_INTERVAL_S
        WorkerStatus.objects.update_or_create(
            worker=socket.gethostname(),
            defaults={
                "seen_at": now(),
                "sandbox": report["sandbox"],
                "level": report["level"] or "",
                "hint": report["hint"],
                "report": report,
                "checked_at": self._checked_at(),
            },
        )

    def _checked_at(self) -> datetime | None:
        age = timedelta(seconds=monotonic() - self.player.examined_at)
        return now() - age if self.player.examined_at else None


sandbox_status = SandboxStatus(runner_process)
