"""Tries at a quiz: opened, marked, counted on the server."""

from datetime import timedelta

import pytest

from apps.courses.errors import LectureUnavailable
from apps.learning import services
from apps.learning.errors import AttemptClosed, NoAttemptsLeft, NotEnrolled, PrerequisiteNotMet, QuizTimeOver
from apps.learning.models import Attempt, LessonProgress
from apps.learning.queries.quiz import attempt_page_out, get_attempt
from studyplatform.kit.errors import NotAuthenticated, NotFound, ValidationFailed
from tests.factories.courses import QuizFactory
from tests.factories.learning import EnrollmentFactory
from tests.learning.quiz import make_quiz, right_answers

pytestmark = pytest.mark.database

MINUTE = timedelta(minutes=1)


@pytest.fixture
def quiz(course, seat, lessons):
    return make_quiz(course, rewatch=lessons[0])


@pytest.fixture
def attempt(leo, quiz, now):
    return services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)


def test_the_open_try_is_the_one_there_is(leo, quiz, attempt, now):
    again = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now + MINUTE)

    assert again == attempt
    assert (attempt.number, attempt.started_at) == (1, now)


def test_all_right_passes_and_completes_the_lesson(leo, quiz, attempt, now):
    done, saved = services.hand_in(attempt=attempt, answers=right_answers(quiz), now=now + MINUTE)

    assert (str(done.score), done.points, done.percent, done.is_passed) == ("8.00", 8, 100, True)
    assert saved is not None
    assert saved.newly_completed
    assert LessonProgress.objects.get(lesson=quiz.lesson).completed_at == now + MINUTE


def test_parts_are_earned_and_the_exact_share_decides(leo, quiz, attempt, now):
    answers = right_answers(quiz)
    uids = list(answers)
    answers[uids[0]] = {"id": "a"}  # 0 of 2
    answers[uids[5]] = {"ids": ["s", "r", "p", "q"]}  # half of 1

    done, saved = services.hand_in(attempt=attempt, answers=answers, now=now)

    assert (str(done.score), done.percent, done.is_passed) == ("5.50", 68, False)
    assert saved is None
    assert not LessonProgress.objects.exclude(completed_at=None).exists()


def test_the_pass_mark_is_reached_exactly(leo, quiz, attempt, now):
    quiz.pass_percent = 75
    quiz.save()
    answers = right_answers(quiz)
    answers.pop(next(iter(answers)))  # 6 of 8

    done, _ = services.hand_in(attempt=attempt, answers=answers, now=now)

    assert (done.percent, done.is_passed) == (75, True)


def test_the_same_answers_again_get_the_same_result(leo, quiz, attempt, now):
    answers = right_answers(quiz)
    first, _ = services.hand_in(attempt=attempt, answers=answers, now=now)
    stale = Attempt.objects.get(pk=attempt.pk)
    again, _ = services.hand_in(attempt=stale, answers=dict(reversed(answers.items())), now=now + MINUTE)

    assert again.submitted_at == now
    assert again.results == first.results


def test_other_answers_afterwards_are_refused_and_the_result_stands(leo, quiz, attempt, now):
    services.hand_in(attempt=attempt, answers={}, now=now)

    with pytest.raises(AttemptClosed):
        services.hand_in(attempt=Attempt.objects.get(), answers=right_answers(quiz), now=now)

    assert Attempt.objects.get().score == 0


def test_malformed_answers_leave_the_try_open(leo, quiz, attempt, now):
    uid = next(iter(right_answers(quiz)))

    with pytest.raises(ValidationFailed) as refusal:
        services.hand_in(attempt=attempt, answers={uid: {"id": "zz"}}, now=now)

    assert list(refusal.value.in_fields) == [f"answers.{uid}"]
    assert Attempt.objects.get().submitted_at is None


def test_tries_run_out(leo, quiz, attempt, now):
    quiz.max_attempts = 2
    quiz.save()
    for _ in range(2):
        attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
        services.hand_in(attempt=attempt, answers={}, now=now)

    with pytest.raises(NoAttemptsLeft):
        services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)

    assert list(Attempt.objects.values_list("number", flat=True)) == [1, 2]


