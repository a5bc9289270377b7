"""What every sandbox provides, what can go wrong in one, and the levels of protection."""

import contextlib
import re
import signal
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from arena.runner.languages import Run, Toolchain, Tree
from arena.runner.program import Limits, Program
from arena.runner.protocol import make_visible, quote_line
from engine.message import Message, MessageError, gettext_noop, message

# Define what every sandbox provides, and what can go wrong with a bot in one.


class SandboxError(Exception):
    """The arena failed, not the bot: there is no verdict, and the match is played again."""


class NoSandboxError(MessageError):
    """No sandbox works on this machine. The message says what to install or to allow."""


class BotError(MessageError):
    """A bot did not answer with a line. The message is for its author.

    `sent` is the unfinished or unwanted output, and `stderr` the last line of its log, which only its author may see.
    """

    def __init__(self, message: Message, sent: bytes = b"", stderr: str = "") -> None:
        super().__init__(message)
        self.sent = sent
        self.stderr = stderr


class BotTimeoutError(BotError):
    """The bot wrote no complete line in time."""


class BotExitedError(BotError):
    """The process ended or closed its pipes."""


class BotOutOfMemoryError(BotError):
    """The process ended because of its memory limit."""


class BotOverflowError(BotError):
    """The bot wrote more than is allowed."""


class UnexpectedOutputError(BotError):
    """The bot wrote without being asked."""


class BuildError(MessageError):
    """The program could not be built, by its author's fault. `log` is the compiler's output."""

    def __init__(self, message: Message, log: str = "") -> None:
        super().__init__(message)
        self.log = log


# Say what went wrong with a bot: how its process ended, and what it didn't do in time.

MAX_LOG_BYTES = 1024 * 1024
"""Limit of stderr in one leg."""
MAX_LOG_KEPT_BYTES = 64 * 1024
TIMEOUT_TEMPLATES = {
    "read": (
        gettext_noop("the bot didn't read the request within %(ms)s ms"),
        gettext_noop("the bot didn't read the request within %(ms)s ms of CPU time"),
    ),
    "answer": (
        gettext_noop(
            "no complete line within %(ms)s ms (waiting counts half; the limit is %(limit)s ms). End each "
            "answer with a newline and flush it, in Python with print(…, flush=True)"
        ),
        gettext_noop("no complete line within %(ms)s ms of CPU time"),
    ),
}
"""Templates for too much wall time and for too much CPU time, by what was awaited."""

LAST_LINE_OUT_OF_MEMORY = re.compile(rb"MemoryError\b|.*(bad_alloc|[Oo]ut of memory|Cannot allocate memory)")
"""Last lines of Python, C++ and of bots that report failed allocations."""
OUT_OF_MEMORY = re.compile(
    rb"^(fatal error: runtime: (out of|cannot allocate) memory|runtime: out of memory"
    rb"|memory allocation of \d+ bytes failed|FATAL ERROR: .*heap out of memory"
    rb"|.*java\.lang\.OutOfMemoryError)",
    re.MULTILINE,
)
"""Messages of Go, Rust, Node and Java, which a trace may follow."""
CAUSE = re.compile(
    rb"^(?:Exception in thread |Caused by: |panic: |thread '.*panicked at .*\n|(?:\w+\.)*\w*(?:Error|Exception)\b).*$",
    re.MULTILINE,
)
"""The line that says why a program ended: traces of Python precede it, those of Go, Java, Node and Rust follow it."""
REFUSAL = re.compile(rb"\b(EPERM|EROFS)\b|([Oo]peration not permitted|[Rr]ead-only file system)|A bot is one process")
"""The error of what a sandbox refuses, in the words of all languages and of our start of Python."""
MAX_REFUSAL_BYTES = 4096
"""Where a log may say so: at its end, with a trace after it."""
NEEDS_NETWORK = re.compile(r"name resolution|getaddrinfo|EAI_AGAIN|network is unreachable|UnknownHost", re.IGNORECASE)
MAX_STDERR_QUOTED = 200
"""Length to which a line of a log is cut for a fault."""


