"""What lies outside of every sandbox: things for hostile bots to aim at, and whether anything came to them."""

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

SENTINEL = Path(__file__).with_name("sentinel.py")
PYTHON = "/usr/bin/python3"
"""One that every user may run."""
PLACES = ("/tmp", "/var/tmp", "/dev/shm", "/run", "/run/lock", "/", "/home", os.path.expanduser("~"), os.getcwd())
"""Where something with a mark in its name might be left."""
LISTS = ("/proc/net/unix", "/proc/keys", "/proc/self/mountinfo", "/proc/mounts", "/proc/modules", "/proc/swaps")
IPC = ("/proc/sysvipc/shm", "/proc/sysvipc/sem", "/proc/sysvipc/msg")
STATUS = ("SigPnd", "ShdPnd", "TracerPid", "Cpus_allowed")
ALIVE = "RSD"
LIBC = ctypes.CDLL(None)
KEYCTL = {"x86_64": 250, "aarch64": 219}
INVALIDATE = 21
CGROUPS = Path("/sys/fs/cgroup")


class World:
    """One thread plays in it, one match after the other. `user` is who the sentinel is to be: whom bots are."""

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
            self._sentinel = self._start_sentinel(user)
        except BaseException:
            self._stack.close()
            raise
        self._before = self._look()

    def __enter__(self) -> "World":
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._stack.close()

    def aim(self) -> dict[str, Any]:
        """All that bots are told of it."""
        return {
            "secret": str(self.secret),
            "folder": str(self.folder),
            "port": self._listeners["tcp"].getsockname()[1],
            "udp": self._listeners["udp"].getsockname()[1],
            "door": str(self.folder / "door"),
            "abstract": f"{self.mark}-stream",
            "datagram": f"{self.mark}-datagram",
            "sentinel": self._sentinel.pid,
            "address": self._address,
            "arena": os.getpid(),
            "mark": self.mark,
            "key": self.key,
        }

    def found_in(self, told: str) -> list[str]:
        """Secrets in what a bot or a compiler let out."""
        return [f"the secret of the {name} was told" for name, secret in self.secrets.items() if secret in told]

    def complaints(self) -> list[str]:
        """What has come to it since it was last asked. It is mended, for the next to be judged by itself."""
        found = [f"something reached the {name} socket" for name in self._reached()]
        now = self._look()
        for name, before in self._before.items():
            if now[name] != before:
                found.append(f"{name}: {before!r} became {now[name]!r}")
        found += [f"left behind: {path}" for path in self._left()]
        self._mend()
        self._before = self._look()
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

    def _start_sentinel(self, user: int | None) -> subprocess.Popen[str]:
        """It dies with its pipe; its stdin is the secret file."""
        reading, writing = os.pipe()
        self._stack.callback(os.close, writing)
        with self.secret.open() as secret:
            child = subprocess.Popen(
                [PYTHON if user else sys.executable, "-I", "-S", "-c", SENTINEL.read_text(), str(reading)],
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

    def _reached(self) -> list[str]:
        found = []
        for name, listener in self._listeners.items():
            while select.select([listener], [], [], 0)[0]:
                found.append(name)
                if listener.type == socket.SOCK_DGRAM:
                    listener.recv(65536)
                else:
                    listener.accept()[0].close()
        return found

    def _look(self) -> dict[str, object]:
        status = dict(line.split(":\t", 1) for line in _lines(f"/proc/{self._sentinel.pid}/status") if ":\t" in line)
        there = self.secret.exists()
        found = (self.secret if there else self.folder).lstat()
        return {
            "the secret": self.secret.read_bytes()[:100] if there else None,
            "its inode": (found.st_mode, found.st_uid, found.st_nlink, found.st_mtime_ns, found.st_ino),
            "its attributes": tuple(os.listxattr(self.secret)) if there else None,
            "the folder": sorted(os.listdir(self.folder)),
            "the sentinel": tuple(status.get(name) for name in STATUS),
            "its state": _state(self._sentinel.pid) in ALIVE,
            "its limits": _lines(f"/proc/{self._sentinel.pid}/limits"),
            "its priority": _priority(self._sentinel.pid),
            "its badness": _lines(f"/proc/{self._sentinel.pid}/oom_score_adj"),
            "our processors": sorted(os.sched_getaffinity(0)),
            "our priority": _priority(os.getpid()),
            "the host's name": os.uname().nodename,
            "our descriptors": len(os.listdir("/proc/self/fd")),
        }

    def _left(self) -> list[str]:
        """Whatever has the mark in its name, or the key."""
        paths = [f"{place}/{name}" for place in PLACES for name in _names(place) if self.mark in name]
        paths += [str(path) for path in self._groups()]
        own = {f"@{self.mark}-stream", f"@{self.mark}-datagram"}
        lists = [line for path in LISTS for line in _lines(path) if self.mark in line and line.split()[-1] not in own]
        return paths + lists + [line for path in IPC for line in _lines(path) if str(self.key) in line.split()]

    def _groups(self) -> list[Path]:
        return [path for depth in ("*", "*/*") for path in CGROUPS.glob(f"{depth}{self.mark}*")]

    def _mend(self) -> None:
        for place in (*PLACES, str(self.folder)):
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
        if _state(self._sentinel.pid) not in ALIVE:
            raise RuntimeError("the sentinel is gone")
        os.sched_setaffinity(self._sentinel.pid, os.sched_getaffinity(0))

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
