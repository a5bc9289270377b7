"""`python -m arena.runner PARENT`: plays matches and builds programs for the process that started it.

It is a process of its own so that nothing of the site is in it: what gets out of a bot's sandbox, or into this process,
finds no password, no secret key and no database. Requests come over stdin, answers go over stdout (see `wire`); it ends
with its parent, and all bots end with it.
"""

import ctypes
import logging
import os
import signal
import sys
from collections.abc import Collection
from time import monotonic

from arena.runner.channel import Channel, ChannelClosedError
from arena.runner.leg import Heartbeat, Underway
from arena.runner.limits import Limits
from arena.runner.match import MatchSpec, play_match
from arena.runner.program import Program
from arena.runner.sandbox import Sandbox, SandboxError, examine
from arena.runner.sandbox.base import BuildError
from arena.runner.sandbox.build import MAX_BUILD_MEMORY_BYTES
from arena.runner.sandbox.cgroup import Group, enter
from arena.runner.sandbox.rlimits import MIB
from arena.runner.wire import Answer, Build, Built, Examine, Examined, Failed, NotBuilt, Play, Played, Progress, Request

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
HEARTBEAT_INTERVAL_S = 1.0
FIRST_LANGUAGES = ("python",)
"""Languages that are looked for before the first match, which should not wait for compilers."""
LANGUAGE_SEARCH_IDLE_S = 2.0
"""All languages are looked for after this time without a request."""
LANGUAGE_SEARCH_MAX_DELAY_S = 10.0
"""All languages are looked for after this time in any case."""
RUNNER_MEMORY_MB = 512
"""Memory of this process, and of files that it and its bots read."""
MEMORY_MARGIN_PER_BOT_MB = 256
"""Memory beyond a bot's limit, for its runtime and the sandbox around it."""
MAX_TASKS = 512
WARM_UP_IDLE_S = 0.2
"""The warm pool is filled after this time without a request."""
logger = logging.getLogger(__name__)


class Service:
    """Answers one request after the other, beginning with what this machine can do."""

    def __init__(self, channel: Channel, group: Group | None) -> None:
        self.channel = channel
        self.group = group
        self.sandbox: Sandbox | None = None
        self.limits = Limits()
        self.seats = 2

    def run(self) -> None:
        """Answer requests until the other end is gone. Raises ChannelClosedError then."""
        self.bound(MAX_BUILD_MEMORY_BYTES // MIB)
        self.channel.send(self.examined(FIRST_LANGUAGES))
        busy_until = monotonic() + LANGUAGE_SEARCH_MAX_DELAY_S
        while self.channel.has_news(LANGUAGE_SEARCH_IDLE_S) and monotonic() < busy_until:
            self.serve()
        self.channel.send(self.examined())
        while True:
            if not self.channel.has_news(WARM_UP_IDLE_S):
                self.make_ready()
            self.serve()

    def end(self) -> None:
        """End what is in the warm pool, and leave the control group."""
        if self.sandbox is not None:
            self.sandbox.close()
        if self.group is not None:
            self.group.leave()

    def serve(self) -> None:
        """Answer one request."""
        self.channel.send(self.answer(self.channel.receive()))

    def answer(self, request: Request | Answer) -> Answer:
        """Return the answer to a request; `Failed` where the arena fails."""
        try:
            match request:
                case Play(spec):
                    return self.played(spec)
                case Build(program):
                    return self.built(program)
                case Examine():
                    return self.examined()
        except ChannelClosedError:
            raise
        except Exception as error:  # whatever it was, no bot can cause it, so it is ours
            logger.exception("a request failed")
            return Failed(f"{type(error).__name__}: {error}")
        return Failed(f"{type(request).__name__} is no request")

    def make_ready(self) -> None:
        """Fill the warm pool for a match like the last one, as most are."""
        if self.sandbox is not None:
            try:
                self.sandbox.fill_warm_pool("python", self.limits, self.seats)
            except (SandboxError, OSError):  # the match will find out whether it matters
                logger.exception("nothing could be made ready")

    def examined(self, languages: Collection[str] | None = None) -> Examined:
        """Examine this machine and return the report."""
        if self.sandbox is not None:
            self.sandbox.close()
        self.sandbox, report = examine(languages)
        return Examined(report.as_json())

    def played(self, spec: MatchSpec) -> Played:
        """Play a match and return its report."""
        self.limits, self.seats = spec.limits, len(spec.programs)
        self.bound(sum(spec.limits.memory_mb + MEMORY_MARGIN_PER_BOT_MB for _ in spec.programs))
        return Played(play_match(spec, self.find_working_sandbox(), self.beats()))

    def built(self, program: Program) -> Built | NotBuilt:
        """Build a program."""
        try:
            return Built(*self.find_working_sandbox().build(program))
        except BuildError as refused:
            return NotBuilt(refused.message, refused.log)

    def bound(self, memory_mb: int) -> None:
        """Limit the memory and the tasks of all bots or compilers together."""
        if self.group is not None:
            self.group.bound(RUNNER_MEMORY_MB + memory_mb, MAX_TASKS)

    def find_working_sandbox(self) -> Sandbox:
        """Return the sandbox. Raises SandboxError where there is none."""
        if self.sandbox is None:
            raise SandboxError("no sandbox works here")
        return self.sandbox

    def beats(self) -> Heartbeat:
        """Return what `play_match` calls at every decision; about once a second it reports the progress."""
        due = monotonic() + HEARTBEAT_INTERVAL_S

        def beat(underway: Underway | None) -> None:
            nonlocal due
            if underway is not None and monotonic() >= due:
                self.channel.send(Progress(underway))
                due = monotonic() + HEARTBEAT_INTERVAL_S

        return beat


def end_with(parent: int) -> None:
    """From now on this process is killed with the thread that started it, and nobody else may look into it."""
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    libc.prctl(PR_SET_DUMPABLE, 0)
    if os.getppid() != parent:
        sys.exit("the process that started this one is gone")


def own_channel() -> Channel:
    """Stdin and stdout for messages alone: whatever else is printed here goes to stderr."""
    channel = Channel(os.dup(0), os.dup(1))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return channel


def main() -> None:
    """Serve the process that started this one."""
    end_with(int(sys.argv[1]))
    logging.basicConfig(format="%(asctime)s %(levelname)s runner: %(message)s")
    service = Service(own_channel(), enter())
    try:
        service.run()
    except ChannelClosedError:
        service.end()


if __name__ == "__main__":
    main()
