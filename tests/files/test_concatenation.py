"""The tus extension "concatenation": partial uploads become a final one. https://tus.io/protocols/resumable-upload"""

import os
import threading
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from apps.courses.queries.storage_used import largest_first
from apps.files import queries, services, storage
from apps.files.errors import UploadBusy
from apps.files.models import File, Upload, VideoAsset
from apps.files.services import concatenation
from apps.files.storage import upload_path
from studyplatform.kit import jobs
from studyplatform.kit.errors import AppError
from studyplatform.kit.models import Job
from tests.factories.files import VideoFactory
from tests.files.test_uploads import CHUNK_SIZE, MOVIE, TUS, begin, facts, offset_of, send

pytestmark = [pytest.mark.database, pytest.mark.django_db]

THIRDS = (MOVIE[:3000], MOVIE[3000:3001], MOVIE[3001:])


@pytest.fixture(autouse=True)
def _own_folders(own_folders: Path) -> None:
    """Uploads and stored files go to the test's own folders."""


@pytest.fixture
def ada_browser(ada, browser_of) -> Client:
    return browser_of(ada)


def begin_part(browser: Client, length: int, **headers: Any) -> Any:
    return browser.post(
        "/api/v1/uploads/",
        b"",
        "application/offset+octet-stream",
        HTTP_UPLOAD_LENGTH=str(length),
        HTTP_UPLOAD_CONCAT="partial",
        **TUS,
        **headers,
    )


def send_parts(browser: Client, *pieces: bytes) -> list[str]:
    """Upload each piece as a partial upload; return their URLs."""
    urls = [begin_part(browser, len(piece))["Location"] for piece in pieces]
    for url, piece in zip(urls, pieces, strict=True):
        if piece:
            assert send(browser, url, 0, piece).status_code == 204
    return urls


def finish(browser: Client, urls: list[str], *, concat: str = "", **values: str) -> Any:
    """Send the concatenation request."""
    values = {"filename": "lecture.mp4", **values}
    return browser.post(
        "/api/v1/uploads/",
        b"",
        "application/offset+octet-stream",
        HTTP_UPLOAD_CONCAT=concat or f"final;{' '.join(urls)}",
        HTTP_UPLOAD_METADATA=facts(**values),
        **TUS,
    )


def files_on_disk(settings: Any) -> set[str]:
    return {each.name for each in Path(settings.UPLOAD_ROOT).iterdir()}


def uid_of(url: str) -> str:
    return url.rstrip("/").rpartition("/")[2].replace("-", "")


def test_parts_become_a_video_in_the_given_order(ada_browser: Client, ada, settings: Any) -> None:
    second, first, third = send_parts(ada_browser, THIRDS[1], THIRDS[0], THIRDS[2])

    final = finish(ada_browser, [first, second, third], target="lesson-7")

    upload = Upload.objects.get(uid=uid_of(final["Location"]))
    video = VideoAsset.objects.get(uid=final["Video-Uid"])
    assert (final.status_code, final["Upload-Offset"]) == (201, str(len(MOVIE)))
    assert upload_path(upload.uid).read_bytes() == MOVIE
    assert (video.stage, video.source_bytes, video.filename) == ("queued", len(MOVIE), "lecture.mp4")
    assert upload.target == "lesson-7"
    assert Job.objects.filter(kind="files.process_video").count() == 1
    assert queries.storage_of(ada).used == len(MOVIE)
    assert files_on_disk(settings) == {upload.uid.hex}


def test_parts_of_a_student_become_a_file(leo, browser_of, settings: Any) -> None:
    browser = browser_of(leo)
    urls = send_parts(browser, b"Dear ", b"", b"diary")

    final = finish(browser, urls, purpose="file", filename="diary.txt")
    jobs.run_pending("default")

    assert b"".join(browser.get(final["Location"]).streaming_content) == b"Dear diary"
    storage_of_leo = queries.storage_of(leo)
    assert (storage_of_leo.files, storage_of_leo.held) == (10, 0)
    assert files_on_disk(settings) == set()


