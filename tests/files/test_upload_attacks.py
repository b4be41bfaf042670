"""Malformed and hostile upload requests are refused or harmless: nothing is half-written, no error is unexpected."""

import base64
import threading
import uuid
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from apps.files import queries, services
from apps.files.errors import QuotaExceeded
from apps.files.models import Upload, VideoAsset
from apps.files.services import receiving
from apps.files.storage import upload_path
from studyplatform.kit import jobs
from studyplatform.kit.errors import NotFound
from tests.factories.files import VideoFactory
from tests.files.test_concatenation import begin_part, files_on_disk, finish, send_parts
from tests.files.test_uploads import CHUNK_SIZE, MOVIE, TUS, begin, facts, offset_of, send

pytestmark = [pytest.mark.database, pytest.mark.django_db]


@pytest.fixture(autouse=True)
def _own_folders(own_folders: Path) -> None:
    """Uploads and stored files go to the test's own folders."""


@pytest.fixture
def ada_browser(ada, browser_of) -> Client:
    return browser_of(ada)


# --- Numbers -----------------------------------------------------------------------------------------------

NOT_NUMBERS = [
    "",
    "-1",
    "+1",
    " ",
    "1 ",
    "1e3",
    "0x10",
    "1_000",
    "1.0",
    "٣",
    "１２",
    "²",
    "NaN",
    "9" * 19,
    "1,2",
    "1\0",
]


@pytest.mark.parametrize("written", [each for each in NOT_NUMBERS if each != "1 "])
def test_a_length_that_is_not_a_number_is_refused(written: str, ada_browser: Client) -> None:
    for concat in ({}, {"HTTP_UPLOAD_CONCAT": "partial"}):
        answer = ada_browser.post(
            "/api/v1/uploads/", b"", "application/offset+octet-stream", HTTP_UPLOAD_LENGTH=written, **TUS, **concat
        )

        assert (answer.status_code, answer.json()["params"]) == (400, {"reason": "Upload-Length"})
    assert not Upload.objects.exists()


@pytest.mark.parametrize("length", ["999999999999999999", "9223372036854775808"[:18], str(5 * 2**30 + 1)])
def test_a_huge_length_is_refused(length: str, ada_browser: Client) -> None:
    for concat in ({}, {"HTTP_UPLOAD_CONCAT": "partial"}):
        answer = ada_browser.post(
            "/api/v1/uploads/", b"", "application/offset+octet-stream", HTTP_UPLOAD_LENGTH=length, **TUS, **concat
        )

        assert (answer.status_code, answer.json()["code"]) == (413, "UPLOAD_FILE_TOO_LARGE")
    assert not Upload.objects.exists()


@pytest.mark.parametrize("written", [each for each in NOT_NUMBERS if each != "1 "])
def test_an_offset_that_is_not_a_number_is_refused(written: str, ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]

    answer = ada_browser.patch(
        address, data=MOVIE, content_type=CHUNK_SIZE, CONTENT_TYPE=CHUNK_SIZE, HTTP_UPLOAD_OFFSET=written, **TUS
    )

    assert (answer.status_code, answer.json()["params"]) == (400, {"reason": "Upload-Offset"})
    assert offset_of(ada_browser, address) == 0


@pytest.mark.parametrize("offset", [1, 99, 101, len(MOVIE), len(MOVIE) + 1, 10**17])
def test_any_other_offset_is_refused(offset: int, ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]
    send(ada_browser, address, 0, MOVIE[:100])

    answer = send(ada_browser, address, offset, b"x")

    assert (answer.status_code, answer["Upload-Offset"]) == (409, "100")
    assert upload_path(Upload.objects.get().uid).read_bytes() == MOVIE[:100]


