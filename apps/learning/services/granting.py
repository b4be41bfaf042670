"""Lock the learners who are granted something, save what they get, and tell them."""

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.db import transaction

from apps.accounts.models import User
from apps.courses.models import Quiz, Right
from apps.courses.services import hold_rights
from apps.learning import policies
from apps.learning.errors import TooManyLearnersAtOnce
from apps.learning.models import MAX_REASON_LENGTH, Attempt, Enrollment, LearnerException
from apps.learning.services.exception_notices import tell_of_exceptions
from studyplatform.kit import sockets
from studyplatform.kit.errors import AppError, NotFound
from studyplatform.kit.policies import enforce
from studyplatform.kit.text.blank import stripped
from studyplatform.kit.web import rate_limits

MAX_LEARNERS_AT_ONCE = 500
LIMIT = "exception"  # of RATE_LIMITS
LOCK_TRIES = 5  # learners who open attempts while they are locked are locked again


@dataclass(frozen=True, kw_only=True)
class Act:
    """What all grants have in common. ``key`` comes from the form: sent again, it grants nothing a second time."""

    by: User
    learners: Collection[UUID]
    """The uids of their enrollments, at most ``MAX_LEARNERS_AT_ONCE``."""
    key: UUID
    reason: str = ""
    """For staff; the learner is never told."""


@dataclass(frozen=True, kw_only=True)
class Granted:
    """What came of a grant."""

    exceptions: tuple[LearnerException, ...]
    running: int = 0
    """How many open attempts got more time at once."""
    skipped: tuple[AppError, ...] = ()
    """Why some of the learners got nothing."""


class _OpenedMeanwhile(Exception):
    """Somebody opened an attempt before their enrollment was locked."""


def count_act(by: User, now: datetime) -> None:
    """Count one more form with which the user grants or ends exceptions.

    :raises RateLimitExceeded: there were too many.
    """
    rate_limits.consume(LIMIT, str(by.pk), now=now)


def lock_learners(act: Act, quiz: Quiz | None) -> tuple[list[Enrollment], list[Attempt]]:
    """Lock the open attempts, then the enrollments, and ask for the right to grant something to these learners.

    Their accounts are locked first: an account that is deleted meanwhile gets nothing, and keeps nothing.

    :raises NotFound: one of the learners is not enrolled, has deleted the account, or is in a course that ``act.by``
        doesn't teach, or in another one than that of the quiz.
    :raises TooManyLearnersAtOnce: there are too many.
    """
    uids = set(act.learners)
    if len(uids) > MAX_LEARNERS_AT_ONCE:
        raise TooManyLearnersAtOnce(most=MAX_LEARNERS_AT_ONCE)
    for _try in range(LOCK_TRIES - 1):
        try:
            with transaction.atomic():
                return _lock_once(act.by, uids, quiz, is_last=False)
        except _OpenedMeanwhile:
            continue
    return _lock_once(act.by, uids, quiz, is_last=True)


def _lock_once(
    by: User, uids: Collection[UUID], quiz: Quiz | None, *, is_last: bool
) -> tuple[list[Enrollment], list[Attempt]]:
    learners = Enrollment.objects.active().filter(uid__in=uids, user__deleted_at=None)
    pks = dict(learners.values_list("pk", "course"))
    hold_rights(by, set(pks.values()), Right.TEACH)
    people = User.objects.filter(pk__in=learners.values("user")).order_by("pk")
    list(people.select_for_update(no_key=True).values_list("pk"))
    opened = Attempt.objects.filter(enrollment__in=pks, submitted_at=None).order_by("pk")
    opened = opened if quiz is None else opened.filter(quiz=quiz)
    attempts = list(opened.select_for_update(of=("self",)).select_related("quiz"))
    rows = learners.select_for_update(of=("self",)).select_related("user", "course").order_by("pk")
    enrollments = list(rows)
    if len(enrollments) < len(uids) or not enrollments:
        raise NotFound
    for course in {one.course_id: one.course for one in enrollments}.values():
        enforce(policies.grant_exceptions(by, course))
        if quiz is not None and quiz.lesson.course_id != course.pk:
            raise NotFound
    if not is_last and opened.exclude(pk__in=[one.pk for one in attempts]).exists():
        raise _OpenedMeanwhile
    return enrollments, attempts


def grant_each(
    act: Act,
    enrollments: Iterable[Enrollment],
    quiz: Quiz | None,
    make: Callable[[Enrollment], LearnerException],
    now: datetime,
    tell_minutes: Callable[[LearnerException], int] | None = None,
) -> tuple[tuple[LearnerException, ...], tuple[AppError, ...]]:
    """Save what ``make`` makes for each learner, unless it refuses them, and tell them.

    They are told the minutes of ``tell_minutes``, by default those granted.

    :raises AppError: the refusal, if nobody gets anything.
    """
    known = LearnerException.objects.filter(act=act.key, enrollment__in=[one.pk for one in enrollments])
    if before := tuple(known):  # the form was sent twice
        return before, ()
    made: list[LearnerException] = []
    skipped: list[AppError] = []
    for enrollment in enrollments:
        try:
            row = make(enrollment)
        except AppError as refusal:
            skipped.append(refusal)
            continue
        row.act, row.enrollment, row.quiz = act.key, enrollment, quiz
        row.reason, row.granted_by, row.granted_at = stripped(act.reason)[:MAX_REASON_LENGTH], act.by, now
        made.append(row)
    if not made:
        raise skipped[0]
    LearnerException.objects.bulk_create(made)
    renew_rules([row.enrollment_id for row in made], now)
    tell_of_exceptions(made, now=now, minutes_of=tell_minutes)
    return tuple(made), tuple(skipped)


def renew_rules(enrollments: Collection[int], now: datetime) -> None:
    """Let the open pages of these learners ask for their rules again."""
    Enrollment.objects.filter(pk__in=enrollments).update(exceptions_at=now)
    sockets.wake("lesson")
