"""Notify learners of exceptions that were granted to them or ended: of what changes, never of the reason."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any

from apps.accounts import services as people
from apps.accounts.models import User
from apps.learning.models import LearnerException
from apps.learning.queries.addresses import lesson_url, progress_url

KIND = "learning.exception"


def tell_of_exceptions(
    exceptions: Iterable[LearnerException],
    *,
    now: datetime,
    minutes_of: Callable[[LearnerException], int] | None = None,
) -> None:
    """Notify each learner of what they may do now. Queries for each course, quiz and attempt number, not for each."""
    _tell(exceptions, "granted", now, minutes_of)


def tell_of_end(exceptions: Iterable[LearnerException], *, now: datetime) -> None:
    """Notify each learner of what counts no longer."""
    _tell(exceptions, "ended", now)


def _tell(
    exceptions: Iterable[LearnerException],
    state: str,
    now: datetime,
    minutes_of: Callable[[LearnerException], int] | None = None,
) -> None:
    groups: dict[tuple[Any, ...], tuple[str, str, dict[str, Any], list[User]]] = {}
    for one in exceptions:
        course, quiz = one.enrollment.course, one.quiz
        link = progress_url(course.slug) if quiz is None else lesson_url(course.slug, quiz.lesson.slug)
        params: dict[str, Any] = {
            "what": one.kind,
            "state": state,
            "is_course": int(quiz is None),
            "where": course.title if quiz is None else quiz.lesson.title,
            "minutes": minutes_of(one) if minutes_of is not None else one.minutes,
            "percent": one.percent,
            "count": one.count,
            "number": one.attempt.number if one.attempt is not None else 0,
        }
        key = f"{one.act} {state}"
        group = groups.setdefault((link, key, *params.values()), (link, key, params, []))
        group[3].append(one.enrollment.user)
    for link, key, params, learners in groups.values():
        people.notify_all(KIND, learners, link, key, now=now, **params)
