"""Files in a bucket: finished files are stored there, browsers get large files from there, and nothing is left behind.

The bucket belongs to an S3-compatible server in a separate process. Its settings come from the environment.
"""

import http.client
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit
from urllib.request import Request, urlopen
from uuid import uuid4

import pytest
import time_machine
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.test import Client
from django.utils import timezone

from apps.accounts.models import DataExport
from apps.accounts.services import delete_account
from apps.courses.models import Lesson
from apps.files import services
from apps.files.checks import browsers_may_go_to_the_bucket
from apps.files.models import BinnedOriginal, Upload, VideoAsset
from apps.files.storage import bucket, fetch, local_path, put, remove, upload_path, video_directory
from apps.files.streaming import send_stored
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from tests import servers
from tests.accounts.test_reauthentication import recently_authenticated
from tests.accounts.test_settings import make_picture
from tests.buckets import SITE, Bucket, settings_by
from tests.factories.accounts import PASSWORD
from tests.factories.courses import CourseFactory, LessonFactory
from tests.factories.files import StoredFileFactory, VideoFactory
from tests.factories.learning import EnrollmentFactory
from tests.files.test_processing import files_under, run_jobs
from tests.files.test_uploads import MOVIE, TUS, begin, send

pytestmark = [pytest.mark.django_db, pytest.mark.edits_in_place]

PDF = b"%PDF-1.7 " + b"words " * 50
PAGE = b"<!doctype html><script>alert(document.cookie)</script>"


class FollowedResponse:
    """The response that a browser gets after a redirect."""

    def __init__(self, address: str, **headers: str) -> None:
        with urlopen(Request(address, headers=headers), timeout=10) as answer:  # noqa: S310 (the server of this test)
            self.status, self.headers, self.body = answer.status, answer.headers, answer.read()


def status_of(address: str) -> int:
    parts = urlsplit(address)
    line = http.client.HTTPConnection(parts.netloc, timeout=10)
    line.request("GET", f"{parts.path}?{parts.query}")
    status = line.getresponse().status
    line.close()
    return status


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def fail(operation: str, when: Callable[[dict[str, Any]], bool], error: Exception | None = None) -> None:
    """Make an operation of the bucket raise an error, by default a connection error, whenever ``when`` is true."""

    def raise_error(params: dict[str, Any], **_: Any) -> None:
        if when(params):
            raise error or ConnectionError("connection lost")

    default_storage.connection.meta.client.meta.events.register(f"before-call.s3.{operation}", raise_error)


def record_requests(of: str = "*") -> list[str]:
    """Return a list that collects the names of all later requests to the bucket."""
    seen: list[str] = []

    def note(model: Any, **_: Any) -> None:
        seen.append(model.name)

    default_storage.connection.meta.client.meta.events.register(f"before-call.s3.{of}", note)
    return seen


def upload(browser: Client, data: bytes, name: str, **more: str) -> str:
    """Upload a file in two chunks. Returns the address of the upload."""
    address = begin(browser, len(data), name, **more)["Location"]
    half = len(data) // 2
    for offset, piece in ((0, data[:half]), (half, data[half:])):
        assert send(browser, address, offset, piece).status_code == 204
    return str(address)


@pytest.fixture
def course(ada, leo) -> Any:
    """Ada's course, in which Leo is enrolled."""
    course = CourseFactory(instructor=ada, slug="rivers", status="published")
    EnrollmentFactory(user=leo, course=course)
    return course


@pytest.fixture
def sheet(s3: Bucket, course: Any, ada, browser_of) -> Lesson:
    """A lesson with a downloadable file in the bucket."""
    lesson = LessonFactory(section__course=course, slug="sheet", kind="file")
    browser = browser_of(ada)
    CourseFactory._meta.model.objects.update(status="draft")
    uid = upload(browser, PDF, "Flüsse.pdf", purpose="file", target=str(lesson.uid)).rstrip("/").rsplit("/", 1)[-1]
    answer = browser.put(f"/api/v1/lessons/{lesson.uid}/file/", {"upload": uid}, content_type="application/json")
    assert answer.status_code == 200, answer.content
    CourseFactory._meta.model.objects.update(status="published")
    jobs.run_pending("default")
    return lesson


