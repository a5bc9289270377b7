"""Play matches and build programs for the process that started this one: `python -m arena.runner PARENT`.

It is a separate process, so that a bot that escapes from its sandbox finds no password, no secret key and no database;
where the machine allows it, it has a network of its own, too.
Requests come over stdin and answers go over stdout (see `wire`). It ends with its parent, and all bots end with it.
"""

import ctypes
import logging
import os
import signal
import sys
from collections.abc import Collection
from dataclasses import replace
from time import monotonic

from arena.runner.channel import Channel, ChannelClosedError
from arena.runner.leg import Heartbeat, LegProgress
from arena.runner.limits import Limits
from arena.runner.live_turn import TurnSpec, answer_turn
from arena.runner.match import MatchSpec, play_match
from arena.runner.program import Program
from arena.runner.sandbox import Sandbox, SandboxError, examine
from arena.runner.sandbox.base import BuildError
from arena.runner.sandbox.build import MAX_BUILD_MEMORY_BYTES
from arena.runner.sandbox.cgroup import ControlGroup, enter_new_group
from arena.runner.sandbox.levels import Layer
from arena.runner.sandbox.rlimits import MIB
from arena.runner.separation import describe_memory, describe_network, separate
from arena.runner.wire import (
    Answer,
    AnswerTurn,
    Build,
    Built,
    Examine,
    Examined,
    Failed,
    NotBuilt,
    Play,
    Played,
    Progress,
    Request,
    TurnAnswered,
)

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
HEARTBEAT_INTERVAL_S = 1.0
LANGUAGES_AT_START = ("python",)
"""Languages that are tested before the first match, which should not wait for compilers."""
LANGUAGE_SEARCH_IDLE_S = 2.0
"""All languages are tested after this time without a request."""
LANGUAGE_SEARCH_MAX_DELAY_S = 10.0
"""All languages are tested after this time in any case."""
RUNNER_MEMORY_MB = 512
"""Memory for this process, and for cached files that it and its bots read."""
MEMORY_MARGIN_PER_BOT_MB = 256
"""Memory beyond a bot's limit, for its runtime and the sandbox around it."""
MAX_TASKS = 512
WARM_UP_IDLE_S = 0.2
"""The warm pool is filled after this time without a request."""
WARM_POOL_IDLE_S = 300.0
"""The warm pool is emptied after this time without a request: each process in it takes 10 MB."""
logger = logging.getLogger(__name__)


