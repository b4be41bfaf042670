"""``manage.py seed_demo`` is complete, idempotent and refused in production."""

import dataclasses
import math
from datetime import timedelta
from io import BytesIO, StringIO
from pathlib import Path

import av
import pytest
from django.apps import apps
from django.core.files.storage import default_storage
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.accounts.models import Notification, Role, TeachingRequest, User
from apps.courses.models import Course, Lesson, Subject
from apps.files.models import CaptionTrack, File, FileKind, Folder, Share, ShareOpening, Upload, VideoAsset
from apps.learning.models import Attempt, Bookmark, Certificate, Enrollment, LessonProgress, Rating
from studyplatform.demo import seeding
from studyplatform.demo.library import SUBJECTS, read_library
from studyplatform.demo.management.commands import seed_demo
from studyplatform.kit import jobs
from studyplatform.kit.models import Job, Version

pytestmark = pytest.mark.django_db
WATCHED = ("accounts", "courses", "files", "learning", "kit")


@pytest.fixture(scope="module")
def library():
    return read_library()


@pytest.fixture(autouse=True)
def _separate_folders(settings, tmp_path):
    settings.UPLOAD_ROOT = tmp_path / "uploads"
    settings.WORK_ROOT = tmp_path / "work"
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def small_library(library, monkeypatch):
    """Two courses with their learners, for tests that do not need the whole library."""
    slugs = {"linear-algebra-geometrically", "a-year-in-a-hedgerow"}
    part = dataclasses.replace(
        library,
        courses=tuple(dataclasses.replace(c, prerequisites=()) for c in library.courses if c.slug in slugs),
        activity=tuple(line for line in library.activity if line.course in slugs),
    )
    monkeypatch.setattr(seed_demo, "read_library", lambda: part)
    return part


def seed(**options) -> str:
    out = StringIO()
    call_command("seed_demo", stdout=out, **options)
    return out.getvalue()


def all_rows() -> dict[str, list[dict]]:
    """Every row of every table that the demo writes to."""
    return {
        model._meta.label: list(model._default_manager.order_by("pk").values())
        for label in WATCHED
        for model in apps.get_app_config(label).get_models()
        if model is not Version  # the time of writing is not part of the content
    }


def test_seeding_writes_the_whole_library_and_leaves_no_page_empty(library):
    said = seed()

    assert f"{len(library.courses)} courses" in said
    assert User.objects.count() == len(library.people)
    assert list(Subject.objects.order_by("position").values_list("slug", flat=True)) == list(SUBJECTS)
    assert Course.objects.count() == len(library.courses)
    for text in library.courses:
        course = Course.objects.get(slug=text.slug)
        assert course.status == text.status
        assert course.lesson_count == len(text.lessons)
        assert course.duration == sum(lesson.seconds for lesson in text.lessons)
        assert course.plate.startswith("<svg")
    videos = [lesson for course in library.courses for lesson in course.lessons if lesson.film]
    assert VideoAsset.objects.filter(stage=VideoAsset.Stage.QUEUED).count() == len(videos)
    assert CaptionTrack.objects.count() == len(videos)
    assert not Lesson.objects.filter(kind="video", video=None).exists()
    assert not Lesson.objects.filter(kind="quiz", quiz__questions=None).exists()
    roles = {"student": Role.STUDENT, "instructor": Role.INSTRUCTOR, "admin": Role.ADMIN}
    for name, role in roles.items():
        user = User.objects.get(email=f"{name}@example.com")
        assert user.check_password("StudyDemo1")
        assert user.role == role
        assert user.email_verified_at is not None
    assert Course.objects.taught_by(User.objects.get(email="instructor@example.com").pk).exists()

    amara = User.objects.get(email="student@example.com")
    half = Enrollment.objects.get(user=amara, course__slug="linear-algebra-geometrically")
    assert 40 <= half.percent <= 65
    assert half.last_lesson is not None
    assert Certificate.objects.filter(enrollment__user=amara).exists()
    assert Bookmark.objects.filter(user=amara).exists()
    assert Rating.objects.exclude(text="").count() >= 10
    for enrollment in Enrollment.objects.all():
        done = enrollment.progress.exclude(completed_at=None).count()
        assert enrollment.completed_lessons == done
        assert (enrollment.percent == 100) == Certificate.objects.filter(enrollment=enrollment).exists()
        assert enrollment.enrolled_at <= enrollment.last_activity_at <= timezone.now()
    for course in Course.objects.filter(status="published"):
        ratings = [rating.stars for rating in course.ratings.all()]
        assert (course.rating_count, course.rating_sum) == (len(ratings), sum(ratings))
        assert course.learner_count == course.enrollments.count()
    passed = Attempt.objects.filter(is_passed=True)
    assert passed.exists()
    assert Attempt.objects.filter(submitted_at=None).count() == 0
    for row in LessonProgress.objects.filter(lesson__kind="quiz").exclude(completed_at=None):
        assert passed.filter(enrollment=row.enrollment, quiz__lesson=row.lesson).exists()


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_notifications_are_as_old_as_their_events(small_library):
    seed()

    amara = User.objects.get(email="student@example.com")
    notifications = Notification.objects.filter(user=amara, kind="learning.enrolled")
    assert sorted(notifications.values_list("created_at")) == sorted(amara.enrollments.values_list("enrolled_at"))
    assert not notifications.filter(read_at=None, created_at__lt=timezone.now() - timedelta(days=6)).exists()
    assert set(TeachingRequest.objects.values_list("state", flat=True)) == {"pending", "declined"}
    assert not Job.objects.filter(kind="accounts.mail_notification").exists()


