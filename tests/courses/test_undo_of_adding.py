"""Added lessons and sections are taken back like other changes; those of one action together, with their uploads."""

import threading
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from apps.accounts.models import User
from apps.courses import services
from apps.courses.errors import UndoConflict
from apps.courses.models import Course, Lesson, OutlineChange, Section
from apps.courses.queries.outline_changes import describe_change
from apps.files import services as files
from apps.files.models import Upload, VideoAsset
from tests.factories.accounts import UserFactory
from tests.factories.courses import CourseFactory, LessonFactory, SectionFactory
from tests.factories.learning import EnrollmentFactory, LessonProgressFactory

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 3, 15, 10, 0, tzinfo=UTC)


@pytest.fixture
def section() -> Section:
    section = SectionFactory(title="A")
    LessonFactory(section=section, title="one")
    return section


def _add(section: Section, title: str, *, by: User | None = None, batch: UUID | None = None, **way: Any) -> Lesson:
    way = {"kind": "text", "by": by or section.course.instructor, "now": NOW} | way
    return services.add_lesson(section=section, title=title, batch=batch, **way)


def _last(course: Course) -> OutlineChange:
    change = OutlineChange.objects.filter(course=course).order_by("-pk").first()
    assert change
    return change


def _undo(change: OutlineChange, by: User | None = None) -> None:
    services.undo_change(change=change, by=by or change.course.instructor, now=NOW)


def _titles(course: Course) -> list[str]:
    return list(course.lessons.order_by("section__position", "position").values_list("title", flat=True))


def _upload(lesson: Lesson, owner: User, purpose: str, name: str) -> Upload:
    return files.begin_upload(
        owner=owner, purpose=purpose, filename=name, length=3, target=str(lesson.uid), now=timezone.now()
    )


def test_the_studio_adds_and_takes_back(section) -> None:
    course, browser = section.course, Client()
    browser.force_login(course.instructor)
    address = f"/api/v1/studio/courses/{course.uid}/"

    def call(way: str, body: dict[str, Any] | None = None) -> Any:
        return browser.post(address + way, body or {}, content_type="application/json").json()

    new = call("outline/sections/", {"title": "B"})
    assert (new["change"]["kind"], new["change"]["text"]) == ("add", "“B” was added.")
    batch, text = str(uuid4()), "# Coins  \n\nA text"
    body = {"section": new["added"][0], "kind": "text", "batch": batch, "body": text}
    first = call("outline/lessons/", {**body, "title": "two"})
    assert first["change"]["text"] == "“two” was added."
    lesson = course.lessons.get(title="two")
    assert (lesson.body, lesson.duration, lesson.number) == (text, 60, "2.1")
    done = call("outline/lessons/", {**body, "title": "three", "position": 1})
    assert done["change"] == {**first["change"], "text": "2 items were added.", "made_at": done["change"]["made_at"]}
    assert len(done["outline"]["changes"]) == 2

    refused = call(f"changes/{new['change']['uid']}/undo/")
    assert refused["detail"].endswith("The section has got lessons since. Delete it instead.")
    undone = call(f"changes/{done['change']['uid']}/undo/")
    assert [len(one["lessons"]) for one in undone["outline"]["sections"]] == [1, 0]
    undone = call(f"changes/{new['change']['uid']}/undo/")
    assert [one["title"] for one in undone["outline"]["sections"]] == ["A"]
    course.refresh_from_db()
    assert course.lesson_count == 1


@pytest.mark.long
def test_forms_without_scripts_offer_it(section, client) -> None:
    course = section.course
    client.force_login(course.instructor)
    address = f"/dashboard/instructor/courses/{course.slug}/outline"
    for way, form, said in (
        ("sections", {"title": "B"}, "Section “B” was added."),
        ("lessons", {"section": section.uid, "kind": "quiz", "title": "Test"}, "“Test” was added."),
    ):
        page = client.post(f"{address}/{way}", form, follow=True).content.decode()
        change = _last(course)
        assert said in page
        assert f"/changes/{change.uid}/undo" in page.partition("data-undo-line")[2].partition("</form>")[0]
    client.post(f"/dashboard/instructor/courses/{course.slug}/outline/changes/{change.uid}/undo")
    assert _titles(course) == ["one"]
    # The script of the page asks for the panel alone: it gets the offer with it, and the next page has none.
    form = {"section": section.uid, "kind": "text", "title": "Reeds"}
    part = client.post(f"{address}/lessons", form, follow=True, headers={"X-Page-Part": "panel"}).content.decode()
    assert f'<p data-offered-undo="{_last(course).uid}" hidden>“Reeds” was added.</p>' in part
    page = client.get(f"/dashboard/instructor/courses/{course.slug}/lectures").content.decode()
    assert page.partition("data-undo-line>")[2].startswith("</div>")


