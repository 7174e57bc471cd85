"""Settings, read from the environment. Every variable is described in .env.example.

Importing this module starts nothing: entry points (manage.py, `make demo`, the tests) start or join
the embedded services first and put DATABASE_URL and REDIS_URL into the environment.
"""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

from config.admin_settings import UNFOLD  # noqa: F401
from config.api.settings import REST_FRAMEWORK, SPECTACULAR_SETTINGS  # noqa: F401
from config.broker import broker_url
from config.logs import logging_settings
from config.schedule import beat_schedule
from config.strict_env import StrictEnv

BASE_DIR = Path(__file__).resolve().parent.parent
env = StrictEnv()

DEBUG = env.bool("FABULA_DEBUG", default=False)
DEVELOPMENT_SECRET_KEY = "development-only-" + "fabula" * 8
SECRET_KEY = env.str("FABULA_SECRET_KEY", default=DEVELOPMENT_SECRET_KEY)
# Keys of before, whose signatures still count. Not one that is empty, as behind a last comma: with
# it anybody could sign.
SECRET_KEY_FALLBACKS = [
    key for key in env.list("FABULA_SECRET_KEY_FALLBACKS", cast=str.strip, default=[]) if key
]
ALLOWED_HOSTS = env.list(
    "FABULA_ALLOWED_HOSTS", cast=str.strip, default=["localhost", "127.0.0.1", "[::1]"]
)
CSRF_TRUSTED_ORIGINS = env.addresses("FABULA_CSRF_TRUSTED_ORIGINS", default=[])

# --- Where things are -------------------------------------------------------------------------
# The data folder: embedded services, uploads, logs. Two copies can run side by side.
VAR_DIR = Path(env.str("FABULA_VAR", default=str(BASE_DIR / "var"))).resolve()
MEDIA_ROOT = VAR_DIR / "files"
# A folder of each model run; the same one for every host that works on runs.
RUNS_DIR = Path(env.str("FABULA_RUNS_DIR", default=str(VAR_DIR / "runs"))).resolve()
# Story files brought in through the admin.
STORY_UPLOAD_MAX_BYTES = env.whole(
    "FABULA_STORY_UPLOAD_MAX_BYTES", default=200 * 1024 * 1024, least=1, most=10**12
)

# Task pages live here; in production on a site of their own.
TASK_SITE_URL = env.address("FABULA_TASK_SITE_URL", default="http://127.0.0.1:8000").rstrip("/")
# The worker site (the marketplace's own pages) lives here.
WORKER_SITE_URL = env.address("FABULA_WORKER_SITE_URL", default="http://localhost:8000").rstrip("/")

# --- The marketplace our rounds are published to (an address and keys) --------------------------
MTURK_ENDPOINT_URL = env.address("MTURK_ENDPOINT_URL", default=f"{WORKER_SITE_URL}/mturk/")
MTURK_ACCESS_KEY_ID = env.str("MTURK_ACCESS_KEY_ID", default="")
MTURK_SECRET_ACCESS_KEY = env.str("MTURK_SECRET_ACCESS_KEY", default="")
# Signs frame parameters and notifications; shown beside the requester in the marketplace's admin.
MTURK_SIGNING_SECRET = env.str("MTURK_SIGNING_SECRET", default="")
# Origins that may frame task pages and to which a finished task is sent.
MTURK_SUBMIT_ORIGINS = env.addresses("MTURK_SUBMIT_ORIGINS", default=[WORKER_SITE_URL])
# Share of the reward that the marketplace charges on top.
MARKETPLACE_FEE = env.share("MARKETPLACE_FEE", default="0.20")
# HITs of different groups that a worker may hold at once.
MARKETPLACE_HELD_AT_ONCE = env.whole("MARKETPLACE_HELD_AT_ONCE", default=10, least=1)
# Days for which a notification is kept once it has been delivered.
MARKETPLACE_NOTIFICATION_DAYS = env.whole("MARKETPLACE_NOTIFICATION_DAYS", default=30, most=36500)
# Hosts on a private network that notifications may be sent to; this machine while tasks are on it.
LOOPBACK_HOSTS = ["localhost", "127.0.0.1", "::1"]
MARKETPLACE_PRIVATE_NOTIFICATION_HOSTS = env.list(
    "MARKETPLACE_PRIVATE_NOTIFICATION_HOSTS",
    cast=str.strip,
    default=LOOPBACK_HOSTS if urlsplit(TASK_SITE_URL).hostname in LOOPBACK_HOSTS else [],
)

