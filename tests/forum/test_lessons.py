"""What is asked about a lesson, on its page and on a page of its own."""

from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.forum.models import Board, Draft, Topic
from apps.forum.queries.lessons import draft_key
from apps.forum.services import save_draft
from apps.learning.models import Enrollment
from tests.factories.accounts import UserFactory
from tests.factories.courses import QuestionFactory
from tests.factories.learning import AttemptFactory
from tests.factories.topics import fill_topic, make_post, make_topic

pytestmark = pytest.mark.django_db


@pytest.fixture
def lesson(course: Course) -> Lesson:
    found = course.lessons.order_by("section__position", "position").first()
    assert found
    return found


def ask(board: Board, lesson: Lesson, title: str = "Why does it bend?", **fields: Any) -> Topic:
    return make_topic(board=board, lesson=lesson, title=title, **fields)


def test_the_page_of_a_lesson_shows_marks_and_answered_questions_but_nothing_held(
    board: Board, lesson: Lesson, enrollment: Enrollment, browser_of: Any, django_assert_max_num_queries: Any
) -> None:
    browser, address = browser_of(enrollment.user), f"/learn/{lesson.course.slug}/{lesson.slug}"
    browser.get(address)
    make_post(ask(board, lesson, second=42, title='Why "there"?'))
    ask(board, lesson)
    ask(board, lesson, second=50, title="Secret question", state="held")
    page = browser.get(address).text
    assert 'data-marks="[[42, &#34;Why \\&#34;there\\&#34;?&#34;]]"' in page
    assert "2 questions" in page
    assert page.count("1 answered question<") == 1
    assert "Secret" not in page
    with django_assert_max_num_queries(6):
        browser.get(address)


def test_visitors_of_a_preview_see_a_link_and_no_titles(board: Board, lesson: Lesson, client: Client) -> None:
    Lesson.objects.filter(pk=lesson.pk).update(is_preview=True)
    ask(board, lesson, second=42)
    page = client.get(f"/learn/{lesson.course.slug}/{lesson.slug}").text
    assert f'href="/forum/lessons/{lesson.uid}"' in page
    assert "Why does it bend?" not in page
    assert "data-marks" not in page


def test_the_part_lists_the_topics_of_its_lesson_and_its_form_asks_about_it(
    board: Board, lesson: Lesson, enrollment: Enrollment, browser_of: Any, mia: User
) -> None:
    address = f"/forum/lessons/{lesson.uid}"
    ask(board, lesson, second=42)
    ask(board, course_lesson(lesson), title="About another lesson")
    ask(board, lesson, title="Secret question", state="held")
    browser = browser_of(enrollment.user)
    for page in (browser.get(address).text, browser.get(f"{address}?part=1").text):
        assert "Why does it bend?" in page
        assert 'data-seek="42"' in page
        assert "About another lesson" not in page
        assert "Secret" not in page
    assert "<html" not in page
    assert "data-ask" not in browser_of(mia).get(address).text

    sent = {"board": board.slug, "lesson": lesson.slug, "kind": "question", "second": "7", "is_watched": "on"}
    answer = browser.post("/forum/new", {**sent, "title": "Where is the source?", "source": "I can't find it."})
    topic = Topic.objects.get(title="Where is the source?")
    assert answer.headers["Location"] == topic.path
    assert (topic.lesson, topic.second) == (lesson, 7)


def course_lesson(lesson: Lesson) -> Lesson:
    """Another lesson of the same course."""
    return Lesson.objects.filter(course=lesson.course).exclude(pk=lesson.pk).order_by("pk")[0]


def test_the_discussion_of_a_course_that_is_hidden_is_for_its_learners(
    board: Board, lesson: Lesson, enrollment: Enrollment, browser_of: Any, client: Client, mia: User
) -> None:
    Course.objects.filter(pk=lesson.course_id).update(status="suspended")
    address = f"/forum/lessons/{lesson.uid}"
    for browser, status in ((client, 404), (browser_of(mia), 404), (browser_of(enrollment.user), 200)):
        assert browser.get(address).status_code == status


