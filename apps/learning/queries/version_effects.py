"""Which learners a version of a course affects, for its author and the reviewer."""

from collections.abc import Iterator

from django.db.models import Count, Exists, OuterRef, Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.courses.models import Quiz
from apps.courses.queries.version_effects import Effect, VersionChange, version_effects
from apps.learning.models import Attempt, Enrollment, LessonProgress


@version_effects.registers("learning", order=10)
def count_learners(change: VersionChange) -> Iterator[Effect]:
    """Yield how many learners are partway, in an attempt, in a lesson that goes, done, or done by it. Five queries."""
    active = Enrollment.objects.active().filter(course=change.course)
    begun = Exists(LessonProgress.objects.filter(enrollment=OuterRef("pk")))
    counts = active.aggregate(
        partway=Count("pk", filter=Q(begun, completed_at=None)),
        completed=Count("pk", filter=Q(completed_at__isnull=False)),
    )
    yield Effect(
        "partway",
        _("Partway through"),
        ngettext("%d learner is in the course", "%d learners are in the course", counts["partway"]) % counts["partway"],
        counts["partway"],
    )
    yield Effect(
        "completed",
        _("Completed"),
        ngettext("%d learner stays complete", "%d learners stay complete", counts["completed"]) % counts["completed"],
        counts["completed"],
    )
    yield from _count_work(change)
    due = _count_due(change)
    yield Effect(
        "certificates_due",
        _("Certificates due"),
        ngettext("%d learner will have completed the course", "%d learners will have completed the course", due) % due,
        due,
    )


def _count_work(change: VersionChange) -> Iterator[Effect]:
    in_removed = LessonProgress.objects.filter(
        lesson__in=change.removed, completed_at=None, enrollment__revoked_at=None, enrollment__completed_at=None
    )
    stranded = in_removed.values("enrollment").distinct().count() if change.removed else 0
    yield Effect(
        "in_removed_lessons",
        _("In a removed lesson"),
        ngettext("%d learner has begun one", "%d learners have begun one", stranded) % stranded,
        stranded,
    )
    running = Attempt.objects.filter(submitted_at=None, enrollment__revoked_at=None)
    attempts = running.filter(quiz__lesson__in=change.quizzes).count() if change.quizzes else 0
    yield Effect(
        "open_attempts",
        _("Open attempts"),
        ngettext("%d attempt ends with its own questions", "%d attempts end with their own questions", attempts)
        % attempts,
        attempts,
    )
    again = _count_attempts_to_mark(change)
    yield Effect(
        "marked_again",
        _("Marked again"),
        ngettext("%d attempt may earn points, none loses any", "%d attempts may earn points, none loses any", again)
        % again,
        again,
    )


def _count_attempts_to_mark(change: VersionChange) -> int:
    """Return how many submitted attempts are at quizzes that may have asked a question with a corrected answer."""
    if not change.changed_answers:
        return 0
    own = Quiz.objects.filter(questions__in=change.changed_answers)
    is_from_bank = own.filter(course=change.course).exists()
    drawing = Quiz.objects.filter(lesson__course=change.course, draws__isnull=False)
    quizzes = Q(quiz__in=own) | Q(quiz__in=drawing) if is_from_bank else Q(quiz__in=own)
    return Attempt.objects.filter(quizzes, submitted_at__isnull=False, enrollment__revoked_at=None).count()


def _count_due(change: VersionChange) -> int:
    """Return how many learners will have completed all lessons that count: by those that go or become optional."""
    if change.adds_required or not change.required:
        return 0
    partway = Enrollment.objects.active().filter(course=change.course, completed_at=None)
    done = Q(progress__lesson__in=change.required, progress__completed_at__isnull=False)
    return partway.annotate(done=Count("progress", filter=done)).filter(done=len(change.required)).count()
