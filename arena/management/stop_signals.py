"""Notice the signals by which this process is asked to stop."""

import signal
from queue import Empty, SimpleQueue
from types import FrameType

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class StopSignals:
    """The signals that have arrived since this was made.

    Two may come at once, as from a terminal and from the program that started this one. A second handler then runs in
    the middle of the first, which the lock of `threading.Event` doesn't survive; `SimpleQueue.put` may be interrupted
    by itself.
    """

    def __init__(self) -> None:
        """Take over the signals."""
        self._arrived: SimpleQueue[int] = SimpleQueue()
        for number in STOP_SIGNALS:
            signal.signal(number, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._arrived.put(number)

    def wait(self, timeout_s: float) -> bool:
        """Return whether a signal has arrived, or arrives within this time."""
        try:
            self._arrived.get(timeout=timeout_s)
        except Empty:
            return False
        return True
