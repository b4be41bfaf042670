"""Sealed papers: which attempts may be taken without a connection, and what a device gets of them."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.courses.errors import LectureUnavailable
from apps.courses.models import Lesson, Question, Quiz
from apps.learning import services
from apps.learning.api.quiz_serializers import AttemptOut
from apps.learning.errors import (
    AttemptOpenOnline,
    AttemptReopenedOnline,
    AttemptsHeld,
    NoAttemptsLeft,
    NotEnrolled,
    OfflineDeviceRemoved,
)
from apps.learning.models import Attempt, OfflineDevice, SealedPaper
from apps.learning.queries.course_files import files_in_attempts
from apps.learning.queries.offline_papers import holding_time, paper_out
from apps.learning.quizzes.attempts import FREE_ATTEMPTS
from tests.factories.courses import QuestionFactory
from tests.learning.offline import DAY, make_device
from tests.learning.offline_content import make_course_file
from tests.learning.quiz import SECRETS, make_quiz

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture
def quiz(course, enrollment):
    return make_quiz(course, max_attempts=2, time_limit=600)


@pytest.fixture
def phone(leo):
    return make_device(leo)


@pytest.fixture
def laptop(leo):
    return make_device(leo)


@pytest.fixture
def seal(leo, quiz, now):
    def run(device, *, user=leo, lesson=quiz.lesson, at=now):
        return services.seal_paper(user=user, device=device, lesson=lesson, now=at)

    return run


def attempt(leo, quiz, now):
    opened = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    return services.submit_attempt(user=leo, attempt=opened, answers={}, now=now + MINUTE)[0]


def test_a_paper_has_the_questions_of_the_next_attempt_and_no_answer(seal, phone, quiz, now):
    paper = seal(phone)

    out = paper_out(paper, now)

    assert AttemptOut(out).data["uid"] == str(paper.uid)
    assert [question["uid"] for question in out["questions"]] == [row["uid"] for row in paper.asked]
    assert (out["number"], out["time_limit"], out["seconds_left"]) == (1, 600, 600)
    assert (out["started_at"], out["submitted_at"], out["result"], out["answers"]) == (now, None, None, {})
    assert not [secret for secret in SECRETS if secret in str(out)]


def test_the_same_device_gets_the_same_paper_after_edits(seal, phone, quiz, now):
    paper = seal(phone)
    QuestionFactory(quiz=quiz)

    assert seal(phone, at=now + DAY) == paper
    assert seal(phone, at=now + DAY).asked == paper.asked


def test_each_device_has_its_own_paper_as_long_as_attempts_are_left(seal, leo, phone, laptop):
    assert seal(phone).uid != seal(laptop).uid
    with pytest.raises(AttemptsHeld):
        seal(make_device(leo))


def test_a_removed_device_holds_no_attempt_and_the_next_one_gets_its_paper(seal, leo, phone, laptop):
    paper = seal(phone)
    seal(laptop)
    phone.delete()

    again = seal(make_device(leo))

    assert again == paper
    assert [row["uid"] for row in again.asked] == [row["uid"] for row in paper.asked]


def test_a_silent_device_and_one_that_stopped_to_store_the_quiz_hold_no_attempt(seal, leo, phone, laptop, quiz, now):
    silent = make_device(leo, at=now - holding_time())
    seal(silent)
    seal(phone)
    later = now + 2 * HOUR
    assert services.release_papers(device=phone, stored=[quiz.lesson.uid], now=later) == 0
    seal(laptop)
    third = make_device(leo)
    with pytest.raises(AttemptsHeld):
        seal(third)

    assert services.release_papers(device=phone, stored=[uuid4()], now=now + MINUTE) == 0, "a list from before"
    assert services.release_papers(device=phone, stored=[uuid4()], now=later) == 1

    seal(third)
    with pytest.raises(AttemptsHeld):
        seal(phone)


def test_attempts_with_a_connection_use_up_what_papers_may_hold(seal, leo, phone, quiz, now):
    attempt(leo, quiz, now)
    seal(phone)
    opened = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=now)
    with pytest.raises(AttemptOpenOnline):
        seal(phone)
    services.submit_attempt(user=leo, attempt=opened, answers={}, now=now + MINUTE)

    with pytest.raises(NoAttemptsLeft):
        seal(phone, at=now + DAY)


def test_a_reopened_attempt_needs_a_connection(seal, ada, leo, enrollment, phone, quiz, now):
    attempt(leo, quiz, now)
    act = services.Act(by=ada, learners=[enrollment.uid], key=uuid4())
    services.reopen_attempts(act, quiz=quiz, minutes=10, now=now)

    with pytest.raises(AttemptReopenedOnline):
        seal(phone)


def test_a_paper_gets_extra_time_that_was_granted_before_or_after(seal, ada, enrollment, phone, laptop, quiz, now):
    paper = seal(phone)
    act = services.Act(by=ada, learners=[enrollment.uid], key=uuid4())
    services.grant_extra_time(act, quiz=quiz, minutes=5, now=now)

    assert (paper.time_limit, paper.usual_time_limit) == (600, 600)
    assert (seal(phone).time_limit, seal(laptop).time_limit) == (900, 900)


def test_a_paper_says_when_the_wait_is_over(seal, leo, phone, quiz, now):
    type(quiz).objects.filter(pk=quiz.pk).update(max_attempts=0, retry_wait=3600)
    quiz.refresh_from_db()
    for _ in range(2):
        attempt(leo, quiz, now)

    assert seal(phone, at=now + 2 * MINUTE).opens_at == now + timedelta(seconds=3660)


def test_storing_and_removing_a_quiz_draws_the_same_questions(seal, leo, quiz, now):
    Quiz.objects.filter(pk=quiz.pk).update(draw_count=2)
    for _ in range(5):
        QuestionFactory(quiz=quiz)
    draws = set()
    for _ in range(5):
        device = make_device(leo)
        paper = seal(device, lesson=Lesson.objects.get(pk=quiz.lesson_id))
        draws.add(tuple(row["uid"] for row in paper.asked))
        services.release_papers(device=device, stored=[], now=now + 2 * HOUR)

    assert len(draws) == 1


def test_devices_hold_no_more_attempts_than_may_follow_without_a_wait(leo, course, enrollment, now):
    quiz = make_quiz(course, retry_wait=3600)
    for _ in range(FREE_ATTEMPTS):
        services.seal_paper(user=leo, device=make_device(leo), lesson=quiz.lesson, now=now)

    with pytest.raises(AttemptsHeld):
        services.seal_paper(user=leo, device=make_device(leo), lesson=quiz.lesson, now=now)


def test_pictures_of_a_paper_are_kept_until_it_is_used(seal, phone, course, quiz):
    file = make_course_file(course, width=800, height=600)
    Question.objects.filter(pk=quiz.questions.order_by("position").first().pk).update(prompt=f"![x]({file.address})")
    assert files_in_attempts({file.uid}) == set()

    seal(phone)
    assert files_in_attempts({file.uid}) == {file.uid}
    SealedPaper.objects.update(used_at=timezone.now())
    assert files_in_attempts({file.uid}) == set()


def test_a_device_that_was_removed_meanwhile_gets_no_paper(seal, phone):
    OfflineDevice.objects.filter(pk=phone.pk).delete()

    with pytest.raises(OfflineDeviceRemoved):
        seal(phone)


def test_only_learners_get_papers_of_quizzes_with_questions_on_devices_of_theirs(seal, mia, ada, phone, lessons, quiz):
    with pytest.raises(NotEnrolled):
        seal(make_device(mia), user=mia)
    with pytest.raises(NotEnrolled):
        seal(make_device(ada), user=ada)
    with pytest.raises(OfflineDeviceRemoved):
        seal(make_device(mia))
    with pytest.raises(LectureUnavailable):
        seal(phone, lesson=lessons[0])
    quiz.questions.all().delete()
    with pytest.raises(LectureUnavailable):
        seal(phone)
    assert not SealedPaper.objects.exists()


def test_sealing_opens_no_attempt(seal, phone):
    seal(phone)

    assert not Attempt.objects.exists()
