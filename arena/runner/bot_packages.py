"""Packages for bots in Python beyond the standard library: a set of them that an operator installs.

A set is a folder that never changes, named after the hash of its files; a link names the current one. So a match that
has begun keeps its set, and another takes its place in one step. Bots find it after their own files and the kit.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from email.parser import HeaderParser
from pathlib import Path
from time import time
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from arena.runner.data_files import CURRENT_SET, find_packages_folder
from arena.runner.languages import (
    KIT,
    BotPackage,
    PackageSet,
    Run,
    Toolchain,
    Tree,
    find_on_host,
    list_pythons,
)
from engine.message import Message, MessageError, gettext_noop, literal, message

# Find the sets of this machine.

PACKAGES = "/packages"
"""Folder of the packages, as a bot sees it."""
SETS, FILES, MANIFEST = "sets", "files", "packages.json"
"""The folder of each set, by its hash. In a set: its files, and what is known of them."""


def read_package_set(told: Mapping[str, Any], folder: Path = Path()) -> PackageSet:
    """Return the set that `as_json` described. Raises LookupError, TypeError or ValueError."""
    packages = (BotPackage(one["name"], one["version"], tuple(one["imports"])) for one in told["packages"])
    numbers = {"size": int(told["size"]), "installed_at": int(told["installed_at"])}
    return PackageSet(str(told["hash"]), str(told["python"]), **numbers, packages=tuple(packages), folder=folder)


def find_current_set(top: Path | None = None) -> PackageSet | None:
    """Return the current set; None where there is none, or one that can't be read."""
    link = (top or find_packages_folder()) / CURRENT_SET
    try:
        folder = link.parent / os.readlink(link)
        return read_package_set(json.loads((folder / MANIFEST).read_text()), folder / FILES)
    except (OSError, LookupError, TypeError, ValueError):
        return None


# Let a bot in Python find a set.

INSTALLED_RESERVED_MB = 4096
"""Address space for libraries of packages, which reserve more than they use: what a bot holds is bounded by itself."""
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1")
"""Libraries that would start a thread for each processor work with one."""


def describe_python(python: Toolchain) -> str:
    """Return what a set must be installed for, such as "3.11 x86_64"."""
    return f"{'.'.join(python.version.split('.')[:2])} {os.uname().machine if hasattr(os, 'uname') else 'other'}"


def add_packages(python: Toolchain, found: PackageSet) -> Toolchain:
    """Return the interpreter with a set on its path, after the bot's own files and the kit."""
    environment = {**python.run.environment, **ONE_THREAD, "PYTHONPATH": f"{KIT}{os.pathsep}{PACKAGES}"}
    tree = Tree(str(found.folder), PACKAGES)
    return replace(python, run=replace(python.run, environment=environment, packages=tree), packages=found)


def choose_run(toolchain: Toolchain, names: Iterable[str]) -> Run:
    """Return how a program is run that names these packages: what they take doesn't count against its limit."""
    memory = [toolchain.packages_memory[name] for name in names if name in toolchain.packages_memory]
    if not memory:
        return toolchain.run
    return replace(
        toolchain.run,
        reserved_mb=max(INSTALLED_RESERVED_MB, toolchain.run.reserved_mb),
        spare_mb=toolchain.run.spare_mb + sum(one.held_mb for one in memory),
        set_aside_mb=toolchain.run.set_aside_mb + sum(one.set_aside_mb for one in memory),
    )


def list_modules(toolchain: Toolchain, names: Iterable[str]) -> tuple[str, ...]:
    """Return the modules that a program imports which names these packages."""
    wanted, found = set(names), toolchain.packages.packages if toolchain.packages else ()
    modules = (module for package in found if package.name in wanted for module in package.imports)
    return tuple(module for module in modules if not module.startswith("_"))


# Read which packages a bot says it uses.

REQUIREMENTS_FILE = "requirements.txt"
MAX_REQUIREMENTS_BYTES = 64 * 1024
REQUIREMENTS_LINE = re.compile(rb"^[ \t]*#[ \t]*requirements[ \t]*:[ \t]*(.+?)[ \t]*\r?$", re.MULTILINE | re.IGNORECASE)
"""The line of a comment that says it in the bot's own file, as `# requirements: numpy`."""
COMMENT = re.compile(r"(^|\s)#.*")
MAX_SHOWN = 80
MAX_NAMES_SHOWN = 12


class PackagesMissingError(MessageError):
    """A bot asks for packages that aren't there, or in a way that can't be read. The message says which."""


