"""What stored and discarded versions keep: files and pictures that came back, storage that is freed with them."""

from datetime import UTC, datetime, timedelta

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.courses import services
from apps.courses.content_tree import diff_trees
from apps.courses.errors import DraftClosed, NotCourseStaff, VersionIsPresent
from apps.courses.models import Course, CourseVersion, DiscardedVersion, KeptContent, Lesson, VersionDraft
from apps.courses.picture_files import Crop
from apps.courses.queries.content_tree import read_tree
from apps.courses.queries.kept_versions import missing_contents
from apps.courses.services.discarded import bring_back_version, purge_discarded
from apps.courses.services.kept_contents import forget_version
from apps.files.models import Upload
from apps.files.services import release_content, uses_of
from tests.courses.test_course_pictures import picture_bytes
from tests.factories.co_instructors import CoInstructorFactory
from tests.factories.courses import CourseFactory, LessonFactory, QuestionFactory, QuizFactory
from tests.factories.files import StoredFileFactory, VideoFactory

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)
OWN = "/dashboard/instructor/courses/rivers"


@pytest.fixture
def live(ada: User) -> Course:
    course = CourseFactory(title="Rivers", slug="rivers", instructor=ada, status="published")
    LessonFactory(section__course=course, title="Springs", slug="springs", body="Water rises.")
    sheet = StoredFileFactory(owner=ada, filename="old.pdf", length=3_000_000)
    LessonFactory(section=course.sections.get(), title="Sheet", slug="sheet", kind="file", file=sheet, body="")
    quiz = LessonFactory(section=course.sections.get(), title="Check", slug="check", kind="quiz", body="")
    QuestionFactory(quiz=QuizFactory(lesson=quiz), prompt="Where?")
    return course


def begin(live: Course) -> Course:
    return services.begin_version(course=live, by=live.instructor, now=NOW)


def publish(live: Course, by: User) -> CourseVersion:
    services.submit_course(course=live, by=live.instructor, now=NOW)
    services.decide_submission(course=live, by=by, outcome="approved", now=NOW)
    found = live.versions.order_by("-number").first()
    assert found is not None
    return found


def replace_file(live: Course, name: str) -> Upload:
    lesson, raw = begin(live).lessons.get(slug="sheet"), SimpleUploadedFile(name, b"%PDF-1.4 new")
    found = services.upload_file(lesson=lesson, by=live.instructor, file=raw, name=name, now=NOW).file
    assert found is not None
    return found


def edit_much(copy: Course) -> None:
    """Change a text, remove a lesson, add one, and change a question."""
    by = copy.instructor
    springs = copy.lessons.get(slug="springs")
    services.edit_lesson(lesson=springs, by=by, title="Wells", summary="", body="Dig.", is_preview=False, now=NOW)
    services.delete_lesson(lesson=copy.lessons.get(slug="sheet"), by=by, now=NOW)
    made = services.add_lesson(section=copy.sections.get(), by=by, kind="text", title="Mouths", now=NOW)
    services.edit_lesson(lesson=made, by=by, title="Mouths", summary="", body="Wide.", is_preview=False, now=NOW)
    question = copy.lessons.get(slug="check").quiz.questions.get()
    question.prompt = "Where to?"
    question.save()


def test_a_discarded_version_comes_back_as_it_was(live: Course, ada: User, sam: User, eve: User) -> None:
    copy = begin(live)
    services.choose_for_learners(course=copy, by=ada, choices={"note": "New.", "transition": "finish"})
    edit_much(copy)
    written, base = read_tree(copy), copy.draft.base
    discarded = services.discard_version(course=copy, by=ada, now=NOW)
    assert discarded is not None
    with pytest.raises(NotCourseStaff):
        bring_back_version(discarded=discarded, by=eve, now=NOW)
    copy = bring_back_version(discarded=discarded, by=ada, now=NOW + timedelta(days=29))
    assert diff_trees(written, read_tree(copy)).is_empty
    draft = VersionDraft.objects.get(course=copy)
    assert (draft.note, draft.transition, draft.number, draft.base) == ("New.", "finish", 2, base)
    with pytest.raises(DraftClosed):
        bring_back_version(discarded=discarded, by=ada, now=NOW)
    publish(live, sam)
    assert list(live.lessons.order_by("position").values_list("title", flat=True)) == ["Wells", "Check", "Mouths"]


