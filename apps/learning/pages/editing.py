"""How those who edit a course get from a lesson's page into the studio."""

from dataclasses import dataclass

from django.urls import reverse

from apps.accounts.policies import AnyUser
from apps.courses import policies
from apps.learning.queries.lessons import OpenLesson


@dataclass(frozen=True)
class EditingWay:
    """Where the lesson is edited; ``begins``: by a POST, which begins the next version if there is none."""

    address: str
    begins: bool


def editing_way(opened: OpenLesson, user: AnyUser) -> EditingWay | None:
    """Return how the user gets to this lesson in the studio; None for those who don't edit the course.

    At most two queries for co-instructors, none for others.
    """
    course, lesson = opened.course, opened.lesson
    if not opened.standing.is_staff or opened.is_simulated or lesson.is_removed:
        return None
    if policies.begin_version(user, course) is None:
        return EditingWay(reverse("courses:studio-version-begin", args=[course.slug]), begins=True)
    if policies.edit_course(user, course) is None:
        return EditingWay(reverse("courses:studio-lesson", args=[course.slug, lesson.slug]), begins=False)
    return None