def list_requirements(files: Mapping[str, bytes], entry: str = "bot.py") -> list[Requirement]:
    """Return what a bot in Python says it uses. Raises PackagesMissingError."""
    lines = files.get(REQUIREMENTS_FILE, b"")[:MAX_REQUIREMENTS_BYTES].decode(errors="replace").splitlines()
    lines = [line for line in (COMMENT.sub("", line).split(" --")[0].strip(" \\") for line in lines) if line]
    lines = [line for line in lines if not line.startswith("--hash")]
    said = REQUIREMENTS_LINE.search(files.get(entry, b""))
    if said is not None:
        lines += filter(None, (part.strip() for part in said[1].decode(errors="replace").split(",")))
    return [_read_requirement(line) for line in lines]


def _read_requirement(line: str) -> Requirement:
    try:
        found = Requirement(line)
    except InvalidRequirement:
        found = None
    if found is None or found.url is not None:
        template = gettext_noop(
            "%(line)s isn't a package name: list one package per line in requirements.txt, such as numpy or numpy>=2."
        )
        raise PackagesMissingError(message(template, line=repr(line[:MAX_SHOWN])))
    return found


def list_imported(files: Mapping[str, bytes], found: PackageSet) -> set[str]:
    """Return the names of packages of a set that modules of a bot import, and that it doesn't bring itself."""
    own = {path.partition("/")[0].partition(".")[0] for path in files}
    by_import = {name: one.name for one in found.packages for name in one.imports if name not in own}
    if not by_import:
        return set()
    names = "|".join(map(re.escape, by_import))
    pattern = re.compile(rf"^[ \t]*(?:import|from)[ \t]+({names})(?![\w])".encode(), re.MULTILINE)
    sources = (content for path, content in files.items() if path.endswith(".py"))
    return {by_import[name.decode()] for content in sources for name in pattern.findall(content)}


def choose_packages(files: Mapping[str, bytes], found: PackageSet | None) -> dict[str, str]:
    """Return the packages of a set that a bot uses, with their versions: named, or imported without being named.

    Raises PackagesMissingError where it names one that isn't there.
    """
    named, missing = set(), []
    # A bot's own folder `sortedcontainers` or `scikit_learn-1.5.dist-info`: it brings what it names.
    brought = {canonicalize_name(path.partition("/")[0].partition("-")[0].removesuffix(".py")) for path in files}
    for wanted in list_requirements(files):
        if wanted.marker is not None and not wanted.marker.evaluate():
            continue
        name = canonicalize_name(wanted.name)
        if name in brought:
            continue
        version = found.versions.get(name) if found else None
        if version is not None and wanted.specifier.contains(version, prereleases=True):
            named.add(name)
        else:
            missing.append(f"{wanted.name}{wanted.specifier}" if version else wanted.name)
    if missing:
        raise PackagesMissingError(describe_missing(missing, found))
    if found is None:
        return {}
    return {name: found.versions[name] for name in sorted(named | list_imported(files, found))}


def describe_missing(missing: Iterable[str], found: PackageSet | None) -> Message:
    """Return that packages aren't here, and which are."""
    names = [name[:MAX_SHOWN] for name in missing]
    there = name_versions(found.versions) if found else []
    if not there:
        template = gettext_noop(
            "This arena has no packages, but the bot requires %(missing)s. A bot can bring its own."
        )
        return message(template, missing=", ".join(names[:MAX_NAMES_SHOWN]))
    if len(names) == 1 and len(there) == 1:
        template = gettext_noop("%(missing)s isn't available on this arena; %(there)s is.")
    elif len(names) == 1:
        template = gettext_noop("%(missing)s isn't available on this arena; %(there)s are.")
    elif len(there) == 1:
        template = gettext_noop("%(missing)s aren't available on this arena; %(there)s is.")
    else:
        template = gettext_noop("%(missing)s aren't available on this arena; %(there)s are.")
    return message(template, missing=", ".join(names[:MAX_NAMES_SHOWN]), there=_join(there[:MAX_NAMES_SHOWN]))


def name_versions(versions: Mapping[str, str]) -> list[str]:
    """Return packages as people write them, such as "numpy 2.1.0"."""
    return [f"{name} {version}" for name, version in sorted(versions.items())]


def _join(names: list[str]) -> Message:
    if len(names) == 1:
        return literal(names[0])
    return message(gettext_noop("%(names)s and %(last)s"), names=", ".join(names[:-1]), last=names[-1])


# Install a set, from a list of packages with their hashes, or from a folder of wheels.

