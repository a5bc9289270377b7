"""No process is left of an arena that is killed while a sandbox is being set up."""

import os
import random
import shutil
import signal
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import arena.runner.__main__ as program
from arena.runner.channel import Channel
from arena.runner.program import Limits
from arena.runner.sandbox.base import NoSandboxError
from arena.runner.sandbox.bwrap import BwrapSandbox
from tests.runner.conftest import QUICK, written
from tests.runner.sandboxes import find_bwrap

ROUNDS = 15
MAX_DELAY_S = 0.04
"""Longest delay before the kill: the time of a start on a busy machine."""
SPINS = written("while True: pass")
Begin = Callable[[BwrapSandbox], None]


@pytest.fixture
def box(open_folder: Path) -> BwrapSandbox:
    """Return a sandbox with its own library folder, by which its processes are recognised."""
    try:
        found = find_bwrap()
    except NoSandboxError as missing:
        pytest.skip(f"bwrap: {missing}")
    return replace(found, library=str(shutil.copytree(found.library, open_folder / "library")))


def list_survivors(box: BwrapSandbox, within_s: float = 5.0) -> list[str]:
    """Wait up to `within_s` for the processes of this sandbox to end, and return the others."""
    deadline = time.monotonic() + within_s
    while True:
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                words = (process / "cmdline").read_text(errors="replace")
            except OSError:
                continue
            if box.library in words:
                found.append(f"{process.name}: {words[-200:]}")
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.05)


def start(box: BwrapSandbox) -> None:
    box.start(SPINS, QUICK)


def fill_and_start(box: BwrapSandbox) -> None:
    box.fill_warm_pool("python", QUICK, 1)
    box.start(SPINS, QUICK)


def fill(box: BwrapSandbox) -> None:
    box.fill_warm_pool("python", Limits(), 1)
    time.sleep(MAX_DELAY_S)
    box.close()


@pytest.mark.parametrize("begin", [start, fill_and_start, fill])
def test_nothing_outlives_an_arena_killed_at_any_moment(box: BwrapSandbox, begin: Begin) -> None:
    rng = random.Random(1)
    for _ in range(ROUNDS):
        arena = os.fork()
        if arena == 0:
            try:
                while True:
                    begin(box)
            finally:
                os._exit(1)
        time.sleep(rng.uniform(0, MAX_DELAY_S))
        os.kill(arena, signal.SIGKILL)
        assert os.waitstatus_to_exitcode(os.waitpid(arena, 0)[1]) == -signal.SIGKILL
    assert not list_survivors(box)


def test_nothing_is_left_of_what_is_closed_before_it_is_there(box: BwrapSandbox) -> None:
    rng = random.Random(2)
    for _ in range(ROUNDS):
        box.fill_warm_pool("python", QUICK, 2)
        time.sleep(rng.uniform(0, MAX_DELAY_S))
        box.close()
    assert not list_survivors(box)


def test_a_warm_pool_without_requests_is_emptied(box: BwrapSandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "WARM_POOL_IDLE_S", 1.0)
    monkeypatch.setattr(program, "IDLE_CHECK_INTERVAL_S", 0.2)
    reading, writing = os.pipe()
    service = program.RunnerService(Channel(reading, writing), None)
    service.sandbox = box
    waiting = threading.Thread(target=service.wait_for_request)
    waiting.start()
    while not list_survivors(box, within_s=0):
        assert waiting.is_alive(), "the pool was never filled"
    assert not list_survivors(box) and waiting.is_alive()
    os.close(writing)
    waiting.join()
    os.close(reading)
