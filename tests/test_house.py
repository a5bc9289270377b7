"""The house rules that a machine can check."""

import ast
import io
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest
from django.core.management import call_command

ROOT = Path(__file__).resolve().parents[1]
WITHOUT_CODE = {
    *(tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE),
    *(tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER),
}
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


@pytest.mark.parametrize(
    "module", ["engine.registry", "engine.replay", "arena.runner.match", "arena.runner.sandbox.detection"]
)
def test_engine_and_runner_load_nothing_of_the_site(module: str) -> None:
    code = f"import sys, {module}; print(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not set(SITE) & set(loaded.stdout.split())


ENTRIES = {
    *("settings.py", "celery.py", "wsgi.py"),
    *("core", "runner", "cli", "people", "bots", "matches", "contests", "operations", "pages", "api"),
}
"""What CONTRIBUTING.md describes. An `asgi.py`, should one be needed, would be another."""


def test_arena_has_few_entries() -> None:
    found = {path.relative_to(ROOT / "arena").parts[0] for path in tracked("arena/*")}
    assert found == {"__init__.py", *ENTRIES}


MIN_CODE_LINES = 40
SMALL_BY_NATURE = (
    "*/__init__.py",  # a package has one
    "arena/operations/management/commands/*.py",  # Django finds a command by its file
    "arena/core/formats/*/formats.py",  # Django finds formats by their language
)
SMALL = {
    "arena/contests/challenges/models.py": "Django looks for models there",
    "arena/contests/stories/models.py": "Django looks for models there",
    "arena/core/catalogues.py": "the build loads it, without Django and the rest of core",
    "arena/core/errors.py": "the command line imports it without Django, and all else may",
    "arena/core/failure_reports.py": "its library takes 20 MB, so it is imported on demand",
    "arena/core/release.py": "imports the engine, which settings must choose before",
    "arena/core/wake.py": "services of all apps import it, and tasks bind it",
    "arena/operations/apps.py": "Django looks for configurations there",
    "arena/operations/management/remote_settings.py": "Django loads settings by their module",
    "arena/operations/site_command.py": "says what to install where Django isn't",
    "arena/pages/games/cards.py": "the manual names it for games from outside the tree",
    "arena/pages/games/sentence.py": "the manual names it for games from outside the tree",
    "arena/pages/templatetags/steps.py": "templates load it by its name, alone",
    "arena/runner/sandbox/cold_start.py": "runs inside the sandbox, compiled at each start",
    "arena/wsgi.py": "operators type its name",
}
"""Smaller modules of arena, each with the reason why its code stands in no other."""


def is_small(path: Path) -> bool:
    """Tell whether few lines have a token that is neither comment nor docstring."""
    text = path.read_text()
    described = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documented: set[int] = set()
    begun: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt):
            begun.add(node.lineno)
        if isinstance(node, described) and ast.get_docstring(node) is not None:
            documented |= set(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    if len(begun - documented) >= MIN_CODE_LINES:  # as in most modules, whose tokens needn't be read
        return False
    found: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in WITHOUT_CODE:
            found |= set(range(token.start[0], token.end[0] + 1))
    return len(found - documented) < MIN_CODE_LINES


def test_a_small_module_has_a_reason() -> None:
    modules = [path for path in tracked("arena/*.py") if "migrations" not in path.parts]
    small = {
        path.relative_to(ROOT).as_posix()
        for path in modules
        if not any(path.relative_to(ROOT).match(pattern) for pattern in SMALL_BY_NATURE) and is_small(path)
    }
    assert small == set(SMALL)


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
