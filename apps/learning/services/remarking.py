"""Mark attempts again after a version has corrected answers: points are only added, so what was passed stays so."""

from collections.abc import Callable, Collection, Mapping
from datetime import datetime

from django.db import transaction
from django.db.models import Q

from apps.accounts import services as people
from apps.courses.models import Lesson, Question, Quiz
from apps.learning.models import Attempt, SealedPaper
from apps.learning.queries.addresses import lesson_url
from apps.learning.quizzes import marking
from apps.learning.quizzes.attempts import set_score
from apps.learning.quizzes.correcting import note_corrections, take_better_keys
from apps.learning.quizzes.drawing import restored
from apps.learning.quizzes.results import stored_result
from apps.learning.services.closing import complete_attempt
from apps.learning.services.essays import earned_by

BATCH = 100  # attempts whose questions are looked at together


def remark_questions(
    *, questions: Collection[int], tells_passed: bool, now: datetime, extend_lease: Callable[[], None] = lambda: None
) -> int:
    """Give every answer to these questions, by primary key, the better mark of the former and the present answer.

    Open attempts, and those taken without a connection, are marked so when they are submitted. Returns how many
    submitted attempts earned more. Idempotent.

    :param tells_passed: learners who pass a quiz by that are notified, if they are enrolled, the course still has it,
        and no other attempt had passed.
    """
    present = {str(one.uid): one for one in Question.objects.filter(pk__in=questions)}
    asking = _quizzes_asking(present.values())
    _note_in_papers(asking, present, extend_lease)
    raised = last = 0
    while True:
        found = Attempt.objects.filter(quiz__in=asking, pk__gt=last).order_by("pk")
        batch = list(found.values_list("pk", "asked")[:BATCH])
        if not batch:
            return raised
        last = batch[-1][0]
        extend_lease()
        for pk, asked in batch:
            if any(row["uid"] in present for row in asked):
                raised += _remark(pk, present, tells_passed=tells_passed, now=now)


def _note_in_papers(
    quizzes: Collection[int], present: Mapping[str, Question], extend_lease: Callable[[], None]
) -> None:
    """Note what is right by now in the papers that were not used yet."""
    waiting = SealedPaper.objects.filter(quiz__in=quizzes, used_at=None)
    for pk in list(waiting.order_by("pk").values_list("pk", flat=True)):
        extend_lease()
        with transaction.atomic():
            paper = waiting.select_for_update(of=("self",)).filter(pk=pk).first()
            if paper is not None and note_corrections(paper.asked, present):
                paper.save(update_fields=["asked"])


def _quizzes_asking(questions: Collection[Question]) -> list[int]:
    """Return the quizzes that may have asked one of these questions: its own, or those that draw from its bank."""
    of = {question.quiz_id for question in questions}
    banks = Quiz.objects.filter(pk__in=of, course__isnull=False).values("course")
    asking = Quiz.objects.filter(Q(pk__in=of, course=None) | Q(lesson__course__in=banks))
    return list(asking.order_by("pk").values_list("pk", flat=True))


def _remark(pk: int, present: Mapping[str, Question], *, tells_passed: bool, now: datetime) -> bool:
    """Mark one attempt again; return whether it earned more."""
    with transaction.atomic():
        locked = Attempt.objects.select_for_update(of=("self",)).filter(pk=pk)
        attempt = locked.select_related("enrollment__user", "quiz__lesson__course").get()
        if not note_corrections(attempt.asked, present):
            return False
        if attempt.submitted_at is None:
            attempt.save(update_fields=["asked"])
            return False
        changed = take_better_keys(attempt.asked, attempt.answers)
        if not changed:
            return False
        was_passed = attempt.is_passed
        _rewrite_results(attempt, changed)
        set_score(attempt, earned_by(attempt))
        attempt.save(update_fields=["asked", "results", "score", "percent", "is_passed"])
        counts = attempt.enrollment.is_active and not attempt.quiz.lesson.is_removed
        if counts and not attempt.waiting:
            complete_attempt(attempt, now)
        if counts and attempt.is_passed and not was_passed and tells_passed and not _has_passed_otherwise(attempt):
            _tell(attempt, attempt.quiz.lesson, now)
    return True


def _has_passed_otherwise(attempt: Attempt) -> bool:
    """Whether the learner has passed the quiz by another attempt: then this one is no news."""
    passed = Attempt.objects.filter(enrollment=attempt.enrollment_id, quiz=attempt.quiz_id, is_passed=True)
    return passed.exclude(pk=attempt.pk).exists()


def _rewrite_results(attempt: Attempt, changed: Collection[str]) -> None:
    """Say of each of these questions what is right by now, and what the answer earned."""
    questions = {str(question.uid): question for question in restored(attempt.asked)}
    for place, stored in enumerate(attempt.results):
        if stored["uid"] in changed:
            question, answer = questions[stored["uid"]], attempt.answers.get(stored["uid"])
            mark = marking.mark(question, answer)
            attempt.results[place] = stored_result(question, answer, mark, mark.share * question.points)


def _tell(attempt: Attempt, lesson: Lesson, now: datetime) -> None:
    people.notify(
        "learning.passed_by_correction",
        attempt.enrollment.user,
        lesson_url(lesson.course.slug, lesson.slug),
        f"{attempt.pk} by correction",
        now=now,
        quiz=lesson.title,
        percent=attempt.percent,
    )