# --- A video -----------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.media
@pytest.mark.django_db(transaction=True)
def test_a_video_from_its_upload_to_its_learner_and_its_deletion(
    s3: Bucket, course, ada, leo, mia, clip, browser_of, tmp_path, django_assert_num_queries
) -> None:
    s3.allow(SITE)
    lesson = LessonFactory(section__course=course, slug="film", kind="video")
    CourseFactory._meta.model.objects.update(status="draft")
    hers = browser_of(ada)
    upload(hers, clip("short.mp4").read_bytes(), "short.mp4", target=str(lesson.uid))
    broken = iter([True])
    fail("PutObject", lambda params: params["url_path"].endswith("00000.m4s") and next(broken, False))

    # The connection fails in the middle of the transfer. The job resumes there.
    run_jobs()
    video = VideoAsset.objects.get()
    assert not video.is_complete
    Job.objects.filter(queue="media").update(run_at=timezone.now())
    run_jobs()

    video.refresh_from_db()
    CourseFactory._meta.model.objects.update(status="published")
    assert (video.stage, video.failure) == ("complete", "")
    assert local_path(video.directory) is None
    names = s3.names()
    assert {f"{video.directory}/{name}" for name in ("master.m3u8", "480p/index.m3u8", "480p/00000.m4s")} <= set(names)
    assert video.source in names
    assert files_under(tmp_path / "uploads") == files_under(tmp_path / "work") == []

    # The learner's player gets playlists from the server and segments from the bucket.
    his = browser_of(leo)
    master = str(his.get(f"/api/v1/lessons/{lesson.uid}/player/").json()["sources"]["master"])
    media = master.removesuffix("/master.m3u8")
    assert b"#EXT-X-STREAM-INF" in body(his.get(master))
    playlist = body(his.get(f"{media}/480p/index.m3u8")).decode()
    segment = re.findall(r"^\d+\.m4s$", playlist, re.MULTILINE)[0]
    his.get(f"{media}/480p/{segment}")  # that something of the video was handed out is written down at once
    with django_assert_num_queries(0):
        led = his.get(f"{media}/480p/{segment}")
    assert led.status_code == 302
    assert led["Location"].startswith(f"{s3.origin}/{s3.name}/{video.directory}/480p/{segment}?")
    assert (led["Cache-Control"], led["Referrer-Policy"]) == ("private, max-age=300", "no-referrer")
    fetched = FollowedResponse(led["Location"], Origin=SITE)
    assert fetched.body[4:8] == b"styp"
    assert fetched.headers["Content-Type"] == "video/iso.segment"
    assert fetched.headers["Cache-Control"].endswith("immutable")
    assert fetched.headers["Access-Control-Allow-Origin"] == SITE
    part = FollowedResponse(led["Location"], Range="bytes=4-7")
    assert (part.status, part.body) == (206, b"styp")

    # The server sends small and assembled files, including ranges of them.
    seen = record_requests()
    sound = his.get(f"{media}/sound.m4a")
    assert body(sound)[4:8] == b"ftyp"
    parts = [name for name in names if name.startswith(f"{video.directory}/audio/") and not name.endswith("m3u8")]
    assert int(sound["Content-Length"]) == sum(
        s3.client.head_object(Bucket=s3.name, Key=name)["ContentLength"] for name in parts
    )
    found, sent = ["GetObject", "ListObjects"], ["GetObject"] * len(parts)
    assert seen == [*found, "GetObject", *sent]  # how long the sound is, to write down what was handed out
    seen.clear()
    assert body(his.get(f"{media}/sound.m4a"))
    assert seen == [*found, *sent]  # which is remembered
    seen.clear()
    assert body(his.get(f"{media}/480p/index.m3u8"))
    tag = his.head(f"{media}/480p/index.m3u8")["ETag"]
    assert his.get(f"{media}/480p/index.m3u8", headers={"If-None-Match": tag}).status_code == 304
    assert seen == ["GetObject", "HeadObject", "GetObject"]
    tail = his.get(f"{media}/480p/init.mp4", headers={"Range": "bytes=4-7"})
    assert (tail.status_code, body(tail)) == (206, b"ftyp")
    assert body(his.get(f"{media}/poster.jpg"))[:2] == b"\xff\xd8"
    assert his.get(f"{media}/1080p/init.mp4").status_code == 404

    # Users without an enrollment, a session or the right session are refused, and so are direct requests.
    assert browser_of(mia).get(f"/api/v1/lessons/{lesson.uid}/player/").json().get("sources") is None
    for stranger in (Client(), browser_of(mia)):
        refused = stranger.get(f"{media}/480p/{segment}")
        assert (refused.status_code, refused.headers.get("Location")) == (403, None)
    assert status_of(led["Location"].split("?")[0]) == 403

    # A worker on another machine finds the original in the bucket.
    assert video.version is not None
    assert not upload_path(video.version).exists()
    VideoAsset.objects.update(stage="failed", failure="processing_failed")
    services.retry_video(video=video, by=ada)
    run_jobs()
    video.refresh_from_db()
    assert (video.stage, video.failure) == ("complete", "")

    Lesson.objects.update(video=None)
    assert hers.delete(f"/api/v1/videos/{video.uid}/").status_code == 204
    run_jobs()
    assert s3.names() == [video.source]

    # The original comes back from the bin in the bucket, as a new video.
    hers.post("/files/act", {"action": "restore", "original": BinnedOriginal.objects.get().uid})
    run_jobs()
    restored = VideoAsset.objects.get()
    assert (restored.stage, restored.source) == ("complete", video.source)
    assert {restored.source, f"{restored.directory}/master.m3u8"} <= set(s3.names())
    assert hers.delete(f"/api/v1/videos/{restored.uid}/").status_code == 204
    hers.post("/files/bin/empty")
    run_jobs()
    assert s3.names() == s3.unfinished() == []
    assert status_of(led["Location"]) in {403, 404}


