"""Signed addresses open the files of one video for one session until they expire."""

import asyncio
import base64
import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import AnonymousUser
from django.core.files.storage import default_storage
from django.test import Client, RequestFactory

from apps.accounts.guards import SessionKey, session_key_of
from apps.files import services
from apps.files.http_ranges import parse_range
from apps.files.models import VideoAsset
from apps.files.services import EVERYONE
from apps.files.services.media_links import token_of
from apps.files.storage import video_directory
from tests.cases import all_cases
from tests.factories.files import CaptionFactory, VideoFactory

pytestmark = pytest.mark.django_db

NOW = datetime(2026, 5, 4, 10, 25, tzinfo=UTC)
SEGMENT = bytes(range(256)) * 4000


@pytest.fixture(autouse=True)
def _fixed_time() -> Iterator[None]:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def media_root(settings: Any, tmp_path: Path) -> Path:
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {
            "BACKEND": "django.core.files.storage.FileSystemStorage",
            "OPTIONS": {"location": str(tmp_path / "media")},
        },
    }
    return tmp_path / "media"


def create_files(media_root: Path, video: VideoAsset, mark: bytes = b"") -> VideoAsset:
    """Create the published files of a video."""
    import uuid

    video.version = uuid.uuid4()
    video.directory = video_directory(video.uid, video.version)
    video.poster, video.storyboard = "poster.jpg", "storyboard.vtt"
    video.save()
    folder = media_root / video.directory
    for name in ("480p", "audio"):
        (folder / name).mkdir(parents=True)
        (folder / name / "index.m3u8").write_bytes(b"#EXTM3U\n" + mark)
        (folder / name / "00000.m4s").write_bytes(SEGMENT)
    for name in ("master.m3u8", "poster.jpg", "storyboard.vtt", "storyboard-1.jpg", "probe.json"):
        (folder / name).write_bytes(b"#EXTM3U\n" + mark)
    return video


@pytest.fixture
def video(media_root: Path, ada) -> VideoAsset:
    return create_files(media_root, VideoFactory(owner=ada), mark=b"adas")


def base_of(video: VideoAsset) -> str:
    sources = services.sign_link(video=video, now=NOW, audience=EVERYONE)
    assert sources is not None
    return sources.master.removesuffix("/master.m3u8")


def body(answer: Any) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content


def test_a_signed_address_opens_all_files_of_its_video(video: VideoAsset, client: Client) -> None:
    caption = CaptionFactory(video=video)
    sources = services.sign_link(video=video, now=NOW, audience=EVERYONE)

    assert sources is not None
    assert sources.audio is not None
    assert sources.expires_at == datetime(2026, 5, 4, 17, 0, tzinfo=UTC)
    kinds = {
        sources.master: "application/vnd.apple.mpegurl",
        sources.audio: "application/vnd.apple.mpegurl",
        sources.poster: "image/jpeg",
        sources.storyboard: "text/vtt; charset=utf-8",
        sources.captions[0].url: "text/vtt; charset=utf-8",
        sources.master.replace("master.m3u8", "480p/00000.m4s"): "video/iso.segment",
        sources.master.replace("master.m3u8", "storyboard-1.jpg"): "image/jpeg",
    }
    for address, kind in kinds.items():
        answer = client.get(str(address))
        assert (answer.status_code, answer["Content-Type"]) == (200, kind), address
        assert answer["Cache-Control"].startswith("private, max-age=")
        assert answer["X-Content-Type-Options"] == "nosniff"
    assert client.get(sources.captions[0].url).content.decode() == caption.webvtt


def test_a_segment_is_served_without_a_query(video: VideoAsset, leo, browser_of, django_assert_num_queries) -> None:
    browser, address = browser_of(leo), f"{base_of(video)}/480p/00000.m4s"

    with django_assert_num_queries(0):
        assert browser.get(address).status_code == 200


def test_all_files_of_a_video_stop_when_its_viewer_may_no_longer_watch(
    video: VideoAsset, ada, leo, browser_of, django_assert_num_queries
) -> None:
    caption = CaptionFactory(video=video)
    hers = browser_of(ada)
    base = own_address(hers, video).removesuffix("/master.m3u8")
    many = [f"{base}/480p/00000.m4s", f"{base}/storyboard-1.jpg", f"{base}/poster.jpg"]
    others = ["master.m3u8", "audio/index.m3u8", "sound.m4a", "storyboard.vtt", f"captions/{caption.uid.hex}.vtt"]
    assert hers.get(many[0]).status_code == 200
    with django_assert_num_queries(0):
        assert hers.get(many[0]).status_code == 200

    VideoAsset.objects.filter(pk=video.pk).update(owner=leo)

    assert [hers.get(f"{base}/{name}").status_code for name in others] == [403] * len(others)
    with time_machine.travel(NOW + timedelta(seconds=61)):
        assert [hers.get(address).status_code for address in many] == [403] * len(many)


