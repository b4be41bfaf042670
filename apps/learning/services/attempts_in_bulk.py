"""Attempts for content that is written in bulk, such as that of the demo."""

from datetime import datetime
from typing import Any

from apps.courses.models import Quiz
from apps.learning.models import Attempt, Enrollment
from apps.learning.queries.quizzes import questions_in
from apps.learning.quizzes import marking
from apps.learning.quizzes.exceptions import NO_EXCEPTIONS
from apps.learning.services.closing import mark_answers
from apps.learning.services.quizzes import new_attempt


def make_submitted(
    *, enrollment: Enrollment, quiz: Quiz, asked: list[dict[str, Any]], number: int, raw: dict[str, Any],
    started_at: datetime, submitted_at: datetime,
) -> Attempt:  # fmt: skip
    """Return a submitted attempt that is not saved, for content that is written in bulk: nothing follows from it.

    :param asked: from `draw_questions`; :param raw: the answers by question uid, as a learner sends them.
    :raises ValueError: an answer isn't valid for its question.
    """
    attempt = new_attempt(enrollment, quiz, number, started_at, NO_EXCEPTIONS)
    attempt.asked = asked
    questions = questions_in(attempt)
    answers, faults = marking.read_all(questions, raw)
    if faults:
        raise ValueError(f"answers that cannot be read: {sorted(faults)}")
    mark_answers(attempt, quiz, questions, answers, submitted_at)
    return attempt
