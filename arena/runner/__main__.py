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
from arena.runner.sandbox.build import MEMORY
from arena.runner.sandbox.cgroup import Group, enter
from arena.runner.sandbox.rlimits import MIB
from arena.runner.wire import Answer, Build, Built, Examine, Examined, Failed, NotBuilt, Play, Played, Progress, Request

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
BEAT_S = 1.0
QUICK = ("python",)
"""What is looked for first: whoever waits for a match shall not wait for compilers."""
QUIET_S = 2.0
"""With nothing to do for so long, there is time to look for all languages."""
PATIENCE_S = 10.0
"""So long that waits for a quiet moment."""
OWN_MB = 512
"""Memory of the player itself, and of files that it and its bots read."""
SPARE_MB = 256
"""Beyond a bot's memory limit: its runtime, and the sandbox around it."""
TASKS = 512
REST_S = 0.2
"""With nothing to do for so long, there is time to make ready for what may come."""
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
        """Raises ChannelClosedError once the other end is gone."""
        self.bound(MEMORY // MIB)
        self.channel.send(self.examined(QUICK))
        busy_until = monotonic() + PATIENCE_S
        while self.channel.has_news(QUIET_S) and monotonic() < busy_until:
            self.serve()
        self.channel.send(self.examined())
        while True:
            if not self.channel.has_news(REST_S):
                self.make_ready()
            self.serve()

    def end(self) -> None:
        if self.sandbox is not None:
            self.sandbox.close()
        if self.group is not None:
            self.group.leave()

    def serve(self) -> None:
        self.channel.send(self.answer(self.channel.receive()))

    def answer(self, request: Request | Answer) -> Answer:
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
        """For a match like the last one: most are."""
        if self.sandbox is not None:
            try:
                self.sandbox.park("python", self.limits, self.seats)
            except (SandboxError, OSError):  # the match will find out whether it matters
                logger.exception("nothing could be made ready")

    def examined(self, languages: Collection[str] | None = None) -> Examined:
        if self.sandbox is not None:
            self.sandbox.close()
        self.sandbox, report = examine(languages)
        return Examined(report.as_json())

    def played(self, spec: MatchSpec) -> Played:
        self.limits, self.seats = spec.limits, len(spec.programs)
        self.bound(sum(spec.limits.memory_mb + SPARE_MB for _ in spec.programs))
        return Played(play_match(spec, self.walls(), self.beats()))

    def built(self, program: Program) -> Built | NotBuilt:
        try:
            return Built(*self.walls().build(program))
        except BuildError as refused:
            return NotBuilt(refused.message, refused.log)

    def bound(self, memory_mb: int) -> None:
        """What bots or compilers may use together: a bound around those of each."""
        if self.group is not None:
            self.group.bound(OWN_MB + memory_mb, TASKS)

    def walls(self) -> Sandbox:
        if self.sandbox is None:
            raise SandboxError("no sandbox works here")
        return self.sandbox

    def beats(self) -> Heartbeat:
        """What `play_match` calls at every decision; now and then it tells the other end how far the match is."""
        due = monotonic() + BEAT_S

        def beat(underway: Underway | None) -> None:
            nonlocal due
            if underway is not None and monotonic() >= due:
                self.channel.send(Progress(underway))
                due = monotonic() + BEAT_S

        return beat


def end_with(parent: int) -> None:
    """From now on this process is killed with the thread that started it, and nobody else may look into it."""
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    libc.prctl(PR_SET_DUMPABLE, 0)
    if os.getppid() != parent:
        sys.exit("the process that started this player is gone")


def own_channel() -> Channel:
    """Stdin and stdout for messages alone: whatever else is printed here goes to stderr."""
    channel = Channel(os.dup(0), os.dup(1))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return channel


def main() -> None:
    end_with(int(sys.argv[1]))
    logging.basicConfig(format="%(asctime)s %(levelname)s player: %(message)s")
    service = Service(own_channel(), enter())
    try:
        service.run()
    except ChannelClosedError:
        service.end()


if __name__ == "__main__":
    main()
