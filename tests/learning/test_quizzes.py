"""Quiz attempts: opening, submitting, marking, limits and waits."""

import json
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.courses.errors import LectureUnavailable
from apps.learning import policies, services
from apps.learning.errors import (
    AnsweredTooFast,
    AttemptClosed,
    AttemptTooSoon,
    NoAttemptsLeft,
    NotEnrolled,
    PrerequisiteNotMet,
    QuizTimeOver,
)
from apps.learning.models import Attempt, Certificate, LessonProgress
from apps.learning.queries.quizzes import attempt_page_out, get_attempt
from studyplatform.kit.errors import NotAuthenticated, NotFound, PermissionRefused, ValidationFailed
from tests.factories.courses import QuizFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory
from tests.learning.quiz import SECRETS, make_quiz, right_answers

MINUTE = timedelta(minutes=1)


@pytest.fixture
def quiz(course, enrollment, lessons):
    return make_quiz(course, rewatch=lessons[0])


@pytest.fixture
def attempt(leo, quiz, now):
    return services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)


def test_an_open_attempt_is_continued(leo, quiz, attempt, now):
    again = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now + MINUTE)

    assert again == attempt
    assert (attempt.number, attempt.started_at) == (1, now)


def test_answering_everything_correctly_completes_the_lesson(leo, quiz, attempt, now):
    done, saved = services.submit_attempt(
        user=attempt.enrollment.user, attempt=attempt, answers=right_answers(quiz), now=now + MINUTE
    )

    assert (str(done.score), done.points, done.percent, done.is_passed) == ("8.00", 8, 100, True)
    assert saved is not None
    assert saved.newly_completed
    assert LessonProgress.objects.get(lesson=quiz.lesson).completed_at == now + MINUTE


def test_partial_points_count_and_are_not_rounded_before_the_decision(leo, quiz, attempt, now):
    answers = right_answers(quiz)
    uids = list(answers)
    answers[uids[0]] = {"id": "a"}  # 0 of 2
    answers[uids[5]] = {"ids": ["s", "r", "p", "q"]}  # half of 1

    done, saved = services.submit_attempt(
        user=attempt.enrollment.user, attempt=attempt, answers=answers, now=now + MINUTE
    )

    assert (str(done.score), done.percent, done.is_passed) == ("5.50", 68, False)
    assert saved is None
    assert not LessonProgress.objects.exclude(completed_at=None).exists()


def test_reaching_the_pass_mark_exactly_passes(leo, quiz, attempt, now):
    attempt.quiz.pass_percent = 75  # the attempt has a row of its own in memory
    attempt.quiz.save()
    answers = right_answers(quiz)
    answers.pop(next(iter(answers)))  # 6 of 8

    done, _ = services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers=answers, now=now + MINUTE)

    assert (done.percent, done.is_passed) == (75, True)


def test_submitting_the_same_answers_again_returns_the_same_result(leo, quiz, attempt, now):
    answers = right_answers(quiz)
    first, _ = services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers=answers, now=now + MINUTE)
    stale = Attempt.objects.get(pk=attempt.pk)
    again, _ = services.submit_attempt(
        user=stale.enrollment.user, attempt=stale, answers=dict(reversed(answers.items())), now=now + 2 * MINUTE
    )

    assert again.submitted_at == now + MINUTE
    assert again.results == first.results


def test_submitting_different_answers_later_is_refused_and_changes_nothing(leo, quiz, attempt, now):
    services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers={}, now=now)

    with pytest.raises(AttemptClosed):
        services.submit_attempt(user=leo, attempt=Attempt.objects.get(), answers=right_answers(quiz), now=now)

    assert Attempt.objects.get().score == 0


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chosen=st.lists(st.integers(0, 2), min_size=2, max_size=6))
def test_of_submissions_in_any_order_and_repetition_the_first_counts(leo, quiz, attempt, now, chosen):
    some = dict(list(right_answers(quiz).items())[:1])
    sheets = [right_answers(quiz), {}, some]
    Attempt.objects.all().delete()
    opened = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    results = []
    for step, number in enumerate(chosen):
        stale = Attempt.objects.get(pk=opened.pk)
        try:
            done, _ = services.submit_attempt(
                user=leo, attempt=stale, answers=sheets[number], now=now + MINUTE + step * MINUTE
            )
        except AttemptClosed:
            assert number != chosen[0]
        else:
            assert number == chosen[0]
            results.append((done.submitted_at, done.score, done.results))

    stored = Attempt.objects.get()
    assert results
    assert all(one == (now + MINUTE, stored.score, stored.results) for one in results)


