"""Zips of files and folders: contents, names, limits, missing contents, ended connections; uploaded archives."""

import asyncio
import io
import zipfile
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from django.conf import settings
from django.core.files.storage import default_storage
from django.core.signals import request_finished
from django.db import close_old_connections
from django.test import RequestFactory
from django.test.client import AsyncRequestFactory
from django.utils import timezone

from apps.files import errors, storage
from apps.files.models import File, Folder
from apps.files.services import Selection, stream_zip, zips
from studyplatform.kit.errors import RateLimitExceeded
from tests.factories.courses import THEN
from tests.factories.files import FileFactory, FolderFactory, StoredFileFactory


@pytest.fixture
def site(leo, browser_of, own_folders):
    return browser_of(leo)


def opened(answer: Any) -> zipfile.ZipFile:
    """The archive of a response, whose length is as its header says."""
    assert answer.status_code == 200
    body = answer.getvalue()
    if "Content-Length" in answer:
        assert int(answer["Content-Length"]) == len(body)
    archive = zipfile.ZipFile(io.BytesIO(body))
    assert archive.testzip() is None
    return archive


def zip_of(selection: Selection, *, request: Any = None, who: str = "leo") -> Any:
    request = request or RequestFactory().get("/")
    return stream_zip(request, selection=selection, name="Walks", who=who, now=timezone.now())


def end(answer: Any) -> None:
    """Close a response as a server does when the connection ends, without closing the connection to the database."""
    request_finished.disconnect(close_old_connections)
    answer.close()
    request_finished.connect(close_old_connections)


def test_a_selection_is_one_zip(site, leo):
    folder = FolderFactory(owner=leo, name="Wälder 🌲")
    inner = FolderFactory(owner=leo, parent=folder, name="2024")
    FolderFactory(owner=leo, parent=folder, name="empty")
    FileFactory(owner=leo, folder=inner, name="map.pdf", content=b"map")
    FileFactory(owner=leo, folder=folder, name="nothing.txt", content=b"")
    FileFactory(owner=leo, folder=folder, name="bin.txt", deleted_at=THEN)
    FolderFactory(owner=leo, parent=folder, name="bin", deleted_at=THEN)
    notes = FileFactory(owner=leo, name="notes.txt", content=b"tides" * 100_000)

    answer = site.post("/files/zip", {"file": notes.uid, "folder": folder.uid})

    assert answer["Content-Type"] == "application/zip"
    assert answer["Content-Disposition"] == 'attachment; filename="Files.zip"'
    assert answer["Cache-Control"] == "private, no-store"
    assert answer["X-Content-Type-Options"] == "nosniff"
    archive = opened(answer)
    assert sorted(archive.namelist()) == [
        "Wälder 🌲/", "Wälder 🌲/2024/", "Wälder 🌲/2024/map.pdf", "Wälder 🌲/empty/", "Wälder 🌲/nothing.txt",
        "notes.txt",
    ]  # fmt: skip
    assert archive.read("Wälder 🌲/2024/map.pdf") == b"map"
    assert archive.read("notes.txt") == b"tides" * 100_000


def test_a_folder_is_a_zip_of_its_name(site, leo):
    folder = FolderFactory(owner=leo, name="Walks")
    FileFactory(owner=leo, folder=folder, name="a.pdf")

    answer = site.get(f"/files/folder/{folder.uid}/zip")

    assert answer["Content-Disposition"] == 'attachment; filename="Walks.zip"'
    assert opened(answer).namelist() == ["Walks/", "Walks/a.pdf"]
    head = site.head(f"/files/folder/{folder.uid}/zip")
    assert (head["Content-Length"], head.content) == (answer["Content-Length"], b"")
    page = site.get(f"/files/?folder={folder.uid}").content.decode()
    assert f'href="/files/folder/{folder.uid}/zip"' in page
    assert 'formaction="/files/zip"' in page


def test_a_single_file_is_not_zipped(site, leo):
    file = FileFactory(owner=leo)

    assert site.post("/files/zip", {"file": file.uid})["Location"] == f"/files/{file.uid}/download"


def test_files_of_another_user_are_not_zipped(site, leo, mia):
    own, foreign, folder = FileFactory(owner=leo), FileFactory(owner=mia), FolderFactory(owner=mia)

    for data in ({"file": [own.uid, foreign.uid]}, {"file": own.uid, "folder": folder.uid}, {"file": "x"}):
        answer = site.post("/files/zip", data)
        assert (answer.status_code, answer["Location"]) == (302, "/")  # the error is shown there
    assert site.get(f"/files/folder/{folder.uid}/zip").status_code == 404


