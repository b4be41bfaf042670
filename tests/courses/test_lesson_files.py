"""The files of lessons: uploaded by tus or by form, counted against the owner's quota, attached only by the owner."""

import base64
import threading
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import User
from apps.courses import services
from apps.courses.models import Course, Lesson
from apps.files import queries
from apps.files import services as files
from apps.files.errors import QuotaExceeded
from apps.files.models import Upload
from apps.files.services import Selection, attachments
from apps.files.storage import upload_path
from apps.learning.models import Enrollment
from studyplatform.kit import jobs
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import FileFactory, FolderFactory, VideoFactory
from tests.factories.learning import EnrollmentFactory
from tests.files.test_library import send

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folders")]

PDF = b"%PDF-1.7 " + b"words " * 50
PAGE = b"<!doctype html><script>alert(document.cookie)</script>"
TUS: dict[str, Any] = {"HTTP_TUS_RESUMABLE": "1.0.0"}
PIECE = "application/offset+octet-stream"


@pytest.fixture
def course(ada) -> Course:
    return CourseFactory(instructor=ada, slug="rivers")


@pytest.fixture
def lesson(course: Course) -> Lesson:
    return LessonFactory(section__course=course, slug="sheet", kind="file")


@pytest.fixture
def adas_browser(browser_of, ada) -> Client:
    return browser_of(ada)


def upload(browser: Client, lesson: Lesson | None = None, data: bytes = PDF, name: str = "Rivers.pdf") -> str:
    """Upload a file by tus; return the upload's uid."""
    facts = {"filename": name, "purpose": "file"} | ({"target": str(lesson.uid)} if lesson else {})
    metadata = ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in facts.items())
    begun = browser.post(
        "/api/v1/uploads/",
        b"",
        content_type=PIECE,
        HTTP_UPLOAD_LENGTH=str(len(data)),
        HTTP_UPLOAD_METADATA=metadata,
        **TUS,
    )
    assert begun.status_code == 201, begun.content
    if data:
        sent = browser.patch(begun["Location"], data, PIECE, HTTP_UPLOAD_OFFSET="0", **TUS)
        assert sent.status_code == 204, sent.content
    return str(begun["Location"]).rstrip("/").rsplit("/", 1)[-1]


def attach(browser: Client, lesson: Lesson, uid: str | None) -> Any:
    return browser.put(f"/api/v1/lessons/{lesson.uid}/file/", {"upload": uid}, content_type="application/json")


def post(browser: Client, lesson: Lesson, data: bytes = PDF, name: str = "Rivers.pdf") -> Any:
    address = reverse("courses:studio-file", args=[lesson.course.slug, lesson.slug])
    return browser.post(address, {"file": SimpleUploadedFile(name, data, content_type="text/html")})


def file_of(lesson: Lesson) -> Upload | None:
    return Lesson.objects.select_related("file").get(pk=lesson.pk).file


def stored_files() -> list[str]:
    try:
        return sorted(default_storage.listdir("files")[1])
    except FileNotFoundError:
        return []


# --- Both ways of uploading ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["pieces", "form"])
def test_a_lesson_offers_an_uploaded_file_that_counts_against_the_quota(lesson, ada, adas_browser, way: str) -> None:
    if way == "form":
        post(adas_browser, lesson, name="../../etc/Rivers\0.PDF")
    else:
        answer = attach(adas_browser, lesson, upload(adas_browser, lesson, name="../../etc/Rivers\0.PDF"))
        assert answer.json()["file"] == {
            "upload": answer.json()["file"]["upload"],
            "filename": "Rivers.PDF",
            "length": 309,
        }

    file = file_of(lesson)
    assert file is not None
    assert (file.filename, file.length, file.media_type) == ("Rivers.PDF", len(PDF), "application/pdf")
    assert queries.storage_of(ada).files == len(PDF)

    jobs.run_pending("default")
    file.refresh_from_db()
    assert file.stored_as == f"files/{file.uid.hex}"  # no text typed by a user becomes part of a path
    assert not upload_path(file.uid).exists()
    assert default_storage.open(file.stored_as).read() == PDF


