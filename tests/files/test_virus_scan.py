"""Uploads are scanned by clamd before anyone gets them. The scanner is a stand-in socket that speaks INSTREAM."""

import contextlib
import socket
import struct
import threading
import zipfile
from collections.abc import Callable, Iterator
from io import BytesIO, StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core import mail
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from apps.accounts.errors import RoleRequired
from apps.accounts.models import Notification
from apps.files import errors, queries, scanner, services
from apps.files.checks import virus_scanner_answers
from apps.files.models import File, FileVersion, Upload, VideoAsset
from apps.files.storage import open_content, upload_path
from studyplatform.kit import jobs
from studyplatform.kit.jobs import Postpone
from studyplatform.kit.models import Job
from tests.factories.courses import LessonFactory
from tests.factories.files import FileFactory, FolderFactory, ShareLinkFactory, StoredFileFactory, UploadFactory
from tests.files.test_library import send
from tests.files.test_sharing import address as share_address
from tests.files.test_uploads import MOVIE

pytestmark = [pytest.mark.django_db, pytest.mark.database]

# The test file that every scanner reports (https://www.eicar.org), in two parts: no scanner deletes this module.
EICAR = rb"X5O!P%@AP[4\PZX54(P^)7CC)7}$" + b"EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
FOUND = b"stream: Eicar-Signature FOUND\0"
TOO_LARGE = b"INSTREAM size limit exceeded. ERROR\0"


class Clamd(threading.Thread):
    """A stand-in for clamd. ``reply(content)`` returns its answer; ``limit``: its StreamMaxLength in bytes."""

    def __init__(self, folder: Path) -> None:
        super().__init__(daemon=True)
        self.address = str(folder / "clamd.ctl")
        self.scanned: list[bytes] = []
        self.limit = 1 << 20
        self.closes_after = 1 << 30  # bytes
        self.reply: Callable[[bytes], bytes] = lambda content: FOUND if EICAR in content else b"stream: OK\0"
        self.server = socket.socket(socket.AF_UNIX)
        self.server.bind(self.address)
        self.server.listen()

    def run(self) -> None:
        with contextlib.suppress(OSError):  # closed at the end of the test
            while True:
                link, _ = self.server.accept()
                with link, link.makefile("rb") as sent, contextlib.suppress(OSError):
                    self.answer(link, sent)

    def answer(self, link: socket.socket, sent: Any) -> None:
        command = b""
        while not command.endswith(b"\0"):
            command += sent.read(1)
        if command == b"zPING\0":
            link.sendall(b"PONG\0")
            return
        assert command == b"zINSTREAM\0"
        content = b""
        while size := struct.unpack("!L", sent.read(4))[0]:
            content += sent.read(size)
            if len(content) > self.limit:
                link.sendall(TOO_LARGE)
                return
            if len(content) > self.closes_after:
                return
        self.scanned.append(content)
        link.sendall(self.reply(content))


@pytest.fixture
def clamd(tmp_path: Path, settings: Any) -> Iterator[Clamd]:
    server = Clamd(tmp_path)
    server.start()
    settings.CLAMD_ADDRESS, settings.CLAMD_TIMEOUT = server.address, 0.2
    yield server
    server.server.shutdown(socket.SHUT_RDWR)
    server.server.close()


@pytest.fixture
def site(leo, browser_of, own_folders) -> Client:
    browser: Client = browser_of(leo)
    return browser


def test_a_clean_file_is_available_after_its_scan(site, clamd):
    send(site, "notes.txt", b"tides")
    file = File.objects.get()

    waiting = site.get(f"/files/{file.uid}/download")
    assert waiting.status_code == 409
    assert "being checked" in site.get(f"/files/{file.uid}").content.decode()
    assert "Checking for viruses" in site.get("/files/").content.decode()
    assert site.get("/api/v1/files/").json()["files"][0]["scan"] == "pending"
    jobs.run_pending("default")

    assert clamd.scanned == [b"tides"]
    assert site.get(f"/files/{file.uid}/download").getvalue() == b"tides"
    assert "Checking for viruses" not in site.get("/files/").content.decode()