def test_malformed_answers_leave_the_attempt_open(leo, quiz, attempt, now):
    uid = next(iter(right_answers(quiz)))

    with pytest.raises(ValidationFailed) as refusal:
        services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers={uid: {"id": "zz"}}, now=now)

    assert list(refusal.value.in_fields) == [f"answers.{uid}"]
    assert Attempt.objects.get().submitted_at is None


def test_a_limited_quiz_refuses_further_attempts(leo, quiz, attempt, now):
    quiz.max_attempts = 2
    quiz.save()
    for _ in range(2):
        attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
        services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers={}, now=now)

    with pytest.raises(NoAttemptsLeft):
        services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)

    assert list(Attempt.objects.values_list("number", flat=True)) == [1, 2]


def test_the_best_attempt_counts(leo, quiz, attempt, now):
    services.submit_attempt(
        user=attempt.enrollment.user, attempt=attempt, answers=right_answers(quiz), now=now + MINUTE
    )
    second = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now + MINUTE)
    second, _ = services.submit_attempt(user=second.enrollment.user, attempt=second, answers={}, now=now + MINUTE)

    result = attempt_page_out(get_attempt(leo, second.uid), now=now)["result"]
    assert (result["percent"], result["best_percent"], result["is_passed"]) == (0, 100, False)
    assert LessonProgress.objects.get(lesson=quiz.lesson).completed_at == now + MINUTE


def test_an_attempt_closes_after_the_grace_period(leo, quiz, now):
    quiz.time_limit = 600
    quiz.save()
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    assert attempt_page_out(attempt, now=now + MINUTE)["seconds_left"] == 540

    on_its_way, _ = services.submit_attempt(
        user=attempt.enrollment.user, attempt=attempt, answers=right_answers(quiz), now=now + timedelta(seconds=620)
    )
    assert on_its_way.is_passed

    late = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    with pytest.raises(QuizTimeOver):
        services.submit_attempt(
            user=late.enrollment.user, attempt=late, answers=right_answers(quiz), now=now + timedelta(seconds=640)
        )
    late.refresh_from_db()
    assert (str(late.score), late.is_passed) == ("0.00", False)
    assert late.submitted_at == now + timedelta(seconds=640)


def test_an_expired_attempt_counts_and_the_next_one_opens(leo, quiz, now):
    quiz.time_limit, quiz.max_attempts = 60, 2
    quiz.save()
    first = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)

    second = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now + 5 * MINUTE)
    first.refresh_from_db()
    assert (first.number, second.number) == (1, 2)
    assert first.submitted_at is not None

    with pytest.raises(NoAttemptsLeft):
        services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now + 20 * MINUTE)
    second.refresh_from_db()
    assert second.submitted_at is not None


@pytest.mark.parametrize(
    ("user_name", "refusal"),
    [
        pytest.param("nobody", NotAuthenticated, id="visitor"),
        pytest.param("mia", NotEnrolled, id="stranger"),
        pytest.param("ada", NotEnrolled, id="staff without an enrollment"),
    ],
)
def test_only_enrolled_learners_open_attempts(request, quiz, now, user_name, refusal):
    with pytest.raises(refusal):
        services.open_attempt(user=request.getfixturevalue(user_name), lesson_uid=quiz.lesson.uid, now=now)

    assert not Attempt.objects.exists()


def test_a_learner_cannot_attempt_a_locked_quiz(leo, quiz, course, now):
    course.requires_order = True
    course.save()

    with pytest.raises(PrerequisiteNotMet):
        services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)


