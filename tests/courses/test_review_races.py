"""Two people do the same thing in a review at the same moment: one outcome, and nothing twice."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, connections

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import Appeal, Course, ReviewComment, ReviewGuest, ReviewThread, ReviewTick
from apps.courses.services import Said, Writer
from studyplatform.kit.errors import AppError
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory

NOW = datetime(2026, 3, 16, 10, 0, tzinfo=UTC)
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database]


@pytest.fixture(autouse=True)
def _only_on_postgresql(transactional_db: None) -> None:
    if connection.vendor != "postgresql":
        pytest.skip("SQLite lets one writer in at a time")


def together(*acts: Callable[[], object]) -> list[object]:
    """Run the acts at the same moment; return their results, or the refusals."""
    ready = Barrier(len(acts))

    def run(act: Callable[[], object]) -> object:
        try:
            ready.wait(timeout=60)
            return act()
        except AppError as refusal:
            return type(refusal).__name__
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


@pytest.fixture
def people() -> tuple[User, User, User]:
    return UserFactory(role="instructor"), UserFactory(role="admin"), UserFactory(role="admin")


def test_reviewers_who_do_the_same_at_once_get_one_outcome(people: tuple[User, User, User]) -> None:
    ada, sam, nadia = people
    course = LessonFactory(section__course__instructor=ada).course
    services.submit_course(course=course, by=ada, now=NOW)
    course = Course.objects.get(pk=course.pk)
    said = Said(uid=uuid4(), text="Sent twice")

    def comment() -> ReviewThread:
        return services.open_thread(course=course, writer=Writer(user=sam), said=said, now=NOW)

    first, second = together(comment, comment)
    assert first == second
    assert ReviewComment.objects.count() == ReviewThread.objects.count() == 1
    thread = ReviewThread.objects.get()

    together(*(lambda by=by: services.resolve_thread(thread=thread, by=by, now=NOW) for by in (sam, nadia)))  # type: ignore[misc]
    thread.refresh_from_db()
    assert thread.resolved_by in {sam, nadia}

    def tick(by: User) -> Callable[[], Any]:
        return lambda: services.tick_point(course=course, by=by, point="plays", is_ticked=True, now=NOW)

    together(tick(sam), tick(nadia))
    assert ReviewTick.objects.count() == 1


def test_appeals_and_links_hold_under_a_crowd(people: tuple[User, User, User]) -> None:
    ada, sam, nadia = people
    course = CourseFactory(instructor=ada, status="published")
    services.suspend_course(course=course, by=sam, reason="A film", now=NOW)

    def appeal() -> Appeal:
        return services.appeal_suspension(course=course, by=ada, text="Why?", now=NOW)

    results = together(appeal, appeal)
    assert results.count("AppealNotPossible") == 1
    row = Appeal.objects.get()

    def decide(by: User, *, is_reinstated: bool) -> Callable[[], Any]:
        return lambda: services.decide_appeal(appeal=row, by=by, is_reinstated=is_reinstated, reply="So", now=NOW)

    results = together(decide(sam, is_reinstated=True), decide(nadia, is_reinstated=False))
    assert results.count("AppealDecided") == 1
    row.refresh_from_db()
    status = Course.objects.get(pk=course.pk).status
    assert (row.outcome, status) in {("reinstated", "published"), ("kept", "suspended")}

    link, _token = services.create_review_link(course=course, by=ada, recipient="Mori", days=3, now=NOW)
    crowd = [lambda: services.enter_review(link=link, name="Aki", now=NOW)] * 7
    results = together(*crowd)
    assert results.count("ReviewLinkFull") == 2
    assert ReviewGuest.objects.count() == services.MAX_GUESTS
