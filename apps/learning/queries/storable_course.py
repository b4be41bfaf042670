"""The lessons of a course with the sizes in which a device can store them."""

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db.models import Case, F, Sum, Value, When
from django.db.models.functions import Least

from apps.accounts.models import User
from apps.billing.access import lost_access
from apps.courses import artwork
from apps.courses.models import Course, CourseFileUse, Lesson
from apps.files.models import Rendition
from apps.learning import offline_policies
from apps.learning.queries.addresses import course_url, lesson_url
from apps.learning.queries.lessons import find_course
from apps.learning.queries.offline_lessons import refusal_out
from apps.learning.queries.outline import outline_of

QUALITIES = ("1080p", "720p", "480p", "audio")  # the best first
PAGE_BYTES = 60_000  # of the page of a lesson with its data, about
PICTURE_BYTES = 200_000  # of a picture as pages show it, at most about


def storable_course_out(user: User, slug: str, now: datetime) -> dict[str, Any]:
    """Return the shape ``StorableCourseOut``. Six queries; eight if the outline is not cached.

    :raises CourseNotFound: there is no such course, or the user may not see it.
    """
    course, standing = find_course(user, slug)
    outline = outline_of(course)
    lost = lost_access(user, course) if standing.enrollment is None else None
    rows = _lessons_of(course)
    sizes = _sizes_of(rows.values())
    lessons = []
    for part in outline.parts:
        for entry in part.entries:
            lesson = rows.get(entry.pk)
            if lesson is None:
                continue
            lesson.course = course
            opens_at = standing.opening_of(entry)
            refusal = offline_policies.store_lesson(user, lesson, standing, opens_at, lost)
            lessons.append(
                {
                    "uid": str(entry.uid),
                    "number": entry.number,
                    "title": entry.title,
                    "kind": entry.kind,
                    "duration": entry.duration,
                    "url": lesson_url(course.slug, entry.slug),
                    "section": part.number,
                    "is_completed": standing.has_completed(entry.pk),
                    "sizes": [] if refusal else sizes[entry.pk],
                    "refusal": refusal_out(refusal),
                }
            )
    return {
        "course": offline_course_out(course),
        "days": settings.OFFLINE_DAYS,
        "sections": [{"number": part.number, "title": part.title} for part in outline.parts],
        "lessons": lessons,
    }


def offline_course_out(course: Course) -> dict[str, str]:
    """Return the shape ``OfflineCourse``."""
    plate = course.plate or artwork.plate(course.slug, course.subject.slug, course.plate_variant)
    return {"slug": course.slug, "title": course.title, "url": course_url(course.slug), "plate": plate}


def _lessons_of(course: Course) -> dict[int, Lesson]:
    fields = ("kind", "is_preview", "external_video", "file_id", "course_id")
    of_video = ("stage", "is_playable", "failure", "former", "stored_bytes")
    of_file = ("length",)
    rows = Lesson.objects.filter(course=course).select_related("video", "file")
    rows = rows.only(*fields, *(f"video__{name}" for name in of_video), *(f"file__{name}" for name in of_file))
    return {lesson.pk: lesson for lesson in rows}


def _sizes_of(lessons: Iterable[Lesson]) -> dict[int, list[dict[str, Any]]]:
    """Return the sizes of the lessons by primary key, in the shape ``LessonSize``. Two queries."""
    lessons = list(lessons)
    by_quality: dict[int, dict[str, int]] = defaultdict(dict)
    of_videos = Rendition.objects.filter(video__in={lesson.video_id for lesson in lessons if lesson.video_id})
    for video, name, size in of_videos.order_by("pk").values_list("video", "name", "stored_bytes"):
        by_quality[video][name] = size
    picture = When(file__width__isnull=False, then=Least("file__upload__length", Value(PICTURE_BYTES)))
    uses = CourseFileUse.objects.filter(lesson__in=[lesson.pk for lesson in lessons], ended_at=None).order_by()
    sums = uses.values("lesson").annotate(size=Sum(Case(picture, default=F("file__upload__length"))))
    beside = dict(sums.values_list("lesson", "size"))
    found = {}
    for lesson in lessons:
        size = PAGE_BYTES + (beside.get(lesson.pk) or 0) + (lesson.file.length if lesson.file is not None else 0)
        if lesson.video is None:
            found[lesson.pk] = [{"quality": "", "size": size}]
            continue
        renditions = by_quality[lesson.video.pk]
        stills = max(0, lesson.video.stored_bytes - sum(renditions.values()))  # and captions
        found[lesson.pk] = [
            {"quality": name, "size": size + stills + renditions[name]} for name in QUALITIES if name in renditions
        ]
    return found
