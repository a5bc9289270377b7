"""Run trusted bots on systems without a sandbox, such as Windows and macOS: as this user, by pipes and threads.

Nothing is promised about the fairness of clocks there. A bot isn't stopped between its answers, and its memory isn't
limited.
"""

import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import IO, Protocol

import psutil

from arena.runner.bot_packages import add_packages, describe_python, find_current_set
from arena.runner.compiled_engine import find_engine_folder
from arena.runner.data_files import KIT_FOLDER
from arena.runner.languages import (
    BOT,
    INTERPRETER_OPTIONS,
    JAVASCRIPT_ENTRY,
    KIT,
    PYTHON_ENTRY,
    PYTHON_ENVIRONMENT,
    Run,
    Toolchain,
)
from arena.runner.program import FREE_MS_PER_ANSWER, WALL_TIME_FACTOR, Limits, Program
from arena.runner.protocol import MAX_LINE_BYTES, format_binary, make_visible
from arena.runner.sandbox.base import (
    MAX_LOG_BYTES,
    MAX_LOG_KEPT_BYTES,
    TIMEOUT_TEMPLATES,
    BotError,
    BotExitedError,
    BotOverflowError,
    BotTimeoutError,
    SandboxError,
    build_run_command,
    check_language,
    check_packages,
    describe_exit,
    describe_unasked,
    map_trees,
    read_exit,
    translate_paths,
)
from engine.message import gettext_noop, message

CHUNK_BYTES = 64 * 1024
CHUNKS_READ_AHEAD = 16
"""A bot that writes more than these waits until somebody reads."""
CHECK_INTERVAL_S = 0.025
EXIT_TIMEOUT_S = 2.0
KEPT_VARIABLES = ("PATH", "SYSTEMROOT", "SYSTEMDRIVE", "TEMP", "TMP", "LANG", "HOME", "USERPROFILE")
"""Variables of this process that programs need to run at all on one system or another."""


def measure_cpu_s(process: psutil.Process) -> float:
    """Return the processor seconds of a process and of those that it has started; 0 once it has ended."""
    total = 0.0
    with suppress(psutil.Error):
        for one in (process, *process.children(recursive=True)):
            times = one.cpu_times()
            ended = getattr(times, "children_user", 0.0) + getattr(times, "children_system", 0.0)  # not on Windows
            total += times.user + times.system + ended
    return total


def kill_tree(child: "subprocess.Popen[bytes] | subprocess.Popen[str]") -> None:
    """End a process and those that it has started."""
    with suppress(psutil.Error):
        for one in psutil.Process(child.pid).children(recursive=True):
            with suppress(psutil.Error):
                one.kill()
    child.kill()
    with suppress(subprocess.TimeoutExpired):
        child.wait(EXIT_TIMEOUT_S)


class WorkingFolder(Protocol):
    """The folder in which a bot runs."""

    name: str

    def cleanup(self) -> None:
        """Remove the folder if it was made for the bot."""


