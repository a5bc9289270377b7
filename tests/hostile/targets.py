"""Provide targets for hostile bots outside of all sandboxes, and detect changes to them."""

import contextlib
import ctypes
import os
import secrets
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

TARGET_PROCESS = Path(__file__).with_name("target_process.py")
PYTHON = "/usr/bin/python3"
"""An interpreter that all users may run."""
WRITABLE_FOLDERS = (
    "/tmp",
    "/var/tmp",
    "/dev/shm",
    "/run",
    "/run/lock",
    "/",
    "/home",
    os.path.expanduser("~"),
    os.getcwd(),
)
"""Folders in which bots might leave files with the mark in their names."""
SYSTEM_LISTS = ("/proc/net/unix", "/proc/keys", "/proc/self/mountinfo", "/proc/mounts", "/proc/modules", "/proc/swaps")
IPC = ("/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg")
STATUS = ("SigPnd", "ShdPnd", "TracerPid", "Cpus_allowed")
LIVING_STATES = "RSD"
LIBC = ctypes.CDLL(None)
KEYCTL = {"x86_64": 250, "aarch64": 219}
INVALIDATE = 21
CGROUPS = Path("/sys/fs/cgroup")


class Targets:
    """Targets of hostile bots, used by one thread and one match at a time. `user` is that of the target process."""

    def __init__(self, user: int | None = None) -> None:
        self.mark = f"hostile-{os.getpid()}-{secrets.token_hex(4)}"
        self.key = secrets.randbelow(1 << 30) + 1
        self.secrets = {name: secrets.token_hex(12) for name in ("file", "process", "opponent")}
        self._stack = ExitStack()
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="outside-", dir="/var/tmp"))
            self._stack.callback(shutil.rmtree, self.folder)
            self.folder.chmod(0o777)
            self.secret = self.folder / "secret"
            self._write_secret()
            self._listeners = self._listen()
            self._target_process = self._start_target_process(user)
        except BaseException:
            self._stack.close()
            raise
        self._before = self._take_snapshot()

    def __enter__(self) -> "Targets":
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._stack.close()

    def aim(self) -> dict[str, Any]:
        """Return what bots are told about the targets."""
        return {
            "secret": str(self.secret),
            "folder": str(self.folder),
            "port": self._listeners["tcp"].getsockname()[1],
            "udp": self._listeners["udp"].getsockname()[1],
            "door": str(self.folder / "door"),
            "abstract": f"{self.mark}-stream",
            "datagram": f"{self.mark}-datagram",
            "target": self._target_process.pid,
            "address": self._address,
            "arena": os.getpid(),
            "mark": self.mark,
            "key": self.key,
        }

    def find_secrets(self, told: str) -> list[str]:
        """Return the secrets that the output of a bot or a compiler contains."""
        return [f"the secret of the {name} was told" for name, secret in self.secrets.items() if secret in told]

    def collect_changes(self) -> list[str]:
        """Return the changes since the last call, and undo them for the next trial."""
        found = [f"something reached the {name} socket" for name in self._list_reached_sockets()]
        now = self._take_snapshot()
        for name, before in self._before.items():
            if now[name] != before:
                found.append(f"{name}: {before!r} became {now[name]!r}")
        found += [f"left behind: {path}" for path in self._list_left_behind()]
        self._restore()
        self._before = self._take_snapshot()
        return found

    def _write_secret(self) -> None:
        if self.secret.is_symlink() or self.secret.exists():
            self.secret.unlink()
        self.secret.write_text(self.secrets["file"])
        self.secret.chmod(0o666)

    def _listen(self) -> dict[str, socket.socket]:
        families = {
            "tcp": (socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            "udp": (socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            "path": (socket.AF_UNIX, socket.SOCK_STREAM, str(self.folder / "door")),
            "abstract": (socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self.mark}-stream"),
            "datagram": (socket.AF_UNIX, socket.SOCK_DGRAM, f"\0{self.mark}-datagram"),
        }
        found = {}
        for name, (family, kind, address) in families.items():
            listener = self._stack.enter_context(socket.socket(family, kind))
            listener.bind(address)
            if kind == socket.SOCK_STREAM:
                listener.listen(32)
            listener.setblocking(False)
            found[name] = listener
        (self.folder / "door").chmod(0o666)
        return found

    def _start_target_process(self, user: int | None) -> subprocess.Popen[str]:
        """Start the target process, which ends with its pipe and has the secret file as stdin."""
        reading, writing = os.pipe()
        self._stack.callback(os.close, writing)
        with self.secret.open() as secret:
            child = subprocess.Popen(
                [PYTHON if user else sys.executable, "-I", "-S", "-c", TARGET_PROCESS.read_text(), str(reading)],
                stdin=secret,
                stdout=subprocess.PIPE,
                env={"SECRET": self.secrets["process"]},
                pass_fds=(reading,),
                text=True,
                **({"user": user, "group": user, "extra_groups": []} if user else {}),
            )
        os.close(reading)
        self._stack.callback(child.wait)
        self._stack.callback(child.kill)
        assert child.stdout is not None
        self._stack.enter_context(child.stdout)
        self._address = int(child.stdout.readline())
        return child

    def _list_reached_sockets(self) -> list[str]:
        found = []
        for name, listener in self._listeners.items():
            while select.select([listener], [], [], 0)[0]:
                found.append(name)
                if listener.type == socket.SOCK_DGRAM:
                    listener.recv(65536)
                else:
                    listener.accept()[0].close()
        return found

    def _take_snapshot(self) -> dict[str, object]:
        status = dict(
            line.split(":\t", 1) for line in _lines(f"/proc/{self._target_process.pid}/status") if ":\t" in line
        )
        there = self.secret.exists()
        found = (self.secret if there else self.folder).lstat()
        return {
            "the secret": self.secret.read_bytes()[:100] if there else None,
            "its inode": (found.st_mode, found.st_uid, found.st_nlink, found.st_mtime_ns, found.st_ino),
            "its attributes": tuple(os.listxattr(self.secret)) if there else None,
            "the folder": sorted(os.listdir(self.folder)),
            "the target process": tuple(status.get(name) for name in STATUS),
            "its state": _state(self._target_process.pid) in LIVING_STATES,
            "its limits": _lines(f"/proc/{self._target_process.pid}/limits"),
            "its priority": _priority(self._target_process.pid),
            "its badness": _lines(f"/proc/{self._target_process.pid}/oom_score_adj"),
            "our processors": sorted(os.sched_getaffinity(0)),
            "our priority": _priority(os.getpid()),
            "the host's name": os.uname().nodename,
            "our descriptors": len(os.listdir("/proc/self/fd")),
        }

    def _list_left_behind(self) -> list[str]:
        """Return everything with the mark in its name, or with the key."""
        paths = [f"{place}/{name}" for place in WRITABLE_FOLDERS for name in _names(place) if self.mark in name]
        paths += [str(path) for path in self._groups()]
        own = {f"@{self.mark}-stream", f"@{self.mark}-datagram"}
        lists = [
            line for path in SYSTEM_LISTS for line in _lines(path) if self.mark in line and line.split()[-1] not in own
        ]
        return paths + lists + [line for path in IPC for line in _lines(path) if str(self.key) in line.split()]

    def _groups(self) -> list[Path]:
        return [path for depth in ("*", "*/*") for path in CGROUPS.glob(f"{depth}{self.mark}*")]

    def _restore(self) -> None:
        for place in (*WRITABLE_FOLDERS, str(self.folder)):
            for path in Path(place).glob(f"*{self.mark}*"):
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                else:
                    path.unlink()
        for path in self._groups():
            path.rmdir()
        self._remove_ipc()
        self._remove_keys()
        self._write_secret()
        if _state(self._target_process.pid) not in LIVING_STATES:
            raise RuntimeError("the target process is gone")
        os.sched_setaffinity(self._target_process.pid, os.sched_getaffinity(0))

    def _remove_ipc(self) -> None:
        for option, path in zip("msq", IPC, strict=True):
            for line in _lines(path):
                if line.split()[0] == str(self.key):
                    subprocess.run(["ipcrm", f"-{option}", line.split()[1]], check=True)

    def _remove_keys(self) -> None:
        for line in _lines("/proc/keys"):
            if self.mark in line:
                LIBC.syscall(KEYCTL[os.uname().machine], INVALIDATE, int(line.split()[0], 16))


def _names(folder: str) -> list[str]:
    with contextlib.suppress(OSError):
        return os.listdir(folder)
    return []


def _lines(path: str) -> list[str]:
    with contextlib.suppress(OSError):
        return Path(path).read_text(errors="replace").splitlines()
    return []


def _state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def _priority(pid: int) -> int:
    return os.getpriority(os.PRIO_PROCESS, pid)
