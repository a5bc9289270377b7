"""The tests of the engine pass with the compiled engine, too."""

import ast
import builtins
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.runner.compiled_engine import COMPILED, INTERPRETED, SOURCE
from engine import deal
from engine.compiling import is_compiled

ROOT = Path(__file__).resolve().parents[2]
FILES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE")
PARTS = ("arena", "bots", "docs", "engine", "templates", "tests", "pyproject.toml", *FILES)
WHERE = "import engine.games.battleline.state as state; print(state.__file__)"


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout whose engine is compiled in place."""
    folder = tmp_path_factory.mktemp("compiled")
    unwanted = shutil.ignore_patterns("__pycache__", "*.so")
    for part in PARTS:
        source = ROOT / part
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=unwanted)
        else:
            shutil.copy(source, folder)
    run([sys.executable, "-m", "hatchling", "build", "-t", "wheel"], folder, HATCH_BUILD_HOOK_ENABLE_MYPYC="1")
    return folder


def run(command: list[str], folder: Path, **environment: str) -> str:
    known = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        command, cwd=folder, env=known | {"PYTHONPATH": str(folder)} | environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.full
def test_the_tests_of_the_engine_pass_with_the_compiled_one(compiled: Path) -> None:
    assert run([sys.executable, "-c", WHERE], compiled).strip().endswith(".so")
    run(
        [sys.executable, "-m", "pytest", "-q", "tests/engine", "--deselect", "tests/engine/test_compiled_engine.py"],
        compiled,
    )


@pytest.mark.full
def test_a_wheel_has_the_compiled_engine_and_its_source(compiled: Path) -> None:
    (wheel,) = (compiled / "dist").glob("*.whl")
    names = run([sys.executable, "-m", "zipfile", "-l", str(wheel)], compiled)
    assert "pennant_engine__mypyc." in names
    assert "engine/games/battleline/state.py" in names
    assert "engine/games/battleline/state.cpython" in names


def test_the_engine_knows_whether_it_is_compiled() -> None:
    assert is_compiled() == (not deal.__file__.endswith(".py"))


def test_classes_that_are_compiled_inherit_from_what_the_compiler_knows() -> None:
    known = {"object", "Exception", "LookupError", "IndexError", "Warning", "UserWarning", "ValueError"}
    builtin = {name for name, value in vars(builtins).items() if isinstance(value, type)} - known
    for pattern in COMPILED:
        for module in (path for path in SOURCE.glob(pattern) if path.name not in INTERPRETED):
            for node in ast.walk(ast.parse(module.read_text())):
                if isinstance(node, ast.ClassDef):
                    assert not builtin & {ast.unparse(base) for base in node.bases}, f"{module}: {node.name}"
