"""For people who work on it: debug pages and files read anew on each request."""

from studyplatform.settings.base import *  # noqa: F403

ENVIRONMENT = "dev"
DEBUG = True
WHITENOISE_AUTOREFRESH = True
VISITOR_PAGES = False
