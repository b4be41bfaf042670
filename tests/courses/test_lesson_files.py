"""What file lessons hand out: resumably uploaded or by form, counted against the owner's room, taken by nobody else."""

import base64
import threading
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.courses import services
from apps.courses.models import Course, Lesson
from apps.files import queries
from apps.files import services as files
from apps.files.errors import QuotaExceeded
from apps.files.models import Upload
from apps.files.storage import upload_path
from studyplatform.kit import jobs
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import VideoFactory

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
def as_ada(browser_of, ada) -> Client:
    return browser_of(ada)


def upload(browser: Client, lesson: Lesson | None = None, data: bytes = PDF, name: str = "Rivers.pdf") -> str:
    """Send a file by tus; answers the upload's uid."""
    facts = {"filename": name, "purpose": "file"} | ({"target": str(lesson.uid)} if lesson else {})
    told = ",".join(f"{key} {base64.b64encode(value.encode()).decode()}" for key, value in facts.items())
    begun = browser.post(
        "/api/v1/uploads/",
        b"",
        content_type=PIECE,
        HTTP_UPLOAD_LENGTH=str(len(data)),
        HTTP_UPLOAD_METADATA=told,
        **TUS,
    )
    assert begun.status_code == 201, begun.content
    if data:
        sent = browser.patch(begun["Location"], data, PIECE, HTTP_UPLOAD_OFFSET="0", **TUS)
        assert sent.status_code == 204, sent.content
    return str(begun["Location"]).rstrip("/").rsplit("/", 1)[-1]


def hand_out(browser: Client, lesson: Lesson, uid: str | None) -> Any:
    return browser.put(f"/api/v1/lessons/{lesson.uid}/file/", {"upload": uid}, content_type="application/json")


def post(browser: Client, lesson: Lesson, data: bytes = PDF, name: str = "Rivers.pdf") -> Any:
    address = reverse("courses:studio-file", args=[lesson.course.slug, lesson.slug])
    return browser.post(address, {"file": SimpleUploadedFile(name, data, content_type="text/html")})


def file_of(lesson: Lesson) -> Upload | None:
    return Lesson.objects.select_related("file").get(pk=lesson.pk).file


def kept() -> list[str]:
    try:
        return sorted(default_storage.listdir("files")[1])
    except FileNotFoundError:
        return []


# --- Both ways in ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["pieces", "form"])
def test_a_lesson_hands_out_an_uploaded_file_that_counts(lesson, ada, as_ada, way: str) -> None:
    if way == "form":
        post(as_ada, lesson, name="../../etc/Rivers\0.PDF")
    else:
        answer = hand_out(as_ada, lesson, upload(as_ada, lesson, name="../../etc/Rivers\0.PDF"))
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
    assert file.stored_as == f"files/{file.uid.hex}"  # nothing of what somebody typed becomes a path
    assert not upload_path(file.uid).exists()
    assert default_storage.open(file.stored_as).read() == PDF


@pytest.mark.parametrize("moved", [False, True])
def test_it_is_served_as_an_attachment_under_a_signed_address(lesson, as_ada, moved: bool) -> None:
    hand_out(as_ada, lesson, upload(as_ada, lesson))
    if moved:
        jobs.run_pending("default")
    link = as_ada.get(f"/learn/rivers/{lesson.slug}/download")["Location"]
    assert link.startswith("/media/f/")

    answer, part = as_ada.get(link), as_ada.get(link, headers={"Range": "bytes=1-3"})

    assert b"".join(answer.streaming_content) == PDF
    assert answer["Content-Disposition"] == 'attachment; filename="Rivers.pdf"'
    assert answer["Content-Type"] == "application/pdf"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer["Content-Security-Policy"]
    assert (part.status_code, b"".join(part.streaming_content)) == (206, b"PDF")


