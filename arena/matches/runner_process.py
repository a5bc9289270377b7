"""Start and supervise the child process that plays matches. It receives no secrets.

This module knows neither Django nor the database, so that the child can be started before they are loaded.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic
from types import UnionType

from arena.runner.channel import (
    Analyse,
    Analysed,
    Answer,
    AnswerTurn,
    BadMessageError,
    Build,
    Built,
    Channel,
    ChannelClosedError,
    ChannelTimeoutError,
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
from arena.runner.compiled_engine import find_engine_folder
from arena.runner.data_files import PACKAGES_VARIABLE, find_current_hash, find_packages_folder
from arena.runner.live_turn import Position, TurnReport, TurnSpec
from arena.runner.match import Heartbeat, MatchReport, MatchSpec
from arena.runner.program import Program
from arena.runner.sandbox.base import BuildError, read_exit
from engine.core import Json
from engine.packages import VARIABLE, write_variable
from engine.registry import PACKAGES

PACKAGE_ROOT = Path(__file__).resolve().parents[2]
"""The folder that holds the packages arena and engine."""
COMMAND = (sys.executable, "-m", "arena.runner")
INHERITED_VARIABLES = ("PATH", "HOME", "LANG", "TZ")
"""The environment variables that the child inherits."""
RUNNER_HEARTBEAT_TIMEOUT_S = 120.0
"""The child gives a sign of life every five seconds while it works, whatever it is doing."""
RUNNER_HEARTBEAT_INTERVAL_S = 5.0
EXIT_TIMEOUT_S = 5.0
CHILD_CLOSE_TIMEOUT_S = 0.5
AnswerType = type | UnionType


class RunnerProcessError(Exception):
    """The child ended, stopped reporting, or could not do its work: a failure of the arena, never a bot's fault."""


