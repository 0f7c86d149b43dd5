"""The Celery application; its settings are the CELERY_* names of settings.py."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wsd_site.settings")

app = Celery("wsd_site")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