def test_the_best_try_counts(leo, quiz, attempt, now):
    services.hand_in(attempt=attempt, answers=right_answers(quiz), now=now)
    second = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    second, _ = services.hand_in(attempt=second, answers={}, now=now)

    result = attempt_page_out(get_attempt(leo, second.uid), now=now)["result"]
    assert (result["percent"], result["best_percent"], result["is_passed"]) == (0, 100, False)
    assert LessonProgress.objects.get(lesson=quiz.lesson).completed_at == now


def test_the_clock_gives_grace_and_then_closes(leo, quiz, now):
    quiz.time_limit = 600
    quiz.save()
    attempt = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    assert attempt_page_out(attempt, now=now + MINUTE)["seconds_left"] == 540

    on_its_way, _ = services.hand_in(attempt=attempt, answers=right_answers(quiz), now=now + timedelta(seconds=620))
    assert on_its_way.is_passed

    late = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    with pytest.raises(QuizTimeOver):
        services.hand_in(attempt=late, answers=right_answers(quiz), now=now + timedelta(seconds=640))
    late.refresh_from_db()
    assert (str(late.score), late.is_passed) == ("0.00", False)
    assert late.submitted_at == now + timedelta(seconds=640)


def test_a_try_whose_time_ran_out_counts_and_the_next_one_opens(leo, quiz, now):
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
    ("who", "refusal"),
    [
        pytest.param("nobody", NotAuthenticated, id="visitor"),
        pytest.param("mia", NotEnrolled, id="stranger"),
        pytest.param("ada", NotEnrolled, id="staff without a seat"),
    ],
)
def test_only_a_seat_may_try(request, quiz, now, who, refusal):
    with pytest.raises(refusal):
        services.open_attempt(user=request.getfixturevalue(who), lesson_uid=quiz.lesson.uid, now=now)

    assert not Attempt.objects.exists()


def test_a_locked_quiz_opens_no_try(leo, quiz, course, now):
    course.requires_order = True
    course.save()

    with pytest.raises(PrerequisiteNotMet):
        services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)


def test_a_quiz_without_questions_and_a_lesson_without_a_quiz_are_unavailable(leo, seat, course, lessons, now):
    empty = QuizFactory(lesson__section=lessons[0].section, lesson__course=course)

    for uid in (empty.lesson.uid, lessons[0].uid):
        with pytest.raises(LectureUnavailable):
            services.open_attempt(user=leo, lesson_uid=uid, now=now)


def test_an_attempt_exists_for_its_learner_alone(leo, mia, ada, sam, nobody, seat, course, attempt, now):
    EnrollmentFactory(user=mia, course=course)

    assert get_attempt(leo, attempt.uid) == attempt
    for person in (mia, ada, sam, nobody):
        with pytest.raises(NotFound):
            get_attempt(person, attempt.uid)

    seat.revoke(now=now)
    with pytest.raises(NotFound):
        get_attempt(leo, attempt.uid)


def test_the_result_says_what_was_chosen_and_what_is_right(leo, quiz, lessons, attempt, now):
    answers = right_answers(quiz)
    uids = list(answers)
    answers[uids[0]] = {"id": "a"}
    answers[uids[1]] = {"ids": ["p", "r"]}
    answers[uids[3]] = {"text": "3"}
    answers[uids[5]] = {"ids": ["s", "q", "r", "p"]}
    answers[uids[6]] = {"pairs": {"a": "1"}}
    del answers[uids[4]]

    done, _ = services.hand_in(attempt=attempt, answers=answers, now=now + MINUTE)
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
    assert (number["given"], number["accepted"]) == ("3", "314158.5 to 314159.5 m")
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
    assert result["headline"] == "Not passed yet: 6 answers to look at again"
    assert result["seconds"] == 60
    assert result["may_try_again"]


def test_a_result_stands_when_the_quiz_is_edited_later(leo, quiz, attempt, now):
    done, _ = services.hand_in(attempt=attempt, answers=right_answers(quiz), now=now)
    before = attempt_page_out(get_attempt(leo, done.uid), now=now)["result"]
    quiz.questions.all().delete()

    assert attempt_page_out(get_attempt(leo, done.uid), now=now)["result"] == before
