"""Deal with questions that the tutor did not answer."""

from datetime import datetime

from apps.accounts.models import User
from apps.courses.models import Course
from apps.courses.policies import manage_course
from apps.tutor.models import SettledQuestion
from apps.tutor.queries.insight import PERIODS, insight_of
from studyplatform.kit.errors import NotFound, ValidationFailed
from studyplatform.kit.policies import enforce


def settle_question(*, course: Course, by: User, key: str, outcome: str, now: datetime) -> None:
    """Take an unanswered question from the to-dos, as done or dismissed. Idempotent.

    :raises NotCourseStaff: the user is not staff of the course.
    :raises ValidationFailed: there is no such outcome.
    :raises NotFound: the course has no such unanswered question that its staff may read.
    """
    enforce(manage_course(by, course))
    if outcome not in SettledQuestion.Outcome.values:
        raise ValidationFailed
    found = insight_of(course, days=max(PERIODS), now=now)
    if key not in {one.key for one in (*found.todos, *found.settled)}:
        raise NotFound
    chosen = {"outcome": outcome, "settled_at": now}
    SettledQuestion.objects.update_or_create(course=course, key=key, defaults=chosen)


def reopen_question(*, course: Course, by: User, key: str) -> None:
    """Bring a question back to the to-dos. Idempotent.

    :raises NotCourseStaff: the user is not staff of the course.
    """
    enforce(manage_course(by, course))
    SettledQuestion.objects.filter(course=course, key=key).delete()