# --- Names and metadata ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("a\0b.txt", "ab.txt"),
        ("../../../etc/passwd", "passwd"),
        ("..\\..\\windows\\win.ini", "win.ini"),
        ("n" * 2900, "n" * 120),
        ("in\u202evoice.pdf", "invoice.pdf"),
        ("CON", "_CON"),
        ("NUL.txt", "_NUL.txt"),
        ("a.txt. .", "a.txt"),
        ("\r\nSet-Cookie: a=b.txt", "Set-Cookie: a=b.txt"),
    ],
)
@pytest.mark.parametrize("purpose", ["file", "partial"])
def test_a_hostile_name_becomes_harmless(
    typed: str, kept: str, purpose: str, ada_browser: Client, settings: Any
) -> None:
    if purpose == "partial":
        answer = begin_part(ada_browser, 4, HTTP_UPLOAD_METADATA=facts(filename=typed))
    else:
        answer = begin(ada_browser, 4, filename=typed, purpose="file")
    send(ada_browser, answer["Location"], 0, b"four")

    upload = Upload.objects.get()
    assert (answer.status_code, upload.filename, upload.purpose) == (201, kept, purpose)
    assert files_on_disk(settings) == {upload.uid.hex}


def test_the_name_of_a_video_becomes_harmless(ada_browser: Client) -> None:
    for name in ("NUL.mp4", "../le\u202ecture\0.mp4"):
        assert begin(ada_browser, filename=name).status_code == 201

    assert {video.filename for video in VideoAsset.objects.all()} == {"_NUL.mp4", "lecture.mp4"}


def encoded(value: bytes) -> str:
    return base64.b64encode(value).decode()


@pytest.mark.parametrize(
    "header",
    [
        f"filename {encoded(b'x' * 4096)}",
        f"filename {encoded(b'a.mp4')},filename {encoded(b'b.mp4')}",
        f"filename {encoded(bytes([255, 254]))}",
        "filename AAA",
        "filename YQ==YQ==",
        f"filename {encoded(chr(0xDC00).encode('utf-8', 'surrogatepass'))}",
        f"target {encoded(b'lesson' + bytes(1))}",
        f"target {encoded(chr(0x202E).encode())}",
        f"purpose {encoded(b'partial')}",
        f"purpose {encoded(b'video' + bytes(1))}",
        "filename \0",
    ],
)
def test_malformed_metadata_is_refused(header: str, ada_browser: Client) -> None:
    answer = ada_browser.post(
        "/api/v1/uploads/",
        b"",
        "application/offset+octet-stream",
        HTTP_UPLOAD_LENGTH="5",
        HTTP_UPLOAD_METADATA=header,
        **TUS,
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "UPLOAD_MALFORMED")
    assert not Upload.objects.exists()


@pytest.mark.parametrize("uid", ["1", "../1", "00000000-0000-4000-8000-000000000000", "\0", "None"])
def test_an_unknown_video_cannot_be_replaced(uid: str, ada_browser: Client) -> None:
    assert begin(ada_browser, replaces=uid).status_code == 404
    assert not Upload.objects.exists()


def test_a_partial_upload_replaces_no_video(ada_browser: Client, ada) -> None:
    video = VideoFactory(owner=ada)

    begin_part(ada_browser, 4, HTTP_UPLOAD_METADATA=facts(replaces=str(video.uid)))

    video.refresh_from_db()
    assert video.stage == "complete"


# --- Ids of others -----------------------------------------------------------------------------------------


def test_partial_and_final_uploads_of_others_do_not_exist(ada_browser: Client, eve, browser_of) -> None:
    part = begin_part(ada_browser, 4)["Location"]
    final = finish(ada_browser, send_parts(ada_browser, MOVIE[:50], MOVIE[50:]))["Location"]
    stranger = browser_of(eve)

    answers = [
        call
        for address in (part, final)
        for call in (
            stranger.head(address, **TUS),
            send(stranger, address, 0, b"four"),
            stranger.delete(address, **TUS),
            stranger.get(address),
            finish(stranger, [address]),
        )
    ]

    assert {each.status_code for each in answers} == {404}
    assert Upload.objects.count() == 4


@pytest.mark.parametrize("tail", ["1/", "../", "%00/", f"{uuid.UUID(int=0)}%00/", "....//", "%2e%2e%2fetc%2fpasswd/"])
def test_an_address_that_is_no_id_is_not_found(tail: str, ada_browser: Client) -> None:
    assert ada_browser.head(f"/api/v1/uploads/{tail}", **TUS).status_code in {404, 405}


# --- At the same time --------------------------------------------------------------------------------------


