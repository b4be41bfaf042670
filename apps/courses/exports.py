"""Courses' part of a user's data archive."""

from collections.abc import Iterator

from apps.accounts.models import User
from apps.accounts.services import Part, register_export
from apps.courses.models import Appeal, CoInstructor, Course, LearningPath, Lesson, RevenueShare, ReviewComment


@register_export("courses")
def of_teaching(user: User) -> Iterator[Part]:
    paths = LearningPath.objects.owned_by(user.pk)
    if paths.exists():
        yield Part(
            "teaching/learning-paths.json",
            paths.values("slug", "title", "summary", "description", "is_published", "created_at").iterator(),
        )
    comments = ReviewComment.objects.filter(author=user)
    if comments.exists():
        yield Part(
            "teaching/review-comments.json",
            comments.values(
                "thread__course__title", "thread__lesson_title", "thread__second", "text", "written_at"
            ).iterator(),
        )
    appeals = Appeal.objects.filter(written_by=user)
    if appeals.exists():
        yield Part(
            "teaching/appeals.json",
            appeals.values("course__title", "text", "written_at", "outcome", "reply").iterator(),
        )
    joined = CoInstructor.objects.filter(user=user).order_by("pk")
    if joined.exists():
        yield Part(
            "teaching/co-instructor.json", joined.values("course__slug", "role", "joined_at", "removed_at").iterator()
        )
    shares = RevenueShare.objects.filter(user=user).order_by("pk")
    if shares.exists():
        yield Part(
            "teaching/revenue-shares.json", shares.values("course__slug", "percent", "since", "until").iterator()
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
