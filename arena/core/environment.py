"""Read settings from the environment, and refuse a wrong one with a line that says what it may be.

What there is to set stands in `arena/core/environment_table.py`.
"""

import difflib
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from email.utils import parseaddr
from enum import StrEnum
from ipaddress import IPv6Address, ip_network
from pathlib import Path
from typing import Generic, NoReturn, TypeVar
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import environ

from engine.packages import BadGamePackage, GamePackage, list_packages

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
PREFIX = "PENNANT_"
ON = frozenset({"on", "true", "yes", "y", "ok", "1"})
OFF = frozenset({"off", "false", "no", "n", "0", ""})
PASSWORD = re.compile(r"(://[^:/@]*):[^@]*@")
HOST = re.compile(r"\*|\.?[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?")
OTHER_PROGRAMS = frozenset({"PENNANT_URL", "PENNANT_TOKEN"})
"""Variables of the `pennant` command."""


class Kind(ABC, Generic[T_co]):
    """What a setting may be."""

    expected: str
    """What stands after "it may only be"."""

    @abstractmethod
    def parse(self, text: str) -> T_co:
        """Return the value of this text. Raises ValueError."""


class Text(Kind[str]):
    """Any text."""

    expected = "a text"

    def parse(self, text: str) -> str:
        """Return the text as it is."""
        return text


class Texts(Kind[list[str]]):
    """Any texts, separated by commas."""

    expected = "texts, separated by commas"

    def parse(self, text: str) -> list[str]:
        """Return the texts that aren't empty."""
        return [part for part in text.split(",") if part]


class Number(Kind[int]):
    """A whole number between two bounds, both included."""

    def __init__(self, minimum: int, maximum: int) -> None:
        self.minimum, self.maximum = minimum, maximum
        self.expected = f"a whole number from {minimum} to {maximum}"

    def parse(self, text: str) -> int:
        """Return the number. Raises ValueError where it is none, or out of bounds."""
        number = int(text)
        if not self.minimum <= number <= self.maximum:
            raise ValueError(number)
        return number


COUNT = Number(0, 1_000_000_000)
"""A number of things, without a bound of its own."""


class Switch(Kind[bool]):
    """On or off; nothing at all is off."""

    expected = "on or off"

    def parse(self, text: str) -> bool:
        """Return whether it is on. Raises ValueError where it is neither."""
        word = text.lower()
        if word not in ON | OFF:
            raise ValueError(text)
        return word in ON


class Choice(Kind[str]):
    """One of a few words."""

    def __init__(self, choices: Collection[str]) -> None:
        self.choices = tuple(choices)
        self.expected = f"one of: {', '.join(self.choices)}"

    def parse(self, text: str) -> str:
        """Return the word. Raises ValueError where it is another one."""
        if text not in self.choices:
            raise ValueError(text)
        return text


class Hosts(Texts):
    """Names of hosts, as ALLOWED_HOSTS wants them."""

    expected = "names of hosts without scheme and port, separated by commas, such as arena.example.org,.localhost,[::1]"

    def parse(self, text: str) -> list[str]:
        """Return the names. Raises ValueError where one has more than a name or an address."""
        hosts = _split(text)
        for host in hosts:
            if host.startswith("[") and host.endswith("]"):
                IPv6Address(host[1:-1])
            elif not HOST.fullmatch(host):
                raise ValueError(host)
        return hosts


class Origins(Texts):
    """Origins of requests: schemes with hosts."""

    expected = "origins with their scheme and without a path, separated by commas, such as https://arena.example.org"

    def parse(self, text: str) -> list[str]:
        """Return the origins. Raises ValueError where one has no scheme or more than a host."""
        origins = _split(text)
        for origin in origins:
            parts = urlsplit(origin)
            if (
                parts.scheme not in ("http", "https")
                or not parts.netloc
                or origin != f"{parts.scheme}://{parts.netloc}"
            ):
                raise ValueError(origin)
            _check_port(origin)
        return origins


class Networks(Texts):
    """Networks of IP addresses."""

    expected = "networks, separated by commas, such as 192.168.7.0/24,fd00::/8"

    def parse(self, text: str) -> list[str]:
        """Return the networks. Raises ValueError where one has bits of a host, or is none."""
        networks = _split(text)
        for network in networks:
            ip_network(network)
        return networks


