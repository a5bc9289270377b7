# attack: asks where the links of other processes lead: their programs, folders and open files
# expect: ok
# see: none of them is told
# bare: leaks
import os

import trick


def attack(aim: trick.Aim) -> str:
    attempts = {}
    for who in (aim["target"], aim["arena"], os.getppid()):
        for name in ("exe", "cwd", "root", "fd/0", "fd/3", "ns/mnt"):
            path = f"/proc/{who}/{name}"
            attempts[path] = lambda path=path: os.readlink(path)
    return trick.successes(attempts)


trick.run(attack)
