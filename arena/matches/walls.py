"""The sandbox of this process, found once, and what this machine last said of it."""

import logging
import socket
from time import monotonic

from django.utils.timezone import now

from arena.matches.models import WorkerStatus
from arena.runner.sandbox import NoSandbox, Sandbox, find_sandbox

LOOK_AGAIN_S = 15.0
"""A sandbox that was found is kept; where none works, another look is worth it after this time."""
TELL_S = 10.0
logger = logging.getLogger(__name__)


class Walls:
    def __init__(self) -> None:
        self.sandbox: Sandbox | None = None
        self.hint = ""
        self.look_at = 0.0
        self.tell_at = 0.0

    def get(self) -> Sandbox | None:
        """The sandbox, or None where none works here. Tells the queue page either way, now and then."""
        if self.sandbox is None and monotonic() >= self.look_at:
            self._look()
        if monotonic() >= self.tell_at:
            self._tell()
        return self.sandbox

    def _look(self) -> None:
        try:
            self.sandbox, self.hint = find_sandbox(), ""
        except NoSandbox as missing:
            self.hint = str(missing)
            self.look_at = monotonic() + LOOK_AGAIN_S
            logger.error("no match can be played here: %s", missing)
        self.tell_at = 0.0

    def _tell(self) -> None:
        self.tell_at = monotonic() + TELL_S
        WorkerStatus.objects.update_or_create(
            worker=socket.gethostname(),
            defaults={"seen_at": now(), "sandbox": self.sandbox.name if self.sandbox else "", "hint": self.hint},
        )


walls = Walls()
