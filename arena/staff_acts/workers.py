"""Drain a worker and resume it."""

from arena.audit.models import Act
from arena.matches.draining import check_drainable, check_drained, drain_worker, list_matches_of_worker, resume_worker
from arena.matches.models import WorkerStatus
from arena.staff_acts.act import StaffAct, count


class WorkerAct(StaffAct):
    """An act on a worker: all processes of a machine or container."""

    def __init__(self, worker: WorkerStatus) -> None:
        """Keep the worker."""
        self.worker = worker
        self.about, self.subject = f"worker {worker.pk}", worker.worker


class DrainWorker(WorkerAct):
    """Let a worker take no other match."""

    kind = Act.DRAIN_WORKER

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_drainable(self.worker)
        playing = count(len(list_matches_of_worker(self.worker)), "match", "matches")
        able = WorkerStatus.objects.able().exclude(pk=self.worker.pk).exists()
        left = "" if able else " No other worker takes matches: all that is queued will wait."
        return (
            f"The worker {self.subject} will end what it plays ({playing}) and take no other match, also after a "
            f"restart under the same name. resume_worker takes this back.{left}"
        )

    def perform(self) -> str:
        """Drain the worker. Raises Conflict."""
        playing = drain_worker(worker=self.worker)
        return f"The worker takes no matches; it still plays {', '.join(map(str, playing)) or 'none'}."


class ResumeWorker(WorkerAct):
    """Let a drained worker take matches again."""

    kind = Act.RESUME_WORKER

    def describe(self) -> str:
        """Return what the act will do. Raises Conflict."""
        check_drained(self.worker)
        return f"The worker {self.subject} will take matches again."

    def perform(self) -> str:
        """Resume the worker. Raises Conflict."""
        resume_worker(worker=self.worker)
        return "The worker takes matches."
