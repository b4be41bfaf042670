"""Resumable uploads: the tus 1.0 protocol, storage limits, permissions and interruptions."""

import base64
import errno
import fcntl
import hashlib
import os
import threading
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from datetime import timedelta
from email.utils import parsedate_to_datetime
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from apps.accounts.models import Notification
from apps.courses.queries.storage_used import largest_first
from apps.files import queries, services, storage
from apps.files.api import tus
from apps.files.errors import QuotaExceeded
from apps.files.models import Upload, VideoAsset
from apps.files.services import creation, receiving
from apps.files.storage import upload_path
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from studyplatform.settings.parts import auth as auth_settings
from tests.factories.files import VideoFactory

pytestmark = [pytest.mark.database, pytest.mark.django_db]

TUS: dict[str, Any] = {"HTTP_TUS_RESUMABLE": "1.0.0"}
CHUNK_SIZE = "application/offset+octet-stream"
MOVIE = b"\x00\x00\x00\x18ftypisom" + bytes(range(256)) * 40
GIGABYTE = 2**30


def facts(**values: str) -> str:
    return ",".join(f"{name} {base64.b64encode(value.encode()).decode()}" for name, value in values.items())


def begin(browser: Client, length: int = len(MOVIE), filename: str = "lecture.mp4", **more: str) -> Any:
    return browser.post(
        "/api/v1/uploads/",
        data=b"",
        content_type=CHUNK_SIZE,
        HTTP_UPLOAD_LENGTH=str(length),
        HTTP_UPLOAD_METADATA=facts(filename=filename, **more),
        **TUS,
    )


def send(browser: Client, address: str, offset: int, piece: bytes, **headers: Any) -> Any:
    return browser.patch(
        address,
        data=piece,
        content_type=CHUNK_SIZE,
        CONTENT_TYPE=CHUNK_SIZE,
        HTTP_UPLOAD_OFFSET=str(offset),
        **TUS,
        **headers,
    )


def offset_of(browser: Client, address: str) -> int:
    return int(browser.head(address, **TUS)["Upload-Offset"])


@pytest.fixture(autouse=True)
def _storage_settings(settings: Any, tmp_path: Path) -> None:
    settings.UPLOAD_ROOT = tmp_path / "uploads"
    settings.WORK_ROOT = tmp_path / "work"


@pytest.fixture
def ada_browser(ada, browser_of) -> Client:
    """Ada's browser."""
    return browser_of(ada)


def test_a_file_arrives_in_chunks_and_is_queued(ada_browser: Client, ada) -> None:
    answer = begin(ada_browser, target="lesson-7")
    address = answer["Location"]
    video = VideoAsset.objects.get(uid=answer["Video-Uid"])
    assert (answer.status_code, video.stage, video.owner) == (201, "uploading", ada)
    assert answer["Tus-Resumable"] == "1.0.0"
    assert "Upload-Expires" in answer

    first = send(ada_browser, address, 0, MOVIE[:4000])
    assert (first.status_code, first["Upload-Offset"]) == (204, "4000")
    video.refresh_from_db()
    assert video.percent == 4000 * 100 // len(MOVIE)
    assert offset_of(ada_browser, address) == 4000
    last = send(ada_browser, address, 4000, MOVIE[4000:])

    upload = Upload.objects.get()
    video.refresh_from_db()
    assert last.status_code == 204
    assert upload_path(upload.uid).read_bytes() == MOVIE
    assert (video.stage, video.source_bytes, video.version) == ("queued", len(MOVIE), upload.uid)
    assert Job.objects.get(kind="files.process_video").payload == {"video": video.pk, "version": upload.uid.hex}
    assert offset_of(ada_browser, address) == len(MOVIE)


def test_a_repeated_last_chunk_queues_the_video_once(ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]
    send(ada_browser, address, 0, MOVIE)

    again = send(ada_browser, address, len(MOVIE), b"")

    assert again.status_code == 204
    assert Job.objects.filter(kind="files.process_video").count() == 1


def test_the_server_announces_its_tus_version_and_extensions(ada_browser: Client, settings: Any) -> None:
    answer = ada_browser.options("/api/v1/uploads/")

    assert answer.status_code == 200
    assert answer["Tus-Version"] == "1.0.0"
    assert answer["Tus-Extension"] == "creation,creation-with-upload,expiration,termination,checksum,concatenation"
    assert answer["Tus-Max-Size"] == str(settings.UPLOAD_LIMITS["video"])


def test_another_version_of_the_protocol_is_refused(ada_browser: Client) -> None:
    answer = ada_browser.post("/api/v1/uploads/", content_type=CHUNK_SIZE, HTTP_UPLOAD_LENGTH="5")

    assert (answer.status_code, answer.json()["code"]) == (412, "UPLOAD_VERSION_UNSUPPORTED")
    assert answer["Tus-Version"] == "1.0.0"


