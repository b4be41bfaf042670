"""The order of lessons, and which lessons a user may open."""

from threading import Thread
from uuid import UUID

import pytest
from django.contrib.auth.models import AnonymousUser
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.courses.errors import CourseNotFound, LectureUnavailable
from apps.courses.models import Course, Lesson
from apps.courses.services import delete_lesson
from apps.files.queries import caption_cues
from apps.learning import services
from apps.learning.errors import EnrollmentClosed, NotEnrolled, PrerequisiteNotMet
from apps.learning.outline import place_all, resume_entry
from apps.learning.queries import outline
from apps.learning.queries.lessons import find_course, lesson_of
from apps.learning.queries.outline import outline_of, outlines_of, standing_of
from apps.learning.queries.transcript import paragraphs_of
from studyplatform.kit.caching.lru import clear_caches
from studyplatform.kit.errors import NotAuthenticated
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.learning import LessonProgressFactory

pytestmark = pytest.mark.edits_in_place


def verdict(user, lesson):
    return lesson_of(user, lesson.uid).verdict


def resume(course, user):
    entry = resume_entry(course, outline_of(course), standing_of(user, course))
    return entry and entry.pk


def states(course, user):
    standing = standing_of(user, course)
    return [placed.state for placed in place_all(course, outline_of(course), standing)]


@pytest.mark.parametrize(
    ("user_name", "refusal"),
    [
        pytest.param("nobody", NotAuthenticated, id="visitor"),
        pytest.param("mia", NotEnrolled, id="stranger"),
        pytest.param("leo", None, id="learner"),
        pytest.param("ada", None, id="instructor"),
        pytest.param("eve", NotEnrolled, id="another instructor"),
        pytest.param("sam", None, id="admin"),
    ],
)
def test_only_learners_and_staff_open_a_lesson(request, enrollment, lessons, user_name, refusal):
    found = verdict(request.getfixturevalue(user_name), lessons[0])

    assert (found and type(found)) == refusal


@pytest.mark.parametrize("status", ["published", "archived", "suspended", "draft", "review"])
def test_an_enrollment_outlives_the_courses_publication(leo, enrollment, course, lessons, status):
    course.status = status
    course.save()

    assert verdict(leo, lessons[0]) is None


@pytest.mark.parametrize(
    ("status", "announced", "refusal"),
    [
        pytest.param("published", False, None, id="published"),
        pytest.param("archived", False, None, id="archived"),
        pytest.param("draft", False, CourseNotFound, id="draft"),
        pytest.param("draft", True, LectureUnavailable, id="coming soon"),
        pytest.param("suspended", False, CourseNotFound, id="suspended"),
    ],
)
def test_previews_are_open_to_everyone_while_the_course_is_public(mia, course, lessons, status, announced, refusal):
    course.status, course.is_announced = status, announced
    course.save()
    lessons[0].is_preview = True
    lessons[0].save()

    for user in (AnonymousUser(), mia):
        found = verdict(user, lessons[0])
        assert (found and type(found)) == refusal


def test_an_archived_course_tells_strangers_that_it_is_closed(mia, course, lessons):
    course.status = "archived"
    course.save()

    assert isinstance(verdict(mia, lessons[0]), EnrollmentClosed)


def test_an_ordered_course_locks_a_lesson_until_all_earlier_lessons_are_complete(leo, enrollment, course, lessons):
    course.requires_order = True
    course.save()

    assert states(course, leo) == ["available"] + ["locked"] * 5
    assert verdict(leo, lessons[0]) is None
    refusal = verdict(leo, lessons[2])
    assert isinstance(refusal, PrerequisiteNotMet)
    assert refusal.lesson == f"{lessons[0].number} {lessons[0].title}"

    LessonProgressFactory(enrollment=enrollment, lesson=lessons[0], completed_at=enrollment.enrolled_at)
    assert states(course, leo) == ["completed", "available"] + ["locked"] * 4
    assert verdict(leo, lessons[1]) is None
    assert isinstance(verdict(leo, lessons[2]), PrerequisiteNotMet)