def test_the_headers_are_those_of_the_specification(ada_browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concatenation, "IN_REQUEST", 0)
    urls = send_parts(ada_browser, *THIRDS)
    written = f"final;{' '.join(urls)}"
    begun = finish(ada_browser, urls)
    waiting = ada_browser.head(begun["Location"], **TUS)
    jobs.run_pending("default")
    finished = ada_browser.head(begun["Location"], **TUS)
    part = ada_browser.head(urls[0], **TUS)

    assert "Upload-Offset" not in begun
    assert "Upload-Offset" not in waiting
    assert (waiting["Upload-Concat"], waiting["Upload-Length"]) == (written, str(len(MOVIE)))
    assert waiting["Upload-Metadata"] == facts(filename="lecture.mp4")
    assert (finished["Upload-Offset"], finished["Upload-Length"]) == (str(len(MOVIE)), str(len(MOVIE)))
    assert finished["Upload-Concat"] == written
    assert (part["Upload-Concat"], part["Upload-Offset"], part["Upload-Length"]) == ("partial", "3000", "3000")


@pytest.mark.parametrize("style", ["{path}", "{uid}/", "http://testserver{path}", "https://testserver{path}"])
def test_the_urls_of_parts_may_be_absolute_or_relative(style: str, ada_browser: Client) -> None:
    (url,) = send_parts(ada_browser, MOVIE)
    path = url.removeprefix("http://testserver")
    written = style.format(path=path, uid=path.split("/")[-2])

    assert finish(ada_browser, [written]).status_code == 201
    assert VideoAsset.objects.get().stage == "queued"


def test_nothing_can_be_sent_to_a_final_upload(ada_browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concatenation, "IN_REQUEST", 0)
    urls = send_parts(ada_browser, *THIRDS)
    final = finish(ada_browser, urls)["Location"]

    answers = [send(ada_browser, final, 0, b"x")]
    jobs.run_pending("default")
    answers.append(send(ada_browser, final, len(MOVIE), b""))

    assert [(each.status_code, each.json()["code"]) for each in answers] == [(403, "UPLOAD_CLOSED")] * 2
    assert upload_path(Upload.objects.get(uid=uid_of(final)).uid).read_bytes() == MOVIE


@pytest.mark.parametrize("extra", [{"HTTP_UPLOAD_LENGTH": "5"}, {"data": b"12345", "content_type": CHUNK_SIZE}])
def test_a_concatenation_request_has_no_length_and_no_bytes(extra: dict[str, Any], ada_browser: Client) -> None:
    (url,) = send_parts(ada_browser, MOVIE)

    empty = {"data": b"", "content_type": CHUNK_SIZE}
    answer = ada_browser.post("/api/v1/uploads/", HTTP_UPLOAD_CONCAT=f"final;{url}", **TUS, **(empty | extra))

    assert answer.status_code in {400, 403}
    assert Upload.objects.count() == 1


# --- Misuse ------------------------------------------------------------------------------------------------


def test_a_repeated_request_returns_the_same_final_upload(ada_browser: Client, ada) -> None:
    """The client missed the answer: tus-js-client asks for the offsets of the parts and sends the request again."""
    urls = send_parts(ada_browser, *THIRDS)
    first = finish(ada_browser, urls)

    assert offset_of(ada_browser, urls[0]) == 3000
    again = finish(ada_browser, urls)

    assert (again.status_code, again["Location"]) == (201, first["Location"])
    assert queries.storage_of(ada).used == len(MOVIE)


def test_a_part_is_used_once(ada_browser: Client) -> None:
    urls = send_parts(ada_browser, *THIRDS)
    finish(ada_browser, urls)

    assert finish(ada_browser, urls[:2]).status_code == 404
    assert finish(ada_browser, urls[::-1]).status_code == 404
    assert VideoAsset.objects.count() == 1


