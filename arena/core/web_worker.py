"""Gunicorn's worker with threads, where a request's head has to arrive in time, and remote bots go elsewhere.

Gunicorn has a thread read each head, for as long as that takes: eight clients that never end theirs would hold all
threads of the site. A proxy reads heads itself, but not every arena has one.
"""

from contextlib import suppress
from socket import MSG_DONTWAIT, MSG_PEEK, SHUT_RDWR
from threading import Lock, Thread
from time import monotonic, sleep
from typing import Any

from gunicorn.workers.gthread import _DEFER, DEFAULT_WORKER_DATA_TIMEOUT, TConn, ThreadWorker

from arena.core.handover import find_channel, is_of_remote_bot, pass_connection

HEAD_TIMEOUT_S = 10.0
"""From when a connection is accepted, or its next request begins, to the end of that request's headers."""
CHECK_INTERVAL_S = 0.5
MAX_HEAD_BYTES = 64 * 1024
END_OF_HEAD = b"\r\n\r\n"
PASSED = object()
"""The result for a connection that was handed over to another process."""


class Worker(ThreadWorker):
    """A worker that ends connections whose request's head is not complete after HEAD_TIMEOUT_S."""

    def init_process(self) -> None:
        """Start the thread that looks after heads, and run."""
        self._lock = Lock()
        self._awaited: dict[TConn, float] = {}
        """Until when the head may arrive."""
        self._being_read: set[TConn] = set()
        Thread(target=self._end_late_heads, name="heads", daemon=True).start()
        super().init_process()

    def enqueue_req(self, conn: TConn) -> None:
        """Have the next thread that is free read a request and answer it."""
        with self._lock:
            self._awaited[conn] = monotonic() + HEAD_TIMEOUT_S
        super().enqueue_req(conn)

    def handle(self, conn: TConn) -> Any:
        """Read a request and answer it."""
        with self._lock:
            self._being_read.add(conn)
            self._awaited.setdefault(conn, monotonic() + HEAD_TIMEOUT_S)
        try:
            return self._pass(conn) or super().handle(conn)
        finally:
            self._stop_clock(conn)

    def _pass(self, conn: TConn) -> Any:
        """Pass a connection to the server of remote bots if it is a matter of that; return what became of it, or None.

        A request whose first bytes come in parts, or in a pipeline, stays here: the site asks for it on a new
        connection.
        """
        channel = find_channel()
        if channel is None or conn.cfg.is_ssl:
            return None
        if not conn.initialized and not conn.wait_for_data(DEFAULT_WORKER_DATA_TIMEOUT):
            return _DEFER  # as the base does with what says nothing
        if is_of_remote_bot(conn.sock) and not has_read_ahead(conn) and pass_connection(channel, conn.sock):
            return PASSED
        return None

    def finish_request(self, conn: TConn, future: Any) -> None:
        """Keep a connection, end it, or forget one that was passed."""
        if not future.cancelled() and future.exception() is None and future.result() is PASSED:
            self.nr_conns -= 1
            conn.sock.close()  # the other process has it open; a shutdown would end it there, too
            return
        super().finish_request(conn, future)

    def handle_request(self, req: Any, conn: TConn) -> Any:
        """Answer a request, whose head has been read."""
        self._stop_clock(conn)
        return super().handle_request(req, conn)

    def _stop_clock(self, conn: TConn) -> None:
        with self._lock:
            self._awaited.pop(conn, None)
            self._being_read.discard(conn)

    def _end_late_heads(self) -> None:
        while True:
            sleep(CHECK_INTERVAL_S)
            with self._lock:
                for conn in [conn for conn, deadline in self._awaited.items() if deadline < monotonic()]:
                    del self._awaited[conn]
                    if conn in self._being_read or not has_whole_head(conn):
                        with suppress(OSError):  # the client may be gone
                            conn.sock.shutdown(SHUT_RDWR)  # the thread that reads from it finds its end


def has_read_ahead(conn: TConn) -> bool:
    """Return whether a part of the next request has been taken from the connection already."""
    return bool(conn.parser is not None and conn.parser.unreader.buf.getvalue())


def has_whole_head(conn: TConn) -> bool:
    """Return whether a request that waits for a thread is complete but for its body: then the site is what is late."""
    with suppress(OSError):
        return END_OF_HEAD in conn.sock.recv(MAX_HEAD_BYTES, MSG_PEEK | MSG_DONTWAIT)
    return False
