import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent

import pytest

from arena.runner.leg import LegReport, LegSpec, play_leg
from arena.runner.limits import Limits
from arena.runner.program import Program, read_program
from arena.runner.sandbox import NoSandbox, Sandbox, find_sandbox
from engine import registry
from tests.runner.toy import Toy

SAMPLES = Path(__file__).parents[2] / "bots" / "samples"
QUICK = Limits(start_ms=2000, move_ms=500, bank_ms=1000, memory_mb=64)


@pytest.fixture(scope="session")
def sandbox() -> Sandbox:
    try:
        return find_sandbox({"python"})
    except NoSandbox as missing:
        pytest.skip(f"no sandbox: {missing}")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that any user can reach, unlike `tmp_path`."""
    with tempfile.TemporaryDirectory(prefix="pennant-test-", dir="/var/tmp") as folder:
        os.chmod(folder, 0o755)
        yield Path(folder)


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(registry.GAMES, "toy", Toy())


def sample(name: str) -> Program:
    return read_program(SAMPLES / name)


def written(source: str, name: str = "written", **files: str) -> Program:
    """A bot of a few lines."""
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
