# attack: opens the pipes and the memory of processes that were started after it, its opponent's among them
# expect: ok
# see: not one can be opened
# bare: leaks
import os

import trick

NEAR = 80


def opened(path: str) -> None:
    os.close(os.open(path, os.O_RDONLY | os.O_NONBLOCK))


def attack(aim: trick.Aim) -> str:
    attempts = {}
    for pid in range(os.getpid() + 1, os.getpid() + NEAR):
        for name in ("fd/0", "fd/1", "mem", "maps"):
            path = f"/proc/{pid}/{name}"
            attempts[path] = lambda path=path: opened(path)
    return trick.successes(attempts)


trick.run(attack)
