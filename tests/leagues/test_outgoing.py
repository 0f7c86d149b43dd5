"""Requests to addresses that organizers typed reach the public net alone, and end."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import closing, suppress
from threading import Event, Thread
from typing import Any

import pytest
from django.core.exceptions import ValidationError

from leagues import outgoing
from leagues.outgoing import LARGEST_ANSWER, NoAnswerError, check_address, is_allowed, send
from tests.receiver import Got, Receiver, receiver

PUBLIC, PRIVATE = "93.184.216.34", "127.0.0.1"


@pytest.fixture
def server() -> Iterator[Receiver]:
    with receiver() as server:
        yield server


@pytest.fixture
def anywhere(settings: Any) -> None:
    settings.WEBHOOKS_ANYWHERE = True


def post(address: str) -> Any:
    return send("POST", address, b"{}", {})


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1", "10.0.0.1", "172.16.9.9", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0",
        "224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "::1", "::", "::127.0.0.1", "fe80::1",
        "fe80::1%lo",
        "fc00::1", "fec0::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1",
        "2002:7f00:1::", "2001:0:7f00:1::", "2001:db8::1",
    ],
)  # fmt: skip
def test_addresses_that_are_not_public_are_none_to_send_to(address):
    assert not is_allowed(address)


@pytest.mark.parametrize("address", [PUBLIC, "8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8"])
def test_public_addresses_are(address):
    assert is_allowed(address)


@pytest.mark.parametrize(
    "address",
    [
        "", "hook", "http://example.org/", "ftp://example.org/", "https://", "https:///x", "//example.org/x",
        "https://me:secret@example.org/", "https://me@example.org/", "https://example.org/#x",
        "https://example.org:x/", "https://example.org:99999/", "https://exa mple.org/",
        "https://example.org/\r\nX: y",
        "https://[::1/", "https://127.0.0.1/", "https://[::1]/", "https://10.0.0.1:8443/x", "https://пример.бг/",
        "javascript:alert(1)",
    ],
)  # fmt: skip
def test_what_is_no_address_for_a_webhook_is_refused_in_words(address):
    with pytest.raises(ValidationError) as refused:
        check_address(address)
    assert refused.value.messages[0].endswith(".")


@pytest.mark.parametrize(
    "address", ["https://example.org/hook?x=1", "https://example.org:8443", "https://93.184.216.34/"]
)
def test_a_public_address_is_taken(address):
    check_address(address)


def test_a_name_of_this_machine_is_refused_when_something_is_sent(server):
    with pytest.raises(NoAnswerError, match="not public"):
        post(server.address.replace("127.0.0.1", "localhost"))
    assert server.got == []


def test_control_the_same_arrives_where_private_networks_are_allowed(server, anywhere):
    assert post(server.address.replace("127.0.0.1", "localhost") + "/x?y=1").status == 204
    assert [(got.method, got.path) for got in server.got] == [("POST", "/x?y=1")]


def looked_up(*addresses: str) -> list[Any]:
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 443)) for address in addresses]


def test_a_name_with_one_address_that_is_not_public_is_refused(monkeypatch):
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: looked_up(PUBLIC, PRIVATE))
    with pytest.raises(NoAnswerError, match="not public"):
        post("https://example.org/")


def test_a_name_that_is_answered_otherwise_a_moment_later_leads_nowhere_else(monkeypatch):
    answers, connected = [looked_up(PUBLIC), looked_up(PRIVATE), looked_up(PRIVATE)], []

    def connect(address: Any, *args: Any, **options: Any) -> Any:
        connected.append(address)
        raise OSError("Nothing is sent in a test.")

    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: answers.pop(0))
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(NoAnswerError, match="does not answer"):
        post("https://example.org/")
    assert connected == [(PUBLIC, 443)]


def test_a_name_that_nobody_has_is_said(monkeypatch):
    def fail(*args: Any, **options: Any) -> Any:
        raise socket.gaierror

    monkeypatch.setattr(socket, "getaddrinfo", fail)
    with pytest.raises(NoAnswerError, match="No server has this name"):
        post("https://nobody.example/")


def test_no_redirect_is_followed(server, anywhere):
    server.answer = lambda got: (302, {"Location": f"{server.address}/elsewhere"}, b"")
    assert post(server.address).status == 302
    assert len(server.got) == 1


def test_of_a_large_answer_only_the_beginning_is_read(server, anywhere):
    server.answer = lambda got: (200, {}, b"x" * (4 * LARGEST_ANSWER))
    assert len(post(server.address).body) == LARGEST_ANSWER


def test_what_answers_in_plain_text_where_tls_is_spoken_is_no_answer(server, anywhere):
    with pytest.raises(NoAnswerError, match="does not answer"):
        post(server.address.replace("http://", "https://"))


def test_the_host_is_called_by_its_name_and_its_port(server, anywhere):
    post(server.address.replace("127.0.0.1", "localhost"))
    got: Got = server.got[0]
    assert got.headers["host"] == server.address.removeprefix("http://").replace("127.0.0.1", "localhost")


def drip(listening: socket.socket) -> None:
    """Answer with one letter of a header at a time, for ever."""
    peer, _address = listening.accept()
    with closing(peer), suppress(OSError):
        peer.recv(1000)
        peer.sendall(b"HTTP/1.1 200 OK\r\nX: ")
        while True:
            peer.sendall(b"x")
            peer.settimeout(0.05)
            with suppress(TimeoutError):
                if not peer.recv(1000):
                    return


def test_who_answers_a_letter_at_a_time_is_cut_off(anywhere, monkeypatch):
    monkeypatch.setattr(outgoing, "SECONDS", 0.5)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = Thread(target=drip, args=(listening,))
        thread.start()
        with pytest.raises(NoAnswerError, match="does not answer"):
            post(f"http://127.0.0.1:{listening.getsockname()[1]}/")
        thread.join()


def test_a_name_of_very_many_addresses_at_which_nobody_answers_is_cut_off_too(monkeypatch):
    monkeypatch.setattr(outgoing, "SECONDS", 0.05)
    many = [f"93.184.216.{last}" for last in range(1, 251)]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *args, **options: looked_up(*many))
    asked = []

    def connect(address: Any, *_args: Any, **_options: Any) -> Any:
        asked.append(address)
        over.wait(0.05)  # as a pause would be
        raise TimeoutError

    over = Event()
    monkeypatch.setattr(socket, "create_connection", connect)
    with pytest.raises(NoAnswerError, match="does not answer"):
        post("https://example.org/")
    assert 0 < len(asked) < len(many)
