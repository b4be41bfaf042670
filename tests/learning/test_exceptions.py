"""Exceptions: extra time, extra attempts and reopened attempts, also while an attempt is open."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.accounts.kinds import KINDS
from apps.accounts.models import Notification, Role
from apps.learning import policies, services
from apps.learning.errors import (
    AttemptContinued,
    AttemptReopenedAlready,
    AttemptStillOpen,
    ExtraAttemptsInvalid,
    ExtraAttemptsTooMany,
    ExtraTimeInvalid,
    ExtraTimeKnown,
    NoAttemptsLeft,
    NothingToReopen,
    QuizHasNoAttemptLimit,
    QuizHasNoTimeLimit,
    QuizTimeOver,
    TooManyLearnersAtOnce,
)
from apps.learning.exception_forms import ExtraTimeForm, ReopenForm
from apps.learning.forms import fields_of, posted_answers
from apps.learning.models import Attempt, Enrollment, EssayAnswer, EssayMark, LearnerException, LessonProgress
from apps.learning.queries.exceptions import (
    ExtensibleQuiz,
    exceptions_at,
    exceptions_granted_in,
    learners_taught_by,
)
from apps.learning.queries.quizzes import attempt_page_out, get_attempt
from apps.learning.queries.shown_quizzes import quizzes_shown_to
from apps.learning.quizzes.drawing import restored
from apps.learning.quizzes.exceptions import QuizExceptions, covers, extend_limit, most_generous
from apps.learning.quizzes.parsing import read_all
from studyplatform.kit.errors import NotFound, RateLimitExceeded
from tests.cases import all_cases
from tests.factories.accounts import UserFactory
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.factories.learning import EnrollmentFactory
from tests.learning.quiz import make_quiz, right_answers

MINUTE = timedelta(minutes=1)
LIMIT = 20 * 60
QUIZ = ExtensibleQuiz(uuid4(), "Deltas", LIMIT, 1)
Kind = LearnerException.Kind


@pytest.fixture
def quiz(course, enrollment):
    return make_quiz(course, time_limit=LIMIT, max_attempts=1)


@pytest.fixture
def grant(ada, enrollment, quiz, now):
    """Grant Leo extra time: 10 more minutes for the quiz, if nothing else is said."""

    def run(*learners, by=ada, at=now, key=None, reason="Agreed with the office", **extra):
        extra = extra or {"minutes": 10}
        uids = [one.uid for one in learners or (enrollment,)]
        act = services.Act(by=by, learners=uids, key=key or uuid4(), reason=reason)
        return services.grant_extra_time(act, now=at, **({"quiz": quiz} | extra))

    return run


@pytest.fixture
def act(ada, enrollment):
    def make(*learners, by=ada):
        return services.Act(
            by=by, learners=[one.uid for one in learners or (enrollment,)], key=uuid4(), reason="Power cut"
        )

    return make


def begin(user, quiz, at):
    return services.open_attempt(user=user, lesson_uid=quiz.lesson.uid, now=at)


def submit(user, attempt, answers, at):
    return services.submit_attempt(user=user, attempt=get_attempt(user, attempt.uid), answers=answers, now=at)[0]


def page(browser, quiz):
    return browser.get(f"/api/v1/lessons/{quiz.lesson.uid}/quiz/").json()


# The rules, without a database.


@all_cases(
    "extra, seconds, longer",
    [
        ({"minutes": 10}, 1200, 1800),
        ({"percent": 25}, 1200, 1500),
        ({"percent": 33}, 100, 133),
        ({"percent": 33}, 101, 135),  # rounded up: 33.33 seconds are 34
        ({"percent": 1}, 30, 31),
        ({"is_unlimited": True}, 1200, 0),
        ({"minutes": 10}, 0, 0),  # a quiz without a limit stays so
    ],
)
def test_extra_time_is_added_and_rounded_up(extra, seconds, longer) -> None:
    assert extend_limit(seconds, LearnerException(kind=Kind.TIME, **extra)) == longer


def test_the_most_generous_counts_and_nothing_adds_up() -> None:
    extras = [LearnerException(kind=Kind.TIME, **one) for one in ({"minutes": 5}, {"percent": 50}, {"percent": 25})]

    assert QuizExceptions.of(extras).time_limit(1200) == 1800
    assert QuizExceptions.of(extras).time_limit(300) == 600, "five minutes are more than half of five"
    assert QuizExceptions.of([]).time_limit(300) == 300
    assert most_generous([0, 5]) == 0


@all_cases(
    "known, extra, seconds, is_covered",
    [
        ([], {"minutes": 5}, 600, False),
        ([{"minutes": 5}], {"minutes": 5}, 600, True),
        ([{"minutes": 5}], {"minutes": 6}, 600, False),
        ([{"percent": 50}], {"minutes": 5}, 600, True),
        ([{"percent": 50}], {"minutes": 6}, 600, False),
        ([{"percent": 50}], {"is_unlimited": True}, 600, False),
        ([{"is_unlimited": True}], {"percent": 50}, 600, True),
        ([{"percent": 50}], {"minutes": 1}, None, False),  # of all quizzes: some may be short
        ([{"percent": 50}], {"percent": 50}, None, True),
        ([{"minutes": 5}], {"minutes": 4}, None, True),
        ([{"minutes": 5}], {"is_unlimited": True}, None, False),
        ([{"is_unlimited": True}], {"minutes": 4}, None, True),
    ],
)
def test_what_changes_nothing_is_known(known, extra, seconds, is_covered) -> None:
    found = [LearnerException(kind=Kind.TIME, **one) for one in known]

    assert covers(found, LearnerException(kind=Kind.TIME, **extra), seconds) is is_covered


# Extra time.


@pytest.mark.django_db
def test_an_open_attempt_gets_extra_time_at_once(leo, quiz, grant, browser_of, now):
    attempt = begin(leo, quiz, now)

    granted = grant(at=now + MINUTE)

    attempt.refresh_from_db()
    assert (granted.running, attempt.usual_time_limit, attempt.time_limit) == (1, LIMIT, LIMIT + 600)
    late = now + timedelta(minutes=29)  # nine minutes after the usual end
    assert submit(leo, attempt, right_answers(quiz), late).percent == 100
    assert page(browser_of(leo), quiz)["has_extra_time"]


@pytest.mark.django_db
def test_extra_time_counts_for_attempts_opened_later_and_for_all_quizzes_of_the_course(leo, quiz, grant, course, now):
    other = make_quiz(course, time_limit=600)
    grant(quiz=None, percent=50)

    assert begin(leo, quiz, now).time_limit == 1800
    assert begin(leo, other, now).time_limit == 900


@pytest.mark.django_db
def test_extra_time_of_one_learner_is_nobody_elses(leo, mia, quiz, grant, course, now):
    EnrollmentFactory(user=mia, course=course)
    elsewhere = make_quiz(EnrollmentFactory(user=leo).course, time_limit=LIMIT)
    grant(quiz=None, is_unlimited=True)

    assert begin(mia, quiz, now).time_limit == LIMIT
    assert begin(leo, elsewhere, now).time_limit == LIMIT
    assert begin(leo, quiz, now).time_limit == 0


@pytest.mark.django_db
def test_an_attempt_without_a_limit_never_closes(leo, quiz, grant, now):
    """Reported of others: "unlimited" was stored as no time at all, and the attempt closed at once."""
    attempt = begin(leo, quiz, now)
    grant(is_unlimited=True, at=now + MINUTE)

    out = attempt_page_out(get_attempt(leo, attempt.uid), now=now + timedelta(days=2))
    assert (out["time_limit"], out["seconds_left"]) == (0, None)
    assert begin(leo, quiz, now + timedelta(days=2)) == attempt
    assert submit(leo, attempt, right_answers(quiz), now + timedelta(days=2)).percent == 100


@pytest.mark.django_db
def test_granted_twice_in_percent_it_is_not_multiplied(leo, quiz, grant, now):
    attempt = begin(leo, quiz, now)
    grant(percent=50)
    grant(percent=100)

    attempt.refresh_from_db()
    assert attempt.time_limit == 2 * LIMIT


@pytest.mark.django_db
def test_extra_time_that_ends_stays_with_an_open_attempt(ada, leo, quiz, grant, now):
    attempt = begin(leo, quiz, now)
    [made] = grant().exceptions

    assert services.end_exceptions(by=ada, uids=[made.uid], now=now + MINUTE) == 1
    assert services.end_exceptions(by=ada, uids=[made.uid], now=now + 2 * MINUTE) == 0, "idempotent"

    attempt.refresh_from_db()
    made.refresh_from_db()
    assert (attempt.time_limit, made.ended_at, made.ended_by) == (LIMIT + 600, now + MINUTE, ada)
    quiz.max_attempts = 2
    quiz.save()
    submit(leo, attempt, right_answers(quiz), now + 5 * MINUTE)
    assert begin(leo, quiz, now + 9 * MINUTE).time_limit == LIMIT


@pytest.mark.django_db
def test_percent_follows_a_limit_that_the_author_changes(leo, quiz, grant, now):
    """Reported of others: the extension was stored in minutes and missed later changes of the quiz."""
    grant(percent=50)
    quiz.time_limit = 3600
    quiz.save()

    assert begin(leo, quiz, now).time_limit == 5400


@pytest.mark.django_db
def test_extra_time_revives_an_attempt_whose_time_is_over(leo, quiz, grant, now):
    attempt = begin(leo, quiz, now)
    over = now + timedelta(minutes=25)

    grant(minutes=30, at=over)

    assert begin(leo, quiz, over) == attempt
    assert submit(leo, attempt, right_answers(quiz), over + MINUTE).percent == 100


@pytest.mark.django_db
def test_clocks_that_change_do_not_change_a_limit(leo, quiz, grant):
    """In the night of 29 March 2026 Leo's clocks jump from 2 to 3: limits are counted in UTC seconds."""
    leo.time_zone = "Europe/Berlin"
    leo.save()
    start = datetime(2026, 3, 29, 0, 50, tzinfo=UTC)
    attempt = begin(leo, quiz, start)
    grant(minutes=10, at=start)

    assert attempt_page_out(get_attempt(leo, attempt.uid), now=start + 15 * MINUTE)["seconds_left"] == 15 * 60


