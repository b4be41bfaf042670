"""Which courses a user has bookmarked."""

from django.db.models import Exists, OuterRef

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course
from apps.learning.models import Bookmark, Enrollment

IS_BOOKMARKED = Exists(Bookmark.objects.filter(user_id=OuterRef("user_id"), course_id=OuterRef("course_id")))
"""For rows of ``Enrollment``, as an annotation or a filter: whether the learner has bookmarked the course."""


def bookmarked_courses(user: User) -> frozenset[int]:
    """Return the primary keys of the courses that the user has bookmarked. One query."""
    return frozenset(Bookmark.objects.filter(user=user).values_list("course_id", flat=True))


def has_bookmarked(user: AnyUser, course: Course, enrollment: Enrollment | None = None) -> bool:
    """Return whether the user has bookmarked the course. One query.

    No query for visitors, or with an ``enrollment`` annotated with ``is_bookmarked`` as ``standing_of`` reads it.
    """
    annotated = getattr(enrollment, "is_bookmarked", None)
    if annotated is not None:
        return bool(annotated)
    return isinstance(user, User) and Bookmark.objects.filter(user=user, course=course).exists()
