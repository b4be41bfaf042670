"""Who may open a file of a course: those who may read a text that shows it."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import CourseFile, Lesson
from apps.courses.policies import is_staff_of
from apps.courses.services import course_file_holds
from apps.learning import policies
from apps.learning.models import Attempt
from apps.learning.queries.openable import openable_lessons
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.errors import NotFound

PERMISSION_TTL = timedelta(seconds=60)  # a page asks for its pictures one by one: a permission is believed so long
_permitted: LruCache[datetime] = LruCache(20_000)


def course_file_for(user: AnyUser, uid: UUID) -> CourseFile:
    """Return a file by the uid in its address, with its upload. Two queries if this reader asked a moment ago.

    Staff of its course may open it always, others if they may read one of the texts that show it: the course page, or
    a lesson that is open to them now.

    :raises NotFound: there is none that the user may open.
    """
    rows = list(CourseFile.objects.filter(uid=uid).select_related("course", "upload").order_by("pk"))
    for file in rows:
        if file.upload.completed_at is not None and (_was_permitted(user, file) or _may_open(user, file)):
            return file
    raise NotFound


def _may_open(user: AnyUser, file: CourseFile) -> bool:
    may_open = is_staff_of(user, file.course) or _reads_text_with(user, file)
    if may_open:
        _permitted.put(_key(user, file), timezone.now())
    return may_open


def _reads_text_with(user: AnyUser, file: CourseFile) -> bool:
    # What a text no longer shows is closed; attempts at a quiz still show what they asked.
    shown = Q(ended_at=None) | Q(lesson__kind=Lesson.Kind.QUIZ)
    lessons = list(file.uses.filter(shown).values_list("lesson", flat=True))
    if None in lessons and policies.see_course(user, file.course) is None:
        return True
    return bool(lessons) and not openable_lessons(user, file.course).isdisjoint(lessons)


def _was_permitted(user: AnyUser, file: CourseFile) -> bool:
    """Whether this process has found within `PERMISSION_TTL` that they may. No queries."""
    known = _permitted.get(_key(user, file))
    return known is not None and abs(timezone.now() - known) < PERMISSION_TTL


def _key(user: AnyUser, file: CourseFile) -> tuple[int, int]:
    return (user.pk if isinstance(user, User) else 0, file.pk)


@course_file_holds.registers("attempts")
def files_in_attempts(uids: Collection[UUID]) -> set[UUID]:
    """Return those files that an attempt shows: it keeps what it asked when its quiz is edited. A query for each."""
    asked, results = Cast("asked", TextField()), Cast("results", TextField())
    attempts = Attempt.objects.annotate(asked_text=asked, results_text=results)
    return {
        uid
        for uid in uids
        if attempts.filter(Q(asked_text__contains=str(uid)) | Q(results_text__contains=str(uid))).exists()
    }
