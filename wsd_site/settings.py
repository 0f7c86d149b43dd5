"""Settings: one file, everything that differs between installations comes from the environment.

Works on a fresh clone with no variable set; docs/operating.md lists the variables.
"""

import logging
from pathlib import Path
from typing import Any

import dj_email_url
from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from wsd_site import environment
from wsd_site.environment import env

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = environment.folder("VAR_DIR", BASE_DIR / "var")

# --- Secrets and hosts

SECRET_KEY = env.str("SECRET_KEY", "")
DEBUG = environment.flag("DEBUG", not SECRET_KEY)
if not SECRET_KEY:
    if not DEBUG:
        raise ImproperlyConfigured("DEBUG=0 needs a SECRET_KEY: set it to a long random text.")
    # A trial installation keeps its key, so that a restart does not sign everybody out.
    SECRET_KEY = environment.kept_key(VAR_DIR / "secret-key.txt")

ALLOWED_HOSTS = environment.names("ALLOWED_HOSTS", ["*"] if DEBUG else [])
CSRF_TRUSTED_ORIGINS: list[str] = environment.names("CSRF_TRUSTED_ORIGINS", [])
# The name in letters: never the one a request claims, which may be an attacker's.
MAIN_HOST = env.str("MAIN_HOST", "") or next(
    (host for host in ALLOWED_HOSTS if host[0] not in "*."), f"localhost:{env.str('PORT', '8000')}"
)
BEHIND_PROXY = environment.flag("BEHIND_PROXY", False)

# --- Applications

INSTALLED_APPS = [
    "wsd_site.apps.SiteAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.sitemaps",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django_htmx",
    "django_tables2",
    "csp",
    "leagues",
    "ratings",
    "isolation",
]

MIDDLEWARE = [
    "leagues.middleware.HostMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "wsd_site.api.JsonErrorsMiddleware",
    "csp.middleware.CSPMiddleware",
    "django_permissions_policy.PermissionsPolicyMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "leagues.middleware.LanguageMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "wsd_site.sign_in.KnownDeviceMiddleware",
    "wsd_site.api.TokenMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "leagues.middleware.LeagueMiddleware",
    "wsd_site.limits.LimitsMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "wsd_site.errors.ErrorPagesMiddleware",
]

ROOT_URLCONF = "wsd_site.urls"
WSGI_APPLICATION = "wsd_site.wsgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
            "builtins": ["leagues.templatetags.formats"],
        },
    },
]

# --- Database

DATABASES: dict[str, dict[str, Any]] = {
    "default": environment.database("DATABASE_URL", f"sqlite:///{VAR_DIR / 'db.sqlite3'}")
}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # IMMEDIATE makes every atomic() take the write lock at once: writers queue and never fail halfway.
    DATABASES["default"].setdefault("OPTIONS", {}).update(
        transaction_mode="IMMEDIATE",
        timeout=20,
        init_command=(
            "PRAGMA journal_mode=WAL;PRAGMA synchronous=FULL;PRAGMA foreign_keys=ON;"
            "PRAGMA mmap_size=134217728;PRAGMA journal_size_limit=27103364;PRAGMA cache_size=2000;"
        ),
    )
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
DATABASES["default"]["CONN_MAX_AGE"] = 60  # opening one costs more than a small page, on SQLite too
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Redis: its presence switches tasks from in-process to real workers, and the cache to Redis

REDIS_URL = environment.address("REDIS_URL", "", environment.CACHES) if env.str("REDIS_URL", "") else ""
CACHES: dict[str, dict[str, Any]] = {
    "default": {
        "BACKEND": "wsd_site.cache.PageCache",
        "LOCATION": REDIS_URL,
        "OPTIONS": {"socket_connect_timeout": 0.2, "socket_timeout": 0.2},
    }
    if REDIS_URL
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"},
    # What is counted for limits: whoever fills it up drives nothing else out, and a silent Redis costs a
    # request a fifth of a second.
    "limits": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "limits",
        "OPTIONS": {"socket_connect_timeout": 0.2, "socket_timeout": 0.2},
    }
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.locmem.LocMemCache",
        "LOCATION": "limits",
        "OPTIONS": {"MAX_ENTRIES": 100_000},
    },
}
# How far long work has come must be seen by all processes: where there is no Redis, in files they share.
CACHES["progress"] = (
    CACHES["default"]
    if REDIS_URL
    else {
        "BACKEND": "django.core.cache.backends.filebased.FileBasedCache",
        "LOCATION": VAR_DIR / "progress",
    }
)

