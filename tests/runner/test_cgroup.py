import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from arena.runner.sandbox import files
from arena.runner.sandbox.files import MAX_THREADS, _list_parents, enter_new_group
from arena.runner.sandbox.landlock import kernel_abi
from tests.runner.landlock import count_threads, ordinary_user

TOGETHER = """
9:name=systemd:/
8:pids:/jobs
4:cpu,memory:/jobs/of/mine
0::/
""".strip()
MOUNTS = """
22 1 254:0 / / rw,relatime - ext4 /dev/vda rw
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory,cpu
39 31 0:36 /jobs /sys/fs/cgroup/pids rw,relatime shared:9 - cgroup cgroup rw,pids
41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw
""".strip()
ENTER = """
import os, sys
from pathlib import Path
from arena.runner.sandbox.files import enter_new_group
group = enter_new_group()
if group is None:
    sys.exit("none here")
group.set_limits(200, 40)
print(*sorted({str(folder) for folder in group.folders.values()}), flush=True)
"""
EATS = "held = []\nwhile True: held.append(b'x' * 2**20)"
FORKS = "import os, time\nfor _ in range(100):\n    if os.fork() == 0: time.sleep(0.5); os._exit(0)"


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", ENTER + code], capture_output=True, text=True, timeout=60)


@pytest.fixture(scope="module", autouse=True)
def made_here() -> None:
    if run("group.leave()").stderr.strip() == "none here":
        pytest.skip("this machine lets nobody make a control group here")


def test_each_hierarchy_is_found_where_it_is_mounted() -> None:
    homes = next(_list_parents(TOGETHER, MOUNTS))
    assert homes == {"memory": Path("/sys/fs/cgroup/memory/jobs/of/mine"), "pids": Path("/sys/fs/cgroup/pids")}


@pytest.mark.parametrize(("child", "stopped"), [(EATS, "-9"), (FORKS, "Resource temporarily unavailable")])
def test_all_processes_of_a_group_are_limited_together(child: str, stopped: str) -> None:
    done = run(f"import subprocess; print(subprocess.run([sys.executable, '-c', {child!r}]).returncode)")
    assert stopped in done.stdout + done.stderr + str(done.returncode)


def test_a_group_is_removed_with_its_process() -> None:
    done = run("group.leave()")
    assert done.returncode == 0
    assert not any(Path(folder).exists() for folder in done.stdout.split())


def test_an_abandoned_group_is_removed_by_the_next() -> None:
    killed = run("os.kill(os.getpid(), 9)")
    stale = [Path(folder) for folder in killed.stdout.split()]
    assert stale and all(folder.exists() for folder in stale)
    run("group.leave()")
    assert not any(folder.exists() for folder in stale)


def test_a_group_in_use_stays() -> None:
    with subprocess.Popen([sys.executable, "-c", f"{ENTER}input()"], stdin=-1, stdout=-1, text=True) as user:
        assert user.stdout is not None
        used = user.stdout.readline().split()
        run("group.leave()")
        assert used and all(Path(folder).exists() for folder in used)
        user.communicate("\n")
    run("group.leave()")
    assert not any(Path(folder).exists() for folder in used)


def test_without_a_mount_there_is_no_place_for_one(tmp_path: Path) -> None:
    (tmp_path / "cgroup").write_text("0::/\n")
    (tmp_path / "mountinfo").write_text("22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n")
    assert enter_new_group(tmp_path) is None
    assert files._parse_mounts("") == {}


@contextmanager
def in_delegated_groups(user: int) -> Iterator[None]:
    """Be in control groups of version 1 that belong to a user, as a delegated one of version 2 does."""
    homes = next(_list_parents(Path("/proc/self/cgroup").read_text(), Path("/proc/self/mountinfo").read_text()), {})
    if not homes or homes["memory"] == homes["pids"]:
        pytest.skip("only with version 1")
    with ExitStack() as undo:
        for home in homes.values():
            folder = home / f"of-test-{os.getpid()}"
            folder.mkdir()
            undo.callback(folder.rmdir)
            for path in (folder, *folder.iterdir()):
                os.chown(path, user, user)
            (folder / "cgroup.procs").write_text(str(os.getpid()))
            undo.callback((home / "cgroup.procs").write_text, str(os.getpid()))
        yield


@pytest.mark.skipif(os.geteuid() != 0 or kernel_abi() < 1, reason="needs root, and Landlock")
@pytest.mark.parametrize("is_delegated", [True, False])
def test_level_d_counts_the_threads_of_a_bot_alone_where_it_can(is_delegated: bool) -> None:
    with in_delegated_groups(ordinary_user.USER) if is_delegated else ExitStack():
        found = json.loads(ordinary_user.run_as_ordinary_user("tests.runner.landlock.count_threads"))
    assert (found["level"], found["is_grouped"]) == ("D", is_delegated)
    if is_delegated:
        assert found["threads"] == MAX_THREADS
    else:
        assert MAX_THREADS < found["threads"] <= MAX_THREADS + count_threads.OTHERS + 2