@pytest.mark.django_db
def test_a_form_that_is_sent_twice_grants_once(quiz, grant):
    key = uuid4()
    first, second = grant(key=key), grant(key=key)

    assert first.exceptions == second.exceptions
    assert LearnerException.objects.count() == Notification.objects.count() == 1


@pytest.mark.django_db
def test_what_changes_nothing_is_refused_to_one_and_skipped_among_many(mia, quiz, grant, course, enrollment):
    other = EnrollmentFactory(user=mia, course=course)
    grant()

    with pytest.raises(ExtraTimeKnown):
        grant(minutes=5)
    granted = grant(enrollment, other, minutes=10)
    assert [one.enrollment for one in granted.exceptions] == [other]
    assert [refusal.code for refusal in granted.skipped] == ["EXTRA_TIME_KNOWN"]


@pytest.mark.django_db
@all_cases(
    "extra",
    [
        {"minutes": 0},
        {"minutes": 1441},
        {"minutes": -1},
        {"percent": 401},
        {"minutes": 5, "percent": 5},
        {"minutes": 5, "is_unlimited": True},
    ],
)
def test_a_time_that_makes_no_sense_is_refused(extra, ada, enrollment, now):
    with pytest.raises(ExtraTimeInvalid):
        services.grant_extra_time(services.Act(by=ada, learners=[enrollment.uid], key=uuid4()), now=now, **extra)
    assert not LearnerException.objects.exists()


