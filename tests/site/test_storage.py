"""The storage page: storage used, where files are used, and which files can be deleted."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.messages import get_messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from apps.accounts.models import User
from apps.files.models import Upload, VideoAsset
from studyplatform.kit import jobs
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import BinnedOriginalFactory, StoredFileFactory, UploadFactory, VideoFactory

pytestmark = pytest.mark.django_db
GIGABYTE = 2**30
PAGE = "/settings/storage"
Open = Callable[[User], Client]


def text_of(answer: Any) -> str:
    """Return the visible text of the page without the index at the side."""
    main = answer.content.decode().split('class="prefs__main"')[1].split("</main>")[0]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", main)).replace(" ,", ",")


def names(answer: Any) -> list[str]:
    return [name.strip() for name in re.findall(r'class="lines__t">([^<]+)', answer.content.decode())]


def code_of(answer: Any) -> str:
    """Return the code of the error that the next page shows."""
    return [each.extra_tags for each in get_messages(answer.wsgi_request)][-1]


@pytest.fixture(autouse=True)
def _storage_settings(settings: Any, tmp_path: Any) -> None:
    settings.UPLOAD_ROOT = tmp_path / "uploads"
    settings.WORK_ROOT = tmp_path / "work"


@pytest.fixture
def lesson(ada: User) -> Any:
    return LessonFactory(section__course=CourseFactory(instructor=ada, slug="rivers", title="Rivers"), slug="film")


def test_the_page_shows_the_quota_and_the_largest_files_first(
    ada: User, eve: User, lesson: Any, browser_of: Open
) -> None:
    shown = VideoFactory(owner=ada, filename="shown.mp4", source_bytes=3 * GIGABYTE)
    lesson.video = shown
    lesson.save()
    VideoFactory(owner=ada, filename="old.mp4", source_bytes=5 * GIGABYTE)
    VideoFactory(owner=ada, filename="now.mp4", source_bytes=GIGABYTE, stage="audio", percent=40)
    VideoFactory(owner=ada, filename="bad.mp4", source_bytes=0, stage="failed", failure="corrupt_file")
    StoredFileFactory(owner=ada, filename="sheet.pdf", length=2 * GIGABYTE)
    coming = VideoFactory(owner=ada, filename="coming.mp4", stage="uploading")
    UploadFactory(owner=ada, video=coming, filename="coming.mp4", length=4 * GIGABYTE, offset=GIGABYTE)
    VideoFactory(owner=eve, filename="eves.mp4", source_bytes=9 * GIGABYTE)

    answer = browser_of(ada).get(PAGE)

    assert names(answer) == ["old.mp4", "coming.mp4", "shown.mp4", "sheet.pdf", "now.mp4", "bad.mp4"]
    text = text_of(answer)
    assert "15 GB of 50 GB used" in text
    assert "Audio and video, 9 GB Documents and other files, 2 GB Reserved for uploads, 4 GB 35 GB free" in text
    assert "coming.mp4 Uploading, 25%" in text
    assert "now.mp4 Processing" in text
    assert "Audio and captions, 40%" in text
    assert "bad.mp4 Corrupt file" in text
    assert re.search(rf"shown\.mp4 .{{0,60}} Used in the lesson “{lesson.title}” in “Rivers”", text)
    assert "/dashboard/instructor/courses/rivers/lectures/film" in answer.content.decode()
    assert "/delete" in answer.content.decode()
    assert str(shown.uid) not in answer.content.decode()  # a video in a lesson has no delete button
    assert "eves.mp4" not in text
    assert "almost full" not in text


def test_the_page_warns_when_the_storage_is_almost_full(ada: User, leo: User, browser_of: Open) -> None:
    VideoFactory(owner=ada, source_bytes=46 * GIGABYTE)

    assert "Your storage is almost full" in text_of(browser_of(ada).get(PAGE))
    VideoFactory(owner=ada, source_bytes=5 * GIGABYTE)
    assert "Your storage is full" in text_of(browser_of(ada).get(PAGE))
    assert "0 bytes of 5 GB used" in text_of(browser_of(leo).get(PAGE))
    assert "No files yet" in text_of(browser_of(leo).get(PAGE))


def test_the_number_of_queries_is_independent_of_the_number_of_files(ada: User, lesson: Any, browser_of: Open) -> None:
    browser = browser_of(ada)

    def cost(query: str = "") -> int:
        browser.get(PAGE + query)
        with CaptureQueriesContext(connection) as seen:
            answer = browser.get(PAGE + query)
        assert answer.status_code == 200
        return len(seen)

    VideoFactory(owner=ada, source_bytes=5)
    StoredFileFactory(owner=ada)
    BinnedOriginalFactory(owner=ada, size=1, filename="original.mp4")
    few = cost()
    videos = VideoFactory.create_batch(40, owner=ada, source_bytes=7)
    StoredFileFactory.create_batch(40, owner=ada, length=7, offset=7)
    for video in videos:
        LessonFactory(section=lesson.section, kind="video", video=video, slug=f"l-{video.pk}")

    for number in range(10):
        BinnedOriginalFactory(owner=ada, size=8, filename=f"original-{number}.mp4")

    assert cost() <= few <= 15  # with the lessons, texts, pictures, versions, messages and posts in which they are used
    assert len(names(browser.get(PAGE))) == 20
    shown = [name for page in range(1, 6) for name in names(browser.get(f"{PAGE}?page={page}"))]
    assert len(shown) == len(set(shown)) == 93
    assert browser.get(f"{PAGE}?page=99999").status_code == browser.get(f"{PAGE}?page=x").status_code == 200


def test_unused_videos_and_files_can_be_deleted_to_free_storage(
    ada: User, browser_of: Open, settings: Any, tmp_path: Any
) -> None:
    media = tmp_path / "media"
    backend = {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(media)}}
    settings.STORAGES = {**settings.STORAGES, "default": backend}
    browser = browser_of(ada)
    video = VideoFactory(owner=ada, filename="old.mp4", source_bytes=5, source="originals/old.mp4")
    file = StoredFileFactory(owner=ada, filename="old.pdf", stored_as="files/old")
    arriving = UploadFactory(owner=ada, purpose="file", filename="half.pdf")
    for name in (f"videos/{video.uid.hex}/v/master.m3u8", video.source, file.stored_as):
        (media / name).parent.mkdir(parents=True, exist_ok=True)
        (media / name).touch()

    for kind, thing in (("videos", video), ("files", file), ("files", arriving)):
        address = f"{PAGE}/{kind}/{thing.uid}/delete"
        assert address in browser.get(PAGE).content.decode()
        answer = browser.post(address)
        assert answer["Location"] == PAGE
        assert f"“{thing.filename}” was deleted." in browser.get(PAGE).content.decode()
    assert "Original of a deleted video, in the bin" in text_of(browser.get(PAGE))
    browser.post("/files/bin/empty")
    jobs.run_pending("default")

    assert not VideoAsset.objects.exists()
    assert not Upload.objects.exists()
    assert [each for each in media.rglob("*") if each.is_file()] == []
    assert "0 bytes of 50 GB used" in text_of(browser.get(PAGE))


def test_files_used_by_a_lesson_cannot_be_deleted(ada: User, lesson: Any, browser_of: Open) -> None:
    """A lesson may start to use a file after the page is rendered."""
    lesson.video = VideoFactory(owner=ada)
    lesson.file = StoredFileFactory(owner=ada)
    lesson.save()
    browser = browser_of(ada)

    for kind, uid, code in (("videos", lesson.video.uid, "VIDEO_SHOWN"), ("files", lesson.file.uid, "FILE_IN_USE")):
        answer = browser.post(f"{PAGE}/{kind}/{uid}/delete")
        assert code_of(answer) == code

    lesson.refresh_from_db()
    assert lesson.video
    assert lesson.file


def test_files_of_other_users_cannot_be_deleted(ada: User, eve: User, sam: User, leo: User, browser_of: Open) -> None:
    video, file = VideoFactory(owner=ada), StoredFileFactory(owner=ada)

    for person in (eve, leo, sam):  # admins cannot delete videos of other users on this page
        browser = browser_of(person)
        for kind, uid in (("videos", video.uid), ("files", file.uid), ("videos", file.uid), ("files", video.uid)):
            answer = browser.post(f"{PAGE}/{kind}/{uid}/delete")
            assert code_of(answer) == "NOT_FOUND"
    hers = browser_of(ada)
    hers.post(f"{PAGE}/videos/{file.uid}/delete")
    assert hers.get(f"{PAGE}/videos/{video.uid}/delete").status_code == 405
    assert Client().post(f"{PAGE}/videos/{video.uid}/delete")["Location"].startswith("/auth/login")
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(ada)
    assert strict.post(f"{PAGE}/videos/{video.uid}/delete").status_code == 403

    assert VideoAsset.objects.filter(pk=video.pk).exists()
    assert Upload.objects.filter(pk=file.pk).exists()


def test_the_upload_of_a_finished_video_cannot_be_deleted_as_a_file(ada: User, browser_of: Open) -> None:
    video = VideoFactory(owner=ada, source_bytes=5)
    upload = UploadFactory(owner=ada, video=video, length=5, offset=5, completed_at=timezone.now())

    assert code_of(browser_of(ada).post(f"{PAGE}/files/{upload.uid}/delete")) == "NOT_FOUND"
    assert VideoAsset.objects.filter(pk=video.pk).exists()
    assert names(browser_of(ada).get(PAGE)) == [video.filename]


def test_a_visitor_must_sign_in_and_the_settings_link_to_the_page(client: Client, leo: User, browser_of: Open) -> None:
    assert client.get(PAGE)["Location"].startswith("/auth/login")
    assert f'href="{PAGE}"' in browser_of(leo).get("/settings/").content.decode()
    here = browser_of(leo).get(PAGE).content.decode()
    assert f'href="{PAGE}" aria-current="page"' in here
    assert 'href="/settings/profile"' in here


def test_the_error_of_an_exceeded_quota_links_to_the_page(ada: User, browser_of: Open, settings: Any) -> None:
    settings.STORAGE_ALLOWANCE = {"instructor": 10}
    page = browser_of(ada).get("/dashboard/instructor/upload/").content.decode()

    assert PAGE in page  # one of the pages that the uploader links to
