"""Without namespaces Landlock is used, with the default privileges of a container."""

import json
import os
import subprocess
import sys

import pytest

from engine.message import Message
from tests.runner.landlock import ordinary_user

MODULE = "tests.runner.landlock.without_namespaces"
DEFAULT = ("chown", "dac_override", "fsetid", "fowner", "setgid", "setuid", "setpcap", "sys_chroot", "kill")
"""Capabilities of root in a Docker container that concern processes and files."""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give bots users of their own")
def test_root_in_a_container_gives_each_bot_a_user() -> None:
    held = ",".join(("-all", *(f"+{name}" for name in DEFAULT)))
    done = subprocess.run(
        ["/usr/bin/setpriv", f"--bounding-set={held}", f"--inh-caps={held}", "--", sys.executable, "-m", MODULE],
        cwd=ordinary_user.PROJECT_ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    assert (report["level"], report["sandbox"]) == ("C", "landlock"), report["hint"]
    assert "A better sandbox is possible" in str(Message.from_json(report["hint"]))


def test_an_ordinary_user_in_a_container_uses_landlock() -> None:
    report = json.loads(ordinary_user.run_as_ordinary_user(MODULE))
    assert (report["level"], report["sandbox"]) == ("D", "landlock"), report["hint"]
    assert {layer["name"] for layer in report["layers"]} >= {"Landlock", "system calls", "no capabilities"}
    assert {layer["holds"] for layer in report["layers"] if layer["is_needed"]} == {True}
