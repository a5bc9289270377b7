"""Read settings from the environment, and refuse a wrong one with a line that says what it may be.

What there is to set stands in `arena/core/environment_table.py`.
"""

import difflib
import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from email.utils import parseaddr
from enum import StrEnum
from ipaddress import IPv6Address, ip_network
from pathlib import Path
from typing import Any, Generic, Self, TypeVar, overload
from urllib.parse import SplitResult, urlsplit
from zoneinfo import ZoneInfo

import environ

from engine.packages import BadGamePackage, list_packages

T = TypeVar("T")
PREFIX = "PENNANT_"
ON = frozenset({"on", "true", "yes", "y", "ok", "1"})
OFF = frozenset({"off", "false", "no", "n", "0", ""})
PASSWORD = re.compile(r"(://[^:/@]*):[^@]*@")
HOST = re.compile(r"\*|\.?[A-Za-z0-9_]([A-Za-z0-9_.-]*[A-Za-z0-9_])?\.?")
_CONTACT = re.compile(r"https://\S+|(mailto:)?[^\s:@]+@[^\s:@]+")
PLAIN_MAIL = "smtp+plain"
SUBMISSION_PORT = 587
MAIL_SCHEMES = (*environ.Env.EMAIL_SCHEMES, PLAIN_MAIL)
OTHER_PROGRAMS = frozenset({"PENNANT_URL", "PENNANT_TOKEN"})
"""Variables of the `pennant` command."""


@dataclass(frozen=True, slots=True)
class Kind(Generic[T]):
    """What a setting may be."""

    expected: str
    """What stands after "it may only be"."""
    parse: Callable[[str], T]
    """Return the value of a text. Raise ValueError, KeyError, OSError or BadGamePackage."""


class Setting(Generic[T]):
    """A variable of the environment: an attribute of a class that has its name, and of an instance its value."""

    name: str

    def __init__(
        self,
        kind: Kind[T],
        default: str = "",
        *,
        example: str = "",
        is_secret: bool = False,
        begins_group: bool = False,
    ) -> None:
        """Describe a setting.

        `default` is as it would be written, and `.env.example` shows `example` in its place. The value of a secret is
        never shown, nor is a password in an address. `begins_group` puts an empty line before it in `.env.example`.
        """
        self.kind, self.default, self.example = kind, default, example
        self.is_secret, self.begins_group = is_secret, begins_group

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object | None, owner: type) -> Self | T:
        if instance is None:
            return self
        text = environ.Env().str(self.name, default=self.default)
        try:
            return self.kind.parse(text)
        except BadGamePackage as error:
            raise SystemExit(str(error)) from None
        except (ValueError, KeyError, OSError):
            raise SystemExit(self.describe_refusal(text)) from None

    def describe_refusal(self, text: str) -> str:
        """Return the line that says what the variable is, and what it may be."""
        shown = "secret" if self.is_secret else repr(PASSWORD.sub(r"\1:***@", text))
        return f"{self.name} is {shown}, but must be {self.kind.expected}."


def list_warnings(settings: Iterable[str], variables: Iterable[str]) -> list[str]:
    """Return a line for each variable that begins as ours do and is not one of these settings."""
    known = sorted({name for name in settings if name.startswith(PREFIX)} | OTHER_PROGRAMS)
    lines = []
    for name in sorted(variables):
        if name.startswith(PREFIX) and name not in known:
            closest = difflib.get_close_matches(name, known, n=1, cutoff=0)
            lines.append(f"The variable {name} is set, but isn't a setting. Did you mean {closest[0]}?")
    return lines


def refuse_path_prefix() -> None:
    """End the process where it is to serve a path of a site. Links, cookies and the `pennant` command expect a host."""
    prefix = os.environ.get("SCRIPT_NAME", "")
    if prefix.strip("/"):
        raise SystemExit(f"SCRIPT_NAME is {prefix!r}, but Pennant needs its own host name, such as arena.example.org.")


def read_school_client(server: str, client: str) -> tuple[str, str]:
    """Return the name and the secret by which the school's server knows the arena; both are empty without a server.

    End the process where only one of the two settings is there.
    """
    if bool(server) != bool(client):
        raise SystemExit("PENNANT_OIDC_SERVER and PENNANT_OIDC_CLIENT belong together: set both or neither.")
    name, _, secret = client.rpartition(":")
    return name, secret


# Kinds of settings.


def optional(kind: Kind[T]) -> Kind[T | None]:
    """Return the kind that may also be nothing, where the settings choose by what else is set."""
    return Kind(kind.expected, lambda text: kind.parse(text) if text else None)


def number(minimum: int, maximum: int) -> Kind[int]:
    """Return the whole numbers between two bounds, both included."""

    def parse(text: str) -> int:
        if not minimum <= int(text) <= maximum:
            raise ValueError(text)
        return int(text)

    return Kind(f"a whole number from {minimum} to {maximum}", parse)


def choice(choices: Collection[str]) -> Kind[str]:
    """Return one of a few words."""
    return Kind(f"one of: {', '.join(choices)}", lambda text: _check(text, text in choices))


