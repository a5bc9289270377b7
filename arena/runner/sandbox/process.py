"""A bot that is a child of this process: asked over pipes, stopped between questions, ended with all it started."""

import contextlib
import os
import re
import select
import signal
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from time import clock_gettime, perf_counter

from arena.runner.sandbox.base import (
    BotExited,
    BotFault,
    BotOutOfMemory,
    BotTimeout,
    SandboxFailure,
)
from arena.runner.sandbox.pipes import EndOfOutput, Pipes

OUT_OF_MEMORY = re.compile(rb"^(MemoryError\b.*|.*(bad_alloc|[Oo]ut of memory|Cannot allocate memory).*)$")
LAST_WORDS = 200
EXIT_S = 1.0
"""How long the exit of a process whose pipes are closed is waited for."""


class ChildProcess(ABC):
    """What all sandboxes share. Each adds: which process is the bot, how it ended, and how its tree is killed."""

    freezes = True
    """Whether `rest` stops the bot."""

    def __init__(
        self,
        argv: Sequence[str],
        environment: Mapping[str, str],
        pass_fds: Sequence[int] = (),
    ) -> None:
        self._child = subprocess.Popen(
            argv,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            pass_fds=pass_fds,
            env=dict(environment),
            cwd="/",
            start_new_session=True,
        )
        streams = [stream for stream in (self._child.stdin, self._child.stdout, self._child.stderr) if stream]
        self._streams = streams
        self._pipes = Pipes(*(stream.fileno() for stream in streams))
        self._pidfd: int | None = None
        self._cpu_clock: int | None = None
        self._cpu_s = 0.0
        self._closed = False
        self._adopted = False
        self._resting = False
        self.answer_s = 0.0
        self.cpu_s = 0.0

    @abstractmethod
    def _find_bot(self) -> int | None:
        """The id of the bot's own process, once it has answered for the first time; None where it can't be known."""

    @abstractmethod
    def _ending(self) -> str:
        """How the bot ended, to follow "the bot ". The child has been waited for. May raise SandboxFailure."""

    @abstractmethod
    def _kill(self) -> None:
        """End the whole tree now."""

    @property
    def pid(self) -> int | None:
        return self._find_bot() if self._adopted else None

    def ask(self, line: bytes, timeout_s: float) -> bytes:
        try:
            self._pipes.refuse_unasked()
            started = perf_counter()
            deadline = started + timeout_s
            written = self._pipes.write(line)
            self._wake()
            if written != len(line):
                self._pipes.write_rest(line[written:], deadline)
            answer = self._pipes.read_line(deadline)
        except EndOfOutput:
            raise self._gone() from None
        except BotTimeout as late:
            raise BotTimeout(f"{late} within {timeout_s * 1000:.0f} ms", late.sent) from None
        self.answer_s = perf_counter() - started
        self._read_cpu()
        return answer

    def rest(self) -> None:
        if self.freezes and self._pidfd is not None and not self._resting:
            self._resting = True
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGSTOP)

    def dismiss(self, line: bytes | None) -> None:
        with contextlib.suppress(EndOfOutput):
            if line is not None:
                self._pipes.write(line)
        self._streams[0].close()
        self._wake()

    def close(self, grace_s: float = 0.0) -> None:
        if self._closed:
            return
        self._closed = True
        try:
            if not self._exits_within(grace_s):
                self._kill()
                self._pipes.discard(perf_counter() + EXIT_S)
            if not self._reaped(EXIT_S):
                raise SandboxFailure(f"process {self._child.pid} of a bot would not die")
        finally:
            self._release()

    def stderr(self) -> str:
        return self._pipes.log.decode(errors="replace").replace("\0", "\ufffd")

    def _exits_within(self, grace_s: float) -> bool:
        return grace_s > 0 and self._pipes.discard(perf_counter() + grace_s)

    def _reaped(self, timeout_s: float) -> bool:
        """Whether the child has ended within that time. `Popen.wait` sleeps longer than an exit takes."""
        if self._child.returncode is None:
            poll, pidfd = select.poll(), os.pidfd_open(self._child.pid)
            try:
                poll.register(pidfd, select.POLLIN)
                if not poll.poll(max(0.0, timeout_s) * 1000):
                    return False
            finally:
                os.close(pidfd)
            self._child.wait()
        return True

    def _release(self) -> None:
        for stream in self._streams:
            stream.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None

    def _gone(self) -> BotFault:
        """What the end of the output means. Raises SandboxFailure where it was ours."""
        deadline = perf_counter() + EXIT_S
        self._pipes.discard(deadline)
        if not self._reaped(deadline - perf_counter()):
            return BotExited("the bot closed its standard output or input")
        ending = self._ending()
        last = self._pipes.log.rstrip().rsplit(b"\n", 1)[-1]
        if OUT_OF_MEMORY.match(last):
            return BotOutOfMemory(f"the bot ran out of memory and {ending}")
        said = f'; its log ends with "{last[:LAST_WORDS].decode(errors="replace")}"' if last else ""
        return BotExited(f"the bot {ending}{said}")

    def _adopt(self) -> None:
        """Get hold of the bot's process, which has just answered for the first time, unless it is gone already."""
        self._adopted = True
        pid = self._find_bot()
        if pid is None:
            return
        with contextlib.suppress(ProcessLookupError):
            self._pidfd = os.pidfd_open(pid)
        if self._pidfd is not None and self._find_bot() != pid:
            os.close(self._pidfd)
            self._pidfd = None
        if self._pidfd is not None:
            self._cpu_clock = (~pid << 3) | 2

    def _read_cpu(self) -> None:
        if not self._adopted:
            self._adopt()
        if self._cpu_clock is None:
            return
        try:
            used = clock_gettime(self._cpu_clock)
        except OSError:
            return
        self.cpu_s = used - self._cpu_s
        self._cpu_s = used

    def _wake(self) -> None:
        if self._resting and self._pidfd is not None:
            self._resting = False
            with contextlib.suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGCONT)


def describe_exit(code: int) -> str:
    """An exit code in words; negative, or beyond 128 as shells write it, is a signal."""
    number = -code if code < 0 else code - 128
    if number <= 0:
        return f"exited with code {code}"
    try:
        return f"was ended by {signal.Signals(number).name}"
    except ValueError:
        return f"exited with code {code}"
