"""Grant learners exceptions from the rules of quizzes, one or many at once, and end them (docs/adr/0071).

Attempts are locked before enrollments, as by those who submit, and enrollments before exceptions. So a learner who
opens an attempt has what was granted, and an instructor who grants something finds the attempts that are open.
"""

from collections.abc import Collection, Iterable
from datetime import datetime
from uuid import UUID

from django.db import transaction
from django.db.models import Sum

from apps.accounts.models import User
from apps.courses.models import Quiz, Right
from apps.courses.services import hold_rights
from apps.learning import policies
from apps.learning.errors import (
    AttemptContinued,
    AttemptReopenedAlready,
    AttemptStillOpen,
    ExtraAttemptsInvalid,
    ExtraAttemptsTooMany,
    ExtraTimeInvalid,
    ExtraTimeKnown,
    NothingToReopen,
    QuizHasNoAttemptLimit,
    QuizHasNoTimeLimit,
)
from apps.learning.models import (
    MAX_EXCEPTION_MINUTES,
    MAX_EXTRA_ATTEMPTS,
    MAX_EXTRA_ATTEMPTS_TOGETHER,
    MAX_EXTRA_PERCENT,
    Attempt,
    Enrollment,
    LearnerException,
)
from apps.learning.quizzes.attempts import is_over, time_limit, usual_time_limit
from apps.learning.quizzes.exceptions import QuizExceptions, covers, extend_limit, minutes_again, most_generous
from apps.learning.services.closing import close_overdue_attempts
from apps.learning.services.continuing import questions_again
from apps.learning.services.exception_notices import tell_of_end
from apps.learning.services.granting import (
    MAX_LEARNERS_AT_ONCE,
    Act,
    Granted,
    count_act,
    grant_each,
    lock_learners,
    renew_rules,
)
from studyplatform.kit.errors import NotFound
from studyplatform.kit.policies import enforce

Kind = LearnerException.Kind


def grant_extra_time(
    act: Act,
    *,
    quiz: Quiz | None = None,
    minutes: int = 0,
    percent: int = 0,
    is_unlimited: bool = False,
    now: datetime,
) -> Granted:
    """Give more time for a quiz, or for all quizzes of the courses; open attempts get it at once.

    Exactly one of the last three is given. Of several in force, the most generous counts.

    :raises ExtraTimeInvalid: the time is not one of these, or too long.
    :raises QuizHasNoTimeLimit: the quiz has none.
    :raises ExtraTimeKnown: the only learner has at least as much already.
    :raises RateLimitExceeded: the user grants and ends too often.
    """
    given = [bool(minutes), bool(percent), is_unlimited]
    if sum(given) != 1 or not (0 <= minutes <= MAX_EXCEPTION_MINUTES and 0 <= percent <= MAX_EXTRA_PERCENT):
        raise ExtraTimeInvalid(minutes=MAX_EXCEPTION_MINUTES, percent=MAX_EXTRA_PERCENT)

    def make(enrollment: Enrollment) -> LearnerException:
        made = LearnerException(kind=Kind.TIME, minutes=minutes, percent=percent, is_unlimited=is_unlimited)
        is_known = covers(known.get(enrollment.pk, ()), made, quiz.time_limit if quiz else None)
        if is_known and not any(_gains(attempt, made) for attempt in continued.get(enrollment.pk, ())):
            raise ExtraTimeKnown(learner=enrollment.user.display_name)
        return made

    with transaction.atomic():
        enrollments, attempts = lock_learners(act, quiz)
        count_act(act.by, now)
        if quiz is not None and not quiz.time_limit and not attempts:
            raise QuizHasNoTimeLimit(quiz=quiz.lesson.title)
        known = _extra_times_of(enrollments, quiz)
        continued: dict[int, list[Attempt]] = {}
        for attempt in attempts:
            if attempt.continues_id is not None:
                continued.setdefault(attempt.enrollment_id, []).append(attempt)
        made, skipped = grant_each(act, enrollments, quiz, make, now)
        return Granted(exceptions=made, running=_raise_limits(attempts, made, now) if made else 0, skipped=skipped)


