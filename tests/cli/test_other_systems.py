"""Every command that authors use at home plays without what only Linux has."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import bot_paths, main
from arena.runner.portable import find_portable
from arena.runner.program import Limits, read_program
from arena.runner.sandbox.base import Sandbox
from arena.runner.sandbox.detection import find_unsandboxed
from tests.full import default_and_full
from tests.story.installation import ROOT

HERE = Path(__file__).with_name("other_systems")


def pennant(system: str, folder: Path, *arguments: str) -> str:
    """Run a command as that system would, and return what it says."""
    env = os.environ | {"PENNANT_TEST_SYSTEM": system, "PYTHONPATH": f"{HERE}{os.pathsep}{ROOT}"}
    command = [sys.executable, "-m", "pennant", *arguments]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode in (0, 1, 2, 3) and "Traceback" not in done.stderr, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.mark.parametrize("system", default_and_full(["windows"], ["macos"]))
def test_an_author_s_commands_run(system: str, tmp_path: Path) -> None:
    short = ("--edition", "short", "--seed", "7")
    pennant(system, tmp_path, "init", "heron")
    said = pennant(system, tmp_path, "play", "heron", "random", *short, "--out", "first")
    assert said.count("No sandbox") == 1 and said.count("none") == len(("heron", "random"))
    assert "first/1-1.json" in pennant(system, tmp_path, "rerun", "first/1-1.json", "--bot", "heron", "--seat", "0")
    assert "accuracy" in pennant(system, tmp_path, "analyse", "first/1-1.json", "--quick")
    assert "ok first/1-1.json" in pennant(system, tmp_path, "verify", "first/1-1.json")
    several = (*short, "--matches", "2")
    assert "random" in pennant(system, tmp_path, "gauntlet", "heron", "random", *several, "--out", "walk")
    assert "Round 3" in pennant(system, tmp_path, "tournament", "heron", "random", "greedy", *short, "--out", "cup")
    tried = pennant(system, tmp_path, "tune", "heron", "--param", "same_colour=1:3", "--samples", "2", *several)
    assert "same_colour" in tried
    for command in ("submit", "compare", "remote"):  # what they do is asked of an arena
        assert "Which arena?" in pennant(system, tmp_path, command, "heron")


@pytest.mark.parametrize(
    ("sample", "fault"),
    [("crashes", "crash"), ("garbage", "malformed"), ("silent", "start"), ("long-line", "output")],
)
def test_faults_have_their_verdicts(sample: str, fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bot_paths, "has_sandbox", lambda: False)
    bots = (f"faulty/{sample}", "random")
    said = CliRunner().invoke(main, ["play", *bots, "--edition", "short", "--json"], catch_exceptions=False)
    assert f'"{fault}"' in said.stdout


def test_the_sandbox_says_what_it_needs(tmp_path: Path) -> None:
    assert "needs Linux" in pennant("windows", tmp_path, "sandbox")


@pytest.mark.parametrize("find", [find_portable, find_unsandboxed])
def test_a_child_s_time_is_its_bot_s(find: Callable[[], Sandbox], tmp_path: Path) -> None:
    """A bot that lets another process think pays for it."""
    (tmp_path / "bot.py").write_text(
        "import subprocess, sys\n"
        "for line in sys.stdin:\n"
        "    subprocess.run([sys.executable, '-c', 'import time\\nwhile time.process_time() < 0.5: pass'])\n"
        "    print('done', flush=True)\n"
    )
    bot = find().start(read_program(tmp_path), Limits())
    try:
        assert bot.ask(b"{}\n", 60.0) == b"done" and 0.4 < bot.cpu_s < 1.0
    finally:
        bot.close()
