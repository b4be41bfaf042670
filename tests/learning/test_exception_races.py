"""Exceptions that are granted and ended at the same moment as attempts are opened, submitted and continued."""

from datetime import timedelta
from functools import partial
from threading import Event
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import transaction

from apps.accounts.models import Notification, User
from apps.courses.models import Course, Quiz
from apps.courses.services import people
from apps.learning import services
from apps.learning.errors import AttemptContinued, NoAttemptsLeft
from apps.learning.models import Attempt, Enrollment, LearnerException, LessonProgress
from apps.learning.queries.quizzes import get_attempt, questions_in
from apps.learning.quizzes.parsing import read_all
from apps.learning.services import granting
from studyplatform.kit.errors import NotFound
from tests.factories.co_instructors import CoInstructorFactory
from tests.learning.conftest import NOON
from tests.learning.quiz import make_quiz, right_answers
from tests.learning.test_races import run_simultaneously

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True)]
MINUTE = timedelta(minutes=1)
LIMIT = 20 * 60


@pytest.fixture
def quiz(course: Course, enrollment: Enrollment) -> Quiz:
    return make_quiz(course, time_limit=LIMIT, max_attempts=1)


def grant(by: User, enrollment: Enrollment, quiz: Quiz | None, minutes: int, key: UUID | None = None) -> Any:
    act = services.Act(by=by, learners=[enrollment.uid], key=key or uuid4())
    return services.grant_extra_time(act, quiz=quiz, minutes=minutes, now=NOON + MINUTE)


def test_an_attempt_that_is_opened_beside_a_grant_has_the_time(
    ada: User, leo: User, enrollment: Enrollment, quiz: Quiz
) -> None:
    opened, granted = run_simultaneously(
        partial(services.open_attempt, user=leo, lesson_uid=quiz.lesson.uid, now=NOON),
        partial(grant, ada, enrollment, quiz, 10),
    )

    assert isinstance(opened, Attempt)
    assert isinstance(granted, services.Granted)
    assert Attempt.objects.get().time_limit == LIMIT + 600


def test_grants_beside_a_submission_and_each_other_end_without_a_deadlock(
    ada: User, sam: User, leo: User, enrollment: Enrollment, quiz: Quiz
) -> None:
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON)
    mine = get_attempt(leo, attempt.uid)
    key = uuid4()

    outcomes = run_simultaneously(
        partial(services.submit_attempt, user=leo, attempt=mine, answers=right_answers(quiz), now=NOON + MINUTE),
        partial(grant, ada, enrollment, quiz, 10),
        partial(grant, sam, enrollment, None, 30),
        partial(grant, ada, enrollment, quiz, 45, key),
        partial(grant, ada, enrollment, quiz, 45, key),
    )

    assert not [
        one for one in outcomes if isinstance(one, Exception) and getattr(one, "code", "") != "EXTRA_TIME_KNOWN"
    ]
    attempt.refresh_from_db()
    assert attempt.percent == 100
    assert LearnerException.objects.filter(act=key).count() == 1
    told = Notification.objects.filter(kind="learning.exception").count()
    assert told == LearnerException.objects.count()


def test_an_attempt_that_ran_out_is_opened_again_beside_its_submission(
    leo: User, enrollment: Enrollment, quiz: Quiz
) -> None:
    quiz.max_attempts = 2
    quiz.save()
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON)
    mine = get_attempt(leo, attempt.uid)

    late = NOON + 30 * MINUTE
    submitted, opened = run_simultaneously(
        partial(services.submit_attempt, user=leo, attempt=mine, answers=right_answers(quiz), now=late),
        partial(services.open_attempt, user=leo, lesson_uid=quiz.lesson.uid, now=late),
    )

    assert getattr(submitted, "code", "") in {"QUIZ_TIME_OVER", "QUIZ_ATTEMPT_CLOSED"}
    assert opened.number == 2