def grant_extra_attempts(act: Act, *, quiz: Quiz, count: int, now: datetime) -> Granted:
    """Allow more attempts at a quiz. They add up with those granted before.

    :raises ExtraAttemptsInvalid: the number is too high or too low.
    :raises QuizHasNoAttemptLimit: the quiz has unlimited attempts.
    :raises ExtraAttemptsTooMany: the only learner would have too many together.
    :raises RateLimitExceeded: the user grants and ends too often.
    """
    if not 1 <= count <= MAX_EXTRA_ATTEMPTS:
        raise ExtraAttemptsInvalid(most=MAX_EXTRA_ATTEMPTS)

    def make(enrollment: Enrollment) -> LearnerException:
        present = known.get(enrollment.pk, 0)
        if present + count > MAX_EXTRA_ATTEMPTS_TOGETHER:
            learner = enrollment.user.display_name
            raise ExtraAttemptsTooMany(learner=learner, present=present, most=MAX_EXTRA_ATTEMPTS_TOGETHER)
        return LearnerException(kind=Kind.ATTEMPTS, count=count)

    with transaction.atomic():
        enrollments, _attempts = lock_learners(act, quiz)
        count_act(act.by, now)
        if not quiz.max_attempts:
            raise QuizHasNoAttemptLimit(quiz=quiz.lesson.title)
        counts = LearnerException.objects.in_force().filter(kind=Kind.ATTEMPTS, quiz=quiz, enrollment__in=enrollments)
        sums = counts.order_by().values_list("enrollment").annotate(Sum("count"))
        known: dict[int, int] = dict(sums)
        made, skipped = grant_each(act, enrollments, quiz, make, now)
        return Granted(exceptions=made, skipped=skipped)


def reopen_attempts(act: Act, *, quiz: Quiz, minutes: int = 0, is_unlimited: bool = False, now: datetime) -> Granted:
    """Let learners continue their newest attempt, with its questions and answers; its result stays as it is.

    The time begins when a learner continues; of extra time granted before, percent and no limit count for it, but not
    minutes. An open attempt whose time is over is closed first.

    :raises ExtraTimeInvalid: neither or both of the last two are given, or the time is too long.
    :raises NothingToReopen: the only learner has no submitted attempt, or its questions are gone.
    :raises AttemptStillOpen: the only learner has an open attempt.
    :raises AttemptReopenedAlready: the only learner can continue it already.
    :raises RateLimitExceeded: the user grants and ends too often.
    """
    if bool(minutes) == is_unlimited or not 0 <= minutes <= MAX_EXCEPTION_MINUTES:
        raise ExtraTimeInvalid(minutes=MAX_EXCEPTION_MINUTES, percent=MAX_EXTRA_PERCENT)

    def make(enrollment: Enrollment) -> LearnerException:
        learner = enrollment.user.display_name
        attempt = newest.get(enrollment.pk)
        if attempt is None or not questions_again(attempt, quiz):
            raise NothingToReopen(learner=learner)
        if attempt.submitted_at is None:
            raise AttemptStillOpen(learner=learner)
        if attempt.pk in reopened:
            raise AttemptReopenedAlready(learner=learner)
        return LearnerException(kind=Kind.REOPENED, attempt=attempt, minutes=minutes, is_unlimited=is_unlimited)

    def tell_minutes(made: LearnerException) -> int:
        return minutes_again(made, extra.get(made.enrollment_id, ()))

    learners = Enrollment.objects.active().filter(uid__in=list(act.learners)[:MAX_LEARNERS_AT_ONCE])
    close_overdue_attempts(enrollments=list(learners.values_list("pk", flat=True)), quiz=quiz, now=now)
    with transaction.atomic():
        enrollments, _attempts = lock_learners(act, quiz)
        count_act(act.by, now)
        rows = Attempt.objects.filter(enrollment__in=enrollments, quiz=quiz).order_by("number")
        last = dict(rows.values_list("enrollment", "pk"))
        found = Attempt.objects.filter(pk__in=last.values()).defer("answers", "results")
        newest = {one.enrollment_id: one for one in found}
        extra = _extra_times_of(enrollments, quiz)
        reopened = set(
            LearnerException.objects.in_force()
            .filter(attempt__in=[one.pk for one in newest.values()])
            .values_list("attempt", flat=True)
        )
        made, skipped = grant_each(act, enrollments, quiz, make, now, tell_minutes)
        return Granted(exceptions=made, skipped=skipped)


