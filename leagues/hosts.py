"""Host names: how they are written, which are the site's own, and where messages lead."""

import re

from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

HOST_LENGTH = 253

_LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_HOST = re.compile(rf"(?:{_LABEL}\.)+(?!\d+$){_LABEL}")  # no address of numbers, no single word
_LOCAL = {"localhost", "127.0.0.1", "[::1]"}


def clean_host(text: str) -> str:
    """The host name as requests bring it: small letters, punycode, no port, no dot at the end.

    Raises ValidationError for what is no host name.
    """
    name = re.sub(r":\d*$", "", text.strip()).removesuffix(".")
    try:
        host = name.encode("idna").decode("ascii").lower()
    except UnicodeError:
        host = ""
    if len(host) > HOST_LENGTH or not _HOST.fullmatch(host):
        raise ValidationError(
            _("“%(text)s” is no host name; write one like standings.example.org."),
            params={"text": text[:HOST_LENGTH]},
        )
    return host


def is_main_host(host: str) -> bool:
    """Whether a host, written as ``clean_host`` does, is a name of the site itself.

    The names in ALLOWED_HOSTS are. A pattern like ``.example.org`` only allows what is under it.
    """
    names = {name.lower().removeprefix(".") for name in settings.ALLOWED_HOSTS}
    return host in names or host in _LOCAL or host == settings.MAIN_HOST.partition(":")[0]


def organizers_address(path: str) -> str:
    """The address of a page of the main host for messages: there people are signed in."""
    return f"{scheme()}://{settings.MAIN_HOST}{path}"


def scheme() -> str:
    """How the site is reached, where no request tells."""
    return "https" if settings.SESSION_COOKIE_SECURE else "http"