def test_a_topic_of_the_list_is_read_and_answered_on_the_page_of_its_lesson(
    board: Board, lesson: Lesson, enrollment: Enrollment, browser_of: Any, mia: User, client: Client
) -> None:
    topic = ask(board, lesson, source="It bends at the end.")
    make_post(topic, source="Secret reply", state="held")
    make_post(topic, source="Gone", state="hidden")
    other = ask(board, course_lesson(lesson))
    address = f"/forum/lessons/{lesson.uid}?part=1&topic="
    browser = browser_of(enrollment.user)
    page = browser.get(f"{address}{topic.pk}").text
    assert "It bends at the end." in page
    assert "Secret" not in page
    assert "Gone" not in page
    assert f'action="{topic.path}/reply"' in page
    browser.post(f"{topic.path}/reply", {"source": "Because it is thin.", "is_watched": "on"})
    assert "Because it is thin." in browser.get(f"{address}{topic.pk}").text
    for reader in (browser_of(mia), client):
        page = reader.get(f"{address}{topic.pk}").text
        assert "Because it is thin." in page
        assert "data-send-here" not in page
    for wrong in (other.pk, 0, 999_999, "x", "-1", "9" * 30):
        assert browser.get(f"{address}{wrong}").status_code == 404


def test_the_part_of_a_long_topic_costs_as_much_as_a_short_one(
    board: Board, lesson: Lesson, enrollment: Enrollment, browser_of: Any, django_assert_max_num_queries: Any
) -> None:
    topic = ask(board, lesson)
    fill_topic(topic, 120, authors=[UserFactory(), UserFactory()])
    browser, address = browser_of(enrollment.user), f"/forum/lessons/{lesson.uid}?part=1&topic={topic.pk}"
    browser.get(address)
    with django_assert_max_num_queries(12):
        page = browser.get(address).text
    assert page.count("asked__post") <= 27
    assert "Earlier posts" in page


def test_the_draft_of_a_lesson_goes_when_its_question_is_posted(
    board: Board, lesson: Lesson, enrollment: Enrollment, browser_of: Any
) -> None:
    def keys() -> set[str]:
        return set(Draft.objects.filter(user=enrollment.user).values_list("key", flat=True))

    browser, key = browser_of(enrollment.user), draft_key(lesson.pk)
    for one in ("new", key):
        save_draft(user=enrollment.user, key=one, source="a", fields={}, written_at=timezone.now(), now=timezone.now())
    sent = {"board": board.slug, "lesson": lesson.slug, "kind": "question", "source": "I can't find it."}
    refused = browser.post("/forum/new", {**sent, "draft": key})
    assert refused.status_code == 422
    assert f'name="draft" value="{key}"' in refused.text
    browser.post("/forum/new", {**sent, "draft": key, "title": "Where is the source?"})
    assert keys() == {"new"}
    browser.post("/forum/new", {**sent, "draft": "topic-1", "title": "Where is the sea?"})
    assert keys() == set()


def test_the_discussion_of_a_quiz_is_not_shown_while_an_attempt_is_open(
    board: Board, course: Course, enrollment: Enrollment, browser_of: Any
) -> None:
    questions = QuestionFactory(quiz__lesson__section__course=course).quiz
    quiz = questions.lesson
    ask(board, quiz, title="Is the second answer right?")
    browser, address = browser_of(enrollment.user), f"/learn/{course.slug}/{quiz.slug}"
    page = browser.get(address).text
    assert f'data-fetch-part="/forum/lessons/{quiz.uid}?part=1"' in page
    assert "1 question" in page
    AttemptFactory(enrollment=enrollment, quiz=questions, started_at=timezone.now())
    assert "data-fetch-part" not in browser.get(address).text