def test_a_chunk_of_an_upload_that_is_canceled_meanwhile_leaves_no_file(
    ada_browser: Client, ada, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(receiving, "SAVE_OFFSET_EVERY", 10)
    address = begin(ada_browser)["Location"]
    upload = Upload.objects.get()

    def read(_: int) -> bytes:
        ada_browser.delete(address, **TUS)
        jobs.run_pending("default")
        return MOVIE[:100]

    with pytest.raises(NotFound):
        services.receive_chunk(upload=upload, offset=0, read=read, now=timezone.now())

    assert files_on_disk(settings) == set()
    assert queries.storage_of(ada).used == 0


def test_a_chunk_that_comes_after_the_cancellation_leaves_no_file(ada_browser: Client, settings: Any) -> None:
    begin(ada_browser)
    upload = Upload.objects.get()
    Upload.objects.all().delete()

    with pytest.raises(NotFound):
        services.receive_chunk(upload=upload, offset=0, read=lambda _: MOVIE, now=timezone.now())

    assert files_on_disk(settings) == set()


def test_a_repeated_chunk_of_a_stored_file_leaves_no_file(ada_browser: Client, settings: Any) -> None:
    address = begin(ada_browser, 4, filename="a.bin", purpose="file")["Location"]
    early = Upload.objects.get()
    send(ada_browser, address, 0, b"four")
    jobs.run_pending("default")

    assert send(ada_browser, address, 4, b"").status_code == 204
    services.receive_chunk(upload=Upload.objects.get(), offset=4, read=lambda _: b"", now=timezone.now())
    with pytest.raises(Exception, match="doesn't match"):  # its row was read before it was complete
        services.receive_chunk(upload=early, offset=0, read=lambda _: b"", now=timezone.now())

    assert files_on_disk(settings) == set()
    assert b"".join(ada_browser.get(address).streaming_content) == b"four"


@pytest.mark.django_db(transaction=True)
def test_50_parallel_uploads_at_the_edge_of_the_quota(ada, settings: Any, own_folders: Path) -> None:
    """25 whole ones, and 25 in two parts that are concatenated: the quota has space for 20 of the 50."""
    from django.db import connection

    settings.STORAGE_ALLOWANCE = {"instructor": 20_000}
    start, lock = threading.Barrier(50), threading.Lock()
    complete: list[Upload] = []
    excess: list[int] = []
    problems: list[BaseException] = []

    def fill(purpose: str, length: int) -> Upload:
        now = timezone.now()
        upload = services.begin_upload(owner=ada, purpose=purpose, filename="a.bin", length=length, now=now)
        body = iter([bytes(length)])
        return services.receive_chunk(upload=upload, offset=0, read=lambda _: next(body, b""), now=now)

    def upload(number: int) -> None:
        begun: list[Upload] = []
        try:
            start.wait(60)
            if number % 2:
                final = fill("file", 1000)
            else:
                begun = [fill("partial", 500), fill("partial", 500)]
                uids = [part.uid for part in begun]
                final = services.begin_final_upload(
                    owner=ada, purpose="file", filename="a.bin", parts=uids, concat="final;", now=timezone.now()
                )
            with lock:
                complete.append(final)
        except QuotaExceeded:
            for part in begun:
                services.cancel_upload(upload=part, by=ada)
        except BaseException as problem:
            problems.append(problem)
        finally:
            used = queries.storage_of(ada).used
            if used > 20_000:
                excess.append(used)
            connection.close()

    threads = [threading.Thread(target=upload, args=(number,)) for number in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert problems == []
    assert excess == []
    lone = Upload.objects.filter(purpose="partial", part_of=None)  # the first half of a pair that found no space
    storage = queries.storage_of(ada)
    assert storage.used == 1000 * len(complete) + 500 * lone.count()
    assert 10 <= len(complete) <= 20
    assert sum(each.length for each in Upload.objects.filter(purpose="file")) == 1000 * len(complete)
    assert all(Upload.objects.get(pk=each.pk).completed_at for each in complete)
    for each in complete:
        services.store_file(uid=each.uid)
    services.cancel_upload(upload=complete[0], by=ada)
    assert queries.storage_of(ada).used == storage.used - 1000
