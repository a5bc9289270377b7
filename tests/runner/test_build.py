"""Compilers in sandboxes: what they may do, and what is taken from them."""

import os
import re
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from arena.runner.languages import BOT, EXECUTABLE_NAME, Build, Run, Toolchain
from arena.runner.program import Program
from arena.runner.sandbox import build
from arena.runner.sandbox.base import BuildError, NoSandboxError, Sandbox, SandboxError
from arena.runner.sandbox.bwrap import BwrapSandbox
from arena.runner.sandbox.detection import find_unsandboxed
from tests.runner.conftest import QUICK
from tests.runner.processes import Started, wait_for_survivors
from tests.runner.sandboxes import find_bwrap

SOURCE = Program("built", 1, {"bot.c": b"/* what a script makes of it is a shell's */", "more/word.txt": b"apple"}, "c")
SHELL = Toolchain("1", Run(("/bin/sh", f"{BOT}/{EXECUTABLE_NAME}")))
"""A language whose compiler is a script of the test, and whose programs are shell scripts."""


@pytest.fixture(scope="module", params=["bwrap", "bare"])
def box(request: pytest.FixtureRequest) -> Sandbox:
    try:
        return find_bwrap() if request.param == "bwrap" else find_unsandboxed()
    except NoSandboxError as missing:
        pytest.skip(f"{request.param}: {missing}")


@pytest.fixture(scope="module")
def bwrap_sandbox() -> BwrapSandbox:
    try:
        return find_bwrap()
    except NoSandboxError as missing:
        pytest.skip(f"bwrap: {missing}")


def built(box: Sandbox, script: str, program: Program = SOURCE, **more: object) -> tuple[Program, str]:
    tools = replace(SHELL, build=replace(Build(script, EXECUTABLE_NAME), **more))
    return replace(box, languages={"c": tools}).build(program)


def test_one_file_comes_out_and_runs(box: Sandbox) -> None:
    script = """
    (echo 'read line; echo "$line"'; echo 'echo' $(cat more/word.txt)) > "$TMPDIR/artefact"
    echo to the log
    echo and this >&2
    """
    program, log = built(box, script)
    assert log == "to the log\nand this\n"
    assert program == replace(SOURCE, files={EXECUTABLE_NAME: b'read line; echo "$line"\necho apple\n'})
    bot = replace(box, languages={"c": SHELL}).start(program, QUICK)
    try:
        assert bot.ask(b"hello\n", 2) == b"hello"
    finally:
        bot.close()


def test_a_language_without_a_compiler_is_left_as_it_is(box: Sandbox) -> None:
    assert replace(box, languages={"c": SHELL}).build(SOURCE) == (SOURCE, "")


@pytest.mark.parametrize(
    ("script", "told"),
    [
        (
            "echo bot.c:1: no such bot >&2; exit 1",
            "bot.c:1: no such bot\nThe compiler exited with code 1.",
        ),
        ("false; echo > $TMPDIR/artefact", "The compiler exited with code 1."),
        ("true", "cat: .*artefact: No such file or directory\nThe compiler exited with code 1."),
        ("> $TMPDIR/artefact", "The compiler produced an empty file."),
        ("yes | head -c 17000000 > $TMPDIR/artefact", "The program is larger than 16 MiB."),
        ("ln -s /dev/urandom $TMPDIR/artefact", "The program is larger than 16 MiB."),
        ("yes", "The build wrote more than 4 MiB to the log."),
        ("kill -9 $$", "The compiler was killed by SIGKILL."),
    ],
)
def test_what_makes_no_program_is_told_to_its_author(box: Sandbox, script: str, told: str) -> None:
    with pytest.raises(BuildError) as raised:
        built(box, script)
    assert re.fullmatch(f"(?s).*{told}", f"{raised.value.log}{raised.value}")


def test_a_build_has_ten_seconds_of_all_its_processes_together(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch, list_started: Started
) -> None:
    assert build.MAX_BUILD_CPU_S == 10
    monkeypatch.setattr(build, "MAX_BUILD_CPU_S", 0.2)
    spin = "for number in $(seq 200000); do :; done"
    for script in (
        "while :; do :; done",
        f"while :; do ({spin}); done",
        f"({spin}; {spin}) & while :; do {spin}; done",
    ):
        with pytest.raises(BuildError, match="The build used more than 0 s of CPU time"):
            built(box, script)
    assert not wait_for_survivors(list_started())