def test_nobody_gets_an_infected_file_and_its_owner_is_told(site, clamd, leo):
    send(site, "bill.txt", EICAR)
    jobs.run_pending("default")
    file = File.objects.get()

    assert (file.current.scan, file.current.threat) == ("infected", "Eicar-Signature")
    for page in ("download", "view"):
        assert site.get(f"/files/{file.uid}/{page}").status_code == 403
    assert site.get(f"/api/v1/uploads/{file.current.uid}/").json()["code"] == "FILE_INFECTED"
    LessonFactory(kind="file", is_preview=True, section__course__status="published", file=file.current)
    address = services.sign_file(upload=file.current, now=timezone.now(), audience=services.EVERYONE)
    assert Client().get(address).status_code == 403
    with pytest.raises(errors.FileInfected):
        open_content(file.current)
    with pytest.raises(errors.FileInfected):
        services.claim_content(source=file.current, by=leo)
    page = site.get(f"/files/{file.uid}").content.decode()
    assert "This file is infected" in page
    assert "EICAR" not in page
    assert site.get(f"/api/v1/files/{file.uid}/").json()["preview"]["kind"] == "none"
    folder = FolderFactory(owner=leo)
    File.objects.update(folder=folder)
    archive = zipfile.ZipFile(BytesIO(site.get(f"/files/folder/{folder.uid}/zip").getvalue()))
    assert archive.namelist() == [f"{folder.name}/", "Missing files.txt"]
    assert "Infected" in site.get(f"/files/?folder={folder.uid}").content.decode()
    assert Notification.objects.get(kind="files.infected").link == f"/files/{file.uid}"
    assert "bill.txt is infected" in mail.outbox[0].subject


def test_a_file_that_waits_may_be_attached_and_is_handed_out_later(site, clamd, leo):
    send(site, "sheet.txt", b"words")
    upload = Upload.objects.get()

    services.claim_content(source=upload, by=leo)
    LessonFactory(kind="file", is_preview=True, section__course__status="published", file=upload)
    address = services.sign_file(upload=upload, now=timezone.now(), audience=services.EVERYONE)
    assert Client().get(address).status_code == 409
    jobs.run_pending("default")

    assert Client().get(address).status_code == 200


def test_a_file_too_large_to_scan_stays_with_its_owner(site, clamd, leo, settings):
    clamd.limit = 10
    send(site, "big.txt", b"x" * (1 << 20))
    jobs.run_pending("default")
    upload = Upload.objects.get()
    LessonFactory(kind="file", is_preview=True, section__course__status="published", file=upload)
    address = services.sign_file(upload=upload, now=timezone.now(), audience=services.EVERYONE)

    assert upload.scan == "too_large"
    assert site.get(f"/files/{File.objects.get().uid}/download").status_code == 200
    assert Client().get(address).status_code == 403
    with pytest.raises(errors.ScanImpossible):
        services.claim_content(source=upload, by=leo)

    settings.CLAMD_ALLOW_TOO_LARGE = True
    assert Client().get(address).status_code == 200


def test_only_the_owner_sees_a_text_too_large_to_scan(site, clamd, leo, browser_of):
    folder = FolderFactory(owner=leo)
    file = FileFactory(owner=leo, folder=folder, name="big.txt", kind="text", media_type="text/plain", content=b"tides")
    Upload.objects.update(scan="too_large")

    assert "tides" in site.get(f"/files/{file.uid}").content.decode()
    assert site.get(f"/api/v1/files/{file.uid}/").json()["preview"]["kind"] == "html"
    for answer in (
        site.get(f"/files/folder/{folder.uid}/zip"),
        site.post("/files/zip", {"folder": folder.uid}),
    ):
        archive = zipfile.ZipFile(BytesIO(answer.getvalue()))
        assert archive.read(f"{folder.name}/big.txt") == b"tides"

    share = ShareLinkFactory(owner=leo, folder=folder)
    link = share_address(share)
    page = Client().get(f"{link}/{file.uid}")
    assert page.status_code == 200
    assert "tides" not in page.content.decode()
    archive = zipfile.ZipFile(BytesIO(Client().post(f"{link}/zip").getvalue()))
    assert archive.namelist() == [f"{folder.name}/", "Missing files.txt"]


def test_a_file_whose_bytes_are_missing_does_not_wait_for_ever(site, clamd, leo):
    send(site, "notes.txt", b"tides")
    upload = Upload.objects.get()
    Job.objects.filter(kind="files.store_file").delete()
    path = upload_path(upload.uid)
    content = path.read_bytes()
    path.unlink()

    jobs.run_pending("default")

    upload.refresh_from_db()
    assert upload.scan == "too_large"
    assert site.get(f"/files/{File.objects.get().uid}/download").status_code == 404
    path.write_bytes(content)  # from a backup: nobody has scanned it
    with pytest.raises(errors.ScanImpossible):
        open_content(upload)