def test_what_was_edited_moved_or_begun_stays(section) -> None:
    course, by = section.course, section.course.instructor
    renamed = services.add_section(course=course, by=by, title="B", now=NOW)
    change = _last(course)
    services.rename_section(section=renamed, by=by, title="C", now=NOW)
    with pytest.raises(UndoConflict, match="edited since"):
        _undo(change)
    lesson = _add(section, "two")
    change = _last(course)
    services.edit_lesson(lesson=lesson, by=by, title="two", summary="", body="Words", is_preview=False, now=NOW)
    with pytest.raises(UndoConflict, match="edited since"):
        _undo(change)

    moved = _add(section, "three")
    change = _last(course)
    services.move_lesson(lesson=moved, by=by, section=renamed, position=1, now=NOW)
    with pytest.raises(UndoConflict, match="Undo this first: “three” was moved"):
        _undo(change)

    for add in (
        lambda: _add(section, "four"),
        lambda: services.duplicate_items(course=course, by=by, lessons=[moved.pk], now=NOW)[1].lessons[moved.pk],
    ):
        begun = add()
        LessonProgressFactory(enrollment=EnrollmentFactory(course=course), lesson=begun)
        with pytest.raises(UndoConflict, match="Learners have begun"):
            _undo(_last(course))
        assert course.lessons.filter(pk=begun.pk).exists()


@pytest.mark.long
def test_a_batch_is_one_change_beside_what_others_do(section) -> None:
    course, other = section.course, UserFactory(role="instructor")
    batch = uuid4()
    first = _add(section, "two", batch=batch)
    theirs = services.move_lesson(
        lesson=course.lessons.get(title="one"), by=course.instructor, section=section, position=2, now=NOW
    )
    _add(section, "three", batch=batch)
    change = OutlineChange.objects.get(course=course, kind="add")
    assert (describe_change(change), change.count) == ("2 items were added.", 2)
    _undo(change)
    assert _titles(course) == ["one"]
    assert theirs

    # After an undo, a removal or by somebody else, it is another change.
    _add(section, "four", batch=batch)
    course.instructor, was = other, course.instructor
    course.save()
    section.course.instructor = other
    _add(section, "five", by=other, batch=batch)
    services.delete_lesson(lesson=course.lessons.get(title="five"), by=other, now=NOW)
    _add(section, "six", by=other, batch=batch)
    rows = OutlineChange.objects.filter(course=course, kind="add").order_by("pk")
    assert [one.subject for one in rows] == ["", "four", "five", "six"]
    assert [one.made_by for one in rows] == [was, was, other, other]
    assert Lesson.with_removed.get(pk=first.pk).is_removed


def test_lessons_from_files_go_with_what_was_sent_for_them(section) -> None:
    course, by, batch = section.course, section.course.instructor, uuid4()
    names = (("video", "a.mp4"), ("video", "b.mp4"), ("file", "c.pdf"), ("file", "d.pdf"))
    lessons = [_add(section, name, kind=kind, batch=batch) for kind, name in names]
    sent = [_upload(one, by, kind, name) for one, (kind, name) in zip(lessons, names, strict=True)]
    shown, running = (VideoAsset.objects.get(uploads=one) for one in sent[:2])
    for lesson, video in zip(lessons, (shown, running), strict=False):
        services.attach_video(lesson=lesson, by=by, video=video, now=NOW)
    Upload.objects.filter(pk__in=(sent[0].pk, sent[2].pk)).update(completed_at=NOW, offset=3)
    Lesson.objects.filter(pk=lessons[2].pk).update(file=sent[2], file_name="c.pdf")
    change = _last(course)

    # Someone else sends a file for one of them.
    theirs = _upload(lessons[3], UserFactory(role="instructor"), "file", "e.pdf")
    with pytest.raises(UndoConflict, match="A file is being uploaded"):
        _undo(change)
    assert Upload.objects.filter(pk=sent[1].pk).exists()
    theirs.delete()
    _undo(change)
    assert _titles(course) == ["one"]
    # What is complete stays like that of a deleted lesson; what was on its way is gone, and its storage free.
    assert set(Upload.objects.all()) == {sent[0], sent[2]}
    assert set(VideoAsset.objects.all()) == {shown}


@pytest.mark.long
def test_another_file_than_its_first_is_an_edit(section) -> None:
    course, by = section.course, section.course.instructor
    for batch in (uuid4(), None):
        lesson = _add(section, "film", kind="video", batch=batch)
        change = _last(course)
        first, second = (_upload(lesson, by, "video", name) for name in ("a.mp4", "b.mp4"))
        Upload.objects.filter(target=str(lesson.uid)).update(completed_at=NOW, offset=3)
        video = VideoAsset.objects.get(uploads=second if batch else first)
        services.attach_video(lesson=lesson, by=by, video=video, now=NOW)
        with pytest.raises(UndoConflict, match="edited since"):
            _undo(change)
    waiting = _add(section, "slides", kind="file")
    _upload(waiting, by, "file", "c.pdf")
    with pytest.raises(UndoConflict, match="A file is being uploaded"):
        _undo(_last(course))


@pytest.mark.database
@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_lessons_added_at_the_same_moment_are_one_change() -> None:
    section = SectionFactory(course=CourseFactory())
    batch, failures = uuid4(), []

    def add(title: str) -> None:
        try:
            _add(section, title, batch=batch, now=NOW + timedelta(seconds=1))
        except Exception as error:
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=add, args=(str(number),)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    [change] = OutlineChange.objects.all()
    assert change.count == 6
    _undo(change)
    assert _titles(section.course) == []
