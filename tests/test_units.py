"""The units of systemd: closed as far as they can be, and open as far as they must be."""

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from arena.core.environment_table import SETTINGS
from arena.runner.sandbox.seccomp import ALLOWED, BUILD_CALLS, FILE_CHANGES, list_decisions
from tests.runner.landlock.ordinary_user import find_python, run_as_ordinary_user

ROOT = Path(__file__).resolve().parents[1]
UNITS = sorted((ROOT / "docs" / "systemd").glob("*.service"))
WITH_BOTS = {"pennant-worker", "pennant-live"}
MOST_EXPOSED = {"pennant-worker": 2.8, "pennant-live": 2.8}
"""What sandboxes need costs 1.5: the comments in these units say what that is."""
MOST_EXPOSED_WITHOUT_BOTS = 1.3
EXAMINE = "from arena.runner.sandbox.detection import examine; print(examine(('python',))[1].level)"
BUILD = "from arena.runner.sandbox.detection import examine; print(*examine(('python', 'c'))[0].languages)"
PLAY = "from arena.cli import main; main(['play', 'bots/samples/random', 'bots/samples/greedy'])"
PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN = 65, 1
WITHOUT_NEW_CODE = f"""
import ctypes, os, sys
if ctypes.CDLL(None, use_errno=True).prctl({PR_SET_MDWE}, {PR_MDWE_REFUSE_EXEC_GAIN}, 0, 0, 0):
    sys.exit("this kernel can't refuse memory that is written and executed")
os.execv(sys.argv[1], sys.argv[1:])
"""
needs_analyze = pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="there is no systemd-analyze")


def read_unit(name: str) -> dict[str, list[str]]:
    """Return the settings of a unit, each with its values in order."""
    found: dict[str, list[str]] = {}
    for line in (ROOT / "docs" / "systemd" / f"{name}.service").read_text().splitlines():
        key, equals, value = line.partition("=")
        if equals and not line.startswith("#"):
            found.setdefault(key, []).append(value)
    return found


def list_group(group: str) -> set[str]:
    """Return the system calls of one of systemd's groups, those of groups in it, too."""
    done = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True, check=True)
    names = [line.strip() for line in done.stdout.splitlines()[1:] if line.strip() and not line.strip().startswith("#")]
    return {call for name in names for call in (list_group(name) if name.startswith("@") else {name})}


def list_calls(name: str) -> set[str]:
    """Return the system calls that a unit allows."""
    calls = list_group("@default")
    for value in read_unit(name)["SystemCallFilter"]:
        words = {
            call
            for word in value.removeprefix("~").split()
            for call in (list_group(word) if word.startswith("@") else {word})
        }
        calls = calls - words if value.startswith("~") else calls | words
    return calls


def write_profile(name: str, folder: Path) -> Path:
    """Write the filter of a unit as a profile that `tests.confine` applies."""
    rules = [{"names": sorted(list_calls(name)), "action": "SCMP_ACT_ALLOW"}]
    machine = [{"architecture": f"SCMP_ARCH_{platform.machine().upper()}"}]
    profile = {"defaultAction": "SCMP_ACT_ERRNO", "defaultErrnoRet": 1, "archMap": machine, "syscalls": rules}
    (folder / "profile.json").write_text(json.dumps(profile))
    (folder / "profile.json").chmod(0o644)
    return folder / "profile.json"


@needs_analyze
@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_the_exposure_of_a_unit_is_low(unit: Path) -> None:
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True)
    found = re.search(r"exposure level for \S+: (\d+\.\d+)", done.stdout)
    if found is None:
        pytest.skip(f"this systemd-analyze can't look at files: {done.stderr}")
    assert float(found[1]) <= MOST_EXPOSED.get(unit.stem, MOST_EXPOSED_WITHOUT_BOTS)


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_a_unit_is_limited_and_only_those_with_bots_may_do_more(unit: Path) -> None:
    settings = read_unit(unit.stem)
    for name in ("MemoryMax", "TasksMax", "LimitNOFILE", "SystemCallFilter", "RestrictAddressFamilies"):
        assert name in settings, name
    assert settings["CapabilityBoundingSet"] == [""] and settings["NoNewPrivileges"] == ["yes"]
    assert settings["ProtectSystem"] == ["strict"] and settings["ProtectHome"] == ["yes"]
    has_bots = unit.stem in WITH_BOTS
    for name in ("RestrictNamespaces", "MemoryDenyWriteExecute", "PrivateUsers", "ProtectHostname"):
        assert (settings.get(name) == ["yes"]) is not has_bots, name
    assert ("@mount" in " ".join(settings["SystemCallFilter"])) is has_bots
    assert ("Delegate" in settings) is has_bots and ("LimitMEMLOCK" in settings) is has_bots