@pytest.mark.parametrize("moved", [False, True])
def test_the_file_is_served_as_an_attachment_at_a_signed_address(lesson, adas_browser, moved: bool) -> None:
    attach(adas_browser, lesson, upload(adas_browser, lesson))
    if moved:
        jobs.run_pending("default")
    link = adas_browser.get(f"/learn/rivers/{lesson.slug}/download")["Location"]
    assert link.startswith("/media/f/")

    answer, part = adas_browser.get(link), adas_browser.get(link, headers={"Range": "bytes=1-3"})

    assert b"".join(answer.streaming_content) == PDF
    assert answer["Content-Disposition"] == 'attachment; filename="Rivers.pdf"'
    assert answer["Content-Type"] == "application/pdf"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert (part.status_code, b"".join(part.streaming_content)) == (206, b"PDF")


def test_a_foreign_expired_or_changed_address_is_refused(lesson, adas_browser, eve, browser_of) -> None:
    attach(adas_browser, lesson, upload(adas_browser, lesson))
    link = adas_browser.get(f"/learn/rivers/{lesson.slug}/download")["Location"]

    assert Client().get(link).status_code == 403
    assert browser_of(eve).get(link).status_code == 403
    assert adas_browser.get(link[:-4] + ("AAAA" if link[-4:] != "AAAA" else "BBBB")).status_code == 404
    assert adas_browser.get(f"/media/v/{link.rsplit('/', 1)[-1]}/master.m3u8").status_code == 404
    with time_machine.travel(timezone.now() + timedelta(hours=8)):
        assert adas_browser.get(link).status_code == 403
    attach(adas_browser, lesson, None)
    assert adas_browser.get(link).status_code == 404


# --- Refusals, which leave nothing behind --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "name", "code"),
    [
        (PAGE, "slides.pdf", "FILE_UNSUITABLE"),
        (b"<svg onload='alert(1)'/>", "slides.pdf", "FILE_UNSUITABLE"),
        (PDF, "slides.svg", "FILE_UNSUITABLE"),
        (b"PK\x03\x04", "slides.pdf", "FILE_MISNAMED"),
        (b"", "slides.pdf", "FILE_EMPTY"),
    ],
)
def test_the_content_decides_the_file_type(lesson, ada, adas_browser, data: bytes, name: str, code: str) -> None:
    uid = upload(adas_browser, lesson, data, name)

    assert (attach(adas_browser, lesson, uid).status_code, attach(adas_browser, lesson, uid).json()["code"]) == (
        415,
        code,
    )
    assert file_of(lesson) is None
    assert adas_browser.delete(f"/api/v1/uploads/{uid}/", **TUS).status_code == 204

    post(adas_browser, lesson, data, name)
    assert file_of(lesson) is None
    assert queries.storage_of(ada).used == 0
    jobs.run_pending("default")
    assert stored_files() == []


def test_the_form_enforces_the_size_limit_and_the_quota(lesson, ada, adas_browser, settings) -> None:
    settings.UPLOAD_LIMITS = {"video": 10**9, "file": len(PDF) - 1}
    answer = post(adas_browser, lesson)
    assert "This file is larger than" in adas_browser.get(answer["Location"]).content.decode()
    assert file_of(lesson) is None
    assert not Upload.objects.exists()

    settings.UPLOAD_LIMITS = {"video": 10**9, "file": 10**9}
    settings.STORAGE_ALLOWANCE = {"instructor": len(PDF) * 2 - 1}
    post(adas_browser, lesson)
    before = file_of(lesson)
    post(adas_browser, lesson)  # both files must fit until the new one is attached

    assert before is not None
    assert file_of(lesson) == before
    assert queries.storage_of(ada).used == len(PDF)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_parallel_forms_cannot_exceed_the_quota(ada, course, settings) -> None:
    from django.db import connection

    settings.STORAGE_ALLOWANCE = {"instructor": len(PDF) * 2}
    lessons = [LessonFactory(section__course=course, slug=f"sheet-{n}", kind="file") for n in range(5)]
    start, outcomes = threading.Barrier(len(lessons)), []

    def send(lesson: Lesson) -> None:
        start.wait()
        try:
            services.upload_file(
                lesson=lesson, by=ada, file=SimpleUploadedFile("a.pdf", PDF), name="a.pdf", now=timezone.now()
            )
            outcomes.append("taken")
        except QuotaExceeded:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=send, args=[lesson]) for lesson in lessons]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["refused"] * 3 + ["taken"] * 2
    assert queries.storage_of(ada).used == len(PDF) * 2