def test_a_quiz_without_questions_and_a_lesson_without_a_quiz_are_unavailable(leo, enrollment, course, lessons, now):
    empty = QuizFactory(lesson__section=lessons[0].section, lesson__course=course)

    for uid in (empty.lesson.uid, lessons[0].uid):
        with pytest.raises(LectureUnavailable):
            services.open_attempt(user=leo, lesson_uid=uid, now=now)


def test_only_the_learner_finds_an_attempt(leo, mia, ada, sam, nobody, enrollment, course, attempt, now):
    EnrollmentFactory(user=mia, course=course)

    assert get_attempt(leo, attempt.uid) == attempt
    for user in (mia, ada, sam, nobody):
        with pytest.raises(NotFound):
            get_attempt(user, attempt.uid)

    enrollment.revoke(now=now)
    with pytest.raises(NotFound):
        get_attempt(leo, attempt.uid)


def test_the_result_shows_the_chosen_and_the_right_answers(leo, quiz, lessons, attempt, now):
    quiz.reveal = quiz.Reveal.ALWAYS
    quiz.save()
    answers = right_answers(quiz)
    uids = list(answers)
    answers[uids[0]] = {"id": "a"}
    answers[uids[1]] = {"ids": ["p", "r"]}
    answers[uids[3]] = {"text": "3"}
    answers[uids[5]] = {"ids": ["s", "q", "r", "p"]}
    answers[uids[6]] = {"pairs": {"a": "1"}}
    del answers[uids[4]]

    done, _ = services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers=answers, now=now + MINUTE)
    result = attempt_page_out(get_attempt(leo, done.uid), now=now)["result"]
    single, multiple, truth, number, text, order, match = result["questions"]

    assert [(line["is_chosen"], line["is_right"]) for line in single["lines"]] == [(True, False), (False, True)]
    assert single["remarks_html"] == ["zeppelin-remark: that is the <em>other</em> one."]
    assert single["rewatch"] == {
        "number": lessons[0].number,
        "title": lessons[0].title,
        "at": 42,
        "url": f"/learn/{lessons[0].course.slug}/{lessons[0].slug}?t=42",
    }
    assert (multiple["verdict"], multiple["earned"]) == ("wrong", "0")
    assert (truth["given"], truth["accepted"], truth["verdict"]) == ("True", "True", "right")
    assert (number["given"], number["accepted"]) == ("3", "314159 m (314158.5 to 314159.5 accepted)")
    assert number["remarks_html"] == ["zeppelin-remark: only the first digit."]
    assert (text["verdict"], text["given"], text["accepted"]) == ("open", "", "“zeppelin-accepted”")
    assert [(line["html"], line["is_right"], line["place"]) for line in order["lines"]] == [
        ("Step s", True, 1),
        ("Step q", False, 3),
        ("Step r", False, 2),
        ("Step p", True, 4),
    ]
    assert (order["verdict"], order["earned"]) == ("partly", "0.5")
    assert [(line["chosen_html"], line["right_html"], line["is_right"]) for line in match["lines"]] == [
        ("North Sea", "Mediterranean", False),
        ("", "North Sea", False),
    ]
    assert all(question["explanation_html"] == "zeppelin-explains why." for question in result["questions"])
    assert result["headline"] == "Not passed yet, with 6 answers to review"
    assert result["seconds"] == 60
    assert result["may_try_again"]


def test_the_result_that_completes_a_course_leads_to_the_certificate(leo, quiz, enrollment, lessons, now):
    """A result before that doesn't, and neither does a revoked certificate."""
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    done, _ = services.submit_attempt(user=leo, attempt=attempt, answers=right_answers(quiz), now=now + MINUTE)
    assert attempt_page_out(get_attempt(leo, done.uid), now=now)["result"]["certificate_url"] is None

    for lesson in lessons:
        LessonProgressFactory(enrollment=enrollment, lesson=lesson, completed_at=now)
    LessonProgress.objects.filter(lesson=quiz.lesson).delete()
    Attempt.objects.all().delete()
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    done, saved = services.submit_attempt(user=leo, attempt=attempt, answers=right_answers(quiz), now=now + MINUTE)

    assert saved is not None
    assert saved.certificate is not None
    address = f"/certificates/{saved.certificate.code}"
    for one in (done, get_attempt(leo, done.uid)):
        assert attempt_page_out(one, now=now)["result"]["certificate_url"] == address
    Certificate.objects.update(revoked_at=now)
    assert attempt_page_out(get_attempt(leo, done.uid), now=now)["result"]["certificate_url"] is None