class Url(Kind[str]):
    """An address with one of a few schemes, or nothing."""

    def __init__(self, schemes: Collection[str], example: str) -> None:
        self.schemes = frozenset(schemes)
        self.expected = f"an address such as {example} (schemes: {', '.join(sorted(self.schemes))})"

    def parse(self, text: str) -> str:
        """Return the address. Raises ValueError where its scheme or its port can't be used."""
        if text and ("://" not in text or urlsplit(text).scheme not in self.schemes):
            raise ValueError(text)
        _check_port(text)
        return text


class SentryDsn(Kind[str]):
    """An address to which a server of Sentry's protocol wants failures to be sent, or nothing."""

    expected = "the DSN of a project, such as https://key@sentry.example.org/1"

    def parse(self, text: str) -> str:
        """Return the DSN. Raises ValueError where the key, the host or the number of the project is missing."""
        parts = urlsplit(text)
        project = parts.path.rpartition("/")[2]
        is_whole = parts.scheme in ("http", "https") and parts.username and parts.hostname and project.isdecimal()
        if text and not is_whole:
            raise ValueError(text)
        _check_port(text)
        return text


class TimeZone(Kind[str]):
    """A time zone of the IANA database."""

    expected = "the name of a time zone, such as UTC or Europe/Budapest"

    def parse(self, text: str) -> str:
        """Return the name. Raises ValueError where there is no such zone."""
        try:
            return ZoneInfo(text).key
        except (KeyError, OSError) as unknown:
            raise ValueError(text) from unknown


class MailAddress(Kind[str]):
    """An address of e-mail, perhaps with a name before it."""

    expected = "an e-mail address, such as pennant@localhost or Pennant <pennant@example.org>"

    def parse(self, text: str) -> str:
        """Return the address with its name. Raises ValueError where there is none."""
        if "@" not in parseaddr(text)[1] or "\n" in text:
            raise ValueError(text)
        return text


class Folder(Kind[Path]):
    """A folder, which need not exist."""

    expected = "a folder, or the path of a new one"

    def parse(self, text: str) -> Path:
        """Return the whole path. Raises ValueError where something else is there."""
        path = Path(text).resolve()
        nearest = next(place for place in (path, *path.parents) if place.exists())
        if not text or not nearest.is_dir():
            raise ValueError(text)
        return path


class Games(Kind[tuple[GamePackage, ...]]):
    """Games from outside the tree."""

    expected = "packages with games or their folders, separated by commas"

    def parse(self, text: str) -> tuple[GamePackage, ...]:
        """Return the packages. Raises BadGamePackage."""
        return list_packages(text)


@dataclass(frozen=True, slots=True)
class Setting:
    """A variable of the environment."""

    name: str
    kind: Kind[object]
    help: str
    """Whole sentences, as `.env.example` shows them."""
    default: str | None = ""
    """As it would be written; None where the settings choose one by what else is set."""
    example: str = ""
    """What `.env.example` shows in place of the default."""
    is_secret: bool = False
    """Whether the value is never shown. A password in an address never is."""
    begins_group: bool = False
    """Whether an empty line stands before it in `.env.example`."""

    def show(self, value: str) -> str:
        """Return a value as an error may show it."""
        return "secret" if self.is_secret else repr(PASSWORD.sub(r"\1:***@", value))