def test_the_order_does_not_lock_previews_completed_lessons_or_staff(leo, enrollment, ada, course, lessons):
    course.requires_order = True
    course.save()
    lessons[4].is_preview = True
    lessons[4].save()
    LessonProgressFactory(enrollment=enrollment, lesson=lessons[3], completed_at=enrollment.enrolled_at)

    assert verdict(ada, lessons[5]) is None
    assert verdict(leo, lessons[4]) is None
    assert verdict(leo, lessons[3]) is None
    assert states(course, leo) == ["available", "locked", "locked", "completed", "available", "locked"]


@pytest.fixture
def gated_lessons(course, lessons):
    """The lessons of Ada's course; the last requires the first and the fourth."""
    lessons[5].prerequisites.set([lessons[3], lessons[0]])
    course.version += 1
    course.save()
    return lessons


def test_a_lesson_is_locked_until_its_prerequisites_are_complete(leo, enrollment, course, gated_lessons):
    assert states(course, leo) == ["available"] * 5 + ["locked"]
    refusal = verdict(leo, gated_lessons[5])
    assert isinstance(refusal, PrerequisiteNotMet)
    assert (refusal.lesson, refusal.slug) == (
        f"{gated_lessons[0].number} {gated_lessons[0].title}",
        gated_lessons[0].slug,
    )

    LessonProgressFactory(enrollment=enrollment, lesson=gated_lessons[0], completed_at=enrollment.enrolled_at)
    assert verdict(leo, gated_lessons[5]).slug == gated_lessons[3].slug
    LessonProgressFactory(enrollment=enrollment, lesson=gated_lessons[3], completed_at=enrollment.enrolled_at)
    assert verdict(leo, gated_lessons[5]) is None
    assert states(course, leo)[5] == "available"


def test_prerequisites_do_not_lock_previews_completed_lessons_or_staff(leo, enrollment, ada, course, gated_lessons):
    assert verdict(ada, gated_lessons[5]) is None
    Lesson.objects.filter(pk=gated_lessons[5].pk).update(is_preview=True)
    course.version += 1
    course.save()
    assert verdict(leo, gated_lessons[5]) is None
    assert states(course, leo)[5] == "available"

    Lesson.objects.filter(pk=gated_lessons[5].pk).update(is_preview=False)
    LessonProgressFactory(enrollment=enrollment, lesson=gated_lessons[5], completed_at=enrollment.enrolled_at)
    course.version += 1
    course.save()
    assert verdict(leo, gated_lessons[5]) is None
    assert states(course, leo)[5] == "completed"


def test_an_ordered_course_ignores_prerequisites(leo, enrollment, course, gated_lessons):
    """A lesson that required a later one would never open, so the order takes precedence."""
    gated_lessons[0].prerequisites.set([gated_lessons[2]])
    course.requires_order = True
    course.version += 1
    course.save()

    assert verdict(leo, gated_lessons[0]) is None
    assert states(course, leo) == ["available"] + ["locked"] * 5


def test_a_deleted_prerequisite_no_longer_locks_a_lesson(leo, enrollment, ada, course, gated_lessons):
    delete_lesson(lesson=gated_lessons[0], by=ada, now=enrollment.enrolled_at)
    delete_lesson(lesson=gated_lessons[3], by=ada, now=enrollment.enrolled_at)

    course.refresh_from_db()
    assert verdict(leo, gated_lessons[5]) is None
    assert states(course, leo) == ["available"] * 4


def test_a_locked_lesson_refuses_every_service(leo, enrollment, course, gated_lessons):
    now = enrollment.enrolled_at
    for way in (
        lambda: services.complete_lesson(user=leo, lesson_uid=gated_lessons[5].uid, now=now),
        lambda: services.save_watching(
            user=leo, lesson_uid=gated_lessons[5].uid, position=1, watched=[[0, 1]], now=now
        ),
        lambda: services.fetch_file(user=leo, lesson_uid=gated_lessons[5].uid, now=now),
    ):
        with pytest.raises(PrerequisiteNotMet):
            way()


