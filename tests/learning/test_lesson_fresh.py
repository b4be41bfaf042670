"""The cached parts of the lesson page are always current and reveal nothing that a user may not see."""

import re

import pytest
from django.test import Client

from apps.courses import services
from apps.courses.models import Course
from apps.files.models import VideoAsset
from apps.learning.models import Enrollment, LessonProgress
from tests.factories.courses import THEN, LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.factories.files import CaptionFactory, VideoFactory
from tests.factories.learning import AttemptFactory

pytestmark = pytest.mark.edits_in_place


@pytest.fixture
def lesson(course, ada):
    video = VideoFactory(directory="videos/x/00000000-0000-0000-0000-000000000001")
    return LessonFactory(section=course.sections.first(), kind="video", video=video, title="The Bend")


@pytest.fixture
def load_page(browser_of, leo, enrollment, course, lesson):
    browser = browser_of(leo)

    def page() -> str:
        return browser.get(f"/learn/{course.slug}/{lesson.slug}").content.decode()

    page()  # fills the cache
    return page


def test_a_cached_lesson_costs_five_queries(load_page, django_assert_max_num_queries):
    with django_assert_max_num_queries(5):
        load_page()


def test_a_changed_title_and_text_appear_at_once(load_page, lesson, ada):
    services.edit_lesson(
        lesson=lesson, by=ada, title="The Delta", summary="", body="Where it **ends**.", is_preview=False, now=THEN
    )

    page = load_page()
    assert "The Delta" in page
    assert "<strong>ends</strong>" in page


def test_captions_appear_and_disappear_at_once(load_page, lesson):
    assert "Hello." not in load_page()
    track = CaptionFactory(video=lesson.video)
    assert "Hello." in load_page()
    track.delete()
    assert "Hello." not in load_page()


def test_a_video_opens_as_soon_as_it_can_be_watched(load_page, lesson):
    VideoAsset.objects.filter(pk=lesson.video_id).update(is_playable=False)
    assert "still being processed" in load_page()
    VideoAsset.objects.filter(pk=lesson.video_id).update(is_playable=True)
    assert "still being processed" not in load_page()


def test_a_video_that_failed_is_not_said_to_be_processed(load_page, lesson):
    video = VideoAsset.objects.filter(pk=lesson.video_id)
    video.update(is_playable=False, stage="failed", failure="processing_failed")
    assert "still being processed" not in load_page()
    assert "There's no video here right now" in load_page()
    assert '"is_processing": false' in load_page()
    video.update(stage="queued", failure="")  # its owner tries again
    assert "still being processed" in load_page()
    assert '"is_processing": true' in load_page()


def test_chapters_come_from_the_captions_until_the_instructor_writes_some(load_page, lesson):
    noted = "WEBVTT\n\nNOTE Chapter: The bend\n\n00:00:00.000 --> 00:00:02.000\nHello.\n"
    CaptionFactory(video=lesson.video, webvtt=noted)
    assert '"title": "The bend"' in load_page()
    lesson.chapters = [[0, "My own"]]
    lesson.save(update_fields=["chapters"])
    assert '"title": "My own"' in load_page()
    assert "The bend" not in load_page()


def test_a_following_quiz_and_the_best_attempt_appear_at_once(load_page, lesson, enrollment, course):
    quiz = QuizFactory(lesson__section=lesson.section, lesson__title="What stayed")
    Course.objects.filter(pk=course.pk).update(version=99)
    assert 'id="quiz"' not in load_page()
    QuestionFactory(quiz=quiz)
    assert "1 question" in load_page()
    AttemptFactory(enrollment=enrollment, quiz=quiz, submitted_at=THEN, percent=40)
    AttemptFactory(enrollment=enrollment, quiz=quiz, submitted_at=THEN, percent=30)
    assert "Best attempt 40%" in load_page()


def test_a_learner_does_not_see_another_learners_position(load_page, lesson, browser_of, mia, course, enrollment):
    LessonProgress.objects.filter(enrollment=enrollment, lesson=lesson).update(position=33, watched=[[0, 33]])
    Enrollment.objects.create(user=mia, course=course, enrolled_at=THEN, last_activity_at=THEN)
    other = browser_of(mia).get(f"/learn/{course.slug}/{lesson.slug}").content.decode()

    assert '"position": 33.0' in load_page()
    assert '"position": 0.0' in other
    assert '"watched": []' in other


def test_a_cached_lesson_stays_closed_to_users_who_are_not_enrolled(load_page, lesson, course, browser_of, mia):
    address = f"/learn/{course.slug}/{lesson.slug}"
    assert browser_of(mia).get(address).status_code == 403
    assert Client().get(address).status_code == 302

    Course.objects.filter(pk=course.pk).update(status="draft")

    assert browser_of(mia).get(address).status_code == 404
    assert "The Bend" in load_page()


def test_a_lesson_that_moved_has_its_new_number(load_page, lesson, course, ada):
    other = SectionFactory(course=course)

    services.move_lesson(lesson=lesson, by=ada, section=other, position=1, now=THEN)

    assert re.search(rf'lesson__no">{other.position}\.1</span>The Bend', load_page())