def test_the_address_opens_nothing_elsewhere_later_or_changed(lesson, as_ada, eve, browser_of) -> None:
    hand_out(as_ada, lesson, upload(as_ada, lesson))
    link = as_ada.get(f"/learn/rivers/{lesson.slug}/download")["Location"]

    assert Client().get(link).status_code == 403
    assert browser_of(eve).get(link).status_code == 403
    assert as_ada.get(link[:-4] + ("AAAA" if link[-4:] != "AAAA" else "BBBB")).status_code == 404
    assert as_ada.get(f"/media/v/{link.rsplit('/', 1)[-1]}/master.m3u8").status_code == 404
    with time_machine.travel(timezone.now() + timedelta(hours=8)):
        assert as_ada.get(link).status_code == 403
    hand_out(as_ada, lesson, None)
    assert as_ada.get(link).status_code == 404


# --- What is refused, and leaves nothing --------------------------------------------------------------------


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
def test_bytes_decide(lesson, ada, as_ada, data: bytes, name: str, code: str) -> None:
    uid = upload(as_ada, lesson, data, name)

    assert (hand_out(as_ada, lesson, uid).status_code, hand_out(as_ada, lesson, uid).json()["code"]) == (415, code)
    assert file_of(lesson) is None
    assert as_ada.delete(f"/api/v1/uploads/{uid}/", **TUS).status_code == 204

    post(as_ada, lesson, data, name)
    assert file_of(lesson) is None
    assert queries.storage_of(ada).used == 0
    jobs.run_pending("default")
    assert kept() == []


def test_the_form_holds_to_limit_and_room(lesson, ada, as_ada, settings) -> None:
    settings.UPLOAD_LIMITS = {"video": 10**9, "file": len(PDF) - 1}
    answer = post(as_ada, lesson)
    assert "This file is larger than" in as_ada.get(answer["Location"]).content.decode()
    assert file_of(lesson) is None
    assert not Upload.objects.exists()

    settings.UPLOAD_LIMITS = {"video": 10**9, "file": 10**9}
    settings.STORAGE_ALLOWANCE = {"instructor": len(PDF) * 2 - 1}
    post(as_ada, lesson)
    before = file_of(lesson)
    post(as_ada, lesson)  # both would have to fit until the new one is taken

    assert before is not None
    assert file_of(lesson) == before
    assert queries.storage_of(ada).used == len(PDF)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_forms_in_parallel_cannot_exceed_the_room(ada, course, settings) -> None:
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


def test_a_foreign_upload_is_not_found(lesson, eve, as_ada, browser_of) -> None:
    uid = upload(browser_of(eve))

    assert hand_out(as_ada, lesson, uid).status_code == 404
    assert file_of(lesson) is None


def test_nobody_puts_a_file_into_somebody_elses_lesson(lesson, eve, leo, browser_of) -> None:
    for person in (eve, leo):
        browser = browser_of(person)
        uid = upload(browser, lesson)
        assert hand_out(browser, lesson, uid).status_code in {403, 404}
        assert hand_out(browser, lesson, None).status_code in {403, 404}
        post(browser, lesson)
    assert hand_out(Client(), lesson, None).status_code == 401

    assert file_of(lesson) is None
    assert Upload.objects.count() == 2  # what the two hold themselves; the forms left nothing


def test_an_unfinished_upload_a_video_and_another_kind_are_refused(lesson, course, ada, as_ada) -> None:
    begun = files.begin_upload(owner=ada, purpose="file", filename="a.pdf", length=9, now=timezone.now())
    film = files.begin_upload(owner=ada, purpose="video", filename="a.mp4", length=9, now=timezone.now())
    text = LessonFactory(section=lesson.section, course=course, kind="text", slug="words")

    assert hand_out(as_ada, lesson, str(begun.uid)).json()["code"] == "UPLOAD_UNFINISHED"
    assert hand_out(as_ada, lesson, str(film.uid)).status_code == 404
    assert hand_out(as_ada, lesson, str(VideoFactory(owner=ada).uid)).status_code == 404
    assert hand_out(as_ada, text, upload(as_ada)).json()["code"] == "LESSON_WRONG_KIND"
    post(as_ada, text)
    assert Lesson.objects.filter(file=None).count() == 2


