"""``manage.py seed_demo`` is complete, idempotent and refused in production."""

import contextlib
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
from django.db.models import F, Q
from django.utils import timezone

from apps.accounts.models import Notification, Role, TeachingRequest, User
from apps.billing.access import access_to
from apps.billing.models import (
    Bundle,
    Card,
    ConnectedAccount,
    Dispute,
    EarningsMilestone,
    Gift,
    Payment,
    Payout,
    PremiumEarning,
    PromoCode,
    Refund,
    Subscription,
)
from apps.billing.queries import ledger_check
from apps.courses.models import Course, Lesson, Subject
from apps.files.models import CaptionTrack, File, FileKind, Folder, Share, ShareOpening, Upload, VideoAsset
from apps.forum.models import (
    Announcement,
    AnnouncementCopy,
    Ban,
    Board,
    Conversation,
    Message,
    MessageFile,
    Post,
    PostState,
    Report,
    Topic,
    Vote,
)
from apps.learning.models import Attempt, Bookmark, Certificate, Enrollment, LessonProgress, Rating
from studyplatform.demo import seed_forum, seed_half_year, seed_sales, seeding
from studyplatform.demo.forum_library import ForumText, read_forum
from studyplatform.demo.library import SUBJECTS, Sales, read_library
from studyplatform.demo.management.commands import seed_demo
from studyplatform.kit import jobs
from studyplatform.kit.models import Job, Version
from tests.tutor.vectors import remembered_vectors

__all__ = ["remembered_vectors"]

pytestmark = pytest.mark.django_db
WATCHED = ("accounts", "billing", "courses", "files", "forum", "learning", "kit")


@pytest.fixture(scope="module")
def library():
    return read_library()


@pytest.fixture(autouse=True)
def _separate_folders(settings, tmp_path):
    settings.UPLOAD_ROOT = tmp_path / "uploads"
    settings.WORK_ROOT = tmp_path / "work"
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture(autouse=True)
def _served_standin(standin, monkeypatch):
    """The stand-in of these tests, which is served already, instead of one on a port of its own."""
    monkeypatch.setattr(seed_sales, "make_standin", lambda: standin)
    monkeypatch.setattr(standin, "serving", lambda port: contextlib.nullcontext())
    monkeypatch.setattr(standin, "close", lambda: None)


def part_of(library, slugs, **sales):
    """Some courses with their learners, and what was sold."""
    return dataclasses.replace(
        library,
        courses=tuple(dataclasses.replace(c, prerequisites=()) for c in library.courses if c.slug in slugs),
        activity=tuple(line for line in library.activity if line.course in slugs),
        sales=Sales(**sales),
    )


@pytest.fixture
def small_library(library, monkeypatch):
    """Two free courses with their learners, for tests that do not need the whole library, nor half a year of more."""
    monkeypatch.setattr(seed_half_year, "LEARNERS", 0)
    slugs = {"linear-algebra-geometrically", "a-year-in-a-hedgerow"}
    subscribers = tuple(one for one in library.sales.subscribers if one.email == "student@example.com")
    part = part_of(library, slugs, subscribers=subscribers)
    monkeypatch.setattr(seed_demo, "read_library", lambda: part)
    monkeypatch.setattr(seed_demo, "read_forum", lambda library: small_forum(read_forum(library)))
    return part


@pytest.fixture
def tiny_library(small_library, monkeypatch):
    """The people and one of these courses, without a forum."""
    part = part_of(small_library, {"a-year-in-a-hedgerow"}, subscribers=small_library.sales.subscribers)
    monkeypatch.setattr(seed_demo, "read_library", lambda: part)
    monkeypatch.setattr(seed_demo, "read_forum", lambda library: ForumText())
    return part


def small_forum(forum: ForumText) -> ForumText:
    """The topics of one board, and one with a held post."""
    kept = tuple(one for one in forum.topics if one.board == "a-year-in-a-hedgerow" or one.key == "zero-vector")
    return dataclasses.replace(forum, topics=kept, held=(), reported=(), bans=())


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


@pytest.mark.long
def test_seeding_writes_the_whole_library_and_leaves_no_page_empty(library):
    said = seed()

    assert f"{len(library.courses)} courses" in said
    assert User.objects.count() == len(library.people) + seed_half_year.LEARNERS
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
        assert course.learner_count == course.enrollments.active().count()
    passed = Attempt.objects.filter(is_passed=True)
    assert passed.exists()
    assert Attempt.objects.filter(submitted_at=None).count() == 0
    for row in LessonProgress.objects.filter(lesson__kind="quiz").exclude(completed_at=None):
        assert passed.filter(enrollment=row.enrollment, quiz__lesson=row.lesson).exists()

    check_sales(amara)
    check_forum(library, amara)


