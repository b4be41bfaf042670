"""Those who edit a course get from a lesson's page into the studio; nobody else sees a way."""

from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import User
from apps.courses.models import Course
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory, LessonFactory, QuizFactory
from tests.factories.learning import EnrollmentFactory

pytestmark = pytest.mark.django_db
Browser = Callable[[User], Client]
BEGIN = 'action="/dashboard/instructor/courses/rivers/version/begin"'


@pytest.fixture
def live(ada: User) -> Course:
    course = CourseFactory(title="Rivers", slug="rivers", instructor=ada, status="published")
    LessonFactory(section__course=course, title="Springs", slug="springs", body="Water rises.", is_preview=True)
    QuizFactory(lesson__section=course.sections.get(), lesson__slug="quiz")
    return course


def shown(browser: Client, slug: str = "springs") -> str:
    answer = browser.get(f"/learn/rivers/{slug}")
    assert answer.status_code == 200
    return answer.content.decode()


def test_editors_get_from_a_lesson_into_the_studio(live: Course, ada: User, sam: User, browser_of: Browser) -> None:
    editor, enrolled = CoInstructorFactory(course=live).user, CoInstructorFactory(course=live).user
    EnrollmentFactory(user=enrolled, course=live)
    for user in (ada, editor, enrolled, sam):
        for slug in ("springs", "quiz"):
            page = shown(browser_of(user), slug)
            assert (page.count(BEGIN), page.count("Edit this lesson")) == (1, 1), (user, slug)
            assert f'name="lesson" value="{slug}"' in page
    browser = browser_of(editor)
    led = [browser.post("/dashboard/instructor/courses/rivers/version/begin", {"lesson": "springs"}) for _ in range(2)]
    assert {answer.url for answer in led} == {"/dashboard/instructor/courses/rivers-version-2/lectures/springs"}
    assert browser.get(led[0].url).status_code == 200


def test_a_draft_is_edited_in_place_and_an_archived_course_not_at_all(
    live: Course, ada: User, browser_of: Browser
) -> None:
    Course.objects.filter(pk=live.pk).update(status="draft", published_at=None)
    page = shown(browser_of(ada))
    assert 'href="/dashboard/instructor/courses/rivers/lectures/springs"' in page
    assert BEGIN not in page
    Course.objects.filter(pk=live.pk).update(status="archived", published_at=live.published_at)
    assert "Edit this lesson" not in shown(browser_of(ada))


def test_nobody_else_sees_it_and_learners_need_no_query_for_it(
    live: Course, leo: User, eve: User, browser_of: Browser, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    viewer, teacher = (CoInstructorFactory(course=live, role=role).user for role in ("view", "teach"))
    removed = CoInstructorFactory(course=live, removed_at=live.published_at).user
    EnrollmentFactory(user=leo, course=live)
    for browser in (client, *(browser_of(user) for user in (leo, eve, viewer, teacher, removed))):
        assert "Edit this lesson" not in shown(browser)

    def count() -> int:
        browser = browser_of(leo)
        shown(browser)
        with CaptureQueriesContext(connection) as asked:
            shown(browser)
        return len(asked)

    needed = count()
    monkeypatch.setattr("apps.learning.pages.lesson_context.editing_way", lambda opened, user: None)
    assert count() == needed
