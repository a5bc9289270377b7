# attack: forks twice with a session of its own between, to live on after the leg
# expect: ok
# see: no process is left
# bare: leaks
import os
import time

import trick


def attack(aim: trick.Aim) -> str:
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for fd in range(3):
                os.close(fd)
            time.sleep(20)
        os._exit(0)
    os.wait()
    return "a daemon runs"


trick.run(attack)
