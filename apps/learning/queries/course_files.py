"""Who may open a file of a course: those who may read a text that shows it."""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db.models import Q, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course, CourseFile, Lesson
from apps.courses.policies import is_staff_of
from apps.courses.services import course_file_holds
from apps.learning import policies
from apps.learning.models import Attempt, Enrollment, LessonProgress, OfflineDevice, SealedPaper
from apps.learning.outline import place_all
from apps.learning.queries.openable import openable_lessons
from apps.learning.queries.outline import outline_of, standing_of
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.errors import NotFound

PERMISSION_TTL = timedelta(seconds=60)  # a page asks for its pictures one by one: what is open is believed so long
_openable: LruCache[tuple[datetime, frozenset[int]]] = LruCache(5_000)


def course_file_for(user: AnyUser, uid: UUID) -> CourseFile:
    """Return a file by the uid in its address, with its upload. Two queries if this reader asked for another one of
    the course a moment ago.

    Staff of its course may open it always, others if they may read one of the texts that show it: the course page, a
    lesson that is open to them now, or one in which they work or worked while a version took it out.

    :raises NotFound: there is none that the user may open.
    """
    rows = list(CourseFile.objects.filter(uid=uid).select_related("course", "upload").order_by("pk"))
    for file in rows:
        if file.upload.completed_at is not None and _may_open(user, file):
            return file
    raise NotFound


def _may_open(user: AnyUser, file: CourseFile) -> bool:
    if is_staff_of(user, file.course):
        return True
    # What a text no longer shows is closed; attempts at a quiz still show what they asked.
    shown = Q(ended_at=None) | Q(lesson__kind=Lesson.Kind.QUIZ)
    lessons = set(file.uses.filter(shown).values_list("lesson", flat=True))
    if None in lessons and policies.see_course(user, file.course) is None:
        return True
    return bool(lessons) and _is_open(user, file.course, lessons)


def _is_open(user: AnyUser, course: Course, lessons: Collection[int | None]) -> bool:
    """Whether one of these lessons is open to the user. What this process found out within `PERMISSION_TTL` counts.

    What was closed then is looked up again, so nothing opens late; an outline that changed counts at once.
    """
    key, now = (user.pk if isinstance(user, User) else 0, course.pk, course.version), timezone.now()
    at, found = _openable.get(key) or (now, frozenset())
    if abs(now - at) < PERMISSION_TTL and not found.isdisjoint(lessons):
        return True
    found = openable_lessons(user, course) | _begun_lessons(user, course)
    if found.isdisjoint(lessons):
        found |= _storable_lessons(user, course)
    return not _openable.put(key, (now, found))[1].isdisjoint(lessons)


def _begun_lessons(user: AnyUser, course: Course) -> frozenset[int]:
    """Return the lessons that an enrolled user keeps, also when a version takes them out. One query.

    Attempts at a quiz are answered and read later; a text that was begun stays on the page that is open.
    """
    if not isinstance(user, User) or not user.is_active:
        return frozenset()
    theirs = Enrollment.objects.active().filter(user=user, course=course).values("pk")
    asked = Attempt.objects.filter(enrollment__in=theirs).values_list("quiz__lesson", flat=True)
    begun = LessonProgress.objects.filter(enrollment__in=theirs, lesson__removed_at__isnull=False)
    return frozenset(asked.union(begun.values_list("lesson", flat=True)))


def _storable_lessons(user: AnyUser, course: Course) -> frozenset[int]:
    """Return the lessons that devices of an enrolled user store until earlier ones are complete. Two queries."""
    if not isinstance(user, User) or not OfflineDevice.objects.filter(user=user).exists():
        return frozenset()
    standing = standing_of(user, course)
    placed = place_all(course, outline_of(course), standing) if standing.enrollment is not None else []
    return frozenset(one.entry.pk for one in placed if one.blocker is not None)


@course_file_holds.registers("attempts")
def files_in_attempts(uids: Collection[UUID]) -> set[UUID]:
    """Return those files that an attempt shows, or will: it keeps what it asked when its quiz is edited.

    Two queries for each, over the attempts in the courses that have the file and the papers that wait on devices.
    """
    asked, results = Cast("asked", TextField()), Cast("results", TextField())
    attempts = Attempt.objects.annotate(asked_text=asked, results_text=results)
    papers = SealedPaper.objects.filter(used_at=None).annotate(asked_text=asked)
    held = set()
    for uid in uids:
        courses = CourseFile.objects.filter(uid=uid).values("course")
        shown = Q(asked_text__contains=str(uid)) | Q(results_text__contains=str(uid))
        of_courses = Q(quiz__lesson__course__in=courses)
        is_asked = papers.filter(of_courses, asked_text__contains=str(uid)).exists()
        if is_asked or attempts.filter(of_courses, shown).exists():
            held.add(uid)
    return held
