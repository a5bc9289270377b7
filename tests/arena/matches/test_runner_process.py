"""The process that plays, and the handle on it."""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from arena.bots.models import BotVersion
from arena.matches.models import WorkerStatus
from arena.matches.play import match_spec
from arena.matches.runner_process import INHERITED_VARIABLES, RunnerProcess, RunnerProcessError
from arena.matches.services import queue_match
from arena.matches.workers import RETRY_INTERVAL_S, STATUS_MAX_AGE_S, SandboxStatus
from arena.runner.match import LegProgress, MatchSpec, play_match
from arena.runner.program import Limits
from arena.runner.sandbox.base import Sandbox
from engine.message import literal
from engine.packages import VARIABLE
from tests.conftest import MakeVersion

FINDS_NOTHING = """
from arena.runner.sandbox.base import Report
from engine.message import literal
program.examine = lambda languages=None: (None, Report(None, "", (), (), literal("Install bubblewrap."), 1.0))
"""


@pytest.fixture
def another() -> Iterator[RunnerProcess]:
    """A runner process for a test that breaks it."""
    own = RunnerProcess()
    yield own
    own.kill()


@pytest.fixture
def changed() -> Iterator[Callable[[str], RunnerProcess]]:
    """Start a runner process with a change to its program."""
    with ExitStack() as stack:

        def start(change: str) -> RunnerProcess:
            code = f"from arena.runner import __main__ as program\n{change}\nprogram.main()"
            own = RunnerProcess((sys.executable, "-c", code))
            stack.callback(own.kill)
            return own

        yield start


@pytest.fixture
def spec(ana, ben, make_version: MakeVersion) -> MatchSpec:
    versions: list[BotVersion] = [make_version(ana, "Ana's"), make_version(ben, "Ben's")]
    return match_spec(queue_match(versions=versions, game="battleline", edition="standard"))


def test_the_runner_process_plays_as_this_process_would(runner: RunnerProcess, bare: Sandbox, spec: MatchSpec) -> None:
    def without_times(report):
        return [
            [{key: entry[key] for key in ("seat", "action")} for entry in leg.record["actions"]] for leg in report.legs
        ]

    assert without_times(runner.play(spec, lambda _: None)) == without_times(play_match(spec, bare))


def test_whoever_asks_can_stop_the_match(another: RunnerProcess, spec: MatchSpec) -> None:
    class Enough(Exception):
        pass

    def stop(_: LegProgress | None) -> None:
        raise Enough

    with pytest.raises(Enough):
        another.play(spec, stop)
    assert another.process is None
    assert another.play(spec, lambda _: None).points


def test_a_failure_of_its_own_is_told_and_survived(another: RunnerProcess, spec: MatchSpec) -> None:
    another.report()
    pid = another.process.pid
    wrong = MatchSpec("chess", spec.edition, spec.options, spec.deal, spec.salts, spec.limits, spec.programs)
    with pytest.raises(RunnerProcessError, match="chess"):
        another.play(wrong, lambda _: None)
    assert another.play(spec, lambda _: None).points
    assert another.process.pid == pid


def test_what_is_printed_in_it_is_no_message(changed: Callable[[str], RunnerProcess], spec: MatchSpec) -> None:
    talks = changed("program.RunnerService.make_heartbeat = lambda *_: lambda _: print('hello', flush=True)")
    assert talks.play(spec, lambda _: None).points


def test_it_is_given_nothing_that_it_does_not_need(another: RunnerProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "tell nobody")
    another.report()
    status = Path(f"/proc/{another.process.pid}")
    if os.geteuid() == 0:
        names = {entry.split(b"=")[0].decode() for entry in (status / "environ").read_bytes().split(b"\0") if entry}
        assert names <= {*INHERITED_VARIABLES, "LC_CTYPE"} | {VARIABLE, "PENNANT_BOT_PACKAGES"}
        files = [os.readlink(link) for link in (status / "fd").iterdir() if link.name not in ("1", "2")]
        assert all(file.startswith(("pipe:", "/dev/null", "anon_inode:")) for file in files), files
    else:
        with pytest.raises(PermissionError):
            (status / "environ").read_bytes()


def test_a_session_of_its_own_so_that_ctrl_c_lets_it_finish(another: RunnerProcess) -> None:
    another.report()
    assert os.getsid(another.process.pid) == another.process.pid


def test_closed_it_ends_by_itself(another: RunnerProcess) -> None:
    another.report()
    process = another.process
    another.close()
    assert process.returncode == 0


class TestSandboxStatus:
    def test_an_hour_later_everything_is_tried_anew(self, db: None, runner: RunnerProcess) -> None:
        status = SandboxStatus(runner)
        assert status.get() is runner
        first = runner.examined_at
        status.get()
        runner.examined_at = first - STATUS_MAX_AGE_S - 1
        assert status.get() is runner
        assert runner.examined_at > first

    def test_where_nothing_works_another_look_is_taken_soon(
        self, db: None, changed: Callable[[str], RunnerProcess]
    ) -> None:
        runner = changed(FINDS_NOTHING)
        status = SandboxStatus(runner)
        assert status.get() is None
        assert WorkerStatus.objects.get().hint == literal("Install bubblewrap.")
        seen = runner.examined_at = runner.examined_at - RETRY_INTERVAL_S - 1
        assert status.get() is None
        assert runner.examined_at > seen + RETRY_INTERVAL_S
        with pytest.raises(RunnerProcessError, match="no sandbox works here"):
            runner.play(MatchSpec("battleline", "standard", {}, {}, (), Limits(), ()), lambda _: None)
