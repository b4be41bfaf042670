"""Sections and lessons: order, numbers, counts."""

from datetime import UTC, datetime, timedelta

import pytest

from apps.courses import services
from apps.courses.errors import (
    CourseNotFound,
    CourseUnderReview,
    OutlineFull,
    PrerequisitesInCircle,
    VideoNotYours,
    WrongLessonKind,
)
from apps.courses.events import OutlineChanged
from apps.courses.models import Course, Lesson
from apps.courses.services import outline_rows
from apps.files.models import VideoAsset
from apps.learning.models import Attempt, Enrollment
from studyplatform.kit import events
from studyplatform.kit.errors import NotFound
from tests.factories.courses import CourseFactory, LessonFactory, QuizFactory, SectionFactory
from tests.factories.files import VideoFactory

pytestmark = pytest.mark.database

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)


@pytest.fixture
def course(ada):
    """Two sections: 1.1 1.2 1.3 and 2.1."""
    course = CourseFactory(instructor=ada)
    first, second = SectionFactory(course=course), SectionFactory(course=course)
    for section, title in [(first, "one"), (first, "two"), (first, "three"), (second, "four")]:
        LessonFactory(section=section, title=title)
    return Course.objects.get(pk=course.pk)


def numbers_and_titles(course):
    return {lesson.number: lesson.title for lesson in course.lessons.order_by("section__position", "position")}


def lesson(course, title):
    return course.lessons.get(title=title)


def test_new_sections_and_lessons_are_added_at_the_end(course, ada):
    section = services.add_section(course=course, by=ada, title="  Third   part ", now=NOW)
    added = services.add_lesson(section=section, by=ada, kind="text", title="Five", now=NOW)

    assert (section.title, section.position, added.number) == ("Third part", 3, "3.1")
    course.refresh_from_db()
    assert (course.lesson_count, course.duration) == (5, 240)


@pytest.mark.parametrize(
    ("title", "section", "position", "expected"),
    [
        pytest.param("three", 0, 1, ["three", "one", "two", "four"], id="to the front"),
        pytest.param("one", 0, 3, ["two", "three", "one", "four"], id="to the end"),
        pytest.param("one", 0, 99, ["two", "three", "one", "four"], id="beyond the end"),
        pytest.param("two", 0, -5, ["two", "one", "three", "four"], id="before the front"),
        pytest.param("two", 1, 1, ["one", "three", "two", "four"], id="into the next section"),
        pytest.param("four", 0, 2, ["one", "four", "two", "three"], id="into the section before"),
        pytest.param("two", 0, 2, ["one", "two", "three", "four"], id="where it was"),
    ],
)
def test_moving_a_lesson_renumbers_the_outline(course, ada, title, section, position, expected):
    target = course.sections.order_by("position")[section]

    services.move_lesson(lesson=lesson(course, title), by=ada, section=target, position=position, now=NOW)

    assert list(numbers_and_titles(course).values()) == expected
    for place in (1, 2):
        found = sorted(course.lessons.filter(section__position=place).values_list("position", flat=True))
        assert found == list(range(1, len(found) + 1))


def test_moving_a_section_moves_its_lessons(course, ada):
    second = course.sections.get(position=2)

    services.move_section(section=second, by=ada, position=1, now=NOW)

    assert numbers_and_titles(course) == {"1.1": "four", "2.1": "one", "2.2": "two", "2.3": "three"}


def test_a_lesson_cannot_move_to_another_course(course, ada):
    elsewhere = SectionFactory(course__instructor=ada)

    with pytest.raises(NotFound):
        services.move_lesson(lesson=lesson(course, "one"), by=ada, section=elsewhere, position=1, now=NOW)


def test_deleting_a_lesson_closes_the_gap(course, ada):
    services.delete_lesson(lesson=lesson(course, "two"), by=ada, now=NOW)

    assert numbers_and_titles(course) == {"1.1": "one", "1.2": "three", "2.1": "four"}
    course.refresh_from_db()
    assert (course.lesson_count, course.duration) == (3, 180)


def test_deleting_a_section_closes_the_gap(course, ada):
    services.delete_section(section=course.sections.get(position=1), by=ada, now=NOW)

    assert numbers_and_titles(course) == {"1.1": "four"}
    assert course.sections.get().position == 1


