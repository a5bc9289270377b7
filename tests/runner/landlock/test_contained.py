"""Where namespaces can't be had a fence is found instead, with no more rights than a container has by default."""

import json
import os
import subprocess
import sys

import pytest

from engine.message import Message
from tests.runner.landlock import ordinary

MODULE = "tests.runner.landlock.contained"
DEFAULT = ("chown", "dac_override", "fsetid", "fowner", "setgid", "setuid", "setpcap", "sys_chroot", "kill")
"""Of the capabilities that root has in a container of Docker's, those that have to do with processes and files."""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give bots users of their own")
def test_root_in_a_container_gives_each_bot_a_user() -> None:
    held = ",".join(("-all", *(f"+{name}" for name in DEFAULT)))
    done = subprocess.run(
        ["/usr/bin/setpriv", f"--bounding-set={held}", f"--inh-caps={held}", "--", sys.executable, "-m", MODULE],
        cwd=ordinary.ROOM,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["level"], report["sandbox"]) == ("C", "landlock"), report["hint"]
    assert "A better sandbox is possible" in str(Message.from_json(report["hint"]))


def test_an_ordinary_user_in_a_container_fences_with_its_own() -> None:
    report = json.loads(ordinary.output_of(MODULE))
    assert (report["level"], report["sandbox"]) == ("D", "landlock"), report["hint"]
    assert {layer["name"] for layer in report["layers"]} >= {"Landlock", "system calls", "no capability"}
    assert {layer["holds"] for layer in report["layers"]} == {True}
