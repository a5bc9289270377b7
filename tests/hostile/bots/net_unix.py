# attack: connects to sockets of this machine, by path and by abstract name
# expect: ok
# see: nothing reached the path, the abstract or the datagram socket
# bare: leaks
import socket

import trick


def connected(address: str) -> None:
    socket.socket(socket.AF_UNIX).connect(address)


def sent(address: str) -> None:
    socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(b"secrets", address)


def attack(aim: trick.Aim) -> str:
    return trick.successes(
        {
            "by path": lambda: connected(aim["door"]),
            "by abstract name": lambda: connected("\0" + aim["abstract"]),
            "a datagram": lambda: sent("\0" + aim["datagram"]),
            "the system's bus": lambda: connected("/run/dbus/system_bus_socket"),
            "an engine's": lambda: connected("/var/run/docker.sock"),
        }
    )


trick.run(attack)
