"""Attempts whose time runs out unsent, reopened attempts above all: they are closed, and hold nobody up."""

from datetime import timedelta
from uuid import uuid4

import pytest

from apps.accounts.kinds import KINDS
from apps.accounts.models import Notification
from apps.learning import services
from apps.learning.errors import QuizTimeOver
from apps.learning.exception_words import exception_text
from apps.learning.models import Attempt, LearnerException, LessonProgress, PracticeCard
from apps.learning.queries.exceptions import exceptions_granted_in
from apps.learning.queries.lessons import lesson_of
from apps.learning.queries.quizzes import attempt_page_out, get_attempt, quiz_page_out
from apps.learning.queries.shown_quizzes import quizzes_shown_to
from apps.learning.services import closing
from studyplatform.kit import jobs
from tests.factories.learning import EnrollmentFactory
from tests.learning.quiz import make_quiz, right_answers
from tests.learning.test_exceptions import LIMIT, MINUTE, begin, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def act(ada, enrollment):
    def make():
        return services.Act(by=ada, learners=[enrollment.uid], key=uuid4())

    return make


@pytest.fixture
def continued(leo, course, act, now):
    """A function: Leo submits three of seven answers, half of the points, and continues that for 10 minutes."""

    def go_on(**rules):
        quiz = make_quiz(course, **({"time_limit": LIMIT, "max_attempts": 1, "reveal": "always"} | rules))
        some = dict(list(right_answers(quiz).items())[:3])
        submit(leo, begin(leo, quiz, now), some, now + 5 * MINUTE)
        services.reopen_attempts(act(), quiz=quiz, minutes=10, now=now + 10 * MINUTE)
        return quiz, begin(leo, quiz, now + 20 * MINUTE)

    return go_on


def shows_answers(user, quiz, at):
    first = Attempt.objects.get(quiz=quiz, number=1)
    return attempt_page_out(get_attempt(user, first.uid), now=at)["result"]["shows_answers"]


def test_a_continued_attempt_that_is_never_sent_hides_nothing_when_it_is_over(leo, continued, now):
    quiz, attempt = continued()
    running, over = now + timedelta(minutes=30, seconds=30), now + timedelta(minutes=30, seconds=31)

    for at, is_shown in ((running, False), (over, True)):
        assert shows_answers(leo, quiz, at) is is_shown
        assert quizzes_shown_to(leo, now=at) == [quiz.pk] * is_shown
        assert services.close_overdue_attempts(now=at) == is_shown
    assert services.close_overdue_attempts(now=over) == 0

    attempt.refresh_from_db()
    assert (attempt.submitted_at, attempt.percent) == (over, 50), "with the answers it began with"
    assert PracticeCard.objects.filter(user=leo).count() == 4
    with pytest.raises(QuizTimeOver):  # and not: it was submitted before with other answers
        submit(leo, attempt, right_answers(quiz), over + MINUTE)


def test_the_job_closes_the_last_attempt_of_somebody_who_left(leo, course, enrollment, now):
    quiz = make_quiz(course, time_limit=LIMIT, max_attempts=1)
    begin(leo, quiz, now)
    later = now + 60 * MINUTE
    assert quiz_page_out(lesson_of(leo, quiz.lesson.uid), now=later)["past"] == []

    jobs.enqueue("learning.close_attempts", key="attempts")
    jobs.run_pending("default")

    [past] = quiz_page_out(lesson_of(leo, quiz.lesson.uid), now=later)["past"]
    assert (past["percent"], past["is_passed"]) == (0, False)


def test_an_attempt_that_cannot_be_closed_holds_up_no_other(leo, mia, course, enrollment, monkeypatch, now):
    EnrollmentFactory(user=mia, course=course, revoked_at=None)
    quiz = make_quiz(course, time_limit=LIMIT)
    broken, other = begin(leo, quiz, now), begin(mia, quiz, now)
    close = closing.close_if_over

    def close_or_break(attempt, at):
        assert attempt != broken, "broken"
        return close(attempt, at)

    monkeypatch.setattr(closing, "close_if_over", close_or_break)

    assert services.close_overdue_attempts(now=now + 60 * MINUTE) == 1
    assert list(Attempt.objects.filter(submitted_at=None)) == [broken]
    assert other.pk != broken.pk


