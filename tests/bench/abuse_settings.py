"""The settings of `make run` without rate limits, so that every hostile request reaches what it attacks."""

from studyplatform.settings.embedded import *  # noqa: F403
from studyplatform.settings.embedded import RATE_LIMITS

RATE_LIMITS = {what: (10**9, seconds) for what, (_, seconds) in RATE_LIMITS.items()}