@pytest.mark.django_db
def test_quizzes_without_limits_have_nothing_to_extend(quiz, grant, act, course, now):
    free = make_quiz(course, time_limit=0, max_attempts=0)

    with pytest.raises(QuizHasNoTimeLimit):
        grant(quiz=free, minutes=5)
    with pytest.raises(QuizHasNoAttemptLimit):
        services.grant_extra_attempts(act(), quiz=free, count=1, now=now)
    for count in (0, 21):
        with pytest.raises(ExtraAttemptsInvalid):
            services.grant_extra_attempts(act(), quiz=quiz, count=count, now=now)


# The forms.


@all_cases(
    "form, given, is_valid",
    [
        (ExtraTimeForm, {"time": "25", "minutes": "2000"}, True),
        (ExtraTimeForm, {"time": "unlimited", "minutes": "some"}, True),
        (ExtraTimeForm, {"time": "minutes", "minutes": "2000"}, False),
        (ExtraTimeForm, {"time": "minutes", "minutes": ""}, False),
        (ExtraTimeForm, {"minutes": "5"}, False),
        (ReopenForm, {"time": "unlimited", "minutes": "0", "quiz": str(QUIZ.lesson_uid)}, True),
        (ReopenForm, {"time": "minutes", "minutes": "0", "quiz": str(QUIZ.lesson_uid)}, False),
    ],
)
def test_minutes_matter_only_where_they_are_chosen(form, given, is_valid) -> None:
    assert form(given | {"key": str(uuid4())}, quizzes=[QUIZ]).is_valid() is is_valid