@dataclass(frozen=True, slots=True)
class ProcessExit:
    """How a process ended: by a signal, or with an exit code."""

    code: int
    signal: str
    """Name of the signal, such as "SIGKILL"; empty if the process exited by itself."""

    def describe(self, exited: str, killed: str) -> Message:
        """Return a message of the template for an exit, with `code`, or that for a signal, with `signal`."""
        return message(killed, signal=self.signal) if self.signal else message(exited, code=self.code)

    def __str__(self) -> str:
        return f"was killed by {self.signal}" if self.signal else f"exited with code {self.code}"


def read_exit(code: int) -> ProcessExit:
    """Return the meaning of an exit code. Negative ones, and those above 128 as in shells, are signals."""
    number = -code if code < 0 else code - 128
    with contextlib.suppress(ValueError):
        return ProcessExit(code, signal.Signals(number).name if number > 0 else "")
    return ProcessExit(code, "")


def describe_exit(ending: ProcessExit, log: bytes, unfinished: bytes) -> BotExitedError | BotOutOfMemoryError:
    """Return the fault of a bot whose process ended, given its log and its output since the last whole line."""
    last = log.rstrip().rsplit(b"\n", 1)[-1]
    stderr = _quote_log(last)
    if LAST_LINE_OUT_OF_MEMORY.match(last) or OUT_OF_MEMORY.search(log):
        exited = ending.describe(
            gettext_noop("the bot ran out of memory and exited with code %(code)s"),
            gettext_noop("the bot ran out of memory and was killed by %(signal)s"),
        )
        return BotOutOfMemoryError(exited, unfinished, stderr)
    exited = ending.describe(
        gettext_noop("the bot exited with code %(code)s"), gettext_noop("the bot was killed by %(signal)s")
    )
    if unfinished:
        exited = message(gettext_noop("%(ending)s; its last line had no newline"), ending=exited)
    causes = CAUSE.findall(log)
    cause = _quote_log(causes[-1]) if causes else ""
    if cause:
        exited = message(gettext_noop("%(ending)s: %(line)s"), ending=exited, line=cause)
    if ending.code and REFUSAL.search(log[-MAX_REFUSAL_BYTES:]):
        template = gettext_noop(
            "%(ending)s. The sandbox had blocked something: a bot is one process and can't write files, "
            "start programs, or use pipes or the network. Use threads, or load a library from its folder"
        )
        exited = message(template, ending=exited)
    elif not unfinished and (advice := _advise_on_exit(ending, cause)) is not None:
        exited = message(gettext_noop("%(problem)s. %(advice)s"), problem=exited, advice=advice)
    return BotExitedError(exited, unfinished, stderr)


def _quote_log(line: bytes) -> str:
    return make_visible(line[:MAX_STDERR_QUOTED].decode(errors="replace")).replace("\n", " ")


def _advise_on_exit(ending: ProcessExit, cause: str) -> Message | None:
    """Return the way out of what often ends bots, or None."""
    if NEEDS_NETWORK.search(cause):
        return message(gettext_noop("Bots have no network access; put everything your bot needs into its folder"))
    if cause.startswith(("ModuleNotFoundError", "SyntaxError")):
        template = gettext_noop(
            "Bots run on Python %(version)s with the standard library, pennant_kit, engine and the arena's packages; "
            "newer syntax doesn't work. Other packages can be in the bot's folder"
        )
        return message(template, version=f"{sys.version_info[0]}.{sys.version_info[1]}")
    if ending.signal in ("SIGSEGV", "SIGBUS") or cause.startswith("RecursionError"):
        return message(gettext_noop("Very deep recursion can cause this; use a loop or limit the depth"))
    if not ending.code and not cause:
        return message(gettext_noop("It ended without an error; call run(), or read requests until the input ends"))
    return None


def describe_unasked(output: bytes) -> UnexpectedOutputError:
    """Return the fault of a bot that wrote before it was asked."""
    template = gettext_noop(
        "the bot wrote %(line)s to stdout without being asked; answer each request with one line, and print "
        "debug output to stderr"
    )
    return UnexpectedOutputError(message(template, line=quote_line(output.rstrip())), output)


