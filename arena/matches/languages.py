"""List the languages that bots may be written in: those the workers report they can run."""

from datetime import timedelta

from django.db.models import QuerySet

from arena.errors import ArenaError
from arena.matches.models import WorkerStatus
from arena.runner.languages import LANGUAGES
from engine.message import gettext_noop, message

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
        problem = gettext_noop("No machine of this arena runs %(language)s at present. There is: %(languages)s.")
        offered = ", ".join(LANGUAGES[key].title for key in list_offered_languages())
        raise NotRunHere(message(problem, language=message(LANGUAGES[key].title), languages=offered))


def _machines() -> QuerySet[WorkerStatus]:
    return WorkerStatus.objects.recent(WORKER_MEMORY).exclude(level="")