def test_a_second_run_changes_nothing(small_library):
    seed()
    before = all_rows()
    seed()
    assert all_rows() == before


def test_the_libraries_show_every_kind_of_file_and_every_state_of_a_share(small_library):
    seed()
    now, amara = timezone.now(), User.objects.get(email="student@example.com")

    kinds = set(File.objects.of(amara.pk).present().values_list("kind", flat=True))
    assert kinds == set(FileKind) - {FileKind.DOCUMENT, FileKind.SLIDES, FileKind.OTHER}
    assert File.objects.of(amara.pk).get(name="notes-on-matrices.md").versions.count() == 2
    assert Folder.objects.of(amara.pk).present().exclude(parent=None).count() == 2
    assert File.objects.of(amara.pk).binned().count() == 2
    assert Folder.objects.of(amara.pk).binned().count() == 1
    links = Share.objects.of(amara.pk).filter(kind=Share.Kind.LINK)
    assert {
        ((one.expires_at or now) > now, one.is_used_up, one.revoked_at is not None, bool(one.password)) for one in links
    } == {
        (True, False, False, False),
        (True, False, False, True),
        (True, True, False, False),
        (True, False, True, False),
        (False, False, False, False),
    }
    assert Share.objects.of(amara.pk).filter(kind=Share.Kind.COURSE).exists()
    assert ShareOpening.objects.filter(share__owner=amara).exclude(user=amara).count() >= 4
    assert sum(Upload.objects.filter(purpose=Upload.Purpose.FILE).values_list("length", flat=True)) < 3_000_000
    assert not Upload.objects.filter(purpose=Upload.Purpose.FILE, completed_at__gt=now - timedelta(hours=1)).exclude(
        target=""
    )


class PowerFailure(Exception):
    """An exception that no code handles."""


def fail_at(call: int, real):
    """Return the function, except that the given call raises PowerFailure."""
    calls = iter(range(1, 10**6))

    def function(*args, **kwargs):
        if next(calls) == call:
            raise PowerFailure
        return real(*args, **kwargs)

    return function


