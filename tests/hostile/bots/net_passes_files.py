# attack: keeps files alive in flight, by passing descriptors through a pair of sockets: they count for nobody there
# expect: ok
# see: no descriptor can be sent
# bare: leaks
import socket

import trick


def attack(aim: trick.Aim) -> str:
    one, other = socket.socketpair()
    socket.send_fds(one, [b"."], [other.fileno()])
    return "a descriptor in flight"


trick.run(attack)
