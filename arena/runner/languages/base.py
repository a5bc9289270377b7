"""Define how programs in a language are recognised, built and run."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.message import Message, MessageError, literal

BOT = "/bot"
"""Folder of the bot's files, as a bot sees it."""
KIT = "/kit"
"""Folder of the kit and the engine, as a bot sees it."""


class BadProgramError(MessageError, ValueError):
    """The files can't be a bot. The message says what is wrong with them."""

    def __init__(self, reason: Message | str) -> None:
        super().__init__(reason if isinstance(reason, Message) else literal(reason))


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder of this machine that programs of a language may read, beyond /usr/bin and /usr/lib*."""

    host: str
    inside: str
    """Path at which a bot sees it."""
    parts: tuple[str, ...] = ("*",)
    """Parts that are needed, as globs from its top, if it must be copied to be readable by all users."""
    make: Callable[[Path], None] | None = None
    """Function that fills a new folder, once for each state of `host`, which is a file then."""


@dataclass(frozen=True, slots=True)
class Run:
    """The command and environment that run a program. All paths are those that a bot sees."""

    argv: tuple[str, ...]
    """Command, in which `{memory_mb}` stands for the memory limit of the match."""
    environment: Mapping[str, str] = field(default_factory=dict)
    trees: tuple[Tree, ...] = ()
    system: tuple[Tree, ...] = ()
    """Parts of /usr that a program needs, beside the libraries with which they are linked."""
    reserved_mb: int = 256
    """Address space that libraries and the runtime may reserve in addition to the memory of a bot."""
    spare_mb: int = 0
    """Memory of the runtime, in addition to the memory limit of a match."""


@dataclass(frozen=True, slots=True)
class Build:
    """The script and environment that build a program from its source."""

    script: str
    """Script for `/bin/sh -e` in the read-only folder of the sources, /bot. It writes one file, $TMPDIR/artefact."""
    artefact: str
    """Path below /bot of that file when the program is run, which then has no other file."""
    environment: Mapping[str, str] = field(default_factory=dict)
    trees: tuple[Tree, ...] = ()


EXECUTABLE_NAME = "bot"
"""Name of a program in machine code."""
NATIVE_LIBRARIES = Tree("/usr", "/usr", tuple(f"lib/*/lib{name}.so*" for name in ("stdc++", "gcc_s", "m", "pthread")))
"""Libraries of executables that are not static."""
NATIVE_RUN = Run((f"{BOT}/{EXECUTABLE_NAME}",), system=(NATIVE_LIBRARIES,), reserved_mb=1024)
"""Go reserves some 700 MiB, and the C library 64 MiB for each of several threads that allocate memory."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """The tools of a language on this machine."""

    version: str
    """Version for people, such as "3.11.2"."""
    run: Run
    build: Build | None = None
    """None if the source itself is run."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language bots may be written in."""

    key: str
    title: str
    entry: str
    """File at the top of a program that identifies its language."""
    canary: Mapping[str, bytes]
    """Files of a program that answers each line with `{"type":"ready"}`, to test the language."""
    find: Callable[[], Toolchain | None]
    """Function that returns the tools on this machine; None if the language is missing."""
    advice: Message
    """What to install if the language is missing."""
    artefact: str | None = None
    """Name of the built file; None if the source itself is run."""

    @property
    def is_built(self) -> bool:
        """Return whether a source must be built before it is run."""
        return self.artefact is not None


def find_on_host(path: str, trees: Iterable[Tree]) -> str:
    """Return the path on this machine of what a bot sees at `path`."""
    for tree in trees:
        if path == tree.inside or path.startswith(f"{tree.inside}/"):
            return tree.host + path.removeprefix(tree.inside)
    return path
