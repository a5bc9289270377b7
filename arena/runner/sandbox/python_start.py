"""Prepare an interpreter for a bot in Python, which finds this module in its kit.

A bot makes no pipes and no sockets, but the event loop of asyncio needs a pair of sockets: it gets one that was made
before. What else is refused ends with a sentence, as the errors of the system calls say little.
"""

from __future__ import annotations

import _socket
import _thread
import errno
import os
import sys
from _frozen_importlib_external import SourceFileLoader

TYPE_CHECKING = False
if TYPE_CHECKING:  # an import of these takes longer than all else here
    from collections.abc import Callable, Sequence
    from types import TracebackType
    from typing import Any

    ExceptHook = Callable[[type[BaseException], BaseException, TracebackType | None], Any]
PAIR = (62, 63)
"""Descriptors of the pair of sockets: the last two that a bot may have."""
REFUSED = (
    "A bot is one process that changes no files: it can have threads and an event loop, but no pipes, sockets, "
    "programs or processes of its own, and no temporary files."
)
REFUSALS = (errno.EPERM, errno.EROFS, errno.ENOSYS)
NEED_MORE = ("multiprocessing", "subprocess", "tempfile")
"""Modules whose errors of other kinds come from what is refused, too."""


def make_pair() -> None:
    """Make the pair of sockets. It must happen before system calls are refused."""
    one, other = _socket.socketpair()
    keep_pair(one.detach(), other.detach())


def keep_pair(*ends: int) -> None:
    """Move the pair of sockets to its place."""
    for fd, place in zip([_move_away(fd) for fd in ends], PAIR, strict=True):
        os.dup2(fd, place, inheritable=False)
        os.close(fd)


def _move_away(fd: int) -> int:
    """Return a descriptor outside of the pair's place: a busy arena's may happen to have the same number."""
    if fd not in PAIR:
        return fd
    moved = os.dup(fd)
    os.close(fd)
    return moved


def prepare_interpreter(script: str) -> None:
    """Hand out the pair of sockets when the script asks for one, and explain what is refused."""
    _socket.socketpair = SocketPair()
    sys.excepthook = explain(sys.__excepthook__, script)
    _thread._excepthook = in_threads = explain_in_threads(_thread._excepthook)
    if "threading" in sys.modules:
        vars(sys.modules["threading"])["excepthook"] = in_threads


class SocketPair:
    """The function `_socket.socketpair` of a bot: there is one pair, which is handed out again once it is closed."""

    def __init__(self) -> None:
        self._handed_out: list[tuple[int, int]] = []
        """Descriptor and inode number of each end in use."""

    def __call__(self, family: int | None = None, type: int = 1, proto: int = 0) -> tuple[Any, Any]:
        """Return two connected sockets. Raises PermissionError."""
        if family not in (None, _socket.AF_UNIX) or type != _socket.SOCK_STREAM or self._is_in_use():
            raise PermissionError(errno.EPERM, "A bot has one pair of sockets, for its event loop")
        ends = [_socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM, 0, os.dup(fd)) for fd in PAIR]
        for end in ends:
            self._drain(end)
        self._handed_out = [(end.fileno(), os.fstat(end.fileno()).st_ino) for end in ends]
        return ends[0], ends[1]

    def _is_in_use(self) -> bool:
        try:
            return any(os.fstat(fd).st_ino == number for fd, number in self._handed_out)
        except OSError:
            return False

    def _drain(self, end: Any) -> None:
        """Read what the last loop has left."""
        try:
            while end.recv(4096, _socket.MSG_DONTWAIT):
                pass
        except BlockingIOError:
            return


def explain(show: ExceptHook, script: str) -> ExceptHook:
    """Return an `excepthook` that shows an exception from the script on, and a sentence after a refusal."""

    def show_and_explain(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        while trace is not None and trace.tb_frame.f_code.co_filename != script:
            trace = trace.tb_next
        error.__traceback__ = trace
        show(kind, error, trace)
        if is_refusal(error):
            print(REFUSED, file=sys.stderr)

    return show_and_explain


def explain_in_threads(show: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the same for `threading.excepthook`."""

    def show_and_explain(raised: Any) -> None:
        show(raised)
        if raised.exc_value is not None and is_refusal(raised.exc_value):
            print(REFUSED, file=sys.stderr)

    return show_and_explain


def is_refusal(error: BaseException) -> bool:
    """Return whether an exception comes from a system call that is refused."""
    if not isinstance(error, OSError | ImportError):
        return False
    if isinstance(error, OSError) and error.errno in REFUSALS:
        return True
    step = error.__traceback__
    while step is not None:
        name = step.tb_frame.f_globals.get("__name__")
        if isinstance(name, str) and name.partition(".")[0] in NEED_MORE:
            return True
        step = step.tb_next
    return False


def set_up_main_module(script: str, folder: str, arguments: Sequence[str] = ()) -> dict[str, Any]:
    """Make this interpreter look as if Python had been started with the script; return the script's names."""
    sys.argv[:] = [script, *arguments]
    sys.path[0] = folder
    main = type(sys)("__main__")
    main.__dict__.update(
        __annotations__={},
        __builtins__=sys.modules["builtins"],
        __cached__=None,
        __file__=script,
        __loader__=SourceFileLoader("__main__", script),
    )
    sys.modules["__main__"] = main
    return main.__dict__


def run_bot(source: bytes, script: str, names: dict[str, Any]) -> None:
    """Run the source of a bot in these names."""
    exec(compile(source, script, "exec", dont_inherit=True), names)