def test_one_file_serves_one_lesson(lesson, course, as_ada) -> None:
    uid = upload(as_ada, lesson)
    other = LessonFactory(section=lesson.section, course=course, kind="file", slug="other")
    hand_out(as_ada, lesson, uid)

    assert hand_out(as_ada, other, uid).json()["code"] == "FILE_IN_USE"
    assert hand_out(as_ada, lesson, uid).status_code == 200  # again: changes nothing
    assert file_of(lesson) is not None


def test_a_course_under_review_keeps_its_file(lesson, course, as_ada) -> None:
    hand_out(as_ada, lesson, upload(as_ada, lesson))
    Course.objects.filter(pk=course.pk).update(status="review")

    assert hand_out(as_ada, lesson, None).status_code == 409
    post(as_ada, lesson)

    assert file_of(lesson) is not None
    assert Upload.objects.count() == 1


# --- Room ---------------------------------------------------------------------------------------------------


def test_a_file_in_use_cannot_be_deleted_to_evade_the_quota(lesson, ada, as_ada) -> None:
    uid = upload(as_ada, lesson)
    hand_out(as_ada, lesson, uid)

    refused = as_ada.delete(f"/api/v1/uploads/{uid}/", **TUS)

    assert (refused.status_code, refused.json()["code"]) == (409, "FILE_IN_USE")
    assert queries.storage_of(ada).files == len(PDF)
    jobs.run_pending("default")
    assert kept() == [file_of(lesson).uid.hex]  # type: ignore[union-attr]


def goes(way: str, browser: Client, lesson: Lesson, by: Any) -> None:
    now = timezone.now()
    match way:
        case "replaced":
            hand_out(browser, lesson, upload(browser, lesson, PDF[:99]))
        case "taken out":
            hand_out(browser, lesson, None)
        case "form":
            browser.post(reverse("courses:studio-file", args=[lesson.course.slug, lesson.slug]), {"remove": "1"})
        case "lesson":
            services.delete_lesson(lesson=lesson, by=by, now=now)
        case "section":
            services.delete_section(section=lesson.section, by=by, now=now)
        case "course":
            services.delete_course(course=lesson.course, by=by)


@pytest.mark.parametrize("way", ["replaced", "taken out", "form", "lesson", "section", "course"])
def test_its_room_is_free_again_however_it_goes(lesson, ada, as_ada, way: str) -> None:
    hand_out(as_ada, lesson, upload(as_ada, lesson))
    jobs.run_pending("default")
    gone = kept()

    goes(way, as_ada, lesson, ada)

    jobs.run_pending("default")
    left = 99 if way == "replaced" else 0
    assert queries.storage_of(ada).used == left
    assert len(kept()) == (1 if left else 0)
    assert set(gone).isdisjoint(kept())


@pytest.mark.parametrize(("is_taken", "left"), [(True, 1), (False, 0)])
def test_expiry_takes_what_no_lesson_took_and_nothing_in_use(lesson, as_ada, settings, is_taken, left) -> None:
    uid = upload(as_ada, lesson)
    if is_taken:
        hand_out(as_ada, lesson, uid)
    private = upload(as_ada)

    with time_machine.travel(timezone.now() + timedelta(days=settings.UPLOAD_KEEP_DAYS, minutes=5)):
        jobs.run_pending("default")

    assert Upload.objects.filter(uid=uid).count() == left
    assert Upload.objects.filter(uid=private).exists()


def test_a_file_deleted_while_it_moves_leaves_nothing(lesson, ada, as_ada) -> None:
    uid = upload(as_ada)
    file = Upload.objects.get(uid=uid)
    as_ada.delete(f"/api/v1/uploads/{uid}/", **TUS)

    files.store_file(uid=file.uid)
    jobs.run_pending("default")

    assert kept() == []
    assert not upload_path(file.uid).exists()
