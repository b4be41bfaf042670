"""``manage.py seed_demo``: complete, repeatable, and not for production."""

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
from apps.files.models import CaptionTrack, VideoAsset
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
def _files_apart(settings, tmp_path):
    settings.UPLOAD_ROOT = tmp_path / "uploads"
    settings.WORK_ROOT = tmp_path / "work"
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def few(library, monkeypatch):
    """Two courses and who is in them: enough where not the amount matters."""
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


def everything() -> dict[str, list[dict]]:
    """Every row of every table that the demo writes to."""
    return {
        model._meta.label: list(model._default_manager.order_by("pk").values())
        for label in WATCHED
        for model in apps.get_app_config(label).get_models()
        if model is not Version  # says when something was written, not what
    }


def test_everything_of_the_library_is_there_and_no_page_is_empty(library):
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
    films = [lesson for course in library.courses for lesson in course.lessons if lesson.film]
    assert VideoAsset.objects.filter(stage=VideoAsset.Stage.QUEUED).count() == len(films)
    assert CaptionTrack.objects.count() == len(films)
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
def test_what_people_were_told_is_as_old_as_what_happened(few):
    seed()

    amara = User.objects.get(email="student@example.com")
    told = Notification.objects.filter(user=amara, kind="learning.enrolled")
    assert sorted(told.values_list("created_at")) == sorted(amara.enrollments.values_list("enrolled_at"))
    assert not told.filter(read_at=None, created_at__lt=timezone.now() - timedelta(days=6)).exists()
    assert set(TeachingRequest.objects.values_list("state", flat=True)) == {"pending", "declined"}
    assert not Job.objects.filter(kind="accounts.mail_notification").exists()


def test_a_second_run_changes_nothing(few):
    seed()
    before = everything()
    seed()
    assert everything() == before


class PowerCut(Exception):
    """What no code expects."""


def cut_at(call: int, real):
    """The function, but at its n-th call the power fails."""
    calls = iter(range(1, 10**6))

    def function(*args, **kwargs):
        if next(calls) == call:
            raise PowerCut
        return real(*args, **kwargs)

    return function


def test_a_broken_off_run_is_completed(few, monkeypatch):
    """In the middle of a course, of a seat and of a film; the last run puts all of it right."""
    for name, call in (("_write_history", 2), ("_take_quiz", 5), ("add_captions", 3)):
        with monkeypatch.context() as patched:
            patched.setattr(seeding, name, cut_at(call, getattr(seeding, name)))
            with pytest.raises(PowerCut):
                seed()
    seed()
    assert Course.objects.count() == len(few.courses)
    assert Enrollment.objects.count() == sum(line.is_enrolled for line in few.activity)
    films = [lesson for course in few.courses for lesson in course.lessons if lesson.film]
    assert VideoAsset.objects.count() == CaptionTrack.objects.count() == len(films)
    assert not Lesson.objects.filter(kind="video", video=None).exists()
    assert not Enrollment.objects.filter(percent=100, certificate=None).exists()


def test_what_people_changed_is_left_alone(few):
    seed()
    Course.objects.filter(slug="linear-algebra-geometrically").update(title="Arrows, Revised", status="draft")
    User.objects.filter(email="student@example.com").update(first_name="Somebody", role=Role.INSTRUCTOR)
    seed()
    assert Course.objects.get(slug="linear-algebra-geometrically").title == "Arrows, Revised"
    assert User.objects.get(email="student@example.com").first_name == "Somebody"


@pytest.mark.long
def test_a_taken_username_is_no_obstacle(few):
    User.objects.create_user("somebody@example.org", "Secret123", username=few.people[0].username)
    seed()
    assert User.objects.filter(email=few.people[0].email).exists()


def test_production_refuses_it_unless_forced(few, settings):
    settings.ENVIRONMENT = "production"
    with pytest.raises(CommandError, match="--force"):
        seed()
    assert not User.objects.exists()
    seed(force=True)
    assert User.objects.filter(email="admin@example.com").exists()


@pytest.mark.long
def test_demo_videos_wait_for_uploads_of_users(few):
    seed()
    films = Job.objects.filter(kind="files.process_video")
    assert films.exists()
    assert set(films.values_list("priority", flat=True)) == {seeding.LOW_PRIORITY}
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
def test_a_demo_video_is_processed(library, django_capture_on_commit_callbacks):
    """One film all the way: copied as 720p, made smaller, with sound alone, and as long as its lesson."""
    now = timezone.now()
    course = next(course for course in library.courses if course.slug == "linear-algebra-geometrically")
    seeding.seed_subjects()
    for person in library.people:
        if person.email == course.instructor:
            seeding.seed_person(person, "!", now)
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