def test_units_with_bots_have_a_user_and_settings_of_their_own() -> None:
    for unit in UNITS:
        settings, has_bots = read_unit(unit.stem), unit.stem in WITH_BOTS
        name = "pennant-worker" if has_bots else "pennant"
        assert settings["User"] == [name] and settings["EnvironmentFile"][-1] == f"/etc/{name}.env"
        unset = settings.get("UnsetEnvironment", [""])[0].split()
        secret = {setting.name for setting in SETTINGS if setting.is_secret}
        assert (secret <= set(unset)) is has_bots
        assert settings["StateDirectory"] == [name] and settings["StateDirectoryMode"] == ["0700"]


def test_the_remote_bot_server_is_as_closed_as_the_site() -> None:
    own = {"Description", "After", "ExecStart", "ExecStartPre", "ExecReload", "TimeoutStartSec", "CPUWeight"}
    site, remote = read_unit("pennant-web"), read_unit("pennant-remote")
    assert {key: site[key] for key in site.keys() - own} == {key: remote[key] for key in remote.keys() - own}


@needs_analyze
def test_the_filter_of_a_worker_refuses_nothing_that_bots_and_compilers_may_do() -> None:
    wanted = {*ALLOWED, *FILE_CHANGES, *BUILD_CALLS}
    wanted |= {name for name, decision in list_decisions("build").items() if not isinstance(decision, int)}
    assert wanted - list_calls("pennant-worker") <= {"map_shadow_stack", "riscv_flush_icache"}
    assert list_calls("pennant-worker") == list_calls("pennant-live")


@needs_analyze
@pytest.mark.parametrize(("code", "said"), [(EXAMINE, "A"), (BUILD, "c"), (PLAY, "greedy")])
def test_under_the_filter_of_a_worker_the_sandbox_is_the_best(code: str, said: str, tmp_path: Path) -> None:
    profile = write_profile("pennant-worker", tmp_path)
    command = [sys.executable, "-m", "tests.confine", str(profile), sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and said in done.stdout, done.stdout + done.stderr


@needs_analyze
def test_under_it_a_runner_process_of_an_ordinary_user_leaves_the_network() -> None:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        profile = write_profile("pennant-worker", Path(folder))
        confined = ("tests.confine", str(profile), find_python(), "-m", "tests.runner.attack_separation")
        found = json.loads(run_as_ordinary_user(*confined))
    assert set(found["layers"].values()) == {True}


@pytest.mark.full
@needs_analyze
def test_the_site_is_prepared_and_answers_under_its_filter_without_new_code(tmp_path: Path) -> None:
    profile = write_profile("pennant-web", tmp_path)
    data = tmp_path / "data"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "PENNANT_DATA": str(data), "LANG": "C.UTF-8"}
    environment |= {"DJANGO_SETTINGS_MODULE": "arena.settings", "PENNANT_RECORDED_GAMES": "off"}

    def confined(*arguments: str) -> str:
        without = [sys.executable, "-c", WITHOUT_NEW_CODE, sys.executable, *arguments]
        command = [sys.executable, "-m", "tests.confine", str(profile), *without]
        done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=240)
        if "this kernel" in done.stderr:
            pytest.skip(done.stderr)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    assert "Admin account" in confined("manage.py", "prepare")
    asked = "import django; django.setup(); from django.test import Client; "
    asked += "print(Client().get('/ladders/', headers={'host': 'localhost'}).status_code)"
    assert confined("-c", asked).split()[-1] == "200"