@pytest.mark.parametrize("lets_out", [False, True])
def test_a_video_whose_bytes_are_missing_fails(lets_out, ada, browser_of, own_folders, clamd, settings):
    settings.CLAMD_ALLOW_TOO_LARGE = lets_out
    video = upload_video(browser_of(ada))
    upload_path(Upload.objects.get().uid).unlink()

    jobs.run_pending("default")

    video.refresh_from_db()
    assert (video.stage, video.failure, video.source_bytes) == ("failed", "corrupt_file", 0)
    assert "contains no data" in video.failure_detail
    assert not Job.objects.filter(kind="files.process_video").exists()


def break_off(clamd: Clamd) -> None:
    clamd.closes_after = 1


def garbage(clamd: Clamd) -> None:
    clamd.reply = lambda content: b"\xff" * 10_000


def half(clamd: Clamd) -> None:
    clamd.reply = lambda content: b"stream: O"


def other(clamd: Clamd) -> None:
    clamd.reply = lambda content: b"stream: Can't allocate memory ERROR\0"


def silence(clamd: Clamd) -> None:
    clamd.reply = lambda content: (threading.Event().wait(0.3), b"")[1]


def absence(clamd: Clamd) -> None:
    Path(clamd.address).unlink()


@pytest.mark.parametrize("breaks", [break_off, garbage, half, other, silence, absence])
def test_a_file_waits_while_the_scanner_gives_no_verdict(breaks, site, clamd):
    breaks(clamd)
    send(site, "notes.txt", b"x" * (1 << 20))

    jobs.run_pending("default")

    job = Job.objects.get(kind="files.scan")
    assert (Upload.objects.get().scan, job.state, job.attempts) == ("pending", "queued", 0)
    assert site.get(f"/files/{File.objects.get().uid}/download").status_code == 409


def test_the_lease_is_extended_while_a_file_is_scanned(clamd):
    calls: list[int] = []

    finding = scanner.scan(BytesIO(b"x" * (1 << 20)), lambda: calls.append(1))

    assert finding == scanner.Finding(Upload.Scan.CLEAN)
    assert len(calls) >= 4


def test_a_scanner_may_listen_on_a_port(settings):
    with socket.create_server(("127.0.0.1", 0)) as server:
        settings.CLAMD_ADDRESS = f"127.0.0.1:{server.getsockname()[1]}"

        def pong() -> None:
            link, _ = server.accept()
            with link:
                link.recv(100)
                link.sendall(b"PONG\0")

        thread = threading.Thread(target=pong)
        thread.start()
        assert virus_scanner_answers(None) == []
        thread.join()
    assert [each.id for each in virus_scanner_answers(None)] == ["files.E003"]
    settings.CLAMD_ADDRESS = "nonsense"
    assert [each.id for each in virus_scanner_answers(None)] == ["files.E003"]


def upload_video(browser: Client) -> VideoAsset:
    send(browser, "film.mp4", MOVIE, purpose="video", target="")
    return VideoAsset.objects.get()


def test_a_video_is_processed_after_its_scan(ada, browser_of, own_folders, clamd):
    video = upload_video(browser_of(ada))
    assert (video.stage, video.step) == ("queued", "scanning")
    assert "checked for viruses" in queries.notice_of(video)
    assert not Job.objects.filter(kind="files.process_video").exists()

    jobs.run_pending("default")

    assert clamd.scanned == [MOVIE]
    assert Job.objects.filter(kind="files.process_video").count() == 1


@pytest.mark.parametrize("what", ["infected", "too large"])
def test_a_video_that_fails_the_scan_is_deleted_unprocessed(what, ada, browser_of, own_folders, clamd):
    clamd.reply = lambda content: FOUND
    clamd.limit = 10 if what == "too large" else 1 << 20
    video = upload_video(browser_of(ada))

    jobs.run_pending("default")

    video.refresh_from_db()
    assert (video.stage, video.failure, video.source_bytes) == ("failed", "corrupt_file", 0)
    assert ("virus or another threat" if what == "infected" else "too large") in video.failure_detail
    assert not Job.objects.filter(kind="files.process_video").exists()
    assert not upload_path(Upload.objects.get().uid).exists()


