"""Try the hostile programs of this folder: one of each kind at the best level, with `--full` all at all levels.

All trials are run at the beginning, those of root and those of an ordinary user side by side; each test looks at one.
"""

import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.full import full_only, one_of_each
from tests.hostile.__main__ import matches_header
from tests.hostile.catalogue import BOTS, LEVELS, Hostile, catalogue
from tests.hostile.trial import COMPILED, Trial, compile_all
from tests.runner.landlock import ordinary_user

ALL = catalogue()
ROOT_LEVELS = (("A", "A-warm"), ("C", "C-oldest"), ("bare",))
"""Groups of levels that are run at the same time, as trials mostly wait."""
USER_LEVELS = {"A": "A-user", "D": "D"}
TIMEOUT_S = 600
Found = dict[tuple[str, str], Trial]


def run_as_root(levels: list[str], names: list[str], compiled: str) -> Found:
    command = [sys.executable, "-m", "tests.hostile", "--json", *levels, *names]
    env = os.environ | {COMPILED: compiled}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=TIMEOUT_S, env=env)
    assert done.returncode == 0, done.stderr
    return parse(done.stdout)


def run_as_user(levels: list[str], names: list[str], compiled: str) -> Found:
    arguments = ("--json", *levels, *names)
    told = ordinary_user.run_as_ordinary_user(
        "tests.hostile", *arguments, within_s=TIMEOUT_S, more={COMPILED: compiled}
    )
    return {(USER_LEVELS[level], name): trial for (level, name), trial in parse(told).items()}


def parse(told: str) -> Found:
    trials = [Trial(**{**json.loads(line), "leaks": tuple(json.loads(line)["leaks"])}) for line in told.splitlines()]
    return {(trial.level, trial.name): trial for trial in trials}


def is_default(level: str) -> bool:
    """Tell whether one program of each kind is tried at this level without `--full`."""
    return level in (("A", "A-warm") if os.geteuid() == 0 else ("A-user",))


def list_cases() -> list[Any]:
    cases = [(level, hostile) for level in LEVELS for hostile in ALL if hostile.runs_at(level)]
    default = one_of_each(
        [case for case in cases if is_default(case[0])],
        kind=lambda case: (case[0], case[1].family, case[1].language),
    )
    return default + full_only(case for case in cases if not is_default(case[0]))


@pytest.fixture(scope="module")
def found(request: pytest.FixtureRequest) -> Found:
    chosen = [item.callspec.params for item in request.session.items if "hostile" in getattr(item, "fixturenames", ())]
    names = sorted({params["hostile"].name for params in chosen})
    wanted = {params["level"] for params in chosen}
    users = [level for level, named in USER_LEVELS.items() if named in wanted]
    roots = [[level for level in levels if level in wanted] for levels in ROOT_LEVELS if os.geteuid() == 0]
    with tempfile.TemporaryDirectory() as compiled, ThreadPoolExecutor() as executor:
        Path(compiled).chmod(0o755)
        compile_all(catalogue(*names), Path(compiled))
        parts = [executor.submit(run_as_user, users, names, compiled)] if users else []
        parts += [executor.submit(run_as_root, levels, names, compiled) for levels in roots if levels]
        return {key: trial for part in parts for key, trial in part.result().items()}


@pytest.mark.parametrize(("level", "hostile"), list_cases(), ids=lambda part: getattr(part, "name", part))
def test_it_comes_as_its_header_says(level: str, hostile: Hostile, found: Found) -> None:
    if os.geteuid() != 0 and level not in USER_LEVELS.values():
        pytest.skip("only root can have this level")
    trial = found[level, hostile.name]
    assert matches_header(hostile, trial), trial


def test_there_are_many_and_in_every_language() -> None:
    assert len(ALL) >= 60
    assert {hostile.language for hostile in ALL} == {"python", "c", "javascript", "shell"}


def test_those_that_prove_nothing_say_why() -> None:
    assert all(hostile.reason for hostile in ALL if hostile.control in ("nothing", "unsafe"))


def test_no_file_is_forgotten() -> None:
    helpers = {"trick.py", "trick.c", "trick.h", "trick.js", "trick.sh"}
    assert {path.name for path in BOTS.iterdir() if path.is_file()} - {one.name for one in ALL} <= helpers