def test_a_lesson_that_was_only_opened_is_not_in_progress(leo, enrollment, course, lessons):
    LessonProgressFactory(enrollment=enrollment, lesson=lessons[0])
    LessonProgressFactory(enrollment=enrollment, lesson=lessons[1], position=5)

    assert states(course, leo)[:2] == ["available", "in_progress"]


def test_without_an_enrollment_only_previews_are_available(mia, course, lessons):
    lessons[1].is_preview = True
    lessons[1].save()

    assert states(course, mia) == ["locked", "available", "locked", "locked", "locked", "locked"]


def test_resume_returns_the_last_lesson_or_the_next_available_one(leo, enrollment, course, lessons):
    assert resume(course, leo) == lessons[0].pk

    LessonProgressFactory(enrollment=enrollment, lesson=lessons[3])
    enrollment.last_lesson = lessons[3]
    enrollment.save()
    assert resume(course, leo) == lessons[3].pk

    enrollment.progress.update(completed_at=enrollment.enrolled_at)
    assert resume(course, leo) == lessons[4].pk


def test_a_new_course_version_rebuilds_the_outline(course, lessons):
    before = outline_of(course)
    LessonFactory(section=lessons[0].section, course=course, title="A late addition")

    assert outline_of(course) is before
    course.version += 1
    assert len(outline_of(course).entries) == len(before.entries) + 1


def test_outlines_of_many_courses_cost_two_queries(db):
    courses = [CourseFactory(status="published") for _ in range(5)]
    for course in courses:
        LessonFactory.create_batch(2, section=SectionFactory(course=course), course=course)

    with CaptureQueriesContext(
        connection,
    ) as first:
        outlines_of(courses)
    with CaptureQueriesContext(connection) as second:
        outlines_of(courses)
    clear_caches()
    with CaptureQueriesContext(connection) as third:
        outlines_of(courses)

    assert (len(first), len(second), len(third)) == (2, 0, 2)


def test_many_threads_share_the_cached_outlines(monkeypatch):
    cache, crashed = outline._outlines, []
    monkeypatch.setattr(cache, "max_weight", 20)
    monkeypatch.setattr(outline, "_read_outlines", lambda pks: {pk: outline.Outline(()) for pk in pks})
    courses = [Course(pk=number, uid=UUID(int=number), version=1) for number in range(26)]

    def read() -> None:
        try:
            for number in range(4000):
                outlines_of([courses[number * 7 % 26], courses[number % 26]])
        except Exception as problem:
            crashed.append(problem)

    threads = [Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert crashed == []
    assert len(cache) == 20


def test_only_learners_and_staff_find_a_hidden_course(leo, mia, ada, enrollment, course):
    course.status = "suspended"
    course.save()

    assert find_course(leo, course.slug)[0] == course
    assert find_course(ada, course.slug)[1].is_staff
    for user in (mia, AnonymousUser()):
        with pytest.raises(CourseNotFound):
            find_course(user, course.slug)


WORDS = """WEBVTT

NOTE drawn by hand

1
00:00.000 --> 00:04.500 align:start
<v Ines>The grid</v> slants
to the right.

00:00:04.500 --> 00:00:20.000
Watch the upright arrow &amp; the floor.

00:00:20.000 --> 00:00:22.000
It leans.

00:01:02.250 --> 00:01:03.000
Later.
"""


def test_reading_cues_removes_markup_and_preserves_times():
    cues = caption_cues(WORDS)

    assert [cue.text for cue in cues][:2] == ["The grid slants to the right.", "Watch the upright arrow & the floor."]
    assert (cues[3].start, cues[3].end) == (62.25, 63.0)


def test_a_paragraph_ends_at_a_sentence_or_a_pause():
    assert [len(paragraph.cues) for paragraph in paragraphs_of(WORDS)] == [2, 1, 1]
    assert paragraphs_of("WEBVTT\n") == ()
