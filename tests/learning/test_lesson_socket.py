"""Pages of lessons that are open hear of a version of their course."""

from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import Course, Lesson
from apps.learning import services as learning
from apps.learning.consumers import LessonConsumer, _moment
from studyplatform.kit import sockets as hub
from tests.factories.courses import CourseFactory, LessonFactory, QuizFactory
from tests.factories.learning import EnrollmentFactory
from tests.forum.sockets import heard, is_refused, with_sockets


def path_of(lesson: Lesson, seen: datetime) -> str:
    return f"/ws/lessons/{lesson.uid}/?seen={quote(seen.isoformat())}"


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_open_lessons_hear_of_a_version_once(
    ada: User, sam: User, leo: User, mia: User, browser_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "REFRESH_GAP", 0.01)
    monkeypatch.setattr(hub, "REFRESH_EVERY", 0.05)
    live = CourseFactory(slug="rivers", instructor=ada, status="published")
    kept = LessonFactory(section__course=live, slug="springs", body="Water.")
    gone = LessonFactory(section=kept.section, slug="deltas", body="Water.")
    EnrollmentFactory(user=leo, course=live)
    seen = Course.objects.get(pk=live.pk).updated_at

    def publish() -> None:
        copy = services.begin_version(course=live, by=ada, now=timezone.now())
        services.delete_lesson(lesson=copy.lessons.get(slug="deltas"), by=ada, now=timezone.now())
        services.choose_for_learners(course=live, by=ada, choices={"note": "Shorter."})
        services.submit_course(course=live, by=ada, now=timezone.now())
        services.decide_submission(course=live, by=sam, outcome="approved", now=timezone.now())

    async def stays(socket: Any) -> None:
        assert await socket.receive_nothing(0.3)
        await sync_to_async(publish)()
        assert await heard(socket, 1) == [{"type": "version", "note": "Shorter.", "is_removed": False}]
        assert await socket.receive_nothing(0.3)

    async def comes_late(socket: Any) -> None:
        """A laptop that was closed meanwhile."""
        assert await heard(socket, 1) == [{"type": "version", "note": "Shorter.", "is_removed": True}]

    async def has_it(socket: Any) -> None:
        assert await socket.receive_nothing(0.3)

    assert is_refused(browser_of(mia), path_of(kept, seen)), "only learners of the course"
    with_sockets([browser_of(leo)], path_of(kept, seen), stays)
    with_sockets([browser_of(leo)], path_of(gone, seen), comes_late)
    with_sockets([browser_of(leo)], path_of(kept, Course.objects.get(pk=live.pk).updated_at), has_it)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_the_open_page_of_a_quiz_hears_of_each_exception(
    ada: User, leo: User, browser_of: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub, "REFRESH_GAP", 0.01)
    monkeypatch.setattr(hub, "REFRESH_EVERY", 0.05)
    live = CourseFactory(instructor=ada, status="published")
    quiz = QuizFactory(lesson__section__course=live, lesson__kind="quiz", time_limit=600)
    text = LessonFactory(section=quiz.lesson.section)
    enrollment = EnrollmentFactory(user=leo, course=live)
    seen = Course.objects.get(pk=live.pk).updated_at

    def grant(minutes: int) -> datetime:
        act = learning.Act(by=ada, learners=[enrollment.uid], key=uuid4())
        learning.grant_extra_time(act, quiz=quiz, minutes=minutes, now=timezone.now())
        enrollment.refresh_from_db()
        assert enrollment.exceptions_at is not None
        return enrollment.exceptions_at

    async def stays(socket: Any) -> None:
        assert await socket.receive_nothing(0.3)
        for minutes in (5, 10):
            await sync_to_async(grant)(minutes)
            assert await heard(socket, 1) == [{"type": "exceptions"}]
        assert await socket.receive_nothing(0.3)

    async def is_told(socket: Any) -> None:
        assert await heard(socket, 1) == [{"type": "exceptions"}]

    async def hears_nothing(socket: Any) -> None:
        assert await socket.receive_nothing(0.3)

    path = path_of(quiz.lesson, seen)
    with_sockets([browser_of(leo)], path, stays)
    with_sockets([browser_of(leo)], path, is_told)  # granted while the page was on its way
    with_sockets([browser_of(leo)], f"{path}&exceptions={quote(grant(15).isoformat())}", hears_nothing)
    with_sockets([browser_of(leo)], path_of(text, seen), hears_nothing)


def test_a_moment_that_cannot_be_read_is_none() -> None:
    for text in ("", "soon", "2026-13-45T00:00:00Z", "2026-03-01T10:00:00"):
        assert _moment(text) is None
    assert _moment("2026-03-01T10:00:00+00:00") == datetime(2026, 3, 1, 10, tzinfo=UTC)
    assert LessonConsumer.name == "lesson"