# --- A lesson's file ---------------------------------------------------------------------------------------


def test_a_file_is_fetched_from_the_bucket_and_never_shown_as_a_page(s3, sheet, leo, mia, browser_of) -> None:
    file = Upload.objects.get()
    assert s3.names() == [file.stored_as]
    his = browser_of(leo)
    link = his.get(f"/learn/rivers/{sheet.slug}/download")["Location"]

    led = his.get(link)

    assert led.status_code == 302
    assert (led["Cache-Control"], led["Referrer-Policy"]) == ("private, no-store", "no-referrer")
    fetched = FollowedResponse(led["Location"])
    assert fetched.body == PDF
    assert fetched.headers["Content-Disposition"] == "attachment; filename*=utf-8''Fl%C3%BCsse.pdf"
    assert fetched.headers["Content-Type"] == "application/pdf"
    assert fetched.headers["Cache-Control"] == "private, no-store"
    resumed = FollowedResponse(led["Location"], Range="bytes=300-")
    assert (resumed.status, resumed.body) == (206, PDF[300:])
    assert (his.head(link).status_code, his.head(link)["Content-Length"]) == (200, str(len(PDF)))
    # The refusals are those of local storage, without a redirect.
    for stranger, address in ((Client(), link), (browser_of(mia), link), (his, link[:-4] + "AAAA")):
        refused = stranger.get(address)
        assert refused.status_code in {403, 404}
        assert "Location" not in refused
    assert "/media/" not in browser_of(mia).get(f"/learn/rivers/{sheet.slug}/download").headers.get("Location", "")


def test_an_uploaded_web_page_is_sent_as_a_download_without_a_type(s3, ada, browser_of) -> None:
    hers = browser_of(ada)
    for name in ("page.html", "picture.svg"):
        address = upload(hers, PAGE, name, purpose="file")
        jobs.run_pending("default")

        fetched = FollowedResponse(hers.get(address)["Location"])

        assert fetched.headers["Content-Type"] == "application/octet-stream"
        assert fetched.headers["Content-Disposition"] == f'attachment; filename="{name}"'
        assert s3.client.head_object(Bucket=s3.name, Key=s3.names()[0])["ContentType"] == "application/octet-stream"


