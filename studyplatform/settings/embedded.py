"""One machine, no other server: what `make run` serves."""

from studyplatform.settings.base import *  # noqa: F403
