"""Servers on this machine that a webhook may lead to: one that remembers what it was told, and one that wastes time."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Event, Thread


@dataclass
class Listener:
    url: str
    status: int = 204
    location: str = ""
    got: list[tuple[dict[str, str], bytes]] = field(default_factory=list)
    """Headers in lower case, and the body."""


@contextmanager
def listening() -> Iterator[Listener]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            listener.got.append(({name.lower(): value for name, value in self.headers.items()}, body))
            self.send_response(listener.status)
            if listener.location:
                self.send_header("location", listener.location)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        listener = Listener(f"http://127.0.0.1:{server.server_port}/hook")
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield listener
        finally:
            server.shutdown()
            thread.join()


@contextmanager
def wasting(answer: Iterable[bytes], pause_s: float = 0.0) -> Iterator[str]:
    """Serve an answer that comes in pieces, with a pause after each. Yields the address."""
    is_over = Event()

    class Handler(BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            with suppress(OSError):
                for piece in answer:
                    self.request.sendall(piece)
                    if is_over.wait(pause_s):
                        return

    class Server(ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/hook"
        finally:
            is_over.set()
            server.shutdown()
            thread.join()