def test_editing_the_quiz_does_not_change_a_result(leo, quiz, attempt, now):
    done, _ = services.submit_attempt(
        user=attempt.enrollment.user, attempt=attempt, answers=right_answers(quiz), now=now + MINUTE
    )
    before = attempt_page_out(get_attempt(leo, done.uid), now=now)["result"]
    quiz.questions.all().delete()

    assert attempt_page_out(get_attempt(leo, done.uid), now=now)["result"] == before


# --- What a result reveals --------------------------------------------------------------------------


def result_of(leo, quiz, answers, now):
    """Submit another attempt with these answers, an hour after the last; return its result."""
    now += timedelta(hours=Attempt.objects.count())
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers=answers, now=now + MINUTE)
    return attempt_page_out(get_attempt(leo, attempt.uid), now=now)["result"]


def wrong_answers(quiz):
    """Return a wrong or partly right answer to every question; each has a remark."""
    shapes = [
        {"id": "a"},
        {"ids": ["p", "r"]},
        {"value": False},
        {"text": "3"},
        {"text": "no"},
        {"ids": ["s", "r", "p", "q"]},
        {"pairs": {"a": "1"}},
    ]
    return dict(zip(right_answers(quiz), shapes, strict=True))


def test_an_empty_submission_reveals_nothing(leo, quiz, now):
    result = result_of(leo, quiz, {}, now)

    assert not result["shows_answers"]
    assert not [secret for secret in SECRETS if secret in json.dumps(result)]
    for question in result["questions"]:
        assert (question["verdict"], question["accepted"], question["explanation_html"]) == ("open", "", "")
        assert not [line for line in question["lines"] if line["is_right"] is not None or line["right_html"]]
    order = next(question for question in result["questions"] if question["kind"] == "ordering")
    assert order["lines"] == []  # the right order would be the answer


def test_a_failed_attempt_shows_its_marks_and_the_remarks_on_its_choices(leo, quiz, now):
    result = result_of(leo, quiz, wrong_answers(quiz), now)
    single, several, truth, number, text, order, pairs = result["questions"]

    assert [question["verdict"] for question in result["questions"]] == [
        *("wrong", "wrong", "wrong", "wrong", "wrong", "partly", "wrong")
    ]
    assert single["remarks_html"] == ["zeppelin-remark: that is the <em>other</em> one."]
    assert number["remarks_html"] == ["zeppelin-remark: only the first digit."]
    assert [line["is_right"] for line in single["lines"]] == [False, None]
    for question in (several, order, pairs):  # the result does not say which of several choices are right
        assert {line["is_right"] for line in question["lines"]} == {None}
        assert {line["place"] for line in question["lines"]} == {None}
        assert {line["right_html"] for line in question["lines"]} == {""}
    assert (truth["accepted"], number["accepted"], text["accepted"]) == ("", "", "")
    for secret in ("zeppelin-explains", "zeppelin-accepted", "314159"):
        assert secret not in json.dumps(result)


def test_a_right_answer_is_explained_at_once(leo, quiz, now):
    answers = wrong_answers(quiz) | dict(list(right_answers(quiz).items())[3:4])

    number = result_of(leo, quiz, answers, now)["questions"][3]

    assert (number["verdict"], number["explanation_html"]) == ("right", "zeppelin-explains why.")


