"""The Celery application; its settings are the CELERY_* names of settings.py."""

import os
from typing import Any

from celery import Celery, signals

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wsd_site.settings")

app = Celery("wsd_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@signals.celeryd_init.connect
def wait_for_the_broker(conf: Any, **_signal: Any) -> None:
    """Only who saves a game is in a hurry; a worker waits for a silent broker.

    With a limit it would give up an acknowledgement, count that message as being worked on for ever,
    and take no other.
    """
    conf.broker_transport_options = {
        **conf.broker_transport_options,
        "socket_timeout": None,
        "socket_keepalive": True,
    }