def test_a_reopened_attempt_is_continued_or_taken_back(
    ada: User, leo: User, enrollment: Enrollment, quiz: Quiz
) -> None:
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON)
    services.submit_attempt(user=leo, attempt=get_attempt(leo, attempt.uid), answers={}, now=NOON + MINUTE)
    act = services.Act(by=ada, learners=[enrollment.uid], key=uuid4())
    [made] = services.reopen_attempts(act, quiz=quiz, minutes=5, now=NOON + MINUTE).exceptions
    go_on = partial(services.open_attempt, user=leo, lesson_uid=quiz.lesson.uid, now=NOON + 2 * MINUTE)

    first, second, ended = run_simultaneously(
        go_on, go_on, partial(services.end_exceptions, by=ada, uids=[made.uid], now=NOON + 2 * MINUTE)
    )

    if ended == 1:
        assert {type(first), type(second)} == {NoAttemptsLeft}
        assert Attempt.objects.count() == 1
    else:
        assert isinstance(ended, AttemptContinued)
        assert first == second
        assert Attempt.objects.count() == 2


def test_a_co_instructor_who_is_removed_grants_before_it_or_not_at_all(
    ada: User, course: Course, enrollment: Enrollment, quiz: Quiz
) -> None:
    for _again in range(3):
        member = CoInstructorFactory(course=course, role="teach")
        before = LearnerException.objects.count()
        granted, removed = run_simultaneously(
            partial(grant, member.user, enrollment, quiz, 10 + before),
            partial(people.remove_co_instructor, course=course, by=ada, user_id=member.user_id, now=NOON),
        )
        assert removed is None
        assert isinstance(granted, services.Granted | NotFound)
        assert LearnerException.objects.count() - before == isinstance(granted, services.Granted)
        with pytest.raises(NotFound):
            grant(member.user, enrollment, quiz, 60)


def test_an_account_that_is_deleted_keeps_no_exception(
    ada: User, leo: User, enrollment: Enrollment, quiz: Quiz, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deletion begins while the exception is written: it waits for it, and then deletes it."""
    is_written, is_deleted = Event(), Event()

    def pause(*_given: Any, **_more: Any) -> None:
        is_written.set()
        is_deleted.wait(0.5)  # until then nothing is deleted: the account is locked

    def delete() -> None:
        is_written.wait(10)
        with transaction.atomic():
            User.objects.select_for_update().get(pk=leo.pk)
            services.forget_exceptions(user_id=leo.pk)
            User.objects.filter(pk=leo.pk).update(deleted_at=NOON)
        is_deleted.set()

    monkeypatch.setattr(granting, "tell_of_exceptions", pause)
    granted, deleted = run_simultaneously(partial(grant, ada, enrollment, quiz, 10), delete)

    assert isinstance(granted, services.Granted)
    assert deleted is None
    assert not LearnerException.objects.exists()


def test_an_attempt_that_ran_out_is_closed_once_beside_its_submission_and_another_lesson(
    leo: User, enrollment: Enrollment, quiz: Quiz
) -> None:
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON)
    stored, _faults = read_all(questions_in(attempt), right_answers(quiz))
    Attempt.objects.filter(pk=attempt.pk).update(answers=stored)
    mine, late = get_attempt(leo, attempt.uid), NOON + 30 * MINUTE

    closed, again, submitted, opened = run_simultaneously(
        partial(services.close_overdue_attempts, now=late),
        partial(services.close_overdue_attempts, now=late),
        partial(services.submit_attempt, user=leo, attempt=mine, answers={}, now=late),
        partial(services.open_attempt, user=leo, lesson_uid=quiz.lesson.uid, now=late),
    )

    assert closed + again <= 1
    assert getattr(submitted, "code", "") == "QUIZ_TIME_OVER"
    assert opened == attempt or isinstance(opened, NoAttemptsLeft)
    [only] = Attempt.objects.all()
    assert (only.is_passed, only.submitted_at) == (True, late)
    assert LessonProgress.objects.get(lesson=quiz.lesson).completed_at == late