def test_a_replaced_or_removed_file_is_deleted_from_the_bucket(s3, sheet, ada, browser_of) -> None:
    CourseFactory._meta.model.objects.update(status="draft")
    before = s3.names()
    hers = browser_of(ada)
    uid = upload(hers, PDF, "New.pdf", purpose="file", target=str(sheet.uid)).rstrip("/").rsplit("/", 1)[-1]

    seen = record_requests("GetObject")
    hers.put(f"/api/v1/lessons/{sheet.uid}/file/", {"upload": uid}, content_type="application/json")
    jobs.run_pending("default")
    assert len(s3.names()) == 1
    assert s3.names() != before
    # When another lesson uses the file, its type is checked again from its first bytes.
    services.claim_content(source=Upload.objects.get(), by=ada)
    assert seen == ["GetObject"]

    hers.put(f"/api/v1/lessons/{sheet.uid}/file/", {"upload": None}, content_type="application/json")
    jobs.run_pending("default")
    assert s3.names() == []


def test_profile_pictures_and_data_exports_are_stored_in_the_bucket(
    s3, leo, browser_of, django_capture_on_commit_callbacks
) -> None:
    his = recently_authenticated(browser_of(leo))
    with django_capture_on_commit_callbacks(execute=True):
        his.post("/settings/picture", {"picture": make_picture()})
        his.post("/settings/privacy/export")
    jobs.run_pending("default")
    leo.refresh_from_db()
    export = DataExport.objects.get(user=leo)
    assert s3.names() == sorted([leo.avatar.name, export.file.name])

    assert body(Client().get(leo.avatar_url))[:4] == b"RIFF"
    assert body(his.get(f"/settings/privacy/export/{export.uid}"))[:2] == b"PK"
    with django_capture_on_commit_callbacks(execute=True):
        delete_account(user=leo, password=PASSWORD, browser="", now=timezone.now())
    jobs.run_pending("default")

    assert s3.names() == []


def test_an_unreachable_bucket_is_reported(s3, ada, leo, browser_of, settings) -> None:
    options = {**settings.S3_STORAGE["OPTIONS"], "endpoint_url": f"http://127.0.0.1:{servers.free_port()}"}
    settings.STORAGES = {**settings.STORAGES, "default": {**settings.S3_STORAGE, "OPTIONS": options}}
    sources = services.sign_link(video=VideoFactory(owner=ada), now=timezone.now(), audience=services.EVERYONE)
    assert sources is not None
    his = browser_of(leo)

    for address in (sources.master, sources.sound):
        answer = his.get(address)
        assert (answer.status_code, answer["Cache-Control"]) == (503, "no-store")
        assert answer.content.startswith(b"File storage is unavailable.")
    lesson = LessonFactory(
        kind="file", is_preview=True, section__course__status="published", file=StoredFileFactory(owner=ada)
    )
    sheet = services.sign_file(upload=lesson.file, now=timezone.now(), audience=services.EVERYONE)
    assert his.head(sheet).status_code == 503
    page = his.post("/settings/picture", {"picture": make_picture()}, follow=True)

    assert "be reached right now. Nothing is lost." in page.content.decode()
    leo.refresh_from_db()
    assert not leo.avatar


