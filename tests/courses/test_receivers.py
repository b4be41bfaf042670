"""Videos find their lessons, and lessons their length."""

import pytest
from django.utils import timezone

from apps.courses.models import Lesson
from apps.files import services as files
from apps.files.errors import VideoInUse
from apps.files.events import VideoAnalyzed
from apps.files.models import VideoAsset
from studyplatform.kit.events import publish
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.files import VideoFactory

pytestmark = pytest.mark.django_db(transaction=True)


def lesson_of(teacher, **more):
    section = SectionFactory(course=CourseFactory(instructor=teacher))
    return LessonFactory(section=section, kind="video", **more)


def upload_for(teacher, target):
    upload = files.begin_upload(
        owner=teacher, purpose="video", filename="a.mp4", length=10, target=target, now=timezone.now()
    )
    return upload.video


def test_an_upload_that_names_a_lesson_is_shown_in_it(ada):
    lesson = lesson_of(ada)

    video = upload_for(ada, str(lesson.uid))

    lesson.refresh_from_db()
    assert lesson.video == video


def test_a_lesson_that_has_a_video_keeps_it(ada):
    video = VideoFactory(owner=ada)
    lesson = lesson_of(ada, video=video)

    upload_for(ada, str(lesson.uid))

    lesson.refresh_from_db()
    assert lesson.video == video


@pytest.mark.parametrize("target", ["", "lesson-7", "00000000-0000-0000-0000-000000000000"])
def test_an_unknown_target_is_no_obstacle(target, ada):
    assert upload_for(ada, target).stage == "uploading"


def test_nobody_puts_videos_into_anothers_lesson(ada, eve):
    lesson = lesson_of(ada)

    upload_for(eve, str(lesson.uid))

    lesson.refresh_from_db()
    assert lesson.video is None


def test_a_lesson_gets_the_length_of_its_video(ada):
    video = VideoFactory(owner=ada, duration=123.4)
    lesson = lesson_of(ada, video=video, duration=0)

    publish(VideoAnalyzed(video_id=video.pk))

    lesson.refresh_from_db()
    lesson.course.refresh_from_db()
    assert (lesson.duration, lesson.course.duration) == (123, 123)


@pytest.mark.parametrize(
    ("status", "is_kept"),
    [("draft", False), ("review", False), ("published", True), ("suspended", True), ("archived", True)],
)
def test_a_video_that_learners_watch_is_not_deleted(status, is_kept, ada):
    video = VideoFactory(owner=ada)
    lesson = lesson_of(ada, video=video)
    lesson.course.status = status
    lesson.course.save()

    if is_kept:
        with pytest.raises(VideoInUse):
            files.delete_video(video=video, by=ada)
    else:
        files.delete_video(video=video, by=ada)

    assert VideoAsset.objects.exists() == is_kept
    assert Lesson.objects.filter(pk=lesson.pk).exists()