@pytest.mark.parametrize(
    "concat",
    [
        "", "final", "final;", "final; ", "FINAL;{a}", "partial;{a}", "first;{a}", "{a}",
        "final;{a} {a}", "final;{a} {b} {a}", "final;{a}?x=1/", "final;../../../etc/passwd", "final;/api/v1/uploads/",
        "final;http://elsewhere.example/api/v1/uploads/{uid}/", "final;//elsewhere.example/api/v1/uploads/{uid}/",
        "final;ftp://testserver/api/v1/uploads/{uid}/", "final;http://[", "final;/api/v1/uploads/{uid}/\0",
        "final;/api/v1/uploads/------------------------------------/", "final;" + "{a} " * 10_000,
        "final;" + " ".join(f"/api/v1/uploads/00000000-0000-4000-8000-{n:012}/" for n in range(10_000)),
    ],
)  # fmt: skip
def test_a_malformed_list_of_parts_is_refused(concat: str, ada_browser: Client) -> None:
    a, b = send_parts(ada_browser, MOVIE[:9], MOVIE[9:])
    written = concat.replace("{a}", a).replace("{b}", b).replace("{uid}", a.split("/")[-2])

    answer = ada_browser.post(
        "/api/v1/uploads/", b"", "application/offset+octet-stream", HTTP_UPLOAD_CONCAT=written, **TUS
    )

    assert (answer.status_code, answer.json()["code"]) == (400, "UPLOAD_MALFORMED")
    assert answer.json()["params"] == {"reason": "Upload-Concat"}
    assert Upload.objects.filter(part_of=None).count() == 2
    assert not VideoAsset.objects.exists()


def test_only_complete_partial_uploads_of_the_owner_are_parts(ada_browser: Client, ada, eve, browser_of) -> None:
    (mine,) = send_parts(ada_browser, MOVIE[:500])
    (foreign,) = send_parts(browser_of(eve), MOVIE[500:])
    unfinished = begin_part(ada_browser, 9)["Location"]
    whole = begin(ada_browser, 5, filename="a.txt", purpose="file")["Location"]
    send(ada_browser, whole, 0, b"hello")
    other_final = finish(ada_browser, send_parts(ada_browser, MOVIE))["Location"]
    unknown = mine.replace(mine.split("/")[-2], "00000000-0000-4000-8000-000000000000")

    refused = {url: finish(ada_browser, [mine, url]) for url in (foreign, unfinished, whole, other_final, unknown)}

    assert [each.status_code for each in refused.values()] == [404, 400, 404, 404, 404]
    assert refused[unfinished].json()["code"] == "UPLOAD_PART_UNFINISHED"
    assert not Upload.objects.filter(uid=uid_of(mine)).exclude(part_of=None).exists()
    assert VideoAsset.objects.count() == 1
    assert queries.storage_of(eve).held == len(MOVIE) - 500


def test_a_part_is_neither_downloaded_nor_offered_nor_a_video(ada_browser: Client, ada) -> None:
    (url,) = send_parts(ada_browser, MOVIE)
    part = Upload.objects.get()

    assert ada_browser.get(url).status_code == 404
    assert ada_browser.get("/api/v1/uploads/?kept=1").json() == []
    with pytest.raises(AppError, match="doesn"):
        services.claim_content(source=part, by=ada)
    assert not VideoAsset.objects.exists()
    assert not Job.objects.filter(kind="files.store_file").exists()


