"""Settings of a control: the broker may take as long as it likes, as is its libraries' default."""

from wsd_site.settings import *  # noqa: F403

CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, float] = {}
