"""Entry point of WSGI servers: ``gunicorn wsd_site.wsgi``."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wsd_site.settings")

application = get_wsgi_application()
