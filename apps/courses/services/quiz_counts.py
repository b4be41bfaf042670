"""What is counted of a quiz whenever its questions or the bank change: what an attempt gets, and how long it takes."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Count, Q

from apps.accounts.models import User
from apps.courses.models import Course, Lesson, Question, Quiz
from apps.courses.queries.draws import askable_bank, count_drawn, draws_of
from apps.courses.services.course_files import record_uses
from apps.courses.services.outline_rows import refresh_outline

QUESTION_LIMIT = 100
MAX_ESSAYS = 10  # of a quiz: an attempt sends them together, and somebody reads them
SECONDS_PER_QUESTION = 60


def essays_left(quiz: Quiz, *, pool: int, essays: int) -> int:
    """Return how many essays an attempt may get from the bank: as many, whichever own questions it asks.

    ``pool`` is how many questions of its own the quiz may ask, ``essays`` how many of them are essays.
    """
    return max(0, MAX_ESSAYS - min(essays, quiz.asks(pool)))


def finish_change(quiz: Quiz, course: Course, by: User, now: datetime) -> None:
    """Set the duration of the lesson and record its files; of a question bank, of the lessons that draw from it."""
    if not quiz.course_id:
        update_duration(quiz, course, now)
        record_uses(course=course, by=by, lesson=quiz.lesson, now=now)
        return
    bank = askable_bank(course)
    recount_draws(course, now, bank)
    for changed in quizzes_with_draws(course):
        record_uses(course=course, by=by, lesson=changed.lesson, bank=bank, now=now)


def quizzes_with_draws(course: Course) -> list[Quiz]:
    """Return the quizzes of the course that get questions from its bank."""
    live = Quiz.objects.filter(lesson__course=course, lesson__removed_at=None, draws__isnull=False)
    found = live.select_related("lesson").distinct()
    for quiz in found:
        quiz.lesson.course = course
    return list(found)


def recount_draws(course: Course, now: datetime, bank: Sequence[Question] | None = None) -> None:
    """Count again what each quiz of the course gets from the question bank, after the bank or a draw has changed.

    ``bank``: what ``askable_bank`` returns now, for those who have asked already.
    """
    quizzes = quizzes_with_draws(course)
    if quizzes:
        bank = askable_bank(course) if bank is None else bank
    changed = [count_questions(quiz, bank) for quiz in quizzes]
    if any(changed):
        refresh_outline(course, now=now)


def update_duration(quiz: Quiz, course: Course, now: datetime) -> None:
    """Set the lesson's duration: the time limit, otherwise a minute per question of an attempt."""
    count_questions(quiz)
    refresh_outline(course, now=now)


def count_questions(quiz: Quiz, bank: Sequence[Question] | None = None) -> bool:
    """Count what an attempt asks, and set the duration of the quiz's lesson; return whether it is another one."""
    own = quiz.questions.filter(is_withdrawn=False).aggregate(
        pool=Count("pk"), essays=Count("pk", filter=Q(kind=Question.Kind.ESSAY))
    )
    drawn = count_drawn(draws_of(quiz, bank), max_essays=essays_left(quiz, **own))
    quiz.bank_count = min(drawn, QUESTION_LIMIT - quiz.asks(own["pool"]))
    Quiz.objects.filter(pk=quiz.pk).exclude(bank_count=quiz.bank_count).update(bank_count=quiz.bank_count)
    seconds = quiz.time_limit or (quiz.asks(own["pool"]) + quiz.bank_count) * SECONDS_PER_QUESTION
    return bool(Lesson.objects.filter(pk=quiz.lesson.pk).exclude(duration=seconds).update(duration=seconds))
