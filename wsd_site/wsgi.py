"""Entry point of WSGI servers: ``gunicorn wsd_site.wsgi``."""

import os

from django.conf import settings
from django.core.wsgi import get_wsgi_application

from wsd_site.celery import app

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wsd_site.settings")

application = get_wsgi_application()
if settings.REDIS_URL:
    # Importing what speaks to the broker takes a second or two, which the first organizer who saves
    # a game would wait for. This makes no connection.
    _ = app.producer_pool
