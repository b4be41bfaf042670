"""Where pages offer lessons for offline use: to enrolled learners, for what a device can store."""

import re

import pytest
from django.test import Client

from apps.courses.models import Course, Lesson
from tests.factories.courses import LessonFactory, QuizFactory, SectionFactory
from tests.factories.files import VideoFactory

BUTTON = "data-offline-get"
LINE = "Every lesson available offline"
YOUTUBE = "https://www.youtube.com/watch?v=dQw4w9WgXcQ"


def page_of(browser: Client, address: str) -> str:
    answer = browser.get(address)
    assert answer.status_code == 200
    return answer.content.decode()


def address_of(lesson: Lesson) -> str:
    return f"/learn/{lesson.course.slug}/{lesson.slug}"


def test_lessons_are_offered_to_enrolled_learners_only(client, browser_of, leo, ada, enrollment, lessons):
    lesson = lessons[0]
    Lesson.objects.filter(pk=lesson.pk).update(is_preview=True)

    button = f'{BUTTON} data-offline-lesson="{lesson.uid}" data-offline-course="{lesson.course.slug}"'
    assert button in page_of(browser_of(leo), address_of(lesson))
    assert BUTTON not in page_of(client, address_of(lesson))
    assert BUTTON not in page_of(browser_of(ada), address_of(lesson))  # she teaches it


def test_quizzes_are_offered_and_videos_of_other_sites_are_not(browser_of, leo, enrollment, course, video_lesson):
    section = SectionFactory(course=course)
    quiz = QuizFactory(lesson=LessonFactory(section=section, course=course, kind=Lesson.Kind.QUIZ)).lesson
    browser = browser_of(leo)

    assert BUTTON in page_of(browser, address_of(quiz))
    assert BUTTON in page_of(browser, address_of(video_lesson))
    Lesson.objects.filter(pk=video_lesson.pk).update(external_video=YOUTUBE, external_host="youtube")
    assert BUTTON not in page_of(browser, address_of(video_lesson))


def test_sections_and_the_course_are_offered_where_their_lessons_are_listed(browser_of, leo, ada, enrollment):
    course = enrollment.course
    listed = page_of(browser_of(leo), f"/course/lessons?course={course.slug}")
    sections = re.findall(r'data-offline-section="(\d+)"', listed)

    assert sections == [str(number) for number in range(1, course.sections.count() + 1)]
    assert listed.count(BUTTON) == len(sections) + 1
    assert BUTTON not in page_of(browser_of(ada), f"/course/lessons?course={course.slug}")
    progress = page_of(browser_of(leo), f"/me/course/{course.slug}/progress")
    assert f'data-offline-panel="{course.slug}"' in progress
    mine = page_of(browser_of(leo), "/me/enrollments")
    assert "data-offline-aside" in mine
    assert f'data-offline-badges="{course.slug}"' in mine


def test_nothing_is_offered_where_the_site_has_no_service_worker(browser_of, leo, enrollment, lessons, settings):
    settings.SERVICE_WORKER = False
    browser = browser_of(leo)

    for address in (address_of(lessons[0]), f"/course/lessons?course={enrollment.course.slug}", "/me/enrollments"):
        page = page_of(browser, address)
        assert BUTTON not in page
        assert "data-offline-aside" not in page


@pytest.mark.parametrize(
    ("changed", "is_promised"),
    [
        ({"video": "playable"}, True),
        ({"video": "new"}, False),
        ({"external_video": YOUTUBE, "external_host": "youtube"}, False),
        ({"kind": "file"}, False),
        ({"kind": "text"}, True),
    ],
)
def test_a_course_promises_offline_lessons_only_if_all_can_be_stored(
    client: Client, course: Course, video_lesson: Lesson, changed: dict, is_promised: bool
):
    values = dict(changed)
    if video := values.pop("video", None):
        values["video"] = VideoFactory(is_playable=video == "playable")
    Lesson.objects.filter(pk=video_lesson.pk).update(**values)

    assert (LINE in page_of(client, f"/courses/{course.slug}")) is is_promised
