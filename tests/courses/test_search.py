"""Full-text search over courses; the same assertions hold on both databases."""

from dataclasses import replace

import pytest

from apps.courses import services
from apps.courses.models import Course
from apps.courses.search import search, words_of
from apps.courses.services.search import index_all, index_course
from tests.factories.courses import THEN, CourseFactory, LessonFactory, SectionFactory, SubjectFactory

pytestmark = pytest.mark.database


def found(text: str) -> list[str]:
    return [course.title for course in search(Course.objects.all(), text).order_by("-rank", "title")]


def indexed(**fields: object) -> Course:
    course = CourseFactory(**{"summary": "", "outcomes": [], **fields})
    index_course(course_id=course.pk)
    return course


def test_a_match_in_the_title_ranks_above_one_in_the_description(db):
    indexed(title="Reading maps", description="A long walk through contour lines and what they say of hills.")
    indexed(title="Field geology", description="With maps, hammers and patience.")
    indexed(title="Poetry", description="Nothing of the kind.")

    assert found("maps") == ["Reading maps", "Field geology"]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        pytest.param("RESUME", "How to write a résumé", id="case and accents"),
        pytest.param("running", "Run your first kilometer", id="stem"),
        pytest.param("write a resu", "How to write a résumé", id="last word begun"),
        pytest.param("kilometer first", "Run your first kilometer", id="any order"),
    ],
)
def test_search_finds_a_course_by_title(db, text, title):
    indexed(title="How to write a résumé")
    indexed(title="Run your first kilometer")

    assert found(text) == [title]


def test_every_word_must_occur_in_the_course(db):
    section = SectionFactory(course=CourseFactory(title="Linear algebra"), title="Directions")
    LessonFactory(section=section, title="Eigenvectors by eye")
    index_course(course_id=section.course_id)

    assert found("algebra eigenvectors") == ["Linear algebra"]
    assert found("algebra photosynthesis") == []


def test_search_finds_courses_by_category_and_instructor(db, ada):
    indexed(title="Arrows", instructor=ada, subject__slug="physics", subject__name="Physics")

    assert found("physics byron") == ["Arrows"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        '"',
        "'",
        "AND",
        "a OR b",
        "NEAR(a b)",
        "title:x",
        "x*",
        "(",
        "a & | !",
        ":*",
        "\x00",
        "%s",
        "__",
        "x' OR 1=1 --",
    ],
)
def test_no_text_breaks_the_query(db, text):
    indexed(title="Plain")

    assert found(text) in ([], ["Plain"])


def test_a_long_query_is_shortened():
    assert len(words_of("word " * 500)) == 8
    assert len(words_of("x" * 500)[0]) == 40


def test_the_index_follows_changes_and_deletion_of_the_course(db):
    course = indexed(title="Old name")
    course.title = "New name"
    course.save(update_fields=["title"])
    index_course(course_id=course.pk)

    assert found("old") == []
    assert found("new") == ["New name"]

    course.delete()

    assert found("new") == []


def test_a_deleted_course_is_not_indexed(db):
    index_course(course_id=12345)

    assert index_all() == 0


def test_authoring_updates_the_index(db, ada):
    texts = services.CourseTexts(title="Rivers", subject=SubjectFactory())
    course = services.create_course(by=ada, texts=texts, now=THEN)
    section = services.add_section(course=course, by=ada, title="Sources", now=THEN)
    services.add_lesson(section=section, by=ada, kind="text", title="Meanders", now=THEN)

    assert found("rivers meanders sources") == ["Rivers"]

    services.edit_course(course=course, by=ada, texts=replace(texts, title="Streams"), now=THEN)

    assert found("rivers") == []
    assert found("streams meanders") == ["Streams"]
