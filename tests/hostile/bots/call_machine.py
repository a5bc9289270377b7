# attack: asks how busy, how full and how long up the machine is, and what it is called
# expect: ok
# see: none of it is told, and the name is not the machine's
# bare: leaks
# open: C D, the name: it is another only in a namespace
import os

import trick


def attack(aim: trick.Aim) -> str:
    return trick.successes(
        {
            "its load": os.getloadavg,
            "its memory": lambda: trick.checked(trick.LIBC.sysinfo(bytes(256))),
            "its disk": lambda: os.statvfs("/"),
            "its name": lambda: os.uname().nodename != "bot",
        }
    )


trick.run(attack)