def test_addresses_do_not_change_within_an_hour(video: VideoAsset) -> None:
    early = services.sign_link(video=video, now=NOW.replace(minute=0), audience=EVERYONE)
    late = services.sign_link(video=video, now=NOW.replace(minute=59), audience=EVERYONE)
    next_hour = services.sign_link(video=video, now=NOW + timedelta(hours=1), audience=EVERYONE)

    assert early == late != next_hour


def test_an_unprocessed_video_has_no_address(ada) -> None:
    assert services.sign_link(video=VideoFactory(owner=ada, stage="queued"), now=NOW, audience=EVERYONE) is None


def test_a_video_without_sound_has_no_audio_address(video: VideoAsset) -> None:
    video.has_audio = False
    sources = services.sign_link(video=video, now=NOW, audience=EVERYONE)

    assert sources is not None
    assert sources.audio is None


def test_an_address_expires(video: VideoAsset, client: Client) -> None:
    address = f"{base_of(video)}/master.m3u8"

    with time_machine.travel(NOW.replace(hour=16, minute=59), tick=False):
        assert client.get(address).status_code == 200
    with time_machine.travel(NOW.replace(hour=17, minute=0), tick=False):
        answer = client.get(address)

    assert answer.status_code == 403
    assert b"expired" in answer.content


def test_a_changed_token_is_refused(video: VideoAsset, client: Client) -> None:
    base = base_of(video)
    token = base.rsplit("/", 1)[1]
    forged = []
    for at in range(0, len(token), 3):
        other = "A" if token[at] != "A" else "B"
        forged.append(token[:at] + other + token[at + 1 :])
    raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    later = raw[:32] + (int.from_bytes(raw[32:36], "big") + 3600).to_bytes(4, "big") + raw[36:]
    forged += [base64.urlsafe_b64encode(each).rstrip(b"=").decode() for each in (later, raw[:36], raw + b"x", raw[:-1])]
    forged += ["", "x", token + "=", token[:-1], token + "A", "é", "." * 70, "%00"]

    for each in forged:
        answer = client.get(f"/media/v/{each}/master.m3u8")
        assert answer.status_code == 404, each
        assert b"adas" not in body(answer)


def test_a_token_of_one_video_does_not_open_another_video(
    video: VideoAsset, media_root: Path, eve, client: Client
) -> None:
    others = create_files(media_root, VideoFactory(owner=eve), mark=b"eves")
    caption = CaptionFactory(video=others)
    base = base_of(video)

    assert b"adas" in body(client.get(f"{base}/master.m3u8"))
    for way in (
        f"../../../{others.directory}/master.m3u8",
        f"480p/../../../../{others.directory}/master.m3u8",
        f"captions/{caption.uid.hex}.vtt",
    ):
        assert client.get(f"{base}/{way}").status_code == 404


@all_cases(
    "name",
    [
        "../../../db.sqlite3",
        "..%2f..%2f..%2fdb.sqlite3",
        "%2e%2e/%2e%2e/secret_key",
        "480p/../../../../secret_key",
        "/etc/passwd",
        "//etc/passwd",
        "480p//00000.m4s",
        "480p/%00.m4s",
        "480p/00000.m4s%00",
        "480p/00000.m4s/",
        "480p/00000.m4s%0a",
        "480p/",
        "480p",
        "",
        ".",
        "probe.json",
        "master.m3u8.bak",
        "MASTER.M3U8",
        "C:\\secret",
        "..\\..\\secret_key",
        "480p/٠٠٠٠٠.m4s",
        "2160p/index.m3u8",
    ],
)
def test_a_name_cannot_leave_the_directory_of_the_video(
    name: str, video: VideoAsset, media_root: Path, client: Client
) -> None:
    (media_root / "secret_key").write_text("secret")
    (media_root.parent / "secret_key").write_text("secret")

    answer = client.get(f"{base_of(video)}/{name}")

    assert answer.status_code == 404
    assert b"secret" not in body(answer)


