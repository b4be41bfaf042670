"""Courses' part of a user's data archive."""

from collections.abc import Iterator

from apps.accounts.models import User
from apps.accounts.services import Part, register_export
from apps.courses.models import Course, LearningPath, Lesson


@register_export("courses")
def of_teaching(user: User) -> Iterator[Part]:
    paths = LearningPath.objects.owned_by(user.pk)
    if paths.exists():
        yield Part(
            "teaching/learning-paths.json",
            paths.values("slug", "title", "summary", "description", "is_published", "created_at").iterator(),
        )
    taught = Course.objects.filter(instructor=user)
    if not taught.exists():
        return
    yield Part(
        "teaching/courses.json",
        taught.values(
            "slug", "title", "summary", "description", "picture__alt", "status", "created_at", "published_at"
        ).iterator(),
    )
    lessons = Lesson.with_removed.filter(course__instructor=user, course__next_version_of=None)
    yield Part(
        "teaching/lessons.json",
        lessons.values(
            "course__slug", "title", "kind", "summary", "body", "external_video", "chapters", "removed_at"
        ).iterator(),
    )
