"""The hostile programs of this folder at every level that can be had here, and where nothing holds them back.

All levels are tried at the beginning, those of root and those of an ordinary user side by side; each test looks at one.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.hostile.__main__ import is_right
from tests.hostile.catalogue import BOTS, LEVELS, Hostile, catalogue
from tests.hostile.trial import COMPILED, Trial, make_all
from tests.runner.fence import ordinary

ALL = catalogue()
OF_ROOT = (("A", "A-parked"), ("C", "C-oldest"), ("bare",))
"""Much of a trial is waiting: each of these is played beside the others."""
OF_USERS = ("A", "D")
AS_A_USER = {"A": "A-user", "D": "D"}
WITHIN_S = 600
Found = dict[tuple[str, str], Trial]


def by_root(levels: tuple[str, ...], compiled: str) -> Found:
    command = [sys.executable, "-m", "tests.hostile", "--json", *levels]
    env = os.environ | {COMPILED: compiled}
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=WITHIN_S, env=env)
    assert done.returncode == 0, done.stderr
    return parse(done.stdout)


def by_a_user(compiled: str) -> Found:
    told = ordinary.output_of("tests.hostile", "--json", *OF_USERS, within_s=WITHIN_S, more={COMPILED: compiled})
    return {(AS_A_USER[level], name): trial for (level, name), trial in parse(told).items()}


def parse(told: str) -> Found:
    trials = [Trial(**{**json.loads(line), "leaks": tuple(json.loads(line)["leaks"])}) for line in told.splitlines()]
    return {(trial.level, trial.name): trial for trial in trials}


@pytest.fixture(scope="module")
def found() -> Found:
    with tempfile.TemporaryDirectory() as compiled, ThreadPoolExecutor() as side_by_side:
        Path(compiled).chmod(0o755)
        make_all(ALL, Path(compiled))
        users = side_by_side.submit(by_a_user, compiled)
        roots = [side_by_side.submit(by_root, levels, compiled) for levels in OF_ROOT if os.geteuid() == 0]
        return {key: trial for part in (users, *roots) for key, trial in part.result().items()}


def cases() -> Iterator[tuple[str, Hostile]]:
    for level in LEVELS:
        for hostile in ALL:
            if hostile.runs_at(level):
                yield level, hostile


@pytest.mark.parametrize(("level", "hostile"), list(cases()), ids=lambda part: getattr(part, "name", part))
def test_it_comes_as_its_header_says(level: str, hostile: Hostile, found: Found) -> None:
    if os.geteuid() != 0 and level not in AS_A_USER.values():
        pytest.skip("only root can have this level")
    trial = found[level, hostile.name]
    assert is_right(hostile, trial), trial


def test_there_are_many_and_in_every_language() -> None:
    assert len(ALL) >= 60
    assert {hostile.language for hostile in ALL} == {"python", "c", "javascript", "shell"}


def test_those_that_prove_nothing_say_why() -> None:
    assert all(hostile.reason for hostile in ALL if hostile.control in ("nothing", "unsafe"))


def test_no_file_is_forgotten() -> None:
    helpers = {"trick.py", "trick.c", "trick.h", "trick.js", "trick.sh"}
    assert {path.name for path in BOTS.iterdir() if path.is_file()} - {one.name for one in ALL} <= helpers
