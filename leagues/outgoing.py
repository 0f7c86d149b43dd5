"""Requests to addresses that organizers typed, by which nobody reaches what only this machine can.

Only https, and only public addresses: a host name is looked up once, everything it stands for has to be
public, and the connection goes to what was looked at, so that another answer of the DNS a moment later
changes nothing. No redirect is followed, no proxy asked, little of the answer read, and the whole exchange
is cut after a while, however slowly the other side speaks. No error names the address: its path is a secret.
"""

from __future__ import annotations

import socket
import ssl
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from http.client import HTTPConnection, HTTPException
from ipaddress import IPv6Address, ip_address
from threading import Timer
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

STEP_SECONDS = 5.0  # for connecting, and between two pieces of an answer
SECONDS = 10.0  # for the whole exchange
LARGEST_ANSWER = 64 * 1024


class NoAnswerError(Exception):
    """There was no answer; its text is a sentence for who runs the league."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: bytes  # its beginning, where it is large
    retry_after: str  # the header, or empty


def check_address(address: str) -> None:
    """Raise ValidationError for what is no address that may be told of games."""
    schemes = ["https", "http"] if settings.WEBHOOKS_ANYWHERE else ["https"]
    parts = _split(address)
    if parts is None or parts.scheme not in schemes or not parts.hostname:
        raise ValidationError(
            _("Write a whole address that begins with https://, like https://example.org/hook.")
        )
    if parts.username or parts.password or parts.fragment:
        raise ValidationError(_("The address must have no user name, password or “#” in it."))
    with suppress(ValueError):  # a name is looked up when something is sent
        if not is_allowed(str(ip_address(parts.hostname))):
            raise ValidationError(_not_public())


def host_of(address: str) -> str:
    """What may be told of an address that was checked."""
    return str(urlsplit(address).hostname)


def send(method: str, address: str, body: bytes, headers: Mapping[str, str]) -> Answer:
    """Send a request to an address that was checked. Raises NoAnswerError."""
    parts = urlsplit(address)
    is_secure = parts.scheme == "https"
    host, port = str(parts.hostname), parts.port or (443 if is_secure else 80)
    connection = _Connection(host, port, _addresses(host, port), is_secure=is_secure)
    timer = Timer(SECONDS, connection.cut)
    timer.daemon = True
    timer.start()
    try:
        target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
        connection.request(method, target, body, dict(headers))
        answer = connection.getresponse()
        read = Answer(answer.status, answer.read(LARGEST_ANSWER), answer.headers.get("Retry-After", ""))
        if connection.is_cut:  # what was read may be half of it
            raise TimeoutError
        return read
    except ssl.SSLCertVerificationError as error:
        raise NoAnswerError(_("The certificate of the server is not valid.")) from error
    except (OSError, HTTPException, ValueError) as error:
        raise NoAnswerError(_("The server does not answer.")) from error
    finally:
        timer.cancel()
        connection.close()


def is_allowed(address: str) -> bool:
    """Whether an IP address is one of the public net, in whatever form it is written."""
    if settings.WEBHOOKS_ANYWHERE:
        return True
    ip = ip_address(address)
    if isinstance(ip, IPv6Address):
        # Which lead to an address of the old kind, or are a house's own by a rule of before.
        if ip.sixtofour or ip.teredo or ip.is_site_local:
            return False
        ip = ip.ipv4_mapped or ip
    return ip.is_global and not (ip.is_multicast or ip.is_reserved)


def _split(address: str) -> SplitResult | None:
    """The parts of an address; None where it cannot be sent to as it stands."""
    if not address.isascii() or not address.isprintable() or " " in address:
        return None
    try:
        parts = urlsplit(address)
        int(parts.port or 0)  # raises where it is no number of a port
    except ValueError:
        return None
    return parts


def _not_public() -> str:
    return _("The address leads into a network that is not public; nothing is sent there.")


def _addresses(host: str, port: int) -> list[str]:
    """What a host name stands for. Raises NoAnswerError where any of it is not public."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise NoAnswerError(_("No server has this name.")) from error
    addresses = list(dict.fromkeys(str(sockaddr[0]) for *_kind, sockaddr in found))
    if not all(map(is_allowed, addresses)):
        raise NoAnswerError(_not_public())
    return addresses


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


class _Connection(HTTPConnection):
    """A connection to one of these addresses, for a host that is called otherwise."""

    def __init__(self, host: str, port: int, addresses: Sequence[str], *, is_secure: bool) -> None:
        super().__init__(host, port, timeout=STEP_SECONDS)
        self.default_port = 443 if is_secure else 80  # which the header Host leaves out
        self.addresses, self.is_secure, self.is_cut = addresses, is_secure, False

    def connect(self) -> None:
        self.sock = self._first_that_answers()
        if self.is_secure:
            self.sock = _tls().wrap_socket(
                self.sock, server_hostname=self.host, do_handshake_on_connect=False
            )
            if self.is_cut:  # while the socket changed hands
                raise TimeoutError
            self.sock.do_handshake()

    def _first_that_answers(self) -> socket.socket:
        for address in self.addresses:
            if self.is_cut:  # a name may stand for very many addresses at which nobody answers
                break
            with suppress(OSError):
                return socket.create_connection((address, self.port), STEP_SECONDS)
        raise TimeoutError

    def cut(self) -> None:
        """End the exchange from another thread: whoever waits for the other side is woken."""
        self.is_cut = True
        if self.sock is not None:
            with suppress(OSError):
                socket.socket.shutdown(self.sock, socket.SHUT_RDWR)
