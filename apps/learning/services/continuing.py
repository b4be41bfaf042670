"""Continue a reopened attempt: another one begins with its questions and answers, and the former keeps its result."""

from datetime import datetime
from fractions import Fraction
from typing import Any

from apps.courses.models import Quiz
from apps.learning.models import Attempt, EssayAnswer, EssayMark, LearnerException
from apps.learning.queries.quizzes import questions_in
from apps.learning.quizzes import marking
from apps.learning.quizzes.attempts import pass_mark
from apps.learning.quizzes.drawing import kept
from apps.learning.quizzes.exceptions import QuizExceptions
from apps.learning.quizzes.results import plain_number


def continue_attempt(
    reopened: LearnerException, former: Attempt, quiz: Quiz, *, exceptions: QuizExceptions, now: datetime
) -> Attempt:
    """Open the attempt that continues ``former``; its time begins now. The caller has locked the enrollment."""
    attempt = Attempt(
        enrollment_id=former.enrollment_id,
        quiz=quiz,
        number=former.number + 1,
        started_at=now,
        pass_percent=min(pass_mark(former, quiz), quiz.pass_percent),
        usual_time_limit=reopened.minutes * 60,
        time_limit=exceptions.time_limit_again(reopened),
        asked=questions_again(former, quiz),
        answers=former.answers,
        continues=former,
    )
    attempt.save(force_insert=True)
    LearnerException.objects.filter(pk=reopened.pk).update(used_at=now)
    return attempt


def questions_again(former: Attempt, quiz: Quiz) -> list[dict[str, Any]]:
    """Return the questions of a submitted attempt as an open one stores them; none if they are gone.

    Attempts of before questions were stored get those of the quiz that are in their results.
    """
    stored: list[dict[str, Any]] = former.asked
    if stored:
        return stored
    former.quiz = quiz
    asked = {result["uid"] for result in former.results}
    return kept(quiz, [one for one in questions_in(former) if str(one.uid) in asked], seed=str(former.uid))


def carry_marks(
    attempt: Attempt, essays: list[EssayAnswer], answers: dict[str, marking.Answer], results: list[dict[str, Any]]
) -> Fraction:
    """Give essays that were not changed since the continued attempt the marks they got there, also meanwhile.

    Nothing is saved. Returns the points that they earn. Two queries, none for other attempts.
    """
    if attempt.continues_id is None or not essays:
        return Fraction(0)
    before = Attempt.objects.values_list("answers", flat=True).get(pk=attempt.continues_id)
    marked = EssayAnswer.objects.filter(attempt=attempt.continues_id, earned__isnull=False)
    known = {str(essay.question_uid): essay for essay in marked}
    stored_by_uid = {stored["uid"]: stored for stored in results}
    earned = Fraction(0)
    for essay in essays:
        uid = str(essay.question_uid)
        former = known.get(uid)
        if former is None or former.earned is None or before.get(uid) != answers.get(uid):
            continue
        essay.earned, essay.comment, essay.revision = former.earned, former.comment, 1
        essay.marked_by_id, essay.marked_at = former.marked_by_id, former.marked_at
        stored = stored_by_uid[uid]
        share = Fraction(former.earned) / essay.points
        stored["verdict"] = marking.Mark(share).verdict
        stored["earned"], stored["comment"] = plain_number(former.earned), former.comment
        earned += Fraction(former.earned)
    return earned


def save_essays(essays: list[EssayAnswer]) -> None:
    """Save the essays of an attempt that was submitted, with the marks that some of them have already."""
    if not essays:
        return
    EssayAnswer.objects.bulk_create(essays)
    EssayMark.objects.bulk_create(
        EssayMark(
            essay=essay,
            revision=essay.revision,
            earned=essay.earned,
            comment=essay.comment,
            marked_by_id=essay.marked_by_id,
            marked_at=essay.marked_at,
        )
        for essay in essays
        if essay.earned is not None and essay.marked_at is not None
    )
