"""Lessons react to uploads that target them and to the processing of their video."""

from datetime import timedelta

import pytest
from django.utils import timezone

from apps.courses import services
from apps.courses.models import Course, Lesson
from apps.files import services as files
from apps.files.errors import CaptionsUnreadable, VideoInUse, VideoWatched
from apps.files.events import VideoAnalyzed, VideoCompleted, VideoPlayable
from apps.files.models import BinnedOriginal, Upload, VideoAsset
from studyplatform.kit.events import publish
from tests.factories.courses import LessonFactory
from tests.factories.files import VideoFactory

SRT = b"1\r\n00:00:01,000 --> 00:00:03,500\r\nWater falls.\r\n"


@pytest.fixture
def lesson(ada):
    return LessonFactory(section__course__instructor=ada, kind="video", duration=0)


@pytest.fixture
def deliver_events(django_capture_on_commit_callbacks):
    """Return a context manager that delivers the events of its block, as a commit would."""
    return lambda: django_capture_on_commit_callbacks(execute=True)


def upload(owner, target):
    files.begin_upload(
        owner=owner, purpose="video", filename="film.mp4", length=9, target=str(target), now=timezone.now()
    )
    return VideoAsset.objects.latest("pk")


def videos_of(lesson):
    return Lesson.objects.get(pk=lesson.pk).video


def test_an_upload_appears_in_the_lesson_it_names(lesson, ada, deliver_events):
    with deliver_events():
        video = upload(ada, lesson.uid)

    assert videos_of(lesson) == video


@pytest.mark.parametrize("target", ["", "nonsense", "00000000-0000-0000-0000-000000000000"])
def test_an_upload_without_a_lesson_appears_in_no_lesson(lesson, ada, deliver_events, target):
    with deliver_events():
        upload(ada, target)

    assert videos_of(lesson) is None


def test_a_user_cannot_upload_to_another_users_lesson(lesson, eve, deliver_events):
    with deliver_events():
        upload(eve, lesson.uid)

    assert videos_of(lesson) is None


def test_an_upload_does_not_change_a_course_under_review(lesson, ada, deliver_events):
    Course.objects.update(status="review")

    with deliver_events():
        upload(ada, lesson.uid)

    assert videos_of(lesson) is None


def test_the_old_video_stays_until_the_new_one_is_complete(lesson, ada, deliver_events):
    """The new video may still turn out to be damaged while it is processed."""
    old = VideoFactory(owner=ada, created_at=timezone.now() - timedelta(days=9))
    services.attach_video(lesson=lesson, by=ada, video=old, now=timezone.now())
    with deliver_events():
        new = upload(ada, lesson.uid)
    assert videos_of(lesson) == old

    VideoAsset.objects.filter(pk=new.pk).update(is_playable=True)
    with deliver_events():
        publish(VideoPlayable(video_id=new.pk))
    assert videos_of(lesson) == old
    with deliver_events():
        publish(VideoCompleted(video_id=new.pk))

    assert videos_of(lesson) == new


def test_a_video_that_is_complete_at_once_replaces_the_old_one(lesson, ada, deliver_events):
    old = VideoFactory(owner=ada)
    services.attach_video(lesson=lesson, by=ada, video=old, now=timezone.now())
    with deliver_events():
        new = upload(ada, lesson.uid)
    VideoAsset.objects.filter(pk=new.pk).update(is_playable=True, stage="complete")

    with deliver_events():
        publish(VideoCompleted(video_id=new.pk))

    assert videos_of(lesson) == new


def test_the_newer_of_two_uploads_wins_in_either_order(lesson, ada, deliver_events):
    with deliver_events():
        first = upload(ada, lesson.uid)
    with deliver_events():
        second = upload(ada, lesson.uid)
    VideoAsset.objects.filter(pk=second.pk).update(is_playable=True)

    with deliver_events():
        publish(VideoPlayable(video_id=second.pk))
    with deliver_events():
        publish(VideoPlayable(video_id=first.pk))

    assert videos_of(lesson) == second


@pytest.mark.parametrize("is_shown", [True, False])
def test_a_restored_original_is_added_to_no_lesson(lesson, ada, deliver_events, is_shown):
    with deliver_events():
        video = upload(ada, lesson.uid)
    video.version, video.source, video.stage = video.uploads.get().uid, "originals/now.mp4", "complete"
    video.save()
    Upload.objects.update(offset=9, completed_at=timezone.now())
    with deliver_events():
        publish(VideoCompleted(video_id=video.pk))
    if not is_shown:
        services.attach_video(lesson=lesson, by=ada, video=None, now=timezone.now())
    original = BinnedOriginal.objects.create(
        owner=ada, video=video, why="replaced", filename="former.mp4", source="originals/former.mp4", size=5,
        deleted_at=timezone.now(),
    )  # fmt: skip

    files.restore_original(original=original, by=ada, now=timezone.now())
    for event in (VideoPlayable, VideoCompleted):
        with deliver_events():
            publish(event(video_id=video.pk))

    assert videos_of(lesson) == (video if is_shown else None)