class RunnerService:
    """Report what this machine can do, then answer one request after the other."""

    def __init__(self, channel: Channel, group: ControlGroup | None, separation: tuple[Layer, ...] = ()) -> None:
        self.channel = channel
        self.group = group
        self.separation = separation
        self.sandbox: Sandbox | None = None
        self.limits = Limits()
        self.seats = 2

    def run(self) -> None:
        """Answer requests until the other end is closed. Raises ChannelClosedError then."""
        self.limit_resources(MAX_BUILD_MEMORY_BYTES // MIB)
        self.channel.send(self.examine_machine(LANGUAGES_AT_START))
        busy_until = monotonic() + LANGUAGE_SEARCH_MAX_DELAY_S
        while self.channel.is_readable(LANGUAGE_SEARCH_IDLE_S) and monotonic() < busy_until:
            self.serve()
        self.channel.send(self.examine_machine())
        while True:
            self.wait_for_request()
            self.serve()

    def wait_for_request(self) -> None:
        """Wait for a request with a full warm pool; after WARM_POOL_IDLE_S empty it, and leave waiting to `serve`."""
        if not self.channel.is_readable(WARM_UP_IDLE_S):
            self.fill_warm_pool()
            if not self.channel.is_readable(WARM_POOL_IDLE_S):
                self.empty_warm_pool()

    def end(self) -> None:
        """End the processes of the warm pool and leave the control group."""
        self.empty_warm_pool()
        if self.group is not None:
            self.group.leave()

    def serve(self) -> None:
        """Answer one request."""
        self.channel.send(self.answer(self.channel.receive()))

    def answer(self, request: Request | Answer) -> Answer:
        """Return the answer to a request; `Failed` if the arena is at fault."""
        try:
            match request:
                case Play(spec):
                    return self.play(spec)
                case AnswerTurn(spec):
                    return self.answer_turn(spec)
                case Build(program):
                    return self.build(program)
                case Examine():
                    return self.examine_machine()
        except ChannelClosedError:
            raise
        except Exception as error:  # no bot can cause one of these
            logger.exception("a request failed")
            return Failed(f"{type(error).__name__}: {error}")
        return Failed(f"{type(request).__name__} is no request")

    def fill_warm_pool(self) -> None:
        """Fill the warm pool for a match with the limits of the last one, as most have."""
        if self.sandbox is not None:
            try:
                self.sandbox.fill_warm_pool("python", self.limits, self.seats)
            except (SandboxError, OSError):  # a match can start its bots without the pool
                logger.exception("the warm pool could not be filled")

    def empty_warm_pool(self) -> None:
        """End the processes of the warm pool."""
        if self.sandbox is not None:
            self.sandbox.close()

    def examine_machine(self, languages: Collection[str] | None = None) -> Examined:
        """Examine this machine and return the report."""
        self.empty_warm_pool()
        self.sandbox, report = examine(languages)
        return Examined(replace(report, layers=(*report.layers, *self.separation)).as_json())

    def play(self, spec: MatchSpec) -> Played:
        """Play a match and return its report."""
        self.limits, self.seats = spec.limits, len(spec.programs)
        self.limit_resources(sum(spec.limits.memory_mb + MEMORY_MARGIN_PER_BOT_MB for _ in spec.programs))
        return Played(play_match(spec, self.find_working_sandbox(), self.make_heartbeat()))

    def answer_turn(self, spec: TurnSpec) -> TurnAnswered:
        """Have a bot play a turn and return the report."""
        self.limits, self.seats = spec.limits, 1
        self.limit_resources(spec.limits.memory_mb + MEMORY_MARGIN_PER_BOT_MB)
        return TurnAnswered(answer_turn(spec, self.find_working_sandbox(), self.make_heartbeat()))

    def build(self, program: Program) -> Built | NotBuilt:
        """Build a program and return it, or why that failed."""
        try:
            return Built(*self.find_working_sandbox().build(program))
        except BuildError as refused:
            return NotBuilt(refused.message, refused.log)

    def limit_resources(self, memory_mb: int) -> None:
        """Limit the memory and the tasks of all bots or compilers together."""
        if self.group is not None:
            self.group.set_limits(RUNNER_MEMORY_MB + memory_mb, MAX_TASKS)

    def find_working_sandbox(self) -> Sandbox:
        """Return the sandbox. Raises SandboxError if none works."""
        if self.sandbox is None:
            raise SandboxError("no sandbox works here")
        return self.sandbox

    def make_heartbeat(self) -> Heartbeat:
        """Return the function that `play_match` calls at every decision, which reports the progress once a second."""
        due = monotonic() + HEARTBEAT_INTERVAL_S

        def beat(underway: LegProgress | None) -> None:
            nonlocal due
            if underway is not None and monotonic() >= due:
                self.channel.send(Progress(underway))
                due = monotonic() + HEARTBEAT_INTERVAL_S

        return beat


def die_with_parent(parent: int) -> None:
    """Have this process killed with the thread that started it, and forbid other processes to inspect it."""
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    libc.prctl(PR_SET_DUMPABLE, 0)
    if os.getppid() != parent:
        sys.exit("the process that started this one is gone")


def open_channel() -> Channel:
    """Return a channel over stdin and stdout, and redirect all other output to stderr."""
    channel = Channel(os.dup(0), os.dup(1))
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    return channel


def main() -> None:
    """Serve the process that started this one."""
    parent = int(sys.argv[1])
    fault = separate()
    die_with_parent(parent)
    logging.basicConfig(format="%(asctime)s %(levelname)s runner: %(message)s")
    service = RunnerService(open_channel(), enter_new_group(), (describe_network(fault), describe_memory(parent)))
    try:
        service.run()
    except ChannelClosedError:
        service.end()


if __name__ == "__main__":
    main()