def test_a_used_part_cannot_be_canceled_on_its_own(ada_browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(concatenation, "IN_REQUEST", 0)
    urls = send_parts(ada_browser, *THIRDS)
    finish(ada_browser, urls)

    assert ada_browser.delete(urls[1], **TUS).json()["code"] == "UPLOAD_CLOSED"

    jobs.run_pending("default")
    assert VideoAsset.objects.get().stage == "queued"


# --- Limits ------------------------------------------------------------------------------------------------


def test_parts_together_cannot_exceed_the_limit_of_a_file(ada_browser: Client, ada, settings: Any) -> None:
    settings.UPLOAD_LIMITS = {"video": 8000, "file": 4000}
    urls = send_parts(ada_browser, MOVIE[:4000], MOVIE[4000:8000], MOVIE[8000:8001])

    answers = [finish(ada_browser, urls[1:], purpose="file", filename="a.bin"), finish(ada_browser, urls)]
    fits = finish(ada_browser, urls[:2])

    assert [each.json()["code"] for each in answers] == ["UPLOAD_FILE_TOO_LARGE"] * 2
    assert fits.status_code == 201


def test_a_part_is_as_long_as_the_longest_file_of_its_owner_at_most(ada, leo, browser_of, settings: Any) -> None:
    settings.UPLOAD_LIMITS = {"video": 8000, "file": 4000}

    statuses = [begin_part(browser_of(who), size).status_code for who, size in ((leo, 4001), (ada, 8001), (ada, 8000))]

    assert statuses == [413, 413, 201]


def test_parts_reserve_storage_and_count_once(ada_browser: Client, ada, settings: Any) -> None:
    settings.STORAGE_ALLOWANCE = {"instructor": len(MOVIE)}
    urls = send_parts(ada_browser, *THIRDS)
    assert queries.storage_of(ada).held == len(MOVIE)
    assert sum(size for _, _, size in largest_first(ada.pk)) == len(MOVIE)
    assert begin_part(ada_browser, 1).json()["code"] == "UPLOAD_QUOTA_EXCEEDED"

    assert finish(ada_browser, urls).status_code == 201

    assert queries.storage_of(ada).used == len(MOVIE)
    assert sum(size for _, _, size in largest_first(ada.pk)) == len(MOVIE)


def test_one_user_has_a_limited_number_of_partial_uploads(ada_browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    from apps.files.services import creation

    monkeypatch.setattr(creation, "MAX_PARTIAL_UPLOADS", 2)

    answers = [begin_part(ada_browser, 0) for _ in range(3)]

    assert [each.status_code for each in answers] == [201, 201, 409]
    assert answers[2].json()["code"] == "UPLOAD_TOO_MANY_PARTS"
    assert Upload.objects.count() == 2


def test_unused_parts_expire(ada_browser: Client, ada, settings: Any) -> None:
    urls = send_parts(ada_browser, *THIRDS)

    with time_machine.travel(timezone.now() + timedelta(days=8), tick=False):
        browser = Client()
        browser.force_login(ada)
        assert browser.head(urls[0], **TUS).status_code == 410
        assert finish(browser, urls).status_code == 410
        jobs.run_pending("default")
        jobs.run_pending("default")

    assert not Upload.objects.exists()
    assert queries.storage_of(ada).used == 0
    assert files_on_disk(settings) == set()


def test_used_parts_are_forgotten_and_the_final_upload_stays(ada_browser: Client, settings: Any) -> None:
    final = finish(ada_browser, send_parts(ada_browser, *THIRDS), purpose="file", filename="a.bin")

    for days in (8, 9):
        with time_machine.travel(timezone.now() + timedelta(days=days), tick=False):
            jobs.run_pending("default")

    assert [upload.uid.hex for upload in Upload.objects.all()] == [uid_of(final["Location"])]


def test_canceling_a_final_upload_removes_its_parts(
    ada_browser: Client, ada, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(concatenation, "IN_REQUEST", 0)
    video = VideoFactory(owner=ada, source_bytes=0)
    final = finish(ada_browser, send_parts(ada_browser, *THIRDS), replaces=str(video.uid))["Location"]

    assert ada_browser.delete(final, **TUS).status_code == 204
    jobs.run_pending("default")

    assert not Upload.objects.exists()
    video.refresh_from_db()
    assert (video.stage, video.former) == ("complete", None)
    assert queries.storage_of(ada).used == 0
    assert files_on_disk(settings) == set()


# --- Interruptions -----------------------------------------------------------------------------------------


class Killed(BaseException):
    """The server is killed here."""


@pytest.mark.parametrize("call", range(1, 15))
@pytest.mark.parametrize("has_links", [True, False])
def test_a_kill_between_any_two_steps_loses_nothing(
    call: int,
    has_links: bool,
    ada_browser: Client,
    ada,
    settings: Any,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each system call and each save of the concatenation is the last one in turn."""
    monkeypatch.setattr(concatenation, "IN_REQUEST", 0)
    monkeypatch.setattr(concatenation, "COPY_SIZE", 4096)
    urls = send_parts(ada_browser, *THIRDS)
    final = Upload.objects.get(uid=uid_of(finish(ada_browser, urls)["Location"]))
    calls = 0

    def counted(function: Any) -> Any:
        def replacement(*args: Any, **kwargs: Any) -> Any:
            nonlocal calls
            calls += 1
            if calls == call:
                raise Killed
            return function(*args, **kwargs)

        return replacement

    def refuse(*_: Any) -> None:
        raise PermissionError

    with monkeypatch.context() as patch:
        patch.setattr(os, "link", counted(os.link) if has_links else refuse)
        for name in ("fsync", "write"):
            patch.setattr(os, name, counted(getattr(os, name)))
        patch.setattr(concatenation, "save_offset", counted(concatenation.save_offset))
        patch.setattr(Path, "unlink", counted(Path.unlink))
        patch.setattr(concatenation, "complete_upload", counted(concatenation.complete_upload))
        with pytest.raises(Killed):
            services.concatenate_parts(uid=final.uid, now=timezone.now())

    assert queries.storage_of(ada).used == len(MOVIE)
    jobs.run_pending("default")
    jobs.run_pending("default")

    assert VideoAsset.objects.get().stage == "queued"
    assert upload_path(final.uid).read_bytes() == MOVIE
    assert files_on_disk(settings) == {final.uid.hex}
    assert queries.storage_of(ada).used == len(MOVIE)


def test_never_more_than_one_part_is_on_disk_twice(ada_browser: Client, settings: Any, monkeypatch) -> None:
    monkeypatch.setattr(concatenation, "IN_REQUEST", 0)
    urls = send_parts(ada_browser, *[MOVIE[at : at + 1000] for at in range(0, 10_000, 1000)])
    finish(ada_browser, urls)
    peaks = []
    real = concatenation.save_offset

    def measure(*args: Any) -> None:
        files = {each.stat().st_ino: each.stat().st_size for each in Path(settings.UPLOAD_ROOT).iterdir()}
        peaks.append(sum(files.values()))
        real(*args)

    monkeypatch.setattr(concatenation, "save_offset", measure)
    jobs.run_pending("default")

    assert len(peaks) == 10
    assert max(peaks) == 11_000


def test_a_full_disk_postpones_the_concatenation(ada_browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    urls = send_parts(ada_browser, *THIRDS)
    with monkeypatch.context() as patch:
        patch.setattr(storage, "free_space", lambda _: 500)
        answer = finish(ada_browser, urls)
        with time_machine.travel(timezone.now() + timedelta(minutes=2), tick=False):
            jobs.run_pending("default")
    assert answer.status_code == 201
    assert VideoAsset.objects.get().stage == "uploading"
    assert Upload.objects.get(uid=uid_of(answer["Location"])).offset == 3001

    with time_machine.travel(timezone.now() + timedelta(minutes=4), tick=False):
        jobs.run_pending("default")

    assert VideoAsset.objects.get().stage == "queued"


def test_two_processes_do_not_concatenate_at_the_same_time(ada_browser: Client, monkeypatch) -> None:
    monkeypatch.setattr(concatenation, "IN_REQUEST", 0)
    final = Upload.objects.get(uid=uid_of(finish(ada_browser, send_parts(ada_browser, *THIRDS))["Location"]))
    real = concatenation._append_file
    seen = []

    def second(*args: Any) -> None:
        with pytest.raises(UploadBusy):
            services.concatenate_parts(uid=final.uid, now=timezone.now())
        seen.append(1)
        real(*args)

    monkeypatch.setattr(concatenation, "_append_file", second)
    services.concatenate_parts(uid=final.uid, now=timezone.now())

    assert len(seen) == 2
    assert upload_path(final.uid).read_bytes() == MOVIE


def test_canceling_during_the_concatenation_leaves_no_file(
    ada_browser: Client, ada, settings: Any, monkeypatch
) -> None:
    monkeypatch.setattr(concatenation, "IN_REQUEST", 0)
    url = finish(ada_browser, send_parts(ada_browser, *THIRDS))["Location"]
    final = Upload.objects.get(uid=uid_of(url))
    real = concatenation._append_file

    def cancel(*args: Any) -> None:
        real(*args)
        ada_browser.delete(url, **TUS)
        jobs.run_pending("default")

    monkeypatch.setattr(concatenation, "_append_file", cancel)
    services.concatenate_parts(uid=final.uid, now=timezone.now())
    jobs.run_pending("default")

    assert not Upload.objects.exists()
    assert queries.storage_of(ada).used == 0
    assert files_on_disk(settings) == set()


@pytest.mark.parametrize("which", [0, 1, 2])
def test_a_video_fails_if_bytes_of_a_part_are_lost(which: int, ada_browser: Client, ada, settings: Any) -> None:
    urls = send_parts(ada_browser, MOVIE[:100], MOVIE[100:200], MOVIE[200:300])
    part = Upload.objects.get(uid=uid_of(urls[which]))
    upload_path(part.uid).write_bytes(b"lost")

    answer = finish(ada_browser, urls)
    jobs.run_pending("default")

    video = VideoAsset.objects.get(uid=answer["Video-Uid"])
    assert (video.stage, video.failure) == ("failed", "corrupt_file")
    assert "upload it again" in video.failure_detail
    assert queries.storage_of(ada).used == 0
    assert files_on_disk(settings) == set()


def test_an_empty_final_upload_is_an_empty_file(ada_browser: Client, ada, settings: Any) -> None:
    urls = [begin_part(ada_browser, 0)["Location"] for _ in range(2)]

    answer = finish(ada_browser, urls, purpose="file", filename="a.txt")

    assert (answer.status_code, answer["Upload-Offset"]) == (201, "0")
    assert Upload.objects.get(uid=uid_of(answer["Location"])).completed_at is not None


# --- Races -------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_of_two_lists_with_the_same_part_one_wins(ada, browser_of) -> None:
    from django.db import connection

    shared, first, second = send_parts(browser_of(ada), b"1", b"2", b"3")
    start, outcomes = threading.Barrier(2), []

    def race(urls: list[str]) -> None:
        browser = browser_of(ada)
        start.wait()
        outcomes.append(finish(browser, urls, purpose="file", filename="a.bin").status_code)
        connection.close()

    threads = [threading.Thread(target=race, args=([*each],)) for each in ((shared, first), (second, shared))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(outcomes) == [201, 404]
    assert queries.storage_of(ada).used == 3


def test_parts_become_a_file_of_the_library(leo, browser_of) -> None:
    browser = browser_of(leo)
    urls = send_parts(browser, b"a river ", b"and a lake")

    assert finish(browser, urls, filename="water.txt", purpose="file", target="library").status_code == 201

    file = File.objects.get()
    assert (file.name, file.kind, file.size, file.owner) == ("water.txt", "text", 18, leo)
    assert browser.get(f"/files/{file.uid}/download").getvalue() == b"a river and a lake"