CELERY_BROKER_URL = REDIS_URL or "memory://localhost"
CELERY_TASK_ALWAYS_EAGER = not REDIS_URL
CELERY_TASK_DEFAULT_QUEUE = env.str("CELERY_QUEUE", "wsd")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True  # tasks are idempotent: a killed worker's message may run again
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_TASK_SOFT_TIME_LIMIT, CELERY_TASK_TIME_LIMIT = 540, 600
CELERY_WORKER_MAX_TASKS_PER_CHILD = 500
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A broker that is refused or silent must not hold up the organizer who saves a game: the two limits
# together leave half a second of the 1.5 s within which a save is answered.
CELERY_TASK_PUBLISH_RETRY = False
CELERY_BROKER_CONNECTION_TIMEOUT = 1
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,  # longer than the longest task, or it would run twice
    "socket_connect_timeout": 0.5,
    "socket_timeout": 0.5,
    "max_retries": 0,
}
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
SWEEP_SECONDS = environment.seconds("SWEEP_SECONDS", 3)
REPORTS_SECONDS = 60  # nobody waits for the second in which a report of days ago is decided
CHALLENGE_SECONDS = 30  # nobody can act on a challenge that has run out: only its writing down waits
CELERY_BEAT_SCHEDULE = {
    "replay-stale-seasons": {
        "task": "ratings.tasks.replay_stale_seasons",
        "schedule": SWEEP_SECONDS,
        "options": {"expires": SWEEP_SECONDS},
    },
    "send-messages": {
        "task": "ratings.tasks.send_messages",
        "schedule": SWEEP_SECONDS,
        "options": {"expires": SWEEP_SECONDS},
    },
    "settle-reports": {
        "task": "leagues.tasks.settle_reports",
        "schedule": REPORTS_SECONDS,
        "options": {"expires": REPORTS_SECONDS},
    },
    "sweep-challenges": {
        "task": "leagues.tasks.sweep_challenges",
        "schedule": CHALLENGE_SECONDS,
        "options": {"expires": CHALLENGE_SECONDS},
    },
    "forget-old-files": {"task": "leagues.tasks.forget_old_files", "schedule": 60 * 60},
}

# --- People

AUTHENTICATION_BACKENDS = ["wsd_site.sign_in.LimitedBackend"]
SESSION_ENGINE = "wsd_site.sessions"
LOGIN_URL = "accounts:login"
LOGIN_REDIRECT_URL = "leagues:directory"
LOGOUT_REDIRECT_URL = "leagues:directory"
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
USERS_CREATE_LEAGUES = environment.flag("USERS_CREATE_LEAGUES", False)
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
EMAIL_URL = environment.address("EMAIL_URL", "console://", dj_email_url.SCHEMES)
vars().update(dj_email_url.parse(EMAIL_URL))
EMAIL_TIMEOUT = vars()["EMAIL_TIMEOUT"] or 10  # a silent mail server holds up nobody for longer

# --- Messages to others

# 0: nothing is sent by itself, as from a restored copy beside the live site.
MESSAGES = environment.flag("MESSAGES", True)
# 1: webhooks may lead into private networks, and over plain HTTP.
WEBHOOKS_ANYWHERE = environment.flag("WEBHOOKS_ANYWHERE", False)

# --- Languages

LANGUAGE_CODE = "en"
LANGUAGES = [("bg", _("Bulgarian")), ("en", _("English")), ("tr", _("Turkish"))]
LOCALE_PATHS = [BASE_DIR / "locale"]
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

# --- Files

STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "static"]
STATIC_ROOT = VAR_DIR / "static"
# While developing, files are served from where they lie and nothing need be collected.
WHITENOISE_AUTOREFRESH = WHITENOISE_USE_FINDERS = DEBUG
WHITENOISE_SKIP_COMPRESS_EXTENSIONS = ["map", "woff2", "png", "jpg", "gz", "br"]
# Pages name files with their digest; by plain names nobody asks, and to pack them takes as long again.
WHITENOISE_KEEP_ONLY_HASHED_FILES = True
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
}

# --- Security

X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = not DEBUG and environment.flag(
    "HTTPS", True
)
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if BEHIND_PROXY else None
LANGUAGE_COOKIE_SECURE = SESSION_COOKIE_SECURE
if SESSION_COOKIE_SECURE:
    # Browsers take these names only from this very host: another one of the domain cannot plant its own.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
SECURE_HSTS_SECONDS = 31_536_000 if SECURE_SSL_REDIRECT else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = bool(SECURE_HSTS_SECONDS)
SECURE_REDIRECT_EXEMPT = [r"^healthz$"]
DATA_UPLOAD_MAX_MEMORY_SIZE = 2_500_000
CHANGES_PER_MINUTE = environment.count("CHANGES_PER_MINUTE", 120)
REPORTS_PER_MINUTE = environment.count("REPORTS_PER_MINUTE", 600)
PERMISSIONS_POLICY: dict[str, list[str]] = {
    feature: []
    for feature in (
        "accelerometer",
        "browsing-topics",
        "camera",
        "display-capture",
        "geolocation",
        "gyroscope",
        "magnetometer",
        "microphone",
        "midi",
        "payment",
        "usb",
    )
}
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF, "data:"],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "manifest-src": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

LOG_LEVEL = environment.one_of("LOG_LEVEL", "INFO", logging.getLevelNamesMapping())
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": LOG_LEVEL},
    # One line a task says nothing that the Replay rows do not say better.
    "loggers": {"celery.app.trace": {"level": "WARNING"}},
}