def test_what_was_begun_since_is_discarded_in_turn(live: Course, ada: User) -> None:
    services.choose_for_learners(course=begin(live), by=ada, choices={"note": "Soon."})
    first = services.discard_version(course=live.working_copy, by=ada, now=NOW)
    assert first is not None
    live = Course.objects.get(pk=live.pk)
    edit_much(begin(live))
    second = bring_back_version(discarded=first, by=ada, now=NOW)
    assert diff_trees(read_tree(live), read_tree(second)).is_empty
    third = bring_back_version(discarded=DiscardedVersion.objects.get(), by=ada, now=NOW)
    assert third.lessons.filter(title="Mouths").exists()


def test_restoring_keeps_what_was_written(live: Course, ada: User) -> None:
    edit_much(begin(live))
    for _again in range(2):
        copy = services.restore_version(version=live.versions.get(), by=ada, now=NOW)
        assert diff_trees(read_tree(live), read_tree(copy)).is_empty
    first = DiscardedVersion.objects.order_by("pk")[0]
    copy = bring_back_version(discarded=first, by=ada, now=NOW)
    assert copy.lessons.filter(title="Mouths").exists()


def test_only_what_was_written_is_kept_and_all_of_it_is_listed(live: Course, ada: User, browser_of) -> None:
    assert services.discard_version(course=begin(live), by=ada, now=NOW) is None
    for _again in range(3):
        services.restore_version(version=live.versions.get(), by=ada, now=NOW)
    assert not DiscardedVersion.objects.exists()
    tree, now = read_tree(live), timezone.now()
    DiscardedVersion.objects.bulk_create(
        DiscardedVersion(course=live, number=2, tree=tree, base=tree, discarded_at=now) for _ in range(12)
    )
    pages = [browser_of(ada).get(f"{OWN}/versions?discarded={page}").content.decode() for page in (1, 2)]
    assert [page.count("Version 2 was discarded") for page in pages] == [10, 2]


def test_a_co_instructor_brings_texts_back_and_no_price(live: Course, ada: User, sam: User) -> None:
    bo = CoInstructorFactory(course=live, role="edit").user
    for _again in range(2):  # drafts at 9.00 by the instructor, who discarded them
        Course.with_working_copies.filter(pk=begin(live).pk).update(pricing="one_time", price=900)
        discarded = services.discard_version(course=live.working_copy, by=ada, now=NOW)
        assert discarded is not None
        live = Course.objects.get(pk=live.pk)
    Course.objects.filter(pk=live.pk).update(pricing="one_time", price=5000)

    copy = bring_back_version(discarded=discarded, by=bo, now=NOW)
    assert (copy.pricing, copy.price, copy.draft.base["course"]["price"]) == ("one_time", 5000, 5000)
    edit_much(copy)
    copy = services.restore_version(version=live.versions.get(), by=bo, now=NOW)
    assert (copy.pricing, copy.price) == ("one_time", 5000)
    Course.with_working_copies.filter(pk=copy.pk).update(price=700)  # by its instructor, for the next version
    Course.objects.filter(pk=live.pk).update(price=6000)
    copy = bring_back_version(discarded=DiscardedVersion.objects.earliest("pk"), by=bo, now=NOW)
    assert (copy.price, copy.draft.base["course"]["price"]) == (700, 5000)

    owners = services.restore_version(version=live.versions.get(), by=ada, now=NOW)
    assert (owners.pricing, owners.price) == ("free", 0)


def test_a_discarded_version_goes_after_thirty_days(live: Course, ada: User) -> None:
    sheet = replace_file(live, "new.pdf")
    discarded = services.discard_version(course=live.working_copy, by=ada, now=NOW)
    assert discarded is not None
    assert Upload.objects.filter(pk=sheet.pk).exists()
    assert purge_discarded(now=NOW + timedelta(days=29)) == 0
    with pytest.raises(DraftClosed):
        bring_back_version(discarded=discarded, by=ada, now=NOW + timedelta(days=30))
    assert purge_discarded(now=NOW + timedelta(days=30)) == 1
    assert not Upload.objects.filter(pk=sheet.pk).exists()