def test_a_video_whose_scan_is_given_up_is_scanned_when_its_owner_retries(ada, browser_of, own_folders, clamd):
    video = upload_video(browser_of(ada))
    upload = Upload.objects.get()
    Job.objects.all().delete()

    services.give_up_scan(uid=upload.uid)
    video.refresh_from_db()
    assert (video.stage, video.failure) == ("failed", "processing_failed")
    services.retry_video(video=video, by=ada)

    assert list(Job.objects.values_list("kind", flat=True)) == ["files.scan"]
    jobs.run_pending("default")
    assert Job.objects.filter(kind="files.process_video").exists()


def test_nothing_waits_after_the_scan_is_turned_off(site, clamd, settings):
    send(site, "notes.txt", b"tides")
    settings.CLAMD_ADDRESS = ""

    assert site.get(f"/files/{File.objects.get().uid}/download").status_code == 200
    jobs.run_pending("default")

    assert Upload.objects.get().scan == ""
    assert clamd.scanned == []


def test_without_a_scanner_nothing_is_scanned(site):
    send(site, "bill.txt", EICAR)

    assert Upload.objects.get().scan == ""
    assert not Job.objects.filter(kind="files.scan").exists()
    assert virus_scanner_answers(None) == []


def test_files_from_before_the_scan_was_turned_on_are_scanned_on_request(site, clamd, leo, settings):
    address, settings.CLAMD_ADDRESS = settings.CLAMD_ADDRESS, ""
    for name, content in (("old.txt", b"tides"), ("bill.txt", EICAR), ("lost.txt", b"gone")):
        send(site, name, content)
    UploadFactory(owner=leo)
    jobs.run_pending("default")
    default_storage.delete(Upload.objects.get(filename="lost.txt").stored_as)
    settings.CLAMD_ADDRESS = address
    with pytest.raises(SystemExit):
        call_command("check_storage", stdout=StringIO())
    jobs.run_pending("default")
    assert clamd.scanned == []  # only on request

    out = StringIO()
    with contextlib.suppress(SystemExit):  # the missing file is left
        call_command("check_storage", "--repair", stdout=out)
    assert "database 3 files were uploaded before virus scans were turned on, repaired" in out.getvalue()
    assert site.get(f"/files/{File.objects.get(name='old.txt').uid}/download").status_code == 200
    jobs.run_pending("default")

    assert set(Upload.objects.values_list("filename", "scan")) >= {
        ("old.txt", "clean"),
        ("bill.txt", "infected"),
        ("lost.txt", "too_large"),
    }
    assert site.get(f"/files/{File.objects.get(name='bill.txt').uid}/download").status_code == 403
    assert Notification.objects.filter(kind="files.infected").count() == 1
    assert len(clamd.scanned) == 2


def test_files_from_before_wait_for_a_scanner_that_is_unavailable(site, clamd, leo, settings):
    FileFactory(owner=leo)
    settings.CLAMD_ADDRESS = "/no/such/socket"

    with pytest.raises(Postpone):
        services.scan_unscanned()

    assert Upload.objects.get().scan == ""
    settings.CLAMD_ADDRESS = ""
    services.scan_unscanned()  # turned off again: nothing to do


def test_an_admin_deletes_infected_files(leo, sam, browser_of, own_folders):
    file, other = FileFactory(owner=leo), FileFactory(owner=leo)
    clean = StoredFileFactory(owner=leo, length=3)
    bad = other.current
    Upload.objects.filter(pk__in=[file.current_id, bad.pk]).update(scan="infected", threat="Eicar")
    FileVersion.objects.create(file=other, upload=clean, number=0, created_at=timezone.now())
    admin = browser_of(sam)
    assert "Eicar" in admin.get("/admin/files/upload/?scan__exact=infected").content.decode()

    chosen = [file.current_id, bad.pk, clean.pk]
    admin.post("/admin/files/upload/", {"action": "delete_infected", "_selected_action": chosen})

    other.refresh_from_db()
    assert list(File.objects.all()) == [other]
    assert (other.current_id, other.size) == (clean.pk, 3)
    assert list(Upload.objects.all()) == [clean]


def test_only_admins_delete_infected_files(leo, own_folders):
    upload = FileFactory(owner=leo).current
    Upload.objects.update(scan="infected")

    with pytest.raises(RoleRequired):
        services.delete_infected(upload=upload, by=leo)

    assert Upload.objects.exists()