@pytest.mark.parametrize(
    ("headers", "reason"),
    [
        ({}, "Upload-Length"),
        ({"HTTP_UPLOAD_LENGTH": "-1"}, "Upload-Length"),
        ({"HTTP_UPLOAD_LENGTH": "1e9"}, "Upload-Length"),
        ({"HTTP_UPLOAD_LENGTH": "٣"}, "Upload-Length"),
        ({"HTTP_UPLOAD_LENGTH": "9" * 30}, "Upload-Length"),
        ({"HTTP_UPLOAD_LENGTH": "5", "HTTP_UPLOAD_METADATA": "filename ***"}, "Upload-Metadata"),
        ({"HTTP_UPLOAD_LENGTH": "5", "HTTP_UPLOAD_METADATA": "filename " + "A" * 5000}, "Upload-Metadata"),
        ({"HTTP_UPLOAD_LENGTH": "5", "HTTP_UPLOAD_METADATA": "filename \xe9"}, "Upload-Metadata"),
        ({"HTTP_UPLOAD_LENGTH": "5", "HTTP_UPLOAD_CHECKSUM": "sha1 \xb2"}, "Upload-Checksum"),
        ({"HTTP_UPLOAD_LENGTH": "5", "HTTP_UPLOAD_METADATA": facts(purpose="avatar")}, "purpose"),
    ],
)
def test_a_malformed_request_is_refused(headers: dict[str, Any], reason: str, ada_browser: Client) -> None:
    answer = ada_browser.post("/api/v1/uploads/", content_type=CHUNK_SIZE, **TUS, **headers)

    assert answer.status_code == 400
    assert answer.json()["code"] == "UPLOAD_MALFORMED"
    assert answer.json()["params"] == {"reason": reason}
    assert not Upload.objects.exists()


def test_responses_have_all_headers_that_the_protocol_requires(ada_browser: Client) -> None:
    """tus 1.0, core and creation: https://tus.io/protocols/resumable-upload."""
    written = facts(filename="léçon 1.mp4", target="lesson-7")
    begun = ada_browser.post(
        "/api/v1/uploads/",
        data=b"",
        content_type=CHUNK_SIZE,
        HTTP_UPLOAD_LENGTH=str(len(MOVIE)),
        HTTP_UPLOAD_METADATA=written,
        **TUS,
    )
    send(ada_browser, begun["Location"], 0, MOVIE[:10])
    found = ada_browser.head(begun["Location"], **TUS)

    assert begun["Location"] == f"http://testserver/api/v1/uploads/{Upload.objects.get().uid}/"
    assert found["Upload-Metadata"] == written
    assert (found["Upload-Length"], found["Upload-Offset"]) == (str(len(MOVIE)), "10")
    assert found["Cache-Control"] == "no-store"
    assert parsedate_to_datetime(found["Upload-Expires"]) > timezone.now()
    for answer in (begun, found, ada_browser.delete(begun["Location"], **TUS)):
        assert answer["Tus-Resumable"] == "1.0.0"


def test_the_creation_request_may_contain_the_first_bytes(ada_browser: Client) -> None:
    headers = {"HTTP_UPLOAD_LENGTH": str(len(MOVIE)), "HTTP_UPLOAD_METADATA": facts(filename="a.mp4"), **TUS}

    part = ada_browser.post("/api/v1/uploads/", data=MOVIE[:600], content_type=CHUNK_SIZE, **headers)
    whole = ada_browser.post("/api/v1/uploads/", data=MOVIE, content_type=CHUNK_SIZE, **headers)

    assert (part.status_code, part["Upload-Offset"]) == (201, "600")
    assert (whole.status_code, whole["Upload-Offset"]) == (201, str(len(MOVIE)))
    assert VideoAsset.objects.get(uid=whole["Video-Uid"]).stage == "queued"
    assert send(ada_browser, part["Location"], 600, MOVIE[600:]).status_code == 204


def test_a_header_may_override_the_method(ada_browser: Client, ada) -> None:
    address = begin(ada_browser)["Location"]

    def post(method: str, data: bytes = b"", **headers: Any) -> Any:
        return ada_browser.post(
            address, data=data, content_type=CHUNK_SIZE, HTTP_X_HTTP_METHOD_OVERRIDE=method, **TUS, **headers
        )

    assert post("PATCH", MOVIE[:9], HTTP_UPLOAD_OFFSET="0")["Upload-Offset"] == "9"
    assert post("HEAD")["Upload-Offset"] == "9"
    assert post("GET").status_code == 405
    assert post("DELETE").status_code == 204
    assert not Upload.objects.exists()


# --- Disk space of the server ------------------------------------------------------------------------------