INSTALL_TIMEOUT_S = 900
KEPT_SETS = 2
"""The current set and the one before it: a match that has begun may still be played with that."""
NOT_NEEDED = ("RECORD", "INSTALLER", "REQUESTED", "direct_url.json", ".lock")
"""Files by which sets with the same packages would differ."""
LEFT_OUT_SUFFIXES = (".pyi", ".h", ".a", ".pxd", ".pyc", ".pth")
"""Files for compilers, and those that depend on when and where a package was installed."""
STDLIB_SCRIPT = "import json, sys; print(json.dumps(sorted(sys.stdlib_module_names)))"
COMPILE_SCRIPT = """
import compileall, py_compile, sys
unchecked = py_compile.PycInvalidationMode.UNCHECKED_HASH
compileall.compile_dir(sys.argv[1], ddir="/packages", quiet=2, invalidation_mode=unchecked)
"""
OWN_NAMES = {"bot", "engine", "pennant_kit", "pennant_start", "pennant_warm_start", "pennant_cold_start"}


class InstallError(Exception):
    """The packages could not be installed. The text says why, and what to do."""


def install_packages(source: Path, top: Path, say: Callable[[str], object]) -> PackageSet:
    """Install packages for the Python that runs bots, and make them the current set. Raises InstallError."""
    python = next(list_pythons(), None)
    if python is None:
        raise InstallError("No Python for bots was found: apt install python3")
    try:
        (top / SETS).mkdir(parents=True, exist_ok=True)
        for folder in (top, top / SETS):
            folder.chmod(0o755)
        with tempfile.TemporaryDirectory(prefix=".installing-", dir=top) as building:
            made = Path(building, "set")
            found = _make_set(source, made, python, say)
            target = top / SETS / found.hash
            if target.is_dir():
                (target / MANIFEST).write_bytes((made / MANIFEST).read_bytes())  # it is current again from now on
            else:
                made.rename(target)
        _switch(top, found.hash)
        _remove_old_sets(top, found.hash)
    except OSError as error:
        raise InstallError(f"The set can't be stored in {top}: {error.strerror or error}.") from error
    return replace(found, folder=target / FILES)


def _make_set(source: Path, made: Path, python: Toolchain, say: Callable[[str], object]) -> PackageSet:
    """Fill a folder with a set, and return what it is. Raises InstallError."""
    interpreter = find_on_host(python.run.argv[0], python.run.trees)
    files = made / FILES
    files.mkdir(parents=True)
    say(f"Installing from {source} for Python {python.version}, which runs bots ({interpreter}) …")
    _run_installer(source, interpreter, files)
    say("Checking and compiling …")
    packages = _read_packages(files)
    _check_names(packages, interpreter, python)
    _clear(files)
    name = _compute_hash(files, describe_python(python))
    _run(interpreter, "-I", "-S", "-c", COMPILE_SCRIPT, str(files), python=python)
    size = sum(path.stat().st_size for path in files.rglob("*") if path.is_file())
    found = PackageSet(name, describe_python(python), size, int(time()), packages)
    (made / MANIFEST).write_text(json.dumps(found.as_json(), indent=1) + "\n")
    _open_to_readers(made)
    return found


def remove_packages(top: Path) -> bool:
    """Let bots have no packages any more, and return whether there were some. The files go with the next set."""
    try:
        (top / CURRENT_SET).unlink()
    except FileNotFoundError:
        return False
    return True


def _run_installer(source: Path, interpreter: str, target: Path) -> None:
    what = _list_arguments(source)
    if uv := shutil.which("uv"):
        command = [uv, "pip", "install", "--quiet", "--python", interpreter, "--no-compile-bytecode"]
        command += ["--no-config", "--link-mode", "copy"]
    elif _has_pip(interpreter):
        command = [interpreter, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
        command += ["--no-warn-script-location"]
    else:
        raise InstallError(f"Neither uv nor the pip of {interpreter} was found: apt install python3-pip, or get uv.")
    command += ["--target", str(target), "--only-binary", ":all:", *what]
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False)
    if done.returncode:
        raise InstallError(f"The packages were not installed:\n{(done.stderr or done.stdout).strip()}")


def _list_arguments(source: Path) -> list[str]:
    """Return what to tell the installer of a list of packages, or of a folder of wheels. Raises InstallError."""
    if source.is_dir():
        wheels = sorted(map(str, source.glob("*.whl")))
        if not wheels:
            raise InstallError(f"{source} has no wheels (files that end in .whl).")
        return ["--no-index", "--find-links", str(source), *wheels]
    if not source.is_file():
        raise InstallError(f"There is no {source}: name a list of packages with hashes, or a folder of wheels.")
    if "--hash" not in source.read_text(errors="replace"):
        raise InstallError(
            f"{source} has no hashes, so nothing says that these are the files you mean. Make the list with them: "
            f"uv pip compile --generate-hashes packages.in -o {source.name}"
        )
    return ["--require-hashes", "--requirement", str(source)]


