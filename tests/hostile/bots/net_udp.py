# attack: sends datagrams to a port of this machine, and looks up a name
# expect: ok
# see: nothing reached the udp socket
# bare: leaks
import socket

import trick


def attack(aim: trick.Aim) -> str:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.sendto(b"secrets", ("127.0.0.1", aim["udp"]))
    return "a datagram"


trick.run(attack)
