"""Seal papers: draw the questions of a learner's next attempt for a device that will have no connection.

A paper holds one of the learner's attempts, so that the devices of a learner never promise more attempts than there
are. It holds none against attempts with a connection: who takes the last one there has used it.
"""

from collections.abc import Collection
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction

from apps.accounts.policies import AnyUser
from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson, Quiz
from apps.learning import offline_policies, policies
from apps.learning.errors import (
    AttemptOpenOnline,
    AttemptReopenedOnline,
    AttemptsHeld,
    NoAttemptsLeft,
    OfflineDeviceRemoved,
)
from apps.learning.models import Attempt, Enrollment, OfflineDevice, SealedPaper
from apps.learning.queries.exceptions import exceptions_at
from apps.learning.queries.offline_papers import papers_holding
from apps.learning.queries.outline import standing_of
from apps.learning.quizzes.attempts import QuizAttempts
from apps.learning.quizzes.exceptions import QuizExceptions, most_generous
from apps.learning.services.quizzes import draw_questions
from studyplatform.kit.policies import enforce

MAX_LIST_AGE = timedelta(hours=1)
"""How old a device's list of what it stores may be when it arrives."""


def seal_paper(*, user: AnyUser, device: OfflineDevice, lesson: Lesson, now: datetime) -> SealedPaper:
    """Return the device's paper of a quiz, or draw one. A lesson that an earlier one still locks has papers, too.

    Of a paper that the device has already, the questions stay and the rules get easier at most.

    :raises NotEnrolled: the user isn't enrolled.
    :raises LectureUnavailable: it is no quiz, or has no questions yet.
    :raises NoAttemptsLeft: every attempt the quiz allows is used.
    :raises AttemptOpenOnline: the last of them is open.
    :raises AttemptReopenedOnline: the next attempt continues one that was reopened.
    :raises AttemptsHeld: papers of other devices hold all that are left.
    """
    quiz = getattr(lesson, "quiz", None)
    if lesson.kind != Lesson.Kind.QUIZ or quiz is None:
        raise LectureUnavailable
    standing = standing_of(user, lesson.course)
    enforce(offline_policies.use_device(user, device))
    enforce(policies.save_progress(user, lesson.course, standing))
    if standing.enrollment is None:
        raise LectureUnavailable
    with transaction.atomic():
        if not OfflineDevice.objects.select_for_update().filter(pk=device.pk).exists():
            raise OfflineDeviceRemoved
        # Two requests at once get the same paper, and two devices not the same attempt.
        enrollment = Enrollment.objects.select_for_update().get(pk=standing.enrollment.pk)
        exceptions = exceptions_at(quiz, enrollment)
        waiting = SealedPaper.objects.filter(enrollment=enrollment, quiz=quiz, used_at=None).select_for_update()
        paper = waiting.filter(device=device).first()
        wait, place = _check_attempts(enrollment, quiz, paper, exceptions, now)
        if paper is None:
            # That of a removed device goes on, so that nobody reads one draw after the other.
            paper = waiting.filter(device=None).order_by("pk").first() or SealedPaper(enrollment=enrollment, quiz=quiz)
            # Nobody reads one draw after the other by storing and removing the quiz: the same attempt draws the same.
            _draw(paper, device, exceptions, now, seed=f"{enrollment.pk}:{quiz.pk}:{place}")
        else:
            _ease(paper, exceptions)
        paper.opens_at = now + timedelta(seconds=wait) if wait else None
        paper.released_at = None
        paper.save()
    paper.enrollment, paper.quiz = enrollment, quiz
    return paper


def _check_attempts(
    enrollment: Enrollment, quiz: Quiz, paper: SealedPaper | None, exceptions: QuizExceptions, now: datetime
) -> tuple[int, int]:
    """Refuse if no attempt is left for the paper; return after how many seconds it may begin, and its place.

    Where attempts are unlimited and the learner waits between them, devices hold as many as may follow at once.
    """
    found = Attempt.objects.filter(enrollment=enrollment, quiz=quiz).defer("asked", "answers", "results")
    rows = tuple(found.order_by("number"))
    attempts = QuizAttempts(quiz, rows, now, exceptions)
    if attempts.reopened is not None:
        raise AttemptReopenedOnline
    left = attempts.attempts_left
    if left == 0:
        raise NoAttemptsLeft if attempts.open_attempt is None else AttemptOpenOnline
    holding = papers_holding(enrollment.pk, quiz.pk, now)
    others = (holding if paper is None else holding.exclude(pk=paper.pk)).count()
    most = attempts.attempts_at_once if left is None else left
    if most is not None and others >= most:
        raise AttemptsHeld
    return attempts.seconds_to_wait, len(rows) + others


def _draw(paper: SealedPaper, device: OfflineDevice, exceptions: QuizExceptions, now: datetime, *, seed: str) -> None:
    quiz = paper.quiz
    paper.asked = draw_questions(quiz, seed=seed)
    if not paper.asked:
        raise LectureUnavailable
    paper.device, paper.sealed_at = device, now
    paper.pass_percent, paper.usual_time_limit = quiz.pass_percent, quiz.time_limit
    paper.time_limit = exceptions.time_limit(quiz.time_limit)


def _ease(paper: SealedPaper, exceptions: QuizExceptions) -> None:
    """Give a paper the extra time that was granted since, and an easier pass mark, as open attempts get them."""
    paper.time_limit = most_generous([paper.time_limit, exceptions.time_limit(paper.usual_time_limit)])
    paper.pass_percent = min(paper.pass_percent, paper.quiz.pass_percent)


def release_papers(*, device: OfflineDevice, stored: Collection[UUID], now: datetime) -> int:
    """Let other devices have the attempts that a device held for quizzes it no longer stores. Idempotent.

    :param stored: the uids of the lessons that it stores. What it has answered but not sent counts all the same, if an
        attempt is left.
    """
    # The list may have been made before a quiz was stored that is sealed by now.
    sealed_before = now - MAX_LIST_AGE
    waiting = SealedPaper.objects.filter(device=device, used_at=None, released_at=None, sealed_at__lt=sealed_before)
    return waiting.exclude(quiz__lesson__uid__in=stored).update(released_at=now)
