"""A process behind bubblewrap's walls: what it is handed, how it is found from outside, how it ended and is killed."""

import contextlib
import json
import os
from collections.abc import Callable, Sequence
from types import TracebackType

from arena.runner.sandbox.base import SandboxFailure
from arena.runner.sandbox.process import ChildProcess, describe_exit


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
        reading, writing = os.pipe()
        self.fds.append(writing)
        status = Status(reading, writing)
        self.on_failure.append(status.close)
        return status


class Status:
    """What bubblewrap says about a sandbox: JSON lines, read as they come."""

    def __init__(self, reading: int, writing: int) -> None:
        self._fd = reading
        self.argument = str(writing)
        self._said = b""
        os.set_blocking(reading, False)

    def reported(self, key: str) -> int | None:
        if self._fd >= 0:
            with contextlib.suppress(BlockingIOError):
                self._said += os.read(self._fd, 4096)
        for line in self._said.splitlines():
            report = json.loads(line)
            if key in report:
                return int(report[key])
        return None

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


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

    def _ending(self) -> str:
        code = self._status.reported("exit-code")
        if code is None:
            raise SandboxFailure(
                f"bubblewrap did not get as far as the bot: {self._pipes.log.decode(errors='replace')}"
            )
        return describe_exit(code)

    def _kill(self) -> None:
        """The init of the sandbox dies with bubblewrap, and everything inside with that init."""
        self._child.kill()

    def _release(self) -> None:
        super()._release()
        self._status.close()