class Environment:
    """The variables of a table, as the environment sets them. What is wrong ends the process with one line."""

    def __init__(self, table: Iterable[Setting]) -> None:
        self.table = {setting.name: setting for setting in table}
        self.source = environ.Env()

    def read_file(self, path: Path) -> None:
        """Add the variables of a file. Those that are set already stay."""
        self.source.read_env(path)

    def has(self, name: str) -> bool:
        """Return whether a variable is set to more than nothing."""
        return self._read_text(self.table[name]) != ""

    def text(self, name: str) -> str:
        """Return a text, which may be empty."""
        return self._read(name, Text)

    def texts(self, name: str) -> list[str]:
        """Return a list of texts, hosts, origins or networks."""
        return self._read(name, Texts)

    def number(self, name: str) -> int:
        """Return a whole number."""
        return self._read(name, Number)

    def switch(self, name: str) -> bool:
        """Return whether something is on."""
        return self._read(name, Switch)

    def choice(self, name: str) -> str:
        """Return one of a few words."""
        return self._read(name, Choice)

    def url(self, name: str) -> str:
        """Return an address, or nothing."""
        return self._read(name, Url)

    def sentry_dsn(self, name: str) -> str:
        """Return an address for failures, or nothing."""
        return self._read(name, SentryDsn)

    def time_zone(self, name: str) -> str:
        """Return the name of a time zone."""
        return self._read(name, TimeZone)

    def mail_address(self, name: str) -> str:
        """Return an address of e-mail."""
        return self._read(name, MailAddress)

    def folder(self, name: str) -> Path:
        """Return the whole path of a folder."""
        return self._read(name, Folder)

    def games(self, name: str) -> tuple[GamePackage, ...]:
        """Return games from outside the tree."""
        return self._read(name, Games)

    def refuse(self, name: str) -> NoReturn:
        """End the process with a line that says what a variable is, and what it may be."""
        setting = self.table[name]
        value = setting.show(self._read_text(setting))
        raise SystemExit(f"{name} is {value}, but it may only be {setting.kind.expected}.")

    def list_warnings(self, variables: Iterable[str]) -> list[str]:
        """Return a line for each variable that begins as ours do and is not one of them."""
        known = sorted({name for name in self.table if name.startswith(PREFIX)} | OTHER_PROGRAMS)
        lines = []
        for name in sorted(variables):
            if name.startswith(PREFIX) and name not in known:
                closest = difflib.get_close_matches(name, known, n=1, cutoff=0)
                lines.append(f"The variable {name} is set, but there is no such setting. Is {closest[0]} meant?")
        return lines

    def _read(self, name: str, kind: type[Kind[T]]) -> T:
        setting = self.table[name]
        assert isinstance(setting.kind, kind)
        try:
            return setting.kind.parse(self._read_text(setting))
        except BadGamePackage as error:
            raise SystemExit(str(error)) from None
        except (ValueError, OSError):
            self.refuse(name)

    def _read_text(self, setting: Setting) -> str:
        text: str = self.source.str(setting.name, default=setting.default or "")
        return text


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _check_port(address: str) -> None:
    """Raise ValueError where an address has a port that is none."""
    urlsplit(address).port  # noqa: B018 - it is read where it is asked for


# The settings from the environment that limit what one owner, or one person, may ask of the arena.