def test_a_restored_version_has_its_file_and_its_picture_again(live: Course, ada: User, sam: User) -> None:
    def set_picture(alt: str) -> None:
        raw = SimpleUploadedFile(f"{alt}.jpg", picture_bytes())
        services.upload_picture(
            course=begin(live), by=ada, file=raw, name=f"{alt}.jpg", alt=alt, crop=Crop(0.5, 0.5, 1), now=NOW
        )

    set_picture("before")
    publish(live, sam)
    old = live.lessons.get(slug="sheet").file
    assert old is not None
    set_picture("after")
    replace_file(live, "new.pdf")
    publish(live, sam)
    release_content(upload_id=old.pk)  # what a lesson no longer offers
    assert [use.label for use in uses_of([old.pk], ada)[old.pk]] == ["a former version of “Rivers”"]
    assert missing_contents(live.versions.get(number=2).tree) == []
    services.restore_version(version=live.versions.get(number=2), by=ada, now=NOW)
    publish(live, sam)
    live = Course.objects.get(pk=live.pk)
    assert live.lessons.get(slug="sheet").file == old
    assert live.picture.alt == "before"
    assert all(default_storage.exists(name) for name in live.picture.file_names)


def test_what_a_forgotten_version_kept_is_freed(live: Course, ada: User, sam: User, browser_of) -> None:
    old = live.lessons.get(slug="sheet").file
    assert old is not None
    replace_file(live, "new.pdf")
    second = publish(live, sam)
    Lesson.with_removed.exclude(course=live).filter(file=old).delete()
    browser: Client = browser_of(ada)
    assert "of files that the course no longer uses" in browser.get(f"{OWN}/versions").content.decode()
    first = live.versions.get(number=1)
    with pytest.raises(VersionIsPresent):
        forget_version(version=second, by=ada)
    assert b"can&#39;t compare or restore it" in browser.get(f"{OWN}/versions/{first.uid}/forget").content
    browser.post(f"{OWN}/versions/{first.uid}/forget")
    assert not Upload.objects.filter(pk=old.pk).exists()
    assert list(KeptContent.objects.values_list("version__number", flat=True).distinct()) == [2]


def test_restoring_says_first_what_cannot_come_back(live: Course, ada: User, sam: User, browser_of) -> None:
    video = VideoFactory(owner=ada)
    LessonFactory(section=live.sections.get(), kind="video", title="Film", slug="film", video=video, duration=90)
    copy = begin(live)
    services.delete_lesson(lesson=copy.lessons.get(slug="film"), by=ada, now=NOW)
    publish(live, sam)
    video.delete()
    first, browser = live.versions.get(number=1), browser_of(ada)
    asked = browser.post(f"{OWN}/versions/{first.uid}/restore")
    assert "the video of “Film”" in asked.content.decode()
    assert not Course.with_working_copies.exclude(next_version_of=None).exists()
    assert browser.post(f"{OWN}/versions/{first.uid}/restore", {"sure": "1"}).status_code == 302
    assert live.working_copy.lessons.get(slug="film").video is None


def test_the_pages_discard_and_bring_back(live: Course, ada: User, browser_of) -> None:
    browser: Client = browser_of(ada)
    edit_much(begin(live))
    asked = browser.get(f"{OWN}/version/discard").content.decode()
    assert "You can bring it back for 30 days" in asked
    browser.post(f"{OWN}/version/discard")
    shown = browser.get(f"{OWN}/versions").content.decode()
    assert "Version 2 was discarded" in shown
    back = f"{OWN}/versions/{DiscardedVersion.objects.get().uid}/back"
    assert browser.post(back).url == f"{OWN}-version-2/version"
    browser.post(back)  # it is there already
    assert live.working_copy.lessons.filter(title="Mouths").exists()
