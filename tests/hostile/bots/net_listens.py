# attack: listens on ports and names of this machine, for somebody to come by
# expect: ok
# see: nothing with the mark in its name is among the sockets
# bare: leaks
import socket

import trick


def listening(family: int, address: object) -> None:
    listener = socket.socket(family)
    listener.bind(address)
    listener.listen()


def attack(aim: trick.Aim) -> str:
    return trick.successes(
        {
            "a port": lambda: listening(socket.AF_INET, ("0.0.0.0", 0)),
            "a port of IPv6": lambda: listening(socket.AF_INET6, ("::", 0)),
            "a name": lambda: listening(socket.AF_UNIX, f"\0{aim['mark']}-bot"),
            "a path": lambda: listening(socket.AF_UNIX, f"{aim['folder']}/{aim['mark']}-door"),
        }
    )


trick.run(attack)
