"""The site behind gunicorn, as an installation serves it: one worker, one client."""

from __future__ import annotations

import http.client
import multiprocessing
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.core.handlers.wsgi import WSGIHandler
from django.db import connections
from gunicorn.app.base import BaseApplication

PATIENCE = 20  # seconds until the server must listen


class Server(BaseApplication):
    """gunicorn in a process that has the settings of the one it was started from."""

    def __init__(self, port: int) -> None:
        self.port = port
        super().__init__()

    def load_config(self) -> None:
        self.cfg.set("bind", f"127.0.0.1:{self.port}")
        self.cfg.set("loglevel", "error")

    def load(self) -> WSGIHandler:
        return WSGIHandler()


class Client:
    """Asks for pages, each by a new connection."""

    def __init__(self, port: int) -> None:
        self.port = port

    def get(self, path: str, etag: str = "") -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        connection.request("GET", path, headers={"If-None-Match": etag} if etag else {})
        response = connection.getresponse()
        response.read()
        connection.close()
        assert response.status in (200, 304), f"{path} answered {response.status}"
        return response


@contextmanager
def served() -> Iterator[Client]:
    """A client of the site, served by another process as long as the context lasts."""
    connections.close_all()  # a connection does not survive a fork
    client = Client(_free_port())
    process = multiprocessing.get_context("fork").Process(target=Server(client.port).run)
    process.start()
    try:
        _wait_for(client)
        yield client
    finally:
        process.terminate()
        process.join()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
        return port


def _wait_for(client: Client) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        try:
            client.get("/bench/hello")
        except ConnectionError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)
        else:
            return
