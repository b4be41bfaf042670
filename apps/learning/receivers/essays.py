"""Notify instructors of essays that wait for marks, and learners of their marks."""

from django.utils import timezone

from apps.accounts import services as people
from apps.courses.policies import teachers_of
from apps.learning.events import EssayMarked, QuizSubmitted
from apps.learning.models import Attempt, EssayAnswer
from apps.learning.queries.addresses import lesson_url
from studyplatform.kit.events import subscribe


@subscribe(QuizSubmitted)
def notify_of_essays(event: QuizSubmitted) -> None:
    """Notify those who teach the course that answers wait for marks: once a day for each course."""
    if not event.waiting:
        return
    attempt = Attempt.objects.select_related("quiz__lesson__course__instructor").get(pk=event.attempt_id)
    course, lesson = attempt.quiz.lesson.course, attempt.quiz.lesson
    at = attempt.submitted_at or timezone.now()
    link, key = f"/dashboard/instructor/marking/?quiz={lesson.pk}", f"{course.pk} {at:%Y-%m-%d}"
    people.notify_all("learning.essays_waiting", teachers_of(course), link, key, now=at, course=course.title)


@subscribe(EssayMarked)
def notify_of_marks(event: EssayMarked) -> None:
    """Notify the learner once all answers of an attempt are marked, and of each mark that is changed after that."""
    essay = EssayAnswer.objects.select_related("attempt__enrollment__user", "attempt__quiz__lesson__course").get(
        pk=event.essay_id
    )
    attempt, lesson = essay.attempt, essay.attempt.quiz.lesson
    if essay.marked_at is None or not (event.is_complete or (event.is_change and not attempt.waiting)):
        return
    kind = "learning.essays_marked" if event.is_complete else "learning.mark_changed"
    people.notify(
        kind,
        attempt.enrollment.user,
        lesson_url(lesson.course.slug, lesson.slug),
        f"{attempt.pk}" if event.is_complete else f"{essay.pk} {essay.revision}",
        now=essay.marked_at,
        quiz=lesson.title,
        percent=attempt.percent,
    )
