"""Fixtures: the accounts, the browsers and the objects that the tests of this folder request."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.models import BrowserSession, User
from apps.billing.models import Card, Order, PromoCode
from apps.courses.models import Course, Lesson, Question, Section
from apps.files.models import AutomaticCaptions, CaptionTrack, File, Folder, Upload, VideoAsset
from apps.files.storage import upload_path
from apps.forum.models import Post, Topic
from apps.learning.models import Attempt, Certificate, Enrollment, OfflineDevice, PracticeCard
from apps.tutor.models import Answer
from tests.factories.accounts import UserFactory
from tests.factories.courses import LessonFactory, QuestionFactory, QuizFactory, SectionFactory
from tests.factories.files import CaptionFactory, FileFactory, FolderFactory, UploadFactory, VideoFactory
from tests.factories.learning import (
    AttemptFactory,
    CertificateFactory,
    EnrollmentFactory,
    MissedCardFactory,
    OfflineDeviceFactory,
)
from tests.factories.selling import CardFactory, OrderFactory, PromoCodeFactory
from tests.factories.topics import BoardFactory, make_post, make_topic
from tests.factories.tutor import AnswerFactory


@pytest.fixture
def kim(course: Course) -> User:
    """A learner of the same course as Leo, without access to his data."""
    kim = UserFactory(username="kim")
    EnrollmentFactory(user=kim, course=course)
    return kim


@pytest.fixture
def zoe(db: None) -> User:
    """A user whose password is known."""
    return UserFactory(username="zoe")


@pytest.fixture
def browser_as(browser_of: Callable[[User], Client], request: pytest.FixtureRequest) -> Callable[[str], Client]:
    """The browser of a user. Ben's session ended when he was blocked; the session of "expired" has expired."""

    def sign_in(person: str) -> Client:
        match person:
            case "visitor":
                return Client()
            case "expired":
                user: User = request.getfixturevalue("mia")
                browser = browser_of(user)
                BrowserSession.objects.of(user).update(expire_date=timezone.now() - timedelta(seconds=1))
            case "ben":
                user = request.getfixturevalue("ben")
                User.objects.filter(pk=user.pk).update(is_active=True)
                browser = browser_of(User.objects.get(pk=user.pk))
                User.objects.filter(pk=user.pk).update(is_active=False)
            case _:
                browser = browser_of(request.getfixturevalue(person))
        return browser

    return sign_in


@dataclass(frozen=True)
class World:
    """One object of each kind: Ada owns what is taught, Leo what is learned."""

    course: Course
    section: Section
    spare: Section
    text: Lesson
    video_lesson: Lesson
    file_lesson: Lesson
    quiz: Lesson
    question: Question
    video: VideoAsset
    failed_video: VideoAsset
    captions: CaptionTrack
    automatic_captions: AutomaticCaptions
    enrollment: Enrollment
    attempt: Attempt
    practice_card: PracticeCard
    device: OfflineDevice
    certificate: Certificate
    arriving: Upload
    kept: Upload
    file: File
    folder: Folder
    order: Order
    card: Card
    promo_code: PromoCode
    topic: Topic
    other_topic: Topic
    reply: Post
    deleted_reply: Post
    chat_answer: Answer


@pytest.fixture
def world(course: Course, enrollment: Enrollment, ada: User, leo: User, kim: User) -> World:
    now = timezone.now()
    course.enrollments.update(percent=20)  # enough for a rating
    section = SectionFactory(course=course)
    video = VideoFactory(owner=ada)
    quiz = QuizFactory(lesson__section=section)
    kept = UploadFactory(owner=leo, purpose=Upload.Purpose.FILE, filename="notes.txt", length=5, offset=5)
    Upload.objects.filter(pk=kept.pk).update(completed_at=now)
    upload_path(kept.uid).parent.mkdir(parents=True, exist_ok=True)
    upload_path(kept.uid).write_bytes(b"notes")
    other = course.sections.order_by("position")[0]
    board = BoardFactory(course=course)
    topic = make_topic(board=board, author=leo)
    return World(
        course=course,
        section=section,
        spare=SectionFactory(course=course),
        text=other.lessons.order_by("position")[0],
        video_lesson=LessonFactory(section=section, kind=Lesson.Kind.VIDEO, video=VideoFactory(owner=ada), duration=90),
        file_lesson=LessonFactory(section=section, kind=Lesson.Kind.FILE),
        quiz=quiz.lesson,
        question=QuestionFactory(quiz=quiz),
        video=video,
        failed_video=VideoFactory(owner=ada, stage=VideoAsset.Stage.FAILED, failure=VideoAsset.Failure.PROCESSING),
        captions=CaptionFactory(video=video),
        automatic_captions=AutomaticCaptions.objects.create(
            video=video, kind="speech", language="en", directory="videos/a/b", created_at=timezone.now()
        ),
        enrollment=enrollment,
        attempt=AttemptFactory(enrollment=enrollment, quiz=quiz, started_at=now),
        chat_answer=AnswerFactory(
            exchange__chat__user=leo, exchange__mode="cards", text="Front: What is a delta?\nBack: New land."
        ),
        practice_card=_practice_card(section, enrollment, now),
        device=OfflineDeviceFactory(user=leo, created_at=now),
        certificate=CertificateFactory(enrollment=enrollment),
        arriving=UploadFactory(owner=leo, purpose=Upload.Purpose.FILE, length=5, expires_at=now + timedelta(days=1)),
        kept=kept,
        file=FileFactory(owner=leo),
        folder=FolderFactory(owner=leo),
        order=OrderFactory(user=leo),
        card=CardFactory(user=leo),
        promo_code=PromoCodeFactory(scope="course", course=course, created_by=ada),
        topic=topic,
        other_topic=make_topic(board=board),
        reply=make_post(topic, author=leo),
        deleted_reply=make_post(topic, author=leo, state="deleted", state_before="visible", changed_by=leo),
    )


def _practice_card(section: Section, enrollment: Enrollment, now: datetime) -> PracticeCard:
    """A question that Leo missed in a quiz that shows its answers."""
    quiz = QuizFactory(lesson__section=section, reveal="always")
    AttemptFactory(enrollment=enrollment, quiz=quiz, started_at=now, submitted_at=now)
    return MissedCardFactory(user=enrollment.user, question=QuestionFactory(quiz=quiz))
