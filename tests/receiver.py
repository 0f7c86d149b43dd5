"""An HTTP server on this machine that webhooks are sent to: it keeps what it gets, and answers as told."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


@dataclass(frozen=True)
class Got:
    """A request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Receiver:
    """What came in, and how it is answered: status, headers and body by the request."""

    address: str = ""
    got: list[Got] = field(default_factory=list)
    answer: Callable[[Got], tuple[int, dict[str, str], bytes]] = lambda _got: (204, {}, b"")
    silence: Event | None = None  # until it is set nothing is answered

    def texts(self) -> list[str]:
        """The messages as chats show them."""
        return [got.json.get("content") or got.json.get("text") for got in self.got]


@contextmanager
def receiver() -> Iterator[Receiver]:
    """A server that ends with the block."""
    mine = Receiver()

    class Handler(BaseHTTPRequestHandler):
        def handle_any(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {name.lower(): value for name, value in self.headers.items()}
            got = Got(self.command, self.path, headers, body)
            mine.got.append(got)
            if mine.silence:
                mine.silence.wait(60)
            status, more, content = mine.answer(got)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **more}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_POST = do_PATCH = handle_any  # noqa: N815 - as the library calls them

        def log_message(self, *_args: Any) -> None:
            """Not on the standard error of the tests."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    mine.address = f"http://127.0.0.1:{server.server_port}"
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield mine
    finally:
        if mine.silence:
            mine.silence.set()
        server.shutdown()
        server.server_close()
        thread.join()