def test_what_cannot_be_zipped_is_said(site, leo, monkeypatch):
    monkeypatch.setattr(zips, "MOST_ZIPPED", 2)
    folder = FolderFactory(owner=leo)
    FileFactory.create_batch(2, owner=leo, folder=folder, current=StoredFileFactory(owner=leo), version=None)
    binned = FolderFactory(owner=leo, deleted_at=THEN)
    for data, text in (
        ({}, "Select at least one file or folder."),
        ({"folder": folder.uid}, "A zip can contain up to 2 files and folders."),
        ({"folder": binned.uid}, "This file or folder is in the bin."),
    ):
        assert text in site.post("/files/zip", data, follow=True).content.decode()


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_folders_too_count_toward_the_limit(leo, own_folders, monkeypatch, depth):
    monkeypatch.setattr(zips, "MOST_ZIPPED", 3)
    folder = outer = FolderFactory(owner=leo)
    for _ in range(depth):
        folder = FolderFactory(owner=leo, parent=folder)
    FolderFactory.create_batch(4 - depth, owner=leo, parent=folder)

    with pytest.raises(errors.ZipTooLarge):
        zips.zip_entries(Selection(folders=[outer]))


def test_names_in_a_zip_are_clean_and_unique(leo, own_folders):
    """Rows with names that no upload has today: whatever the table holds, a zip is safe to unpack."""
    upload = StoredFileFactory(owner=leo, length=0)
    names = ["a.txt", "A.TXT", "á.txt", "a\u0301.txt", "../../etc/passwd", "/etc/passwd", "..", "NUL", "x\u202etxt.exe"]
    files = [
        FileFactory(owner=leo, folder=FolderFactory(owner=leo), name=name, current=upload, version=None)
        for name in names
    ]
    folder = FolderFactory(owner=leo, name="..\\a.txt")
    FileFactory(owner=leo, folder=folder, name="C:\\b.txt", current=upload, version=None)

    found = opened(zip_of(Selection(folders=[folder], files=files))).namelist()

    assert len({name.casefold() for name in found}) == len(found) == 11
    assert found == [
        "a.txt/", "a (2).txt", "A (3).TXT", "á.txt", "á (2).txt", "passwd", "passwd (2)", "file", "_NUL", "xtxt.exe",
        "a.txt/b.txt",
    ]  # fmt: skip


def test_missing_contents_are_named_in_the_zip(site, leo):
    folder = FolderFactory(owner=leo, name="Walks")
    lost = FileFactory(owner=leo, folder=folder, name="lost.pdf")
    short = FileFactory(owner=leo, folder=folder, name="short.pdf")
    FileFactory(owner=leo, folder=folder, name="kept.pdf")
    FileFactory(owner=leo, folder=folder, name="Missing files.txt", content=b"")
    default_storage.delete(lost.current.stored_as)
    Path(default_storage.path(short.current.stored_as)).write_bytes(b"half")

    archive = opened(site.get(f"/files/folder/{folder.uid}/zip"))

    assert archive.namelist() == [
        "Walks/", "Walks/kept.pdf", "Walks/Missing files.txt", "Missing files.txt",
    ]  # fmt: skip
    text = archive.read("Missing files.txt").decode()
    assert "Walks/lost.pdf" in text
    assert "Walks/short.pdf" in text


def test_a_content_that_disappears_while_it_is_sent_ends_the_response(leo, own_folders):
    one, two = (FileFactory(owner=leo, content=b"x" * 2**19) for _ in range(2))
    answer = zip_of(Selection(files=[one, two]))
    chunks = iter(answer)
    next(chunks)
    default_storage.delete(two.current.stored_as)

    with pytest.raises(FileNotFoundError):
        b"".join(chunks)


def test_an_upload_that_is_moved_into_storage_meanwhile_is_found(leo, own_folders):
    file = FileFactory(owner=leo, content=b"tides")
    upload = file.current
    moved = storage.kept_name(upload.uid)
    default_storage.save(moved, default_storage.open(upload.stored_as))
    upload.stored_as = ""  # as the row was before

    assert opened(zip_of(Selection(files=[file]))).read(file.name) == b"tides"


class Bucket:
    """Storage that says only while it is read that an object is missing, as a bucket does."""

    def __init__(self, contents: dict[str, bytes]) -> None:
        self.contents = contents
        self.opened: list[io.BytesIO] = []

    def open(self, upload: Any, *, to_owner: bool) -> Any:
        if upload.stored_as not in self.contents:
            return mock.Mock(read=mock.Mock(side_effect=FileNotFoundError))
        self.opened.append(io.BytesIO(self.contents[upload.stored_as]))
        return self.opened[-1]


@pytest.fixture
def bucket(monkeypatch):
    found = Bucket({})
    monkeypatch.setattr(zips, "is_local", lambda: False)
    monkeypatch.setattr(zips, "open_content_once", found.open)
    return found


