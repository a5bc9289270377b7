"""What bots may be written in: what the machines that play matches said they can run."""

from datetime import timedelta

from arena.matches.models import WorkerStatus
from arena.runner.languages import LANGUAGES

REMEMBERED = timedelta(hours=1)
"""A machine that is started anew, or was slow to speak up, takes nothing away from authors meanwhile."""


def offered() -> dict[str, str]:
    """Version by key of a language, in the order of LANGUAGES. Where machines differ, all their versions are named."""
    machines = [worker.languages for worker in WorkerStatus.objects.recent(REMEMBERED).exclude(level="")]
    return {
        key: ", ".join(sorted(versions))
        for key in LANGUAGES
        if (versions := {machine[key] for machine in machines if key in machine})
    }
