"""What bots may be written in: what the machines that play matches said they can run."""

from datetime import timedelta

from django.db.models import QuerySet

from arena.errors import ArenaError
from arena.matches.models import WorkerStatus
from arena.runner.languages import LANGUAGES

WORKER_MEMORY = timedelta(hours=1)
"""A machine that is started anew, or was slow to speak up, takes nothing away from authors meanwhile."""


class NotRunHere(ArenaError):
    """A program in a language for which there is no machine."""


def offered() -> dict[str, str]:
    """Version by key of a language, in the order of LANGUAGES. Where machines differ, all their versions are named."""
    machines = [worker.languages for worker in _machines()]
    return {
        key: ", ".join(sorted(versions))
        for key in LANGUAGES
        if (versions := {machine[key] for machine in machines if key in machine})
    }


def lacking() -> set[str]:
    """Keys of the languages that machines have looked for, and that none of them runs. What was not looked for yet, as
    in the first seconds of a worker, is not among them."""
    looked_for = {language["key"] for worker in _machines() for language in worker.report.get("languages", [])}
    return looked_for - offered().keys()


def check_language(key: str) -> None:
    """Whether there is a machine that can run it, as far as they have said. Raises NotRunHere."""
    if key in lacking():
        there = ", ".join(LANGUAGES[key].title for key in offered())
        raise NotRunHere(f"No machine of this arena runs {LANGUAGES[key].title} at present. There is: {there}.")


def _machines() -> QuerySet[WorkerStatus]:
    return WorkerStatus.objects.recent(WORKER_MEMORY).exclude(level="")
