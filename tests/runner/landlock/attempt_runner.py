"""Run a bot that attempts forbidden things, and observe its process. Also run as another user, see `main`."""

import json
import os
import socket
import struct
import sys
import tempfile
from pathlib import Path
from typing import Any

from arena.runner.languages import Run
from arena.runner.program import Limits, Program
from arena.runner.sandbox.base import Sandbox
from arena.runner.sandbox.detection import find_unsandboxed
from arena.runner.sandbox.exec_bot import Job
from arena.runner.sandbox.landlock import LandlockSandbox, Slot

ALLOW = struct.pack("<HBBI", 6, 0, 0, 0x7FFF0000)
"""BPF_RET | BPF_K with SECCOMP_RET_ALLOW."""
ATTEMPTS = Path(__file__).with_name("attempts_bot.py")
READ = ("/etc/passwd", "/etc", "/proc", "/proc/self/status", "/proc/self/fd", "/sys/kernel", "/dev/null", "/var", "/")


def landlock_sandbox(abi: int, kind: type[LandlockSandbox] = LandlockSandbox) -> LandlockSandbox:
    """Return the sandbox as on a kernel with this ABI of Landlock."""
    bare = find_unsandboxed()
    return kind(bare.library, bare.languages, abi)


class UnfilteredSandbox(LandlockSandbox):
    """A sandbox of Landlock whose filter allows every system call."""

    def _build_job(self, run: Run, limits: Limits, slot: Slot, process: int) -> Job:
        job = super()._build_job(run, limits, slot, process)
        job.filter = ALLOW
        return job


def run_attempts(box: Sandbox) -> dict[str, Any]:
    """Return the report of the bot attempts_bot.py and the status of its process."""
    with socket.create_server(("127.0.0.1", 0)) as listener, socket.socket(socket.AF_UNIX) as named:
        named.bind(f"\0pennant-test-{os.getpid()}")
        named.listen()
        with tempfile.TemporaryDirectory() as folder:
            Path(folder).chmod(0o777)
            Path(folder, "file").write_text("of ours")
            Path(folder, "file").chmod(0o666)
            task = {
                "read": [*READ, str(ATTEMPTS), f"{folder}/file"],
                "folder": folder,
                "port": listener.getsockname()[1],
                "name": f"pennant-test-{os.getpid()}",
            }
            bot = box.start(Program("attempts", 1, {"bot.py": ATTEMPTS.read_bytes()}), Limits())
            try:
                told = json.loads(bot.ask(json.dumps(task).encode() + b"\n", 10))
                status = Path(f"/proc/{bot.pid}/status").read_text().splitlines()
            finally:
                bot.close()
    return told | {"status": dict(line.split(":\t", 1) for line in status)}


KINDS = {"filtered": LandlockSandbox, "unfiltered": UnfilteredSandbox}


def main() -> None:
    print(json.dumps(run_attempts(landlock_sandbox(int(sys.argv[1]), KINDS[sys.argv[2]]))))


if __name__ == "__main__":
    main()