@pytest.mark.parametrize(
    ("rules", "attempts", "shown"),
    [
        pytest.param({}, ["wrong"], False, id="failed"),
        pytest.param({}, ["right"], True, id="passed"),
        pytest.param({}, ["right", "wrong"], True, id="passed before"),
        pytest.param({"max_attempts": 2}, ["wrong"], False, id="one attempt left"),
        pytest.param({"max_attempts": 2}, ["wrong", "wrong"], True, id="the last attempt"),
        pytest.param({"reveal": "always"}, ["wrong"], True, id="always"),
        pytest.param({"reveal": "never"}, ["right"], False, id="never, passed"),
        pytest.param({"reveal": "never", "max_attempts": 1}, ["wrong"], False, id="never, no attempt left"),
    ],
)
def test_the_right_answers_are_shown_as_the_instructor_chose(
    leo, enrollment, course, lessons, now, rules, attempts, shown
):
    quiz = make_quiz(course, **rules)
    answers = {"wrong": wrong_answers(quiz), "right": right_answers(quiz) | dict(list(wrong_answers(quiz).items())[:1])}

    results = [result_of(leo, quiz, answers[one], now) for one in attempts]

    assert results[-1]["shows_answers"] is shown
    single = results[-1]["questions"][0]
    assert single["verdict"] == "wrong"
    assert [line["is_right"] for line in single["lines"]] == ([False, True] if shown else [False, None])
    assert ("zeppelin-explains" in single["explanation_html"]) is shown


# --- Waiting -----------------------------------------------------------------------------------------


def test_the_learner_waits_after_the_second_failed_attempt(leo, quiz, now):
    def fail_at(moment):
        services.submit_attempt(
            user=leo,
            attempt=services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=moment),
            answers={},
            now=moment,
        )

    fail_at(now)
    fail_at(now)
    with pytest.raises(AttemptTooSoon) as refusal:
        fail_at(now + timedelta(seconds=20.5))
    assert refusal.value.wait == 40

    fail_at(now + MINUTE)
    with pytest.raises(AttemptTooSoon):
        fail_at(now + MINUTE)
    quiz.retry_wait = 0
    quiz.save()
    fail_at(now + MINUTE)
    assert Attempt.objects.count() == 4


def test_there_is_no_wait_for_an_open_attempt_after_a_pass_or_with_limited_attempts(leo, quiz, course, enrollment, now):
    counted = make_quiz(course, max_attempts=3)
    for one, answers in ((counted, {}), (counted, {}), (quiz, {}), (quiz, right_answers(quiz))):
        attempt = services.open_attempt(user=leo, lesson_uid=one.lesson.uid, now=now)
        services.submit_attempt(user=attempt.enrollment.user, attempt=attempt, answers=answers, now=now + MINUTE)

    for one in (counted, quiz):
        opened = services.open_attempt(user=leo, lesson_uid=one.lesson.uid, now=now + MINUTE)
        assert services.open_attempt(user=leo, lesson_uid=one.lesson.uid, now=now + MINUTE) == opened


def test_answers_submitted_too_fast_leave_the_attempt_open(leo, quiz, attempt, now):
    with pytest.raises(AnsweredTooFast) as refusal:
        services.submit_attempt(
            user=attempt.enrollment.user, attempt=attempt, answers=right_answers(quiz), now=now + timedelta(seconds=2)
        )

    assert refusal.value.wait == 5
    assert Attempt.objects.get().submitted_at is None
    done, _ = services.submit_attempt(
        user=attempt.enrollment.user, attempt=attempt, answers=right_answers(quiz), now=now + timedelta(seconds=7)
    )
    assert done.is_passed


def test_the_policy_alone_decides_whether_a_user_sees_an_attempt(leo, attempt, monkeypatch):
    monkeypatch.setattr(policies, "see_attempt", lambda user, attempt: PermissionRefused())

    with pytest.raises(PermissionRefused):
        get_attempt(leo, attempt.uid)


def test_a_user_cannot_submit_another_learners_attempt(mia, ada, nobody, quiz, attempt, now):
    for user in (mia, ada, nobody):
        with pytest.raises(NotFound):
            services.submit_attempt(user=user, attempt=attempt, answers=right_answers(quiz), now=now + MINUTE)

    attempt.refresh_from_db()
    assert attempt.submitted_at is None
