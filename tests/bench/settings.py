"""The production profile on one machine over plain HTTP, with a header that counts the SQL of each answer."""

from studyplatform.settings.production import *  # noqa: F403
from studyplatform.settings.production import DATABASES, MIDDLEWARE

SECURE_SSL_REDIRECT = False
MIDDLEWARE = ["tests.bench.counting.CountSql", *MIDDLEWARE]
DATABASES["default"]["CONN_MAX_AGE"] = 600