def test_another_users_upload_is_not_found(lesson, eve, adas_browser, browser_of) -> None:
    uid = upload(browser_of(eve))

    assert attach(adas_browser, lesson, uid).status_code == 404
    assert file_of(lesson) is None


def test_a_user_cannot_attach_a_file_to_another_users_lesson(lesson, eve, leo, browser_of) -> None:
    for user in (eve, leo):
        browser = browser_of(user)
        uid = upload(browser, lesson)
        assert attach(browser, lesson, uid).status_code in {403, 404}
        assert attach(browser, lesson, None).status_code in {403, 404}
        post(browser, lesson)
    assert attach(Client(), lesson, None).status_code == 401

    assert file_of(lesson) is None
    assert Upload.objects.count() == 2  # only their own uploads; the forms left nothing


def test_unfinished_uploads_videos_and_other_kinds_of_lessons_are_refused(lesson, course, ada, adas_browser) -> None:
    begun = files.begin_upload(owner=ada, purpose="file", filename="a.pdf", length=9, now=timezone.now())
    video = files.begin_upload(owner=ada, purpose="video", filename="a.mp4", length=9, now=timezone.now())
    text = LessonFactory(section=lesson.section, course=course, kind="text", slug="words")

    assert attach(adas_browser, lesson, str(begun.uid)).json()["code"] == "UPLOAD_UNFINISHED"
    assert attach(adas_browser, lesson, str(video.uid)).status_code == 404
    assert attach(adas_browser, lesson, str(VideoFactory(owner=ada).uid)).status_code == 404
    assert attach(adas_browser, text, upload(adas_browser)).json()["code"] == "LESSON_WRONG_KIND"
    post(adas_browser, text)
    assert Lesson.objects.filter(file=None).count() == 2


def test_lessons_share_a_file_which_is_deleted_with_the_last(lesson, course, ada, adas_browser) -> None:
    uid = upload(adas_browser, lesson)
    other = LessonFactory(section=lesson.section, course=course, kind="file", slug="other")

    for each in (lesson, other, lesson):
        assert attach(adas_browser, each, uid).status_code == 200
    assert queries.storage_of(ada).files == len(PDF)
    attach(adas_browser, lesson, None)
    assert str(file_of(other).uid) == uid  # type: ignore[union-attr]
    attach(adas_browser, other, None)

    assert not Upload.objects.exists()


def test_two_lessons_deleted_at_once_release_their_file(lesson, course, ada, adas_browser) -> None:
    uid = upload(adas_browser, lesson)
    for each in (lesson, LessonFactory(section=lesson.section, course=course, kind="file", slug="other")):
        attach(adas_browser, each, uid)

    services.delete_course(course=course, by=ada)

    assert not Upload.objects.exists()


# --- From the library -----------------------------------------------------------------------------------------


def choose(browser: Client, lesson: Lesson, file: Any) -> Any:
    address = reverse("courses:studio-file", args=[lesson.course.slug, lesson.slug])
    return browser.post(address, {"library": file if isinstance(file, str) else file.uid})


def test_a_lesson_offers_a_file_of_the_library_under_a_name_of_its_own(lesson, ada, adas_browser) -> None:
    file = FileFactory(owner=ada, name="Rivers.pdf", content=PDF)
    files.rename_entry(entry=file, name="Rivers of Europe.pdf", by=ada)
    used = queries.storage_of(ada).used

    choose(adas_browser, lesson, file)
    files.rename_entry(entry=file, name="private notes.pdf", by=ada)

    assert queries.storage_of(ada).used == used == len(PDF)
    link = adas_browser.get(f"/learn/rivers/{lesson.slug}/download")["Location"]
    answer = adas_browser.get(link)
    assert answer["Content-Disposition"] == 'attachment; filename="Rivers of Europe.pdf"'
    assert b"".join(answer.streaming_content) == PDF
    page = adas_browser.get(f"/learn/rivers/{lesson.slug}").content.decode()
    assert "Rivers of Europe.pdf" in page
    assert "private notes.pdf" not in page
    assert adas_browser.get(link[:-30] + "A" + link[-29:]).status_code == 404  # the name is signed, too