def stored(leo: Any, name: str, length: int) -> File:
    upload = StoredFileFactory(owner=leo, length=length, stored_as=name)
    return FileFactory(owner=leo, name=name, current=upload, version=None)


def test_contents_in_a_bucket_are_opened_one_after_the_other(leo, bucket, db):
    bucket.contents = {"a": b"a" * 700_000, "b": b"b" * 700_000, "half": b"half"}
    files = [stored(leo, "a", 700_000), stored(leo, "lost", 5), stored(leo, "half", 9), stored(leo, "b", 700_000)]

    answer = zip_of(Selection(files=files))

    assert "Content-Length" not in answer
    chunks = iter(answer)
    parts = [next(chunks), next(chunks)]
    assert [file.closed for file in bucket.opened] == [False]
    archive = zipfile.ZipFile(io.BytesIO(b"".join([*parts, *chunks])))
    assert archive.testzip() is None
    assert archive.namelist() == ["a", "half", "b", "Missing files.txt"]
    assert archive.read("b") == bucket.contents["b"]
    assert {"lost", "half"} <= set(archive.read("Missing files.txt").decode().split("\r\n"))
    assert all(file.closed for file in bucket.opened)


def test_an_ended_connection_closes_the_file_and_frees_the_slot(leo, bucket, db):
    bucket.contents = {"a": b"a" * 700_000}
    selection = Selection(files=[stored(leo, "a", 700_000)])
    answers = [zip_of(selection) for _ in range(zips.AT_ONCE)]
    next(iter(answers[0]))
    with pytest.raises(RateLimitExceeded):
        zip_of(selection)
    end(zip_of(selection, who="mia"))

    for answer in answers:  # of the second, nothing was read
        end(answer)

    assert [file.closed for file in bucket.opened] == [True]
    for _ in range(zips.AT_ONCE + 1):
        assert b"".join(zip_of(selection))


def test_a_refused_zip_frees_its_slot(leo, bucket, db, monkeypatch):
    selection = Selection(files=[stored(leo, "a", 1)])
    monkeypatch.setattr(zips, "zip_chunks", mock.Mock(side_effect=OSError))
    for _ in range(zips.AT_ONCE + 1):
        with pytest.raises(OSError):  # noqa: PT011 (the one above; no RateLimitExceeded)
            zip_of(selection)


def test_a_user_downloads_a_limited_number_of_zips(leo, own_folders, monkeypatch):
    monkeypatch.setitem(settings.RATE_LIMITS, "zip", (1, 60))
    selection = Selection(files=[FileFactory(owner=leo)])
    end(zip_of(selection))

    with pytest.raises(RateLimitExceeded):
        zip_of(selection)


def test_under_asgi_a_zip_is_read_in_threads(leo, bucket, db):
    bucket.contents = {"a": b"a" * 700_000}
    answer = zip_of(Selection(files=[stored(leo, "a", 700_000)]), request=AsyncRequestFactory().get("/"))

    async def read() -> bytes:
        return b"".join([chunk async for chunk in answer])

    assert answer.is_async
    assert zipfile.ZipFile(io.BytesIO(asyncio.run(read()))).read("a") == bucket.contents["a"]


def test_the_length_of_a_zip_over_4_gib_is_known(leo, own_folders):
    entry = zips.ZipEntry("a", StoredFileFactory.build(length=5 * 2**30, stored_as="files/a"))
    with mock.patch.object(zips, "is_content_present", return_value=True):
        length, _ = zips.zip_chunks([entry])

    assert length == 5 * 2**30 + 240  # with the headers of zip64


def test_the_cost_of_a_folder_is_that_of_its_levels(leo, own_folders, django_assert_num_queries):
    outer = FolderFactory(owner=leo)
    upload = StoredFileFactory(owner=leo)
    for folder in FolderFactory.create_batch(10, owner=leo, parent=outer):
        FileFactory.create_batch(3, owner=leo, folder=folder, current=upload, version=None)

    with django_assert_num_queries(4):
        assert len(zips.zip_entries(Selection(folders=[outer]))) == 41


def test_an_uploaded_zip_of_many_entries_is_only_stored(site, leo, own_folders):
    from django.core.files.uploadedfile import SimpleUploadedFile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number in range(100_000):
            archive.writestr(zipfile.ZipInfo(f"../{number}"), b"")
        archive.writestr("bomb", b"\0" * 10_000_000, zipfile.ZIP_DEFLATED)

    site.post("/files/upload", {"file": SimpleUploadedFile("many.zip", out.getvalue())})

    file = File.objects.get()
    assert (file.kind, file.size, Folder.objects.count()) == ("archive", len(out.getvalue()), 0)
    assert "This type of file has no preview." in site.get(f"/files/{file.uid}").content.decode()
    assert site.get(f"/files/{file.uid}/view")["Content-Disposition"].startswith("attachment")