# --- Database, broker --------------------------------------------------------------------------
DATABASES = {
    "default": env.database(
        "DATABASE_URL", default="postgresql://fabula@database-url-is-not-set/fabula"
    )
}
DATABASES["default"]["ENGINE"] = "database.backend"
DATABASES["default"]["HOST"] = unquote(DATABASES["default"].get("HOST", ""))
DATABASES["default"]["CONN_MAX_AGE"] = env.whole("DATABASE_CONN_MAX_AGE", default=60)
DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
# Behind a pooler that passes connections on: nothing may outlive a transaction on them.
DATABASES["default"]["DISABLE_SERVER_SIDE_CURSORS"] = env.bool(
    "DATABASE_TRANSACTION_POOLING", default=False
)
DATABASES["default"].setdefault("OPTIONS", {}).setdefault("connect_timeout", 5)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = env.broker("REDIS_URL", default="redis://redis-url-is-not-set:6379/0")
CELERY_BROKER_URL = broker_url(REDIS_URL)
# Whoever waits for a page does not wait for a broker that is away: beat finds what it missed.
REDIS_PATIENCE = {"socket_connect_timeout": 2, "socket_timeout": 3}
RETRY_ONCE = {"max_retries": 1, "interval_start": 0, "interval_step": 0.2, "interval_max": 0.2}
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "fabula",
        "OPTIONS": REDIS_PATIENCE,
    },
    # Parts of pages that are the same for everybody, kept in each process.
    "parts": {
        "BACKEND": "django.core.cache.backends."
        + ("dummy.DummyCache" if DEBUG else "locmem.LocMemCache"),
        "LOCATION": "parts",
        "TIMEOUT": None,
    },
}
# Loaded with the first module of tasks: what sends none starts without it.
TASK_APPLICATION = "config.celery"
CELERY_TASK_DEFAULT_QUEUE = "default"
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
# A worker and beat wait for a broker that is away, however long: nothing needs a restart.
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A job claims its row with a lease, so a redelivered message does nothing; see studies/jobs.py.
CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": 6 * 3600} | REDIS_PATIENCE | RETRY_ONCE
CELERY_TASK_PUBLISH_RETRY_POLICY = RETRY_ONCE
# Which code this is, where there is no checkout to ask.
CODE_VERSION = env.str("FABULA_CODE_VERSION", default="")
# Queues of model runs, by what their workers can do.
RUN_QUEUES = env.list("FABULA_RUN_QUEUES", cast=str.strip, default=["gpu", "cpu"])
# How long a run may give no sign of life, and how often one may be begun.
RUN_LEASE_SECONDS = env.seconds("FABULA_RUN_LEASE_SECONDS", default=60.0)
RUN_ATTEMPTS = env.whole("FABULA_RUN_ATTEMPTS", default=5, least=1)
# A waiting run whose message the broker may have lost is sent again after so long.
RUN_RESEND_SECONDS = env.seconds("FABULA_RUN_RESEND_SECONDS", default=300.0)
# How often beat looks for runs that nobody works on any more.
RUN_REAP_SECONDS = env.seconds("FABULA_RUN_REAP_SECONDS", default=15.0)
CELERY_TASK_ALWAYS_EAGER = env.bool("CELERY_TASK_ALWAYS_EAGER", default=False)
CELERY_TASK_EAGER_PROPAGATES = True
CELERY_BEAT_SCHEDULE_FILENAME = str(VAR_DIR / "celerybeat-schedule")
# Written after so many sent tasks: how lately it was says whether beat still ticks.
CELERY_BEAT_SYNC_EVERY = 5
CELERY_BEAT_SCHEDULER = "config.celery:WatchedScheduler"
CELERY_BEAT_SCHEDULE = beat_schedule(recover_runs_seconds=RUN_REAP_SECONDS)

