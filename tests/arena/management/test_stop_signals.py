"""`up` ends by a signal, however many come at once."""

import signal
import subprocess
import sys

import pytest

from tests.story.installation import ROOT

WAITS = """
from arena.management.stop_signals import StopSignals
signals = StopSignals()
print("ready", flush=True)
while not signals.wait(0.01):
    pass
"""
SIGNALS_AT_ONCE = 300


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_many_signals_at_once_are_one_wish(number: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", WAITS], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        for _ in range(SIGNALS_AT_ONCE):
            process.send_signal(number)
        try:
            assert process.wait(10) in (0, -number), "it ends, by itself or when its handlers are gone"
        finally:
            process.kill()


def test_without_a_signal_it_waits() -> None:
    code = "from arena.management.stop_signals import StopSignals as S; raise SystemExit(S().wait(0.01))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False, timeout=30).returncode == 0