class BotProcess(Protocol):
    """One bot in one leg. It is stopped between each answer and the next request."""

    wall_s: float
    """Seconds from the first byte of the last request to the newline of its answer."""
    cpu_s: float
    """CPU seconds of all threads since the previous answer; 0 if they can't be read."""
    late_s: float
    """The part of `wall_s` in which the bot or the arena was ready to run but had no processor."""

    @property
    def pid(self) -> int | None:
        """Return the id of the bot's process once it has answered; None before that, or if it is unknown."""

    def ask(self, line: bytes, allowance_s: float) -> bytes:
        """Write a request and return the next line without its newline. Raises BotError.

        The bot may use `allowance_s` of CPU, and WALL_TIME_FACTOR times as much elapsed time without delays of the
        machine. Raises BotTimeoutError beyond either.
        """

    def dismiss(self, line: bytes | None) -> None:
        """Write a last message and close stdin. Never raises BotError."""

    def close(self, grace_s: float = 0.0) -> None:
        """Wait up to `grace_s` for the bot to exit, then kill all its processes."""

    def stderr(self) -> str:
        """Return the last 64 KiB of its log, which is complete after `close`."""


class Sandbox(Protocol):
    """A way to run bots."""

    @property
    def name(self) -> str:
        """Return the name of this kind of sandbox."""

    @property
    def level(self) -> str:
        """Return the level of protection: a key of LEVELS, or "bare"."""

    @property
    def languages(self) -> Mapping[str, Toolchain]:
        """Return the languages that work in this sandbox, by key."""

    def start(self, program: Program, limits: Limits) -> BotProcess:
        """Start the program in a fresh process. Raises SandboxError.

        The calling thread must outlive the bot: the kernel kills a bot with the thread that started it.
        """

    def build(self, program: Program) -> tuple[Program, str]:
        """Return the program as it is run, and the compiler's log.

        The program is the same where its language needs no building. Raises BuildError and SandboxError.
        """

    def fill_warm_pool(self, language: str, limits: Limits, count: int, packages: Collection[str] = ()) -> None:
        """Start processes until `count` of this language wait in the warm pool, if the sandbox has one.

        They import these packages, for bots that name them.
        """

    def close(self) -> None:
        """End the processes of the warm pool."""


# Build the command and the paths of a program as a sandbox runs it.

ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
"""Environment of all programs, without what the language adds."""
SYSTEM_FOLDERS = tuple(top + folder for top in ("/usr/", "/") for folder in ("bin", "lib", "lib64", "lib32"))
"""Folders that all programs may read, if they exist."""
MEMORY_PLACEHOLDER = "{memory_mb}"


def build_run_command(run: Run, limits: Limits) -> list[str]:
    """Return the command of a program, with the memory limit where its runtime needs it."""
    return [word.replace(MEMORY_PLACEHOLDER, str(limits.memory_mb)) for word in run.argv]


def check_language(languages: Mapping[str, object], key: str) -> None:
    """Check that a language runs here. Raises SandboxError."""
    if key not in languages:
        raise SandboxError(f"programs in {key} can't be run on this machine")


def check_packages(languages: Mapping[str, Toolchain], program: Program) -> None:
    """Check that the set with the packages of a program is here. Raises SandboxError."""
    found = languages[program.language].packages
    if program.package_set and (found is None or found.hash != program.package_set):
        raise SandboxError(f"the packages of {program.name} (set {program.package_set}) are not on this machine")


def translate_paths(text: str, places: Mapping[str, str]) -> str:
    """Return a text with the folders that a bot sees replaced by those of this machine.

    `places` are the folders of this machine by those that a bot of level A sees.
    """
    if not places:
        return text
    names = "|".join(re.escape(inside) for inside in sorted(places, key=len, reverse=True))
    return re.sub(rf"(?<![\w./-])({names})(?![\w.-])", lambda found: places[found[0]], text)


def map_trees(trees: Sequence[Tree]) -> dict[str, str]:
    """Return the folders of trees on this machine, by the paths that a bot sees."""
    return {tree.inside: tree.host for tree in trees}


# Define the levels of protection and the report on a machine's sandbox.

LEVELS = {
    "A": gettext_noop(
        "Sealed: each bot sees an empty machine of its own, with no network, no other processes and nowhere to write."
    ),
    "C": gettext_noop(
        "Restricted: each bot runs as its own user and can read only what it needs to run, but it can tell "
        "which files exist here."
    ),
    "D": gettext_noop("Restricted, but as the same user as the arena: only for the machine operators' own bots."),
}
"""Description of each level, the best first, to be translated where it is shown."""
LEVELS_FOR_ALL_AUTHORS = frozenset({"A", "C"})
"""Levels at which bots of all authors are played."""


