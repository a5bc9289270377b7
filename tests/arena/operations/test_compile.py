"""The engine is compiled into the data folder when asked, and a build is only used with the source it was made from."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import engine
from arena.runner.compiled_engine import (
    FOLDER,
    compute_key,
    describe_engine,
    list_compiled_modules,
    use_compiled_engine,
)
from tests.story.installation import ROOT

WHERE = """
import django
django.setup()
import engine.deal
from arena.runner.compiled_engine import describe_engine
from arena.matches.runner_process import RunnerProcess
report = RunnerProcess(options=["--few-languages"]).report()
print(engine.deal.__file__, report["is_engine_compiled"], describe_engine())
"""


def manage(checkout: Path, data: Path, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Python in this checkout with this data folder."""
    known = {"PATH": os.environ["PATH"], "HOME": str(data), "DJANGO_SETTINGS_MODULE": "arena.settings"}
    return subprocess.run(
        [sys.executable, *command],
        cwd=checkout,
        env=known | {"PENNANT_DATA": str(data), "PYTHONPATH": str(checkout)} | environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.full
def test_a_build_is_used_until_the_source_changes(tmp_path: Path) -> None:
    checkout, data = tmp_path / "checkout", tmp_path / "data"
    data.mkdir(mode=0o700)
    for part in ("arena", "bots", "engine", "templates"):
        shutil.copytree(ROOT / part, checkout / part, ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    shutil.copy(ROOT / "manage.py", checkout)

    compiled = manage(checkout, data, "manage.py", "compile")
    assert compiled.returncode == 0, compiled.stderr
    used = manage(checkout, data, "-c", WHERE).stdout
    assert used.startswith(f"{data / FOLDER}") and "True The engine is compiled." in used
    assert "already compiled" in manage(checkout, data, "manage.py", "compile").stdout

    with (checkout / "engine" / "deal.py").open("a") as module:
        module.write("\n# changed\n")
    assert manage(checkout, data, "-c", WHERE).stdout.startswith(f"{checkout}/engine/deal.py False The engine runs in")


def test_the_command_to_compile_is_written_as_the_arena_was_started(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["/clone/manage.py", "up"])
    monkeypatch.setenv("UV_RUN_RECURSION_DEPTH", "1")
    assert "`uv run manage.py compile`" in describe_engine()
    monkeypatch.delenv("UV_RUN_RECURSION_DEPTH")
    monkeypatch.setattr(sys, "argv", ["/bin/pennant-arena", "up"])
    assert "`pennant-arena compile`" in describe_engine()


def test_without_a_compiler_the_error_says_what_to_install(tmp_path: Path) -> None:
    failed = manage(ROOT, tmp_path, "manage.py", "compile", PATH=str(tmp_path), CC="no-such-compiler")
    assert failed.returncode == 1
    assert "There is no C compiler. Install one with Python's headers" in failed.stderr
    assert not (tmp_path / FOLDER).exists()


def test_a_build_of_another_source_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / FOLDER / f"{compute_key()}-of-another-source").mkdir(parents=True)
    before = list(engine.__path__)
    use_compiled_engine(tmp_path)
    assert list(engine.__path__) == before


def test_the_same_modules_are_compiled_as_in_the_wheels() -> None:
    hook = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]["hooks"]
    included = {path for pattern in hook["mypyc"]["include"] for path in ROOT.glob(pattern)}
    excluded = {path for pattern in hook["mypyc"]["exclude"] for path in ROOT.glob(pattern)}
    assert {ROOT / name for name in list_compiled_modules()} == included - excluded
