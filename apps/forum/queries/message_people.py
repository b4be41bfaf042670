"""With whom messages are exchanged, and what can be attached to them."""

import uuid

from django.db.models import F

from apps.accounts.models import User
from apps.accounts.queries.names import name_contains, words_of_name
from apps.courses.models import Course
from apps.files.models import File
from apps.forum.models import Topic
from apps.learning.models import Enrollment
from studyplatform.kit.errors import NotFound

MOST_FILES = 12  # offered for attaching
MOST_TOPICS = 3
MOST_LEARNERS = 20  # offered for a new conversation


def standing_in(course: Course, learner: User) -> Enrollment | None:
    """The learner's enrollment, the active one first, for the instructor who writes to them. One query."""
    rows = Enrollment.objects.filter(course=course, user=learner).select_related("course", "last_lesson__section")
    return rows.order_by(F("revoked_at").desc(nulls_first=True), "-pk").first()


def topics_by(learner: User, course: Course, viewer: User) -> list[Topic]:
    """The newest `MOST_TOPICS` topics of the learner on the board of the course, of those listed for the viewer."""
    rows = Topic.objects.listed_for(viewer).filter(author=learner, board__course=course)
    return list(rows.order_by("-pk")[:MOST_TOPICS])


def attachable(user: User) -> list[File]:
    """The newest files of the user's library. One query."""
    return list(File.objects.of(user.pk).present().order_by("-modified_at", "-pk")[:MOST_FILES])


def learners_to_write_to(course: Course, text: str) -> list[Enrollment]:
    """Learners of the course whose name contains the text, the most recently active first; at most `MOST_LEARNERS`."""
    rows = Enrollment.objects.active().filter(course=course, user__is_active=True).exclude(user=course.instructor_id)
    for word in words_of_name(text, most=3):
        rows = rows.filter(name_contains(word, "user__"))
    return list(rows.select_related("user").order_by("-last_activity_at", "-pk")[:MOST_LEARNERS])


def learner_of(course: Course, uid: str) -> User:
    """The user with this uid who is or was enrolled in the course.

    :raises NotFound: there is none.
    """
    try:
        known = uuid.UUID(uid)
    except ValueError:
        raise NotFound from None
    found = User.objects.filter(uid=known, enrollments__course=course).exclude(pk=course.instructor_id).first()
    if found is None:
        raise NotFound
    return found