@pytest.mark.django_db
def test_a_form_that_offers_no_quiz_has_a_way_back(ada, enrollment, browser_of):
    address = f"/dashboard/instructor/exceptions/grant?kind=attempts&learner={enrollment.uid}&next=/dashboard"
    form = browser_of(ada).get(address).content.decode()
    assert ('href="/dashboard"' in form, "Allow more attempts<" in form) == (True, False)


# Who may.


@pytest.mark.django_db
def test_only_those_who_teach_the_course_grant_and_end(ada, eve, sam, leo, mia, course, quiz, grant, now):
    viewer = CoInstructorFactory(course=course, role="view").user
    teacher = CoInstructorFactory(course=course, role="teach").user
    removed = CoInstructorFactory(course=course, role="edit", removed_at=now).user
    blocked = UserFactory(role=Role.INSTRUCTOR, is_active=False)
    for minutes, allowed in enumerate((ada, teacher, sam), start=1):
        [made] = grant(by=allowed, minutes=minutes).exceptions
    for refused in (eve, leo, mia, viewer, removed, blocked):
        with pytest.raises(NotFound):
            grant(by=refused, minutes=60)
        with pytest.raises(NotFound):
            services.end_exceptions(by=refused, uids=[made.uid], now=now)
    assert policies.grant_exceptions(viewer, course) is not None
    assert [len(exceptions_granted_in(user)) for user in (ada, teacher, sam, viewer, eve, leo)] == [3, 3, 3, 0, 0, 0]


@pytest.mark.django_db
def test_learners_and_quizzes_of_other_courses_are_refused_as_a_whole(ada, eve, enrollment, quiz, grant, act, now):
    theirs = EnrollmentFactory(course=CourseFactory(instructor=eve))
    mine = EnrollmentFactory(course=CourseFactory(instructor=ada))
    gone = EnrollmentFactory(course=enrollment.course, revoked_at=now)
    left = EnrollmentFactory(course=enrollment.course, user__deleted_at=now)

    for learners in ((enrollment, theirs), (mine,), (gone,), (enrollment, gone), (left,), (enrollment, left)):
        with pytest.raises(NotFound):
            grant(*learners)
    assert learners_taught_by(ada, [enrollment.uid, gone.uid, left.uid]) == [enrollment]
    with pytest.raises(NotFound):
        services.end_exceptions(by=ada, uids=[uuid4()], now=now)
    assert not LearnerException.objects.exists()
    assert len(grant(enrollment, mine, quiz=None, percent=25).exceptions) == 2, "in all of one's own courses"


@pytest.mark.long
@pytest.mark.django_db
def test_many_are_granted_in_few_queries(quiz, grant, course, act, now, django_assert_max_num_queries):
    learners = EnrollmentFactory.create_batch(40, course=course)
    for one in learners:
        begin(one.user, quiz, now)

    with django_assert_max_num_queries(40):
        assert grant(*learners).running == 40
    with pytest.raises(TooManyLearnersAtOnce):
        services.grant_extra_attempts(
            services.Act(by=course.instructor, learners=[uuid4() for _ in range(501)], key=uuid4()),
            quiz=quiz,
            count=1,
            now=now,
        )


# Extra attempts.