def url(schemes: Collection[str], example: str) -> Kind[str]:
    """Return an address with one of a few schemes, or nothing."""

    def parse(text: str) -> str:
        return _check(text, not text or ("://" in text and _split(text).scheme in schemes))

    return Kind(f"an address such as {example} (schemes: {', '.join(sorted(schemes))})", parse)


def read_mail_url(address: str) -> dict[str, Any]:
    """Return Django's settings for the mail server at an address.

    A password, or port 587, asks for STARTTLS: nothing is sent if the server doesn't offer it. `smtp+plain://` never
    encrypts.
    """
    parts = _split(address)
    plain = parts.scheme == PLAIN_MAIL
    found: dict[str, Any] = environ.Env.email_url_config(
        f"smtp{address.removeprefix(PLAIN_MAIL)}" if plain else address
    )
    if parts.scheme == "smtp" and (parts.password or parts.port == SUBMISSION_PORT):
        found["EMAIL_USE_TLS"] = True
    return found


def listed(expected: str, check: Callable[[str], object]) -> Kind[list[str]]:
    """Return what is separated by commas; `check` raises ValueError for a wrong part, or returns False."""

    def parse(text: str) -> list[str]:
        return [_check(part.strip(), check(part.strip()) is not False) for part in text.split(",") if part.strip()]

    return Kind(expected, parse)


def _check(text: str, is_right: bool) -> str:
    if not is_right:
        raise ValueError(text)
    return text


def _split(address: str) -> SplitResult:
    """Return the parts of an address. Raise ValueError where its port is none."""
    parts = urlsplit(address)
    parts.port  # noqa: B018 - it is checked when it is read
    return parts


def _parse_switch(text: str) -> bool:
    return _check(text.lower(), text.lower() in ON | OFF) in ON


def _check_host(host: str) -> bool:
    if host.startswith("[") and host.endswith("]"):
        return bool(IPv6Address(host[1:-1]))
    return HOST.fullmatch(host) is not None


def _check_origin(origin: str) -> bool:
    parts = _split(origin)
    return parts.scheme in ("http", "https") and parts.netloc != "" and origin == f"{parts.scheme}://{parts.netloc}"


def _parse_dsn(text: str) -> str:
    parts = _split(text)
    project = parts.path.rpartition("/")[2]
    is_whole = parts.scheme in ("http", "https") and parts.username and parts.hostname and project.isdecimal()
    return _check(text, not text or bool(is_whole))


def _parse_folder(text: str) -> Path:
    path = Path(_check(text, text != "")).resolve()
    nearest = next(place for place in (path, *path.parents) if place.exists())
    _check(text, nearest.is_dir())
    return path


def _parse_login_server(text: str) -> str:
    parts = _split(text)
    is_local = parts.scheme == "http" and parts.hostname in ("localhost", "127.0.0.1", "::1")
    is_right = parts.scheme == "https" or is_local
    return _check(text.rstrip("/"), not text or bool(is_right and parts.hostname and not parts.query))


def _parse_client(text: str) -> str:
    name, _, secret = text.rpartition(":")
    return _check(text, not text or bool(name and secret))


TEXT: Kind[str] = Kind("a text", str)
TEXTS = Kind("texts, separated by commas", lambda text: [part for part in text.split(",") if part])
COUNT = number(0, 1_000_000_000)
"""A number of things, without a bound of its own."""
SWITCH = Kind("on or off", _parse_switch)
HOSTS = listed(
    "host names without scheme or port, separated by commas, such as arena.example.org,.localhost,[::1]",
    _check_host,
)
ORIGINS = listed(
    "origins with their scheme and without a path, separated by commas, such as https://arena.example.org",
    _check_origin,
)
NETWORKS = listed("networks, separated by commas, such as 192.168.7.0/24,fd00::/8", ip_network)
PROJECT_DSN = Kind("a project's DSN, such as https://key@sentry.example.org/1", _parse_dsn)
TIME_ZONE_NAME: Kind[str] = Kind("a time zone's name, such as UTC or Europe/Budapest", lambda text: ZoneInfo(text).key)
MAIL_ADDRESS = Kind(
    "an email address, such as pennant@localhost or Pennant <pennant@example.org>",
    lambda text: _check(text, "@" in parseaddr(text)[1] and "\n" not in text),
)
CONTACT = Kind(
    "an email address or a page's address, such as security@example.org or https://example.org/security",
    lambda text: _check(text, not text or (_CONTACT.fullmatch(text) is not None)),
)
LOGIN_SERVER = Kind("an address with https, such as https://login.school.example.org", _parse_login_server)
CLIENT = Kind("a client's name and secret separated by a colon, such as arena:secret", _parse_client)
FOLDER = Kind("a folder, or the path of a new one", _parse_folder)
GAMES = Kind("packages with games or their folders, separated by commas", list_packages)


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
    SCHOOL = "school"
    """Everybody with an account of the school, by signing in with it."""


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
