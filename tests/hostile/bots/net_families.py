# attack: makes a socket of every family and kind: some are in no namespace, and some talk to the kernel
# expect: ok
# see: not one is made
# bare: leaks
import socket

import trick

KINDS = (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW, socket.SOCK_SEQPACKET)
MPTCP = 262


def attack(aim: trick.Aim) -> str:
    made = {family for family in range(1, 47) for kind in KINDS if works(family, kind, 0)}
    made |= {f"MPTCP over {family}" for family in (2, 10) if works(family, socket.SOCK_STREAM, MPTCP)}
    return ", ".join(sorted(map(str, made)))


def works(family: int, kind: int, protocol: int) -> bool:
    try:
        socket.socket(family, kind, protocol).close()
    except OSError:
        return False
    return True


trick.run(attack)
