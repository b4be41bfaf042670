"""Deal with questions that the tutor did not answer, and count those that wait."""

from datetime import UTC, datetime, timedelta

from apps.accounts.models import User
from apps.courses.models import Course, Right
from apps.courses.policies import hold_right
from apps.tutor.models import Exchange, SettledQuestion, TodoCount
from apps.tutor.queries.insight import PERIODS, SHOWN_FIRST, insight_of
from apps.tutor.queries.taught import course_of_staff
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError, NotFound, ValidationFailed
from studyplatform.kit.policies import enforce

PERIOD = timedelta(minutes=10)
"""Answers of the same period are counted by one job."""
Outcome = SettledQuestion.Outcome


def settle_question(*, course: Course, by: User, key: str, outcome: str, now: datetime, topic: str = "") -> None:
    """Take an unanswered question from the to-dos, as answered in a topic of the forum, done or dismissed. Idempotent.

    :raises NotCourseStaff: the user is not staff of the course.
    :raises ValidationFailed: there is no such outcome.
    :raises NotFound: the course has no such unanswered question that its staff may read.
    """
    enforce(hold_right(by, course, Right.TEACH))
    if outcome not in Outcome.values or (outcome == Outcome.ANSWERED) != bool(topic) or outcome == Outcome.OPEN:
        raise ValidationFailed
    found = insight_of(course, days=max(PERIODS), now=now)
    if key not in {one.key for one in (*found.todos, *found.settled)}:
        raise NotFound
    chosen = {"outcome": outcome, "settled_at": now, **({"topic": topic} if topic else {})}
    SettledQuestion.objects.update_or_create(course=course, key=key, defaults=chosen)
    count_todos(course=course, now=now)


def reopen_question(*, course: Course, by: User, key: str, now: datetime) -> None:
    """Bring a question back to the to-dos. A topic that was opened about it is remembered. Idempotent.

    :raises NotCourseStaff: the user is not staff of the course.
    """
    enforce(hold_right(by, course, Right.TEACH))
    settled = SettledQuestion.objects.filter(course=course, key=key)
    settled.filter(topic="").delete()
    settled.update(outcome=Outcome.OPEN)
    count_todos(course=course, now=now)


def remember_topic(*, user: User, about: str, path: str, now: datetime) -> bool:
    """Settle the question ``about``, "<slug of the course>.<key>", as answered in a topic. Return whether it exists."""
    slug, _dot, key = about.partition(".")
    try:
        course = course_of_staff(user, slug)
        settle_question(course=course, by=user, key=key, outcome=Outcome.ANSWERED, topic=path, now=now)
    except AppError:
        return False
    return True


def count_todos(*, course: Course, now: datetime) -> None:
    """Count the to-dos of a course as its page shows them, now and, while there are any, once a day. Idempotent."""
    count = len(insight_of(course, days=SHOWN_FIRST, now=now).todos)
    TodoCount.objects.update_or_create(course=course, defaults={"count": count, "counted_at": now})
    if count:  # questions age
        day = now.astimezone(UTC).date() + timedelta(days=1)
        midnight = datetime(day.year, day.month, day.day, tzinfo=UTC)
        jobs.enqueue("tutor.count_todos", key=f"{course.pk} {day}", delay=midnight - now, course_id=course.pk)


def count_todos_later(*, exchange_id: int, now: datetime) -> None:
    """Count the to-dos of the course of a question when the present :data:`PERIOD` is over."""
    exchange = Exchange.objects.select_related("lesson", "chat").filter(pk=exchange_id).first()
    course_id = exchange and (exchange.lesson.course_id if exchange.lesson else exchange.chat.course_id)
    if course_id is None:
        return
    period = int(now.timestamp() // PERIOD.total_seconds()) + 1
    delay = datetime.fromtimestamp(period * PERIOD.total_seconds(), UTC) - now
    jobs.enqueue("tutor.count_todos", key=f"{course_id} {period}", priority=-5, delay=delay, course_id=course_id)
