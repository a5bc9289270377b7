"""What a language is to the arena: how a program in it is told apart, built, and run."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine.message import Message, MessageError, literal

BOT = "/bot"
"""Folder of the bot's files, as a bot sees it."""
KIT = "/kit"
"""Folder of the kit and the engine, as a bot sees it."""


class BadProgramError(MessageError, ValueError):
    """Files that can't be a bot. The message says what is wrong with them."""

    def __init__(self, reason: Message | str) -> None:
        super().__init__(reason if isinstance(reason, Message) else literal(reason))


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder of this machine that programs of a language may read, beyond /usr/bin and /usr/lib*."""

    host: str
    inside: str
    """Where a bot sees it."""
    parts: tuple[str, ...] = ("*",)
    """What of it is needed, as globs from its top: for where it must be copied to be readable by any user."""
    make: Callable[[Path], None] | None = None
    """Fills a folder that must first be made, once for each state of `host`, which is a file then. A function of a
    module, or a partial one."""


@dataclass(frozen=True, slots=True)
class Run:
    """How a program is run. All paths are those a bot sees."""

    argv: tuple[str, ...]
    """Where it says `{memory_mb}`, that number of the match's limits goes."""
    environment: Mapping[str, str] = field(default_factory=dict)
    trees: tuple[Tree, ...] = ()
    address_space: bool = True
    """Whether RLIMIT_AS may hold it: not where a runtime reserves far more than it uses."""
    spare_mb: int = 0
    """Private memory of the runtime itself, on top of the memory limit of a match."""


@dataclass(frozen=True, slots=True)
class Build:
    """How a source becomes what is run."""

    script: str
    """For `/bin/sh -e` in the folder of the sources, /bot, which is not writable; $TMPDIR, /tmp, is scratch.
    Leaves one file, $TMPDIR/artefact."""
    artefact: str
    """Path below /bot at which that file lies when it is run: the only one then."""
    environment: Mapping[str, str] = field(default_factory=dict)
    trees: tuple[Tree, ...] = ()


NATIVE = "bot"
"""A program that the machine itself runs."""
NATIVE_RUN = Run((f"{BOT}/{NATIVE}",), address_space=False)


@dataclass(frozen=True, slots=True)
class Toolchain:
    """A language as it was found on this machine."""

    version: str
    """As a person would write it: "3.11.2"."""
    run: Run
    build: Build | None = None
    """None where the source itself is run."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language bots may be written in."""

    key: str
    title: str
    entry: str
    """The file at the top of a program that makes it one of this language."""
    canary: Mapping[str, bytes]
    """Files of a program that answers every line of its stdin by `{"type":"ready"}`."""
    find: Callable[[], Toolchain | None]
    """Looks on this machine; None where there is no such language."""
    advice: str
    """What to install where it is missing."""
    artefact: str | None = None
    """The one file of a program that was built; None where the source itself is run."""

    @property
    def is_built(self) -> bool:
        """Whether a source must be built before it is run."""
        return self.artefact is not None


def on_host(path: str, trees: Iterable[Tree]) -> str:
    """Where this machine has what a bot sees at that path."""
    for tree in trees:
        if path == tree.inside or path.startswith(f"{tree.inside}/"):
            return tree.host + path.removeprefix(tree.inside)
    return path
