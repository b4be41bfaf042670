"""Small corrections of a published course go live at once, where the rule of the site allows it."""

from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from apps.accounts.models import Role, User
from apps.courses import services
from apps.courses.errors import (
    CorrectionsAreReviewed,
    CorrectionsTooLong,
    DraftClosed,
    NothingToCorrect,
    NothingToPublish,
    UndoConflict,
    VersionIsReviewed,
    VersionNotKept,
    WrongCourseStatus,
)
from apps.courses.models import Course, CourseVersion, Question, Submission, VersionDraft
from apps.courses.queries.content_tree import read_tree
from apps.courses.queries.kept_versions import files_in_versions
from apps.courses.services import corrections, kept_contents
from apps.learning.models import Enrollment
from studyplatform.kit.errors import AppError
from tests.courses.whole_course import make_whole_course
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory, SubmissionFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
DAY = timedelta(days=1, minutes=1)


@pytest.fixture
def live() -> Course:
    course = CourseFactory(status="published", title="Rivers")
    section = SectionFactory(course=course, title="Deltas")
    for slug in ("springs", "film", "mouths"):
        LessonFactory(section=section, slug=slug, title=slug.capitalize())
    return Course.objects.get(pk=course.pk)


def begin(live: Course) -> Course:
    return services.begin_version(course=live, by=live.instructor, now=NOW)


def rewrite(copy: Course, slug: str, **fields: str) -> None:
    lesson = copy.lessons.get(slug=slug)
    texts = {"title": lesson.title, "summary": lesson.summary, "body": lesson.body} | fields
    services.edit_lesson(lesson=lesson, by=copy.instructor, is_preview=lesson.is_preview, now=NOW, **texts)


def correct(live: Course, *, by: User | None = None, now: datetime = NOW) -> CourseVersion:
    return corrections.publish_corrections(course=live, by=by or live.instructor, now=now)


def titles(course: Course) -> dict[str, str]:
    return dict(course.lessons.values_list("slug", "title"))


def test_corrections_go_live_and_everything_else_stays_in_the_copy(live: Course) -> None:
    before = read_tree(live)
    copy = begin(live)
    rewrite(copy, "springs", title="Springs and wells")
    rewrite(copy, "mouths", body="Another text. " * 20)
    services.delete_lesson(lesson=copy.lessons.get(slug="film"), by=live.instructor, now=NOW)

    version = correct(live)

    assert (version.label, version.counts, version.approved_by) == ("1.1", {"corrected": 1, "words": 2}, None)
    assert version.tree == read_tree(live) != before
    assert titles(live) == {"springs": "Springs and wells", "film": "Film", "mouths": "Mouths"}
    assert live.lessons.get(slug="mouths").body == "Words to read."
    with pytest.raises(NothingToCorrect):
        correct(live)
    # The rest is published later, and nothing of the correction is lost or in conflict.
    services.submit_course(course=live, by=live.instructor, now=NOW)
    admin = UserFactory(role=Role.ADMIN)
    services.decide_submission(course=live, by=admin, outcome="approved", now=NOW)
    assert titles(live) == {"springs": "Springs and wells", "mouths": "Mouths"}
    assert live.versions.order_by("-number").first().label == "2"


def test_a_correction_is_undone_where_its_text_is_still_there(live: Course) -> None:
    before = read_tree(live)
    copy = begin(live)
    rewrite(copy, "springs", title="Wells")
    version = correct(live)

    undone = corrections.undo_correction(version=version, by=live.instructor, now=NOW)

    assert undone.label == "1.2"
    assert read_tree(live) == before == VersionDraft.objects.get().base
    assert copy.lessons.get(slug="springs").title == "Wells"
    with pytest.raises(UndoConflict):
        corrections.undo_correction(version=version, by=live.instructor, now=NOW)
    with pytest.raises(UndoConflict):  # else both could be published by turns without end
        corrections.undo_correction(version=undone, by=live.instructor, now=NOW)
    assert correct(live).label == "1.3"
    with pytest.raises(VersionNotKept):
        corrections.undo_correction(version=live.versions.get(correction=0), by=live.instructor, now=NOW)