class RunnerProcess:
    """A handle of the child process for the one thread that uses it.

    The child is started on demand, again where it ended, and dies with that thread.
    """

    def __init__(self, command: Sequence[str] = COMMAND, options: Sequence[str] = ()) -> None:
        self.command = command
        self.options = options
        self.process: subprocess.Popen[bytes] | None = None
        self.channel: Channel | None = None
        self.last_report: Json | None = None
        self.examined_at = 0.0
        self.packages_seen = ""
        """Hash of the set of packages that was the current one when the child reported."""

    def start(self) -> None:
        """Start the child unless it is alive; it examines this machine by itself."""
        if self.process is not None and self.process.poll() is None:
            return
        self.kill()
        self.process = subprocess.Popen(
            [*self.command, str(os.getpid()), *self.options],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=select_environment(os.environ),
            cwd=PACKAGE_ROOT,
            start_new_session=True,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.channel = Channel(self.process.stdout.fileno(), self.process.stdin.fileno())

    def report(self, beat: Heartbeat = lambda _: None) -> Json:
        """Return the latest report of the present child on this machine, with a heartbeat as in `play`.

        Raises RunnerProcessError.
        """
        self.start()
        if self.last_report is None:
            self._receive(Examined, beat)
        with self._open_channel() as channel:
            while channel.is_readable(0):  # it has tested more languages meanwhile, or gives signs of life
                self._read_report(channel.receive(RUNNER_HEARTBEAT_INTERVAL_S))
        assert self.last_report is not None
        return self.last_report

    @property
    def is_alive(self) -> bool:
        """Return whether there is a child."""
        return self.process is not None and self.process.poll() is None

    @property
    def languages(self) -> set[str]:
        """Return the keys of the languages that run here. Raises RunnerProcessError."""
        return {language["key"] for language in self.report()["languages"] if language["version"] is not None}

    @property
    def tested_languages(self) -> set[str]:
        """Return the keys of the languages that were looked for here, found or not. Raises RunnerProcessError."""
        return {language["key"] for language in self.report()["languages"]}

    def has_other_packages(self) -> bool:
        """Return whether another set of packages for bots was installed since the child reported."""
        return self.last_report is not None and self.packages_seen != find_current_hash()

    def examine(self) -> Json:
        """Examine this machine again and return the report. Raises RunnerProcessError."""
        self.report()
        self._request(Examine(), Examined)
        assert self.last_report is not None
        return self.last_report

    def play(self, spec: MatchSpec, beat: Heartbeat) -> MatchReport:
        """Play a match and return its report.

        `beat` is called every few seconds at least, and may raise to stop the match. Raises RunnerProcessError.
        """
        answer = self._request(Play(spec), Played, beat)
        assert isinstance(answer, Played)
        return answer.report

    def answer_turn(self, spec: TurnSpec, beat: Heartbeat) -> TurnReport:
        """Have a bot play a turn of a live game, with a heartbeat as in `play`. Raises RunnerProcessError."""
        answer = self._request(AnswerTurn(spec), TurnAnswered, beat)
        assert isinstance(answer, TurnAnswered)
        return answer.report

    def end_kept(self, tables: Sequence[str]) -> None:
        """End the processes that wait for the next turns of these tables. Raises RunnerProcessError."""
        self._request(EndKept(tuple(tables)), KeptEnded)

    def analyse(self, record: Json, beat: Heartbeat) -> Analysed:
        """Return the coarse pass of an analysis, with a heartbeat as in `play`. Raises RunnerProcessError."""
        answer = self._request(Analyse(record), Analysed, beat)
        assert isinstance(answer, Analysed)
        return answer

    def find_hint(self, position: Position) -> HintFound:
        """Return the best choices of the seat that is to act. Raises RunnerProcessError."""
        answer = self._request(FindHint(position), HintFound)
        assert isinstance(answer, HintFound)
        return answer

    def build(self, program: Program, beat: Heartbeat = lambda _: None) -> tuple[Program, str]:
        """Return the program as it is run, and the compiler's log, with a heartbeat as in `play`.

        Raises BuildError with the log, and RunnerProcessError.
        """
        answer = self._request(Build(program), Built | NotBuilt, beat)
        if isinstance(answer, NotBuilt):
            raise BuildError(answer.reason, answer.log)
        assert isinstance(answer, Built)
        return answer.program, answer.log

    def close(self) -> None:
        """Close the channel, at which the child ends unless it is busy; then kill it."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(CHILD_CLOSE_TIMEOUT_S)
        self.kill()

    def kill(self) -> None:
        """Kill the child, if there is one, and all bots with it."""
        if self.process is None:
            return
        with ExitStack() as stack:
            stack.callback(self.process.wait, EXIT_TIMEOUT_S)
            for stream in (self.process.stdin, self.process.stdout):
                assert stream is not None
                stack.callback(stream.close)
            self.process.kill()
        self.process = self.channel = self.last_report = None

    def _request(self, request: Request, answer_type: AnswerType, beat: Heartbeat = lambda _: None) -> Answer:
        self.report(beat)
        with self._open_channel() as channel:
            channel.send(request, RUNNER_HEARTBEAT_TIMEOUT_S)
        return self._receive(answer_type, beat)

    def _receive(self, answer_type: AnswerType, beat: Heartbeat = lambda _: None) -> Answer:
        """Return the next answer of that type."""
        silent_since = monotonic()
        with self._open_channel() as channel:
            while True:
                beat(None)
                left_s = silent_since + RUNNER_HEARTBEAT_TIMEOUT_S - monotonic()
                if left_s > 0 and not channel.is_readable(min(left_s, RUNNER_HEARTBEAT_INTERVAL_S)):
                    continue
                answer = channel.receive(RUNNER_HEARTBEAT_INTERVAL_S)
                silent_since = monotonic()
                self._read_report(answer)
                if isinstance(answer, Progress):
                    beat(answer.underway)
                if isinstance(answer, Failed | answer_type):
                    break
        if isinstance(answer, Failed):
            raise RunnerProcessError(answer.error)
        assert isinstance(answer, Answer) and isinstance(answer, answer_type)
        return answer

    def _read_report(self, answer: Request | Answer) -> None:
        if isinstance(answer, Examined):
            self.last_report, self.examined_at = answer.report, monotonic()
            self.packages_seen = find_current_hash()

    @contextmanager
    def _open_channel(self) -> Iterator[Channel]:
        """Yield the channel. An error in the meantime leaves the child in an unknown state, so it is killed."""
        assert self.channel is not None
        try:
            yield self.channel
        except (ChannelClosedError, ChannelTimeoutError, BadMessageError) as error:
            raise RunnerProcessError(f"the runner process {self._describe_exit(error)}") from error
        except BaseException:
            self.kill()
            raise

    def _describe_exit(self, error: Exception) -> str:
        """Kill the child if it is still alive, and describe how it ended."""
        assert self.process is not None
        process, closed = self.process, isinstance(error, ChannelClosedError)
        if closed:
            with suppress(subprocess.TimeoutExpired):
                process.wait(EXIT_TIMEOUT_S)
        code = process.poll()
        self.kill()
        return str(read_exit(code)) if closed and code is not None else f"was ended: {error}"


runner_process = RunnerProcess()
"""The child of this process. It must not be used before a fork."""


def select_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the variables that the child inherits, the games it plays, and where it finds engine and packages."""
    inherited = {key: environment[key] for key in INHERITED_VARIABLES if key in environment}
    if (folder := find_engine_folder()) != PACKAGE_ROOT:
        inherited |= {"PYTHONSAFEPATH": "1", "PYTHONPATH": f"{folder}{os.pathsep}{PACKAGE_ROOT}"}
    inherited[PACKAGES_VARIABLE] = str(find_packages_folder(environment))
    return inherited | ({VARIABLE: write_variable(PACKAGES)} if PACKAGES else {})