LIMIT_SETTINGS = (
    Setting("PENNANT_BOTS_PER_OWNER", COUNT, "Maximum number of bots of one owner.", default="20", begins_group=True),
    Setting(
        "PENNANT_VERSIONS_PER_DAY",
        COUNT,
        "Maximum number of versions that one owner uploads in 24 hours, over all bots (0: uploads are closed).",
        default="50",
    ),
    Setting(
        "PENNANT_MEGABYTES_PER_OWNER",
        COUNT,
        "Maximum size of all versions of one owner: sources and builds, compressed.",
        default="200",
    ),
    Setting(
        "PENNANT_COMPARISONS_PER_DAY",
        COUNT,
        "Maximum number of comparisons that one author starts in 24 hours; each has up to 10,000 legs at the lowest "
        "priority.",
        default="5",
    ),
    Setting(
        "PENNANT_COMPARISON_WAITING",
        COUNT,
        "Maximum number of pairs of matches of each comparison that wait or run at a time.",
        default="4",
    ),
    Setting(
        "PENNANT_CHALLENGES_PER_DAY",
        COUNT,
        "Maximum number of challenges (unrated matches against other bots) of one author in 24 hours.",
        default="20",
    ),
    Setting(
        "PENNANT_LIVE_WORKER",
        Switch(),
        "Whether `up` starts a worker for what people wait for: live games, hints, uploads, tournaments. Without it, "
        "which saves some 90 MB of memory, all of it may have to wait for the end of a match.",
        default="on",
    ),
    Setting(
        "PENNANT_GUESTS_PLAY",
        Switch(),
        "Whether people without an account may play live games against bots.",
        default="on",
    ),
    Setting(
        "PENNANT_LIVE_GAMES_PER_PERSON",
        COUNT,
        "Maximum number of live games of one person that are not over.",
        default="10",
    ),
    Setting(
        "PENNANT_LIVE_GAMES_PER_ADDRESS",
        COUNT,
        "Maximum number of live games from one network address that are not over; a class shares one.",
        default="100",
    ),
    Setting(
        "PENNANT_LIVE_CPU_S_PER_ADDRESS",
        COUNT,
        "Processor seconds that bots may use in 24 hours in live games started from one network address.",
        default="7200",
    ),
    Setting(
        "PENNANT_ANALYSIS_SHARE",
        Number(0, 100),
        "Percent of the time of all worker processes that analyses of matches may take while matches wait; a leg takes "
        "some seconds (0: no analyses are made).",
        default="25",
    ),
    Setting(
        "PENNANT_ANALYSES_PER_DAY",
        COUNT,
        "Maximum number of legs whose analysis one user requests in 24 hours.",
        default="20",
    ),
    Setting(
        "PENNANT_ANALYSED_TOP_MATCHES",
        COUNT,
        "Number of matches of each ladder that are analysed in 24 hours without a request: those of the best bots.",
        default="2",
    ),
    Setting(
        "PENNANT_MARSHAL_ON_LADDERS",
        Switch(),
        "Whether the strongest sample bot enters new ladders. A match of it takes more than a second of a processor.",
        default="on",
    ),
    Setting(
        "PENNANT_RECORDED_GAMES",
        Switch(),
        "Whether the front page and /watch/ show recorded games between sample bots until the arena's own matches are "
        "better.",
        default="on",
    ),
    Setting(
        "PENNANT_SHOWN_TOURNAMENTS",
        Switch(),
        "Whether a new site started by `up` plays two demo tournaments with its sample bots.",
        default="on",
    ),
)


# Who may make an account: the values of the setting PENNANT_SIGNUP. The settings import this, so it is plain.


class SignUpMode(StrEnum):
    """Who may make an account."""

    OPEN = "open"
    """Everybody."""
    INVITATION = "invitation"
    """Those whom staff sent a link."""
    APPROVAL = "approval"
    """Everybody, and staff lets each one in."""
    CLOSED = "closed"
    """Nobody but staff, in the admin."""


# Find out how many processes of a worker the cores and the memory of this machine or container allow.

MIB = 1 << 20
WORKER_MB = 1024
"""Memory of a worker besides its processes: the main process, and the files that bots see, which lie in memory."""
PROCESS_MB = 1280
"""Memory of a process: up to four bots of 256 MB at once, its runner, and the process itself."""
CGROUPS = Path("/sys/fs/cgroup")


def count_worker_processes() -> int:
    """Return one process for each core this process may use, but no more than memory allows, and at least one."""
    for_processes_mb = find_memory_limit() // MIB - WORKER_MB
    return max(1, min(len(os.sched_getaffinity(0)), for_processes_mb // PROCESS_MB))


def find_memory_limit(own_groups: Path = Path("/proc/self/cgroup"), root: Path = CGROUPS) -> int:
    """Return the bytes of memory that this process may use: those of the machine, or the limit of a control group."""
    limits = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    for file in _list_limit_files(own_groups, root):
        try:
            limits.append(int(file.read_text()))
        except (OSError, ValueError):  # there is no such group, or its limit is "max"
            continue
    return min(limits)


def _list_limit_files(own_groups: Path, root: Path) -> Iterator[Path]:
    """Yield where the limits of this process's groups may be, see cgroups(7): version 2 names no controllers.

    A container may see its own group as the root, while the names are those outside of it.
    """
    try:
        lines = own_groups.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "memory" not in controllers.split(","):
            continue
        top, name = (root / "memory", "memory.limit_in_bytes") if controllers else (root, "memory.max")
        group = top / path.lstrip("/")
        yield from (folder / name for folder in (group, *group.parents) if folder.is_relative_to(top))
