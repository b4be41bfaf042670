"""Two people act on the next version of a course at the same moment: one outcome, and nobody's work is lost."""

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest
from django.db import connection

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import Course, CourseVersion, KeptContent, Lesson, Submission, VersionDraft
from apps.courses.queries.content_tree import read_tree
from apps.courses.services import corrections
from apps.courses.services.discarded import bring_back_version
from apps.courses.services.kept_contents import forget_version
from studyplatform.kit.errors import AppError
from tests.factories.courses import CourseFactory, LessonFactory

pytestmark = [
    pytest.mark.database,
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif("connection.vendor != 'postgresql'", reason="SQLite has one writer"),
]
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
Act = Callable[[], Any]
__all__ = ["connection"]


def at_once(*acts: Act) -> list[Any]:
    """Run the acts at the same moment; return what each returned, or its refusal. Anything else fails the test."""
    gate, failures = threading.Barrier(len(acts)), list[Exception]()
    found: list[Any] = [None] * len(acts)

    def run(place: int, act: Act) -> None:
        try:
            gate.wait(20)
            found[place] = act()
        except AppError as refusal:
            found[place] = refusal
        except Exception as problem:
            failures.append(problem)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(place, act)) for place, act in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    return found


@pytest.fixture
def live(ada: User) -> Course:
    course = CourseFactory(title="Rivers", slug="rivers", instructor=ada, status="published")
    LessonFactory(section__course=course, title="Springs", slug="springs", body="Water rises.")
    return course


def begin(live: Course) -> Course:
    return services.begin_version(course=live, by=live.instructor, now=NOW)


def edit(lesson: Lesson, body: str) -> Lesson:
    by = lesson.course.instructor
    return services.edit_lesson(
        lesson=lesson, by=by, title=lesson.title, summary="", body=body, is_preview=False, now=NOW
    )


def submit(live: Course) -> Any:
    return services.submit_course(course=live, by=live.instructor, now=NOW)


def decide(live: Course, by: User, outcome: str) -> Any:
    return services.decide_submission(course=live, by=by, outcome=outcome, comment="Because.", now=NOW)


def is_refused(outcome: Any) -> bool:
    return isinstance(outcome, AppError)


def body_of(course: Course) -> str:
    return Lesson.objects.get(course=course, slug="springs").body


def test_two_authors_begin_one_version(live: Course, sam: User) -> None:
    first, second = at_once(lambda: begin(live), lambda: services.begin_version(course=live, by=sam, now=NOW))
    assert first == second
    assert VersionDraft.objects.count() == 1
    assert CourseVersion.objects.count() == 1


def test_a_version_is_submitted_or_discarded(live: Course) -> None:
    edit(begin(live).lessons.get(), "Changed.")
    outcomes = at_once(lambda: submit(live), lambda: services.discard_version(course=live, by=live.instructor, now=NOW))
    submitted, discarded = map(is_refused, outcomes)
    assert submitted != discarded
    assert VersionDraft.objects.exists() == (not submitted)
    assert live.submissions.exists() == (not submitted)


def test_a_reviewer_decides_or_the_author_withdraws(live: Course, sam: User) -> None:
    edit(begin(live).lessons.get(), "Changed.")
    submit(live)
    decided, withdrawn = map(
        is_refused,
        at_once(
            lambda: decide(live, sam, "approved"),
            lambda: services.withdraw_course(course=live, by=live.instructor, now=NOW),
        ),
    )
    assert decided != withdrawn
    assert body_of(live) == ("Water rises." if decided else "Changed.")
    if decided:
        assert body_of(Course.with_working_copies.get(next_version_of=live)) == "Changed."


def test_two_reviewers_decide_once(live: Course, sam: User, eve: User) -> None:
    User.objects.filter(pk=eve.pk).update(role="admin")
    eve.refresh_from_db()
    edit(begin(live).lessons.get(), "Changed.")
    submit(live)
    approved, rejected = map(
        is_refused, at_once(lambda: decide(live, sam, "approved"), lambda: decide(live, eve, "rejected"))
    )
    assert approved != rejected
    assert body_of(live) == ("Water rises." if approved else "Changed.")
    assert CourseVersion.objects.filter(number=2).exists() == (not approved)