@pytest.mark.django_db
def test_extra_attempts_add_up_and_end(ada, leo, quiz, act, browser_of, now):
    submit(leo, begin(leo, quiz, now), {}, now + MINUTE)
    with pytest.raises(NoAttemptsLeft):
        begin(leo, quiz, now + MINUTE)
    services.grant_extra_attempts(act(), quiz=quiz, count=1, now=now)
    [second] = services.grant_extra_attempts(act(), quiz=quiz, count=2, now=now).exceptions

    assert page(browser_of(leo), quiz)["attempts_left"] == 3
    assert begin(leo, quiz, now + 2 * MINUTE).number == 2
    services.end_exceptions(by=ada, uids=[second.uid], now=now)
    submit(leo, Attempt.objects.get(number=2), {}, now + 3 * MINUTE)
    assert page(browser_of(leo), quiz)["attempts_left"] == 0


@pytest.mark.django_db
def test_extra_attempts_are_limited_together_and_so_are_grants(ada, mia, quiz, act, enrollment, course, now, settings):
    for _ in range(5):
        [made] = services.grant_extra_attempts(act(), quiz=quiz, count=20, now=now).exceptions
    with pytest.raises(ExtraAttemptsTooMany):
        services.grant_extra_attempts(act(), quiz=quiz, count=1, now=now)
    both = act(enrollment, EnrollmentFactory(user=mia, course=course))
    granted = services.grant_extra_attempts(both, quiz=quiz, count=1, now=now)
    assert [refusal.code for refusal in granted.skipped] == ["EXTRA_ATTEMPTS_TOO_MANY"]

    settings.RATE_LIMITS = settings.RATE_LIMITS | {"exception": (7, 600)}
    services.end_exceptions(by=ada, uids=[made.uid], now=now)
    for refused in (
        lambda: services.end_exceptions(by=ada, uids=[made.uid], now=now),
        lambda: services.grant_extra_attempts(act(), quiz=quiz, count=1, now=now),
        lambda: services.grant_extra_time(act(), minutes=5, now=now),
        lambda: services.reopen_attempts(act(), quiz=quiz, minutes=5, now=now),
    ):
        with pytest.raises(RateLimitExceeded):
            refused()
    later = now + timedelta(hours=1)
    assert services.grant_extra_attempts(act(), quiz=quiz, count=20, now=later).exceptions, "what ended counts no more"


@pytest.mark.django_db
def test_right_answers_are_hidden_again_while_an_attempt_is_left(leo, quiz, act, browser_of, now):
    attempt = submit(leo, begin(leo, quiz, now), {}, now + MINUTE)
    shown = lambda: attempt_page_out(get_attempt(leo, attempt.uid), now=now)["result"]["shows_answers"]  # noqa: E731
    assert (shown(), quizzes_shown_to(leo)) == (True, [quiz.pk])

    services.grant_extra_attempts(act(), quiz=quiz, count=1, now=now)

    assert (shown(), quizzes_shown_to(leo)) == (False, [])
    submit(leo, begin(leo, quiz, now + 2 * MINUTE), {}, now + 3 * MINUTE)
    assert (shown(), quizzes_shown_to(leo)) == (True, [quiz.pk])


# Reopened attempts.


@pytest.fixture
def reopen(quiz, act, now):
    def run(*learners, minutes=15, at=now + 10 * MINUTE, **more):
        return services.reopen_attempts(act(*learners), quiz=quiz, minutes=minutes, now=at, **more)

    return run


@pytest.mark.django_db
def test_a_reopened_attempt_is_continued_with_its_answers_and_keeps_its_result(leo, quiz, reopen, browser_of, now):
    answers = right_answers(quiz)
    some = dict(list(answers.items())[:3])
    former = submit(leo, begin(leo, quiz, now), some, now + 5 * MINUTE)
    reopen()

    out = page(browser_of(leo), quiz)
    assert (out["reopened"], out["may_attempt"], out["attempts_left"]) == ({"number": 1, "time_limit": 900}, True, 0)
    assert out["attempt"]["uid"] == str(former.uid), "until it is continued, its result is shown"
    tomorrow = now + timedelta(days=1)
    attempt = begin(leo, quiz, tomorrow)
    assert (attempt.number, attempt.continues, attempt.time_limit) == (2, former, 900), "the clock starts now"
    out = attempt_page_out(get_attempt(leo, attempt.uid), now=tomorrow)
    assert (out["answers"], out["continues"]) == (some, str(former.uid))
    assert [one["uid"] for one in attempt.asked] == [one["uid"] for one in former.asked]
    assert begin(leo, quiz, tomorrow) == attempt, "continued once"

    # At once: what was answered before needs no time again.
    done = submit(leo, attempt, answers, tomorrow + timedelta(seconds=5))

    former.refresh_from_db()
    assert (former.percent, former.is_passed, done.percent, done.is_passed) == (50, False, 100, True)
    assert LessonProgress.objects.get(lesson=quiz.lesson).completed_at is not None
    with pytest.raises(NoAttemptsLeft):
        begin(leo, quiz, tomorrow + MINUTE)
    assert page(browser_of(leo), quiz)["past"][1]["is_continued"]


