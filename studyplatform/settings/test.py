"""The test suites: SQLite in memory by default, PostgreSQL and Redis through DATABASE_URL and REDIS_URL."""

import atexit
import os
import shutil
import tempfile
from pathlib import Path

# Each process of a parallel run has its own Redis database, because cache.clear() empties all of it.
if os.environ.get("REDIS_URL") and os.environ.get("PYTEST_XDIST_WORKER"):
    os.environ["REDIS_URL"] = f"{os.environ['REDIS_URL'].rpartition('/')[0]}/{os.environ['PYTEST_XDIST_WORKER'][2:]}"

# Set before base reads it: tests must not write to the developer's data folder. The processes of a parallel run
# inherit the folder of the first one, which deletes it at the end.
if "DATA_DIR" not in os.environ:
    os.environ["DATA_DIR"] = tempfile.mkdtemp(prefix="studyplatform-test-")
    atexit.register(shutil.rmtree, os.environ["DATA_DIR"], ignore_errors=True)

import jinja2

from studyplatform.settings.base import *  # noqa: F403
from studyplatform.settings.base import DATABASES, INSTALLED_APPS, RATE_LIMITS, TEMPLATES

ENVIRONMENT = "test"
CACHE_OF_ALL_PROCESSES = "default"  # emptied between tests
INSTALLED_APPS = ["tests.flushing", *INSTALLED_APPS]
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

# Each process would compile the templates again. What is stored belongs to a text: a changed template is compiled.
_compiled = Path(tempfile.gettempdir()) / f"study-templates-{os.getuid()}-jinja{jinja2.__version__}"
_compiled.mkdir(mode=0o700, exist_ok=True)
TEMPLATES[0]["OPTIONS"] |= {"bytecode_cache": jinja2.FileSystemBytecodeCache(str(_compiled))}  # type: ignore[operator]
if "init_command" in DATABASES["default"].get("OPTIONS", {}):  # SQLite: no test needs what a power cut would lose
    DATABASES["default"]["OPTIONS"]["init_command"] += " PRAGMA synchronous=OFF;"
    DATABASES["default"]["ENGINE"] = "tests.sqlite_lengths"
TUTOR_WARM_UP = False  # most servers of tests are asked nothing
