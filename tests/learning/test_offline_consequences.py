"""What follows from attempts and lessons of devices: certificates, streaks, practice, corrected answers, figures."""

import json
from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
from django.utils import timezone

from apps.accounts.models import Notification
from apps.courses.models import Question
from apps.learning import services
from apps.learning.analytics.counting import keep_rollups
from apps.learning.models import (
    Achievement,
    Attempt,
    Certificate,
    CourseDay,
    EssayAnswer,
    LearnedDay,
    LessonProgress,
    PracticeCard,
    SealedPaper,
    TakenChange,
)
from apps.learning.queries.quizzes import attempt_page_out, get_attempt
from apps.learning.services.offline_forgetting import MAX_OUTCOME_AGE
from studyplatform.kit import jobs
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.learning.conftest import NOON
from tests.learning.offline import DAY, Phone
from tests.learning.quiz import make_quiz, right_answers

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture
def phone(leo):
    return Phone(leo, at=NOON - 3 * DAY)


@pytest.fixture
def quiz(course, enrollment):
    return make_quiz(course, max_attempts=3)


def send(phone, *changes, at=NOON):
    found = phone.send(*changes, at=at)
    assert {one.state for one in found} == {"taken"}
    return found


def test_an_attempt_can_complete_the_course(phone, quiz, enrollment, lessons):
    for lesson in (one for one in lessons if one.kind == "text"):
        services.complete_lesson(user=phone.user, lesson_uid=lesson.uid, now=NOON - DAY)
    paper = phone.seal(quiz, at=NOON - DAY)
    phone.answer(paper, right_answers(quiz), at=NOON - HOUR, took=300)

    send(phone)

    assert Certificate.objects.get().issued_at == NOON
    assert Achievement.objects.filter(kind=Achievement.Kind.PERFECT_SCORE, lesson=quiz.lesson).exists()
    assert LessonProgress.objects.get(lesson=quiz.lesson).completed_at == NOON - HOUR


def test_a_day_without_a_connection_keeps_the_streak(phone, quiz, enrollment, lessons):
    services.complete_lesson(user=phone.user, lesson_uid=lessons[0].uid, now=NOON - 2 * DAY)
    paper = phone.seal(quiz, at=NOON - 2 * DAY)
    phone.answer(paper, right_answers(quiz), at=NOON - DAY, took=300)
    send(phone)
    services.complete_lesson(user=phone.user, lesson_uid=lessons[1].uid, now=NOON)

    days = [(NOON - number * DAY).date() for number in (2, 1, 0)]
    assert list(LearnedDay.objects.order_by("day").values_list("day", "lessons")) == [(day, 1) for day in days]
    assert Achievement.objects.filter(kind=Achievement.Kind.THREE_DAYS).exists()


def test_missed_questions_become_practice_cards(phone, course, enrollment):
    quiz = make_quiz(course, reveal="always")
    paper = phone.seal(quiz, at=NOON - DAY)
    right = right_answers(quiz)
    missed = paper.asked[0]["uid"]
    phone.answer(paper, right | {missed: {"id": "a"}}, at=NOON - HOUR, took=300)

    send(phone)

    card = PracticeCard.objects.get()
    assert (str(card.question.uid), card.missed_at, card.due) == (missed, NOON - HOUR, NOON)


def test_an_essay_waits_for_its_mark_and_passes_then(ada, phone, course, enrollment):
    quiz = QuizFactory(lesson=LessonFactory(section=SectionFactory(course=course), course=course, kind="quiz"))
    question = QuestionFactory(quiz=quiz, kind="essay", options={"limit": 100}, answer={}, points=2)
    paper = phone.seal(quiz, at=NOON - DAY)
    phone.answer(paper, {str(question.uid): {"text": "Silt."}}, at=NOON - HOUR, took=300)

    [outcome] = send(phone)
    essay = EssayAnswer.objects.get()
    services.mark_essay(by=ada, essay=essay, earned=Decimal(essay.points), comment="", revision=0, now=NOON)

    assert (outcome.percent, outcome.is_passed, essay.submitted_at) == (None, None, NOON - HOUR)
    assert Attempt.objects.get().is_passed
    assert LessonProgress.objects.get().completed_at == NOON


