"""Read the exceptions that learners have from the rules of quizzes."""

from collections.abc import Collection
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Prefetch, Q, QuerySet

from apps.accounts.models import User
from apps.courses.models import Quiz, Right, taught_by
from apps.learning.models import Enrollment, LearnerException
from apps.learning.quizzes.exceptions import NO_EXCEPTIONS, QuizExceptions, minutes_again
from studyplatform.kit.errors import NotFound


def exceptions_at(quiz: Quiz, enrollment: Enrollment) -> QuizExceptions:
    """Return what is in force for a learner at a quiz. One query; none if nothing was ever granted to them."""
    if enrollment.exceptions_at is None:
        return NO_EXCEPTIONS
    return QuizExceptions.of(LearnerException.objects.in_force().filter(enrollment=enrollment.pk).at_quiz(quiz.pk))


def exceptions_granted_in(user: User, courses: Collection[int] | None = None) -> QuerySet[LearnerException]:
    """Return the exceptions in force that the user may end, the latest first: of the courses they teach.

    ``courses`` narrows it to courses by primary key; without it, an admin gets those of all courses. Learners who lost
    their access are left out.
    """
    rows = LearnerException.objects.in_force().filter(enrollment__revoked_at=None)
    if courses is not None:
        rows = rows.filter(enrollment__course__in=courses)
    if not user.is_admin:
        rows = rows.filter(taught_by(user.pk, Right.TEACH, "enrollment__course__") if user.can_teach else Q(pk__in=[]))
    related = ("enrollment__user", "enrollment__course", "quiz__lesson", "attempt", "granted_by")
    deferred = [
        f"{path}{name}"
        for path, names in (
            ("attempt__", ("asked", "answers", "results")),
            ("quiz__lesson__", ("body",)),
            ("enrollment__course__", ("description", "outcomes")),
        )
        for name in names
    ]
    extra_times = LearnerException.objects.in_force().filter(kind=LearnerException.Kind.TIME)
    rows = rows.prefetch_related(Prefetch("enrollment__exceptions", extra_times, to_attr="extra_times"))
    return rows.select_related(*related).defer(*deferred).order_by("-granted_at", "-pk")


def minutes_to_continue(exception: LearnerException) -> int:
    """Return the minutes that the learner of a reopened attempt has for it; 0: without a limit.

    No query if it was read by ``exceptions_granted_in``.
    """
    known: list[LearnerException] | None = getattr(exception.enrollment, "extra_times", None)
    if known is None:
        known = list(
            LearnerException.objects.in_force().filter(
                kind=LearnerException.Kind.TIME, enrollment=exception.enrollment_id
            )
        )
    return minutes_again(exception, (one for one in known if one.quiz_id in {None, exception.quiz_id}))


@dataclass(frozen=True)
class ExtensibleQuiz:
    """A quiz of a course, with the rules from which there are exceptions."""

    lesson_uid: UUID
    title: str
    time_limit: int
    max_attempts: int


def quizzes_of(course_id: int) -> list[ExtensibleQuiz]:
    """Return the quizzes of a course, in the order of its lessons. One query."""
    rows = Quiz.objects.filter(lesson__course=course_id, lesson__removed_at=None)
    rows = rows.order_by("lesson__section__position", "lesson__position")
    facts = rows.values_list("lesson__uid", "lesson__number", "lesson__title", "time_limit", "max_attempts")
    return [ExtensibleQuiz(uid, f"{number} {title}".strip(), *rules) for uid, number, title, *rules in facts]


def learners_taught_by(user: User, uids: Collection[UUID]) -> list[Enrollment]:
    """Return these enrollments, by uid, in courses that the user teaches now, by name of the learner. One query."""
    rows = Enrollment.objects.active().filter(uid__in=uids, user__deleted_at=None)
    if not user.is_admin:
        rows = rows.filter(taught_by(user.pk, Right.TEACH, "course__") if user.can_teach else Q(pk__in=[]))
    rows = rows.select_related("user", "course").defer("course__description", "course__outcomes")
    return sorted(rows, key=lambda one: (one.user.display_name.casefold(), one.pk))


def find_quiz(lesson: UUID) -> Quiz:
    """Return the quiz of a lesson, with its course. Whether the reader may do something with it, services ask.

    :raises NotFound: there is none.
    """
    quiz = Quiz.objects.select_related("lesson__course").filter(lesson__uid=lesson, lesson__removed_at=None).first()
    if quiz is None or quiz.lesson.course.is_working_copy:
        raise NotFound
    return quiz
