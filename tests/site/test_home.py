"""The home page."""

import json
import re

from django.db.models import F
from django.test import Client
from django.utils import timezone

from apps.courses.models import Course
from apps.forum.models import Topic
from apps.learning.models import Enrollment
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory, SubjectFactory
from tests.factories.files import VideoFactory
from tests.factories.learning import EnrollmentFactory, FlashCardFactory
from tests.factories.topics import BoardFactory, make_topic


def test_the_home_page_works_without_courses(client: Client, db):
    page = client.get("/").content.decode()

    assert "Take the time to understand." in page
    assert "Good places to start" not in page


def test_the_home_page_shows_the_same_counts_as_the_catalogue(client: Client, db):
    biology = SubjectFactory(slug="biology", name="Biology")
    CourseFactory.create_batch(2, status="published", subject=biology, lesson_count=10, duration=6000)
    CourseFactory(status="published", pricing="premium", subject__name="Mathematics", lesson_count=5, duration=3000)
    CourseFactory(status="archived", subject=biology)
    CourseFactory(is_announced=True, subject=SubjectFactory(slug="law", name="Law"))
    CourseFactory(subject=SubjectFactory(slug="magic", name="Magic"))

    page = client.get("/").content.decode()

    facts = dict(re.findall(r"<div><dt>([^<]+)</dt><dd>([^<]+)</dd></div>", page))
    assert facts == {"Courses": "4", "Free": "3", "Typical lesson": "10\N{NO-BREAK SPACE}min"}
    counts = dict(re.findall(r'category=([\w-]+)">.*?subject__n">(\d+)<', page, re.S))
    assert counts == {"biology": "2", "mathematics": "1", "law": "1"}
    assert number_of_courses(client, "") == facts["Courses"]
    assert number_of_courses(client, "?price=free") == facts["Free"]
    assert {slug: number_of_courses(client, f"?category={slug}") for slug in counts} == counts
    assert "Magic" not in page


def number_of_courses(client: Client, query: str) -> str:
    """Return the number of courses that the catalogue shows."""
    page = client.get(f"/courses/{query}").content.decode()
    return re.search(r'<p class="cat__count" data-found><b>(\d+)', page)[1]


def test_starter_courses_are_published_beginner_courses_of_several_subjects(client: Client, db):
    for n in range(5):
        CourseFactory(status="published", title=f"Algebra {n}", learner_count=100 - n)
    CourseFactory(status="published", title="Cells", subject=SubjectFactory(slug="biology", name="Biology"))
    CourseFactory(status="published", title="Hard", difficulty="advanced", learner_count=999)
    CourseFactory(status="suspended", title="Gone", learner_count=999)

    page = client.get("/").content.decode()

    titles = re.findall(r'course__title"><a [^>]+>([^<]+)', page)
    assert titles == ["Algebra 0", "Cells", "Algebra 1", "Algebra 2"]


def test_the_list_of_subjects_has_only_full_rows(client: Client, db):
    for n in range(14):
        subject = SubjectFactory(slug=f"subject-{n}", name=f"Subject {n}")
        CourseFactory.create_batch(1 if n in (3, 7) else 2, status="published", subject=subject)

    names = re.findall(r'subject__name">([^<]+)', client.get("/").content.decode())

    assert len(names) == 12
    assert {"Subject 3", "Subject 7"}.isdisjoint(names)


def test_starter_courses_exclude_the_courses_of_the_learner(browser_of, leo, mia):
    taken = CourseFactory(status="published", title="Taken", learner_count=9)
    CourseFactory(status="published", title="New", subject=taken.subject)
    EnrollmentFactory(user=leo, course=taken)

    def titles(page: str) -> list[str]:
        return re.findall(r'course__title"><a [^>]+>([^<]+)', page)

    assert titles(browser_of(leo).get("/").content.decode()) == ["New"]
    assert titles(browser_of(mia).get("/").content.decode()) == ["Taken", "New"]