def test_a_lesson_keeps_its_content_when_the_library_file_is_replaced_or_deleted(lesson, ada, adas_browser) -> None:
    file = FileFactory(owner=ada, name="Rivers.pdf", content=PDF)
    choose(adas_browser, lesson, file)
    content = file_of(lesson)

    send(adas_browser, "Rivers.pdf", b"%PDF-1.7 newer", conflict="replace")
    files.move_to_bin(selection=Selection(files=[file]), by=ada, now=timezone.now())
    files.empty_bin(user=ada, until=timezone.now())
    jobs.run_pending("default")

    assert file_of(lesson) == content
    assert default_storage.open(content.stored_as).read() == PDF  # type: ignore[union-attr]
    assert queries.storage_of(ada).used == len(PDF)
    attach(adas_browser, lesson, None)
    jobs.run_pending("default")
    assert not default_storage.exists(content.stored_as)  # type: ignore[union-attr]


@pytest.mark.parametrize("content_host", ["", "files.example.net"])
def test_an_address_ends_when_no_lesson_offers_the_file(
    lesson, course, ada, adas_browser, settings, django_assert_num_queries, content_host: str
) -> None:
    settings.CONTENT_HOST, settings.CONTENT_ORIGIN = content_host, f"http://{content_host}"
    other = LessonFactory(section=lesson.section, course=course, kind="file", slug="other")
    file = FileFactory(owner=ada, name="private.pdf", content=PDF)
    for each in (lesson, other):
        choose(adas_browser, each, file)
    link = adas_browser.get(f"/learn/rivers/{lesson.slug}/download")["Location"]
    address, browser, host = link, adas_browser, "testserver"
    if content_host:
        address, browser, host = urlsplit(adas_browser.get(link)["Location"]).path, Client(), content_host
    attach(adas_browser, lesson, None)
    files.move_to_bin(selection=Selection(files=[file]), by=ada, now=timezone.now())
    with django_assert_num_queries(1):
        assert browser.get(address, headers={"Host": host}).status_code == 200  # another lesson offers it

    attach(adas_browser, other, None)

    assert Upload.objects.get() == file.current  # the bin has it
    for ranges in ({}, {"Range": "bytes=1-3"}):
        assert browser.get(address, headers={"Host": host, **ranges}).status_code == 404
    assert adas_browser.get(link).status_code == 404


@pytest.mark.parametrize("content_host", ["", "files.example.net"])
def test_an_address_ends_when_its_user_may_no_longer_open_the_lesson(
    lesson, course, ada, leo, sam, adas_browser, browser_of, settings, django_assert_num_queries, content_host: str
) -> None:
    settings.CONTENT_HOST, settings.CONTENT_ORIGIN = content_host, f"http://{content_host}"
    attach(adas_browser, lesson, upload(adas_browser, lesson))
    Course.objects.filter(pk=course.pk).update(status="published", published_at=timezone.now())
    enrollment = EnrollmentFactory(course=course, user=leo)

    def link_for(browser: Client) -> tuple[Client, str, str]:
        link = browser.get(f"/learn/rivers/{lesson.slug}/download")["Location"]
        if not content_host:
            return browser, link, "testserver"
        return Client(), urlsplit(browser.get(link)["Location"]).path, content_host

    def status(browser: Client, address: str, host: str) -> int:
        return browser.get(address, headers={"Host": host}).status_code

    learners, hers, his = (link_for(browser) for browser in (browser_of(leo), adas_browser, browser_of(sam)))
    with django_assert_num_queries(3):  # one for each
        assert [status(*link) for link in (learners, hers, his)] == [200, 200, 200]

    Enrollment.objects.filter(pk=enrollment.pk).update(revoked_at=timezone.now())
    assert [status(*link) for link in (learners, hers, his)] == [404, 200, 200]
    Lesson.objects.filter(pk=lesson.pk).update(is_preview=True)
    assert status(*learners) == 200
    Lesson.objects.filter(pk=lesson.pk).update(is_preview=False)
    Enrollment.objects.filter(pk=enrollment.pk).update(revoked_at=None)
    assert status(*learners) == 200
    User.objects.filter(pk__in=[leo.pk, sam.pk]).update(is_active=False)
    User.objects.filter(pk=ada.pk).update(role="student")
    assert [status(*link) for link in (learners, hers, his)] == [404, 404, 404]