@pytest.mark.parametrize("is_by_job", [True, False])
def test_an_attempt_that_the_server_closes_completes_its_lesson_if_it_is_passed(leo, continued, is_by_job, now):
    quiz, attempt = continued(max_attempts=3, pass_percent=70)
    quiz.pass_percent = 45
    quiz.save()
    over = now + 60 * MINUTE

    if is_by_job:
        services.close_overdue_attempts(now=over)
    else:
        assert begin(leo, quiz, over) == attempt, "no other one is drawn at once"

    assert list(Attempt.objects.order_by("number").values_list("percent", "is_passed")) == [(50, False), (50, True)]
    assert LessonProgress.objects.get(lesson=quiz.lesson).completed_at == over
    assert begin(leo, quiz, over + MINUTE).number == 3


def test_continuing_uses_up_no_free_attempt_and_begins_no_wait(leo, continued, now):
    quiz, attempt = continued(max_attempts=0, retry_wait=24 * 3600)
    submit(leo, attempt, {}, now + 25 * MINUTE)

    second = begin(leo, quiz, now + 26 * MINUTE)

    submit(leo, second, {}, now + 27 * MINUTE)
    assert quiz_page_out(lesson_of(leo, quiz.lesson.uid), now=now + 27 * MINUTE)["wait"] == 24 * 3600


def test_a_reopened_attempt_hides_nothing_at_a_quiz_that_was_removed(leo, course, enrollment, act, now):
    quiz = make_quiz(course, time_limit=LIMIT, max_attempts=1, reveal="always")
    submit(leo, begin(leo, quiz, now), {}, now + MINUTE)
    services.reopen_attempts(act(), quiz=quiz, minutes=10, now=now + 2 * MINUTE)
    assert not shows_answers(leo, quiz, now + 3 * MINUTE)

    quiz.lesson.removed_at = now
    quiz.lesson.save()

    assert shows_answers(leo, quiz, now + 3 * MINUTE)


def test_learner_staff_and_page_are_told_the_same_time_of_a_reopened_attempt(ada, leo, course, enrollment, act, now):
    quiz = make_quiz(course, time_limit=LIMIT, max_attempts=1)
    services.grant_extra_time(act(), quiz=quiz, percent=25, now=now)
    services.grant_extra_time(act(), minutes=60, now=now)
    submit(leo, begin(leo, quiz, now), {}, now + MINUTE)
    told, shown = [], []

    services.reopen_attempts(act(), quiz=quiz, minutes=10, now=now + 2 * MINUTE)
    for later in (90, 120):
        row = Notification.objects.latest("pk")
        told.append(KINDS[row.kind].words(row.params)[1])
        [listed] = exceptions_granted_in(ada).filter(kind="reopened")
        alone = LearnerException.objects.get(kind="reopened")
        assert exception_text(listed) == exception_text(alone)
        out = quiz_page_out(lesson_of(leo, quiz.lesson.uid), now=now + 3 * MINUTE)
        shown.append((exception_text(listed), out["reopened"]["time_limit"]))
        services.grant_extra_time(act(), quiz=quiz, minutes=later, now=now + 3 * MINUTE)  # counts: it comes later

    assert "you have 13 minutes" in told[0], "25 percent of 10 minutes more, rounded up, and not 60 minutes"
    assert shown[0] == ("Attempt 1 again, for 13 minutes", 13 * 60)
    assert shown[1] == ("Attempt 1 again, for 100 minutes", 100 * 60)
    assert begin(leo, quiz, now + 5 * MINUTE).time_limit == 130 * 60


def test_extra_time_of_a_continued_attempt_is_what_is_granted_while_it_is_open(leo, course, enrollment, act, now):
    quiz = make_quiz(course, time_limit=LIMIT, max_attempts=1)
    services.grant_extra_time(act(), minutes=60, now=now)
    submit(leo, begin(leo, quiz, now), {}, now + MINUTE)
    services.reopen_attempts(act(), quiz=quiz, minutes=10, now=now + 2 * MINUTE)
    attempt = begin(leo, quiz, now + 3 * MINUTE)

    for extra, minutes in (({"percent": 10}, 11), ({"minutes": 5}, 15)):
        services.grant_extra_time(act(), quiz=quiz, now=now + 4 * MINUTE, **extra)
        attempt.refresh_from_db()
        assert attempt.time_limit == minutes * 60


def test_time_that_comes_days_too_late_is_not_counted_as_given(leo, course, enrollment, act, now):
    quiz = make_quiz(course, time_limit=LIMIT, max_attempts=1)
    attempt = begin(leo, quiz, now)

    granted = services.grant_extra_time(act(), quiz=quiz, minutes=10, now=now + timedelta(days=7))

    attempt.refresh_from_db()
    assert (granted.running, attempt.time_limit) == (0, LIMIT)