class PortableProcess:
    """A bot that runs as this user. Threads read what it writes."""

    def __init__(self, folder: WorkingFolder, argv: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start it. Raises OSError."""
        own = {key: os.environ[key] for key in KEPT_VARIABLES if key in os.environ}
        self._folder = folder
        flags = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x200}  # a group of its own
        self._child = subprocess.Popen(
            argv,
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**own, **environment},
            cwd=folder.name,
            **flags,
        )
        self._process = psutil.Process(self._child.pid)
        self._output: queue.Queue[bytes] = queue.Queue(CHUNKS_READ_AHEAD)
        """What was written to stdout; an empty text at its end."""
        self._requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._unread = b""
        self._log = bytearray()
        self._log_bytes = 0
        self._cpu_before = 0.0
        self._has_answered = self._is_closed = False
        self.wall_s = self.cpu_s = self.late_s = 0.0
        self._threads = [
            threading.Thread(target=work, args=arguments, daemon=True)
            for work, arguments in (
                (self._read_output, (self._child.stdout,)),
                (self._read_log, (self._child.stderr,)),
                (self._write_requests, (self._child.stdin,)),
            )
        ]
        for thread in self._threads:
            thread.start()

    @property
    def child_id(self) -> int:
        """Return the id of the process, also before its first answer."""
        return self._child.pid

    @property
    def pid(self) -> int | None:
        """Return the id of the process once it has answered."""
        return self._child.pid if self._has_answered else None

    def ask(self, line: bytes, allowance_s: float) -> bytes:
        """Write a request and return the next line. Raises BotError."""
        self._check_unasked_output()
        asked = perf_counter()
        self._requests.put(line)
        while (end := self._find_line_end()) < 0:
            if self._log_bytes > MAX_LOG_BYTES:
                template = gettext_noop("the bot wrote more than %(limit)s to stderr in this leg")
                raise BotOverflowError(message(template, limit=format_binary(MAX_LOG_BYTES)))
            try:
                chunk = self._output.get(timeout=min(CHECK_INTERVAL_S, allowance_s))
            except queue.Empty:
                self._check_clock(asked, allowance_s)
                continue
            if not chunk:
                raise self._explain_end()
            self._unread += chunk
        answer, self._unread = self._unread[:end], self._unread[end + 1 :]
        self._has_answered = True
        self.wall_s = perf_counter() - asked
        self.cpu_s = 0.0
        if self.wall_s * 1000 > FREE_MS_PER_ANSWER:  # looking for children takes milliseconds
            used = measure_cpu_s(self._process)
            self.cpu_s, self._cpu_before = max(0.0, used - self._cpu_before), used
        return answer

    def dismiss(self, line: bytes | None) -> None:
        """Write a last message and close stdin."""
        if line is not None:
            self._requests.put(line)
        self._requests.put(None)

    def close(self, grace_s: float = 0.0) -> None:
        """End the bot and all it started, after `grace_s` for it to exit."""
        if self._is_closed:
            return
        self._is_closed = True
        with suppress(subprocess.TimeoutExpired):
            if grace_s > 0:
                self._child.wait(grace_s)
        kill_tree(self._child)
        self._requests.put(None)
        threading.Thread(target=self._drain, daemon=True).start()
        for thread in self._threads:
            thread.join(EXIT_TIMEOUT_S)
        with suppress(OSError):  # Windows keeps a folder while a process has a file of it open
            self._folder.cleanup()

    def stderr(self) -> str:
        """Return the last 64 KiB of the log."""
        return make_visible(bytes(self._log).decode(errors="replace"))[-MAX_LOG_KEPT_BYTES:]

    def _find_line_end(self) -> int:
        """Return the position of the next newline, or -1. Raises BotOverflowError."""
        end = self._unread.find(b"\n")
        if (len(self._unread) if end < 0 else end) > MAX_LINE_BYTES:
            template = gettext_noop("the bot wrote a line longer than %(limit)s")
            raise BotOverflowError(message(template, limit=format_binary(MAX_LINE_BYTES)), self._unread)
        return end

    def _check_unasked_output(self) -> None:
        with suppress(queue.Empty):
            self._unread += self._output.get_nowait()
        if len(self._unread) > MAX_LINE_BYTES:
            template = gettext_noop("the bot wrote more than %(limit)s without being asked")
            raise BotOverflowError(message(template, limit=format_binary(MAX_LINE_BYTES)), self._unread)
        if self._unread:
            raise describe_unasked(self._unread)

    def _check_clock(self, asked: float, allowance_s: float) -> None:
        wall, limit = perf_counter() - asked, WALL_TIME_FACTOR * allowance_s
        is_cpu_time = measure_cpu_s(self._process) - self._cpu_before > allowance_s
        if is_cpu_time or wall > limit:
            ms = round((allowance_s if is_cpu_time else limit) * 1000)
            template = TIMEOUT_TEMPLATES["answer"][is_cpu_time]
            raise BotTimeoutError(message(template, ms=ms, limit=round(allowance_s * 1000)), self._unread)

    def _explain_end(self) -> BotError:
        """Return the fault that ended the output."""
        try:
            code = self._child.wait(EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            template = gettext_noop("the bot closed its standard input or output")
            return BotExitedError(message(template), self._unread)
        self._threads[1].join(EXIT_TIMEOUT_S)
        return describe_exit(read_exit(code), bytes(self._log), self._unread)

    # What the threads do.

    def _read_output(self, stream: IO[bytes]) -> None:
        with suppress(OSError), stream:
            while chunk := stream.read(CHUNK_BYTES):
                self._output.put(chunk)
        self._output.put(b"")

    def _read_log(self, stream: IO[bytes]) -> None:
        with suppress(OSError), stream:
            while chunk := stream.read(CHUNK_BYTES):
                self._log_bytes += len(chunk)
                self._log += chunk
                del self._log[:-MAX_LOG_KEPT_BYTES]

    def _write_requests(self, stream: IO[bytes]) -> None:
        with suppress(OSError), stream:
            while (request := self._requests.get()) is not None:
                rest = memoryview(request)
                while rest:
                    rest = rest[stream.write(rest) :]

    def _drain(self) -> None:
        """Take what is left, so that the thread that reads it can end."""
        with suppress(queue.Empty):
            while self._output.get(timeout=EXIT_TIMEOUT_S):
                pass


@dataclass(frozen=True, slots=True)
class PortableRunner:
    """Run bots as the current user, with all permissions of that user, on any system."""

    library: str
    """Folders that bots in Python import from, as in PYTHONPATH."""
    languages: Mapping[str, Toolchain]
    name: str = "bare"
    level: str = "bare"

    def start(
        self, program: Program, limits: Limits, process_type: type[PortableProcess] = PortableProcess
    ) -> PortableProcess:
        """Start a bot. Raises SandboxError."""
        check_language(self.languages, program.language)
        check_packages(self.languages, program)
        run = self.languages[program.language].run
        folder = tempfile.TemporaryDirectory(prefix="pennant-bot-", ignore_cleanup_errors=True)
        try:
            for path, content in program.files.items():
                target = Path(folder.name, path)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
                target.chmod(0o755)
            places = {BOT: folder.name, KIT: self.library, **map_trees(run.all_trees)}
            argv = [translate_paths(word, places) for word in build_run_command(run, limits)]
            given = {key: translate_paths(value, places) for key, value in run.environment.items()}
            return process_type(folder, argv, given)
        except OSError as error:
            folder.cleanup()
            raise SandboxError(f"a bot could not be started: {error}") from error

    def build(self, program: Program) -> tuple[Program, str]:
        """Return the program: languages that are built need a system with a sandbox."""
        check_language(self.languages, program.language)
        return program, ""

    def fill_warm_pool(self, language: str, limits: Limits, count: int, packages: Collection[str] = ()) -> None:
        """Do nothing: there is no warm pool without a sandbox."""

    def close(self) -> None:
        """Do nothing: no process waits."""


def has_sandbox() -> bool:
    """Return whether this system has what the sandboxes are made of, which is Linux alone."""
    return sys.platform == "linux" and hasattr(os, "sched_setaffinity")


def find_portable() -> PortableRunner:
    """Return what runs bots in Python, and in JavaScript where Node is installed, on this system."""
    python = Run((sys.executable, *INTERPRETER_OPTIONS, f"{BOT}/{PYTHON_ENTRY}"), PYTHON_ENVIRONMENT)
    toolchain = Toolchain(".".join(map(str, sys.version_info[:3])), python)
    found = find_current_set()
    if found is not None and found.python == describe_python(toolchain):
        toolchain = add_packages(toolchain, found)
    languages = {"python": toolchain}
    node = shutil.which("node")
    with suppress(OSError, subprocess.SubprocessError):
        if node:
            said = subprocess.run((node, "--version"), capture_output=True, text=True, timeout=20, check=True).stdout
            run = Run((node, "--max-old-space-size={memory_mb}", f"{BOT}/{JAVASCRIPT_ENTRY}"))
            languages["javascript"] = Toolchain(said.strip().removeprefix("v"), run)
    return PortableRunner(os.pathsep.join((str(KIT_FOLDER), str(find_engine_folder()))), languages)
