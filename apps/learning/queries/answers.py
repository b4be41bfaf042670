"""The answers of a submitted attempt, for those who teach its course."""

from typing import Any

from apps.learning.models import Attempt
from apps.learning.quizzes.result_presentation import question_result


def answers_in(attempt: Attempt) -> list[dict[str, Any]]:
    """Return the shapes ``QuestionResult`` of a submitted attempt, with what was right. No lesson is linked."""
    course = attempt.enrollment.course.slug
    return [question_result(stored, course, may_open=()) for stored in attempt.results]