def end_exceptions(*, by: User, uids: Collection[UUID], now: datetime) -> int:
    """End exceptions; return how many. Attempts that are open keep the time that they have. Idempotent.

    :raises NotFound: there is none of these, or ``by`` doesn't teach its course.
    :raises AttemptContinued: a reopened attempt was continued meanwhile.
    :raises RateLimitExceeded: the user grants and ends too often.
    """
    with transaction.atomic():
        wanted = LearnerException.objects.filter(uid__in=uids)
        rights = wanted.values_list("enrollment__course", flat=True).distinct()
        hold_rights(by, list(rights.order_by()), Right.TEACH)
        pks = set(wanted.values_list("enrollment", flat=True))
        list(Enrollment.objects.select_for_update().filter(pk__in=pks).order_by("pk").values_list("pk"))
        related = ("enrollment__user", "enrollment__course", "quiz__lesson", "attempt")
        rows = list(wanted.select_related(*related).defer("attempt__asked", "attempt__results").order_by("pk"))
        if not rows:
            raise NotFound
        for course in {row.enrollment.course_id: row.enrollment.course for row in rows}.values():
            enforce(policies.grant_exceptions(by, course))
        count_act(by, now)
        for row in rows:
            if row.used_at is not None:
                raise AttemptContinued(learner=row.enrollment.user.display_name)
        ended = [row for row in rows if row.ended_at is None]
        for row in ended:
            row.ended_by, row.ended_at = by, now
        LearnerException.objects.bulk_update(ended, ["ended_by", "ended_at"])
        renew_rules({row.enrollment_id for row in ended}, now)
        tell_of_end(ended, now=now)
    return len(ended)


def forget_exceptions(*, user_id: int) -> None:
    """Delete what was granted to a user whose account was deleted, with its reasons. Idempotent."""
    LearnerException.objects.filter(enrollment__user=user_id).delete()


def _extra_times_of(enrollments: Iterable[Enrollment], quiz: Quiz | None) -> dict[int, list[LearnerException]]:
    """Return the extra time in force that counts for the quiz, or for all quizzes, by enrollment. One query."""
    rows = LearnerException.objects.in_force().filter(kind=Kind.TIME, enrollment__in=enrollments)
    rows = rows.filter(quiz=None) if quiz is None else rows.at_quiz(quiz.pk)
    found: dict[int, list[LearnerException]] = {}
    for row in rows:
        found.setdefault(row.enrollment_id, []).append(row)
    return found


def _gains(attempt: Attempt, extra: LearnerException) -> bool:
    """Return whether an open attempt has less time than it would have by this extra time alone."""
    present = time_limit(attempt, attempt.quiz)
    return most_generous([present, extend_limit(usual_time_limit(attempt, attempt.quiz), extra)]) != present


def _raise_limits(attempts: Iterable[Attempt], made: Iterable[LearnerException], now: datetime) -> int:
    """Give locked open attempts the time that is in force for them; return how many got more. It is never lowered.

    Attempts that are over also with that time stay so. For a continued attempt minutes count that are ``made`` now.
    """
    new = {one.pk for one in made}
    by_enrollment: dict[int, list[LearnerException]] = {attempt.enrollment_id: [] for attempt in attempts}
    for row in LearnerException.objects.in_force().filter(kind=Kind.TIME, enrollment__in=by_enrollment):
        by_enrollment[row.enrollment_id].append(row)
    raised = []
    for attempt in attempts:
        counts = [one for one in by_enrollment[attempt.enrollment_id] if one.quiz_id in {None, attempt.quiz_id}]
        if attempt.continues_id is not None:
            counts = [one for one in counts if one.pk in new or not one.minutes]
        present, usual = time_limit(attempt, attempt.quiz), usual_time_limit(attempt, attempt.quiz)
        limit = most_generous([present, QuizExceptions.of(counts).time_limit(usual)])
        if limit != present:
            attempt.usual_time_limit, attempt.time_limit = usual, limit
            if not is_over(attempt, attempt.quiz, now):
                raised.append(attempt)
    Attempt.objects.bulk_update(raised, ["usual_time_limit", "time_limit"])
    return len(raised)