def test_only_the_users_own_present_files_can_be_chosen(lesson, course, ada, eve, adas_browser, browser_of) -> None:
    foreign, binned, own = FileFactory(owner=eve), FileFactory(owner=ada), FileFactory(owner=ada)
    files.move_to_bin(selection=Selection(files=[binned]), by=ada, now=timezone.now())
    text = LessonFactory(section=lesson.section, course=course, kind="text", slug="words")

    for each in (foreign, binned, "not-a-uid"):
        choose(adas_browser, lesson, each)
    choose(adas_browser, text, own)
    choose(browser_of(eve), lesson, foreign)
    refused = [
        adas_browser.put(
            f"/api/v1/lessons/{lesson.uid}/file/", {"file": str(each.uid)}, content_type="application/json"
        ).status_code
        for each in (foreign, binned)
    ]

    assert refused == [404, 409]
    assert not Lesson.objects.exclude(file=None).exists()


def test_what_others_may_not_get_stays_in_the_library(lesson, ada, adas_browser) -> None:
    contents = {"page.html": PAGE, "slides.pdf": PAGE, "drawing.svg": PDF, "sheet.pdf": b"PK\x03\x04"}
    for name, content in contents.items():
        choose(adas_browser, lesson, FileFactory(owner=ada, name=name, content=content))
    renamed = FileFactory(owner=ada, name="map.pdf", content=PDF)
    files.rename_entry(entry=renamed, name="map.svg", by=ada)  # the name under which others would get it
    choose(adas_browser, lesson, renamed)

    assert file_of(lesson) is None


def test_the_api_takes_a_file_of_the_library(lesson, ada, adas_browser) -> None:
    file = FileFactory(owner=ada, name="Rivers.pdf")

    answer = adas_browser.put(
        f"/api/v1/lessons/{lesson.uid}/file/", {"file": str(file.uid)}, content_type="application/json"
    )

    assert answer.json()["file"]["filename"] == "Rivers.pdf"
    empty = adas_browser.put(f"/api/v1/lessons/{lesson.uid}/file/", {}, content_type="application/json")
    assert empty.status_code == 400
    assert file_of(lesson) == file.current


def test_the_choice_page_searches_and_pages_the_users_own_files(lesson, ada, eve, adas_browser, browser_of) -> None:
    folder = FolderFactory(owner=ada, name="Handouts")
    inner = FileFactory(owner=ada, name="tides.pdf", folder=folder)
    FileFactory.create_batch(21, owner=ada)
    FileFactory(owner=eve, name="foreign.pdf")
    address = reverse("courses:studio-file-choice", args=["rivers", lesson.slug])

    def shown(query: str = "") -> str:
        return adas_browser.get(address + query).content.decode()

    first = shown()
    assert "Handouts" in first
    assert "foreign.pdf" not in first
    assert first.count('name="library"') == 20
    assert shown("?page=2").count('name="library"') == 1
    assert f'value="{inner.uid}"' in shown(f"?folder={folder.uid}")
    assert f'value="{inner.uid}"' in shown("?q=TIDES")
    assert "Nothing found" in shown("?q=foreign")
    assert adas_browser.get(f"{address}?folder={FolderFactory(owner=eve).uid}").status_code == 404
    assert browser_of(eve).get(address).status_code in {302, 403}
    assert address in adas_browser.get(address.removesuffix("/file/choose")).content.decode()


def test_pages_of_the_library_say_which_lessons_use_a_file(lesson, course, ada, eve, adas_browser, browser_of) -> None:
    file = FileFactory(owner=ada)
    choose(adas_browser, lesson, file)
    words = f"the lesson “{lesson.title}” in “{course.title}”"

    assert words in adas_browser.get(f"/files/{file.uid}").content.decode()
    assert course.title in adas_browser.get("/settings/storage").content.decode()
    files.move_to_bin(selection=Selection(files=[file]), by=ada, now=timezone.now())
    assert words in adas_browser.get("/files/bin").content.decode()
    Course.objects.filter(pk=course.pk).update(instructor=eve)  # who owns the file no longer edits the course
    page = adas_browser.get(f"/files/{file.uid}").content.decode()
    assert "a lesson in a course you can&#39;t edit" in page
    assert course.title not in page


def test_what_an_app_registers_is_a_use(ada, monkeypatch) -> None:
    file = FileFactory(owner=ada)
    monkeypatch.setattr(attachments, "_resolvers", [*attachments._resolvers])
    files.register_use(lambda uploads, viewer: {pk: [files.Use("a post")] for pk in uploads})

    assert files.uses_of([file.current_id], ada) == {file.current_id: [files.Use("a post")]}
    assert files.uses_of([], ada) == {}