def test_an_edit_is_published_or_refused_and_never_half(live: Course, sam: User) -> None:
    """An author saves while the version is withdrawn from under the review that publishes it."""
    lesson = begin(live).lessons.get()
    edit(lesson, "Changed.")
    saved, submitted = map(is_refused, at_once(lambda: edit(lesson, "Later."), lambda: submit(live)))
    assert not submitted
    decide(live, sam, "approved")
    assert body_of(live) == ("Changed." if saved else "Later.")


def test_a_correction_or_a_discard_or_a_submission_wins_and_nothing_is_lost(live: Course, sam: User) -> None:
    """All of it at once, as often as it takes for each to win: learners have one whole text, and the other is kept."""
    for _round in range(4):
        Course.with_working_copies.exclude(next_version_of=None).delete()
        live.submissions.all().delete()
        before = body_of(live)
        edit(begin(live).lessons.get(), before.replace(".", " up."))
        outcomes = at_once(
            lambda: corrections.publish_corrections(course=live, by=live.instructor, now=NOW),
            lambda: services.discard_version(course=live, by=live.instructor, now=NOW),
            lambda: submit(live),
            lambda: decide(live, sam, "approved"),
        )
        corrected, discarded, submitted, decided = (not is_refused(outcome) for outcome in outcomes)
        assert not (discarded and submitted)
        assert decided <= submitted
        is_changed = corrected or decided
        assert body_of(live) == (before.replace(".", " up.") if is_changed else before)
        copies = list(Course.with_working_copies.filter(next_version_of=live))
        assert len(copies) == (not discarded and not decided)
        stored = outcomes[1] if discarded else None
        assert not discarded or stored is not None or corrected, "only what was published before is not stored"
        kept = [read_tree(copy) for copy in copies] + ([stored.tree] if stored else [])
        assert all(before.replace(".", " up.") in json.dumps(tree) for tree in kept)
        labels = [version.label for version in live.versions.order_by("number", "correction")]
        assert len(labels) == len(set(labels))


def test_two_trusted_authors_publish_one_version(live: Course, sam: User, settings: Any) -> None:
    settings.REVIEW_RULE = "trusted"
    for _approval in range(3):
        Submission.objects.create(
            course=live, submitted_by=live.instructor, submitted_at=NOW, outcome="approved", decided_at=NOW
        )
    edit(begin(live).lessons.get(), "Changed.")
    publish = partial(corrections.publish_alone, course=live, by=live.instructor, now=NOW)
    first, second = map(is_refused, at_once(publish, publish))
    assert first != second
    assert list(live.versions.order_by("number").values_list("number", flat=True)) == [1, 2]
    assert body_of(live) == "Changed."


def test_a_version_is_brought_back_once(live: Course) -> None:
    edit(begin(live).lessons.get(), "Changed.")
    discarded = services.discard_version(course=live, by=live.instructor, now=NOW)
    assert discarded is not None
    back = partial(bring_back_version, discarded=discarded, by=live.instructor, now=NOW)
    first, second = map(is_refused, at_once(back, back))
    assert first != second
    assert body_of(Course.with_working_copies.get(next_version_of=live)) == "Changed."
    assert not live.discarded_versions.exists()


def test_a_version_is_brought_back_beside_one_that_begins(live: Course, sam: User) -> None:
    edit(begin(live).lessons.get(), "Changed.")
    discarded = services.discard_version(course=live, by=live.instructor, now=NOW)
    assert discarded is not None
    outcomes = at_once(
        lambda: bring_back_version(discarded=discarded, by=live.instructor, now=NOW),
        lambda: services.begin_version(course=live, by=sam, now=NOW),
    )
    assert not any(map(is_refused, outcomes))
    assert body_of(Course.with_working_copies.get(next_version_of=live)) == "Changed."


def test_a_version_is_forgotten_or_restored(live: Course, sam: User) -> None:
    edit(begin(live).lessons.get(), "Changed.")
    submit(live)
    decide(live, sam, "approved")
    first = live.versions.get(number=1)
    at_once(
        lambda: forget_version(version=first, by=live.instructor),
        lambda: services.restore_version(version=first, by=sam, now=NOW),
    )
    first.refresh_from_db()
    assert first.tree is None
    assert not KeptContent.objects.filter(version=first).exists()