def test_only_the_browser_of_the_token_is_redirected_to_the_bucket(s3, course, leo, mia, browser_of) -> None:
    """Covers addresses requested with a token, with a forged cookie or without a cookie."""
    video = VideoFactory(owner=course.instructor, version=uuid4())
    video.directory = video_directory(video.uid, video.version)
    video.save()
    lesson = LessonFactory(section__course=course, slug="film", kind="video", video=video)
    default_storage.save(f"{video.directory}/480p/00000.m4s", ContentFile(b"words"))
    his = browser_of(leo)
    bearer = {"Authorization": f"Bearer {his.get('/api/v1/auth/session/').json()['token']}"}
    invented = Client()
    invented.cookies["sessionid"] = "x" * 32

    for caller in (Client(), invented):
        player = caller.get(f"/api/v1/lessons/{lesson.uid}/player/", headers=bearer).json()
        segment = player["sources"]["master"].replace("master.m3u8", "480p/00000.m4s")

        assert his.get(segment).status_code == 302
        for other in (Client(), invented, browser_of(mia), browser_of(leo)):
            refused = other.get(segment)
            assert (refused.status_code, refused.headers.get("Location")) == (403, None)


# --- Cleanup after failures --------------------------------------------------------------------------------


def test_refused_canceled_and_expired_uploads_leave_no_files(s3, ada, browser_of, tmp_path) -> None:
    hers = browser_of(ada)
    no_film = begin(hers, len(PAGE), "film.mp4")["Location"]
    assert send(hers, no_film, 0, PAGE).status_code == 415
    half = begin(hers)["Location"]
    send(hers, half, 0, MOVIE[:100])
    assert hers.delete(half, **TUS).status_code == 204
    late = begin(hers, purpose="file", filename="late.pdf")["Location"]
    send(hers, late, 0, MOVIE[:100])
    with time_machine.travel(timezone.now() + timedelta(days=9)):
        jobs.run_pending("default")

    jobs.run_pending("default")

    assert s3.names() == s3.unfinished() == files_under(tmp_path / "uploads") == []
    assert not Upload.objects.open().exists()


def test_an_interrupted_transfer_is_repeated_and_leaves_no_parts(s3, ada, tmp_path) -> None:
    big = tmp_path / "big.bin"
    big.write_bytes(bytes(range(256)) * 2**16)  # files from 8 MiB are sent in parts
    services.import_file(owner=ada, path=big, now=timezone.now())
    broken = iter([True])
    fail("UploadPart", lambda params: "partNumber=2" in params["url"] and next(broken, False))

    jobs.run_pending("default")
    assert s3.names() == s3.unfinished() == []
    assert Upload.objects.get().stored_as == ""  # local files are served locally

    Job.objects.filter(kind="files.store_file").update(run_at=timezone.now())
    jobs.run_pending("default")
    assert s3.names() == [Upload.objects.get().stored_as]
    assert s3.unfinished() == []


@pytest.mark.parametrize("way", ["at once", "not known", "left over"])
def test_a_directory_is_removed_even_if_bulk_deletion_fails(s3, way: str) -> None:
    for name in ("videos/a/1", "videos/a/b/2", "videos/ab/3"):
        s3.client.put_object(Bucket=s3.name, Key=name, Body=b"x")
    client = default_storage.connection.meta.client
    if way == "not known":
        refusal = client.exceptions.ClientError({"Error": {"Code": "NotImplemented"}}, "DeleteObjects")
        fail("DeleteObjects", lambda _: True, refusal)
    if way == "left over":

        def spare(params: dict[str, Any], **_: Any) -> None:
            params["body"] = params["body"].replace(b"videos/a/1", b"videos/a/0")

        client.meta.events.register("before-call.s3.DeleteObjects", spare)
        note = {"Errors": [{"Key": "videos/a/1", "Code": "SlowDown"}]}
        client.meta.events.register("after-call.s3.DeleteObjects", lambda parsed, **_: parsed.update(note))

    remove("videos/a")

    assert s3.names() == ["videos/ab/3"]


def test_the_lease_is_extended_while_a_file_is_transferred(s3, tmp_path) -> None:
    here, back = tmp_path / "big.bin", tmp_path / "back.bin"
    here.write_bytes(bytes(range(256)) * 2**14)
    calls: list[str] = []

    put(here, "files/big", lambda: calls.append("up"))
    fetch("files/big", back, lambda: calls.append("down"))

    assert back.read_bytes() == here.read_bytes()
    assert min(calls.count("up"), calls.count("down")) > 3


# --- Addresses ---------------------------------------------------------------------------------------------