# --- Django ------------------------------------------------------------------------------------
INSTALLED_APPS = [
    "unfold.apps.BasicAppConfig",
    "config.admin_app.AdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.sessions",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "allauth",
    "allauth.account",
    "config",
    "marketplace",
    "studies",
    "annotation",
    "modeling",
    "evaluation",
]

LANGUAGE_CODE = "en"
# Those that there is a catalogue for, here or in Django: a page in two languages helps nobody.
LANGUAGES = [("en", _("English"))]
# Which of several a browser asks for.
language_of_readers = ["django.middleware.locale.LocaleMiddleware"] if len(LANGUAGES) > 1 else []

MIDDLEWARE = [
    # Before all others, so that whatever is said of a request has its id.
    "config.requests.RequestIdMiddleware",
    # Outside all others, so that no answer leaves without its headers, whoever gave it.
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.security.ContentSecurityPolicyMiddleware",
    "config.health.HealthMiddleware",
    "config.requests.RequestMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "config.static_files.StaticFilesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    *language_of_readers,
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "config.messages.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "config.audit.AuditMiddleware",
    "config.requests.StorableTextMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
    {
        "NAME": "task pages",
        "BACKEND": "config.jinja.TaskPages",
        "DIRS": [BASE_DIR / "templates" / "jinja2"],
        "APP_DIRS": True,
        "OPTIONS": {"environment": "config.jinja.environment"},
    },
]

AUTHENTICATION_BACKENDS = [
    "marketplace.site.backend.AccountBackend",
    "allauth.account.auth_backends.AuthenticationBackend",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_URL = reverse_lazy("worker-sign-in")
LOGIN_REDIRECT_URL = "/worker/"
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
ACCOUNT_ADAPTER = "marketplace.site.sign_in.AccountAdapter"
# Sign-in attempts are counted by address; behind proxies, say how many of them add theirs.
ALLAUTH_TRUSTED_PROXY_COUNT = env.whole("FABULA_PROXY_COUNT", default=0, most=100)
# Whether people may become workers without an invitation.
MARKETPLACE_OPEN_SIGN_UP = env.bool("FABULA_OPEN_SIGN_UP", default=False)

LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "UTC"
USE_TZ = True
USE_I18N = True
FORMAT_MODULE_PATH = "config.formats"
USE_THOUSAND_SEPARATOR = True

STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "staticfiles"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG

# --- Safety ------------------------------------------------------------------------------------
X_FRAME_OPTIONS = "DENY"
SECURE_CONTENT_TYPE_NOSNIFF = True
SECURE_REFERRER_POLICY = "same-origin"
SESSION_ENGINE = "config.sessions"
SESSION_COOKIE_NAME = "fabula_session"
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_HTTPONLY = True
CSRF_COOKIE_NAME = "fabula_csrf"
HTTPS = env.bool("FABULA_HTTPS", default=False)
SESSION_COOKIE_SECURE = HTTPS
CSRF_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 31536000 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_PROXY_SSL_HEADER = (
    ("HTTP_X_FORWARDED_PROTO", "https")
    if env.bool("FABULA_TRUST_FORWARDED_PROTO", default=False)
    else None
)
DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
UPLOAD_MAX_SECONDS = env.whole("FABULA_UPLOAD_MAX_SECONDS", default=600, least=1)
FILE_UPLOAD_HANDLERS = [
    "config.uploads.BoundedUploadHandler",
    "django.core.files.uploadhandler.MemoryFileUploadHandler",
    "django.core.files.uploadhandler.TemporaryFileUploadHandler",
]

# Figures at /metrics, for who sends this token; without one, for nobody.
METRICS_TOKEN = env.str("FABULA_METRICS_TOKEN", default="")
# Functions that give the figures of a room's tables.
METRICS_OF_TABLES = ("studies.metrics.families", "marketplace.metrics.families")

# Text for people; json for programs that collect lines, one object each.
LOGGING = logging_settings(
    format=env.str("FABULA_LOG_FORMAT", default="text"),
    level=env.str("FABULA_LOG_LEVEL", default="WARNING"),
)
