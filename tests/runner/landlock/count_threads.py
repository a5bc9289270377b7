"""Print how many threads a bot has while other processes of its user end, at level D, and what the self-test says."""

import json
import subprocess

from arena.runner.sandbox.detection import CANDIDATES, examine
from arena.runner.sandbox.files import enter_new_group
from arena.runner.sandbox.landlock import kernel_abi
from tests.runner.conftest import QUICK, written
from tests.runner.landlock.attempt_runner import landlock_sandbox

OTHERS = 20
STARTS_ALL = """
import threading
input()
threading.stack_size(65536)
started = 1
go_on = threading.Event()
try:
    while started < 300:
        threading.Thread(target=go_on.wait, daemon=True).start()
        started += 1
except RuntimeError:
    pass
print(started, flush=True)
input()
"""


def count() -> int:
    """Return how many threads a bot could start when others of its user had ended after its start."""
    others = [subprocess.Popen(["sleep", "60"]) for _ in range(OTHERS)]
    bot = landlock_sandbox(kernel_abi()).start(written(STARTS_ALL), QUICK)
    for other in others:
        other.kill()
        other.wait()
    try:
        return int(bot.ask(b"?\n", 5))
    finally:
        bot.close()


if __name__ == "__main__":
    group = enter_new_group()
    for name in set(CANDIDATES) - {"landlock"}:
        del CANDIDATES[name]
    report = examine({"python"})[1]
    print(json.dumps({"threads": count(), "level": report.level, "is_grouped": group is not None}))
    if group is not None:
        left = [folder.name for home in set(group.homes.values()) for folder in home.glob("pennant-*-*")]
        assert not left, left
        group.leave()
