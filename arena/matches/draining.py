"""Drain workers: each ends the match that it plays and takes no other, also after a restart under the same name."""

from django.db import transaction
from django.db.models import QuerySet
from django.utils.timezone import now

from arena.errors import ArenaError, Conflict
from arena.matches.models import Attempt, WorkerStatus
from engine.message import gettext_noop, message


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
        problem = gettext_noop("No worker is called %(name)s. Known: %(known)s.")
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
        raise Conflict(message(gettext_noop("The worker %(name)s is drained already."), name=worker.worker))


def check_drained(worker: WorkerStatus) -> None:
    """Raise Conflict for a worker that isn't drained."""
    if worker.drained_at is None:
        raise Conflict(message(gettext_noop("The worker %(name)s is not drained."), name=worker.worker))
