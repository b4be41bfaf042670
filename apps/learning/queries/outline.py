"""Read a course's outline and a user's standing in it from the database."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Aggregate, BigIntegerField, JSONField, OuterRef, Q, Subquery
from django.db.models.functions import JSONArray

from apps.accounts.models import User
from apps.accounts.policies import AnyUser
from apps.courses.models import Course, Lesson
from apps.courses.policies import is_staff_of
from apps.learning.models import Attempt, Enrollment, LessonProgress
from apps.learning.outline import Entry, Outline, Part, Progress, Standing
from apps.learning.queries.bookmarks import IS_BOOKMARKED
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.db.prepared_queries import Param, PreparedQuery

# Keyed by the course's version, which rises with every change of its outline: an entry is never stale,
# only no longer requested.
_outlines: LruCache[Outline] = LruCache(200)


def outline_of(course: Course) -> Outline:
    """Return the course's outline. Two queries, none if it is cached."""
    return outlines_of([course])[course.pk]


def outlines_of(courses: Iterable[Course]) -> dict[int, Outline]:
    """Return the outlines of several courses by primary key. Two queries for all that are not cached."""
    found: dict[int, Outline] = {}
    unknown: list[Course] = []
    for course in courses:
        known = _outlines.get((course.uid, course.version))
        if known is not None:
            found[course.pk] = known
        else:
            unknown.append(course)
    if unknown:
        read = _read_outlines([course.pk for course in unknown])
        for course in unknown:
            found[course.pk] = _outlines.put((course.uid, course.version), read.get(course.pk, Outline(())))
    return found


def _read_outlines(course_pks: list[int]) -> dict[int, Outline]:
    rows = (
        Lesson.objects.filter(course_id__in=course_pks)
        .order_by("section__position", "position")
        .values_list(
            "course_id",
            "section_id",
            "section__title",
            *("pk", "uid", "slug", "number", "title", "kind", "duration", "is_preview", "is_optional"),
            *("opens_at", "opens_after_days", "since_version"),
        )
    )
    prerequisites: dict[int, tuple[int, ...]] = {}
    links = Lesson.prerequisites.through.objects.filter(from_lesson__course_id__in=course_pks)
    for lesson_id, needed_id in links.order_by("pk").values_list("from_lesson", "to_lesson"):
        prerequisites[lesson_id] = (*prerequisites.get(lesson_id, ()), needed_id)
    courses: dict[int, dict[int, tuple[str, list[Entry]]]] = {}
    for course_id, section_id, section_title, *facts in rows:
        sections = courses.setdefault(course_id, {})
        facts.append(prerequisites.get(facts[0], ()))
        sections.setdefault(section_id, (section_title, []))[1].append(Entry(*facts))
    return {
        course_id: Outline(
            tuple(
                Part(number, title, tuple(entries))
                for number, (title, entries) in enumerate(sections.values(), start=1)
            )
        )
        for course_id, sections in courses.items()
    }


class _JSONArrayAgg(Aggregate):
    """The rows of a group as one JSON array."""

    function = "JSON_GROUP_ARRAY"
    output_field = JSONField()

    def as_postgresql(self, compiler: Any, connection: Any, **context: Any) -> Any:
        return self.as_sql(compiler, connection, function="JSONB_AGG", **context)


LESSON_PROGRESS = Subquery(
    LessonProgress.objects.filter(enrollment=OuterRef("pk"))
    .values("enrollment")
    .annotate(rows=_JSONArrayAgg(JSONArray("lesson_id", "position", "watched_seconds", Q(completed_at__isnull=False))))
    .values("rows")
)
_QUIZ_PERCENTS = Subquery(
    Attempt.objects.filter(enrollment=OuterRef("pk"), submitted_at__isnull=False, waiting=0)
    .values("enrollment")
    .annotate(rows=_JSONArrayAgg(JSONArray("quiz__lesson_id", "percent")))
    .values("rows")
)
_ENROLLMENT = PreparedQuery(
    lambda: (
        Enrollment.objects.active()
        .filter(user_id=Param("user", BigIntegerField()), course_id=Param("course", BigIntegerField()))
        .annotate(is_bookmarked=IS_BOOKMARKED, lesson_progress=LESSON_PROGRESS, quiz_percents=_QUIZ_PERCENTS)
        .select_related("certificate")
    )
)


def standing_of(user: AnyUser, course: Course) -> Standing:
    """Return the user's standing in the course. One query, none for visitors.

    The enrollment is annotated with ``is_bookmarked``.
    """
    staff = is_staff_of(user, course)
    if not isinstance(user, User):
        return Standing(is_staff=staff)
    enrollment = _ENROLLMENT.first(user=user.pk, course=course.pk)
    if enrollment is None:
        return Standing(is_staff=staff)
    rows: list[tuple[int, float, int, bool]] = getattr(enrollment, "lesson_progress", None) or []
    progress = {pk: Progress(position, watched, bool(is_completed)) for pk, position, watched, is_completed in rows}
    percents: list[tuple[int, int]] = getattr(enrollment, "quiz_percents", None) or []
    best: dict[int, int] = {}
    for lesson, percent in percents:
        best[lesson] = max(percent, best.get(lesson, 0))
    return Standing(enrollment, progress, staff, best)
