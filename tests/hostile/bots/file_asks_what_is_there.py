# attack: asks whether paths exist and how large they are, without opening them
# expect: ok
# see: outside of what it may read, nothing is there
# bare: leaks
# open: C D, Landlock doesn't cover stat, and a chroot would take rights that a container hasn't got
import os

import trick

PATHS = ("/etc/passwd", "/root", "/home", "/var/lib/dpkg/status", "/proc/1", "/sys/class", "/dev/null")


def attack(aim: trick.Aim) -> str:
    paths = (aim["secret"], aim["folder"], *PATHS)
    return trick.successes({path: lambda path=path: os.stat(path) for path in paths})


trick.run(attack)
