"""The next version of a published course: begun, submitted, decided, discarded and restored."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest

from apps.accounts.models import User
from apps.courses import services
from apps.courses.content_tree import diff_trees
from apps.courses.content_tree.combining import combine_trees
from apps.courses.errors import (
    CourseInUse,
    CourseUnderReview,
    DraftClosed,
    NotCourseStaff,
    NothingToPublish,
    VersionNotKept,
    WrongCourseStatus,
)
from apps.courses.models import Course, CourseVersion, Lesson, Submission, VersionDraft
from apps.courses.queries.content_tree import read_tree
from apps.courses.queries.findings import find_all
from apps.courses.services import captions
from apps.learning.models import LessonProgress
from apps.learning.services import announce_version
from apps.learning.services.certificates import issue_certificate
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import VideoFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
LATER = datetime(2026, 3, 16, 10, 0, tzinfo=UTC)


@pytest.fixture
def live(ada: User) -> Course:
    course = CourseFactory(title="Rivers", slug="rivers", instructor=ada, status="published")
    LessonFactory(section__course=course, title="Springs", slug="springs", body="Water rises.")
    LessonFactory(section=course.sections.get(), title="Deltas", slug="deltas", body="Water spreads.")
    return course


def begin(live: Course) -> Course:
    return services.begin_version(course=live, by=live.instructor, now=NOW)


def rewrite(copy: Course, slug: str, body: str) -> None:
    lesson = copy.lessons.get(slug=slug)
    services.edit_lesson(
        lesson=lesson, by=copy.instructor, title=lesson.title, summary="", body=body, is_preview=False, now=NOW
    )


def approve(live: Course, by: User) -> Submission:
    services.submit_course(course=live, by=live.instructor, now=NOW)
    return services.decide_submission(course=live, by=by, outcome="approved", now=LATER)


def bodies(course: Course) -> dict[str, str]:
    return dict(course.lessons.values_list("slug", "body"))


def test_a_version_is_begun_once_and_changes_nothing(live: Course, ada: User) -> None:
    before = read_tree(live)
    copy = begin(live)
    assert begin(live) == copy
    assert begin(copy) == copy
    assert copy.slug == "rivers-version-2"
    assert (copy.live, copy.status, copy.published_at) == (live, "draft", None)
    assert diff_trees(before, read_tree(copy)).is_empty
    assert read_tree(live) == before
    draft = VersionDraft.objects.get()
    assert (draft.number, draft.base, draft.begun_by) == (2, before, ada)
    first = CourseVersion.objects.get()
    assert (first.label, first.tree, first.published_at) == ("1", before, live.published_at)


def test_learners_get_a_version_when_it_is_approved_and_keep_their_progress(live: Course, sam: User, leo: User) -> None:
    springs = live.lessons.get(slug="springs")
    enrollment = EnrollmentFactory(user=leo, course=live)
    LessonProgressFactory(enrollment=enrollment, lesson=springs, completed_at=NOW)
    copy = begin(live)
    rewrite(copy, "springs", "Water rises slowly.")
    services.add_lesson(
        section=copy.sections.get(), by=copy.instructor, kind="text", title="Fords", body="Wade.", now=NOW
    )
    services.delete_lesson(lesson=copy.lessons.get(slug="deltas"), by=copy.instructor, now=NOW)
    services.choose_for_learners(course=live, by=live.instructor, choices={"note": "  Fords  are new. "})
    assert bodies(live) == {"springs": "Water rises.", "deltas": "Water spreads."}
    submission = approve(live, sam)
    assert (submission.course, submission.version_number, submission.outcome) == (live, 2, "approved")
    assert bodies(live) == {"springs": "Water rises slowly.", "fords": "Wade."}
    assert live.lessons.get(slug="springs").pk == springs.pk
    assert LessonProgress.objects.get(lesson=springs, enrollment=enrollment).completed_at
    assert not Course.with_working_copies.exclude(next_version_of=None).exists()
    version = live.versions.get(number=2)
    assert (version.note, version.counts) == ("Fords are new.", {"changed": 1, "added": 1, "removed": 1})
    assert (version.published_by, version.approved_by, version.published_at) == (live.instructor, sam, LATER)
    assert version.tree == read_tree(live)


def test_a_version_that_is_not_approved_is_a_draft_again(live: Course, ada: User, sam: User) -> None:
    copy = begin(live)
    with pytest.raises(NothingToPublish):
        services.submit_course(course=live, by=ada, now=NOW)
    rewrite(copy, "springs", "Better.")
    services.submit_course(course=live, by=ada, now=NOW)
    with pytest.raises(CourseUnderReview):
        rewrite(copy, "springs", "Too late.")
    with pytest.raises(CourseUnderReview):
        services.discard_version(course=live, by=ada, now=NOW)
    with pytest.raises(WrongCourseStatus):
        services.submit_course(course=copy, by=ada, now=NOW)
    services.withdraw_course(course=live, by=ada, now=NOW)
    with pytest.raises(WrongCourseStatus):
        services.decide_submission(course=live, by=sam, outcome="approved", now=NOW)
    services.submit_course(course=copy, by=ada, now=NOW)
    services.decide_submission(course=live, by=sam, outcome="rejected", comment="No.", now=LATER)
    rewrite(copy, "springs", "Best.")
    assert bodies(live)["springs"] == "Water rises."
    assert [one.outcome for one in live.submissions.order_by("pk")] == ["withdrawn", "rejected"]
    live.refresh_from_db()
    assert live.status == "published"


def test_a_discarded_version_leaves_no_trace(live: Course, ada: User) -> None:
    before = read_tree(live)
    copy = begin(live)
    rewrite(copy, "springs", "Never.")
    with pytest.raises(CourseInUse):
        services.delete_course(course=copy, by=ada)
    services.discard_version(course=copy, by=ada, now=LATER)
    assert read_tree(live) == before
    assert not VersionDraft.objects.exists()
    for late in (
        lambda: services.discard_version(course=copy, by=ada, now=LATER),
        lambda: services.submit_course(course=copy, by=ada, now=LATER),
        lambda: services.edit_lesson(
            lesson=Lesson(course=copy), by=ada, title="", summary="", body="", is_preview=False, now=LATER
        ),
    ):
        with pytest.raises(DraftClosed):
            late()


def test_what_comes_too_late_for_a_version_is_told_so(live: Course, ada: User) -> None:
    """As its page was opened before the version was published or discarded."""
    copy = begin(live)
    lesson = copy.lessons.get(slug="springs")
    lesson.video = VideoFactory(owner=ada)
    Course.with_working_copies.filter(pk=copy.pk).delete()
    ways: list[Callable[[], object]] = [
        lambda: services.insert_lessons(
            course=copy, by=ada, lessons=[live.lessons.get(slug="deltas")], position=0, now=NOW
        ),
        lambda: services.duplicate_course(course=copy, by=ada, key=uuid4(), now=NOW),
        lambda: captions.publish_captions(lesson=lesson, by=ada, language="en", revision=1, now=NOW),
        lambda: captions.save_chapters(lesson=lesson, by=ada, chapters=[], before=[]),
    ]
    for way in ways:
        with pytest.raises(DraftClosed):
            way()


def test_only_staff_of_a_course_that_was_published_begin_one(live: Course, eve: User, ada: User) -> None:
    for course, by, refusal in (
        (live, eve, NotCourseStaff),
        (CourseFactory(instructor=ada), ada, WrongCourseStatus),
        (CourseFactory(instructor=ada, status="archived", published_at=NOW), ada, WrongCourseStatus),
    ):
        with pytest.raises(refusal):
            services.begin_version(course=course, by=by, now=NOW)


def test_a_former_version_is_restored_into_the_next_one(live: Course, ada: User, sam: User) -> None:
    deltas = live.lessons.get(slug="deltas")
    copy = begin(live)
    rewrite(copy, "springs", "Second.")
    services.delete_lesson(lesson=copy.lessons.get(slug="deltas"), by=ada, now=NOW)
    approve(live, sam)
    first = live.versions.get(number=1)
    again = services.restore_version(version=first, by=ada, now=LATER)
    assert bodies(again) == {"springs": "Water rises.", "deltas": "Water spreads."}
    assert bodies(live) == {"springs": "Second."}
    approve(live, sam)
    assert live.lessons.get(slug="deltas").pk == deltas.pk
    third = live.versions.get(number=3)
    assert third.restored_from == first
    CourseVersion.objects.filter(pk=first.pk).update(tree=None)
    first.refresh_from_db()
    with pytest.raises(VersionNotKept):
        services.restore_version(version=first, by=ada, now=LATER)


def test_an_unpublished_course_is_open_again_with_its_next_version(live: Course, ada: User, sam: User) -> None:
    services.unpublish_course(course=live, by=ada, now=NOW)
    rewrite(begin(live), "springs", "Open again.")
    approve(live, sam)
    live.refresh_from_db()
    assert (live.status, live.published_at is not None) == ("published", True)


def test_what_changed_in_the_live_course_meanwhile_stays(live: Course, sam: User) -> None:
    copy = begin(live)
    rewrite(copy, "springs", "Draft.")
    Course.objects.filter(pk=live.pk).update(pricing="one_time", price=4900)
    Lesson.objects.filter(course=live, slug="deltas").update(duration=777)
    approve(live, sam)
    live.refresh_from_db()
    assert (live.pricing, live.price) == ("one_time", 4900)
    assert live.lessons.get(slug="deltas").duration == 777
    assert bodies(live)["springs"] == "Draft."


def test_fields_that_both_changed_are_conflicts(live: Course) -> None:
    base = read_tree(live)
    draft: dict[str, Any] = read_tree(live)
    published: dict[str, Any] = read_tree(live)
    draft["course"]["title"], published["course"]["title"] = "Mine", "Theirs"
    published["course"]["summary"] = "Theirs."
    published["sections"][0]["lessons"][0]["body"] = "Theirs."
    combined = combine_trees(base, draft, published)
    assert [(one.name, one.draft, one.published) for one in combined.conflicts] == [("title", "Mine", "Theirs")]
    assert combined.tree["course"]["summary"] == "Theirs."
    assert combined.tree["course"]["title"] == "Mine"
    assert combined.tree["sections"][0]["lessons"][0]["body"] == "Theirs."
    assert draft["course"]["summary"] != "Theirs."


def test_learners_are_told_once_and_certificates_name_the_version(live: Course, sam: User, leo: User) -> None:
    enrollment = EnrollmentFactory(user=leo, course=live)
    assert issue_certificate(enrollment=enrollment, now=NOW).course_version == "1"
    rewrite(begin(live), "springs", "Second.")
    services.choose_for_learners(
        course=live, by=live.instructor, choices={"note": "Clearer springs.", "is_announced": True}
    )
    approve(live, sam)
    version = live.versions.get(number=2)
    for _ in range(2):
        announce_version(version_id=version.pk, extend_lease=lambda: None)
    told = leo.notifications.get(kind="learning.new_version")
    assert "Clearer springs." in str(told.params)
    assert issue_certificate(enrollment=EnrollmentFactory(course=live), now=LATER).course_version == "2"


def test_what_an_author_ignores_is_ignored_in_all_versions(live: Course, ada: User, sam: User) -> None:
    def ignored(course: Course) -> list[str]:
        return [one.key for one in find_all(course) if one.is_ignored]

    Lesson.objects.filter(course=live, slug="springs").update(body="# One\n\n### Three")
    copy = begin(live)
    skipped = next(one for one in find_all(copy) if one.rule == "heading_skipped")
    services.ignore_finding(course=copy, by=ada, key=skipped.key, reason="As in the book", now=NOW)
    assert ignored(copy) == ignored(live) == [skipped.key]
    rewrite(copy, "deltas", "It spreads.")
    approve(live, sam)
    assert ignored(begin(live)) == [skipped.key]
    services.restore_finding(course=live.working_copy, by=sam, key=skipped.key)
    assert ignored(live.working_copy) == []
