"""The author's program on this machine, for `pennant remote`: how it's found, built and started, and its processes."""

import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import psutil

from arena.cli import MachineError, RequestError
from arena.cli.bot_paths import build_program, find_bot, list_samples
from arena.runner.languages import BOT, KIT, LANGUAGES, PYTHON_ENTRY, Language, find_file_language, find_language
from arena.runner.portable import find_portable, has_sandbox, kill_tree
from arena.runner.program import Limits
from arena.runner.protocol import MAX_LINE_BYTES, encode, make_visible
from arena.runner.sandbox.base import Sandbox, SandboxError, build_run_command, map_trees, translate_paths
from engine.core import Json

# How the author's program is started: where it is, and as this user, so that it can use a GPU, a key or the network.

TOKEN_VARIABLE = "PENNANT_TOKEN"
ENVIRONMENT_FOLDERS = (".venv", "venv")


@dataclass(frozen=True, slots=True)
class Launch:
    """The command, folder and environment with which a process of the bot starts."""

    argv: tuple[str, ...]
    folder: str
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables besides those of this process."""

    def start(self) -> "subprocess.Popen[bytes]":
        """Start a process that Ctrl-C doesn't reach. Raises OSError."""
        flags: dict[str, Any] = {"start_new_session": True} if os.name == "posix" else {"creationflags": 0x200}
        inherited = {key: value for key, value in os.environ.items() if key != TOKEN_VARIABLE}
        pipe = subprocess.PIPE
        environment = {**inherited, **self.environment}
        return subprocess.Popen(
            self.argv, stdin=pipe, stdout=pipe, stderr=pipe, env=environment, cwd=self.folder, **flags
        )


def find_command(words: Sequence[str]) -> Launch:
    """Return how a command line is started in the current folder. Raises click.ClickException."""
    found = shutil.which(words[0])
    if found is None:
        raise RequestError(f"No program {words[0]!r} was found")
    return Launch((os.path.abspath(found), *words[1:]), str(Path.cwd()))


def find_launch(text: str, folders: ExitStack) -> Launch:
    """Return how a bot is started that is named as for `pennant play`.

    Scripts run where they are. What is built, unpacked or downloaded goes to a temporary folder, which is removed with
    `folders`. Raises click.ClickException, MessageError and OSError.
    """
    path = Path(text) if Path(text).exists() else list_samples().get(text)
    if path is not None and path.suffix.lower() != ".zip":
        language, script = find_script(path)
        if language.key == "python":
            return Launch((find_python(script.parent), str(script)), str(script.parent), build_python_environment())
        if language.key == "javascript":
            node = shutil.which("node")
            if node is None:
                raise MachineError(f"{text} needs Node: {language.advice}")
            return Launch((node, str(script)), str(script.parent))
    try:
        return build_launch(text, folders)
    except SandboxError as error:
        raise MachineError(str(error)) from error


def find_script(path: Path) -> tuple[Language, Path]:
    """Return the language of a bot, and its main file. Other files aren't read. Raises BadProgramError and OSError."""
    path = path.resolve()
    if path.is_dir():
        language = find_language(one.name for one in path.iterdir() if one.is_file())
        return language, path / language.entry
    with path.open("rb") as file:
        return find_file_language(path.name, file.read(MAX_LINE_BYTES)), path


def find_python(folder: Path) -> str:
    """Return the Python of the active virtual environment, or of the one in the bot's folder, or this one."""
    active = os.environ.get("VIRTUAL_ENV", "")
    for environment in filter(None, (active, *(str(folder / name) for name in ENVIRONMENT_FOLDERS))):
        for name in ("bin/python", "Scripts/python.exe"):
            if (python := Path(environment, name)).exists():
                return str(python)
    return sys.executable