def test_a_quiz_with_submitted_attempts_is_removed_and_its_results_are_kept(course, ada, leo):
    quiz = QuizFactory(lesson__section=course.sections.first())
    enrollment = Enrollment.objects.create(user=leo, course=course, enrolled_at=NOW, last_activity_at=NOW)
    Attempt.objects.create(enrollment=enrollment, quiz=quiz, number=1, started_at=NOW, submitted_at=NOW)

    services.delete_section(section=quiz.lesson.section, by=ada, now=NOW)

    assert not Lesson.objects.filter(pk=quiz.lesson.pk).exists()
    services.purge_removed(now=NOW + timedelta(days=40))
    assert list(Lesson.with_removed.filter(course=course, section=quiz.lesson.section)) == [quiz.lesson]
    assert Attempt.objects.filter(quiz=quiz).exists()


def test_every_change_raises_the_version_and_publishes_an_event(course, ada, django_capture_on_commit_callbacks):
    published_events = []
    receiver = events.subscribe(OutlineChanged)(published_events.append)

    with django_capture_on_commit_callbacks(execute=True):
        services.rename_section(section=course.sections.first(), by=ada, title="Arrows", now=NOW)
    events._subscribers[OutlineChanged].remove(receiver)

    assert published_events == [OutlineChanged(course_id=course.pk)]
    assert Course.objects.get(pk=course.pk).version == course.version + 1


def test_the_length_of_a_text_is_its_reading_time(course, ada):
    set_prerequisites = services.edit_lesson(
        lesson=lesson(course, "one"), by=ada, title="One", summary="", body="word " * 600, is_preview=True, now=NOW
    )

    assert (set_prerequisites.duration, set_prerequisites.is_preview) == (180, True)
    assert Course.objects.get(pk=course.pk).duration == 180 + 3 * 60


def test_two_lessons_with_the_same_title_have_different_slugs(course, ada):
    section = course.sections.first()

    slugs = [services.add_lesson(section=section, by=ada, kind="text", title="Recap", now=NOW).slug for _ in range(2)]

    assert slugs == ["recap", "recap-2"]


def test_a_new_quiz_lesson_has_its_quiz(course, ada):
    added = services.add_lesson(section=course.sections.first(), by=ada, kind="quiz", title="", now=NOW)

    assert added.quiz.pass_percent == 70
    assert added.title == "Untitled lesson"


def test_an_unknown_kind_of_lesson_is_refused(course, ada):
    with pytest.raises(ValueError, match="essay"):
        services.add_lesson(section=course.sections.first(), by=ada, kind="essay", title="", now=NOW)


def test_the_number_of_sections_and_lessons_is_limited(course, ada, monkeypatch):
    monkeypatch.setattr(outline_rows, "LESSON_LIMIT", 4)
    monkeypatch.setattr(outline_rows, "SECTION_LIMIT", 2)

    with pytest.raises(OutlineFull):
        services.add_lesson(section=course.sections.first(), by=ada, kind="text", title="Five", now=NOW)
    with pytest.raises(OutlineFull):
        services.add_section(course=course, by=ada, title="Third", now=NOW)


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda c, by: services.add_section(course=c, by=by, title="x", now=NOW), id="add_section"),
        pytest.param(
            lambda c, by: services.rename_section(section=c.sections.first(), by=by, title="x", now=NOW),
            id="rename_section",
        ),
        pytest.param(
            lambda c, by: services.move_section(section=c.sections.first(), by=by, position=2, now=NOW),
            id="move_section",
        ),
        pytest.param(
            lambda c, by: services.delete_section(section=c.sections.first(), by=by, now=NOW), id="delete_section"
        ),
        pytest.param(
            lambda c, by: services.add_lesson(section=c.sections.first(), by=by, kind="text", title="x", now=NOW),
            id="add_lesson",
        ),
        pytest.param(
            lambda c, by: services.edit_lesson(
                lesson=c.lessons.first(), by=by, title="x", summary="", body="", is_preview=True, now=NOW
            ),
            id="edit_lesson",
        ),
        pytest.param(
            lambda c, by: services.move_lesson(
                lesson=c.lessons.first(), by=by, section=c.sections.first(), position=2, now=NOW
            ),
            id="move_lesson",
        ),
        pytest.param(
            lambda c, by: services.delete_lesson(lesson=c.lessons.first(), by=by, now=NOW), id="delete_lesson"
        ),
        pytest.param(
            lambda c, by: services.attach_video(lesson=c.lessons.first(), by=by, video=None, now=NOW),
            id="attach_video",
        ),
        pytest.param(lambda c, by: services.require_order(course=c, by=by, required=True, now=NOW), id="order"),
    ],
)
def test_only_course_staff_change_the_outline_and_never_during_a_review(course, ada, eve, leo, change):
    for stranger in (eve, leo):
        with pytest.raises(CourseNotFound):
            change(course, stranger)

    Course.objects.filter(pk=course.pk).update(status=Course.Status.REVIEW)
    with pytest.raises(CourseUnderReview):
        change(course, ada)

    assert list(numbers_and_titles(course).values()) == ["one", "two", "three", "four"]


