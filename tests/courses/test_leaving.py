"""An instructor deletes the account: files that no course shows are deleted, objects included; the others stay."""

from typing import Any

import pytest
from django.utils import timezone

from apps.accounts import services as accounts
from apps.courses import services
from apps.courses.models import Lesson
from apps.files.models import Upload, VideoAsset
from apps.files.storage import upload_path
from studyplatform.kit import jobs
from tests.buckets import Bucket
from tests.factories.accounts import PASSWORD
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import StoredFileFactory, UploadFactory, VideoFactory

pytestmark = [pytest.mark.database, pytest.mark.django_db]


def with_objects(s3: Bucket, video: VideoAsset) -> VideoAsset:
    """Store an original and a segment of the video in the bucket; return the video."""
    video.source = f"originals/{video.uid.hex}/x.mp4"
    video.directory = f"videos/{video.uid.hex}/v"
    video.save()
    for name in (video.source, f"{video.directory}/480p/00000.m4s"):
        s3.client.put_object(Bucket=s3.name, Key=name, Body=b"film")
    return video


def stored_file(s3: Bucket, **more: Any) -> Upload:
    file = StoredFileFactory(**more)
    s3.client.put_object(Bucket=s3.name, Key=file.stored_as, Body=b"%PDF-")
    return file


@pytest.fixture
def delete_account(django_capture_on_commit_callbacks: Any) -> Any:
    """Return a function that deletes a user's account and runs the jobs that follow."""

    def delete(user: Any) -> None:
        accounts.delete_account(user=user, password=PASSWORD, browser="", now=timezone.now())
        with django_capture_on_commit_callbacks(execute=True):
            jobs.run_pending("default")
        jobs.run_pending("default")

    return delete


def test_deleting_an_account_deletes_files_that_no_course_shows(s3: Bucket, ada, eve, delete_account) -> None:
    archived = LessonFactory(section__course=CourseFactory(instructor=ada, status="archived"), kind="video")
    draft = LessonFactory(section__course=CourseFactory(instructor=ada), kind="video", slug="draft")
    elsewhere = LessonFactory(section__course=CourseFactory(instructor=eve, status="published"), kind="video")
    for lesson in (archived, draft, elsewhere):
        lesson.video = with_objects(s3, VideoFactory(owner=ada))
        lesson.save()
    attached = LessonFactory(section=archived.section, kind="file", file=stored_file(s3, owner=ada))
    stays = {lesson.video.pk for lesson in (archived, draft, elsewhere)}
    objects = s3.names()
    with_objects(s3, VideoFactory(owner=ada))
    with_objects(s3, VideoFactory(owner=ada, stage="failed", failure="processing_failed"))
    with_objects(s3, VideoFactory(owner=ada, stage="audio"))
    stored_file(s3, owner=ada)
    arriving = UploadFactory(owner=ada, video=VideoFactory(owner=ada, stage="uploading"))
    upload_path(arriving.uid).touch()
    others = with_objects(s3, VideoFactory(owner=eve)), stored_file(s3, owner=eve)

    delete_account(ada)

    assert set(VideoAsset.objects.filter(owner=ada).values_list("pk", flat=True)) == stays
    assert list(Upload.objects.filter(owner=ada)) == [attached.file]
    assert not upload_path(arriving.uid).exists()
    hers = [others[0].source, f"{others[0].directory}/480p/00000.m4s", others[1].stored_as]
    assert s3.names() == sorted(objects + hers)


def test_removing_the_last_lesson_of_a_deleted_users_video_deletes_the_video(
    s3: Bucket, ada, eve, sam, delete_account
) -> None:
    course = CourseFactory(instructor=ada)
    first, second = (LessonFactory(section__course=course, kind="video", slug=name) for name in ("one", "two"))
    video, other = (with_objects(s3, VideoFactory(owner=ada)) for _ in range(2))
    Lesson.objects.filter(pk__in=[first.pk, second.pk]).update(video=video)
    third = LessonFactory(section=first.section, kind="video", slug="three", video=other)
    eves = LessonFactory(section__course=CourseFactory(instructor=eve), kind="video", video=VideoFactory(owner=eve))
    delete_account(ada)

    first.delete()
    eves.delete()  # Eve has an account, so her video stays available for another lesson
    jobs.run_pending("default")
    assert VideoAsset.objects.filter(owner=ada).count() == 2

    services.attach_video(lesson=third, by=sam, video=None, now=timezone.now())
    course.delete()
    jobs.run_pending("default")

    assert [video.owner for video in VideoAsset.objects.all()] == [eve]
    assert s3.names() == []