def test_a_second_run_completes_an_interrupted_one(small_library, monkeypatch):
    """Interrupt the run within a course, an enrollment and a video; the last run completes all of them."""
    for name, call in (("_write_history", 2), ("_take_quiz", 5), ("add_captions", 3)):
        with monkeypatch.context() as patched:
            patched.setattr(seeding, name, fail_at(call, getattr(seeding, name)))
            with pytest.raises(PowerFailure):
                seed()
    seed()
    assert Course.objects.count() == len(small_library.courses)
    assert Enrollment.objects.count() == sum(line.is_enrolled for line in small_library.activity)
    videos = [lesson for course in small_library.courses for lesson in course.lessons if lesson.film]
    assert VideoAsset.objects.count() == CaptionTrack.objects.count() == len(videos)
    assert not Lesson.objects.filter(kind="video", video=None).exists()
    assert not Enrollment.objects.filter(percent=100, certificate=None).exists()


def test_seeding_does_not_overwrite_changes_made_by_users(small_library):
    seed()
    Course.objects.filter(slug="linear-algebra-geometrically").update(title="Arrows, Revised", status="draft")
    User.objects.filter(email="student@example.com").update(first_name="Somebody", role=Role.INSTRUCTOR)
    seed()
    assert Course.objects.get(slug="linear-algebra-geometrically").title == "Arrows, Revised"
    assert User.objects.get(email="student@example.com").first_name == "Somebody"


@pytest.mark.long
def test_seeding_works_when_a_username_is_taken(small_library):
    User.objects.create_user("somebody@example.org", "Secret123", username=small_library.people[0].username)
    seed()
    assert User.objects.filter(email=small_library.people[0].email).exists()


def test_production_refuses_the_demo_without_force(small_library, settings):
    settings.ENVIRONMENT = "production"
    with pytest.raises(CommandError, match="--force"):
        seed()
    assert not User.objects.exists()
    seed(force=True)
    assert User.objects.filter(email="admin@example.com").exists()


@pytest.mark.long
def test_videos_of_users_are_processed_before_demo_videos(small_library):
    seed()
    videos = Job.objects.filter(kind="files.process_video")
    assert videos.exists()
    assert set(videos.values_list("priority", flat=True)) == {seeding.LOW_PRIORITY}
    Job.objects.create(
        kind="files.process_video",
        queue="media",
        payload={},
        run_at=timezone.now(),
        created_at=timezone.now(),
    )
    first = jobs.claim("media", now=timezone.now())
    assert first is not None
    assert first.job.priority == 0


@pytest.mark.long
@pytest.mark.media
def test_processing_a_demo_video_creates_every_rendition(library, django_capture_on_commit_callbacks):
    """One video is copied as 720p, scaled down, reduced to audio, and as long as its lesson."""
    now = timezone.now()
    course = next(course for course in library.courses if course.slug == "linear-algebra-geometrically")
    seeding.seed_subjects()
    for user in library.people:
        if user.email == course.instructor:
            seeding.seed_person(user, "!", now)
    with django_capture_on_commit_callbacks(execute=True):
        seeding.seed_course(course, now)
        seeding.seed_film(course, course.lessons[0], now)
        jobs.run_pending("media")
    video = VideoAsset.objects.get()
    assert video.stage == VideoAsset.Stage.COMPLETE
    assert set(video.renditions.values_list("name", flat=True)) == {"720p", "480p", "audio"}
    assert abs(video.duration - course.lessons[0].seconds) <= 1
    public = Path(default_storage.path(video.directory))
    for name in ("720p", "480p"):
        head = (public / name / "init.mp4").read_bytes()
        segments = sorted((public / name).glob("*.m4s"))
        assert len(segments) == math.ceil(video.duration / 4)
        for place, segment in enumerate(segments):
            with av.open(BytesIO(head + segment.read_bytes()), mode="r") as piece:
                heard = [packet.pts * packet.time_base for packet in piece.demux(audio=0) if packet.pts is not None]
            assert float(heard[0]) == pytest.approx(place * 4, abs=0.3), f"{name}: a segment without its own sound"
    fine, coarse = (video.renditions.get(name=name).bandwidth for name in ("720p", "480p"))
    assert coarse < fine, "Auto would prefer the smaller picture"
