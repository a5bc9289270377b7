"""What is known of workers: their names and reports, the languages they run, and which of them drain."""

import logging
import os
import socket
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from pathlib import Path
from time import monotonic
from typing import Protocol

from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.utils.timezone import now

from arena.bots.models import BotVersion
from arena.bots.running import WorkerCapabilities
from arena.core.errors import ArenaError, Conflict
from arena.core.messages import read_message
from arena.matches.models import Attempt, Match, MatchQuerySet, WorkerStatus
from arena.matches.runner_process import RunnerProcess, RunnerProcessError, runner_process
from arena.runner.archive import BadArchive, Upload, UploadLimits, read_upload
from arena.runner.bot_packages import PackagesMissingError, read_package_set
from arena.runner.languages import LANGUAGES, PackageSet
from arena.runner.sandbox.base import Report
from engine.core import Json
from engine.message import gettext_noop, message

# Name worker processes so that others can tell whether they still live.
#
# HOST/NAMESPACE/PID/START: the namespace is that of the process ids, the start is in clock ticks since boot. The name
# of a process that plays matches with remote bots, and is no worker, has REMOTE_SERVER before it.

REMOTE_SERVER = "remote@"


def this_worker() -> str:
    """Return the name of this process."""
    pid = os.getpid()
    return f"{socket.gethostname()}/{_namespace()}/{pid}/{_start(pid)}"


def this_remote_server() -> str:
    """Return the name under which this process plays matches with remote bots."""
    return REMOTE_SERVER + this_worker()


def is_remote_server(worker: str) -> bool:
    """Return whether a name is that of a process that plays matches with remote bots."""
    return worker.startswith(REMOTE_SERVER)


def is_gone(worker: str) -> bool:
    """Return whether a process is known to have ended; False where it lives, or can't be looked at from here."""
    try:
        host, namespace, pid, start = worker.removeprefix(REMOTE_SERVER).rsplit("/", 3)
    except ValueError:
        return False
    if host != socket.gethostname() or namespace != _namespace():
        return False
    return _start(int(pid)) != start


def _namespace() -> str:
    return str(os.stat("/proc/self/ns/pid").st_ino)


def _start(pid: int) -> str:
    """Return when a process started; empty where there is none, or a zombie."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


# Drain workers: each ends the match that it plays and takes no other, also after a restart under the same name.


class UnknownWorker(ArenaError):
    """No worker of this name has ever reported."""

    status = 404


def find_drained(worker: str) -> QuerySet[WorkerStatus]:
    """Return the row of a worker's machine if that is drained. `worker` is as `this_worker` returns it."""
    return WorkerStatus.objects.filter(worker=worker.partition("/")[0], drained_at__isnull=False)


def is_drained(worker: str) -> bool:
    """Return whether a worker, named as by `this_worker`, takes no matches."""
    return find_drained(worker).exists()


def find_worker(name: str) -> WorkerStatus:
    """Return the worker of this host name. Raises UnknownWorker, which names those that are known."""
    found = WorkerStatus.objects.filter(worker=name).first()
    if found is None:
        known = ", ".join(WorkerStatus.objects.order_by("worker").values_list("worker", flat=True)) or "none"
        problem = gettext_noop("No worker called %(name)s. Known: %(known)s.")
        raise UnknownWorker(message(problem, name=name, known=known))
    return found


def list_matches_of_worker(worker: WorkerStatus) -> list[int]:
    """Return the matches that a worker plays now."""
    playing = Attempt.objects.open().filter(worker__startswith=f"{worker.worker}/")
    return list(playing.order_by("match").values_list("match", flat=True))


@transaction.atomic
def drain_worker(*, worker: WorkerStatus) -> list[int]:
    """Let a worker take no match any more, and return those that it still plays. Raises Conflict."""
    worker = WorkerStatus.objects.select_for_update().get(pk=worker.pk)
    check_drainable(worker)
    WorkerStatus.objects.filter(pk=worker.pk).update(drained_at=now())
    return list_matches_of_worker(worker)


@transaction.atomic
def resume_worker(*, worker: WorkerStatus) -> None:
    """Let a drained worker take matches again. Raises Conflict."""
    worker = WorkerStatus.objects.select_for_update().get(pk=worker.pk)
    check_drained(worker)
    WorkerStatus.objects.filter(pk=worker.pk).update(drained_at=None)


def check_drainable(worker: WorkerStatus) -> None:
    """Raise Conflict for a worker that is drained."""
    if worker.drained_at is not None:
        raise Conflict(message(gettext_noop("Worker %(name)s is already drained."), name=worker.worker))


def check_drained(worker: WorkerStatus) -> None:
    """Raise Conflict for a worker that isn't drained."""
    if worker.drained_at is None:
        raise Conflict(message(gettext_noop("Worker %(name)s isn't drained."), name=worker.worker))


# List the languages that bots may be written in: those the workers report they can run.

WORKER_MEMORY = timedelta(hours=1)
"""A worker that restarts, or reports late, still counts this long, so that authors lose nothing meanwhile."""


class NotRunHere(ArenaError):
    """No worker can run the program's language."""


