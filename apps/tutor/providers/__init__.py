"""Who answers: a model, or the search."""

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string

from apps.accounts.models import User
from apps.courses.models import Course
from apps.tutor.errors import TutorOverloaded, TutorUnavailable
from apps.tutor.providers import breaker
from apps.tutor.providers.base import Prompt, Provider, Usage
from apps.tutor.providers.guarded import Guarded
from apps.tutor.providers.search import SearchProvider
from apps.tutor.queries.budgets import is_used_up

__all__ = ["Prompt", "Provider", "SearchProvider", "Usage", "current", "has_model", "retry_after"]


def current(user: User | None = None, course: Course | None = None) -> Provider:
    """Return the provider that answers now; once a budget of the user or of the chat's course is used up, the search.

    At most three queries, and none without a user.

    :raises TutorUnavailable: it has failed too often; it is tried again after a while. TutorOverloaded: it said that it
        has too many requests.
    """
    if not has_model():
        return SearchProvider()
    if user is not None and is_used_up(user_id=user.pk, course_id=course.pk if course else None, now=timezone.now()):
        return SearchProvider(stands_in=True)
    if breaker.seconds_left():
        raise TutorOverloaded if breaker.is_busy() else TutorUnavailable
    model = import_string("apps.tutor.providers.openai.OpenAIProvider")  # not above: it loads HTTPX
    return Guarded(model())


def has_model() -> bool:
    """Return whether a model answers, unless its budget is used up."""
    return bool(settings.TUTOR_URL)


def retry_after() -> int:
    """Return for how many seconds the model rests, because it has failed too often; 0 if it can be asked."""
    return -int(-breaker.seconds_left() // 1) if has_model() else 0