def test_a_lesson_takes_the_length_of_its_video(course, ada):
    added = services.add_lesson(section=course.sections.first(), by=ada, kind="video", title="Film", now=NOW)
    video = VideoFactory(owner=ada, duration=90.4)

    services.attach_video(lesson=added, by=ada, video=video, now=NOW)

    assert Lesson.objects.get(pk=added.pk).duration == 90


def test_a_lesson_takes_its_length_when_the_video_is_complete(course, ada):
    added = services.add_lesson(section=course.sections.first(), by=ada, kind="video", title="Film", now=NOW)
    video = VideoFactory(owner=ada, stage="queued", duration=0)
    services.attach_video(lesson=added, by=ada, video=video, now=NOW)
    VideoAsset.objects.filter(pk=video.pk).update(duration=61.6)

    services.set_lesson_durations(video_id=video.pk, now=NOW)

    assert Lesson.objects.get(pk=added.pk).duration == 62
    assert Course.objects.get(pk=course.pk).duration == 4 * 60 + 62


def test_a_lesson_cannot_show_another_users_video(course, ada, eve):
    added = services.add_lesson(section=course.sections.first(), by=ada, kind="video", title="Film", now=NOW)

    with pytest.raises(VideoNotYours):
        services.attach_video(lesson=added, by=ada, video=VideoFactory(owner=eve), now=NOW)


def test_only_a_video_lesson_shows_a_video(course, ada):
    with pytest.raises(WrongLessonKind):
        services.attach_video(lesson=course.lessons.first(), by=ada, video=VideoFactory(owner=ada), now=NOW)


def test_the_number_of_queries_of_a_move_does_not_grow_with_the_course(ada, django_assert_max_num_queries):
    course = CourseFactory(instructor=ada)
    for _ in range(8):
        section = SectionFactory(course=course)
        Lesson.objects.bulk_create(
            Lesson(course=course, section=section, kind="text", title=f"{at}", slug=f"s{section.pk}-{at}", position=at)
            for at in range(1, 17)
        )
    last = course.lessons.order_by("-section__position", "-position").first()

    with django_assert_max_num_queries(24):
        services.move_lesson(lesson=last, by=ada, section=course.sections.get(position=1), position=1, now=NOW)

    assert course.lessons.get(number="1.1") == last


def set_prerequisites(course, ada, title, *needed):
    """Set the prerequisites of the lesson with this title, by title."""
    return services.edit_lesson(
        lesson=lesson(course, title),
        by=ada,
        title=title,
        summary="",
        body="",
        is_preview=False,
        prerequisites=[lesson(course, one) for one in needed],
        now=NOW,
    )


def prerequisites_of(course, title):
    return sorted(lesson(course, title).prerequisites.values_list("title", flat=True))


def test_a_lesson_has_prerequisites(course, ada):
    version = Course.objects.get(pk=course.pk).version
    set_prerequisites(course, ada, "three", "one", "two")
    assert prerequisites_of(course, "three") == ["one", "two"]
    assert Course.objects.get(pk=course.pk).version == version + 1

    services.edit_lesson(
        lesson=lesson(course, "three"), by=ada, title="three", summary="", body="", is_preview=False, now=NOW
    )
    assert prerequisites_of(course, "three") == ["one", "two"]
    set_prerequisites(course, ada, "three")
    assert prerequisites_of(course, "three") == []


def test_prerequisites_cannot_form_a_cycle(course, ada):
    set_prerequisites(course, ada, "two", "one")
    set_prerequisites(course, ada, "three", "two")

    for needed in ("three", "two", "one"):
        with pytest.raises(PrerequisitesInCircle):
            set_prerequisites(course, ada, "one", needed)
    assert prerequisites_of(course, "one") == []


def test_a_lesson_of_another_course_cannot_be_a_prerequisite(course, ada):
    other = LessonFactory()

    texts = {"title": "one", "summary": "", "body": "", "is_preview": False}
    services.edit_lesson(lesson=lesson(course, "one"), by=ada, **texts, prerequisites=[other], now=NOW)

    assert prerequisites_of(course, "one") == []