@dataclass(frozen=True, slots=True)
class Layer:
    """One protection of a level, and whether it held when a bot tested it."""

    name: str
    """English name, to be translated where it is shown."""
    holds: bool
    what: Message
    """What was tested, and with what result: a sentence without its full stop."""
    is_needed: bool = True
    """Whether the level depends on it."""


PACKAGES_LAYER = gettext_noop("packages of bots")
"""The layer that says which packages bots in Python can use, and what they take of a machine's memory."""


class LanguageStatus(NamedTuple):
    """A language, and whether it works on this machine."""

    key: str
    title: str
    version: str | None
    """None if the language doesn't work here."""
    advice: Message | None
    """What to install; None if the language works."""


def message_to_json(message: Message | None) -> Any:
    """Return the message as JSON, or None."""
    return message and message.to_json()


@dataclass(frozen=True, slots=True)
class Report:
    """The result of the last examination of this machine."""

    level: str | None
    """The best level that passed its tests; None if bots can't be run."""
    sandbox: str
    """Name of the sandbox of that level; empty if there is none."""
    layers: tuple[Layer, ...]
    """Layers of the sandbox in use, or of the best one tested if none works. Those of the level hold if there is one;
    informational layers may fail without consequence."""
    languages: tuple[LanguageStatus, ...]
    hint: Message | None
    """What to install or to allow for the best level; None at the best."""
    took_ms: float
    """Duration of the self-test, without compiling a program in each language."""
    keeps_legs_apart: bool = False
    """Whether nothing is known by which a bot could tell a later leg what it saw."""
    is_engine_compiled: bool = False
    """Whether the rules are played by the compiled engine."""
    packages: Mapping[str, Any] | None = None
    """The set of packages for bots in Python as `PackageSet.as_json` gives it, with `works`; None if there is none."""

    def as_json(self, write: Callable[[Message | None], Any] = message_to_json) -> dict[str, Any]:
        """Return the report as dictionaries and lists, with messages as `write` returns them."""
        return {
            "level": self.level,
            "sandbox": self.sandbox,
            "layers": [
                {"name": layer.name, "holds": layer.holds, "what": write(layer.what), "is_needed": layer.is_needed}
                for layer in self.layers
            ],
            "languages": [language._asdict() | {"advice": write(language.advice)} for language in self.languages],
            "hint": write(self.hint),
            "took_ms": self.took_ms,
            "keeps_legs_apart": self.keeps_legs_apart,
            "is_engine_compiled": self.is_engine_compiled,
            "packages": self.packages and dict(self.packages),
        }


# Advise the person who set this machine up what bubblewrap is missing.

CONTAINER_MARKER = Path("/.dockerenv")


def advise_on_bwrap(*, is_installed: bool) -> Message:
    """Return what to install or to allow, on a machine where no sandbox of bubblewrap passed its test."""
    if not is_installed:
        return message(gettext_noop("Bubblewrap not found. Install it (`apt install bubblewrap`)."))
    if _read_setting("/proc/sys/user/max_user_namespaces") == "0":
        return message(gettext_noop("User namespaces are disabled. Set user.max_user_namespaces to 10000 with sysctl."))
    if _read_setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1":
        return message(
            gettext_noop(
                "AppArmor doesn't let programs create user namespaces. Install bubblewrap and its AppArmor "
                "profile (`apt install bubblewrap apparmor-profiles`, then load bwrap-userns-restrict)."
            )
        )
    if _read_setting("/proc/sys/kernel/unprivileged_userns_clone") == "0":
        return message(
            gettext_noop("Only root can create user namespaces. Set kernel.unprivileged_userns_clone to 1 with sysctl.")
        )
    if CONTAINER_MARKER.exists():
        return message(
            gettext_noop(
                "The container can't create user namespaces. Start it with the seccomp profile "
                ".docker/worker-seccomp.json, as docker-compose.yml does."
            )
        )
    return message(gettext_noop("Allow user namespaces, or install bubblewrap (`apt install bubblewrap`)."))


def _read_setting(path: str) -> str | None:
    try:
        return Path(path).read_text().strip()
    except OSError:
        return None
