"""What reviewers said about demo courses that wait for a review."""

from datetime import datetime, timedelta

from apps.accounts.models import User
from apps.courses.models import Course, Lesson, ReviewComment, ReviewThread, ReviewTick, Submission


def write_review(course: Course, submission: Submission, admin: User, now: datetime) -> None:
    """Write two threads, one of them resolved, and the first ticks of the checklist, if the course has lessons."""
    lesson = Lesson.objects.filter(course=course).order_by("section__position", "position").first()
    if lesson is None:
        return
    opened = now - timedelta(hours=3)
    place = {"lesson_uid": lesson.uid, "lesson_number": lesson.number, "lesson_title": lesson.title}
    said = ReviewThread.objects.create(
        course=course,
        submission=submission,
        place=ReviewThread.Place.LESSON,
        is_required=True,
        opened_at=opened,
        changed_at=opened + timedelta(hours=1),
        **place,
    )
    page = ReviewThread.objects.create(
        course=course,
        submission=submission,
        place=ReviewThread.Place.COURSE,
        opened_at=opened,
        changed_at=opened + timedelta(hours=2),
        resolved_at=opened + timedelta(hours=2),
        resolved_by=course.instructor,
    )
    texts = [
        (
            said,
            admin,
            "Say in the first minute what learners can do after this lesson.",
            0,
        ),
        (said, course.instructor, "I'll put it before the example.", 1),
        (page, admin, "The second outcome promises more than the lessons teach.", 0),
        (page, course.instructor, "Reworded.", 2),
    ]
    ReviewComment.objects.bulk_create(
        ReviewComment(thread=thread, author=author, text=text, written_at=opened + timedelta(hours=hours))
        for thread, author, text, hours in texts
    )
    ReviewTick.objects.bulk_create(
        ReviewTick(submission=submission, point=point, ticked_by=admin, ticked_at=opened)
        for point in ("plays", "captions")
    )
