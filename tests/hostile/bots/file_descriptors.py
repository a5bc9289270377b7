# attack: looks for descriptors of the arena that were left open in it, by the launcher that became the bot
# expect: ok
# see: it has stdin, stdout, stderr and its own pair of sockets, and no other
# bare: nothing, the arena hands on none in the first place
import os

import trick

trick.run(
    lambda aim: trick.successes({f"{fd}": lambda fd=fd: os.fstat(fd) for fd in range(3, 1024) if fd not in (62, 63)})
)