def test_a_video_that_was_taken_from_its_lesson_does_not_return_when_it_is_complete(lesson, ada, deliver_events):
    with deliver_events():
        video = upload(ada, lesson.uid)
    services.attach_video(lesson=lesson, by=ada, video=None, now=timezone.now())
    VideoAsset.objects.filter(pk=video.pk).update(is_playable=True, stage="complete")

    for event in (VideoPlayable, VideoCompleted):
        with deliver_events():
            publish(event(video_id=video.pk))

    assert videos_of(lesson) is None


def test_a_running_upload_moves_to_another_lesson(lesson, ada, deliver_events):
    other = LessonFactory(course=lesson.course, section=lesson.section, kind="video")
    with deliver_events():
        video = upload(ada, lesson.uid)
    services.attach_video(lesson=other, by=ada, video=video, now=timezone.now())
    services.attach_video(lesson=lesson, by=ada, video=None, now=timezone.now())
    VideoAsset.objects.filter(pk=video.pk).update(is_playable=True, stage="complete")

    with deliver_events():
        publish(VideoCompleted(video_id=video.pk))

    assert (videos_of(lesson), videos_of(other)) == (None, video)


@pytest.mark.parametrize("event", [VideoAnalyzed, VideoCompleted])
def test_the_lesson_takes_the_length_of_its_video(lesson, ada, deliver_events, event):
    video = VideoFactory(owner=ada, stage="queued", duration=0)
    services.attach_video(lesson=lesson, by=ada, video=video, now=timezone.now())
    VideoAsset.objects.filter(pk=video.pk).update(duration=61.6)

    with deliver_events():
        publish(event(video_id=video.pk))

    assert Course.objects.get().duration == 62


@pytest.mark.parametrize(
    ("status", "was_public", "is_kept"),
    [
        ("draft", False, False),
        ("draft", True, True),
        ("review", False, True),
        ("published", True, True),
        ("suspended", True, True),
        ("archived", True, True),
    ],
)
def test_a_video_in_use_by_learners_or_reviewers_cannot_be_deleted(lesson, ada, status, was_public, is_kept):
    video = VideoFactory(owner=ada)
    services.attach_video(lesson=lesson, by=ada, video=video, now=timezone.now())
    Course.objects.update(status=status, published_at=timezone.now() if was_public else None)

    if is_kept:
        with pytest.raises(VideoInUse):
            files.delete_video(video=video, by=ada)
    else:
        files.delete_video(video=video, by=ada)

    assert VideoAsset.objects.exists() == is_kept
    assert Lesson.objects.filter(pk=lesson.pk).exists()


def test_captions_are_sanitized_replaced_and_removed(lesson, ada):
    video = VideoFactory(owner=ada)
    services.attach_video(lesson=lesson, by=ada, video=video, now=timezone.now())
    lesson.refresh_from_db()
    add = {"lesson": lesson, "by": ada, "language": "en", "label": "English", "now": timezone.now()}

    services.add_captions(raw=SRT, **add)
    services.add_captions(raw=SRT.replace(b"falls", b"rises"), **add)

    track = video.captions.get()
    assert track.webvtt.startswith("WEBVTT")
    assert "Water rises." in track.webvtt
    with pytest.raises(CaptionsUnreadable):
        services.add_captions(raw=b"MZ\x90 not captions", **add)
    services.remove_captions(lesson=lesson, by=ada, language="en", now=timezone.now())
    assert not video.captions.exists()


@pytest.mark.parametrize("is_published", [True, False])
def test_what_learners_watch_gets_no_new_contents_in_place(lesson, ada, is_published):
    video = VideoFactory(owner=ada, is_playable=True)
    services.attach_video(lesson=lesson, by=ada, video=video, now=timezone.now())
    Course.objects.filter(pk=lesson.course_id).update(published_at=timezone.now() if is_published else None)

    def begin():
        return files.begin_upload(
            owner=ada, purpose="video", filename="b.mp4", length=9, replaces=video, now=timezone.now()
        )

    if is_published:
        with pytest.raises(VideoWatched):
            begin()
    else:
        assert begin().video == video