def build_python_environment() -> dict[str, str]:
    """Return the variables by which a bot in Python finds the kit and the engine, as in the sandbox."""
    paths = filter(None, (find_portable().library, os.environ.get("PYTHONPATH", "")))
    return {"PYTHONPATH": os.pathsep.join(paths), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"}


def build_launch(text: str, folders: ExitStack) -> Launch:
    """Build a bot in a temporary folder. Raises click.ClickException, MessageError, SandboxError and OSError."""
    program = find_bot(text)
    builder = find_builder(program.language)
    if program.language not in builder.languages and not has_sandbox():
        title = LANGUAGES[program.language].title
        own = "Build it yourself, and give its command line: pennant remote --name NAME -- ./PROGRAM"
        raise RequestError(f"{text} is in {title}, which isn't built on this system. {own}")
    built = build_program(program, builder)
    folder = folders.enter_context(tempfile.TemporaryDirectory(prefix="pennant-bot-", ignore_cleanup_errors=True))
    for name, content in built.files.items():
        target = Path(folder, name)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        target.chmod(0o755)
    if program.language == "python":
        script = str(Path(folder, PYTHON_ENTRY))
        return Launch((find_python(Path(folder)), script), folder, build_python_environment())
    run = builder.languages[program.language].run
    memory_mb = psutil.virtual_memory().total >> 21  # half of the machine's, where a runtime wants a bound
    places = {BOT: folder, KIT: "", **map_trees(run.all_trees)}
    argv = tuple(translate_paths(word, places) for word in build_run_command(run, Limits(memory_mb=memory_mb)))
    return Launch(argv, folder, {key: translate_paths(value, places) for key, value in run.environment.items()})


def find_builder(language: str) -> Sandbox:
    """Return what builds programs in a language for this user. Raises SandboxError."""
    if not has_sandbox():
        return find_portable()
    from arena.runner.sandbox.detection import find_unsandboxed  # noqa: PLC0415 - on Linux alone

    return find_unsandboxed((language,))


# A process of the bot. Threads read what it writes, on any system.

GRACE_S = 1.0
"""Time to exit after `end`, as in the sandbox."""
LINES_READ_AHEAD = 64
"""A bot that writes more lines than these waits until they are taken."""
MAX_LOG_LINE = 2000
CUT_LENGTH = 1000


def cut_line(text: str) -> str:
    """Return the beginning of an overlong line. The mark after it keeps what's left from being an answer."""
    return f"{text[:CUT_LENGTH]}…"


@dataclass(frozen=True, slots=True)
class Line:
    """A line that a process has written."""

    process: "LocalProcess"
    text: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The end of a process, or of its output."""

    process: "LocalProcess"
    reason: str


class LocalProcess:
    """A process of the bot for one leg. It puts Line and Ended objects into `inbox`. Raises OSError."""

    def __init__(self, launch: Launch, inbox: "queue.SimpleQueue[Any]", tell: Callable[[str], None]) -> None:
        self.inbox = inbox
        self.tell = tell
        self.child = launch.start()
        self.requests: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.room = threading.Semaphore(LINES_READ_AHEAD)
        self.log_reader = self._start_thread(self._read_log, self.child.stderr)
        self._start_thread(self._read_lines, self.child.stdout)
        self._start_thread(self._write_requests, self.child.stdin)

    def send(self, message: Json) -> None:
        """Write a message, however long the bot takes to read it."""
        self.requests.put(encode(message))

    def close(self, grace_s: float = 0.0) -> None:
        """Close stdin, and end the process and all it started after `grace_s`."""
        self.requests.put(None)
        with suppress(subprocess.TimeoutExpired):
            if grace_s > 0:
                self.child.wait(grace_s)
        kill_tree(self.child)
        self.room.release(LINES_READ_AHEAD)

    def _start_thread(self, work: Callable[[IO[bytes]], None], stream: IO[bytes] | None) -> threading.Thread:
        assert stream is not None
        thread = threading.Thread(target=work, args=(stream,), daemon=True)
        thread.start()
        return thread

    def _read_lines(self, stream: IO[bytes]) -> None:
        with suppress(OSError, ValueError), stream:
            while line := stream.readline(MAX_LINE_BYTES + 1):
                text = line.rstrip(b"\r\n").decode(errors="replace")
                if len(line) > MAX_LINE_BYTES and not line.endswith(b"\n"):
                    text = cut_line(text)
                    while (rest := stream.readline(MAX_LINE_BYTES)) and not rest.endswith(b"\n"):
                        pass
                self.room.acquire()
                self.inbox.put(Line(self, text))
        try:
            code = self.child.wait(GRACE_S)
            self.log_reader.join(GRACE_S)  # what it wrote at last often says why it ended
            reason = f"ended with signal {-code}" if code < 0 else f"ended with exit code {code}"
        except subprocess.TimeoutExpired:
            reason = "closed its output"
        self.inbox.put(Ended(self, reason))

    def _read_log(self, stream: IO[bytes]) -> None:
        with suppress(OSError, ValueError), stream:
            while line := stream.readline(MAX_LOG_LINE):
                self.tell(make_visible(line.decode(errors="replace").rstrip()))

    def _write_requests(self, stream: IO[bytes]) -> None:
        with suppress(OSError, ValueError), stream:
            while (request := self.requests.get()) is not None:
                stream.write(request)
                stream.flush()
