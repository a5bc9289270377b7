"""Play matches and build programs for the process that started this one.

    python -m arena.runner PARENT [--few-languages]

It is a separate process, so that a bot that escapes from its sandbox finds no password, no secret key and no database;
where the machine allows it, it has a network of its own, too.
Requests come over stdin and answers go over stdout (see `channel`). It ends with its parent, and all bots end with it.
"""

import logging
import os
import sys
import threading
from collections.abc import Callable, Collection
from dataclasses import replace
from time import monotonic, process_time, sleep

from arena.runner.channel import (
    FEW_LANGUAGES,
    Analyse,
    Analysed,
    Answer,
    AnswerTurn,
    Build,
    Built,
    Busy,
    Channel,
    ChannelClosedError,
    EndKept,
    Examine,
    Examined,
    Failed,
    FindHint,
    HintFound,
    KeptEnded,
    NotBuilt,
    Play,
    Played,
    Progress,
    Request,
    TurnAnswered,
)
from arena.runner.languages import LANGUAGES
from arena.runner.live_turn import KeptBots, TurnSpec, answer_turn, find_choices
from arena.runner.match import Heartbeat, LegProgress, MatchSpec, play_match
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import BuildError, Layer, Sandbox, SandboxError
from arena.runner.sandbox.build import MAX_BUILD_MEMORY_BYTES
from arena.runner.sandbox.detection import examine
from arena.runner.sandbox.files import MIB, ControlGroup, enter_new_group
from arena.runner.sandbox.own_process import (
    describe_memory,
    describe_network,
    die_with_parent,
    forbid_inspection,
    separate,
)
from engine.analysis.evaluators import find_evaluator
from engine.analysis.leg import analyse_coarsely

