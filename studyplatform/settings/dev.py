"""Development: debug pages, and templates and static files are read on each request."""

from studyplatform.settings.base import *  # noqa: F403

ENVIRONMENT = "dev"
DEBUG = True
WHITENOISE_AUTOREFRESH = True
VISITOR_PAGES = False
