"""Learning's part of a user's data archive."""

from collections.abc import Iterator

from apps.accounts.models import User
from apps.accounts.services import Part, register_export
from apps.learning.models import (
    Achievement,
    AnalyticsReport,
    Attempt,
    Bookmark,
    Certificate,
    Enrollment,
    EssayAnswer,
    EssayMark,
    HelpfulVote,
    LearnedDay,
    LearnerException,
    LessonProgress,
    LessonUse,
    Note,
    OfflineDevice,
    PracticeCard,
    PracticeReview,
    Rating,
    RatingDecision,
    RatingReport,
    SavedFilter,
    SealedPaper,
    StaffNote,
    TakenChange,
    WatchedDay,
)

_RATED = ("created_at", "updated_at")


@register_export("learning")
def of_learning(user: User) -> Iterator[Part]:
    mine = {"enrollment__user": user}
    enrollments = Enrollment.objects.filter(user=user).values(
        *("course__title", "enrolled_at", "revoked_at", "percent", "completed_lessons", "completed_at"),
        *("rollup__risk", "rollup__risk_since"),
    )
    yield Part("learning/courses.json", enrollments.iterator())
    lessons = LessonProgress.objects.filter(**mine).values(
        "enrollment__course__title", "lesson__title", "position", "watched_seconds", "started_at", "completed_at"
    )
    yield Part("learning/lessons.json", lessons.iterator())
    uses = LessonUse.objects.filter(**mine)
    yield Part(
        "learning/consumed.json",
        uses.values("enrollment__course__title", "lesson__title", "served", "is_whole", "updated_at").iterator(),
    )
    # Open attempts are left out: they have no result yet.
    attempts = Attempt.objects.filter(**mine).exclude(submitted_at=None)
    yield Part(
        "learning/quizzes.json",
        attempts.values(
            "quiz__lesson__title",
            "number",
            "started_at",
            "submitted_at",
            "answers",
            "score",
            "points",
            "is_passed",
            "is_offline",
        ).iterator(),
    )
    # Of papers not what they ask: nobody has answered it.
    papers = SealedPaper.objects.filter(**mine).order_by("pk")
    yield Part(
        "learning/offline_quizzes.json",
        papers.values("quiz__lesson__title", "device__name", "sealed_at", "used_at", "attempt__number").iterator(),
    )
    changes = TakenChange.objects.filter(user=user).order_by("pk")
    yield Part("learning/offline_changes.json", changes.values("change", "kind", "outcome", "taken_at").iterator())
    essays = EssayAnswer.objects.filter(attempt__enrollment__user=user).order_by("pk")
    yield Part(
        "learning/essays.json",
        essays.values(
            "attempt__quiz__lesson__title", "question_uid", "points", "earned", "comment", "submitted_at", "marked_at"
        ).iterator(),
    )
    marks = EssayMark.objects.filter(marked_by=user).order_by("pk")
    yield Part(
        "learning/marks_given.json",
        marks.values("essay__attempt__quiz__lesson__title", "earned", "comment", "marked_at").iterator(),
    )
    granted = LearnerException.objects.filter(**mine).order_by("pk")
    yield Part(
        "learning/exceptions.json",
        granted.values(
            "enrollment__course__title", "quiz__lesson__title", "kind", "minutes", "percent", "is_unlimited", "count",
            "attempt__number", "reason", "granted_at", "used_at", "ended_at",
        ).iterator(),
    )  # fmt: skip
    exceptions_given = LearnerException.objects.filter(granted_by=user).order_by("pk")
    yield Part(
        "learning/exceptions_given.json",
        exceptions_given.values("enrollment__course__title", "kind", "reason", "granted_at", "ended_at").iterator(),
    )
    notes_about = StaffNote.objects.filter(learner=user).order_by("pk")
    yield Part("learning/staff_notes.json", notes_about.values("course__title", "text", "created_at").iterator())
    notes_by = StaffNote.objects.filter(author=user).order_by("pk")
    yield Part("learning/staff_notes_written.json", notes_by.values("course__title", "text", "created_at").iterator())
    filters = SavedFilter.objects.filter(user=user).order_by("pk")
    yield Part("learning/saved_filters.json", filters.values("name", "query", "created_at").iterator())
    given = Certificate.objects.filter(**mine).values("code", "course_title", "learner_name", "issued_at")
    yield Part("learning/certificates.json", given.iterator())
    ratings = Rating.objects.filter(**mine, deleted_at=None)
    yield Part("learning/ratings.json", ratings.values("course__title", "stars", "text", *_RATED, "reply").iterator())
    replies = Rating.objects.filter(replied_by=user).values("course__title", "reply", "replied_at", "reply_changed_at")
    yield Part("learning/replies.json", replies.iterator())
    votes = HelpfulVote.objects.filter(user=user).values("rating__course__title", "rating__text", "created_at")
    yield Part("learning/helpful.json", votes.iterator())
    reports = RatingReport.objects.filter(user=user)
    said = reports.values("rating__course__title", "reason", "comment", "state", "created_at")
    yield Part("learning/reports.json", said.iterator())
    decided = RatingDecision.objects.filter(admin=user).values("rating__course__title", "kind", "reason", "decided_at")
    yield Part("learning/decisions.json", decided.iterator())
    scheduled = AnalyticsReport.objects.filter(user=user).order_by("pk")
    yield Part(
        "learning/analytics_reports.json", scheduled.values("course__title", "frequency", "created_at").iterator()
    )
    bookmarks = Bookmark.objects.filter(user=user).values("course__title", "created_at")
    yield Part("learning/bookmarks.json", bookmarks.iterator())
    watched = WatchedDay.objects.filter(user=user).order_by("day", "pk")
    yield Part("learning/watched.json", watched.values("day", "course__title", "seconds", "other_seconds").iterator())
    days = LearnedDay.objects.filter(user=user).order_by("day")
    yield Part("learning/days.json", days.values("day", "seconds", "lessons").iterator())
    earned = Achievement.objects.filter(user=user).order_by("earned_at")
    yield Part("learning/achievements.json", earned.values("kind", "earned_at", "day").iterator())
    notes = Note.objects.kept().of(user.pk).order_by("course", "lesson", "second", "pk")
    yield Part(
        "learning/notes.json",
        notes.values("course__title", "lesson_title", "kind", "second", "text", "created_at", "updated_at").iterator(),
    )
    devices = OfflineDevice.objects.filter(user=user).order_by("pk")
    yield Part("learning/devices.json", devices.values("name", "created_at", "last_contact_at").iterator())
    # Of a question only what was asked: the archive reveals no answers.
    cards = PracticeCard.objects.filter(user=user).order_by("pk")
    yield Part(
        "learning/practice_cards.json",
        cards.values(
            "uid", "question__prompt", "front", "back", "missed", "missed_at", "created_at", "deleted_at", "due",
            "state", "step", "stability", "difficulty", "last_review", "turn", "lapses",
        ).iterator(),
    )  # fmt: skip
    reviews = PracticeReview.objects.filter(card__user=user).order_by("pk")
    yield Part(
        "learning/practice_reviews.json",
        reviews.values("card__uid", "turn", "rating", "verdict", "reviewed_at").iterator(),
    )
