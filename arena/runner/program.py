"""Read and check the files of a bot, and define its limits, its clock and the verdicts on its behaviour."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import inf
from pathlib import Path, PurePosixPath

from arena.runner.languages import LANGUAGES, BadProgramError, find_file_language, find_language, name_source
from engine.message import Message, MessageError, gettext_noop, message

# Read and check the files of a bot.

__all__ = ["BadProgramError", "Program", "choose_level", "read_program"]

MAX_FILES = 256
"""Each file is an open descriptor while its sandbox is being set up."""
MAX_PATH_BYTES = 200
LEFT_OUT_NAMES = ("__pycache__", "__MACOSX", "node_modules", "venv", "Thumbs.db", "desktop.ini")
"""Files and folders that tools and file managers make, and bots don't get; nor do they get names with a dot before."""
PARAMETERS_FILE = "params.json"
"""File at the top with numbers that a bot reads; it is beside the built file, too, where a language is compiled."""
LEVEL_FILE = "level"
"""File that tells the strongest sample its level."""
LADDER_LEVEL = "ladder"
"""The level at which the strongest sample plays on ladders, where it thinks less."""


@dataclass(frozen=True, slots=True)
class Program:
    """The files of a bot, either the source or the result of a build. Raises BadProgramError."""

    name: str
    version: int
    files: Mapping[str, bytes]
    """Content by relative POSIX path. A source has the entry file of its language at the top."""
    language: str = "python"
    """A key of LANGUAGES."""
    level: str = ""
    """The level that the arena chose for it; empty where it plays in full. Records keep it."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """Version of each package that it uses, by name. Records keep it."""
    package_set: str = ""
    """Hash of the set that has them; empty where it uses none."""

    def __post_init__(self) -> None:
        language = LANGUAGES.get(self.language)
        if language is None:
            raise BadProgramError(f"there is no language {self.language!r}")
        if language.entry not in self.files and language.artefact not in self.files:
            raise BadProgramError(f"there is no {language.entry} at the top")
        if len(self.files) > MAX_FILES:
            raise BadProgramError(f"{len(self.files)} files are too many: {MAX_FILES} at most")
        for path in self.files:
            _check_path(path)
        folders = {str(folder) for path in self.files for folder in PurePosixPath(path).parents}
        for path in folders & set(self.files):
            raise BadProgramError(f"{path!r} is a file and a folder at once")


def choose_level(program: Program, level: str) -> Program:
    """Return the program with the file that lets it play at a level."""
    return replace(program, files={**program.files, LEVEL_FILE: level.encode()}, level=level)


def _check_path(path: str) -> None:
    parts = PurePosixPath(path).parts
    if not parts or path != "/".join(parts) or ".." in parts or "\0" in path:
        raise BadProgramError(f"{path!r} is not a plain path inside the bot's folder")
    try:
        length = len(path.encode())
    except UnicodeEncodeError:
        raise BadProgramError(f"{path!r} is not text") from None
    if length > MAX_PATH_BYTES:
        raise BadProgramError(f"{path[:40]!r}… is longer than {MAX_PATH_BYTES} bytes")


def read_program(source: Path, version: int = 1) -> Program:
    """Return the source in a file, or in a folder with a language's entry at its top.

    Raises BadProgramError and OSError.
    """
    if source.is_file():
        content = source.read_bytes()
        language = find_file_language(source.name, content)
        name = source.resolve().parent.name if source.name == language.entry else source.stem
        return Program(name, version, name_source(content, language), language.key)
    if not source.is_dir():
        raise BadProgramError(f"{source} is neither a file nor a folder")
    names = {path: path.relative_to(source).as_posix() for path in sorted(source.rglob("*")) if path.is_file()}
    names = {path: name for path, name in names.items() if not is_left_out(name)}
    if len(names) > MAX_FILES:
        raise BadProgramError(f"{source} holds {len(names)} files: {MAX_FILES} at most")
    try:
        language = find_language(names.values())
    except BadProgramError as fault:
        raise BadProgramError(f"{source}: {fault}") from None
    files = {name: path.read_bytes() for path, name in names.items()}
    return Program(source.resolve().name, version, files, language.key)


def is_left_out(path: str) -> bool:
    """Return whether bots don't get the file with this relative POSIX path: it, or a folder around it, is a tool's."""
    return any(part in LEFT_OUT_NAMES or (part.startswith(".") and part.strip(".")) for part in path.split("/"))


# The limits of a bot in one leg, the clock that measures its answers, and the verdicts on its behaviour.

ELAPSED_FACTOR = 1.5
"""Elapsed time that a leg allows one bot, as a multiple of its start limit and time bank together."""
EXTRA_ELAPSED_MS = 1000.0
"""Elapsed time that a leg allows one bot beyond that multiple."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Time and memory one bot may use in one leg."""

    start_ms: int = 5000
    """Cost limit of the start, up to the answer to `hello`. See `TimeSpent` for costs."""
    move_ms: int = 1000
    """Cost limit of one answer."""
    bank_ms: int = 30000
    """Time bank of the leg: what answers cost beyond the free part of each is taken from it."""
    memory_mb: int = 256

    @property
    def elapsed_ms(self) -> float:
        """Return the elapsed time of a leg for one bot, start included, without delays by this machine.

        A bot that computes needs about its processor time. One that sleeps is ended before it has cost a worker twice
        its start limit and time bank, which is the most that these limits allow.
        """
        return ELAPSED_FACTOR * (self.start_ms + self.bank_ms) + EXTRA_ELAPSED_MS