@pytest.mark.django_db
def test_a_continued_attempt_that_runs_out_keeps_the_answers_it_began_with(leo, quiz, reopen, now):
    """Reported of others: answers of a reopened attempt were lost when its time ran out."""
    some = dict(list(right_answers(quiz).items())[:3])
    submit(leo, begin(leo, quiz, now), some, now + 5 * MINUTE)
    reopen(minutes=15)
    attempt = begin(leo, quiz, now + 20 * MINUTE)

    with pytest.raises(QuizTimeOver):
        submit(leo, attempt, right_answers(quiz), now + 60 * MINUTE)

    attempt.refresh_from_db()
    assert (attempt.percent, set(attempt.answers)) == (50, set(some))


@pytest.mark.long
@pytest.mark.django_db
def test_answers_of_every_kind_come_back_into_the_form_without_scripts(leo, quiz, reopen, browser_of, now):
    seven = right_answers(quiz)
    choice = {"kind": "single", "options": [{"id": "x", "text": "Delta"}, {"id": "y", "text": "Spring"}]}
    fields = [{"number": 1, "kind": "text", "points": 1, "options": {}}, {"number": 2, "points": 1} | choice]
    gaps = QuestionFactory(
        quiz=quiz, kind="gaps", prompt="[[1]] and [[2]]", points=2, options={"gaps": fields},
        answer={"gaps": {"1": {"accepted": ["mouth"]}, "2": {"id": "x"}}},
    )  # fmt: skip
    essay = QuestionFactory(quiz=quiz, kind="essay", prompt="Why?", options={"limit": 60}, answer={}, points=4)
    most = {str(gaps.uid): {"gaps": {"1": "mouth", "2": "y"}}, str(essay.uid): {"text": "Because."}}
    submit(leo, begin(leo, quiz, now), seven | most, now + 5 * MINUTE)
    reopen(is_unlimited=True, minutes=0)
    attempt = begin(leo, quiz, now + 20 * MINUTE)

    out = attempt_page_out(get_attempt(leo, attempt.uid), now=now + 20 * MINUTE)
    questions = restored(attempt.asked)
    posted = posted_answers(questions, fields_of(out["questions"], out["answers"]))
    assert read_all(questions, {uid: one for uid, one in posted.items() if one}) == (attempt.answers, [])
    assert len(attempt.answers) == 9
    shown = browser_of(leo).get(f"/learn/{quiz.lesson.course.slug}/{quiz.lesson.slug}").content.decode()
    assert "Because.</textarea>" in shown


@pytest.mark.django_db
def test_an_attempt_whose_time_ran_out_unsent_is_closed_and_reopened(leo, quiz, reopen, now):
    begin(leo, quiz, now)
    with pytest.raises(AttemptStillOpen):
        reopen(at=now + 5 * MINUTE)

    [made] = reopen(at=now + 60 * MINUTE).exceptions

    assert made.attempt.submitted_at == now + 60 * MINUTE
    assert begin(leo, quiz, now + 61 * MINUTE).continues == made.attempt


