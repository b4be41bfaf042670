"""Attempts that were taken on a device without a connection: a paper becomes an attempt that is marked at once."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from uuid import UUID

from django.db import transaction
from django.db.models import F, Q

from apps.courses.models import Question
from apps.learning import policies
from apps.learning.activity.offline_clock import Window
from apps.learning.errors import (
    AttemptClosed,
    AttemptsHeld,
    AttemptTooSoon,
    NoAttemptsLeft,
    PaperUnknown,
    QuizTimeOver,
)
from apps.learning.models import Attempt, Enrollment, SealedPaper
from apps.learning.outline import blocker_of
from apps.learning.queries.exceptions import exceptions_at
from apps.learning.queries.offline_papers import attempt_of, papers_holding
from apps.learning.queries.outline import outline_of, standing_of
from apps.learning.queries.quizzes import questions_in
from apps.learning.queries.removed_lessons import explain_missing
from apps.learning.quizzes import marking
from apps.learning.quizzes.attempts import GRACE, QuizAttempts, is_over, ran_out
from apps.learning.quizzes.exceptions import most_generous
from apps.learning.services import learned_days, learning_time
from apps.learning.services.closing import award_perfect_score, close_attempt
from apps.learning.services.completion import finish
from apps.learning.services.offline_progress import note_activity
from apps.learning.services.offline_sending import Outcome, Sending
from apps.learning.services.progress import open_lesson
from apps.learning.services.quizzes import MOST_PER_QUESTION
from studyplatform.kit.errors import Conflict
from studyplatform.kit.policies import enforce

MAX_LOCK_TRIES = 5
"""An attempt that is opened while the others are locked makes it begin again."""
NUMBER_OFFSET = 16_000
"""Moves numbers out of the way of all others while some are raised."""


@dataclass(frozen=True, kw_only=True)
class Answered:
    """What a learner answered. ``seconds`` is how long it took, by a clock of the device that nobody can set."""

    paper: UUID
    answers: dict[str, marking.Answer]
    opened_at: datetime
    made_at: datetime
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Timing:
    """When an attempt began and was submitted, as far as the device's clock can be believed."""

    started_at: datetime
    submitted_at: datetime
    seconds: int
    is_known: bool
    """Whether the clock was right, when it began or when it was submitted."""


class _ChangedMeanwhile(Exception):
    """An attempt was opened, or the paper used, before the enrollment was locked."""


def take_attempt(sending: Sending, answered: Answered) -> Outcome:
    """Mark what was answered, and complete the lesson if that is passed. Needs a transaction.

    Past the time limit the attempt is used without these answers, as it is with a connection.

    :raises PaperUnknown: the learner has no such paper.
    :raises AttemptClosed: other answers were taken for this paper before.
    :raises NoAttemptsLeft: every attempt the quiz allows is used.
    :raises AttemptsHeld: papers that were sealed before hold all that are left.
    :raises AttemptTooSoon: it began before the wait after the last attempt was over.
    :raises AppError: the learner may not open the lesson.
    """
    related = ("attempt", "enrollment__user", "quiz__lesson__course")
    for _try in range(MAX_LOCK_TRIES):
        papers = SealedPaper.objects.select_related(*related).filter(enrollment__user=sending.user)
        paper = papers.filter(uid=answered.paper).first()
        if paper is None:
            raise PaperUnknown
        _check_access(sending, paper, answered)
        if paper.attempt is not None:
            return _answer_again(paper.attempt, answered)
        try:
            with transaction.atomic():
                return _use_paper(sending, paper, answered)
        except _ChangedMeanwhile:
            continue
    raise Conflict


def _check_access(sending: Sending, paper: SealedPaper, answered: Answered) -> None:
    """Check that the learner may answer the quiz. One that was taken out since is marked, as it is when it is open."""
    lesson = paper.quiz.lesson
    if lesson.removed_at is not None:
        if not (sending.window.trusts(answered.opened_at) and answered.opened_at < lesson.removed_at):
            raise explain_missing(sending.user, uid=lesson.uid)
        enforce(policies.save_progress(sending.user, lesson.course, standing_of(sending.user, lesson.course)))
        return
    course = lesson.course
    standing = standing_of(sending.user, course)
    blocker = blocker_of(course, outline_of(course), standing, lesson.pk)
    enforce(policies.open_lesson(sending.user, lesson, standing, blocker))
    enforce(policies.save_progress(sending.user, course, standing))