def test_an_address_expires_with_the_permission_or_earlier(s3, rf, settings) -> None:
    now = datetime(2026, 5, 4, 10, 25, tzinfo=UTC)
    settings.S3_LINK_SECONDS = 120

    def seconds(until: datetime | None) -> int:
        answer = send_stored(rf.get("/"), "files/x", cache="private", is_large=True, until=until)
        return int(parse_qs(urlsplit(answer["Location"]).query)["X-Amz-Expires"][0])

    with time_machine.travel(now, tick=False):
        assert seconds(None) == seconds(now + timedelta(hours=6)) == 120
        assert seconds(now + timedelta(seconds=30)) == 30


def test_the_signature_covers_the_whole_address(s3) -> None:
    """Nobody can change the file, the expiry or the type in an address."""
    link = bucket().presigned_url(
        "files/x", seconds=60, kind="application/pdf", disposition="attachment", cache="no-store"
    )

    query = parse_qs(urlsplit(link).query)
    assert query["X-Amz-Algorithm"] == ["AWS4-HMAC-SHA256"]  # signs the path and the query
    assert {"response-content-type", "response-content-disposition", "response-cache-control"} <= set(query)
    assert "a-secret" not in link


def test_nginx_does_not_serve_files_of_a_bucket(s3, sheet, leo, browser_of, settings) -> None:
    settings.MEDIA_ACCEL_PREFIX = "/protected/"
    his = browser_of(leo)

    answer = his.get(his.get(f"/learn/rivers/{sheet.slug}/download")["Location"])

    assert answer.status_code == 302
    assert "X-Accel-Redirect" not in answer


def test_the_content_security_policy_allows_only_the_bucket(s3: Bucket, client: Client) -> None:
    policy = {part.split()[0]: part.split()[1:] for part in client.get("/")["Content-Security-Policy"].split("; ")}

    assert {name for name, sources in policy.items() if s3.origin in sources} == {"media-src", "connect-src"}
    without = settings_by({}, "security")["CONTENT_SECURITY_POLICY"]["DIRECTIVES"]
    assert without["connect-src"] == [without["default-src"][0]]


AMAZON = {"S3_BUCKET": "study-media", "AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b"}
OTHER = {**AMAZON, "S3_ENDPOINT_URL": "https://objects.example.com:9000/"}


@pytest.mark.parametrize(
    ("env", "origin"),
    [
        ({**AMAZON, "S3_REGION": "eu-west-1"}, "https://study-media.s3.eu-west-1.amazonaws.com"),
        ({**AMAZON, "AWS_REGION": "us-east-2"}, "https://study-media.s3.us-east-2.amazonaws.com"),
        ({**AMAZON, "S3_REGION": "eu-west-1", "S3_ADDRESSING": "path"}, "https://s3.eu-west-1.amazonaws.com"),
        (OTHER, "https://objects.example.com:9000"),
        ({**OTHER, "S3_ADDRESSING": "virtual"}, "https://study-media.objects.example.com:9000"),
    ],
)
def test_the_content_security_policy_names_the_host_of_the_addresses(env, origin: str, settings, monkeypatch) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    for name, value in settings_by(env, "storage").items():
        setattr(settings, name, value)
    settings.STORAGES = {**settings.STORAGES, "default": settings.S3_STORAGE}

    assert origin == settings.S3_ORIGIN
    assert browsers_may_go_to_the_bucket(None) == []
    settings.S3_ORIGIN = "https://elsewhere.example"
    assert [each.id for each in browsers_may_go_to_the_bucket(None)] == ["files.E002"]


def test_only_the_owner_is_redirected_to_an_uploaded_file(s3, ada, eve, browser_of, tmp_path: Path) -> None:
    kept = StoredFileFactory(owner=ada, stored_as="files/x")

    assert browser_of(ada).get(f"/api/v1/uploads/{kept.uid}/").status_code == 302
    assert browser_of(eve).get(f"/api/v1/uploads/{kept.uid}/").status_code == 404
    assert Client().get(f"/api/v1/uploads/{kept.uid}/").status_code == 401
