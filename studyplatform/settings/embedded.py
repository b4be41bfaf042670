"""One machine without other servers: the settings of `make run`."""

from studyplatform.settings.base import *  # noqa: F403
