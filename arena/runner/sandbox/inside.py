"""A process behind bubblewrap's walls: what it is handed, how it is found from outside, how it ended and is killed."""

import contextlib
import json
import os
import select
import signal
from collections.abc import Callable, Sequence
from types import TracebackType

from arena.runner.sandbox.base import SandboxFailure
from arena.runner.sandbox.process import ChildProcess, describe_exit

GATE = ("/bin/sh", "-c", 'echo; read -r go || exit 1; exec "$@"', "sh")
"""Runs the words after it once the arena has seen a line and sent one back. An arena that was killed sends none: what
it had begun to start ends here, for bubblewrap watches over its parent only when it is set up itself."""
GATE_S = 10.0


class Handed:
    """Descriptors for a process about to be started. Our copies are closed on leaving, whatever came of it."""

    def __init__(self) -> None:
        self.fds: list[int] = []
        self.on_failure: list[Callable[[], None]] = []
        """Closes what whoever leaves without an exception has taken over."""

    def __enter__(self) -> "Handed":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: BaseException | TracebackType | None) -> None:
        for fd in self.fds:
            os.close(fd)
        if kind is not None:
            for close in self.on_failure:
                close()

    def content(self, content: bytes) -> str:
        """The number of a descriptor with this content: no path of this machine is shared."""
        fd = os.memfd_create("bot", os.MFD_CLOEXEC)
        self.fds.append(fd)
        with open(fd, "wb", closefd=False) as copy:
            copy.write(content)
        os.lseek(fd, 0, os.SEEK_SET)
        return str(fd)

    def status(self) -> "Status":
        """Where bubblewrap will report."""
        status = Status()
        self.fds.append(os.dup(status.fd))
        status.argument = str(self.fds[-1])
        self.on_failure.append(status.close)
        return status


class Status:
    """What bubblewrap says about a sandbox: JSON lines in a file in memory.

    A pipe would be the end of a bubblewrap whose arena was killed, and its child would wait for it for ever.
    """

    def __init__(self) -> None:
        self.fd = os.memfd_create("status", os.MFD_CLOEXEC)
        self.argument = ""

    def reported(self, key: str) -> int | None:
        said = os.pread(self.fd, 4096, 0) if self.fd >= 0 else b""
        for line in said[: said.rfind(b"\n") + 1].splitlines():
            report = json.loads(line)
            if key in report:
                return int(report[key])
        return None

    def close(self) -> None:
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


def kill_all(bubblewrap: int) -> None:
    """End a bubblewrap that hasn't been reaped, and all inside.

    Its init asks to die with it only when the sandbox is set up, milliseconds after it was made. So init is killed by
    its own id, which a bubblewrap that is stopped can't make another's.
    """
    with contextlib.suppress(ProcessLookupError):
        os.kill(bubblewrap, signal.SIGSTOP)
        os.waitid(os.P_PID, bubblewrap, os.WSTOPPED | os.WEXITED | os.WNOWAIT)
        init = first_child(bubblewrap)
        if init is not None:
            os.kill(init, signal.SIGKILL)
        os.kill(bubblewrap, signal.SIGKILL)


def first_child(pid: int | None) -> int | None:
    """The first child of a process, if the kernel lists children."""
    try:
        listing = os.open(f"/proc/{pid}/task/{pid}/children", os.O_RDONLY)
    except OSError:
        return None
    try:
        children = os.read(listing, 4096).split()
    finally:
        os.close(listing)
    return int(children[0]) if children else None


class BwrapProcess(ChildProcess):
    def __init__(self, argv: Sequence[str], pass_fds: Sequence[int], status: Status) -> None:
        self._status = status
        self._init: int | None = None
        super().__init__(argv, {}, pass_fds)

    def _find_bot(self) -> int | None:
        """The first child of the process that is init inside: orphans come after it."""
        if self._init is None:
            self._init = self._status.reported("child-pid")
        return first_child(self._init)

    def pass_gate(self) -> None:
        """Wait until all is set up inside, and let the bot in. What was used until then is not the bot's.

        Raises SandboxFailure, and the process is closed then.
        """
        stdin, stdout = (stream.fileno() for stream in self._streams[:2])
        poll = select.poll()
        poll.register(stdout, select.POLLIN)
        if poll.poll(GATE_S * 1000) and os.read(stdout, 1):
            self._start_counting()
            os.write(stdin, b"\n")
        else:
            self.close()
            raise SandboxFailure(f"bubblewrap did not get as far as the bot: {self.stderr()}")

    def _ending(self) -> str:
        code = self._status.reported("exit-code")
        if code is None:
            raise SandboxFailure(
                f"bubblewrap did not get as far as the bot: {self._pipes.log.decode(errors='replace')}"
            )
        return describe_exit(code)

    def _kill(self) -> None:
        if self._child.poll() is None:
            kill_all(self._child.pid)

    def _release(self) -> None:
        super()._release()
        self._status.close()