@pytest.mark.django_db
def test_only_the_newest_attempt_is_reopened_and_once(ada, leo, mia, quiz, reopen, enrollment, course, now):
    with pytest.raises(NothingToReopen):
        reopen()
    submit(leo, begin(leo, quiz, now), {}, now + MINUTE)
    [made] = reopen().exceptions
    with pytest.raises(AttemptReopenedAlready):
        reopen()
    services.end_exceptions(by=ada, uids=[made.uid], now=now)
    with pytest.raises(NoAttemptsLeft):
        begin(leo, quiz, now + 2 * MINUTE)
    granted = reopen(enrollment, EnrollmentFactory(user=mia, course=course))
    assert [refusal.code for refusal in granted.skipped] == ["NOTHING_TO_REOPEN"]
    continued = begin(leo, quiz, now + 20 * MINUTE)
    with pytest.raises(AttemptContinued):
        services.end_exceptions(by=ada, uids=[granted.exceptions[0].uid], now=now)
    submit(leo, continued, {}, now + 21 * MINUTE)
    assert reopen(at=now + 30 * MINUTE).exceptions[0].attempt == continued, "and what was continued, again"


@pytest.mark.django_db
def test_right_answers_are_hidden_while_a_reopened_attempt_can_be_continued(leo, quiz, reopen, browser_of, now):
    quiz.reveal = "always"
    quiz.save()
    submit(leo, begin(leo, quiz, now), {}, now + MINUTE)
    assert quizzes_shown_to(leo) == [quiz.pk]

    reopen()
    for _opened in (False, True):
        assert not get_attempt(leo, Attempt.objects.get(number=1).uid).answers
        first = attempt_page_out(get_attempt(leo, Attempt.objects.get(number=1).uid), now=now)
        assert not first["result"]["shows_answers"]
        assert quizzes_shown_to(leo, now=now + 11 * MINUTE) == []
        attempt = begin(leo, quiz, now + 11 * MINUTE)
    submit(leo, attempt, {}, now + 12 * MINUTE)
    assert quizzes_shown_to(leo) == [quiz.pk]


@pytest.mark.django_db
def test_extra_time_counts_for_a_continued_attempt_too(leo, quiz, reopen, grant, now):
    submit(leo, begin(leo, quiz, now), {}, now + MINUTE)
    grant(percent=100)
    reopen(minutes=15)
    attempt = begin(leo, quiz, now + 20 * MINUTE)
    assert attempt.time_limit == 30 * 60

    grant(percent=200, at=now + 21 * MINUTE)

    attempt.refresh_from_db()
    assert attempt.time_limit == 45 * 60


@pytest.mark.long
@pytest.mark.django_db
def test_marks_of_essays_stay_unless_they_were_changed(ada, leo, course, enrollment, act, now):
    lesson = LessonFactory(section=SectionFactory(course=course), kind="quiz")
    quiz = QuizFactory(lesson=lesson, max_attempts=1)
    for _ in range(3):
        QuestionFactory(quiz=quiz, kind="essay", prompt="Why?", options={"limit": 60}, answer={}, points=4)
    attempt = begin(leo, quiz, now)
    kept, changed, late = (row["uid"] for row in attempt.asked)
    texts = {uid: {"text": f"Because of {uid}."} for uid in (kept, changed, late)}
    submit(leo, attempt, texts, now + 5 * MINUTE)

    def mark(uid, points, at):
        essay = EssayAnswer.objects.filter(question_uid=uid).earliest("pk")
        services.mark_essay(by=ada, essay=essay, earned=Decimal(points), comment="Fine.", revision=0, now=at)

    mark(kept, 3, now + 6 * MINUTE)
    mark(changed, 1, now + 6 * MINUTE)
    services.reopen_attempts(act(), quiz=quiz, is_unlimited=True, now=now + 7 * MINUTE)
    again = begin(leo, quiz, now + 8 * MINUTE)
    mark(late, 4, now + 9 * MINUTE)  # while the learner continues
    done = submit(leo, again, texts | {changed: {"text": "I see: the bank."}}, now + 10 * MINUTE)

    earned = {str(one.question_uid): one.earned for one in done.essays.all()}
    assert earned == {kept: 3, changed: None, late: 4}
    assert (done.waiting, done.score) == (1, 7)
    assert EssayMark.objects.filter(essay__attempt=done).count() == 2
    stored = {one["uid"]: one for one in done.results}
    assert (stored[kept]["verdict"], stored[kept]["earned"], stored[kept]["comment"]) == ("partly", "3", "Fine.")
    last = done.essays.get(earned=None)
    services.mark_essay(by=ada, essay=last, earned=Decimal(4), comment="", revision=0, now=now + 11 * MINUTE)
    done.refresh_from_db()
    assert (done.percent, done.waiting) == (91, 0)


