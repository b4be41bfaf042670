"""Learning's part of a user's data archive."""

from collections.abc import Iterator

from apps.accounts.models import User
from apps.accounts.services import Part, register_export
from apps.learning.models import (
    Achievement,
    Attempt,
    Bookmark,
    Certificate,
    Enrollment,
    LearnedDay,
    LessonProgress,
    Note,
    Rating,
    WatchedDay,
)


@register_export("learning")
def of_learning(user: User) -> Iterator[Part]:
    mine = {"enrollment__user": user}
    enrollments = Enrollment.objects.filter(user=user).values(
        "course__title", "enrolled_at", "revoked_at", "percent", "completed_lessons", "completed_at"
    )
    yield Part("learning/courses.json", enrollments.iterator())
    lessons = LessonProgress.objects.filter(**mine).values(
        "enrollment__course__title", "lesson__title", "position", "watched_seconds", "started_at", "completed_at"
    )
    yield Part("learning/lessons.json", lessons.iterator())
    # Open attempts are left out: they have no result yet.
    attempts = Attempt.objects.filter(**mine).exclude(submitted_at=None)
    yield Part(
        "learning/quizzes.json",
        attempts.values(
            "quiz__lesson__title", "number", "started_at", "submitted_at", "answers", "score", "points", "is_passed"
        ).iterator(),
    )
    given = Certificate.objects.filter(**mine).values("code", "course_title", "learner_name", "issued_at")
    yield Part("learning/certificates.json", given.iterator())
    ratings = Rating.objects.filter(**mine).values("course__title", "stars", "text", "created_at", "updated_at")
    yield Part("learning/ratings.json", ratings.iterator())
    bookmarks = Bookmark.objects.filter(user=user).values("course__title", "created_at")
    yield Part("learning/bookmarks.json", bookmarks.iterator())
    watched = WatchedDay.objects.filter(user=user).order_by("day", "pk")
    yield Part("learning/watched.json", watched.values("day", "course__title", "seconds").iterator())
    days = LearnedDay.objects.filter(user=user).order_by("day")
    yield Part("learning/days.json", days.values("day", "seconds", "lessons").iterator())
    earned = Achievement.objects.filter(user=user).order_by("earned_at")
    yield Part("learning/achievements.json", earned.values("kind", "earned_at", "day").iterator())
    notes = Note.objects.kept().of(user.pk).order_by("course", "lesson", "second", "pk")
    yield Part(
        "learning/notes.json",
        notes.values("course__title", "lesson_title", "kind", "second", "text", "created_at", "updated_at").iterator(),
    )