REMOTE_LIMITS = {
    "open": Limits(start_ms=60_000, move_ms=60_000, bank_ms=600_000, memory_mb=0),
    "slow": Limits(start_ms=120_000, move_ms=120_000, bank_ms=3_600_000, memory_mb=0),
}
"""A remote bot's limits in a leg, by the ladder's clock: real time from sending to receipt; 0 MB means no limit."""
UNCLOCKED_MS = 7 * 24 * 3600 * 1000
"""Time for the start, an answer and all of them where an author plays without a clock."""


def lift_clock(limits: Limits) -> Limits:
    """Return the limits for a bot that may take its time."""
    return replace(limits, start_ms=UNCLOCKED_MS, move_ms=UNCLOCKED_MS, bank_ms=UNCLOCKED_MS)


# Keep the clock of one seat in one leg. The caller measures how long answers take.

FREE_MS_PER_ANSWER = 20.0
"""An answer within this time is free."""
WALL_TIME_FACTOR = 2.0
"""Wall time is charged at one part in this many, if that is more than the CPU time."""


class OutOfTimeError(MessageError):
    """An answer cost more than its hard limit or the rest of the bank, or the bot took too long in all."""


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """The time one answer took, in milliseconds."""

    wall_ms: float
    cpu_ms: float
    """CPU time of all threads of the bot together."""
    late_ms: float = 0.0
    """Part of the wall time in which the machine had no free processor. It is not charged."""

    @property
    def elapsed_ms(self) -> float:
        """Return the wall time without delays of the machine."""
        return self.wall_ms - self.late_ms

    @property
    def cost_ms(self) -> float:
        """Return the cost of the answer: its CPU time, or half its wall time if that is more."""
        return max(self.cpu_ms, self.elapsed_ms / WALL_TIME_FACTOR)

    def describe(self) -> Message:
        """Return the times in whole milliseconds."""
        cpu, wall, late = round(self.cpu_ms), round(self.wall_ms), round(self.late_ms)
        if self.late_ms < 1:
            return message(gettext_noop("%(cpu)s ms of CPU time in %(wall)s ms"), cpu=cpu, wall=wall)
        template = gettext_noop("%(cpu)s ms of CPU time in %(wall)s ms, including %(late)s ms of server delay")
        return message(template, cpu=cpu, wall=wall, late=late)


