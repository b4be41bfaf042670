"""Creating, editing and deleting a course."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from apps.accounts.errors import RoleRequired
from apps.courses import services
from apps.courses.errors import CourseInUse, CourseNotFound, CourseUnderReview
from apps.courses.models import Course
from apps.courses.services import CourseTexts
from tests.factories.courses import CourseFactory, LessonFactory, SubjectFactory

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)


def texts(**changes):
    return replace(CourseTexts(title="Probability Without Tricks", subject=SubjectFactory()), **changes)


def test_creating_a_course_makes_a_draft_with_a_slug_and_an_artwork(ada):
    course = services.create_course(by=ada, texts=texts(), now=NOW)

    assert (course.status, course.slug, course.instructor) == ("draft", "probability-without-tricks", ada)
    assert course.plate.startswith("<svg")


def test_a_taken_slug_gets_a_number(ada):
    slugs = [services.create_course(by=ada, texts=texts(), now=NOW).slug for _ in range(3)]

    assert slugs == [
        "probability-without-tricks",
        "probability-without-tricks-2",
        "probability-without-tricks-3",
    ]


@pytest.mark.parametrize("title", ["Enroll", "New", "!!!", "数学", "x" * 120])
def test_a_slug_is_never_empty_or_a_reserved_address(ada, title):
    course = services.create_course(by=ada, texts=texts(title=title), now=NOW)

    assert course.slug not in {"", "enroll", "new"}
    assert len(course.slug) <= 80


def test_a_slug_taken_in_the_meantime_is_replaced(ada, monkeypatch):
    CourseFactory(slug="probability-without-tricks")
    offers = iter(["probability-without-tricks", "probability-without-tricks-2"])
    monkeypatch.setattr("apps.courses.services.courses._free_slug", lambda title: next(offers))

    course = services.create_course(by=ada, texts=texts(), now=NOW)

    assert course.slug == "probability-without-tricks-2"


def test_students_cannot_create_courses(leo):
    with pytest.raises(RoleRequired):
        services.create_course(by=leo, texts=texts(), now=NOW)


def test_blank_outcomes_and_the_price_of_a_free_course_are_dropped(ada):
    course = services.create_course(by=ada, texts=texts(outcomes=[" See. ", "", "  "], price=2900), now=NOW)

    assert course.outcomes == ["See."]
    assert course.price == 0


def test_editing_preserves_the_slug_and_redraws_the_artwork(ada):
    course = services.create_course(by=ada, texts=texts(), now=NOW)

    edited = services.edit_course(
        course=course, by=ada, texts=texts(title="Chance", plate_variant=2, pricing="one_time", price=2900), now=NOW
    )

    assert (edited.slug, edited.title, edited.price) == ("probability-without-tricks", "Chance", 2900)
    assert edited.plate != course.plate
    assert edited.version == course.version + 1


def test_a_course_cannot_be_its_own_prerequisite(ada):
    course, other = CourseFactory(instructor=ada), CourseFactory()

    services.edit_course(course=course, by=ada, texts=texts(prerequisites=[course, other]), now=NOW)

    assert list(course.prerequisites.all()) == [other]


def test_another_instructor_cannot_edit_a_course(eve):
    with pytest.raises(CourseNotFound):
        services.edit_course(course=CourseFactory(), by=eve, texts=texts(), now=NOW)


def test_a_course_under_review_cannot_be_edited(ada):
    course = CourseFactory(instructor=ada, status=Course.Status.REVIEW)

    with pytest.raises(CourseUnderReview):
        services.edit_course(course=course, by=ada, texts=texts(), now=NOW)


def test_deleting_a_draft_deletes_its_lessons(ada):
    lesson = LessonFactory(section__course__instructor=ada)

    services.delete_course(course=lesson.course, by=ada)

    assert not Course.objects.exists()


def test_a_course_that_was_once_public_cannot_be_deleted(ada):
    course = CourseFactory(instructor=ada, published_at=NOW)

    with pytest.raises(CourseInUse):
        services.delete_course(course=course, by=ada)