def test_only_get_and_head_are_allowed(video: VideoAsset, client: Client) -> None:
    address = f"{base_of(video)}/master.m3u8"

    assert [getattr(client, verb)(address).status_code for verb in ("post", "put", "patch", "delete")] == [405] * 4
    assert client.head(address).status_code == 200


def test_an_address_signed_with_an_older_key_is_accepted(video: VideoAsset, client: Client, settings: Any) -> None:
    address = f"{base_of(video)}/master.m3u8"
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "new" * 20, [settings.SECRET_KEY]

    assert client.get(address).status_code == 200

    settings.SECRET_KEY_FALLBACKS = []
    assert client.get(address).status_code == 404


def test_the_files_of_a_deleted_video_are_not_found(video: VideoAsset, client: Client, ada) -> None:
    address = f"{base_of(video)}/master.m3u8"
    from studyplatform.kit import jobs

    services.delete_video(video=video, by=ada)
    jobs.run_pending("default")

    assert client.get(address).status_code == 404
    assert not default_storage.exists(video.directory)


# --- Parts of a file ---------------------------------------------------------------------------------------

SIZE = len(SEGMENT)


@pytest.mark.parametrize(
    ("asked", "begin", "end"),
    [
        ("bytes=0-0", 0, 1),
        ("bytes=0-", 0, SIZE),
        ("bytes=100-199", 100, 200),
        ("bytes=1000000-", 1000000, SIZE),
        ("bytes=-300", SIZE - 300, SIZE),
        (f"bytes=-{SIZE * 2}", 0, SIZE),
        (f"bytes=5-{SIZE * 9}", 5, SIZE),
        (f"bytes={SIZE - 1}-{SIZE - 1}", SIZE - 1, SIZE),
    ],
)
def test_a_range_is_served(asked: str, begin: int, end: int, video: VideoAsset, client: Client) -> None:
    answer = client.get(f"{base_of(video)}/480p/00000.m4s", HTTP_RANGE=asked, HTTP_ACCEPT_ENCODING="gzip")

    assert answer.status_code == 206
    assert answer["Content-Range"] == f"bytes {begin}-{end - 1}/{SIZE}"
    assert answer["Content-Length"] == str(end - begin)
    assert "Content-Encoding" not in answer
    assert body(answer) == SEGMENT[begin:end]


@pytest.mark.parametrize("asked", [f"bytes={SIZE}-", "bytes=99999999-100000000", "bytes=-0"])
def test_a_range_beyond_the_end_is_refused(asked: str, video: VideoAsset, client: Client) -> None:
    answer = client.get(f"{base_of(video)}/480p/00000.m4s", HTTP_RANGE=asked)

    assert (answer.status_code, answer["Content-Range"]) == (416, f"bytes */{SIZE}")


@pytest.mark.parametrize(
    "asked", ["bytes=5-2", "bytes=0-1,5-9", "lines=1-2", "bytes=-", "bytes=a-b", "bytes=" + "9" * 40]
)
def test_an_invalid_range_gets_the_whole_file(asked: str, video: VideoAsset, client: Client) -> None:
    answer = client.get(f"{base_of(video)}/480p/00000.m4s", HTTP_RANGE=asked, HTTP_ACCEPT_ENCODING="gzip")

    assert (answer.status_code, answer["Content-Length"]) == (200, str(SIZE))
    assert body(answer) == SEGMENT


def test_a_browser_with_the_current_file_gets_304(video: VideoAsset, client: Client) -> None:
    address = f"{base_of(video)}/480p/00000.m4s"
    first = client.get(address)

    by_tag = client.get(address, HTTP_IF_NONE_MATCH=f'W/"x", {first["ETag"]}')
    by_time = client.get(address, HTTP_IF_MODIFIED_SINCE=first["Last-Modified"])
    other = client.get(address, HTTP_IF_NONE_MATCH='"other"')

    assert (by_tag.status_code, by_time.status_code, other.status_code) == (304, 304, 200)
    assert by_tag.content == b""


def test_a_download_is_resumed_only_if_the_file_is_unchanged(video: VideoAsset, client: Client) -> None:
    address = f"{base_of(video)}/480p/00000.m4s"
    tag = client.get(address)["ETag"]

    same = client.get(address, HTTP_RANGE="bytes=10-", HTTP_IF_RANGE=tag)
    changed = client.get(address, HTTP_RANGE="bytes=10-", HTTP_IF_RANGE='"older"')
    nonsense = client.get(address, HTTP_RANGE="bytes=10-", HTTP_IF_RANGE="yesterday")

    assert (same.status_code, changed.status_code, nonsense.status_code) == (206, 200, 200)


