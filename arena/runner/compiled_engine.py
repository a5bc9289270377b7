"""Keep an engine compiled by mypyc in the data folder, beside the source that it was made from.

A build is a copy of the package `engine` whose modules are compiled. Its folder is named after the source and the
interpreter, so an engine that was changed since is never taken for it. It is made by `pennant-arena compile` alone.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib.util import find_spec
from pathlib import Path

import engine
from engine.compiling import is_compiled

SOURCE = Path(engine.__path__[0])
FOLDER = "compiled-engine"
"""The folder of all builds in the data folder."""
COMPILED = ("deal.py", "games/*/*.py")
INTERPRETED = ("__init__.py", "game.py", "options.py")
"""Names of files that stay Python: games from outside the tree subclass what is in them (see the engine's README)."""
KEPT_BUILDS = 2
"""The processes of the arena that runs while another version is compiled go on with their own build."""
COMPILE_TIMEOUT_S = 900
MYPYC_SCRIPT = """
import sys
from mypyc.build import mypycify
from setuptools import setup
flags = ["--strict", "--explicit-package-bases", "--python-version=3.11"]
modules = mypycify([*flags, *sys.argv[1:]], group_name="pennant_engine")
setup(name="pennant-engine", packages=[], ext_modules=modules, script_args=["build_ext", "--inplace"])
"""


class CompileError(Exception):
    """The engine could not be compiled. The text says why, and what to do."""


def use_compiled_engine(data_folder: Path) -> None:
    """Import the engine from its build in this data folder from now on, where there is one of the present source.

    Modules that are loaded already stay; none of the compiled ones is when the settings are read.
    """
    builds = data_folder / FOLDER
    if builds.is_dir() and (build := builds / compute_key()).is_dir() and str(build) not in sys.path:
        engine.__path__ = [str(build / "engine")]
        sys.path.append(str(build))  # for the library that all compiled modules share


def find_engine_folder() -> Path:
    """Return the folder that holds the package `engine` of this process: the build's, or the source's."""
    return Path(engine.__path__[0]).parent


def compute_key() -> str:
    """Return the name of the build of the present source for this interpreter."""
    digest = hashlib.sha256(str(sysconfig.get_config_var("EXT_SUFFIX")).encode())
    for path in list_source_files():
        digest.update(f"\0{path.relative_to(SOURCE)}\0".encode() + path.read_bytes())
    return f"engine-{digest.hexdigest()[:20]}"


def list_source_files() -> list[Path]:
    """Return the modules of the engine and their data."""
    return sorted(path for pattern in ("**/*.py", "**/*.json") for path in SOURCE.glob(pattern))


def list_compiled_modules() -> list[str]:
    """Return the paths, below the package's parent, of the modules that are compiled."""
    paths = (path for pattern in COMPILED for path in SOURCE.glob(pattern) if path.name not in INTERPRETED)
    return [path.relative_to(SOURCE.parent).as_posix() for path in sorted(paths)]


def compile_engine(data_folder: Path) -> Path:
    """Return the folder of the build of the present source, made now unless it is there. Raises CompileError."""
    builds = data_folder / FOLDER
    build = builds / compute_key()
    if build.is_dir():
        return build
    if find_spec("mypyc") is None or find_spec("setuptools") is None:
        raise CompileError(
            "mypyc and setuptools aren't installed. In a checkout run `uv sync`, elsewhere"
            " `pip install mypy setuptools`, and try again."
        )
    if not any(shutil.which(name) for name in (os.environ.get("CC", "cc"), "gcc", "clang")):
        raise CompileError(
            "There is no C compiler. Install one with Python's headers (on Debian and Ubuntu:"
            " `apt install gcc python3-dev`) and try again."
        )
    builds.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=builds, prefix="building-") as folder:
        draft = Path(folder, "build")
        for path in list_source_files():
            copy = draft / path.relative_to(SOURCE.parent)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, copy)
        _compile_in_place(draft)
        for leftover in ("build", ".mypy_cache"):
            shutil.rmtree(draft / leftover, ignore_errors=True)
        draft.rename(build)
    for old in sorted(builds.glob("engine-*"), key=lambda path: path.stat().st_mtime)[:-KEPT_BUILDS]:
        shutil.rmtree(old, ignore_errors=True)
    return build


def _compile_in_place(folder: Path) -> None:
    command = [sys.executable, "-c", MYPYC_SCRIPT, *list_compiled_modules()]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        raise CompileError(f"The compiler was stopped after {COMPILE_TIMEOUT_S} s.") from None
    if done.returncode != 0:
        raise CompileError(f"The compiler failed:\n{(done.stdout + done.stderr).strip()}")


def find_command_prefix() -> str:
    """Return what stands before a command that is told to a person, as this process was started: uv sets a variable."""
    return "uv run " if "UV_RUN_RECURSION_DEPTH" in os.environ else ""


def describe_engine() -> str:
    """Return one line about the engine that this process uses."""
    if is_compiled():
        return "The engine is compiled."
    is_script = Path(sys.argv[0]).name == "manage.py"
    command = f"{find_command_prefix()}{'manage.py' if is_script else 'pennant-arena'} compile"
    return f"The engine runs in Python. `{command}` makes it about twice as fast."
