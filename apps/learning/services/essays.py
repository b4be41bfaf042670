"""Marks of essays: given by the staff of a course, changed by them later, with every earlier mark kept."""

from datetime import datetime
from decimal import Decimal
from fractions import Fraction

from django.db import transaction

from apps.accounts.models import User
from apps.learning import policies
from apps.learning.errors import EssayMarkedMeanwhile, EssayPointsInvalid
from apps.learning.events import EssayMarked
from apps.learning.models import Attempt, EssayAnswer, EssayMark
from apps.learning.queries.quizzes import questions_in
from apps.learning.quizzes import marking
from apps.learning.quizzes.attempts import set_score
from apps.learning.quizzes.results import plain_number
from apps.learning.services.closing import complete_attempt
from studyplatform.kit.errors import NotFound
from studyplatform.kit.events import publish
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.blank import written

POINT_STEP = Decimal("0.25")
MAX_COMMENT_LENGTH = 4_000  # code points


def mark_essay(
    *, by: User, essay: EssayAnswer, earned: Decimal, comment: str, revision: int, now: datetime
) -> EssayAnswer:
    """Give an essay its points and a comment. Idempotent for the same mark.

    ``revision`` is how often it had been marked when ``by`` read it. With its last mark an attempt is passed or not; a
    lesson or a certificate that was earned stays, whatever a later mark says. The same text in the attempts that were
    reopened before it, or continue it, gets its first mark with it.

    :raises NotFound: ``by`` is not staff of the course, or the learner is not enrolled anymore.
    :raises EssayPointsInvalid: the points are not between 0 and the question's points, in steps of ``POINT_STEP``.
    :raises EssayMarkedMeanwhile: somebody else has marked it since.
    """
    comment = written(comment)[:MAX_COMMENT_LENGTH]
    with transaction.atomic():
        attempts = _lock_attempts(essay.attempt_id)
        attempt = attempts.pop(essay.attempt_id)
        enforce(policies.mark_essays(by, attempt))
        found = EssayAnswer.objects.filter(pk=essay.pk).first()
        if found is None:
            raise NotFound
        if not earned.is_finite() or not 0 <= earned <= found.points or earned % POINT_STEP:
            raise EssayPointsInvalid(points=found.points)
        if (found.earned, found.comment, found.marked_by_id) == (earned, comment, by.pk):
            return found
        if found.revision != revision:
            raise EssayMarkedMeanwhile
        same = [(other, one) for other in attempts.values() if (one := _same_essay(found, attempt, other)) is not None]
        events = []
        for of, one in [(attempt, found), *same]:
            one.comment, one.marked_by = comment, by
            events.append(_give_mark(of, one, earned, now))
        publish(max(events, key=lambda event: event.attempt_id))  # the learner is told of the newest attempt
    return found


def _lock_attempts(pk: int) -> dict[int, Attempt]:
    """Lock an attempt, and in their order all that it continues or that continue it, however many are between.

    As when it is submitted, it is locked first: two marks in it wait for each other.
    """
    rows = Attempt.objects.filter(enrollment__attempts=pk, quiz__attempts=pk).order_by("pk")
    linked = {pk}
    links = list(rows.values_list("pk", "continues"))
    for one, former in [*links, *reversed(links)]:  # forward to the newest, and back to the oldest
        if former is not None and (former in linked or one in linked):
            linked |= {one, former}
    locked = Attempt.objects.select_for_update(of=("self",)).filter(pk__in=linked).order_by("pk")
    return {one.pk: one for one in locked.select_related("enrollment__user", "quiz__lesson__course")}


def _same_essay(essay: EssayAnswer, attempt: Attempt, other: Attempt) -> EssayAnswer | None:
    """Return the essay of a continued attempt that has the same text and waits, too."""
    uid = str(essay.question_uid)
    if essay.earned is not None or attempt.answers.get(uid) != other.answers.get(uid):
        return None
    return EssayAnswer.objects.filter(attempt=other, question_uid=essay.question_uid, earned=None).first()


def _give_mark(attempt: Attempt, essay: EssayAnswer, earned: Decimal, now: datetime) -> EssayMarked:
    """Save the points that an essay of a locked attempt has got, with what follows; return what happened."""
    was_waiting = essay.earned is None
    essay.earned, essay.marked_at = earned, now
    essay.revision += 1
    essay.save(update_fields=["earned", "comment", "marked_by", "marked_at", "revision"])
    EssayMark.objects.create(
        essay=essay,
        revision=essay.revision,
        earned=earned,
        comment=essay.comment,
        marked_by=essay.marked_by,
        marked_at=now,
    )
    _score(attempt, essay, is_first_mark=was_waiting)
    if not attempt.waiting:
        complete_attempt(attempt, now)
    return EssayMarked(
        essay_id=essay.pk,
        attempt_id=attempt.pk,
        user_id=attempt.enrollment.user_id,
        is_complete=was_waiting and not attempt.waiting,
        is_change=not was_waiting,
    )


def earned_by(attempt: Attempt) -> Fraction:
    """Return what a submitted attempt has earned by now, exactly: by its questions and by the marks of its essays."""
    earned = Fraction(0)
    for question in questions_in(attempt):
        mark = marking.mark(question, attempt.answers.get(str(question.uid)))
        earned += mark.share * question.points
    given = EssayAnswer.objects.filter(attempt=attempt, earned__isnull=False).values_list("earned", flat=True)
    return earned + sum((Fraction(points) for points in given if points is not None), Fraction(0))


def _score(attempt: Attempt, essay: EssayAnswer, *, is_first_mark: bool) -> None:
    """Write the mark into the attempt's results, and count all of its marks again, exactly."""
    attempt.waiting -= is_first_mark
    uid = str(essay.question_uid)
    for stored in attempt.results:
        if stored["uid"] == uid:
            share = Fraction(essay.earned or 0) / essay.points
            stored["verdict"] = marking.Mark(share).verdict
            stored["earned"], stored["comment"] = plain_number(essay.earned or 0), essay.comment
    set_score(attempt, earned_by(attempt))
    attempt.save(update_fields=["waiting", "results", "score", "percent", "is_passed"])


def forget_essays(*, user_id: int) -> None:
    """Erase the essays of a deleted account, with what was written about them. The scores stay. Idempotent."""
    with transaction.atomic():
        essays_of = EssayAnswer.objects.filter(attempt__enrollment__user=user_id)
        for attempt in Attempt.objects.select_for_update().filter(pk__in=essays_of.values("attempt")):
            essays = {str(uid) for uid in attempt.essays.values_list("question_uid", flat=True)}
            attempt.answers = {uid: answer for uid, answer in attempt.answers.items() if uid not in essays}
            for stored in attempt.results:
                if stored["uid"] in essays:
                    stored["given"] = stored["comment"] = ""
                    if stored["verdict"] == "waiting":
                        stored |= {"verdict": "open", "is_erased": True}  # analytics leave it out
            attempt.waiting = 0
            attempt.save(update_fields=["answers", "results", "waiting"])
            attempt.essays.all().delete()
