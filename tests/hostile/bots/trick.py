"""What the hostile bots in Python share: they play along, try something at their first turn, and tell what came of it.

Their messages are read by hand where that is the trick; all else is here.
"""

import ctypes
import errno
import json
import os
import sys
from collections.abc import Callable, Mapping
from typing import Any

LIBC = ctypes.CDLL(None, use_errno=True)
READY = '{"type":"ready"}'
Aim = dict[str, Any]


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def answer(note: str) -> None:
    say(json.dumps({"action": "say 1", "note": ascii(note)[1:-1][:190]}))


def aim_of(hello: str) -> Aim:
    """What the harness tells a bot to aim at, with its own seat and limits."""
    message = json.loads(hello)
    return {**message["options"]["aim"], "seat": message["seat"], **message["limits"]}


def sit_down() -> Aim:
    """Up to the first turn."""
    aim = aim_of(sys.stdin.readline())
    say(READY)
    sys.stdin.readline()
    return aim


def play(note: str) -> None:
    """From a turn that has been read left."""
    answer(note)
    for line in sys.stdin:
        if '"type":"turn"' in line:
            answer(note)


def run(attack: Callable[[Aim], object]) -> None:
    """An attack returns what it got, or raises OSError where it is refused."""
    aim = sit_down()
    play(outcome(lambda: attack(aim)))


def outcome(attack: Callable[[], object]) -> str:
    try:
        got = attack()
    except OSError as error:
        return f"refused: {errno.errorcode.get(error.errno or 0, error)}"
    return f"LEAK {got}" if got else "nothing"


def successes(attempts: Mapping[str, Callable[[], object]]) -> str:
    """The names of those that were not refused and did not return False."""
    done = []
    for name, attempt in attempts.items():
        try:
            if attempt() is not False:
                done.append(name)
        except (OSError, ValueError):
            continue
    return ", ".join(done)


def checked(result: int) -> int:
    """The result of a call into the C library, unless it failed."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def read(path: str, most: int = 60) -> str:
    with open(path, "rb") as file:
        return repr(file.read(most))