def test_the_kernel_names_the_limit_that_was_meant_where_the_watch_comes_too_late(
    bwrap_sandbox: BwrapSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(build.BUILD_LIMITS, "cpu", 1)
    with pytest.raises(BuildError, match="The build used more than 10 s of CPU time"):
        built(bwrap_sandbox, "sh -c 'while :; do :; done'")


def test_a_build_that_sleeps_is_ended(box: Sandbox, monkeypatch: pytest.MonkeyPatch, list_started: Started) -> None:
    monkeypatch.setattr(build, "MAX_BUILD_WALL_S", 0.5)
    with pytest.raises(BuildError, match="The build took longer than"):
        built(box, "sleep 9")
    assert not wait_for_survivors(list_started())


def test_memory_of_all_processes_counts_together(
    box: Sandbox, monkeypatch: pytest.MonkeyPatch, list_started: Started
) -> None:
    monkeypatch.setattr(build, "MAX_BUILD_MEMORY_BYTES", 100 * 1024 * 1024)
    hog = "yes | head -c 40000000 | tail -c 40000000 | (sleep 3; cat > /dev/null) & "
    with pytest.raises(BuildError, match="The build used more than 100 MiB of memory"):
        built(box, f"{hog * 4} wait")
    assert not wait_for_survivors(list_started())


def test_the_log_keeps_its_beginning(box: Sandbox) -> None:
    _, log = built(box, "echo first; yes x | head -c 200000; echo > $TMPDIR/artefact")
    assert log.startswith("first\nx\nx\n") and len(log) == build.MAX_LOG_KEPT_BYTES


def test_a_log_is_text_whatever_was_written(box: Sandbox) -> None:
    with pytest.raises(BuildError) as raised:
        built(box, r"printf '\377\000word'; exit 3")
    assert (raised.value.log, str(raised.value)) == ("\ufffd\\x00word", "The compiler exited with code 3.")


def test_what_a_build_leaves_running_is_ended(box: Sandbox, list_started: Started) -> None:
    started = time.monotonic()
    program, _ = built(box, "sleep 30 > /dev/null 2>&1 3>&1 & echo done > $TMPDIR/artefact")
    assert program.files == {EXECUTABLE_NAME: b"done\n"} and time.monotonic() - started < 5
    assert not wait_for_survivors(list_started())


def test_no_descriptor_stays_open(box: Sandbox) -> None:
    before = os.listdir("/proc/self/fd")
    built(box, "echo > $TMPDIR/artefact")
    with pytest.raises(BuildError):
        built(box, "exit 1")
    assert len(os.listdir("/proc/self/fd")) == len(before)


def test_a_sandboxed_build_sees_its_source_and_scratch_alone(bwrap_sandbox: BwrapSandbox) -> None:
    script = """
    echo * / /* /dev/* $HOME $TMPDIR | tee $TMPDIR/artefact
    id -u
    for path in /bot/x /bot/bot.c /kit/x /usr/x /x /dev/x; do
        if (echo > $path) 2>/dev/null; then echo "$path was written"; fi
    done
    cat /etc/passwd || echo no such file
    """
    _, log = built(bwrap_sandbox, script)
    seen, uid, *rest = log.splitlines()
    assert seen.split()[:2] == ["bot.c", "more"] and seen.split()[-2:] == ["/tmp", "/tmp"]
    top = {path for path in seen.split() if path.startswith("/") and path.count("/") == 1} - {"/"}
    assert top <= {"/bin", "/bot", "/dev", "/kit", "/lib", "/lib32", "/lib64", "/tmp", "/usr"}
    assert {path for path in seen.split() if path.startswith("/dev/")} == set(build.DEVICES)
    assert uid == "1000" and rest == ["cat: /etc/passwd: No such file or directory", "no such file"]


def test_the_scratch_folder_of_a_sandboxed_build_is_limited(bwrap_sandbox: BwrapSandbox) -> None:
    fills = "for part in 1 2; do yes | head -c 40000000 > $TMPDIR/$part; done"
    for script, reason in ((fills, "No space left on device"), ("unshare --user true", "Operation not permitted")):
        with pytest.raises(BuildError) as raised:
            built(bwrap_sandbox, script)
        assert reason in raised.value.log


def test_the_processes_of_a_sandboxed_build_are_limited(bwrap_sandbox: BwrapSandbox, list_started: Started) -> None:
    script = "for number in $(seq 200); do sleep 5 & done; echo > $TMPDIR/artefact"
    with pytest.raises(BuildError) as raised:
        built(bwrap_sandbox, script)
    assert re.search("Cannot fork|Resource temporarily unavailable", raised.value.log)
    assert not wait_for_survivors(list_started())


def test_bubblewrap_that_fails_is_our_failure(bwrap_sandbox: BwrapSandbox) -> None:
    for broken in (replace(bwrap_sandbox, bwrap="/bin/false"), replace(bwrap_sandbox, library="/nowhere")):
        with pytest.raises(SandboxError):
            built(broken, "echo > $TMPDIR/artefact")


@pytest.mark.skipif(not shutil.which("gcc", path="/usr/bin"), reason="there is no C compiler")
def test_errors_name_the_files_of_the_bot(bwrap_sandbox: BwrapSandbox) -> None:
    program = replace(SOURCE, files={"bot.c": b'#include "/etc/passwd"\nint main(void) { return 1 }\n'})
    with pytest.raises(BuildError) as raised:
        built(bwrap_sandbox, "gcc /bot/bot.c -o $TMPDIR/artefact", program)
    assert "/bot/bot.c:1:10: fatal error: /etc/passwd: No such file or directory" in raised.value.log
    assert "root" not in raised.value.log
    assert Path("/etc/passwd").exists()
