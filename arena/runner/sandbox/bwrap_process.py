"""Control a process inside bubblewrap: pass it descriptors, find it from outside, read its exit code and kill it."""

import contextlib
import os
import select
import signal
from collections.abc import Callable, Sequence
from types import TracebackType

from arena.runner.sandbox.base import SandboxError
from arena.runner.sandbox.process import ChildProcess, read_exit

HANDSHAKE_COMMAND = ("/bin/sh", "-c", 'echo; read -r go || exit 1; exec "$@"', "sh")
"""Command that prints a line, waits for one from the arena and runs its arguments.

If the arena was killed meanwhile, the process ends: bubblewrap notices the end of its parent only once it is set up."""
HANDSHAKE_TIMEOUT_S = 10.0


class PassedDescriptors:
    """File descriptors for a process about to be started. The arena's copies are closed on exit."""

    def __init__(self) -> None:
        self.fds: list[int] = []
        self.on_failure: list[Callable[[], None]] = []
        """Callbacks that close what belongs to the new process, if it could not be started."""

    def __enter__(self) -> "PassedDescriptors":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        for fd in self.fds:
            os.close(fd)
        if kind is not None:
            for close in self.on_failure:
                close()

    def add_file(self, content: bytes) -> str:
        """Return the number of a descriptor of an unnamed file with this content."""
        fd = os.memfd_create("bot", os.MFD_CLOEXEC)
        self.fds.append(fd)
        with open(fd, "wb", closefd=False) as copy:
            copy.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
        return str(fd)


def kill_all(bubblewrap: int) -> None:
    """Kill a bubblewrap that hasn't been reaped, and all processes inside.

    Its init process dies with it only once the sandbox is set up. Before that, init is killed by its own id, which is
    not reused while bubblewrap is stopped.
    """
    with contextlib.suppress(ProcessLookupError):
        os.kill(bubblewrap, signal.SIGSTOP)
        os.waitid(os.P_PID, bubblewrap, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        init = find_first_child(bubblewrap)
        if init is not None:
            os.kill(init, signal.SIGKILL)
        os.kill(bubblewrap, signal.SIGKILL)


def find_first_child(pid: int) -> int | None:
    """Return the first child of a process, if the kernel lists children."""
    try:
        listing = os.open(f"/proc/{pid}/task/{pid}/children", os.O_RDONLY)
    except OSError:
        return None
    try:
        children = os.read(listing, 4096).split()
    finally:
        os.close(listing)
    return int(children[0]) if children else None


def check_exit_code(bubblewrap: int, log: str) -> int:
    """Return the exit code of the program inside. Raises SandboxError if bubblewrap was killed by a signal."""
    if bubblewrap < 0:
        raise SandboxError(f"bubblewrap {read_exit(bubblewrap)}: {log}")
    return bubblewrap


class BwrapProcess(ChildProcess):
    """A bot inside bubblewrap."""

    def __init__(self, argv: Sequence[str], pass_fds: Sequence[int], memory_bytes: int) -> None:
        super().__init__(argv, {}, pass_fds, memory_bytes=memory_bytes)

    def _find_bot(self) -> int | None:
        """Return the first child of the init process inside: orphans come after it."""
        init = find_first_child(self._child.pid)
        return init and find_first_child(init)

    def complete_handshake(self) -> None:
        """Wait until the sandbox is set up, then start the bot. Time used before that is not charged to the bot.

        Raises SandboxError after closing the process.
        """
        try:
            passed = self._await_handshake()
        except OSError as error:
            self.close()
            raise SandboxError(f"a bot could not be started: {error}") from error
        if not passed:
            self.close()
            raise SandboxError(f"bubblewrap did not get as far as the bot: {self.stderr()}")

    def _await_handshake(self) -> bool:
        stdin, stdout = (stream.fileno() for stream in self._streams[:2])
        poll = select.poll()
        poll.register(stdout, select.POLLIN)
        if not poll.poll(HANDSHAKE_TIMEOUT_S * 1000) or not os.read(stdout, 1):
            return False
        self._start_counting()
        os.write(stdin, b"\n")
        return True

    def _exit_code(self) -> int:
        return check_exit_code(self._child.returncode, self.stderr())

    def _kill(self) -> None:
        if self._child.poll() is None:
            kill_all(self._child.pid)