def test_many_small_corrections_do_not_add_up_to_a_version(live: Course) -> None:
    live.lessons.filter(slug="mouths").update(body="one " * 12 + "end")
    copy = begin(live)
    rewrite(copy, "mouths", body="two " * 13 + "end")
    with pytest.raises(NothingToCorrect):
        correct(live)
    for word in ("two ", "ten ", "few "):
        rewrite(copy, "mouths", body=word * 12 + "end")
        correct(live)
    rewrite(copy, "mouths", body="six " * 12 + "end")

    with pytest.raises(CorrectionsTooLong):
        correct(live)
    assert correct(live, now=NOW + DAY).is_correction


def test_corrections_keep_their_contents_as_long_as_versions(live: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_contents, "KEPT_VERSIONS", 2)
    copy = begin(live)
    for title in ("Wells", "Brooks", "Becks"):
        rewrite(copy, "springs", title=title)
        correct(live)
    kept = CourseVersion.objects.filter(tree__isnull=False)
    assert sorted(version.label for version in kept) == ["1.2", "1.3"]


def test_the_rule_of_the_site_decides(live: Course, settings: Any) -> None:
    copy = begin(live)
    rewrite(copy, "springs", title="Wells")
    by = live.instructor
    refused: list[tuple[str, User, type[AppError]]] = [
        ("all", by, CorrectionsAreReviewed),
        ("small", UserFactory(), AppError),
    ]
    for rule, user, error in refused:
        settings.REVIEW_RULE = rule
        with pytest.raises(error):
            correct(live, by=user)
    for rule in ("all", "small", "trusted"):
        settings.REVIEW_RULE = rule
        with pytest.raises(VersionIsReviewed):
            corrections.publish_alone(course=live, by=by, now=NOW)
    settings.REVIEW_RULE = "all"
    assert correct(live, by=UserFactory(role=Role.ADMIN)).is_correction


def test_trusted_authors_publish_versions_themselves(live: Course, settings: Any) -> None:
    settings.REVIEW_RULE = "trusted"
    by = live.instructor
    for _ in range(3):
        SubmissionFactory(submitted_by=by, outcome=Submission.Outcome.APPROVED)
    with pytest.raises(WrongCourseStatus):
        corrections.publish_alone(course=live, by=by, now=NOW)
    begun = EnrollmentFactory(course=live)
    LessonProgressFactory(enrollment=begun, lesson=live.lessons.get(slug="springs"))
    copy = begin(live)
    with pytest.raises(NothingToPublish):
        corrections.publish_alone(course=live, by=by, now=NOW)
    section = copy.sections.get(title="Deltas")
    services.add_lesson(section=section, by=by, kind="text", title="Fords", body="Wade.", now=NOW)
    services.choose_for_learners(course=live, by=by, choices={"transition": "choose"})
    rejected = SubmissionFactory(submitted_by=by, outcome=Submission.Outcome.REJECTED)
    with pytest.raises(VersionIsReviewed):
        corrections.publish_alone(course=live, by=by, now=NOW)
    rejected.delete()

    version = corrections.publish_alone(course=live, by=by, now=NOW)

    assert (version.label, version.approved_by, titles(live)["fords"]) == ("2", None, "Fords")
    assert live.lessons.get(slug="fords").since_version == 2
    enrollment = Enrollment.objects.get(pk=begun.pk)
    assert (enrollment.required_version, enrollment.offered_version) == (1, 2)


def test_corrections_need_a_working_copy_of_a_public_course(live: Course) -> None:
    with pytest.raises(DraftClosed):
        correct(live)
    rewrite(begin(live), "springs", title="Wells")
    Course.objects.filter(pk=live.pk).update(status="suspended")
    with pytest.raises(WrongCourseStatus):
        correct(live)


def test_what_a_stored_version_names_is_kept_beyond_the_time_of_undoing() -> None:
    course = make_whole_course()
    kept = read_tree(course)
    course.lessons.filter(slug="springs").update(removed_at=NOW)
    Question.objects.filter(quiz__course=course, prompt="Tagged?").update(removed_at=NOW)
    version = CourseVersion.objects.create(course=course, number=1, tree=kept, published_at=NOW)
    later = NOW + timedelta(days=40)
    files = {UUID(file["uid"]) for file in kept["files"]}
    assert services.purge_removed(now=later) == 0
    assert files_in_versions({*files, uuid4()}) == files

    version.tree = None
    version.save()

    assert services.purge_removed(now=later) == 2
    assert files_in_versions(files) == set()
