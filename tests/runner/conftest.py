import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from arena.runner.languages import Toolchain, list_pythons
from arena.runner.match import LegReport, LegSpec, play_leg
from arena.runner.program import Limits, Program, read_program
from arena.runner.sandbox.base import NoSandboxError, Sandbox
from arena.runner.sandbox.detection import find_sandbox
from arena.runner.sandbox.files import make_readable
from engine import registry
from tests.runner.processes import Started, list_descendants
from tests.runner.toy import Toy

SAMPLES = Path(__file__).parents[2] / "bots" / "samples"
QUICK = Limits(start_ms=2000, move_ms=500, bank_ms=1000, memory_mb=64)


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    try:
        return find_sandbox({"python"})
    except NoSandboxError as missing:
        pytest.skip(f"no sandbox: {missing}")


@pytest.fixture
def list_started() -> Started:
    """Return a function that lists the living processes that the test started.

    Others may be there from before: the browser of other tests, and their arena, which starts more by itself.
    """
    before = list_descendants(os.getpid())
    return lambda: list_descendants(os.getpid(), apart_from=before)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """Yield a folder that all users can read, unlike `tmp_path`."""
    with tempfile.TemporaryDirectory(prefix="pennant-test-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.fixture
def python_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Toolchain]:
    """Yield an interpreter from a private folder that was made readable for all users.

    If the present interpreter is the system's, a copy of it is used.
    """
    if not any(found.run.trees for found in list_pythons()):
        monkeypatch.setattr(sys, "base_prefix", str(copy_of_python(tmp_path / "python")))
    own = next(found for found in list_pythons() if found.run.trees)
    open_one = make_readable(own)
    yield open_one
    if own.run.trees[0].host == str(tmp_path / "python") != open_one.run.trees[0].host:
        shutil.rmtree(open_one.run.trees[0].host)


def copy_of_python(folder: Path) -> Path:
    name = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    (folder / "bin").mkdir(parents=True)
    shutil.copy2(os.path.realpath(sys.executable), folder / "bin" / name)
    needless = shutil.ignore_patterns(
        "*-packages", "test", "idlelib", "tkinter", "ensurepip", "config-*", "__pycache__"
    )
    shutil.copytree(Path(sys.base_prefix, "lib", name), folder / "lib" / name, ignore=needless)
    return folder


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "toy", Toy())


def sample(name: str) -> Program:
    return read_program(SAMPLES / name)


def written(source: str, name: str = "written", **files: str) -> Program:
    """Return a bot with this source."""
    return Program(
        name, 1, {"bot.py": dedent(source).encode(), **{path: text.encode() for path, text in files.items()}}
    )


CHOOSER = """
from pennant_kit import run
run(lambda message: message["legal"][{index}])
"""
FIRST = written(CHOOSER.format(index=0), "first")
LAST = written(CHOOSER.format(index=-1), "last")

PlayToy = Callable[..., LegReport]


@pytest.fixture
def play_toy(toy: None, sandbox: Sandbox) -> PlayToy:
    def play(*programs: Program, limits: Limits = QUICK, padding: int = 0) -> LegReport:
        seating = tuple(range(len(programs)))
        spec = LegSpec("toy", "plain", {"padding": padding}, {}, "salt", limits, seating, programs)
        return play_leg(spec, sandbox, lambda _: None)

    return play
