"""Read sealed papers: the questions of attempts that learners will take without a connection."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Max, Min, QuerySet

from apps.learning.models import Attempt, SealedPaper
from apps.learning.quizzes.attempts import QuizAttempts
from apps.learning.quizzes.presentation import attempt_out


def holding_time() -> timedelta:
    """Return how long a paper holds an attempt after the last contact of its device.

    What that stores has expired for as long again by then, so what was not sent will hardly be.
    """
    return timedelta(days=2 * settings.OFFLINE_DAYS)


def papers_holding(enrollment_id: int, quiz_id: int, now: datetime) -> QuerySet[SealedPaper]:
    """Return the papers of a quiz that each hold one of the learner's attempts, the first sealed first.

    Papers of removed devices and of devices without a contact for ``holding_time`` hold none.
    """
    waiting = SealedPaper.objects.filter(enrollment=enrollment_id, quiz=quiz_id, used_at=None, released_at=None)
    return waiting.filter(device__last_contact_at__gt=now - holding_time()).order_by("sealed_at", "pk")


def read_stored_before(attempt: Attempt) -> datetime | None:
    """Return since when a device of the learner had stored questions of the quiz before an attempt; None: none had.

    Who stores a quiz can read its questions before they are answered. One query.
    """
    papers = SealedPaper.objects.filter(enrollment=attempt.enrollment_id, quiz=attempt.quiz_id)
    before = papers.exclude(uid=attempt.uid).filter(sealed_at__lt=attempt.started_at)
    since: datetime | None = before.aggregate(since=Min("sealed_at"))["since"]
    return since


def attempt_of(paper: SealedPaper, *, number: int, started_at: datetime) -> Attempt:
    """Return the attempt that a paper becomes. Nothing is saved."""
    return Attempt(
        uid=paper.uid,
        enrollment=paper.enrollment,
        quiz=paper.quiz,
        number=number,
        started_at=started_at,
        asked=paper.asked,
        pass_percent=paper.pass_percent,
        time_limit=paper.time_limit,
        usual_time_limit=paper.usual_time_limit,
        is_offline=True,
    )


def paper_out(paper: SealedPaper, now: datetime) -> dict[str, Any]:
    """Return the shape ``AttemptOut`` of the attempt that a paper will become, as if it began now. One query."""
    past = Attempt.objects.filter(enrollment=paper.enrollment_id, quiz=paper.quiz_id)
    last: int | None = past.aggregate(last=Max("number"))["last"]
    attempt = attempt_of(paper, number=(last or 0) + 1, started_at=now)
    attempts = QuizAttempts(paper.quiz, (), now)
    return attempt_out(attempt, paper.quiz.lesson, attempts, [], following=None, may_open=(), now=now)
