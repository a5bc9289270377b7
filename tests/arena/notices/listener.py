"""A server on this machine that a webhook may lead to, and that remembers what it was told."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


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
