"""What templates of other apps show of the tutor."""

from typing import Any

from apps.courses.models import Course, Lesson
from apps.tutor.queries.switches import is_off
from studyplatform.kit.web.jinja import register


@register("has_tutor")
def has_tutor(course: Course) -> bool:
    """Whether the course has a tutor."""
    return not is_off(course)


@register("tutor_props")
def tutor_props(course: Course, lesson: Lesson) -> dict[str, Any]:
    """What the tutor beside a lesson needs to know (assets/islands/tutor)."""
    return {
        "place": "lesson",
        "course": {"slug": course.slug, "title": course.title},
        "lesson": {"slug": lesson.slug, "title": lesson.title},
        "has_video": lesson.kind == Lesson.Kind.VIDEO,
    }
