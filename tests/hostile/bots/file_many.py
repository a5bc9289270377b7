# attack: makes hundreds of empty files, which cost a machine memory and no bytes
# expect: ok
# see: not one is made
# bare: leaks
import os

import trick


def attack(aim: trick.Aim) -> str:
    made = 0
    for place in ("/tmp", "/var/tmp", "/dev/shm", "/bot", "."):
        try:
            folder = f"{place}/{aim['mark']}-many"
            os.mkdir(folder)
            for number in range(200):
                os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
                made += 1
        except OSError:
            continue
    return f"{made} files" if made else ""


trick.run(attack)
