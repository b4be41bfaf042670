"""Learning paths as everyone sees them, with a learner's progress: pages, search and API."""

import re
from itertools import pairwise

import pytest
from django.test import Client

from apps.courses.models import LearningPath
from apps.learning.models import Enrollment
from tests.factories.accounts import UserFactory
from tests.factories.courses import THEN, CourseFactory
from tests.factories.learning import EnrollmentFactory
from tests.factories.paths import LearningPathFactory, put_in


@pytest.fixture
def path(ada) -> LearningPath:
    """Three published courses: Springs, Rivers (after Springs), Deltas (after Rivers)."""
    springs, rivers, deltas = (
        CourseFactory(instructor=ada, status="published", title=title, slug=title.lower(), duration=3600)
        for title in ("Springs", "Rivers", "Deltas")
    )
    rivers.prerequisites.add(springs)
    deltas.prerequisites.add(rivers)
    return put_in(LearningPathFactory(owner=ada, slug="waters", title="Follow the Water"), springs, rivers, deltas)


def text_of(answer) -> str:
    assert answer.status_code == 200
    main = answer.content.decode().split("<main")[1].split("</main>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main))


def enroll(user, path, title, percent=0) -> Enrollment:
    done = THEN if percent == 100 else None
    return EnrollmentFactory(user=user, course=path.courses.get(title=title), percent=percent, completed_at=done)


def states(browser, slug="waters") -> list[tuple[str, str]]:
    found = browser.get(f"/api/v1/paths/{slug}/").json()
    return [(one["course"]["title"], one["state"]) for one in found["courses"]]


def test_visitors_see_the_courses_in_order_and_where_to_start(client: Client, path):
    page = client.get("/paths/waters")

    text = text_of(page)
    assert text.index("Springs") < text.index("Rivers") < text.index("Deltas")
    assert 'href="/courses/springs">Start with the first course' in page.content.decode()
    assert "Builds on Springs" in text
    assert "Sign in to see your progress" in text
    assert '"@type": "ItemList"' in page.content.decode() or '"@type":"ItemList"' in page.content.decode()
    assert '<meta property="og:title" content="Follow the Water">' in page.content.decode()


def test_a_learner_sees_what_is_done_what_waits_and_what_comes_next(browser_of, leo, path):
    enroll(leo, path, "Springs", 100)
    enroll(leo, path, "Rivers", 40)
    page = browser_of(leo).get("/paths/waters")

    text = text_of(page)
    assert "46% complete 1 of 3 courses" in text  # (100 + 40 + 0) / 3
    assert 'href="/learn/rivers">Continue' in page.content.decode()
    assert "Complete first: Rivers" in text
    assert states(browser_of(leo)) == [("Springs", "completed"), ("Rivers", "in_progress"), ("Deltas", "waiting")]


def test_a_learner_continues_the_course_that_is_furthest_along(browser_of, leo, path):
    enroll(leo, path, "Springs", 3)
    enroll(leo, path, "Rivers", 58)

    assert 'href="/learn/rivers">Continue' in browser_of(leo).get("/paths/waters").content.decode()


def test_a_closed_course_never_makes_a_path_impossible_to_finish(browser_of, leo, mia, path):
    enroll(leo, path, "Springs", 100)
    enroll(leo, path, "Deltas", 100)
    enroll(mia, path, "Rivers", 30)
    ours = browser_of(leo)

    for status in ("archived", "suspended", "draft"):
        path.courses.filter(title="Rivers").update(status=status)
        found = ours.get("/api/v1/paths/waters/").json()
        assert found["progress"] == {"completed_courses": 2, "course_count": 2, "percent": 100}
        assert found["next"] is None
        assert "You've completed every course in this path" in text_of(ours.get("/paths/waters")).replace("&#39;", "'")
        # It is shown to those who are enrolled, and nobody waits for it.
        assert states(browser_of(mia)) == [("Springs", "open"), ("Rivers", "closed"), ("Deltas", "open")]
        assert states(Client()) == [("Springs", "open"), ("Deltas", "open")]


def test_courses_that_wait_for_each_other_leave_a_next_one(browser_of, leo, path):
    path.courses.get(title="Springs").prerequisites.add(path.courses.get(title="Deltas"))

    found = browser_of(leo).get("/api/v1/paths/waters/").json()

    assert {one["state"] for one in found["courses"]} == {"waiting"}
    assert found["next"] == "springs"


def test_a_revoked_enrollment_does_not_count_and_new_lessons_do_not_take_completion_back(browser_of, leo, path):
    enroll(leo, path, "Springs", 100).revoke(now=THEN)
    row = enroll(leo, path, "Rivers", 100)
    row.percent = 80
    row.save()

    assert browser_of(leo).get("/api/v1/paths/waters/").json()["progress"]["completed_courses"] == 1
    assert browser_of(leo).get("/api/v1/paths/waters/").json()["progress"]["percent"] == 33


def test_only_those_who_manage_it_see_an_unpublished_path(client: Client, browser_of, path, ada, eve, leo, sam):
    LearningPath.objects.update(is_published=False)

    for browser in (client, browser_of(eve), browser_of(leo)):
        assert browser.get("/paths/waters").status_code == 404
        assert browser.get("/api/v1/paths/waters/").status_code == 404
        assert browser.get("/api/v1/paths/").json()["results"] == []
    for browser in (browser_of(ada), browser_of(sam)):
        answer = browser.get("/paths/waters")
        assert "Only its owner and admins can see this page" in text_of(answer)
        assert 'name="robots" content="noindex"' in answer.content.decode()
    assert client.get("/paths/nothing").status_code == 404


def test_hidden_courses_stay_hidden(client: Client, path, ada):
    put_in(
        path,
        CourseFactory(instructor=ada, title="Secret Draft"),
        CourseFactory(instructor=ada, title="Early Oceans", is_announced=True),
    )

    text = text_of(client.get("/paths/waters"))
    assert "Secret Draft" not in text
    assert "Early Oceans" in text
    assert "Coming Soon" in text
    assert [state for _title, state in states(client)] == ["open", "waiting", "waiting", "soon"]


def test_a_path_without_open_courses_is_not_listed(client: Client, path):
    path.courses.update(status="archived")

    assert "No learning paths yet" in text_of(client.get("/paths/"))
    assert "No courses are open" in text_of(client.get("/paths/waters"))
    assert "/paths/waters" not in client.get("/sitemap.xml").content.decode()


def test_a_path_is_found_by_its_title_and_in_the_sitemap(client: Client, path):
    assert 'href="/paths/waters"' in client.get("/search/suggestions?q=water").content.decode()
    assert "Learning path: Follow the Water" in text_of(client.get("/courses/?q=follow water"))
    assert "Follow the Water" not in text_of(client.get("/courses/?q=springs"))
    assert "/paths/waters" in client.get("/sitemap.xml").content.decode()
    LearningPath.objects.update(title="Upstream")
    assert 'href="/paths/waters"' in client.get("/search/suggestions?q=upstr").content.decode()


def test_a_course_says_where_it_stands_in_a_path(client: Client, browser_of, leo, path):
    assert "Part of the path Follow the Water Course 2 of 3, next: Deltas" in text_of(client.get("/courses/rivers"))
    assert "Course 3 of 3, the last one" in text_of(client.get("/courses/deltas"))
    enroll(leo, path, "Rivers", 100)
    for address in ("/courses/rivers", "/me/course/rivers/progress"):
        assert "Next course" in text_of(browser_of(leo).get(address))
    LearningPath.objects.update(is_published=False)
    assert "Part of the path" not in text_of(client.get("/courses/rivers"))


def test_my_learning_shows_the_paths_that_a_learner_has_begun(browser_of, leo, path):
    other = put_in(LearningPathFactory(title="Untouched"), CourseFactory(status="published"))
    enroll(leo, path, "Springs", 100)

    text = text_of(browser_of(leo).get("/me/enrollments"))
    assert "Follow the Water" in text
    assert "1 of 3 courses" in text
    assert other.title not in text


@pytest.mark.parametrize("page", ["0", "-1", "²", "x", "999999999999999999999", "2"])
def test_any_page_number_shows_a_page(client: Client, path, page):
    assert "Follow the Water" in text_of(client.get(f"/paths/?page={page}"))


def test_the_pages_need_few_queries_with_thirty_courses_and_many_paths(
    client: Client, browser_of, leo, django_assert_max_num_queries
):
    courses = CourseFactory.create_batch(30, status="published")
    for before, after in pairwise(courses):
        after.prerequisites.add(before)
    long = put_in(LearningPathFactory(slug="long"), *courses)
    for _ in range(25):
        put_in(LearningPathFactory(), *courses[:5])
    for course in courses[:20]:
        EnrollmentFactory(user=leo, course=course, percent=50)
    put_in(
        LearningPathFactory(), *(enrolled.course for enrolled in EnrollmentFactory.create_batch(3, user=UserFactory()))
    )
    ours = browser_of(leo)

    for address, cold, warm in [("/paths/long", 8, 4), ("/paths/?page=2", 8, 4), ("/api/v1/paths/long/", 8, 4)]:
        path = LearningPath.objects.filter(pk=long.pk)
        path.update(summary=f"Another one for {address}")  # forget what is cached
        with django_assert_max_num_queries(cold):
            assert ours.get(address).status_code == 200
        with django_assert_max_num_queries(warm):
            assert ours.get(address).status_code == 200
        with django_assert_max_num_queries(2):
            assert client.get(address).status_code == 200
    with django_assert_max_num_queries(8):
        found = ours.get("/api/v1/paths/?page_size=100").json()
    assert found["count"] == 27
    assert len(found["results"]) == 27
    with django_assert_max_num_queries(11):
        assert ours.get("/me/enrollments").status_code == 200
