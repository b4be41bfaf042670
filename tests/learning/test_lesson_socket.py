"""Pages of lessons that are open hear of a version of their course."""

from datetime import datetime, timedelta
from typing import Any
from urllib.parse import quote

import pytest
from asgiref.sync import sync_to_async
from django.utils import timezone

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import Course, Lesson
from apps.learning.consumers import LessonConsumer, _moment
from studyplatform.kit import sockets as hub
from tests.factories.courses import CourseFactory, LessonFactory
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


def test_a_moment_that_cannot_be_read_is_the_present_one() -> None:
    for text in ("", "soon", "2026-13-45T00:00:00Z", "2026-03-01T10:00:00"):
        assert timezone.now() - _moment(text) < timedelta(minutes=1)
    assert _moment("2026-03-01T10:00:00+00:00").year == 2026
    assert LessonConsumer.name == "lesson"
