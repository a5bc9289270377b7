"""What the container of a worker allows: no more than it needs, and all of that."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from arena.runner.sandbox.seccomp import ALLOWED, BUILD_CALLS, FILE_CHANGES, list_decisions
from arena.runner.sandbox.syscalls import read_numbers
from arena.settings import CELERY_TASK_ROUTES

ROOT = Path(__file__).resolve().parents[1]
PROFILE = ROOT / ".docker" / "worker-seccomp.json"
COMPOSE = (ROOT / "docker-compose.yml").read_text()
BEYOND = "Beyond Docker's default: "
BY_BUBBLEWRAP = {"clone", "mount", "umount2", "pivot_root", "sethostname"}
NEW_NAMESPACES = 0x7E020000
"""The flags of clone that Docker's default refuses."""
FORBIDDEN_IN_COMPOSE = ("privileged: true", "docker.sock", "cap_add", "pid: host", "network_mode", "seccomp=unconfined")
EXAMINE = "from arena.runner.sandbox import examine; print(examine(('python',))[1].level)"
PLAY = "from arena.cli import main; main(['play', 'bots/samples/random', 'bots/samples/greedy'])"
BUILD = "from arena.runner.sandbox import examine; print(*examine(('python', 'c'))[0].languages)"
PARK = """
from arena.runner.limits import Limits
from arena.runner.program import Program
from arena.runner.sandbox import find_sandbox
sandbox = find_sandbox(("python",))
sandbox.fill_warm_pool("python", Limits(), 1)
bot = sandbox.start(Program("echo", 1, {"bot.py": b"print(input())"}), Limits())
print(type(bot).__name__, bot.ask(b"hello\\n", 5))
bot.close()
sandbox.close()
"""
CALLS_OF_KERNELS_AND_MACHINES = {
    *("acct", "add_key", "bpf", "chroot", "clock_adjtime", "clock_settime", "delete_module", "fanotify_init"),
    *("finit_module", "fsconfig", "fsmount", "fsopen", "fspick", "init_module", "io_uring_enter", "io_uring_register"),
    *("io_uring_setup", "ioperm", "iopl", "kcmp", "kexec_file_load", "kexec_load", "keyctl", "lookup_dcookie"),
    *("mbind", "migrate_pages", "mount_setattr", "move_mount", "move_pages", "name_to_handle_at", "open_by_handle_at"),
    *("open_tree", "perf_event_open", "pidfd_getfd", "process_madvise", "process_vm_readv", "process_vm_writev"),
    *("ptrace", "quotactl", "reboot", "request_key", "setdomainname", "setns", "settimeofday", "shmget", "swapoff"),
    *("swapon", "syslog", "unshare", "userfaultfd", "vhangup", "modify_ldt", "quotactl_fd"),
}


@pytest.fixture(scope="module")
def profile() -> dict[str, Any]:
    return json.loads(PROFILE.read_text())


def allowed(profile: dict[str, Any]) -> set[str]:
    return {name for rule in profile["syscalls"] if rule["action"] == "SCMP_ACT_ALLOW" for name in rule["names"]}


def run(code: str, profile: Path) -> str:
    command = [sys.executable, "-m", "tests.confine", str(profile), sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_what_is_not_allowed_is_refused(profile: dict[str, Any]) -> None:
    assert profile["defaultAction"] == "SCMP_ACT_ERRNO"
    assert not allowed(profile) & CALLS_OF_KERNELS_AND_MACHINES


def test_every_line_has_its_reason(profile: dict[str, Any]) -> None:
    reasons = [rule["comment"] for rule in profile["syscalls"]]
    assert all(len(reason) > 20 and reason.endswith(".") for reason in reasons)
    assert len(set(reasons)) == len(reasons)


def test_every_name_is_a_call_and_is_there_once(profile: dict[str, Any]) -> None:
    plain = [name for rule in profile["syscalls"] if "args" not in rule for name in rule["names"]]
    assert len(set(plain)) == len(plain)
    assert allowed(profile) <= read_numbers("x86_64").keys() | read_numbers("aarch64").keys()


def test_what_goes_beyond_the_default_is_what_bubblewrap_needs(profile: dict[str, Any]) -> None:
    beyond = [rule["names"] for rule in profile["syscalls"] if rule["comment"].startswith(BEYOND)]
    assert sorted(beyond) == sorted([name] for name in BY_BUBBLEWRAP)


def test_bots_and_compilers_are_refused_nothing_by_it_that_their_own_filter_allows(profile: dict[str, Any]) -> None:
    wanted = {*ALLOWED, *FILE_CHANGES, *BUILD_CALLS}
    wanted |= {name for name, decision in list_decisions("build").items() if not isinstance(decision, int)}
    assert wanted <= allowed(profile)


def test_under_it_a_machine_has_the_best_level() -> None:
    assert run(EXAMINE, PROFILE) == "A"


def test_under_it_a_match_is_played() -> None:
    assert "greedy" in run(PLAY, PROFILE)


def test_under_it_a_bot_is_built() -> None:
    assert "c" in run(BUILD, PROFILE).split()


def test_under_it_a_sandbox_that_waits_becomes_a_bot() -> None:
    assert run(PARK, PROFILE) == "WarmProcess b'hello'"


@pytest.mark.parametrize("name", sorted(BY_BUBBLEWRAP))
def test_without_any_call_beyond_the_default_there_is_the_fence(
    profile: dict[str, Any], name: str, tmp_path: Path
) -> None:
    rules = [rule for rule in profile["syscalls"] if rule["names"] != [name]]
    assert len(rules) == len(profile["syscalls"]) - 1
    if name == "clone":
        no_namespaces = {"index": 0, "value": NEW_NAMESPACES, "op": "SCMP_CMP_MASKED_EQ"}
        rules.append({"names": ["clone"], "action": "SCMP_ACT_ALLOW", "args": [no_namespaces]})
    (tmp_path / "less.json").write_text(json.dumps({**profile, "syscalls": rules}))
    assert run(EXAMINE, tmp_path / "less.json") == ("C" if os.geteuid() == 0 else "D")


def test_nothing_in_compose_is_privileged() -> None:
    settings = "\n".join(line.partition("#")[0] for line in COMPOSE.splitlines())
    for word in FORBIDDEN_IN_COMPOSE:
        assert word not in settings
    assert "cap_drop: [ALL]" in settings and "read_only: true" in settings
    assert "seccomp=.docker/worker-seccomp.json" in settings and "no-new-privileges:true" in settings


def test_no_service_but_the_web_can_be_reached_from_outside() -> None:
    assert len(re.findall(r"^ +ports:", COMPOSE, re.MULTILINE)) == 1
    assert re.search(r"back:\n    internal: true", COMPOSE)


def test_who_plays_matches_has_no_way_out_and_who_tells_webhooks_plays_none() -> None:
    services = dict(re.findall(r"^  (\w+):\n((?:    .*\n|\n)+)", COMPOSE, re.MULTILINE))
    assert "networks: [back]" in services["worker"] and "--queues" not in services["worker"]
    assert "networks: [front, back]" in services["courier"] and "--queues, deliveries" in services["courier"]
    assert CELERY_TASK_ROUTES == {"arena.tasks.send_delivery": {"queue": "deliveries"}}
