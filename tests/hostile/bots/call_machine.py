# attack: asks how busy, how full and how long up the machine is
# expect: ok
# see: none of it is told
# bare: leaks
import os

import trick


def attack(aim: trick.Aim) -> str:
    return trick.successes(
        {
            "its load": os.getloadavg,
            "its memory": lambda: trick.checked(trick.LIBC.sysinfo(bytes(256))),
            "its disk": lambda: os.statvfs("/"),
        }
    )


trick.run(attack)