def test_an_upload_larger_than_the_free_disk_space_is_refused(ada_browser: Client, settings: Any) -> None:
    settings.DISK_RESERVE = 2**60

    answer = begin(ada_browser)

    assert (answer.status_code, answer.json()["code"]) == (507, "STORE_FULL")
    assert not Upload.objects.exists()
    assert not VideoAsset.objects.exists()


def test_bytes_that_fit_above_the_disk_reserve_are_kept(ada_browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    address = begin(ada_browser)["Location"]
    monkeypatch.setattr(receiving, "READ_SIZE", 1000)
    left = iter([5000, 4000, 3000])
    monkeypatch.setattr(storage, "free_space", lambda _: next(left, 0))

    full = send(ada_browser, address, 0, MOVIE)

    assert (full.status_code, full.json()["code"]) == (507, "STORE_FULL")
    assert offset_of(ada_browser, address) == 3000
    monkeypatch.undo()
    assert send(ada_browser, address, 3000, MOVIE[3000:]).status_code == 204
    assert upload_path(Upload.objects.get().uid).read_bytes() == MOVIE


def test_a_full_disk_is_reported_and_the_received_bytes_are_kept(
    ada_browser: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = begin(ada_browser)["Location"]
    send(ada_browser, address, 0, MOVIE[:300])
    write = os.write

    def fill(file: int, piece: Any) -> int:
        if len(piece) > 200:
            return write(file, piece[:200])
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(receiving.os, "write", fill)
    monkeypatch.setattr(receiving, "READ_SIZE", 250)
    full = send(ada_browser, address, 300, MOVIE[300:])
    monkeypatch.undo()

    assert (full.status_code, full.json()["code"]) == (507, "STORE_FULL")
    assert offset_of(ada_browser, address) == 300
    assert send(ada_browser, address, 300, MOVIE[300:]).status_code == 204
    assert upload_path(Upload.objects.get().uid).read_bytes() == MOVIE


def test_the_offset_of_a_long_chunk_is_saved_while_it_arrives(ada, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the server is killed during a request of several gigabytes, the received bytes must not be lost."""
    monkeypatch.setattr(receiving, "SAVE_OFFSET_EVERY", 1000)
    upload = services.begin_upload(owner=ada, purpose="video", filename="a.mp4", length=5000, now=timezone.now())
    noted: list[int] = []

    def read(_: int) -> bytes:
        noted.append(Upload.objects.get().offset)
        return bytes(500) if len(noted) <= 10 else b""

    services.receive_chunk(upload=upload, offset=0, read=read, now=timezone.now())

    assert noted == [0, 0, 1000, 1000, 2000, 2000, 3000, 3000, 4000, 4000, 5000]


# --- Limits and quotas -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("purpose", "length", "status"),
    [
        ("video", 5 * GIGABYTE, 201),
        ("video", 5 * GIGABYTE + 1, 413),
        ("file", 2 * GIGABYTE, 201),
        ("file", 2 * GIGABYTE + 1, 413),
    ],
)
def test_the_limit_is_5_gb_for_a_video_and_2_gb_for_other_files(
    purpose: str, length: int, status: int, ada_browser: Client
) -> None:
    answer = begin(ada_browser, length, purpose=purpose)

    assert answer.status_code == status
    if status == 413:
        problem = answer.json()
        assert answer["Content-Type"] == "application/problem+json"
        assert problem["code"] == "UPLOAD_FILE_TOO_LARGE"
        assert ("5 GB" if purpose == "video" else "2 GB") in problem["detail"]


def test_error_messages_use_the_configured_limits(ada_browser: Client, settings: Any) -> None:
    settings.UPLOAD_LIMITS = {"video": 3 * GIGABYTE, "file": GIGABYTE // 2}

    problem = begin(ada_browser, 4 * GIGABYTE).json()

    assert problem["detail"] == (
        "This file is larger than 3 GB. Videos can be up to 3 GB, and other files up to 512 MB."
    )


def test_storage_is_reserved_when_an_upload_begins(ada_browser: Client, ada, settings: Any) -> None:
    settings.STORAGE_ALLOWANCE = {"instructor": 10 * GIGABYTE}
    VideoFactory(owner=ada, source_bytes=3 * GIGABYTE)

    statuses = [begin(ada_browser, 3 * GIGABYTE).status_code for _ in range(3)]
    refusal = begin(ada_browser, 3 * GIGABYTE).json()

    assert statuses == [201, 201, 413]
    assert refusal["code"] == "UPLOAD_QUOTA_EXCEEDED"
    assert refusal["params"] == {"needed": "3 GB", "free": "1 GB", "allowance": "10 GB"}
    assert ada_browser.get("/api/v1/storage/").json() == {
        "videos": 3 * GIGABYTE,
        "files": 0,
        "held": 6 * GIGABYTE,
        "used": 9 * GIGABYTE,
        "free": GIGABYTE,
        "allowance": 10 * GIGABYTE,
    }


def test_students_have_5_gb_and_instructors_have_50_gb(leo, ada, sam) -> None:
    assert [queries.storage_of(each).allowance // GIGABYTE for each in (leo, ada, sam)] == [5, 50, 50]


@pytest.mark.django_db(transaction=True)
def test_parallel_uploads_cannot_exceed_the_quota(ada, settings: Any) -> None:
    from django.db import connection

    settings.STORAGE_ALLOWANCE = {"instructor": 5000}
    start, outcomes = threading.Barrier(6), []

    def upload() -> None:
        start.wait()
        try:
            services.begin_upload(owner=ada, purpose="video", filename="a.mp4", length=2000, now=timezone.now())
            outcomes.append("begun")
        except QuotaExceeded:
            outcomes.append("refused")
        finally:
            connection.close()

    threads = [threading.Thread(target=upload) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == ["begun"] * 2 + ["refused"] * 4
    assert queries.storage_of(ada).held == 4000


def test_a_canceled_upload_frees_its_storage(ada_browser: Client, ada) -> None:
    address = begin(ada_browser)["Location"]
    send(ada_browser, address, 0, MOVIE[:100])
    upload = Upload.objects.get()

    assert ada_browser.delete(address, **TUS).status_code == 204
    jobs.run_pending("default")

    assert queries.storage_of(ada).held == 0
    assert not VideoAsset.objects.exists()
    assert not upload_path(upload.uid).exists()
    assert ada_browser.head(address, **TUS).status_code == 404


# --- Errors and interruptions ------------------------------------------------------------------------------


def test_a_chunk_with_a_wrong_offset_is_refused_with_the_right_offset(ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]
    send(ada_browser, address, 0, MOVIE[:100])

    answer = send(ada_browser, address, 50, MOVIE[50:])

    assert (answer.status_code, answer["Upload-Offset"]) == (409, "100")
    assert answer.json()["code"] == "UPLOAD_OFFSET_MISMATCH"
    assert offset_of(ada_browser, address) == 100


def test_more_bytes_than_announced_are_refused_and_discarded(ada_browser: Client) -> None:
    address = begin(ada_browser, 100)["Location"]
    send(ada_browser, address, 0, MOVIE[:40])

    answer = send(ada_browser, address, 40, MOVIE[40:200])

    assert answer.status_code == 413
    assert offset_of(ada_browser, address) == 40
    assert upload_path(Upload.objects.get().uid).stat().st_size == 40


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
def test_a_damaged_chunk_is_detected_by_its_checksum(algorithm: str, ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]
    digest = base64.b64encode(hashlib.new(algorithm, MOVIE[:500]).digest()).decode()

    damaged = send(ada_browser, address, 0, MOVIE[1:501], HTTP_UPLOAD_CHECKSUM=f"{algorithm} {digest}")
    assert (damaged.status_code, damaged.json()["code"]) == (460, "UPLOAD_CHECKSUM_MISMATCH")
    assert offset_of(ada_browser, address) == 0
    sound = send(ada_browser, address, 0, MOVIE[:500], HTTP_UPLOAD_CHECKSUM=f"{algorithm} {digest}")

    assert (sound.status_code, sound["Upload-Offset"]) == (204, "500")


@pytest.mark.parametrize("written", ["md5 xxxx", "sha1 ***", "sha1"])
def test_an_unknown_checksum_is_refused(written: str, ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]

    assert send(ada_browser, address, 0, MOVIE[:5], HTTP_UPLOAD_CHECKSUM=written).status_code in {400, 460}
    assert offset_of(ada_browser, address) == 0


def test_only_the_content_type_of_the_protocol_is_accepted(ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]

    answer = ada_browser.patch(address, data=b"{}", content_type="application/json", HTTP_UPLOAD_OFFSET="0", **TUS)

    assert answer.status_code == 415
    assert offset_of(ada_browser, address) == 0


class BrokenConnection:
    """A request body whose connection breaks in the middle."""

    def __init__(self, arrives: bytes) -> None:
        self._pieces = iter([arrives])

    def read(self, _: int) -> bytes:
        for piece in self._pieces:
            return piece
        raise ConnectionResetError


def test_bytes_that_arrived_before_a_broken_connection_are_kept(ada, ada_browser: Client) -> None:
    from apps.files.errors import UploadNetworkError

    address = begin(ada_browser)["Location"]
    upload = Upload.objects.get()

    with pytest.raises(UploadNetworkError):
        services.receive_chunk(
            upload=upload, offset=0, read=BrokenConnection(MOVIE[:700]).read, expected=len(MOVIE), now=timezone.now()
        )

    assert offset_of(ada_browser, address) == 700
    assert send(ada_browser, address, 700, MOVIE[700:]).status_code == 204
    assert upload_path(upload.uid).read_bytes() == MOVIE


def test_bytes_after_the_saved_offset_are_cut_off(ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]
    send(ada_browser, address, 0, MOVIE[:300])
    upload = Upload.objects.get()
    with upload_path(upload.uid).open("ab") as file:
        file.write(b"written, but the server was killed before it noted it")

    send(ada_browser, address, 300, MOVIE[300:])

    assert upload_path(upload.uid).read_bytes() == MOVIE


def test_bytes_missing_on_disk_are_requested_again(ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]
    send(ada_browser, address, 0, MOVIE[:300])
    upload = Upload.objects.get()
    upload_path(upload.uid).write_bytes(MOVIE[:120])

    answer = send(ada_browser, address, 300, MOVIE[300:])

    assert (answer.status_code, answer["Upload-Offset"]) == (409, "120")
    assert send(ada_browser, address, 120, MOVIE[120:]).status_code == 204
    assert upload_path(upload.uid).read_bytes() == MOVIE


def test_a_concurrent_request_to_the_same_upload_is_refused(ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]
    path = upload_path(Upload.objects.get().uid)
    with path.open("ab") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        answer = send(ada_browser, address, 0, MOVIE)

    assert (answer.status_code, answer.json()["code"]) == (423, "UPLOAD_BUSY")
    assert offset_of(ada_browser, address) == 0


def test_a_status_request_finishes_an_upload_interrupted_after_its_last_byte(ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]
    upload = Upload.objects.get()
    upload_path(upload.uid).write_bytes(MOVIE)
    Upload.objects.update(offset=len(MOVIE))  # the offset was saved before the server was killed

    assert offset_of(ada_browser, address) == len(MOVIE)

    assert VideoAsset.objects.get().stage == "queued"
    assert Job.objects.filter(kind="files.process_video").count() == 1


def test_an_unfinished_upload_expires(ada_browser: Client, ada) -> None:
    address = begin(ada_browser)["Location"]
    send(ada_browser, address, 0, MOVIE[:100])
    upload = Upload.objects.get()

    with time_machine.travel(timezone.now() + timedelta(days=6), tick=False):
        assert ada_browser.head(address, **TUS).status_code == 200
    with time_machine.travel(timezone.now() + timedelta(days=8), tick=False):
        assert ada_browser.head(address, **TUS).status_code == 410
        late = send(ada_browser, address, 100, MOVIE[100:])
        assert (late.status_code, late.json()["code"]) == (410, "UPLOAD_EXPIRED")
        jobs.run_pending("default")
        jobs.run_pending("default")

    assert not Upload.objects.exists()
    assert not VideoAsset.objects.exists()
    assert queries.storage_of(ada).held == 0
    assert not upload_path(upload.uid).exists()


def test_a_chunk_extends_the_expiry_of_the_upload(ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]

    with time_machine.travel(timezone.now() + timedelta(days=5), tick=False):
        ada_browser.cookies.clear()
        ada_browser.force_login(Upload.objects.get().owner)
        send(ada_browser, address, 0, MOVIE[:100])
    with time_machine.travel(timezone.now() + timedelta(days=8), tick=False):
        jobs.run_pending("default")
        assert Upload.objects.get().offset == 100
        assert Job.objects.filter(kind="files.expire_upload", state="queued").count() == 1


# --- File types --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["notes.txt", "slides.pdf", "movie.wmv", "movie.mkv", "a.m4v", "b.qt", "page.html", "run.sh", "list.m3u8"]
)
def test_a_name_without_a_video_extension_is_refused_immediately(name: str, ada_browser: Client) -> None:
    answer = begin(ada_browser, filename=name)

    assert (answer.status_code, answer.json()["code"]) == (415, "UPLOAD_FORMAT_UNSUPPORTED")
    assert "MP4, MOV, AVI, WebM" in answer.json()["detail"]


@pytest.mark.parametrize("name", ["a.mp4", "A.MOV", "b.avi", "c.webm", "noname", "../../etc/lecture.mp4"])
def test_the_name_does_not_affect_where_the_file_is_stored(name: str, ada_browser: Client, settings: Any) -> None:
    answer = begin(ada_browser, filename=name)
    send(ada_browser, answer["Location"], 0, MOVIE)

    assert VideoAsset.objects.get().filename == name.rpartition("/")[2]
    assert [each.name for each in Path(settings.UPLOAD_ROOT).iterdir()] == [Upload.objects.get().uid.hex]


def test_a_text_file_named_mp4_is_a_corrupt_file(ada_browser: Client, ada) -> None:
    words = b"This is the script of the lesson.\n" * 20
    address = begin(ada_browser, len(words))["Location"]

    answer = send(ada_browser, address, 0, words)

    video = VideoAsset.objects.get()
    assert answer.status_code == 204
    assert (video.stage, video.failure) == ("failed", "corrupt_file")
    assert video.failure_detail == "This file is not a video. It contains plain text."
    assert queries.storage_of(ada).used == 0
    jobs.run_pending("default")
    assert not upload_path(Upload.objects.get().uid).exists()
    assert not Job.objects.filter(kind="files.process_video").exists()


def test_an_empty_file_is_a_corrupt_file(ada_browser: Client) -> None:
    answer = begin(ada_browser, 0)

    video = VideoAsset.objects.get()
    assert answer.status_code == 201
    assert (video.failure, video.failure_detail) == ("corrupt_file", "The file is empty. It contains no data.")


def test_a_playlist_named_mp4_is_refused(ada_browser: Client) -> None:
    words = b"#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1:9/x.ts\n"
    address = begin(ada_browser, len(words))["Location"]

    answer = send(ada_browser, address, 0, words)

    assert (answer.status_code, answer.json()["code"]) == (415, "UPLOAD_FORMAT_UNSUPPORTED")
    assert VideoAsset.objects.get().failure == "corrupt_file"
    assert not Job.objects.filter(kind="files.process_video").exists()


# --- Replacing ---------------------------------------------------------------------------------------------


def test_an_upload_replaces_a_failed_video(ada_browser: Client, ada) -> None:
    video = VideoFactory(owner=ada, stage="failed", failure="corrupt_file", failure_detail="damaged")

    answer = begin(ada_browser, replaces=str(video.uid))
    send(ada_browser, answer["Location"], 0, MOVIE)

    video.refresh_from_db()
    assert answer["Video-Uid"] == str(video.uid)
    assert (video.stage, video.failure, video.failure_detail) == ("queued", "", "")
    assert VideoAsset.objects.count() == 1


@pytest.mark.parametrize(
    "facts_of_video",
    [
        {"filename": "good.mp4", "source": "originals/good.mp4", "source_bytes": 700},
        {
            "filename": "odd.mp4",
            "stage": "failed",
            "failure": "processing_failed",
            "failure_detail": "No.",
            "is_playable": False,
        },
    ],
)
def test_a_canceled_replacement_leaves_the_video_unchanged(facts_of_video: Any, ada_browser: Client, ada) -> None:
    video = VideoFactory(owner=ada, version=uuid.uuid4(), **facts_of_video)
    before = row_of(video)
    address = begin(ada_browser, replaces=str(video.uid))["Location"]
    send(ada_browser, address, 0, MOVIE[:100])

    ada_browser.delete(address, **TUS)

    assert row_of(video) == before


def row_of(video: VideoAsset) -> dict[str, Any]:
    row = dict[str, Any](VideoAsset.objects.filter(pk=video.pk).values().get())
    del row["updated_at"]
    return row


def test_an_invalid_replacement_leaves_the_video_unchanged_and_gives_the_reason(
    ada_browser: Client, ada, django_capture_on_commit_callbacks
) -> None:
    video = VideoFactory(owner=ada, version=uuid.uuid4(), source="originals/good.mp4", source_bytes=700)
    before = row_of(video)
    words = b"These are the notes.\n" * 40
    address = begin(ada_browser, len(words), filename="notes.mp4", replaces=str(video.uid))["Location"]
    assert queries.storage_of(ada).used == 700 + len(words)

    with django_capture_on_commit_callbacks(execute=True):
        send(ada_browser, address, 0, words)
    jobs.run_pending("default")

    after = row_of(video)
    assert after.pop("replacement_failure") == "This file is not a video. It contains plain text."
    del before["replacement_failure"]
    assert after == before
    assert queries.storage_of(ada).used == 700
    assert not upload_path(Upload.objects.get().uid).exists()
    shown = ada_browser.get(f"/api/v1/videos/{video.uid}/").json()
    assert shown["notice"] == (
        "The new file wasn't used. This file is not a video. It contains plain text. This video is unchanged."
    )
    notification = Notification.objects.get(user=ada, kind="files.replacement_failed")
    assert notification.params["file"] == "notes.mp4"


def test_two_failed_replacements_send_two_notifications(
    ada_browser: Client, ada, django_capture_on_commit_callbacks
) -> None:
    video = VideoFactory(owner=ada, version=uuid.uuid4())
    for _ in range(2):
        address = begin(ada_browser, 5, replaces=str(video.uid))["Location"]
        with django_capture_on_commit_callbacks(execute=True):
            send(ada_browser, address, 0, b"notes")

    assert Notification.objects.filter(user=ada, kind="files.replacement_failed").count() == 2


def test_both_originals_count_until_the_replacement_is_processed(ada_browser: Client, ada) -> None:
    video = VideoFactory(owner=ada, version=uuid.uuid4(), source="originals/good.mp4", source_bytes=700)
    address = begin(ada_browser, replaces=str(video.uid))["Location"]

    assert queries.storage_of(ada).used == 700 + len(MOVIE)
    send(ada_browser, address, 0, MOVIE)

    video.refresh_from_db()
    assert (video.stage, video.is_playable) == ("queued", True)
    assert queries.storage_of(ada).used == 700 + len(MOVIE)
    assert not Job.objects.filter(kind="files.remove").exists()
    assert [room for _, _, room in largest_first(ada.pk)] == [700 + len(MOVIE)]


@pytest.mark.parametrize("stage", ["uploading", "queued", "finalizing"])
def test_an_unfinished_video_cannot_be_replaced(stage: str, ada_browser: Client, ada) -> None:
    video = VideoFactory(owner=ada, stage=stage)

    answer = begin(ada_browser, replaces=str(video.uid))

    assert (answer.status_code, answer.json()["code"]) == (409, "VIDEO_BUSY")
    assert not Upload.objects.exists()


# --- Permissions -------------------------------------------------------------------------------------------


@pytest.fixture
def upload_of_ada(ada) -> str:
    """The address of an upload that Ada started."""
    upload = services.begin_upload(owner=ada, purpose="video", filename="a.mp4", length=len(MOVIE), now=timezone.now())
    return f"/api/v1/uploads/{upload.uid}/"


CALLS: dict[str, Callable[[Client, str], Any]] = {
    "begin": lambda browser, _: begin(browser),
    "offset": lambda browser, address: browser.head(address, **TUS),
    "piece": lambda browser, address: send(browser, address, 0, MOVIE),
    "cancel": lambda browser, address: browser.delete(address, **TUS),
    "list": lambda browser, _: browser.get("/api/v1/uploads/"),
}


@pytest.mark.parametrize(
    ("who", "statuses"),
    [
        ("visitor", {"begin": 401, "offset": 401, "piece": 401, "cancel": 401, "list": 401}),
        ("leo", {"begin": 403, "offset": 404, "piece": 404, "cancel": 404, "list": 200}),
        ("eve", {"begin": 201, "offset": 404, "piece": 404, "cancel": 404, "list": 200}),
        ("sam", {"begin": 201, "offset": 404, "piece": 404, "cancel": 404, "list": 200}),
        ("ada", {"begin": 201, "offset": 200, "piece": 204, "cancel": 204, "list": 200}),
    ],
)
@pytest.mark.parametrize("call", CALLS)
def test_users_can_access_only_their_own_uploads(
    who: str, statuses: dict[str, int], call: str, upload_of_ada: str, client: Client, browser_of, request
) -> None:
    browser = client if who == "visitor" else browser_of(request.getfixturevalue(who))

    answer = CALLS[call](browser, upload_of_ada)

    assert answer.status_code == statuses[call]
    if call == "list" and who in {"leo", "eve", "sam"}:
        assert answer.json() == []
    if who != "ada":
        assert Upload.objects.get(owner__username="ada").offset == 0


def test_another_instructors_video_cannot_be_replaced(ada, eve, browser_of) -> None:
    video = VideoFactory(owner=ada)

    answer = begin(browser_of(eve), replaces=str(video.uid))

    assert answer.status_code == 404
    video.refresh_from_db()
    assert video.stage == "complete"


def test_students_can_upload_files_but_not_videos(leo, browser_of) -> None:
    assert begin(browser_of(leo), purpose="video").json()["code"] == "ROLE_REQUIRED"
    assert begin(browser_of(leo), purpose="file", filename="essay.pdf").status_code == 201


def test_a_session_cookie_requires_a_csrf_token(ada) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ada)

    assert begin(browser).status_code == 403
    assert not Upload.objects.exists()


class Unreadable(BytesIO):
    """A request body that must not be read."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise AssertionError

    readline = read


def test_a_large_form_is_not_read_to_find_its_csrf_token(ada) -> None:
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(ada)
    browser.get("/settings/")

    form = "multipart/form-data; boundary=x"
    answer = browser.post(
        "/api/v1/uploads/", **{"wsgi.input": Unreadable(), "CONTENT_LENGTH": str(2**22), "CONTENT_TYPE": form}, **TUS
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "PERMISSION_DENIED")


def test_an_access_token_requires_no_cookie(ada, browser_of) -> None:
    token = browser_of(ada).get("/api/v1/auth/session/").json()["token"]

    answer = Client(enforce_csrf_checks=True).post(
        "/api/v1/uploads/",
        content_type=CHUNK_SIZE,
        HTTP_UPLOAD_LENGTH="5",
        HTTP_AUTHORIZATION=f"Bearer {token}",
        **TUS,
    )

    assert answer.status_code == 201


def test_an_unknown_upload_is_not_found(ada_browser: Client) -> None:
    assert ada_browser.head(f"/api/v1/uploads/{uuid.uuid4()}/", **TUS).status_code == 404


# --- Other files -------------------------------------------------------------------------------------------


def test_a_file_is_stored_downloaded_and_removed(leo, mia, browser_of) -> None:
    browser = browser_of(leo)
    page = b"<script>alert(1)</script>" * 9
    address = begin(browser, len(page), filename='my "essay".html', purpose="file")["Location"]
    assert browser.get(address).status_code == 404  # no bytes received yet
    send(browser, address, 0, page)

    answer = browser.get(address)
    part = browser.get(address, headers={"Range": "bytes=8-12"})

    assert b"".join(answer.streaming_content) == page
    assert answer["Content-Type"] == "application/octet-stream"
    assert answer["Content-Disposition"].startswith("attachment;")
    assert (part.status_code, b"".join(part.streaming_content)) == (206, page[8:13])
    assert [each["filename"] for each in browser.get("/api/v1/uploads/?kept=1").json()] == ['my "essay".html']
    assert queries.storage_of(leo).files == len(page)
    assert browser_of(mia).get(address).status_code == 404

    assert browser.delete(address, **TUS).status_code == 204
    jobs.run_pending("default")
    assert queries.storage_of(leo).used == 0
    assert browser.get(address).status_code == 404


def test_the_original_of_a_video_cannot_be_downloaded(ada_browser: Client) -> None:
    address = begin(ada_browser)["Location"]
    send(ada_browser, address, 0, MOVIE)

    assert ada_browser.get(address).status_code == 404
    assert ada_browser.delete(address, **TUS).status_code == 204
    assert VideoAsset.objects.get().stage == "queued"


def test_the_rate_of_new_uploads_is_limited(ada_browser: Client, settings: Any) -> None:
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "upload": (2, 600)}

    answers = [begin(ada_browser, 10) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert int(answers[2]["Retry-After"]) > 500
    assert Upload.objects.count() == 2


def test_a_folder_of_photos_is_let_through_and_videos_and_unfinished_uploads_are_limited(
    ada, ada_browser: Client, settings: Any, monkeypatch
) -> None:
    assert auth_settings.RATE_LIMITS["upload"][0] >= 2_000
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "upload_video": (1, 600)}
    monkeypatch.setattr(creation, "MAX_OPEN_UPLOADS", 3)
    parts = [
        ada_browser.post(
            "/api/v1/uploads/",
            b"",
            "application/offset+octet-stream",
            HTTP_UPLOAD_LENGTH="1",
            HTTP_UPLOAD_CONCAT="partial",
            **TUS,
        )
    ]

    assert begin(ada_browser).status_code == 201
    assert begin(ada_browser).status_code == 429
    send(ada_browser, parts[0]["Location"], 0, b"x")
    written = f"final;{parts[0]['Location']}"
    video = facts(filename="a.mp4", purpose="video")
    final = ada_browser.post(
        "/api/v1/uploads/",
        b"",
        "application/offset+octet-stream",
        HTTP_UPLOAD_CONCAT=written,
        HTTP_UPLOAD_METADATA=video,
        **TUS,
    )
    assert final.status_code == 429  # parts are no way around the limit
    files = [begin(ada_browser, 9, filename=f"{number}.jpg", purpose="file") for number in range(3)]
    assert [each.status_code for each in files] == [201, 201, 409]
    assert files[2].json()["code"] == "UPLOAD_TOO_MANY_OPEN"


def test_bytes_sent_with_the_creation_have_the_type_of_a_chunk(ada_browser: Client) -> None:
    def create(data: bytes, kind: str) -> int:
        more = {"HTTP_UPLOAD_LENGTH": "5", "HTTP_UPLOAD_METADATA": facts(filename="a.txt", purpose="file"), **TUS}
        return ada_browser.post("/api/v1/uploads/", data=data, content_type=kind, **more).status_code

    assert create(b"hello", "application/octet-stream") == 415
    assert create(b"hello", "text/plain") == 415
    assert not Upload.objects.exists()
    assert create(b"hello", CHUNK_SIZE) == 201
    assert create(b"", "text/plain") == 201


def test_one_user_cannot_occupy_all_upload_threads(ada, eve, browser_of) -> None:
    as_ada, as_eve = browser_of(ada), browser_of(eve)
    hers, other = (begin(browser)["Location"] for browser in (as_ada, as_eve))

    with ExitStack() as active_uploads:
        for _ in range(tus.MAX_CONCURRENT_PER_USER):
            active_uploads.enter_context(tus._chunks.slot(ada.pk))
        assert send(as_ada, hers, 0, MOVIE).status_code == 429
        assert begin(as_ada).status_code == 201  # the browser sends the included bytes again
        assert send(as_eve, other, 0, MOVIE).status_code == 204

    assert send(as_ada, hers, 0, MOVIE).status_code == 204
