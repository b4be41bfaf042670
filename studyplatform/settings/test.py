"""The test suites: SQLite in memory by default, PostgreSQL and Redis through DATABASE_URL and REDIS_URL."""

import atexit
import os
import shutil
import tempfile

# Each process of a parallel run has its own Redis database, because cache.clear() empties all of it.
if os.environ.get("REDIS_URL") and os.environ.get("PYTEST_XDIST_WORKER"):
    os.environ["REDIS_URL"] = f"{os.environ['REDIS_URL'].rpartition('/')[0]}/{os.environ['PYTEST_XDIST_WORKER'][2:]}"

# Set before base reads it: tests must not write to the developer's data folder. The processes of a parallel run
# inherit the folder of the first one, which deletes it at the end.
if "DATA_DIR" not in os.environ:
    os.environ["DATA_DIR"] = tempfile.mkdtemp(prefix="studyplatform-test-")
    atexit.register(shutil.rmtree, os.environ["DATA_DIR"], ignore_errors=True)

from studyplatform.settings.base import *  # noqa: F403
from studyplatform.settings.base import RATE_LIMITS

ENVIRONMENT = "test"
SECRET_KEY = "test-only-secret-key-of-sufficient-length-0123456789"  # noqa: S105
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
RATE_LIMITS = {what: (10**6, seconds) for what, (_, seconds) in RATE_LIMITS.items()}
MIGRATION_MODULES = {"djstripe": None}
ALLOWED_HOSTS = ["*"]
ANNOUNCEMENTS = False  # their cache would make the number of queries depend on time
WHITENOISE_AUTOREFRESH = True
CELERY_BROKER_URL = "memory://"  # wake-ups go nowhere: tests run jobs themselves
CELERY_BROKER_TRANSPORT_OPTIONS = {}
