"""The test suites: SQLite in memory by default, PostgreSQL and Redis through DATABASE_URL and REDIS_URL."""

import os
import tempfile

# Each process of a parallel run has a Redis database of its own: one's cache.clear() empties it whole.
if os.environ.get("REDIS_URL") and os.environ.get("PYTEST_XDIST_WORKER"):
    os.environ["REDIS_URL"] = f"{os.environ['REDIS_URL'].rpartition('/')[0]}/{os.environ['PYTEST_XDIST_WORKER'][2:]}"

# Before base reads it: nothing a test writes may land in the developer's data folder.
os.environ.setdefault("DATA_DIR", tempfile.mkdtemp(prefix="studyplatform-test-"))

from studyplatform.settings.base import *  # noqa: F403
from studyplatform.settings.base import DATABASES, RATE_LIMITS

ENVIRONMENT = "test"
SECRET_KEY = "test-only-secret-key-of-sufficient-length-0123456789"  # noqa: S105
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
RATE_LIMITS = {what: (10**6, seconds) for what, (_, seconds) in RATE_LIMITS.items()}
MIGRATION_MODULES = {"djstripe": None}
ALLOWED_HOSTS = ["*"]
WHITENOISE_AUTOREFRESH = True
CELERY_BROKER_URL = "memory://"  # wake-ups go nowhere: tests run jobs themselves
CELERY_BROKER_TRANSPORT_OPTIONS = {}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # A file, so that the server thread of browser tests sees the same database.
    DATABASES["default"]["TEST"] = {"NAME": os.path.join(os.environ["DATA_DIR"], "test.sqlite3")}  # noqa: PTH118
