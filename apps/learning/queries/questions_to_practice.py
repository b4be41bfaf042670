"""Questions of quizzes that a learner may practice with, outside of practice cards."""

from django.db.models import Q

from apps.accounts.models import User
from apps.courses.models import Lesson, Question
from apps.learning.queries.openable import explained_quizzes, openable_lessons
from apps.learning.quizzes.drawing import WITH_CHOICES
from apps.learning.quizzes.marking import shuffled


def questions_to_practice(user: User, lessons: frozenset[int]) -> list[Question]:
    """Return the quiz questions about these lessons whose answers the user may read now. At most nine queries.

    They are those of the quizzes among them, those that refer to one of them, and of the quizzes in their sections
    those that refer to no lesson. Of a quiz with an open attempt there are none.
    """
    quizzes = explained_quizzes(user)
    if not quizzes or not lessons:
        return []
    sections = Lesson.objects.filter(pk__in=lessons).values("section")
    about = Q(quiz__lesson__in=lessons) | Q(rewatch_lesson__in=lessons)
    about |= Q(rewatch_lesson=None, quiz__lesson__section__in=sections)
    questions = Question.objects.filter(about, quiz__lesson__in=quizzes & openable_lessons(user), is_withdrawn=False)
    questions = questions.exclude(kind=Question.Kind.ESSAY)
    return list(questions.select_related("quiz__lesson__course").order_by("quiz__lesson", "position"))


def options_of(question: Question, *, seed: str) -> list[str]:
    """Return the options as the learner sees them, as Markdown: steps to order never as they are right."""
    if question.kind == Question.Kind.ORDERING:
        solved = [str(one) for one in question.answer["ids"]]
        return [one["text"] for one in shuffled(question.options, seed=f"{seed} {question.uid}", unlike=solved)]
    if question.kind not in WITH_CHOICES:
        return []
    if not question.quiz.shuffle_options:
        return [one["text"] for one in question.options]
    return [one["text"] for one in shuffled(question.options, seed=f"{seed} {question.uid}")]
