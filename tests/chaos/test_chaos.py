"""What is promised of a whole arena holds when it is killed, frozen and starved at random."""

import subprocess
import sys
from random import Random

import pytest

from tests.chaos.__main__ import NO_SERVER_EXIT_CODE
from tests.chaos.events import EVENTS
from tests.chaos.run import choose_event
from tests.story.installation import ROOT

SEED = 7


def test_the_seed_decides_which_events_happen() -> None:
    one, other = (
        [choose_event(list(EVENTS), random).kind for _ in range(200)] for random in (Random(SEED), Random(SEED))
    )
    assert one == other
    assert set(one) == {event.kind for event in EVENTS}


@pytest.mark.full
@pytest.mark.parametrize(
    "arguments", [pytest.param(["--minutes", "5"], marks=pytest.mark.servers), ["--minutes", "1", "--embedded"]]
)
def test_chaos_breaks_no_promise(sandbox: None, arguments: list[str]) -> None:
    """In a process of its own, which adopts the orphans of those that are killed."""
    command = [sys.executable, "-m", "tests.chaos", "--seed", str(SEED), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    print(done.stdout)
    if done.returncode == NO_SERVER_EXIT_CODE:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.full
@pytest.mark.parametrize(
    "arguments", [pytest.param(["--legs", "12"], marks=pytest.mark.servers), ["--legs", "6", "--embedded"]]
)
def test_a_bad_network_loses_no_leg_of_a_remote_bot(sandbox: None, arguments: list[str]) -> None:
    command = [sys.executable, "-m", "tests.chaos.remote", "--seed", str(SEED), *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    print(done.stdout)
    if done.returncode == NO_SERVER_EXIT_CODE:
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stdout + done.stderr