def test_the_first_lesson_offered_is_a_preview(client: Client, course):
    assert "Watch a lesson" not in client.get("/").content.decode()

    lesson = LessonFactory(section=course.sections.first(), kind="video", video=VideoFactory(), is_preview=True)
    Course.objects.filter(pk=course.pk).update(version=F("version") + 1)  # as the services do when they add a lesson

    assert f'href="/learn/{course.slug}/{lesson.slug}"' in client.get("/").content.decode()


def test_a_learner_continues_from_the_home_page(browser_of, leo, enrollment, course):
    page = browser_of(leo).get("/").content.decode()

    assert "Welcome back, Leo" in page
    assert course.title in page
    assert f'href="/learn/{course.slug}/' in page
    assert "Take the time to understand." not in page.split("<main")[1]


def test_a_user_without_a_course_in_progress_chooses_one(browser_of, mia, leo, enrollment):
    Enrollment.objects.filter(pk=enrollment.pk).update(completed_at=timezone.now())
    for user, words in ((mia, ["Welcome, mia", "Choose your first course"]), (leo, ["Welcome back, Leo", "all your"])):
        page = browser_of(user).get("/").content.decode().split("<main")[1]
        for word in words:
            assert word in page
        assert page.index(words[0]) < page.index("Teach what you have")
        for marketing in ("Take the time to understand.", "What a lesson is made of", "Free or Premium"):
            assert marketing not in page


def test_the_home_page_of_a_learner_says_what_is_due(browser_of, leo, enrollment):
    browser = browser_of(leo)
    assert "due today" not in browser.get("/").content.decode()
    FlashCardFactory(user=leo)

    assert re.search(r"<b [^>]+>1 card</b> due today, about 1 minute\.", browser.get("/").content.decode())


def test_visitors_see_the_newest_discussions_they_may_read_until_they_are_hidden(client: Client, leo, course):
    board, hidden = BoardFactory(), CourseFactory(status="draft")
    topics = [make_topic(board=board, author=leo, title=f"Is {n} a number?") for n in range(5)]
    make_topic(board=BoardFactory(course=hidden), author=leo, title="Is this secret?")
    page = client.get("/").content.decode()
    shown = re.findall(r'topic__t" href="/forum/topics/\d+">([^<]+)', page)
    assert shown == [f"Is {n} a number?" for n in (4, 3, 2, 1)]
    assert "Free or Premium" in page

    Topic.objects.filter(pk=topics[4].pk).update(state="hidden")
    assert "Is 4 a number?" not in client.get("/").content.decode()


def test_instructors_get_a_link_to_the_studio_and_visitors_to_the_help(client: Client, browser_of, ada):
    assert 'href="/dashboard/instructor/courses/new"' in browser_of(ada).get("/").content.decode()
    assert 'href="/help/teaching"' in client.get("/").content.decode()


def test_the_structured_data_describes_the_site(client: Client, db):
    page = client.get("/").content.decode()

    [script] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.S)
    assert json.loads(script)["@type"] == "WebSite"
    assert 'name="robots" content="index, follow"' in page


def test_the_home_page_needs_few_queries(client: Client, browser_of, leo, django_assert_max_num_queries):
    author = CourseFactory(status="published").instructor
    subject = Course.objects.get().subject
    Course.objects.bulk_create(
        CourseFactory.build(status="published", subject=subject, instructor=author, slug=f"many-{n}")
        for n in range(200)
    )
    for _ in range(5):
        enrollment = EnrollmentFactory(user=leo)
        LessonFactory.create_batch(3, section=SectionFactory(course=enrollment.course))
    browser = browser_of(leo)

    with django_assert_max_num_queries(6):
        client.get("/")
    with django_assert_max_num_queries(1):
        client.get("/")
    with django_assert_max_num_queries(12):
        browser.get("/")
