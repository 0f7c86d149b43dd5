"""The site: settings, addresses, the task queue and the server's entry points."""

from wsd_site.celery import app as celery_app

__all__ = ["celery_app"]