def _answer_again(attempt: Attempt, answered: Answered) -> Outcome:
    """Answer for a paper that was used: with its result, if these are the answers that were taken."""
    if not attempt.answers and ran_out(attempt, attempt.quiz):
        return Outcome.refused(QuizTimeOver(), percent=0, is_passed=False)
    valid = read_answers(questions_in(attempt), answered.answers)
    if attempt.answers != valid:
        raise AttemptClosed
    return _outcome_of(attempt)


def _use_paper(sending: Sending, paper: SealedPaper, answered: Answered) -> Outcome:
    # In the order in which all lock: attempts, the learner's time, their day, the enrollment.
    attempts = Attempt.objects.filter(enrollment=paper.enrollment_id, quiz=paper.quiz_id)
    locked = set(attempts.order_by("pk").select_for_update().values_list("pk", flat=True))
    timing = time_of(answered, Window(since=paper.sealed_at, now=sending.now))
    _count_time(sending, paper, timing)
    enrollment = Enrollment.objects.select_for_update().get(pk=paper.enrollment_id)
    enrollment.user = sending.user
    rows = tuple(attempts.defer("asked", "answers", "results").order_by("number"))
    unused = SealedPaper.objects.select_for_update().filter(pk=paper.pk, used_at=None).values_list("asked", flat=True)
    asked = unused.first()  # with what was corrected until now
    if asked is None or {one.pk for one in rows} - locked:
        raise _ChangedMeanwhile
    paper.asked = asked
    exceptions = exceptions_at(paper.quiz, enrollment)
    before = QuizAttempts(paper.quiz, rows, sending.now, exceptions)
    _check_left(paper, before)
    _check_wait(paper, before, timing)
    paper.enrollment = enrollment
    attempt = attempt_of(paper, number=_make_room(before, paper, timing), started_at=timing.started_at)
    attempt.time_limit = most_generous([paper.time_limit, exceptions.time_limit(paper.usual_time_limit)])
    attempt.pass_percent = min(paper.pass_percent, paper.quiz.pass_percent)
    is_late = is_over(attempt, paper.quiz, timing.submitted_at)
    attempt.submitted_at = timing.submitted_at  # it was never open here, where only one may be
    attempt.save(force_insert=True)
    SealedPaper.objects.filter(pk=paper.pk).update(attempt=attempt, used_at=sending.now, asked=[])
    questions = questions_in(attempt)
    answers = {} if is_late else read_answers(questions, answered.answers)
    close_attempt(attempt, paper.quiz, questions, answers, sending.now, submitted_at=timing.submitted_at)
    _complete(sending, attempt, timing)
    return Outcome.refused(QuizTimeOver(), percent=0, is_passed=False) if is_late else _outcome_of(attempt)


def _count_time(sending: Sending, paper: SealedPaper, timing: Timing) -> None:
    """Count the time of the attempt as learned: at most a usual one for each question."""
    most = MOST_PER_QUESTION * len(paper.asked)
    learning_time.spend_learning(  # for the figures of teams, as far as nothing else has used this time
        user_id=sending.user.pk,
        course_id=paper.enrollment.course_id,
        since=timing.started_at,
        most=min(most, timing.seconds),
        now=sending.now,
    )
    learned_days.record(
        user_id=sending.user.pk,
        zone=sending.zone,
        now=sending.now,
        at=timing.submitted_at if timing.is_known else None,
        seconds=min(most, timing.seconds),
    )


def _check_left(paper: SealedPaper, attempts: QuizAttempts) -> None:
    """Refuse the paper if no attempt is left for it. Those that were sealed before come first, whatever arrives first.

    :raises NoAttemptsLeft: none is left at all.
    :raises AttemptsHeld: those that are left are held by other papers.
    """
    left = attempts.attempts_left
    if left is None:
        return
    before = papers_holding(paper.enrollment_id, paper.quiz_id, attempts.now).exclude(pk=paper.pk)
    if paper.released_at is None:
        before = before.filter(Q(sealed_at__lt=paper.sealed_at) | Q(sealed_at=paper.sealed_at, pk__lt=paper.pk))
    if left == 0:
        raise NoAttemptsLeft
    if before.count() >= left:
        raise AttemptsHeld


