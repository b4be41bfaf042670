"""What learners are told of their courses."""

from collections.abc import Callable

from apps.accounts import services as people
from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.learning.models import Enrollment

AT_ONCE = 200


def announce_lesson(*, lesson_id: int, keep: Callable[[], None]) -> None:
    """Tell everybody in the course of a lesson that was added; nobody, if it is gone or the course is not public."""
    lesson = Lesson.objects.select_related("course").filter(pk=lesson_id).first()
    if lesson is None or lesson.course.status != Course.Status.PUBLISHED:
        return
    link = f"/learn/{lesson.course.slug}/{lesson.slug}"
    enrollments = (
        Enrollment.objects.active().filter(course=lesson.course).order_by("pk").values_list("user_id", flat=True)
    )
    learners = list(enrollments)
    for start in range(0, len(learners), AT_ONCE):
        users = User.objects.filter(pk__in=learners[start : start + AT_ONCE], is_active=True)
        people.notify_all(
            "learning.new_lesson", users, link, lesson.uid.hex, course=lesson.course.title, lesson=lesson.title
        )
        keep()
