"""The house rules that a machine can check."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[1]
MAX_LINES = 400
SITE = ("django", "celery", "kombu", "redis", "psycopg", "environ")


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is not a git checkout")
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).exists()]


def test_imports_go_down_only() -> None:
    program = Path(sys.executable).with_name("lint-imports")
    checked = subprocess.run([program, "--no-cache"], cwd=ROOT, capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout


@pytest.mark.parametrize("module", ["engine.registry", "engine.replay", "arena.runner.match", "arena.runner.sandbox"])
def test_engine_and_runner_load_nothing_of_the_site(module: str) -> None:
    code = f"import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(SITE) & set(loaded.stdout.split())


def test_no_file_is_long() -> None:
    files = tracked("*.py", "*.js", "*.css", "*.html")
    long = {
        path.relative_to(ROOT).as_posix(): lines
        for path in files
        if (lines := path.read_text().count("\n")) > MAX_LINES and "vendor" not in path.parts
    }
    assert not long


@pytest.mark.django_db
def test_migrations_are_complete() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


def test_nothing_is_left_over_in_the_settings() -> None:
    call_command("check", fail_level="WARNING")


@pytest.mark.parametrize("package", ["arena", "engine"])
def test_a_package_that_everybody_loads_has_only_a_docstring(package: str) -> None:
    module = ast.parse((ROOT / package / "__init__.py").read_text())
    assert ast.get_docstring(module)
    assert len(module.body) == 1