HEARTBEAT_INTERVAL_S = 1.0
BUSY_INTERVAL_S = 5.0
"""While this process works it gives a sign of life this often: tests of compilers and starts take long under load."""
MAX_STEP_S = 900.0
"""A step of the work that takes longer hangs, so no sign of life is given any more."""
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
IDLE_CHECK_INTERVAL_S = 10.0
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
        self.kept = KeptBots()
        self.tested = set(LANGUAGES_AT_START)
        self.sending = threading.Lock()
        self.step_began: float | None = None
        """When the present step of the work began; None while this process waits for a request."""

    def run(self, *, tests_all_languages: bool = True) -> None:
        """Answer requests until the other end is closed. Raises ChannelClosedError then.

        Without `tests_all_languages` a language is tested when a bot in it comes.
        """
        threading.Thread(target=self.show_that_it_works, daemon=True).start()
        self.limit_resources(MAX_BUILD_MEMORY_BYTES // MIB)
        self.answer_with(lambda: self.examine_machine(LANGUAGES_AT_START))
        if tests_all_languages:
            busy_until = monotonic() + LANGUAGE_SEARCH_MAX_DELAY_S
            while self.channel.is_readable(LANGUAGE_SEARCH_IDLE_S) and monotonic() < busy_until:
                self.serve()
            self.answer_with(self.examine_machine)
        while True:
            self.wait_for_request()
            self.serve()

    def show_that_it_works(self) -> None:
        """Give a sign of life every BUSY_INTERVAL_S while the work goes on."""
        while True:
            sleep(BUSY_INTERVAL_S)
            with self.sending:
                if self.step_began is not None and monotonic() - self.step_began < MAX_STEP_S:
                    try:
                        self.channel.send(Busy())
                    except ChannelClosedError:
                        return

    def answer_with(self, work: Callable[[], Answer]) -> None:
        """Send what the work returns. No sign of life follows it."""
        self.step_began = monotonic()
        answer = work()
        with self.sending:
            self.step_began = None
            self.channel.send(answer)

    def wait_for_request(self) -> None:
        """Wait for a request with a full warm pool, which is emptied after WARM_POOL_IDLE_S.

        Processes of live games whose time is up are ended meanwhile.
        """
        if self.channel.is_readable(WARM_UP_IDLE_S):
            return
        self.fill_warm_pool()
        waited_s = 0.0
        while not self.channel.is_readable(IDLE_CHECK_INTERVAL_S):
            waited_s += IDLE_CHECK_INTERVAL_S
            self.kept.end_idle()
            if waited_s >= WARM_POOL_IDLE_S:
                self.empty_warm_pool()

    def end(self) -> None:
        """End the processes of live games and of the warm pool, and leave the control group."""
        self.kept.end(self.kept.tables)
        self.empty_warm_pool()
        if self.group is not None:
            self.group.leave()

    def serve(self) -> None:
        """Answer one request."""
        request = self.channel.receive()
        self.answer_with(lambda: self.answer(request))

    def answer(self, request: Request | Answer) -> Answer:
        """Return the answer to a request; `Failed` if the arena is at fault."""
        try:
            return self.carry_out(request)
        except ChannelClosedError:
            raise
        except Exception as error:  # no bot can cause one of these
            logger.exception("a request failed")
            return Failed(f"{type(error).__name__}: {error}")

    def carry_out(self, request: Request | Answer) -> Answer:
        """Return the answer to a request. Raises SandboxError."""
        match request:
            case Play(spec):
                return self.play(spec)
            case AnswerTurn(spec):
                return self.answer_turn(spec)
            case EndKept(tables):
                self.kept.end(tables)
                return KeptEnded()
            case Analyse() | FindHint():
                return advise(request)
            case Build(program):
                return self.build(program)
            case Examine():
                return self.examine_machine()
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
        self.tested = set(LANGUAGES if languages is None else languages)
        return Examined(replace(report, layers=(*report.layers, *self.separation)).as_json())

    def play(self, spec: MatchSpec) -> Played:
        """Play a match and return its report."""
        self.limits, self.seats = spec.limits, len(spec.programs)
        self.limit_resources(sum(spec.limits.memory_mb + MEMORY_MARGIN_PER_BOT_MB for _ in spec.programs))
        return Played(play_match(spec, self.find_working_sandbox(), self.make_heartbeat()))

    def answer_turn(self, spec: TurnSpec) -> TurnAnswered:
        """Have a bot play a turn and return the report."""
        self.limits, self.seats = spec.limits, 1
        self.limit_resources((len(self.kept) + 1) * (spec.limits.memory_mb + MEMORY_MARGIN_PER_BOT_MB))
        if spec.program.language not in self.tested:
            self.examine_machine({*self.tested, spec.program.language})
        return TurnAnswered(answer_turn(spec, self.find_working_sandbox(), self.make_heartbeat(), self.kept))

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
            self.step_began = at = monotonic()
            if underway is not None and at >= due:
                with self.sending:
                    self.channel.send(Progress(underway))
                due = monotonic() + HEARTBEAT_INTERVAL_S

        return beat


def advise(request: Analyse | FindHint) -> Analysed | HintFound:
    """Return the coarse pass of an analysis, or a hint, with the processor time that it took."""
    began = process_time()
    if isinstance(request, FindHint):
        choices = find_choices(request.position)
        return HintFound(choices, (process_time() - began) * 1000)
    record = request.record
    evaluator = find_evaluator(record["game"], record["edition"], record["options"])
    assert evaluator is not None, "only what has an evaluator is analysed"
    result = analyse_coarsely(record, evaluator)
    return Analysed(result, (process_time() - began) * 1000)


def end_with_parent(parent: int) -> None:
    """Have this process killed with the thread that started it, and forbid other processes to inspect it."""
    die_with_parent()
    forbid_inspection()
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
    end_with_parent(parent)
    logging.basicConfig(format="%(asctime)s %(levelname)s runner: %(message)s")
    service = RunnerService(open_channel(), enter_new_group(), (describe_network(fault), describe_memory(parent)))
    try:
        service.run(tests_all_languages=FEW_LANGUAGES not in sys.argv)
    except ChannelClosedError:
        service.end()


if __name__ == "__main__":
    main()