def test_head_returns_the_length_without_a_body(video: VideoAsset, client: Client) -> None:
    answer = client.head(f"{base_of(video)}/480p/00000.m4s")

    assert (answer["Content-Length"], answer["Accept-Ranges"], body(answer)) == (str(SIZE), "bytes", b"")


def test_under_asgi_chunks_are_sent_as_they_are_read(rf: Any, tmp_path: Path) -> None:
    from django.core.handlers.asgi import ASGIRequest

    from apps.files.file_readers import CHUNK_SIZE
    from apps.files.streaming import send_file

    path = tmp_path / "file"
    path.write_bytes(SEGMENT)
    scope = {"type": "http", "method": "GET", "path": "/", "query_string": b"", "headers": [(b"range", b"bytes=7-")]}
    request = ASGIRequest(scope, io.BytesIO())

    answer = send_file(request, lambda: path.open("rb"), size=SIZE, changed=1.0, kind="video/mp4", cache="private")

    async def receive() -> list[bytes]:
        return [piece async for piece in answer]

    pieces = asyncio.run(receive())
    assert b"".join(pieces) == SEGMENT[7:]
    assert len(pieces) == -(-(SIZE - 7) // CHUNK_SIZE)


def test_behind_nginx_the_response_contains_only_the_path(video: VideoAsset, client: Client, settings: Any) -> None:
    settings.MEDIA_ACCEL_PREFIX = "/protected/"

    answer = client.get(f"{base_of(video)}/480p/00000.m4s")

    assert answer["X-Accel-Redirect"] == f"/protected/{video.directory}/480p/00000.m4s"
    assert answer.content == b""
    assert client.get(f"{base_of(video)}/480p/../x").status_code == 404


def test_a_range_of_an_empty_file_has_no_length() -> None:
    span = parse_range("bytes=0-", 0)

    assert span is not None
    assert span.length == 0


def test_a_token_depends_only_on_version_expiry_and_session(video: VideoAsset) -> None:
    """Equal tokens keep the address stable, so that the browser can use its cache."""
    one, other = SessionKey("s1"), SessionKey("s2")
    assert token_of(video, NOW, one) == token_of(VideoAsset.objects.get(pk=video.pk), NOW, one)
    assert token_of(video, NOW, one) != token_of(video, NOW + timedelta(seconds=1), one)
    assert len({token_of(video, NOW, one), token_of(video, NOW, other), token_of(video, NOW, EVERYONE)}) == 3


def own_address(browser: Client, video: VideoAsset) -> str:
    """Return the address of the master playlist that the owner's player gets."""
    return str(browser.get(f"/api/v1/videos/{video.uid}/").json()["sources"]["master"])


def test_a_shared_address_does_not_open_the_video(
    video: VideoAsset, ada, leo, browser_of, client: Client, django_assert_num_queries
) -> None:
    """Covers a visitor, another user, another browser of the same user, and every kind of file."""
    hers = browser_of(ada)
    address = own_address(hers, video)
    invented = Client()
    invented.cookies["sessionid"] = "x" * 32

    assert hers.get(address).status_code == 200
    for name in ("master.m3u8", "480p/00000.m4s", "poster.jpg", "storyboard.vtt", "sound.m4a", "captions/0.vtt"):
        for other in (client, browser_of(leo), browser_of(ada), invented):
            with django_assert_num_queries(0):
                answer = other.get(address.replace("master.m3u8", name))
            assert answer.status_code == 403
            assert b"adas" not in body(answer)


BEARERS = ["no cookie", "an invented cookie", "another person's cookie", "an empty cookie"]


@pytest.mark.parametrize("beside", BEARERS)
def test_a_request_with_a_token_gets_addresses_for_the_session_of_the_token(
    beside: str, video: VideoAsset, ada, leo, browser_of, client: Client
) -> None:
    hers = browser_of(ada)
    bearer = {"Authorization": f"Bearer {hers.get('/api/v1/auth/session/').json()['token']}"}
    caller = browser_of(leo) if beside == "another person's cookie" else Client()
    if beside in {"an invented cookie", "an empty cookie"}:
        caller.cookies["sessionid"] = "x" * 32 if beside == "an invented cookie" else ""

    for way in (f"/api/v1/videos/{video.uid}/", "/api/v1/videos/"):
        shown = caller.get(way, headers=bearer).json()
        address = (shown if "sources" in shown else shown["results"][0])["sources"]["master"]

        assert hers.get(address).status_code == 200
        for other in (caller, client, browser_of(leo), browser_of(ada)):
            assert other.get(address).status_code == 403


def test_addresses_stop_working_after_sign_out(video: VideoAsset, ada, browser_of) -> None:
    hers = browser_of(ada)
    token = hers.get("/api/v1/auth/session/").json()["token"]
    address = own_address(hers, video)

    hers.post("/api/v1/auth/logout")

    assert hers.get(address).status_code == 403
    bearer = {"Authorization": f"Bearer {token}"}
    assert hers.get(f"/api/v1/videos/{video.uid}/", headers=bearer).status_code == 401
    hers.force_login(ada)
    assert hers.get(address).status_code == 403, "a new session needs new addresses"


def test_without_a_session_there_is_no_session_key(rf: RequestFactory) -> None:
    with pytest.raises(ValueError, match="key of a session"):
        SessionKey("")
    visitor = rf.get("/")
    visitor.user = AnonymousUser()
    visitor.COOKIES["sessionid"] = "x" * 32  # not a real session
    assert session_key_of(visitor) is None


def test_the_session_in_a_token_cannot_be_removed_or_changed(
    video: VideoAsset, ada, browser_of, client: Client
) -> None:
    token = own_address(browser_of(ada), video).split("/")[3]
    raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    mark = slice(36, 44)
    assert any(raw[mark])

    for forged in (raw[:36] + bytes(8) + raw[44:], raw[:36] + raw[44:], raw[:36] + b"\xff" * 8 + raw[44:]):
        changed = base64.urlsafe_b64encode(forged).rstrip(b"=").decode()
        assert client.get(f"/media/v/{changed}/master.m3u8").status_code == 404


def test_a_session_cannot_be_read_from_its_addresses(video: VideoAsset, ada, browser_of) -> None:
    browser = browser_of(ada)
    token = own_address(browser, video).split("/")[3]
    raw = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
    key = browser.cookies["sessionid"].value

    assert key.encode()[:8] not in raw


def test_behind_a_proxy_the_session_is_checked_first(
    video: VideoAsset, ada, browser_of, client: Client, settings: Any
) -> None:
    settings.MEDIA_ACCEL_PREFIX = "/protected/"
    hers = browser_of(ada)
    address = own_address(hers, video)

    assert hers.get(address)["X-Accel-Redirect"]
    refused = client.get(address)
    assert refused.status_code == 403
    assert "X-Accel-Redirect" not in refused


@pytest.fixture
def sound(video: VideoAsset, media_root: Path) -> bytes:
    """Create three different audio segments and their playlist. Returns the joined bytes."""
    folder = media_root / video.directory / "audio"
    parts = {"init.mp4": b"head" * 100, "00000.m4s": b"first" * 1000, "00001.m4s": b"second" * 1000}
    for name, data in parts.items():
        (folder / name).write_bytes(data)
    lines = ["#EXTM3U", '#EXT-X-MAP:URI="init.mp4"', "#EXTINF:4.0,", "00000.m4s", "#EXTINF:4.0,", "00001.m4s", ""]
    (folder / "index.m3u8").write_text("\n".join(lines))
    return b"".join(parts.values())


def test_browsers_without_streaming_get_the_audio_as_one_file(video: VideoAsset, sound: bytes, client: Client) -> None:
    address = f"{base_of(video)}/sound.m4a"

    whole = client.get(address)
    part = client.get(address, headers={"Range": "bytes=398-5405"})

    assert services.sign_link(video=video, now=NOW, audience=EVERYONE).sound == address
    assert (whole.status_code, whole["Content-Type"], body(whole)) == (200, "audio/mp4", sound)
    assert whole["Content-Length"] == str(len(sound))
    assert (part.status_code, body(part)) == (206, sound[398:5406])


def test_a_video_without_sound_has_no_audio_file(video: VideoAsset, media_root: Path, client: Client) -> None:
    (media_root / video.directory / "audio" / "index.m3u8").unlink()

    assert client.get(f"{base_of(video)}/sound.m4a").status_code == 404
