"""Run inside a sandbox to see whether its walls stand. The options of its `hello` say what must be out of reach."""

import json
import os
import resource
import socket
import sys
from typing import Any

import pennant_kit  # type: ignore[import-not-found]

import engine.core


def faults(task: dict[str, Any]) -> list[str]:
    found = [f"{path} can be seen" for path in task["hidden"] if os.path.lexists(path)]
    found += [f"{path} can be written to" for path in ("/", "/bot", "/kit", "/usr/bin") if writable(path)]
    checks = {
        "the bot is root": 0 in (os.getuid(), os.geteuid()),
        "/proc is there": os.path.exists("/proc/self"),
        "this machine can be reached over the network": reachable(task["port"]),
        "memory is not limited": resource.getrlimit(resource.RLIMIT_DATA)[1] != task["memory"],
        "the environment is handed on": "HOME" in os.environ,
    }
    return found + [sentence for sentence, true in checks.items() if true]


def writable(folder: str) -> bool:
    try:
        with open(os.path.join(folder, "pennant-probe"), "w"):
            return True
    except OSError:
        return False


def reachable(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1):
            return True
    except OSError:
        return False


if __name__ == "__main__":
    task = json.loads(sys.stdin.readline())
    print(
        json.dumps(
            {
                "faults": faults(task),
                "imported": [pennant_kit.__name__, engine.core.__name__],
            }
        ),
        flush=True,
    )
