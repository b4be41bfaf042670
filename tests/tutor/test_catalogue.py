"""Lessons in the results of the catalog's search."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.courses.models import Course, Lesson
from apps.tutor.models import Passage
from apps.tutor.retrieval import encoder, index
from studyplatform.kit.caching import page_cache
from studyplatform.kit.extensions import find_in_lessons
from tests.factories.courses import LessonFactory

pytestmark = [pytest.mark.django_db, pytest.mark.database]


@pytest.fixture(autouse=True)
def fresh_index(monkeypatch, rivers):
    monkeypatch.setattr(index, "_kept", index._Kept())
    monkeypatch.setattr(index, "REST", 0.0)

    def refuse(word):
        raise AssertionError("the catalog must not load the language model")

    monkeypatch.setattr(encoder, "knows", refuse)


def test_a_lesson_is_quoted_only_to_those_who_may_open_it(leo, enrollment, mia, nobody):
    own = find_in_lessons(leo, "limstone clay")[0]
    assert own.path == "/learn/rivers-and-their-work/springs"
    assert "limestone" in own.text
    for user in (mia, nobody):
        [hit] = find_in_lessons(user, "limestone")
        assert (hit.title, hit.text, hit.path) == ("Springs", "", "/courses/rivers-and-their-work")
    Lesson.objects.filter(slug="springs").update(is_preview=True)
    assert "limestone" in find_in_lessons(nobody, "limestone")[0].text


def test_spoken_words_open_at_their_second(rivers, course, leo, enrollment):
    lesson = rivers["deltas"]
    text = "so here you see how a kingfisher dives"
    Passage.objects.create(course=course, lesson=lesson, kind="captions", position=7, text=text, second=75.4)
    hit = find_in_lessons(leo, "kingfisher")[0]
    assert hit.path.endswith("/deltas?t=75")
    assert hit.second == 75


@pytest.mark.parametrize("text", ["", "the", "kingfisher limestone", "oxbow", "🦆", "x" * 10_000, "' OR 9=9"])
def test_other_texts_find_no_lesson(leo, enrollment, text):
    assert find_in_lessons(leo, text) == []


@pytest.mark.parametrize("status", ["draft", "review", "suspended", "archived"])
def test_lessons_of_courses_that_are_not_published_are_not_listed(sam, course, status):
    Course.objects.filter(pk=course.pk).update(status=status)
    assert find_in_lessons(sam, "limestone") == []


def test_the_page_lists_lessons_below_the_courses(
    browser_of, client, leo, enrollment, course, django_assert_max_num_queries
):
    section = course.sections.first()
    for number in range(30):
        lesson = LessonFactory(section=section, course=course, position=30 + number, title=f"Beck {number}")
        Passage.objects.create(course=course, lesson=lesson, kind="text", position=0, text=f"Limestone <b>{number}</b>")
    browser = browser_of(leo)
    browser.get("/courses/?q=limestone")
    with django_assert_max_num_queries(14):
        page = browser.get("/courses/?q=limestone").content.decode()
    assert page.count('class="cat__hit"') == 5
    assert "&lt;b&gt;" in page
    assert "<b>2" not in page
    assert "In lessons" not in browser.get("/courses/").content.decode()
    assert "In lessons" not in browser.get("/courses/?q=limestone&filter=learning").content.decode()
    assert "Limestone &lt;b&gt;" not in client.get("/courses/?q=limestone").content.decode()


@pytest.fixture
def looks(client, monkeypatch):
    """Open a page as a visitor; returns the page and the number of its queries."""
    page_cache._pages.clear()

    def look(path):
        with CaptureQueriesContext(connection) as queries:
            page = client.get(path).content.decode()
        return page, len(queries)

    yield look
    page_cache._pages.clear()


def test_a_cached_page_of_hits_ends_with_the_index_that_found_them(looks, rivers, course):
    path = "/courses/?q=kingfisher"
    index.current()
    assert "In lessons" not in looks(path)[0]
    assert looks(path)[1] == 1  # from the cache, at the price of the versions
    Passage.objects.create(course=course, lesson=rivers["deltas"], kind="text", position=7, text="A kingfisher dives.")
    looks(path)  # the index is built again
    found, _queries = looks(path)
    assert "In lessons" in found
    assert looks(path) == (found, 1)
    Passage.objects.filter(text="A kingfisher dives.").delete()
    looks(path)
    assert "In lessons" not in looks(path)[0]


def test_while_the_index_rests_pages_of_hits_are_not_cached(looks, rivers, course, monkeypatch):
    path = "/courses/?q=kingfisher"
    index.current()
    looks(path)
    monkeypatch.setattr(index._kept, "_rests_until", float("inf"))
    Passage.objects.create(course=course, lesson=rivers["deltas"], kind="text", position=7, text="A kingfisher dives.")
    assert "In lessons" not in looks(path)[0]
    monkeypatch.setattr(index._kept, "_rests_until", 0.0)
    looks(path)
    assert "In lessons" in looks(path)[0]


def test_pages_without_hits_do_not_depend_on_passages(looks, rivers, course):
    for path in ("/courses/", "/courses/?sort=newest", "/courses/rivers-and-their-work"):
        looks(path)
        pages = len(page_cache._pages)
        Passage.objects.create(course=course, lesson=rivers["deltas"], kind="text", position=len(path), text="A dive.")
        assert (path, looks(path)[1], len(page_cache._pages)) == (path, 1, pages)
