"""The settings of every environment. Each module of settings/parts has one concern."""

import os
from pathlib import Path

import django_stubs_ext
import environ

from studyplatform.settings import env
from studyplatform.settings.kept import badge_key, kept_secret, random_secret
from studyplatform.settings.parts.api import *  # noqa: F403
from studyplatform.settings.parts.auth import *  # noqa: F403
from studyplatform.settings.parts.billing import *  # noqa: F403
from studyplatform.settings.parts.external_video import *  # noqa: F403
from studyplatform.settings.parts.forum import *  # noqa: F403
from studyplatform.settings.parts.language import *  # noqa: F403
from studyplatform.settings.parts.media import *  # noqa: F403
from studyplatform.settings.parts.offline import *  # noqa: F403
from studyplatform.settings.parts.review import *  # noqa: F403
from studyplatform.settings.parts.scanning import *  # noqa: F403
from studyplatform.settings.parts.security import *  # noqa: F403
from studyplatform.settings.parts.selling import *  # noqa: F403
from studyplatform.settings.parts.social import *  # noqa: F403
from studyplatform.settings.parts.storage import *  # noqa: F403
from studyplatform.settings.parts.storage import CONTENT_HOST, S3_STORAGE
from studyplatform.settings.parts.tutor import *  # noqa: F403
from studyplatform.settings.private_files import private_file, private_folder

# Lets Django's generic classes take their type at run time, e.g. ModelAdmin[User].
django_stubs_ext.monkeypatch()

# Otherwise NumPy starts a thread for each core in every process, and they slow each other down.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

BASE_DIR = Path(__file__).resolve().parents[2]
DATA_DIR = Path(env.text("DATA_DIR", str(BASE_DIR / "var"))).expanduser().resolve()
private_folder(DATA_DIR)

ENVIRONMENT = "embedded"
DEBUG = False
SITE_NAME = "Study Platform"
SITE_DESCRIPTION = (
    "A professional online learning platform with interactive courses, video lectures and AI-powered tutoring."
)
SUPPORT_EMAIL = env.text("SUPPORT_EMAIL", "support@example.com")
SITE_URL = env.text("SITE_URL", f"http://127.0.0.1:{env.number('PORT', 8000)}")
# True: maintenance mode. Only /status, /healthz, /readyz and static files are served.
MAINTENANCE = env.flag("MAINTENANCE")
# True: the browser answers the islands' API calls from recorded responses (manage.py record_api).
MOCK_API = env.flag("MOCK_API")
STATUS_URL = env.text("STATUS_URL", "/status")


SECRET_KEY = env.text("SECRET_KEY") or kept_secret(DATA_DIR / "secret_key", random_secret)
# The private key that signs badges: P-256 in PEM, with \n for its line breaks. Several servers need the same one.
BADGE_KEY = env.text("BADGE_KEY").replace("\\n", "\n") or kept_secret(DATA_DIR / "badge_key.pem", badge_key)
# Earlier keys: data encrypted with them (authenticator apps, recovery codes) can still be read.
SECRET_KEY_FALLBACKS = env.words("SECRET_KEY_FALLBACKS")
ALLOWED_HOSTS = env.words("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]"])
# What serves the embedded profile: uvicorn, or daphne (docs/operations.md).
WEB_SERVER = env.choice("WEB_SERVER", ("uvicorn", "daphne"))
if HOST := env.text("HOST"):  # production.py allows only what ALLOWED_HOSTS names
    ALLOWED_HOSTS = ["*"] if HOST == "0.0.0.0" else [*ALLOWED_HOSTS, HOST]  # noqa: S104
if CONTENT_HOST:
    ALLOWED_HOSTS = [*ALLOWED_HOSTS, CONTENT_HOST.partition(":")[0]]
CSRF_TRUSTED_ORIGINS = env.words("CSRF_TRUSTED_ORIGINS")
# Only these proxies may set X-Forwarded-For.
TRUSTED_PROXIES = env.networks("TRUSTED_PROXIES")

INSTALLED_APPS = [
    "studyplatform.kit",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.sitemaps",
    "channels",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "csp",
    "allauth",
    "allauth.account",
    "allauth.socialaccount",
    "allauth.mfa",
    "djstripe",
    "apps.accounts",
    "apps.files",
    "apps.courses",
    "apps.billing",
    "apps.learning",
    "apps.forum",
    "apps.tutor",
    "studyplatform.site",
    "studyplatform.samples",
    "studyplatform.demo",
]

