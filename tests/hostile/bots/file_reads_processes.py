# attack: reads environment, memory and files of other processes below /proc, its arena's first
# expect: ok
# see: the secret of the process is told nowhere
# bare: leaks
import os

import trick


def attack(aim: trick.Aim) -> str:
    attempts = {"the list of processes": lambda: bool([name for name in os.listdir("/proc") if name.isdecimal()])}
    for who in (aim["target"], aim["arena"], os.getppid(), 1, "self", "thread-self"):
        for name in ("environ", "cmdline", "maps", "status", "root/etc/passwd", "cwd/pyproject.toml"):
            path = f"/proc/{who}/{name}"
            attempts[path] = lambda path=path: trick.read(path)
    got = trick.successes(attempts)
    environment = f"/proc/{aim['target']}/environ"
    return f"{trick.read(environment)} {got}" if environment in got else got


trick.run(attack)
