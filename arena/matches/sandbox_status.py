"""The status of this machine's sandbox, and its last report on it."""

import logging
import socket
from datetime import datetime, timedelta
from time import monotonic

from django.utils.timezone import now

from arena.matches.models import WorkerStatus
from arena.matches.runner_process import RunnerProcess, RunnerProcessError, runner_process
from arena.messages import read_message
from arena.runner.sandbox.levels import Report
from engine.core import Json
from engine.message import gettext_noop, message

RETRY_INTERVAL_S = 15.0
"""Without a working sandbox, the machine is examined again after this time."""
STATUS_MAX_AGE_S = 3600.0
"""The layers of a sandbox are tested again after this time."""
REPORT_INTERVAL_S = 10.0
logger = logging.getLogger(__name__)


class SandboxStatus:
    """The sandbox of this worker, and its last report on it."""

    def __init__(self, runner: RunnerProcess) -> None:
        self.runner = runner
        self.next_check_at = 0.0
        self.next_report_at = 0.0
        self.last_report: Json = {}

    def get(self) -> RunnerProcess | None:
        """Return the runner process, or None where it has no sandbox. Stores a report every REPORT_INTERVAL_S."""
        report = self._read_report()
        if monotonic() >= self.next_report_at or report != self.last_report:
            self._store_report(report)
        return self.runner if report["level"] is not None else None

    def _read_report(self) -> Json:
        if monotonic() < self.next_check_at:
            return self.last_report
        try:
            report = self.runner.report()
            age = monotonic() - self.runner.examined_at
            if age > (RETRY_INTERVAL_S if report["level"] is None else STATUS_MAX_AGE_S):
                report = self.runner.examine()
        except RunnerProcessError as failure:
            logger.error("no match can be played here: %s", failure)
            self.next_check_at = monotonic() + RETRY_INTERVAL_S
            hint = message(gettext_noop("The runner process of this worker fails: %(error)s."), error=str(failure))
            report = Report(None, "", (), (), hint, 0.0).as_json()
        return report

    def _store_report(self, report: Json) -> None:
        hint = read_message(report["hint"])
        if report["level"] is None and report != self.last_report:
            logger.error("no match can be played here: %s", hint)
        self.last_report, self.next_report_at = report, monotonic() + REPORT_INTERVAL_S
        WorkerStatus.objects.update_or_create(
            worker=socket.gethostname(),
            defaults={
                "seen_at": now(),
                "sandbox": report["sandbox"],
                "level": report["level"] or "",
                "hint": hint,
                "report": report,
                "checked_at": self._checked_at(),
            },
        )

    def _checked_at(self) -> datetime | None:
        age = timedelta(seconds=monotonic() - self.runner.examined_at)
        return now() - age if self.runner.examined_at else None


sandbox_status = SandboxStatus(runner_process)