@pytest.mark.django_db
def test_the_same_text_is_marked_once(ada, leo, course, enrollment, act, now):
    lesson = LessonFactory(section=SectionFactory(course=course), kind="quiz")
    quiz = QuizFactory(lesson=lesson, max_attempts=1)
    QuestionFactory(quiz=quiz, kind="essay", prompt="Why?", options={"limit": 60}, answer={}, points=4)
    first = begin(leo, quiz, now)
    text = {first.asked[0]["uid"]: {"text": "Because."}}
    submit(leo, first, text, now + MINUTE)
    for _again in range(3):
        with CaptureQueriesContext(connection) as captured:
            services.reopen_attempts(act(), quiz=quiz, is_unlimited=True, now=now + MINUTE)
        read = [one["sql"] for one in captured if '"learning_attempt"."results"' in one["sql"]]
        assert all('"submitted_at" IS NULL' in sql for sql in read), "of former attempts, which may be many, little"
        last = submit(leo, begin(leo, quiz, now + 2 * MINUTE), text, now + 3 * MINUTE)
        assert last.waiting == 1

    essay = EssayAnswer.objects.get(attempt__number=3)
    services.mark_essay(by=ada, essay=essay, earned=Decimal(3), comment="", revision=0, now=now + 4 * MINUTE)
    essay = EssayAnswer.objects.get(attempt=last)
    services.mark_essay(by=ada, essay=essay, earned=Decimal(4), comment="", revision=1, now=now + 5 * MINUTE)

    earned = list(EssayAnswer.objects.order_by("pk").values_list("earned", flat=True))
    assert earned == [3, 3, 3, 4], "only the first mark"
    assert set(Attempt.objects.values_list("waiting", flat=True)) == {0}


# What learners are told.


@pytest.mark.long
@pytest.mark.django_db
def test_learners_are_told_what_changes_and_never_why(ada, leo, quiz, grant, act, reopen, course, now):
    def told():
        row = Notification.objects.latest("pk")
        assert "office" not in str(row.params) + row.link
        assert row.user == leo
        return KINDS[row.kind].words(row.params)[0]

    title, name = quiz.lesson.title, course.title
    [made] = grant().exceptions
    assert told() == f"You have 10 more minutes for “{title}”"
    grant(quiz=None, percent=25)
    assert told() == f"You have 25% more time for the quizzes in “{name}”"
    grant(quiz=None, minutes=1)
    assert told() == f"You have 1 more minute for each quiz in “{name}”"
    grant(percent=200)
    assert told() == f"You have 200% more time for “{title}”"
    services.end_exceptions(by=ada, uids=[made.uid], now=now)
    assert told() == f"Your extra time for “{title}” has ended"
    submit(leo, begin(leo, quiz, now), {}, now + MINUTE)
    [more] = services.grant_extra_attempts(act(), quiz=quiz, count=1, now=now).exceptions
    assert told() == f"You have one more attempt at “{title}”"
    services.end_exceptions(by=ada, uids=[more.uid], now=now)
    assert told() == f"You no longer have extra attempts at “{title}”"
    [back] = reopen(minutes=1).exceptions
    assert told() == f"You can continue attempt 1 at “{title}”"
    services.end_exceptions(by=ada, uids=[back.uid], now=now)
    assert told() == f"Attempt 1 at “{title}” can no longer be continued"
    grant(is_unlimited=True)
    assert told() == f"“{title}” has no time limit for you"
    grant(quiz=None, is_unlimited=True)
    assert told() == f"The quizzes in “{name}” have no time limit for you"


@pytest.mark.django_db
def test_nothing_is_left_of_a_deleted_account(leo, quiz, grant):
    grant()

    services.forget_exceptions(user_id=leo.pk)

    assert not LearnerException.objects.exists()


@pytest.mark.django_db
def test_learners_without_exceptions_cost_no_query(quiz, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert exceptions_at(quiz, Enrollment(exceptions_at=None)) == QuizExceptions()
