"""What a version of a course that goes live means for learners: what counts, and which answers earn more."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client

from apps.accounts.models import Notification
from apps.courses.content_tree import diff_trees
from apps.courses.models import Course, Lesson, Question, Quiz
from apps.courses.queries.content_tree import read_tree
from apps.courses.queries.version_effects import count_effects, read_change
from apps.courses.services.applying import apply_tree
from apps.courses.services.merged import MergedVersion, finish_merge
from apps.learning import services
from apps.learning.errors import NotEnrolled
from apps.learning.models import Attempt, Certificate, Enrollment
from apps.learning.queries.course_progress import record_of
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory
from tests.factories.topics import BoardFactory, make_topic

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
EARLIER = NOW - timedelta(minutes=5)


@pytest.fixture
def course() -> Course:
    """A published course with two lessons and a quiz of two questions."""
    course = CourseFactory(status="published")
    first = LessonFactory(section__course=course)
    LessonFactory(section=first.section)
    quiz = QuizFactory(lesson__section=first.section, pass_percent=100)
    QuestionFactory(quiz=quiz, prompt="First?")
    QuestionFactory(quiz=quiz, prompt="Second?")
    return Course.objects.get(pk=course.pk)


def publish_lesson(course: Course, partway: str) -> None:
    """Publish version 2 with one more lesson."""
    tree = read_tree(course)
    lesson = dict(tree["sections"][0]["lessons"][0])
    lesson |= {"uid": "11111111-1111-4111-8111-111111111111", "slug": "new", "title": "New"}
    tree["sections"][0]["lessons"].append(lesson)
    applied = apply_tree(tree, course, course.instructor, NOW, version=2)
    assert len(applied.added_lessons) == 1
    finish_merge(MergedVersion(course=course, number=2, now=NOW, added_lessons=applied.added_lessons, partway=partway))
    course.refresh_from_db()
    services.recount_course(course=course, now=NOW)


def complete(enrollment: Enrollment, count: int) -> None:
    """Complete so many lessons of the course in their order."""
    for lesson in enrollment.course.lessons.order_by("position")[:count]:
        LessonProgressFactory(enrollment=enrollment, lesson=lesson, completed_at=NOW)
    services.recount(enrollment_id=enrollment.pk, now=NOW)


def facts(enrollment: Enrollment) -> tuple[int, int, int, int | None]:
    enrollment.refresh_from_db()
    return enrollment.completed_lessons, enrollment.required_count, enrollment.percent, enrollment.required_version


def test_those_who_finish_their_version_need_no_lesson_that_came_later(course: Course) -> None:
    partway, done, idle = (EnrollmentFactory(course=course) for _ in range(3))
    complete(partway, 2)
    complete(done, 3)

    publish_lesson(course, "finish")

    assert facts(partway) == (2, 3, 66, 1)
    assert facts(done) == (3, 3, 100, 1)
    assert facts(idle) == (0, 4, 0, None)
    assert Certificate.objects.filter(enrollment=done).exists()
    browser = Client()
    browser.force_login(partway.user)
    outline = browser.get(f"/api/v1/courses/{course.slug}/outline/").json()
    assert [outline["course"]["lesson_count"], outline["sections"][0]["lesson_count"]] == [3, 3]
    page = browser.get(f"/learn/{course.slug}/new").content.decode()
    assert re.findall(r'data-section-count="1">([^<]*)<', page) == ["2 of 3"]
    record = record_of(partway.user, course, partway, now=NOW)
    assert (record.total, [one.entry.is_optional for one in record.placed]) == (3, [False, False, False, True])
    quiz = course.lessons.get(kind="quiz")
    LessonProgressFactory(enrollment=partway, lesson=quiz, completed_at=NOW)
    partway.progress.filter(lesson__slug="new").update(completed_at=NOW)
    services.recount(enrollment_id=partway.pk, now=NOW)
    certificate = Certificate.objects.get(enrollment=partway)
    assert (certificate.lesson_count, certificate.course_version) == (3, "1"), "what the learner completed"


def test_those_who_move_need_the_new_lesson_and_keep_what_they_have(course: Course) -> None:
    partway, done = (EnrollmentFactory(course=course) for _ in range(2))
    complete(partway, 2)
    complete(done, 3)

    publish_lesson(course, "move")

    assert facts(partway) == (2, 4, 50, None)
    assert done.certificate
    done.refresh_from_db()
    assert done.completed_at == NOW


def test_those_who_choose_are_asked_once(course: Course) -> None:
    takes, stays = (EnrollmentFactory(course=course) for _ in range(2))
    for one in (takes, stays):
        complete(one, 2)

    publish_lesson(course, "choose")

    assert facts(takes) == facts(stays) == (2, 3, 66, 1)
    assert takes.offered_version == 2
    for enrollment, takes_newest in ((takes, True), (stays, False), (stays, False)):
        services.choose_version(user=enrollment.user, course=course, takes_newest=takes_newest, now=NOW)
    assert facts(takes) == (2, 4, 50, None)
    assert facts(stays) == (2, 3, 66, 1)
    assert (takes.offered_version, stays.offered_version) == (None, None)
    with pytest.raises(NotEnrolled):
        services.choose_version(user=UserFactory(), course=course, takes_newest=True, now=NOW)


def test_the_page_asks_once_and_takes_the_answer(course: Course) -> None:
    enrollment = EnrollmentFactory(course=course)
    complete(enrollment, 1)
    publish_lesson(course, "choose")
    browser = Client()
    browser.force_login(enrollment.user)
    address, choice = f"/me/course/{course.slug}/progress", f"/me/course/{course.slug}/version"
    asked = browser.get(address).content.decode()
    assert f'action="{choice}"' in asked
    assert "This course has new lessons" in browser.get(f"/courses/{course.slug}").content.decode()

    answer = browser.post(choice, {"take": "newest"})

    assert answer["Location"] == address
    assert f'action="{choice}"' not in browser.get(address).content.decode()
    assert facts(enrollment) == (1, 4, 25, None)
    browser.force_login(UserFactory())
    assert browser.post(choice, {"take": "former"})["Location"] == "/"  # says that it is for enrolled learners


def attempt(enrollment: Enrollment, answers: dict[str, str], *, is_open: bool = False) -> Attempt:
    """Take the quiz, and answer questions by their prompt."""
    quiz = Quiz.objects.select_related("lesson__course").get(lesson__course=enrollment.course)
    made = services.draw_attempt(enrollment=enrollment, quiz=quiz, number=1, now=EARLIER)
    return made if is_open else submit(made, answers)


def submit(made: Attempt, answers: dict[str, str]) -> Attempt:
    uids = {one.prompt: str(one.uid) for one in Question.objects.all()}
    given: dict[str, Any] = {uids[prompt]: {"id": choice} for prompt, choice in answers.items()}
    found = Attempt.objects.select_related("enrollment__user", "quiz__lesson__course").get(pk=made.pk)
    submitted, _saved = services.submit_attempt(user=found.enrollment.user, attempt=found, answers=given, now=NOW)
    return submitted


def test_a_corrected_answer_only_adds_points_and_tells_who_passes_by_it(course: Course) -> None:
    learners = [EnrollmentFactory(course=course) for _ in range(4)]
    by_old = attempt(learners[0], {"First?": "b", "Second?": "b"})
    by_new = attempt(learners[1], {"First?": "a", "Second?": "b"})
    running = attempt(learners[2], {}, is_open=True)
    running_by_old = attempt(learners[3], {}, is_open=True)
    assert (by_old.percent, by_new.percent) == (100, 50)
    question = Question.objects.get(prompt="First?")
    question.answer = {"id": "a"}
    question.save()

    raised = [services.remark_questions(questions=[question.pk], tells_passed=True, now=NOW) for _ in range(2)]

    assert raised == [1, 0]
    for one in (by_old, by_new):
        one.refresh_from_db()
    assert (by_old.percent, by_old.is_passed, by_new.percent, by_new.is_passed) == (100, True, 100, True)
    assert by_new.results[0]["verdict"] == "right"
    assert [line["is_right"] for line in by_new.results[0]["lines"]] == [True, False]
    assert by_new.enrollment.progress.get(lesson=by_new.quiz.lesson).completed_at == NOW
    told = Notification.objects.filter(kind="learning.passed_by_correction")
    assert [one.user_id for one in told] == [learners[1].user_id]
    # Those who are in an attempt are marked by what is right by now, or by what was right when they began.
    assert submit(running, {"First?": "a", "Second?": "b"}).percent == 100
    assert submit(running_by_old, {"First?": "b", "Second?": "b"}).percent == 100


@pytest.mark.parametrize("case", ["left the course", "passed before", "quiz went"])
def test_who_has_nothing_of_a_corrected_answer_is_not_told(course: Course, case: str) -> None:
    made = attempt(EnrollmentFactory(course=course), {"First?": "a", "Second?": "b"})
    if case == "left the course":
        Enrollment.objects.update(revoked_at=NOW)
    elif case == "passed before":
        again = services.draw_attempt(enrollment=made.enrollment, quiz=made.quiz, number=2, now=EARLIER)
        assert submit(again, {"First?": "b", "Second?": "b"}).is_passed
    else:
        Lesson.objects.filter(pk=made.quiz.lesson.pk).update(removed_at=NOW)
    question = Question.objects.get(prompt="First?")
    Question.objects.filter(pk=question.pk).update(answer={"id": "a"})

    assert services.remark_questions(questions=[question.pk], tells_passed=True, now=NOW) == 1

    made.refresh_from_db()
    assert made.is_passed, "the points are given anyway"
    assert not Notification.objects.filter(kind="learning.passed_by_correction").exists()


def test_a_question_that_became_another_one_changes_no_attempt(course: Course) -> None:
    made = attempt(EnrollmentFactory(course=course), {"First?": "a", "Second?": "b"})
    question = Question.objects.get(prompt="First?")
    for changed in (
        {"kind": "truth", "options": [], "answer": {"value": True}},
        {"kind": "single", "options": [{"id": "x", "text": "New"}], "answer": {"id": "x"}},
        {"kind": "multiple", "options": [{"id": "a", "text": "This"}], "answer": {"ids": ["a"]}},
    ):
        Question.objects.filter(pk=question.pk).update(**changed)
        assert services.remark_questions(questions=[question.pk], tells_passed=True, now=NOW) == 0
    made.refresh_from_db()
    assert made.percent == 50


def test_a_version_says_whom_it_affects(course: Course, django_assert_max_num_queries: Any) -> None:
    first, second, quiz = course.lessons.order_by("position")
    partway, due, done = (EnrollmentFactory(course=course) for _ in range(3))
    complete(partway, 1)
    LessonProgressFactory(enrollment=due, lesson=second, completed_at=NOW)
    LessonProgressFactory(enrollment=due, lesson=quiz, completed_at=NOW)
    LessonProgressFactory(enrollment=due, lesson=first)
    complete(done, 3)
    attempt(partway, {"First?": "a"})
    attempt(due, {}, is_open=True)
    board = BoardFactory(course=course)
    topics = [make_topic(board=board, lesson=first) for _ in range(2)]
    live = read_tree(course)
    tree = read_tree(course)
    del tree["sections"][0]["lessons"][0]
    tree["sections"][0]["lessons"][1]["quiz"]["questions"][0]["answer"] = {"id": "a"}
    difference = diff_trees(live, tree)

    with django_assert_max_num_queries(14):
        effects = {one.name: one.count for one in count_effects(read_change(course, difference, tree))}

    assert effects == {
        "partway": 2,
        "completed": 1,
        "in_removed_lessons": 1,
        "open_attempts": 1,
        "marked_again": 1,
        "certificates_due": 1,
        "topics": 2,
    }
    applied = apply_tree(tree, course, course.instructor, NOW, version=2)
    finish_merge(MergedVersion(course=course, number=2, now=NOW, removed_lessons=applied.removed_lessons))
    for topic in topics:
        topic.refresh_from_db()
        assert (topic.lesson, topic.board.course_id) == (None, course.pk)
    services.recount_course(course=Course.objects.get(pk=course.pk), now=NOW)
    assert Certificate.objects.filter(enrollment=due).exists()