def test_the_file_of_a_course_under_review_cannot_be_changed(lesson, course, adas_browser) -> None:
    attach(adas_browser, lesson, upload(adas_browser, lesson))
    Course.objects.filter(pk=course.pk).update(status="review")

    assert attach(adas_browser, lesson, None).status_code == 409
    post(adas_browser, lesson)

    assert file_of(lesson) is not None
    assert Upload.objects.count() == 1


# --- Storage used ---------------------------------------------------------------------------------------------------


def test_a_file_in_use_cannot_be_deleted_to_evade_the_quota(lesson, ada, adas_browser) -> None:
    uid = upload(adas_browser, lesson)
    attach(adas_browser, lesson, uid)

    refused = adas_browser.delete(f"/api/v1/uploads/{uid}/", **TUS)

    assert (refused.status_code, refused.json()["code"]) == (409, "FILE_IN_USE")
    assert queries.storage_of(ada).files == len(PDF)
    jobs.run_pending("default")
    assert stored_files() == [file_of(lesson).uid.hex]  # type: ignore[union-attr]


def remove_file(way: str, browser: Client, lesson: Lesson, by: Any) -> None:
    now = timezone.now()
    match way:
        case "replaced":
            attach(browser, lesson, upload(browser, lesson, PDF[:99]))
        case "taken out":
            attach(browser, lesson, None)
        case "form":
            browser.post(reverse("courses:studio-file", args=[lesson.course.slug, lesson.slug]), {"remove": "1"})
        case "lesson":
            services.delete_lesson(lesson=lesson, by=by, now=now)
        case "section":
            services.delete_section(section=lesson.section, by=by, now=now)
        case "course":
            services.delete_course(course=lesson.course, by=by)


@pytest.mark.parametrize("way", ["replaced", "taken out", "form", "lesson", "section", "course"])
def test_removing_a_file_in_any_way_frees_its_storage(lesson, ada, adas_browser, way: str) -> None:
    attach(adas_browser, lesson, upload(adas_browser, lesson))
    jobs.run_pending("default")
    gone = stored_files()

    remove_file(way, adas_browser, lesson, ada)

    jobs.run_pending("default")
    if way in {"lesson", "section"}:  # the deletion can be undone until then
        assert stored_files() == gone
        services.purge_removed(now=timezone.now() + timedelta(days=31))
        jobs.run_pending("default")
    left = 99 if way == "replaced" else 0
    assert queries.storage_of(ada).used == left
    assert len(stored_files()) == (1 if left else 0)
    assert set(gone).isdisjoint(stored_files())


@pytest.mark.parametrize("way", ["replaced", "taken out", "form", "lesson", "section", "course"])
def test_the_library_keeps_a_file_that_a_lesson_no_longer_uses(lesson, ada, adas_browser, way: str) -> None:
    file = FileFactory(owner=ada)
    assert attach(adas_browser, lesson, str(file.current.uid)).status_code == 200

    remove_file(way, adas_browser, lesson, ada)

    jobs.run_pending("default")
    assert not Lesson.objects.filter(file=file.current).exists()
    assert default_storage.open(Upload.objects.get(pk=file.current_id).stored_as).read() == b"%PDF-1.7 a page"


@pytest.mark.parametrize(("is_taken", "left"), [(True, 1), (False, 0)])
def test_only_files_without_a_lesson_expire(lesson, adas_browser, settings, is_taken, left) -> None:
    uid = upload(adas_browser, lesson)
    if is_taken:
        attach(adas_browser, lesson, uid)
    private = upload(adas_browser)

    with time_machine.travel(timezone.now() + timedelta(days=settings.UPLOAD_KEEP_DAYS, minutes=5)):
        jobs.run_pending("default")

    assert Upload.objects.filter(uid=uid).count() == left
    assert Upload.objects.filter(uid=private).exists()


def test_a_file_deleted_while_it_moves_leaves_nothing_in_storage(lesson, ada, adas_browser) -> None:
    uid = upload(adas_browser)
    file = Upload.objects.get(uid=uid)
    adas_browser.delete(f"/api/v1/uploads/{uid}/", **TUS)

    files.store_file(uid=file.uid)
    jobs.run_pending("default")

    assert stored_files() == []
    assert not upload_path(file.uid).exists()