def list_offered_languages() -> dict[str, str]:
    """Return the versions that run here by language, in the order of LANGUAGES; where workers differ, all of them."""
    machines = [worker.languages for worker in _machines()]
    return {
        key: ", ".join(sorted(versions))
        for key in LANGUAGES
        if (versions := {machine[key] for machine in machines if key in machine})
    }


def list_missing_languages() -> set[str]:
    """Return the languages that workers have looked for and that none of them runs.

    Languages not looked for yet, as in the first seconds of a worker, are not among them.
    """
    looked_for = {language["key"] for worker in _machines() for language in worker.report.get("languages", [])}
    return looked_for - list_offered_languages().keys()


def check_language(key: str) -> None:
    """Check that a worker can run a language, as far as workers have reported. Raises NotRunHere."""
    if key in list_missing_languages():
        problem = gettext_noop("No machine here runs %(language)s right now. Available: %(languages)s.")
        offered = ", ".join(LANGUAGES[key].title for key in list_offered_languages())
        raise NotRunHere(message(problem, language=message(LANGUAGES[key].title), languages=offered))


def find_offered_packages() -> PackageSet | None:
    """Return the set of packages for bots in Python that was installed last, of those that work on a machine here.

    Where no machine has reported within the last hour, those count that have before.
    """
    for machines in (_machines(), WorkerStatus.objects.exclude(level="")):
        reports = list(machines.values_list("report__packages", flat=True))
        told = [one for one in reports if one and one.get("works")]
        if told or reports:
            newest = max(told, key=lambda one: int(one["installed_at"]), default=None)
            return newest and read_package_set(newest)
    return None


def _machines() -> QuerySet[WorkerStatus]:
    return WorkerStatus.objects.recent(WORKER_MEMORY).exclude(level="")


# Capabilities of the workers seen lately: whose bots their sandboxes suffice for, and which languages they run.


def read_capabilities(worker: WorkerStatus) -> WorkerCapabilities:
    """Return the capabilities of a worker by its report."""
    return WorkerCapabilities.of_report(worker.report | {"level": worker.level}, worker.languages)


def list_known_capabilities() -> list[WorkerCapabilities]:
    """Return the best capabilities of recent workers that take matches; none if nothing is known."""
    return best_capabilities(list(WorkerStatus.objects.recent(WORKER_MEMORY).able()))


def best_capabilities(workers: Sequence[WorkerStatus]) -> list[WorkerCapabilities]:
    """Return the capabilities of these workers that no other worker surpasses.

    Workers that have not tested their languages yet are left out.
    """
    found = {read_capabilities(worker) for worker in workers if worker.languages}
    best = [one for one in found if not any(other.surpasses(one) for other in found)]
    return sorted(
        best, key=lambda one: (one.is_for_all, one.is_for_rated, sorted(one.languages), one.package_set or "")
    )


def unplayable_matches(capabilities: Sequence[WorkerCapabilities]) -> MatchQuerySet:
    """Return the queued matches that no worker can play; none if no capabilities are known.

    Those with remote bots aren't for workers.
    """
    if not capabilities:
        return Match.objects.none()
    queued = Match.objects.queued().for_workers()
    for one in capabilities:
        queued = queued.unplayable(one)
    return queued


def find_unrunnable_version(versions: Collection[int]) -> BotVersion | None:
    """Return the first of these versions, given by their keys, that no worker can run; or None."""
    rows, known = BotVersion.objects.filter(pk__in=versions), list_known_capabilities()
    for one in known:
        rows = rows.filter(one.cannot_run(version=""))
    return rows.select_related("bot").first() if known else None


# The status of this machine's sandbox, and its last report on it.

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
            is_old = age > (RETRY_INTERVAL_S if report["level"] is None else STATUS_MAX_AGE_S)
            if is_old or self.runner.has_other_packages():
                report = self.runner.examine()
        except RunnerProcessError as failure:
            logger.error("no match can be played here: %s", failure)
            self.next_check_at = monotonic() + RETRY_INTERVAL_S
            hint = message(gettext_noop("This worker's runner process is failing: %(error)s."), error=str(failure))
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


def report_alive() -> None:
    """Store that this machine's worker is alive, where the runner process is too busy to report."""
    WorkerStatus.objects.filter(worker=socket.gethostname()).update(seen_at=now())


sandbox_status = SandboxStatus(runner_process)


# Read uploads of bots, for pages and API alike.


class SentFile(Protocol):
    """An uploaded file, as Django has it."""

    name: str | None

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes."""


def parse_upload(sent: SentFile) -> Upload:
    """Return a bot's files, in a language that some worker runs and with packages that one has. Raises ArenaError.

    No more is read of the file than shows that it is too big.
    """
    limits = UploadLimits(settings.MAX_UPLOAD_BYTES, settings.MAX_UNPACKED_BYTES)
    try:
        upload = read_upload(sent.name or "", sent.read(limits.packed_bytes + 1), limits)
        check_language(upload.language.key)
        upload.use_packages(find_offered_packages())
    except (BadArchive, PackagesMissingError) as error:
        raise ArenaError(error.message) from None
    return upload
