# attack: tells its opponent a bit by a lock on a file that both may read
# expect: ok
# see: neither can lock, lease or watch a file of the machine
# bare: leaks
# opponent: self
import fcntl
import os
import sys

import trick


def attack(aim: trick.Aim) -> str:
    shared = os.open(os.path.realpath("/bin/sh"), os.O_RDONLY)
    return trick.successes(
        {
            "flock": lambda: fcntl.flock(shared, fcntl.LOCK_EX if aim["seat"] == 0 else fcntl.LOCK_SH | fcntl.LOCK_NB),
            "a record lock": lambda: fcntl.lockf(shared, fcntl.LOCK_SH | fcntl.LOCK_NB),
            "a lease": lambda: fcntl.fcntl(shared, fcntl.F_SETLEASE, fcntl.F_RDLCK),
            "a watch": lambda: trick.checked(
                trick.LIBC.inotify_add_watch(trick.LIBC.inotify_init(), b"/bin/sh", 0xFFF)
            ),
            "a notice": lambda: fcntl.fcntl(os.open("/usr/bin", os.O_RDONLY), fcntl.F_NOTIFY, 1),
            "an owner": lambda: fcntl.fcntl(sys.stdin, fcntl.F_SETOWN, os.getpid()),
        }
    )


trick.run(attack)
