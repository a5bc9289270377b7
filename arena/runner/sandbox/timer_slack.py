"""Set the timer slack of processes that are started. See PR_SET_TIMERSLACK in prctl(2)."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager

PR_SET_TIMERSLACK = 29
PR_GET_TIMERSLACK = 30
_libc = ctypes.CDLL(None)


@contextmanager
def set_timer_slack(slack_ns: int) -> Iterator[None]:
    """Give the children that this thread starts a timer slack, which they and their children keep.

    A sleep may then end up to `slack_ns` late, when the kernel has other timers to handle.
    """
    own_ns = _libc.prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0)
    _libc.prctl(PR_SET_TIMERSLACK, slack_ns, 0, 0, 0)
    try:
        yield
    finally:
        _libc.prctl(PR_SET_TIMERSLACK, own_ns, 0, 0, 0)
