"""The player of this process: a process of its own that runs bots, and to which nothing secret is given.

Knows neither Django nor the database, so that it can be started before them.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from time import monotonic
from types import UnionType

from arena.runner.channel import Channel, ChannelClosed, Silence
from arena.runner.leg import Heartbeat, Underway
from arena.runner.match import MatchReport, MatchSpec
from arena.runner.program import Program
from arena.runner.sandbox.base import BuildFailed
from arena.runner.sandbox.process import describe_exit
from arena.runner.wire import (
    Answer,
    BadMessage,
    Build,
    Built,
    Examine,
    Examined,
    Failed,
    NotBuilt,
    Play,
    Played,
    Request,
)
from engine.core import Json

ROOM = Path(__file__).resolve().parents[2]
"""The folder that holds the packages arena and engine."""
COMMAND = (sys.executable, "-m", "arena.runner.player")
KEPT = ("PATH", "HOME", "LANG", "TZ")
"""All of the environment that a player is given."""
SILENCE_S = 120.0
"""A player says at every few decisions that it goes on. One takes 70 s at most on a machine that is overloaded, and so
may building the first program of each language."""
BEAT_S = 5.0
ENDS_S = 5.0
CLOSES_S = 0.5
Kind = type | UnionType


class PlayerFailed(Exception):
    """The player is gone, fell silent, or could not do its work: a failure of ours, and nobody's verdict."""


class Player:
    """A handle, for the one thread that uses it: the process is started on demand, anew where it is gone, and dies
    with that thread."""

    def __init__(self, command: Sequence[str] = COMMAND) -> None:
        self.command = command
        self.process: subprocess.Popen[bytes] | None = None
        self.channel: Channel | None = None
        self.said: Json | None = None
        self.examined_at = 0.0

    def begin(self) -> None:
        """Have a process that is alive; it examines this machine by itself."""
        if self.process is not None and self.process.poll() is None:
            return
        self.end()
        self.process = subprocess.Popen(
            [*self.command, str(os.getpid())],
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=given_environment(os.environ),
            cwd=ROOM,
            start_new_session=True,
        )
        assert self.process.stdin is not None and self.process.stdout is not None
        self.channel = Channel(self.process.stdout.fileno(), self.process.stdin.fileno())

    def report(self) -> Json:
        """What this machine can do, as the player of this moment found it. Raises PlayerFailed."""
        self.begin()
        while self.said is None or (self.channel is not None and self.channel.has_news(0)):
            self._hear(Examined)
        return self.said

    @property
    def languages(self) -> set[str]:
        """Keys of the languages that run here. Raises PlayerFailed."""
        return {language["key"] for language in self.report()["languages"] if language["version"] is not None}

    def examine(self) -> Json:
        """The same, tried out just now. Raises PlayerFailed."""
        self.report()
        self._ask(Examine(), Examined)
        assert self.said is not None
        return self.said

    def play(self, spec: MatchSpec, beat: Heartbeat) -> MatchReport:
        """`beat` is called every few seconds at least, and may raise to stop the match. Raises PlayerFailed."""
        answer = self._ask(Play(spec), Played, beat)
        assert isinstance(answer, Played)
        return answer.report

    def build(self, program: Program) -> tuple[Program, str]:
        """The program as it is run, and the compiler's log. Raises BuildFailed with the log, and PlayerFailed."""
        answer = self._ask(Build(program), Built | NotBuilt)
        if isinstance(answer, NotBuilt):
            raise BuildFailed(answer.log)
        assert isinstance(answer, Built)
        return answer.program, answer.log

    def close(self) -> None:
        """Let the process end by itself, which it does at once unless it is in the middle of something."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(CLOSES_S)
        self.end()

    def end(self) -> None:
        """Kill the process, if there is one, and with it all bots."""
        if self.process is None:
            return
        with ExitStack() as stack:
            stack.callback(self.process.wait, ENDS_S)
            for stream in (self.process.stdin, self.process.stdout):
                assert stream is not None
                stack.callback(stream.close)
            self.process.kill()
        self.process = self.channel = self.said = None

    def _ask(self, request: Request, kind: Kind, beat: Heartbeat = lambda _: None) -> Answer:
        self.report()
        with self._talk() as channel:
            channel.send(request, SILENCE_S)
        return self._hear(kind, beat)

    def _hear(self, kind: Kind, beat: Heartbeat = lambda _: None) -> Answer:
        """The next answer of that kind."""
        silent_since = monotonic()
        with self._talk() as channel:
            while True:
                beat(None)
                left_s = silent_since + SILENCE_S - monotonic()
                if left_s > 0 and not channel.has_news(min(left_s, BEAT_S)):
                    continue
                answer = channel.receive(BEAT_S)
                silent_since = monotonic()
                if isinstance(answer, Examined):
                    self.said, self.examined_at = answer.report, monotonic()
                if isinstance(answer, Underway):
                    beat(answer)
                if isinstance(answer, Failed | kind):
                    break
        if isinstance(answer, Failed):
            raise PlayerFailed(answer.error)
        return answer

    @contextmanager
    def _talk(self) -> Iterator[Channel]:
        """Whatever goes wrong in between, the player is in the middle of something then, and no good any more."""
        assert self.channel is not None
        try:
            yield self.channel
        except (ChannelClosed, Silence, BadMessage) as error:
            raise PlayerFailed(f"the player {self._ending(error)}") from error
        except BaseException:
            self.end()
            raise

    def _ending(self, error: Exception) -> str:
        """What became of the player, which is over now."""
        assert self.process is not None
        process, closed = self.process, isinstance(error, ChannelClosed)
        if closed:
            with suppress(subprocess.TimeoutExpired):
                process.wait(ENDS_S)
        code = process.poll()
        self.end()
        return describe_exit(code) if closed and code is not None else f"was ended: {error}"


player = Player()
"""The one of this process. Not to be used before a fork."""


def given_environment(environment: Mapping[str, str]) -> dict[str, str]:
    return {key: environment[key] for key in KEPT if key in environment}