def _check_wait(paper: SealedPaper, attempts: QuizAttempts, timing: Timing) -> None:
    """Refuse what began within the wait after earlier attempts. Those with a connection count, as all of them are here.

    Where the clock was wrong, it began now at the latest.

    :raises AttemptTooSoon: it did.
    """
    began_at = timing.started_at if timing.is_known else attempts.now
    online = tuple(
        one for one in attempts.attempts if not one.is_offline and (one.submitted_at or attempts.now) <= began_at
    )
    wait = replace(attempts, attempts=online, now=began_at + GRACE).seconds_to_wait
    if paper.opens_at is not None:
        wait = max(wait, int((paper.opens_at - GRACE - began_at).total_seconds()))
    if wait > 0:
        raise AttemptTooSoon(wait=wait)


def _make_room(attempts: QuizAttempts, paper: SealedPaper, timing: Timing) -> int:
    """Return the number of the new attempt among those of the quiz, and raise those that come after it by one.

    So attempts are numbered as they were taken, and not as devices came back. Where one continues another it still
    follows it, and one that can be continued stays the newest.
    """
    places: dict[int, tuple[datetime, str]] = {}
    reopened, later, last = attempts.reopened, [], 0
    for one in attempts.attempts:
        place = places.get(one.continues_id or 0, (one.started_at, str(one.uid)))
        places[one.pk], last = place, one.number
        is_newest = reopened is not None and reopened.attempt_id == one.pk
        if is_newest or place > (timing.started_at, str(paper.uid)):
            later.append(one.number)
    if not later:
        return last + 1
    number = min(later)
    moved = Attempt.objects.filter(enrollment=paper.enrollment_id, quiz=paper.quiz_id, number__gte=number)
    moved.update(number=F("number") + NUMBER_OFFSET)  # a number is taken once, also for a moment
    Attempt.objects.filter(enrollment=paper.enrollment_id, quiz=paper.quiz_id, number__gte=NUMBER_OFFSET).update(
        number=F("number") - NUMBER_OFFSET + 1
    )
    return number


def _complete(sending: Sending, attempt: Attempt, timing: Timing) -> None:
    """Do what follows from an attempt beside its result, on the day on which it was taken."""
    lesson, now = attempt.quiz.lesson, sending.now
    if attempt.is_passed:
        progress = open_lesson(enrollment=attempt.enrollment, lesson=lesson, now=now)
        at = timing.submitted_at if timing.is_known else None
        finish(progress, zone=sending.zone, now=now, at=at, by_learner=False, completed_at=at)
    award_perfect_score(attempt, sending.zone, now)
    note_activity(attempt.enrollment, lesson, timing.submitted_at)


def _outcome_of(attempt: Attempt) -> Outcome:
    """Return the result; none while essays wait for marks."""
    if attempt.waiting:
        return Outcome()
    return Outcome(percent=attempt.percent, is_passed=attempt.is_passed)


def read_answers(questions: list[Question], raw: dict[str, marking.Answer]) -> dict[str, marking.Answer]:
    """Return the answers that can be read; a question whose answer can't counts as not answered.

    Nobody can be asked to correct them. So an essay is cut at its longest, and not left out.
    """
    given = dict(raw)
    for question in questions:
        answer = given.get(str(question.uid))
        if question.kind == Question.Kind.ESSAY and answer and isinstance(answer.get("text"), str):
            text = answer["text"].replace("\r\n", "\n")
            given[str(question.uid)] = {**answer, "text": text[: question.options["limit"]]}
    valid, _faults = marking.read_all(questions, given)
    return valid


def time_of(answered: Answered, window: Window) -> Timing:
    """Return when an attempt was taken. Of a clock that was wrong, or set meanwhile, only the duration is believed."""
    most = (window.now - window.since).total_seconds()
    seconds = max(0.0, min(answered.seconds, most))
    begins_in, ends_in = window.trusts(answered.opened_at), window.trusts(answered.made_at)
    started_at = window.place(answered.opened_at)
    if begins_in and ends_in:
        seconds = max(seconds, window.seconds_between(answered.opened_at, answered.made_at))
    elif ends_in:
        started_at = max(window.since, window.place(answered.made_at) - timedelta(seconds=seconds))
    return Timing(
        started_at=started_at,
        submitted_at=min(window.now, started_at + timedelta(seconds=seconds)),
        seconds=int(seconds),
        is_known=begins_in or ends_in,
    )
