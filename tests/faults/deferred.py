"""Settings of a control: on SQLite transactions take the write lock at their first write."""

from wsd_site.settings import *  # noqa: F403
from wsd_site.settings import DATABASES

DATABASES["default"]["OPTIONS"]["transaction_mode"] = "DEFERRED"