def test_a_paper_keeps_its_questions_and_takes_better_answers(phone, quiz):
    paper = phone.seal(quiz, at=NOON - DAY)
    first, second, *_others = quiz.questions.order_by("position")
    Question.objects.filter(pk=first.pk).update(answer={"id": "a"})
    Question.objects.filter(pk=second.pk).update(is_withdrawn=True, prompt="Withdrawn")
    QuestionFactory(quiz=quiz)
    services.remark_questions(questions=[first.pk], tells_passed=False, now=NOON - HOUR)
    phone.answer(paper, right_answers_of(paper) | {str(first.uid): {"id": "a"}}, at=NOON - HOUR, took=300)

    [outcome] = send(phone)

    attempt = Attempt.objects.get()
    assert (outcome.percent, len(attempt.results)) == (100, 7)
    assert "Withdrawn" not in json.dumps(attempt.results)


def right_answers_of(paper):
    """The right answers as they were when the paper was sealed."""
    shapes = [
        {"id": "b"}, {"ids": ["p", "q"]}, {"value": True}, {"text": "314159,5"}, {"text": "Zeppelin-Accepted"},
        {"ids": ["s", "r", "q", "p"]}, {"pairs": {"a": "2", "b": "1"}},
    ]  # fmt: skip
    return {row["uid"]: shape for row, shape in zip(paper.asked, shapes, strict=True)}


def test_corrections_after_an_attempt_raise_it_as_any_other(phone, quiz):
    paper = phone.seal(quiz, at=NOON - DAY)
    first = quiz.questions.order_by("position").first()
    phone.answer(paper, right_answers(quiz) | {str(first.uid): {"id": "a"}}, at=NOON - HOUR, took=300)
    send(phone)
    Question.objects.filter(pk=first.pk).update(answer={"id": "a"})

    assert services.remark_questions(questions=[first.pk], tells_passed=False, now=NOON) == 1
    assert Attempt.objects.get().percent == 100


def test_an_attempt_that_was_reopened_can_still_be_continued(ada, leo, phone, quiz, enrollment):
    paper = phone.seal(quiz, at=NOON - DAY)
    online = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON - 4 * HOUR)
    services.submit_attempt(user=leo, attempt=online, answers={}, now=NOON - 4 * HOUR + MINUTE)
    act = services.Act(by=ada, learners=[enrollment.uid], key=uuid4())
    services.reopen_attempts(act, quiz=quiz, minutes=10, now=NOON - 3 * HOUR)
    phone.answer(paper, right_answers(quiz), at=NOON - HOUR, took=300)
    send(phone)

    continued = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON)

    assert (continued.continues_id, continued.number) == (online.pk, 3)
    assert list(Attempt.objects.order_by("number").values_list("uid", flat=True)) == [
        paper.uid, online.uid, continued.uid,
    ]  # fmt: skip
    # What was taken before stays before both, and does not come between them.
    other = Phone(leo, at=NOON - DAY)
    other.papers[0] = SealedPaper.objects.create(
        device=other.device, enrollment=enrollment, quiz=quiz, asked=continued.asked, pass_percent=70, time_limit=0,
        usual_time_limit=0, sealed_at=NOON - DAY,
    )  # fmt: skip
    other.answer(other.papers[0], {}, at=NOON - 2 * HOUR, took=60)
    send(other)
    numbers = dict(Attempt.objects.values_list("uid", "number"))
    assert numbers[continued.uid] == numbers[online.uid] + 1


def test_an_attempt_says_that_it_was_taken_offline(browser_of, ada, leo, phone, course, quiz, enrollment):
    essay = QuestionFactory(quiz=quiz, kind="essay", options={"limit": 100}, answer={})
    paper = phone.seal(quiz, at=NOON - DAY)
    phone.answer(paper, {str(essay.uid): {"text": "Silt."}}, at=NOON - HOUR, took=300)
    send(phone)
    online = services.open_attempt(user=leo, lesson_uid=quiz.lesson.uid, now=NOON)
    services.submit_attempt(
        user=leo, attempt=online, answers={str(essay.uid): {"text": "Mud."}}, now=NOON + MINUTE,
    )  # fmt: skip
    said = "Taken offline; time measured by the learner's device"
    teacher = browser_of(ada)
    learner = f"/dashboard/instructor/students/{leo.uid}"

    shown = {
        one.attempt.uid: teacher.get(f"/dashboard/instructor/marking/?item={one.pk}").content.decode()
        for one in EssayAnswer.objects.select_related("attempt")
    }

    assert [said in shown[one] for one in (paper.uid, online.uid)] == [True, False]
    assert teacher.get(learner).content.decode().count(said) == 1
    assert said in teacher.get(f"{learner}/attempts/{paper.uid}").content.decode()
    assert said not in teacher.get(f"{learner}/attempts/{online.uid}").content.decode()
    results = [attempt_page_out(get_attempt(leo, uid), now=NOON)["result"] for uid in (paper.uid, online.uid)]
    assert [one["is_offline"] for one in results] == [True, False]


