"""Lessons that a device stores: whether it still may, until when, and as which content."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.conf import settings

from apps.accounts.models import User
from apps.billing.access import access_ends, lost_accesses
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Course, Lesson, Right
from apps.courses.policies import courses_with_right
from apps.learning import offline_policies
from apps.learning.errors import LessonTakenOut
from apps.learning.models import Enrollment
from apps.learning.outline import Entry, Outline, Standing
from apps.learning.queries.lessons import OpenLesson
from apps.learning.queries.offline_stamps import stamps_of, states_of
from apps.learning.queries.openable import standings_of
from apps.learning.queries.outline import outlines_of
from studyplatform.kit.errors import AppError
from studyplatform.kit.policies import enforce

ACCESS_IN_DOUBT = timedelta(days=1)
"""For so long a lesson stays whose access should have ended, but still opens: its renewal is on the way."""


def refusal_out(refusal: AppError | None) -> dict[str, str] | None:
    """Return the shape ``RefusalOut``."""
    if refusal is None:
        return None
    return {"code": refusal.code, "title": str(refusal.title), "message": refusal.detail}


def expiry_of(end: datetime | None, now: datetime) -> datetime:
    """Return until when a lesson opens without a contact; ``end``: when the access to its course ends, if known."""
    limit = now + timedelta(days=settings.OFFLINE_DAYS)
    if end is None:
        return limit
    return min(limit, end if end > now else now + ACCESS_IN_DOUBT)


def expiry_for(user: User, course: Course, now: datetime) -> datetime:
    """Return until when the lessons of a course open without a contact. At most four queries."""
    return expiry_of(access_ends(user, [course], now=now).get(course.pk), now)


def enforce_storing(user: User, opened: OpenLesson) -> Enrollment:
    """Return the enrollment of a learner who may store the lesson.

    :raises AppError: they may not.
    """
    course, standing = opened.course, opened.standing
    entry = opened.outline.entry(opened.lesson.pk)
    lost = lost_accesses(user, [course]).get(course.pk) if standing.enrollment is None else None
    opens_at = standing.opening_of(entry) if entry is not None else None
    enforce(offline_policies.store_lesson(user, opened.lesson, standing, opens_at, lost))
    if opened.lesson.is_removed or entry is None or standing.enrollment is None:
        raise LectureUnavailable
    return standing.enrollment


def lessons_before(opened: OpenLesson) -> list[Entry]:
    """Return what the learner must complete before the lesson opens, in order."""
    course, standing, pk = opened.course, opened.standing, opened.lesson.pk
    outline = standing.fit(opened.outline)
    here = outline.entry(pk)
    if here is None or here.is_preview or standing.is_staff or standing.has_begun(pk):
        return []
    earlier = {entry.pk for entry in outline.before(pk)}
    return [
        entry
        for entry in outline.entries
        if not standing.has_completed(entry.pk)
        and (
            (course.requires_order and entry.pk in earlier and not entry.is_optional)
            # Where the course has an order, only earlier prerequisites count, as in outline.blocker_of.
            or (entry.pk in here.prerequisites and (not course.requires_order or entry.pk in earlier))
        )
    ]


def check_lessons(user: User, uids: Collection[UUID], *, now: datetime) -> dict[str, Any]:
    """Return ``lessons`` and ``completed`` of the shape ``CheckInOut``, the lessons in the order of ``uids``.

    At most nineteen queries, however many lessons and courses there are.
    """
    fields = ("section", "video", "course__instructor")
    rows = Lesson.with_removed.filter(uid__in=uids, course__next_version_of=None).select_related(*fields)
    lessons = {lesson.uid: lesson for lesson in rows.defer("body", "video__facts", "course__description")}
    courses = {lesson.course_id: lesson.course for lesson in lessons.values()}
    enrollments = Enrollment.objects.active().filter(user=user, course__in=courses)
    standings = {course.pk: standing for course, standing in standings_of(enrollments, {user.pk: user}, now=now)}
    closed = [course for pk, course in courses.items() if pk not in standings]
    lost = lost_accesses(user, closed) if closed else {}
    staffed = courses_with_right(user, closed, Right.VIEW)
    standings |= {course.pk: Standing(is_staff=course.pk in staffed, now=now) for course in closed}
    outlines = outlines_of(courses.values())
    verdicts: dict[UUID, AppError | None] = {}
    for uid, lesson in lessons.items():
        pk = lesson.course_id
        verdicts[uid] = _verdict(user, lesson, standings[pk], outlines[pk], lost.get(pk))
    kept = [lessons[uid] for uid, refusal in verdicts.items() if refusal is None]
    ends = access_ends(user, {lesson.course_id: lesson.course for lesson in kept}.values(), now=now)
    stamps, states = stamps_of(kept), states_of(user, kept)
    checked = []
    for uid in dict.fromkeys(uids):
        found = lessons.get(uid)
        refusal = verdicts[uid] if found is not None else LectureUnavailable()
        is_kept = found is not None and refusal is None
        checked.append(
            {
                "uid": str(uid),
                "expires_at": expiry_of(ends.get(found.course_id), now) if found and is_kept else None,
                "stamp": stamps[found.pk] if found and is_kept else "",
                "state": states[found.pk] if found and is_kept else "",
                "refusal": refusal_out(refusal),
            }
        )
    completed = [
        str(entry.uid)
        for pk, standing in standings.items()
        for entry in outlines[pk].entries
        if standing.has_completed(entry.pk)
    ]
    return {"lessons": checked, "completed": completed}


def _verdict(user: User, lesson: Lesson, standing: Standing, outline: Outline, lost: "Any") -> AppError | None:
    entry = outline.entry(lesson.pk)
    opens_at = standing.opening_of(entry) if entry is not None else None
    refusal = offline_policies.store_lesson(user, lesson, standing, opens_at, lost)
    if refusal is None and (lesson.is_removed or entry is None):
        return LessonTakenOut(lesson=lesson.title, course=lesson.course.slug)
    return refusal
