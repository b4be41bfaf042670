"""How the numbers of a posted quiz were read, for the learner to confirm."""

import re
from collections.abc import Iterator

from django.http import HttpRequest
from django.utils import timezone

from apps.courses.models import Question
from apps.learning.models import Attempt
from apps.learning.quizzes.attempts import is_over
from apps.learning.quizzes.marking import read_question_number
from studyplatform.kit.text.numbers import NotANumber, ReadNumber

_PLAIN_NUMBER = re.compile(r"[+-]?[0-9]+([.,][0-9]+)?")


def unconfirmed_readings(questions: list[Question], attempt: Attempt, request: HttpRequest) -> dict[str, ReadNumber]:
    """Return the readings of posted numbers that the learner has not seen yet, by uid; of a gap, by "<uid>.<number>".

    Plain numbers need no confirmation; neither does an attempt whose time is over, which would lose its answers.
    """
    if attempt.submitted_at is not None or is_over(attempt, attempt.quiz, timezone.now()):
        return {}
    readings = {}
    for key, question in _asked_numbers(questions):
        name = f"q.{key}"
        text = request.POST.get(name, "").strip()
        if not text:
            continue
        try:
            reading = read_question_number(question, text)
        except NotANumber:
            continue  # the service refuses it
        is_plain = _PLAIN_NUMBER.fullmatch(text) and not reading.other
        if not is_plain and request.POST.get(f"read.{name}") != str(reading.value):
            readings[key] = reading
    return readings


def _asked_numbers(questions: list[Question]) -> Iterator[tuple[str, Question]]:
    """Yield what asks for a number, with the key of its field."""
    for question in questions:
        if question.kind == Question.Kind.NUMERIC:
            yield str(question.uid), question
        for gap in question.gaps:
            if gap.kind == Question.Kind.NUMERIC:
                yield f"{question.uid}.{gap.position}", gap
