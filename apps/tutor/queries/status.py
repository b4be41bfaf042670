"""Whether the tutor answers, and how often the user may still ask."""

from datetime import datetime
from typing import Any

from django.conf import settings

from apps.accounts.models import User
from apps.tutor import providers
from apps.tutor.errors import TutorUnavailable
from apps.tutor.models import MOST_QUESTION
from apps.tutor.queries.outcomes import status_after
from apps.tutor.services.limits import limits
from studyplatform.kit.web import rate_limits


def status_of(user: User, now: datetime) -> dict[str, Any]:
    """Return the shape ``StatusOut``."""
    left = {
        period: {"left": max(0, most - rate_limits.used(f"tutor-{period}", str(user.uid), now=now)), "of": most}
        for period, (most, _) in limits().items()
    }
    try:
        provider = providers.current()
    except TutorUnavailable as error:
        return {
            "status": status_after(error.code),
            "error_code": error.code,
            "provider": "model",
            "name": settings.TUTOR_MODEL,
            "is_search": False,
            "retry_after": providers.retry_after() or error.retry_delay,
            "limits": left,
            "max_question_length": MOST_QUESTION,
        }
    return {
        "status": "online",
        "error_code": "",
        "provider": "search" if provider.is_search else "model",
        "name": provider.name,
        "is_search": provider.is_search,
        "retry_after": None,
        "limits": left,
        "max_question_length": MOST_QUESTION,
    }
