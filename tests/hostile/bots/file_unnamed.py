# attack: makes a file that lies in memory and has no name, as large as it likes
# expect: ok
# see: it is refused, as its pages count for nobody
# bare: leaks
import os

import trick


def attack(aim: trick.Aim) -> str:
    fd = os.memfd_create(aim["mark"])
    for _ in range(aim["memory_mb"] * 2):
        os.write(fd, bytes(1 << 20))
    return f"{os.fstat(fd).st_size >> 20} MiB without a name"


trick.run(attack)