def test_what_was_done_days_ago_is_counted_on_its_days(phone, quiz, course, enrollment):
    keep_rollups(now=NOON - DAY)
    paper = phone.seal(quiz, at=NOON - 3 * DAY)
    phone.answer(paper, right_answers(quiz), at=NOON - 2 * DAY, took=300)
    send(phone)

    keep_rollups(now=NOON + DAY)

    assert CourseDay.objects.get(course=course, day=(NOON - 2 * DAY).date()).active_learners == 1


# --- What is kept ------------------------------------------------------------------------------------


def test_answers_to_changes_are_forgotten_after_half_a_year_and_double_nothing(phone, quiz, lessons, enrollment):
    film = LessonFactory(section=SectionFactory(course=quiz.lesson.course), course=quiz.lesson.course, kind="video")
    paper = phone.seal(quiz, at=NOON - DAY)
    phone.watch(film, [[0, 30]], at=NOON - HOUR, took=30)
    phone.complete(lessons[0], at=NOON - HOUR, took=60)
    phone.answer(paper, right_answers(quiz), at=NOON - HOUR, took=300)
    first = send(phone)
    later = NOON + MAX_OUTCOME_AGE + MINUTE
    days = list(LearnedDay.objects.values())

    assert services.forget_old_changes(now=NOON + MAX_OUTCOME_AGE) == 0
    assert services.forget_old_changes(now=later) == 3
    again = send(phone, at=later)

    assert [one.percent for one in again] == [one.percent for one in first]
    assert Attempt.objects.count() == 1
    assert LessonProgress.objects.get(lesson=film).watched == [[0, 30]]
    assert list(LearnedDay.objects.values()) == days


def test_papers_of_removed_devices_are_forgotten_and_used_ones_stay(phone, quiz, leo):
    paper = phone.seal(quiz, at=NOON - DAY)
    phone.answer(paper, {}, at=NOON - HOUR, took=60)
    send(phone)
    other = Phone(leo, at=NOON - DAY)
    other.seal(quiz, at=NOON - DAY)
    other.device.delete()

    services.forget_old_changes(now=NOON + MAX_OUTCOME_AGE - MINUTE)

    assert SealedPaper.objects.get() == paper


def test_refusals_are_forgotten_after_a_week(phone, lessons, enrollment):
    phone.complete(lessons[0], at=NOON - HOUR, took=60)
    refused = phone.watch(lessons[0], [[0, 60]], at=NOON - HOUR, took=60)
    assert [one.state for one in phone.send(at=NOON)] == ["taken", "refused"]

    services.forget_old_changes(now=NOON + 6 * DAY)
    assert TakenChange.objects.count() == 2
    services.forget_old_changes(now=NOON + 8 * DAY)
    assert not TakenChange.objects.filter(change=refused.id).exists()
    assert TakenChange.objects.count() == 1


def test_the_job_forgets_and_plans_itself(phone, lessons, enrollment):
    phone.complete(lessons[0], at=NOON - HOUR, took=60)
    send(phone)
    TakenChange.objects.update(taken_at=timezone.now() - MAX_OUTCOME_AGE - DAY)
    jobs.enqueue("learning.forget_changes", key="changes")

    jobs.run_pending("default")

    assert not TakenChange.objects.exists()


def test_learners_hear_of_nothing_twice(phone, quiz, enrollment):
    paper = phone.seal(quiz, at=NOON - DAY)
    phone.answer(paper, right_answers(quiz), at=NOON - HOUR, took=300)
    send(phone)
    told = Notification.objects.count()

    TakenChange.objects.all().delete()
    send(phone)

    assert Notification.objects.count() == told
