"""Essays for those who mark them: which wait, and one of them with its question and its earlier marks."""

from dataclasses import dataclass

from django.db.models import Count, Q, QuerySet

from apps.accounts.models import User
from apps.courses.models import Question, Right, taught_by
from apps.learning.models import EssayAnswer, EssayMark
from studyplatform.kit.errors import NotFound

TABS = ("waiting", "marked")
PAGE_SIZE = 20
MAX_MARKS_SHOWN = 20


def essays_for(user: User) -> QuerySet[EssayAnswer]:
    """Return the essays that the user may mark: of the courses they teach, for an admin of all courses.

    Those of learners who lost their access are left out; they return with it. Learners wait for the marks of a quiz
    that a version has taken out, too.
    """
    essays = EssayAnswer.objects.filter(attempt__enrollment__revoked_at=None)
    return essays if user.is_admin else essays.filter(taught_by(user.pk, Right.TEACH, "attempt__enrollment__course__"))


@dataclass(frozen=True)
class QuizToMark:
    """A quiz with essays, for the choice above the list."""

    course: str
    lesson_pk: int
    title: str
    waiting: int


def quizzes_to_mark(user: User) -> list[QuizToMark]:
    """Return the quizzes with essays that the user may mark, by course. One query."""
    lesson = "attempt__quiz__lesson__"
    rows = (
        essays_for(user)
        .values_list(f"{lesson}course__title", f"{lesson}pk", f"{lesson}number", f"{lesson}title")
        .annotate(waiting=Count("pk", filter=Q(marked_at=None)))
        .order_by(f"{lesson}course__title", f"{lesson}section__position", f"{lesson}position")
    )
    return [QuizToMark(course, pk, f"{number} {title}".strip(), waiting) for course, pk, number, title, waiting in rows]


def essays_in(user: User, tab: str, lesson_pk: int | None) -> QuerySet[EssayAnswer]:
    """Return the rows of the list: those that wait longest first, or those that were marked last."""
    essays = essays_for(user).select_related("attempt__enrollment__user", "attempt__quiz__lesson__course", "marked_by")
    essays = essays.defer("attempt__asked", "attempt__results", "attempt__answers")
    if lesson_pk is not None:
        essays = essays.filter(attempt__quiz__lesson=lesson_pk)
    if tab == "waiting":
        return essays.filter(marked_at=None).order_by("submitted_at", "pk")
    return essays.filter(marked_at__isnull=False).order_by("-marked_at", "-pk")


@dataclass(frozen=True)
class EssayCase:
    """One essay with everything that its marker reads."""

    essay: EssayAnswer
    question: Question
    text: str
    marks: list[EssayMark]
    """Those that were replaced, the latest first."""


def case_of(user: User, pk: int) -> EssayCase:
    """Return an essay that the user may mark, with its question as it was asked. Two queries.

    :raises NotFound: there is none.
    """
    essay = (
        essays_for(user)
        .select_related("attempt__enrollment__user", "attempt__quiz__lesson__course", "marked_by")
        .filter(pk=pk)
        .first()
    )
    if essay is None:
        raise NotFound
    uid = str(essay.question_uid)
    [stored] = [one for one in essay.attempt.results if one["uid"] == uid]
    question = Question(
        uid=essay.question_uid, kind=stored["kind"], prompt=stored["prompt"], explanation=stored["explanation"]
    )
    marks = essay.marks.filter(revision__lt=essay.revision).select_related("marked_by").order_by("-revision")
    return EssayCase(essay, question, stored["given"], list(marks[:MAX_MARKS_SHOWN]))