def check_forum(library, amara):
    """Every topic is there as it is written, and what is held is seen by its author and moderators only."""
    forum = read_forum(library)
    now = timezone.now()
    assert Topic.objects.count() == len(forum.topics)
    assert Post.objects.count() == len(forum.topics) + sum(len(topic.posts) for topic in forum.topics)
    assert Board.objects.filter(course=None).count() == len(forum.boards)
    assert not Topic.objects.exclude(lesson=None).exclude(board__course=F("lesson__course")).exists()
    for topic in Topic.objects.filter(state=PostState.VISIBLE):
        numbered = list(topic.posts.exclude(number=None).order_by("number"))
        visible = [post for post in numbered if post.state == PostState.VISIBLE]
        assert [post.number for post in numbered] == list(range(1, topic.last_number + 1))
        assert topic.reply_count == len(visible) - 1
        assert topic.created_at <= topic.last_post_at <= now
        assert topic.last_post_at == visible[-1].published_at
    assert not Post.objects.filter(html__contains="topic:").exists(), "a link to a topic that was not there"
    held = Post.objects.filter(state=PostState.HELD)
    assert held.count() == len(forum.held)
    others = User.objects.get(email="graham.tully@example.com")
    assert not Post.objects.seen_by(others).filter(pk__in=held).exists()
    assert not Topic.objects.seen_by(others).filter(posts__in=held, posts__is_opening=True).exists()
    for post in held:
        assert Post.objects.seen_by(post.author).filter(pk=post.pk).exists()
        assert "new_account" in post.held_for
        assert post.number is None
    reports = sum(len(each.reports) for each in forum.reported)
    assert (Report.objects.count(), Ban.objects.count()) == (reports, len(forum.bans))
    assert Post.objects.get(state=PostState.HIDDEN).reports.count() == 3  # as many as hide a post
    assert Topic.objects.exclude(accepted=None).count() == sum(
        post.accepted for topic in forum.topics for post in topic.posts
    )
    counts = {post.pk: post.votes.count() for post in Post.objects.all()}
    assert all(post.score == counts[post.pk] for post in Post.objects.all())
    assert Vote.objects.filter(post__topic__board__course=None).exists()
    asked = Topic.objects.get(title__startswith="Is a zero vector")
    assert (asked.author, asked.second, asked.score) == (amara, 39, asked.posts.get(number=1).score)
    edited = Post.objects.get(edit_count=1)
    assert edited.revisions.get().source != edited.source
    assert Topic.objects.get(pinned_at__lt=now, locked_at__lt=now).title.startswith("Read this first")


def check_messages():
    """Both demo accounts have conversations, files in them, and announcements."""
    ines, amara = (User.objects.get(email=f"{who}@example.com") for who in ("instructor", "student"))

    told = Conversation.objects.filter(course__instructor=ines)
    assert told.count() == 5
    assert told.filter(unread_by_instructor=1).count() == 2
    assert told.filter(learner=amara, unread_by_instructor=0).exists()
    assert MessageFile.objects.filter(message__conversation__in=told).count() == 2
    assert Announcement.objects.filter(sender=ines, done_at__isnull=False, read_count__gt=0).count() == 3
    assert AnnouncementCopy.objects.filter(user=amara).exists()
    assert not Message.objects.filter(created_at__gt=timezone.now()).exists()