MIDDLEWARE = [
    "studyplatform.kit.web.middleware.RequestIdMiddleware",
    "apps.files.middleware.ContentHostMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "studyplatform.kit.web.middleware.StaticFilesMiddleware",
    "studyplatform.kit.web.middleware.PolicyMiddleware",
    "studyplatform.kit.web.middleware.PermissionsPolicyMiddleware",
    "studyplatform.kit.web.middleware.PrivateCacheMiddleware",
    "studyplatform.site.system.prefetch.SpeculationRulesMiddleware",
    "studyplatform.site.system.maintenance.MaintenanceMiddleware",
    "studyplatform.kit.web.middleware.TextCompressionMiddleware",
    "studyplatform.kit.caching.page_cache.VisitorCacheMiddleware",
    "apps.accounts.middleware.BrowserSessionMiddleware",
    "studyplatform.kit.web.middleware.SlashMiddleware",
    "django.middleware.common.CommonMiddleware",
    "studyplatform.kit.web.body_limits.BodyMiddleware",
    "studyplatform.kit.web.middleware.ReaderMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "apps.accounts.middleware.UserMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "apps.accounts.middleware.SignInTokenMiddleware",
    "studyplatform.kit.web.middleware.RefusalMiddleware",
    "apps.accounts.guards.LoginMiddleware",
]

ROOT_URLCONF = "studyplatform.urls"
WSGI_APPLICATION = "studyplatform.wsgi.application"
ASGI_APPLICATION = "studyplatform.asgi.application"
APPEND_SLASH = False  # SlashMiddleware accepts both forms
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "studyplatform.kit.web.jinja.Templates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": False,
        "OPTIONS": {"environment": "studyplatform.kit.web.jinja.environment"},
    },
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates" / "django"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# --- Data ---------------------------------------------------------------------------------------
DATABASES = {"default": env.database("DATABASE_URL", DATA_DIR / "db.sqlite3")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    if DATABASES["default"]["NAME"] != ":memory:":
        private_file(Path(DATABASES["default"]["NAME"]))
    # IMMEDIATE is not optional: with deferred transactions a third of concurrent
    # read-modify-write transactions fail as "database is locked".
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA cache_size=-16000;",
    }
else:
    DATABASES["default"]["ENGINE"] = "studyplatform.kit.db.postgresql"
    # Persistent connections double PostgreSQL's throughput under WSGI and exhaust it under ASGI.
    DATABASES["default"]["CONN_MAX_AGE"] = env.number("CONN_MAX_AGE", 0)
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True

REDIS_URL = env.text("REDIS_URL")
CACHES: dict[str, dict[str, object]] = {
    "default": (
        {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}
        if REDIS_URL
        else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    )
}
CACHES["files"] = {"BACKEND": "django.core.cache.backends.filebased.FileBasedCache", "LOCATION": DATA_DIR / "cache"}
CACHE_OF_ALL_PROCESSES = "default" if REDIS_URL else "files"  # a folder, only for what is rarely written
ANNOUNCEMENTS = env.flag("ANNOUNCEMENTS", default=True)  # show announcements on every page
ANNOUNCEMENTS_PER_WEEK = env.number("ANNOUNCEMENTS_PER_WEEK", 2)  # that an instructor sends to a course in seven days
VISITOR_PAGES = env.flag("VISITOR_PAGES", default=True)  # cache pages that are the same for every visitor
CHANNEL_LAYERS: dict[str, dict[str, object]] = {
    "default": (
        {"BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer", "CONFIG": {"hosts": [REDIS_URL]}}
        if REDIS_URL
        else {"BACKEND": "channels.layers.InMemoryChannelLayer"}
    )
}

# --- Files --------------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = False
# esbuild puts a hash of the contents, eight characters, before the suffix of a file.
WHITENOISE_IMMUTABLE_FILE_TEST = r"^.+[-.][0-9A-Za-z]{8}\.[0-9a-z]+$"
MEDIA_ROOT = DATA_DIR / "media"
UPLOAD_ROOT = DATA_DIR / "uploads"
WORK_ROOT = DATA_DIR / "work"
for _closed in (MEDIA_ROOT, UPLOAD_ROOT, WORK_ROOT, DATA_DIR / "mail"):
    private_folder(_closed)
MEDIA_ACCEL_PREFIX = env.text("MEDIA_ACCEL_PREFIX")
STORAGES: dict[str, dict[str, object]] = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(MEDIA_ROOT)}},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedStaticFilesStorage"},
}
if S3_STORAGE:
    STORAGES["default"] = S3_STORAGE