def _has_pip(interpreter: str) -> bool:
    return subprocess.run([interpreter, "-m", "pip", "--version"], capture_output=True, check=False).returncode == 0


def _read_packages(files: Path) -> tuple[BotPackage, ...]:
    """Return what was installed, by its own description."""
    found = [_read_package(info) for info in sorted(files.glob("*.dist-info"))]
    if not found:
        raise InstallError("Nothing was installed: is the list empty?")
    return tuple(sorted(found, key=lambda one: one.name))


def _read_package(info: Path) -> BotPackage:
    described = HeaderParser().parsestr((info / "METADATA").read_text(encoding="utf-8", errors="replace"))
    tops = set()
    for line in (info / "RECORD").read_text(encoding="utf-8").splitlines():
        path = line.split(",")[0].strip('"')
        top, _, rest = path.partition("/")
        if path.endswith((".py", ".so")) and (rest or not top.startswith(".")) and top != "..":
            tops.add(top.partition(".")[0] if not rest else top)
    imports = tuple(sorted(name for name in tops if name.isidentifier()))
    return BotPackage(canonicalize_name(described["Name"]), described["Version"], imports)


def _check_names(packages: Iterable[BotPackage], interpreter: str, python: Toolchain) -> None:
    """Refuse packages whose modules would take the place of the standard library's or of the kit's."""
    taken = {*json.loads(_run(interpreter, "-I", "-S", "-c", STDLIB_SCRIPT, python=python)), *OWN_NAMES}
    for package in packages:
        if clash := sorted(taken & set(package.imports)):
            raise InstallError(f"{package.name} would take the place of Python's own or the kit's {', '.join(clash)}.")


def _clear(files: Path) -> None:
    """Remove what bots don't need, and what isn't the same wherever these packages are installed."""
    for path in sorted(files.rglob("*"), reverse=True):
        is_described = path.parent.suffix == ".dist-info" or path.parent == files
        if path.is_symlink() or (path.is_file() and path.name.endswith(LEFT_OUT_SUFFIXES)):
            path.unlink()
        elif path.is_file() and is_described and path.name in NOT_NEEDED:
            path.unlink()
        elif path.is_dir() and (path.name == "__pycache__" or path == files / "bin"):
            shutil.rmtree(path)


def _compute_hash(files: Path, python: str) -> str:
    digest = hashlib.sha256(python.encode())
    for path in sorted(path for path in files.rglob("*") if path.is_file()):
        name = path.relative_to(files).as_posix().encode()
        digest.update(b"\0%s\0" % name + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:20]


def _run(*argv: str, python: Toolchain) -> str:
    libraries = find_on_host(python.run.environment.get("LD_LIBRARY_PATH", ""), python.run.trees)
    environment = {"PATH": "/usr/bin:/bin", "LD_LIBRARY_PATH": libraries}
    done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=INSTALL_TIMEOUT_S, check=False)
    return done.stdout


def _open_to_readers(made: Path) -> None:
    """Let workers that are other users read a set, whatever this process keeps to itself."""
    for folder, _, names in os.walk(made):
        os.chmod(folder, 0o755)
        for name in names:
            os.chmod(Path(folder, name), 0o644)


def _switch(top: Path, name: str) -> None:
    link = top / f".{CURRENT_SET}-{os.getpid()}"
    link.unlink(missing_ok=True)
    link.symlink_to(Path(SETS, name))
    os.replace(link, top / CURRENT_SET)


def _remove_old_sets(top: Path, current: str) -> None:
    others = [path for path in (top / SETS).iterdir() if path.name != current]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in others[KEPT_SETS - 1 :]:
        shutil.rmtree(path, ignore_errors=True)


def list_lines(found: PackageSet) -> Iterator[str]:
    """Yield what an operator is told of a set."""
    yield from name_versions(found.versions)
    yield f"Set {found.hash}: {found.size / 2**20:.0f} MiB for Python {found.python}."


if __name__ == "__main__":  # an image is built without the settings of a site
    _, given, folder = sys.argv
    try:
        installed = install_packages(Path(given), Path(folder), print)
    except InstallError as failure:
        sys.exit(str(failure))
    print(*list_lines(installed), sep="\n")