class RealTime(TimeSpent):
    """The time from sending a message to receiving its answer: a remote bot pays for all of it."""

    __slots__ = ()

    @property
    def cost_ms(self) -> float:
        """Return the cost of the answer: all of the time."""
        return self.elapsed_ms

    def describe(self) -> Message:
        """Return what was measured."""
        return message(gettext_noop("from sending to receipt"))


@dataclass(slots=True)
class Clock:
    """The time one bot has left in a leg."""

    move_ms: float
    bank_ms: float
    """Rest of the leg's time bank."""
    elapsed_left_ms: float = inf
    """Rest of the leg's elapsed time: an answer takes from it what it took beyond the free part."""
    spent_ms: float = 0.0
    """Cost of all answers so far."""
    costs_ms: list[float] = field(default_factory=list)
    """Cost of each of them."""
    answers: int = 0
    elapsed_ms: float = 0.0
    """Elapsed time of the start and all answers so far."""
    waited_ms: float = 0.0
    """The part of it in which the bot used no processor."""

    @property
    def allowance_ms(self) -> float:
        """Return how much the next answer may cost."""
        return min(self.move_ms, FREE_MS_PER_ANSWER + self.bank_ms)

    def charge(self, spent: TimeSpent) -> None:
        """Charge one answer. Raises OutOfTimeError if it was not in time; the bank is charged anyway."""
        took = spent.cost_ms
        self.spent_ms += took
        self.costs_ms.append(round(took, 3))
        self.answers += 1
        cost = max(0.0, took - FREE_MS_PER_ANSWER)
        self.count_elapsed(spent, FREE_MS_PER_ANSWER)
        empty = cost > 0 and cost >= self.bank_ms
        self.bank_ms = max(0.0, self.bank_ms - cost)
        if took > self.move_ms:
            template = gettext_noop("the answer cost %(took)s ms (%(spent)s); the limit is %(limit)s ms")
            raise OutOfTimeError(message(template, took=round(took), spent=spent.describe(), limit=round(self.move_ms)))
        if empty:
            template = gettext_noop("the answer cost %(took)s ms (%(spent)s), which used up this leg's time bank")
            raise OutOfTimeError(message(template, took=round(took), spent=spent.describe()))
        if self.elapsed_left_ms <= 0:
            raise OutOfTimeError(message(gettext_noop("the bot used up this leg's elapsed time, mostly by waiting")))

    def count_elapsed(self, spent: TimeSpent, free_ms: float = 0.0) -> None:
        """Count the elapsed time of the start or of an answer."""
        self.elapsed_left_ms -= max(0.0, spent.elapsed_ms - free_ms)
        self.elapsed_ms += spent.elapsed_ms
        self.waited_ms += max(0.0, spent.elapsed_ms - spent.cpu_ms)


# Define the verdicts on a participant's behaviour in a leg, which are separate from its score.


class Verdict(StrEnum):
    """The runner's judgement of a participant in a leg: `ok`, or the kind of its fault."""

    OK = "ok"
    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    TIMEOUT = "timeout"
    CRASH = "crash"
    MEMORY = "memory"
    OUTPUT = "output"
    START = "start"


FAULT_NAMES: dict[Verdict, Message] = {
    Verdict.ILLEGAL: message(gettext_noop("Illegal action")),
    Verdict.MALFORMED: message(gettext_noop("Invalid answer")),
    Verdict.TIMEOUT: message(gettext_noop("Timeout")),
    Verdict.CRASH: message(gettext_noop("Crash")),
    Verdict.MEMORY: message(gettext_noop("Out of memory")),
    Verdict.OUTPUT: message(gettext_noop("Too much output")),
    Verdict.START: message(gettext_noop("Failed to start")),
}
"""Names of the faults, as they begin a sentence: "Crash in leg 1 of its trial."."""
