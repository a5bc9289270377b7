# attack: reads how much processor time other processes have used, its opponent's and its arena's
# expect: ok
# see: no clock but its own can be read
# bare: leaks
import os
import time

import trick


def attack(aim: trick.Aim) -> str:
    return trick.successes(
        {
            f"the clock of {pid}": lambda pid=pid: time.clock_gettime((~pid << 3) | 2)
            for pid in (aim["target"], aim["arena"], os.getppid())
        }
    )


trick.run(attack)