def check_sales(amara):
    """The books are right, and every page of billing has something to show."""
    assert list(ledger_check.problems()) == []
    bought = Payment.objects.get(user=amara, kind=Payment.Kind.COURSE, order__is_gift=False)
    assert (bought.course.slug, access_to(amara, bought.course).source) == ("the-night-sky-month-by-month", "purchase")
    assert Gift.objects.get(order__user=amara).sent_at is not None
    assert Bundle.objects.for_sale().count() == 1
    trial = Subscription.objects.get(user=amara)
    assert trial.status == Subscription.Status.TRIALING
    assert trial.trial_end is not None
    assert timedelta(days=1) < trial.trial_end - timezone.now() < timedelta(days=3)
    assert Card.objects.usable().of(amara.pk).count() == 1
    assert Notification.objects.filter(user=amara, kind="billing.trial_ends").exists()
    instructor = User.objects.get(email="instructor@example.com")
    assert Payment.objects.filter(instructor=instructor).count() >= 20
    assert instructor.payouts.filter(state=Payout.State.SENT).count() >= 3
    assert ConnectedAccount.objects.get(user=instructor).is_ready
    assert EarningsMilestone.objects.filter(user=instructor).exists()
    assert set(Subscription.objects.values_list("status", flat=True)) == {"active", "trialing", "past_due", "ended"}
    assert set(Refund.objects.values_list("status", flat=True)) == {"done", "declined", "requested"}
    assert set(Dispute.objects.values_list("status", flat=True)) == {"won", "lost", "open"}
    assert Payout.objects.filter(state=Payout.State.FAILED).exists()
    assert PremiumEarning.objects.filter(earned__gt=100, course__slug="waves-and-interference").exists()
    assert all(used > 0 for used in PromoCode.objects.values_list("used", flat=True))
    assert Payment.objects.filter(paid_at__lt=timezone.now() - timedelta(days=330)).exists()
    for enrollment in Enrollment.objects.active().exclude(course__pricing="free"):
        assert access_to(enrollment.user, enrollment.course) is not None, enrollment
    left = Job.objects.filter(Q(kind__startswith="billing.") | Q(kind="accounts.mail_notification"))
    kinds = {"billing.follow_subscription", "billing.note_earnings", "billing.share_premium"}
    assert set(left.values_list("kind", flat=True)) == kinds


@pytest.mark.long
def test_the_next_run_completes_interrupted_sales(library, standin, monkeypatch):
    slugs = {"how-compilers-think", "the-grammar-of-images"}
    sold = library.sales
    subscribers = tuple(one for one in sold.subscribers if one.email[:5] in {"teo.m", "stude", "lotte", "palom"})
    returns = tuple(one for one in sold.returns if one.course in slugs)
    part = part_of(library, slugs, subscribers=subscribers, returns=returns, payouts=sold.payouts)
    monkeypatch.setattr(seed_demo, "read_library", lambda: part)
    monkeypatch.setattr(seed_demo, "read_forum", lambda library: ForumText())
    for name, call in (("_confirm", 5), ("_look", 8), ("_pay_out", 3), ("_return", 2)):
        with monkeypatch.context() as patched:
            patched.setattr(seed_sales.Year, name, fail_at(call, getattr(seed_sales.Year, name)))
            with pytest.raises(PowerFailure):
                seed()
    seed()
    assert list(ledger_check.problems()) == []
    assert Payment.objects.exclude(course=None).count() == len(returns) + sum(
        line.is_enrolled and line.course == "how-compilers-think" for line in part.activity
    )
    assert Subscription.objects.count() == len(subscribers)
    assert Refund.objects.count() == len(returns)
    assert abs(standin.clock.now() - timezone.now().timestamp()) < 5


def test_with_a_real_provider_nothing_is_sold(tiny_library, settings):
    settings.BILLING_MODE = "stripe"
    seed()
    assert not Subscription.objects.exists()
    assert Enrollment.objects.exists()


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


def test_a_seeded_site_is_complete_and_the_next_run_changes_nothing(small_library):
    seed()
    check_messages()
    check_libraries()
    before = all_rows()
    seed()
    assert all_rows() == before

    Course.objects.filter(slug="linear-algebra-geometrically").update(title="Arrows, Revised", status="draft")
    User.objects.filter(email="student@example.com").update(first_name="Somebody", role=Role.INSTRUCTOR)
    before = all_rows()
    seed()
    assert all_rows() == before, "it has overwritten what users changed"


def check_libraries():
    """The libraries show every kind of file and every state of a share."""
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
    with monkeypatch.context() as patched:
        patched.setattr(seed_forum.services, "reply", fail_at(4, seed_forum.services.reply))
        with pytest.raises(PowerFailure):
            seed()
        assert not Topic.objects.exists()
    seed()
    assert Topic.objects.count() == 5
    assert Course.objects.count() == len(small_library.courses)
    assert Enrollment.objects.count() == sum(line.is_enrolled for line in small_library.activity)
    videos = [lesson for course in small_library.courses for lesson in course.lessons if lesson.film]
    assert VideoAsset.objects.count() == CaptionTrack.objects.count() == len(videos)
    assert not Lesson.objects.filter(kind="video", video=None).exists()
    assert not Enrollment.objects.filter(percent=100, certificate=None).exists()


@pytest.mark.long
def test_seeding_works_when_a_username_is_taken(small_library):
    User.objects.create_user("somebody@example.org", "Secret123", username=small_library.people[0].username)
    seed()
    assert User.objects.filter(email=small_library.people[0].email).exists()
    assert Topic.objects.filter(author__email=small_library.people[0].email).exists()


def test_production_refuses_the_demo_without_force(tiny_library, settings):
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