# The maximum request body in bytes; views that accept more declare a limit of their own (kit/web/body_limits.py).
BODY_LIMIT = 5 * 2**19
API_BODY_LIMIT = 2**16  # bytes of JSON; calls with longer texts have `body_limits` of their own
DATA_UPLOAD_MAX_MEMORY_SIZE = BODY_LIMIT + 2**16  # Django's own limit, which is not reached
# In bytes; hints, error messages and the server use the same limits.
UPLOAD_LIMITS = {"video": 5 * 2**30, "file": 2 * 2**30}
# What a user may store, by role, in bytes; an admin may set another allowance for one user.
_INSTRUCTOR_STORAGE = env.number("INSTRUCTOR_STORAGE_MB", 50 * 1024) * 2**20
STORAGE_ALLOWANCE = {
    "student": env.number("STUDENT_STORAGE_MB", 5 * 1024) * 2**20,
    "instructor": _INSTRUCTOR_STORAGE,
    "admin": _INSTRUCTOR_STORAGE,
}
STORAGE_WARNINGS = env.shares("STORAGE_WARNINGS", [80, 95])  # percent of the allowance, at which a user is warned
# The name of a format is the ending of its files.
VIDEO_FORMATS = ("MP4", "MOV", "AVI", "WebM")
# Bytes. Uploads and video processing stop before less is free, so that the database can still be written.
DISK_RESERVE = env.number("DISK_RESERVE_MB", 1024) * 2**20
UPLOAD_KEEP_DAYS = 7  # days; an unfinished upload can be resumed this long after its last byte
BIN_DAYS = 30  # days that deleted files stay in the bin
SHARE_DOWNLOAD_SECONDS = 60 * 60  # how long a counted download can be fetched, and resumed
MEDIA_LINK_HOURS = env.number("MEDIA_LINK_HOURS", 6)
FILE_UPLOAD_PERMISSIONS = 0o640

# --- Background work ----------------------------------------------------------------------------
# The job table is the truth; Celery's message is a wake-up (docs/architecture.md).
CELERY_BROKER_URL = env.text("CELERY_BROKER_URL") or REDIS_URL or "folder://"
if CELERY_BROKER_URL == "folder://":
    _queue = DATA_DIR / "queue"
    for _folder in ("messages", "processed", "control"):
        (_queue / _folder).mkdir(parents=True, exist_ok=True)
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {
        "data_folder_in": str(_queue / "messages"),
        "data_folder_out": str(_queue / "messages"),
        "processed_folder": str(_queue / "processed"),
        "control_folder": str(_queue / "control"),
        "polling_interval": 0.2,
    }
# A Redis that is down must not delay the page that enqueues a job: the worker's timer finds the job anyway.
REDIS_BROKER_OPTIONS: dict[str, object] = {
    "max_retries": 1,
    "interval_start": 0,
    "interval_max": 0,
    "socket_connect_timeout": 2,
}
if CELERY_BROKER_URL.startswith("redis"):
    CELERY_BROKER_TRANSPORT_OPTIONS = REDIS_BROKER_OPTIONS
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
JOBS_IMMEDIATE = False

# --- Time ---------------------------------------------------------------------------------------
USE_TZ = True
TIME_ZONE = "UTC"

# --- Mail ---------------------------------------------------------------------------------------
DEFAULT_FROM_EMAIL = env.text("DEFAULT_FROM_EMAIL", "Study Platform <hello@example.com>")
EMAIL_TIMEOUT = 20  # seconds for each SMTP command
EMAIL_FILE_PATH = str(DATA_DIR / "mail")
if env.text("EMAIL_URL"):
    vars().update(environ.Env.email_url_config(env.text("EMAIL_URL")))
else:
    EMAIL_BACKEND = "studyplatform.kit.mail.mailbox.EmailBackend"

# --- Logging ------------------------------------------------------------------------------------
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {"request_id": {"()": "studyplatform.kit.web.request_id.RequestIdFilter"}},
    "formatters": {
        "line": {
            "()": "studyplatform.kit.web.private_text.PrivateFormatter",
            "format": "%(asctime)s %(levelname)s %(name)s [%(request_id)s] %(message)s",
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["request_id"]}},
    "root": {"handlers": ["console"], "level": env.text("LOG_LEVEL", "WARNING")},
    "loggers": {
        "kombu.connection": {"level": "ERROR"},  # it warns each time that the folder broker has no host name
        "studyplatform": {"level": "INFO"},
        "apps": {"level": "INFO"},
    },
}
