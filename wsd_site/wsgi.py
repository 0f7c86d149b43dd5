"""Entry point of WSGI servers: ``gunicorn wsd_site.wsgi``."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from typing import Any

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from wsd_site.celery import app

CHARSET = re.compile(r';\s*charset\*?\s*=\s*("[^"]*"?|[^;]*)', re.IGNORECASE)

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wsd_site.settings")

site = get_wsgi_application()
if settings.REDIS_URL:
    # Importing what speaks to the broker takes a second or two, which the first organizer who saves
    # a game would wait for. This makes no connection.
    _ = app.producer_pool


def application(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
    """The site, which reads all that is sent to it as UTF-8, whatever a request says.

    Django would take any encoding that Python knows, for the parameters of an address too, and fails
    on those that are none of text, like "rot13", and twice on a form in one that it refuses.
    """
    environ["CONTENT_TYPE"] = CHARSET.sub("", environ.get("CONTENT_TYPE", ""))
    return site(environ, start_response)
