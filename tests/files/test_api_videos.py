"""The API and the WebSocket of videos: owners see their videos, other users do not."""

import asyncio
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from channels.testing import WebsocketCommunicator
from django.conf import settings as django_settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.test import Client
from django.utils import timezone

from apps.files import services
from apps.files.models import CaptionTrack, VideoAsset
from apps.files.video.failures import SENTENCES
from studyplatform.asgi import application
from studyplatform.kit import sockets as hub
from studyplatform.kit.models import Job
from tests.factories.files import CaptionFactory, RenditionFactory, VideoFactory

pytestmark = pytest.mark.django_db

SRT = "1\n00:00:01,000 --> 00:00:02,000\nLight bends.\n"


def test_an_owner_sees_the_progress_of_a_video(ada, browser_of) -> None:
    video = VideoFactory(owner=ada, stage="finalizing", step="ladder", percent=58, has_audio=True)

    answer = browser_of(ada).get(f"/api/v1/videos/{video.uid}/")

    seen = answer.json()
    assert answer.status_code == 200
    assert seen["stage"] == "finalizing"
    assert seen["stage_label"] == "Finalizing"
    assert seen["doing"] == "Converting to every quality"
    assert seen["percent"] == 58
    assert 50 < seen["overall_percent"] < 70
    assert seen["sources"] is None
    assert seen["abilities"] == {"edit": True, "retry": False}


def test_a_finished_video_includes_its_addresses(ada, browser_of) -> None:
    video = VideoFactory(owner=ada)
    RenditionFactory(video=video)
    CaptionFactory(video=video)

    seen = browser_of(ada).get(f"/api/v1/videos/{video.uid}/").json()

    assert (seen["stage"], seen["overall_percent"]) == ("complete", 100)
    assert seen["renditions"][0]["name"] == "720p"
    assert seen["captions"][0]["language"] == "en"
    assert seen["sources"]["master"].startswith("/media/v/")


def test_a_failed_video_includes_the_reason(ada, browser_of) -> None:
    video = VideoFactory(owner=ada, stage="failed", failure="processing_failed", failure_detail="It did not work.")

    seen = browser_of(ada).get(f"/api/v1/videos/{video.uid}/").json()

    assert (seen["failure"], seen["failure_label"]) == ("processing_failed", "Processing failed")
    # A song with a cover picture is no damaged video.
    video.failure, video.failure_detail = "corrupt_file", SENTENCES["no_picture"]
    assert video.failure_label == "Unsupported file"
    video.failure_detail = SENTENCES["truncated"]
    assert video.failure_label == "Corrupt file"
    assert seen["failure_detail"] == "It did not work."
    assert seen["abilities"]["retry"] is True


def test_a_longer_list_is_paginated_and_runs_no_more_queries(ada, browser_of, django_assert_max_num_queries) -> None:
    for number in range(30):
        video = VideoFactory(owner=ada, filename=f"{number}.mp4")
        RenditionFactory(video=video)
        CaptionFactory(video=video)
    browser = browser_of(ada)

    with django_assert_max_num_queries(7):
        answer = browser.get("/api/v1/videos/").json()

    assert (answer["count"], len(answer["results"])) == (30, 24)


def test_an_unfinished_upload_is_listed_with_its_video(ada, browser_of) -> None:
    services.begin_upload(owner=ada, purpose="video", filename="a.mp4", length=1000, now=timezone.now())

    (seen,) = browser_of(ada).get("/api/v1/videos/").json()["results"]

    assert seen["stage"] == "uploading"
    assert (seen["upload"]["offset"], seen["upload"]["length"]) == (0, 1000)


CALLS: dict[str, Callable[[Client, VideoAsset], Any]] = {
    "see": lambda browser, video: browser.get(f"/api/v1/videos/{video.uid}/"),
    "retry": lambda browser, video: browser.post(f"/api/v1/videos/{video.uid}/retry/"),
    "captions": lambda browser, video: browser.post(
        f"/api/v1/videos/{video.uid}/captions/", {"language": "en", "text": SRT}, content_type="application/json"
    ),
    "uncaption": lambda browser, video: browser.delete(f"/api/v1/captions/{video.captions.get().uid}/"),
    "delete": lambda browser, video: browser.delete(f"/api/v1/videos/{video.uid}/"),
}
ALLOWED = {"see": 200, "retry": 200, "captions": 201, "uncaption": 204, "delete": 204}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("who", ["visitor", "leo", "eve", "ada", "sam"])
def test_only_the_owner_and_admins_can_use_the_video_api(
    who: str, call: str, ada, client: Client, browser_of, request
) -> None:
    video = VideoFactory(owner=ada, stage="failed", failure="processing_failed", version=VideoFactory().uid)
    CaptionFactory(video=video, language="fr")
    browser = client if who == "visitor" else browser_of(request.getfixturevalue(who))

    answer = CALLS[call](browser, video)

    expected = {"visitor": 401, "leo": 404, "eve": 404}.get(who, ALLOWED[call])
    assert answer.status_code == expected
    if who in {"visitor", "leo", "eve"}:
        video.refresh_from_db()
        assert video.stage == "failed"
        assert list(video.captions.values_list("language", flat=True)) == ["fr"]


def test_users_see_only_their_own_videos(ada, eve, leo, client: Client, browser_of) -> None:
    VideoFactory(owner=ada)

    assert client.get("/api/v1/videos/").status_code == 401
    assert client.get("/api/v1/storage/").status_code == 401
    assert [browser_of(each).get("/api/v1/videos/").json()["count"] for each in (ada, eve, leo)] == [1, 0, 0]


@pytest.mark.parametrize(
    ("stage", "failure"), [("complete", ""), ("queued", ""), ("failed", "corrupt_file"), ("failed", "upload_failed")]
)
def test_only_failed_processing_can_be_retried(stage: str, failure: str, ada, browser_of) -> None:
    video = VideoFactory(owner=ada, stage=stage, failure=failure, version=VideoFactory().uid)

    answer = browser_of(ada).post(f"/api/v1/videos/{video.uid}/retry/")

    assert (answer.status_code, answer.json()["code"]) == (409, "VIDEO_NOT_RETRYABLE")
    assert not Job.objects.exists()


def test_new_captions_replace_captions_in_the_same_language(ada, browser_of) -> None:
    video = VideoFactory(owner=ada)
    CaptionFactory(video=video, language="en")
    CaptionFactory(video=video, language="fr")

    answer = CALLS["captions"](browser_of(ada), video)

    assert answer.status_code == 201
    track = CaptionTrack.objects.get(video=video, language="en")
    assert track.webvtt == "WEBVTT\n\n00:00:01.000 --> 00:00:02.000\nLight bends.\n"
    assert video.captions.count() == 2


@pytest.mark.parametrize(
    ("language", "text", "status", "code"),
    [
        ("en", "just words", 415, "CAPTIONS_UNREADABLE"),
        ("<script>", SRT, 415, "CAPTIONS_UNREADABLE"),
        ("", SRT, 400, "VALIDATION_FAILED"),
        ("en", "", 400, "VALIDATION_FAILED"),
    ],
)
def test_invalid_captions_are_refused(language: str, text: str, status: int, code: str, ada, browser_of) -> None:
    video = VideoFactory(owner=ada)

    answer = browser_of(ada).post(
        f"/api/v1/videos/{video.uid}/captions/", {"language": language, "text": text}, content_type="application/json"
    )

    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert not video.captions.exists()


def test_captions_can_be_read_before_they_are_added(ada, leo, browser_of) -> None:
    video = VideoFactory(owner=ada)
    raw = "1\n00:00:01,000 -> 00:00:02,000\nПривет, мир\n".encode("cp1251")

    def send(browser: Client, address: str, **more: str) -> Any:
        file = SimpleUploadedFile("words.srt", raw)
        return browser.post(f"/api/v1/videos/{video.uid}/{address}/", {"language": "ru", "file": file, **more})

    assert send(browser_of(leo), "captions/preview").status_code == 404
    seen = send(browser_of(ada), "captions/preview").json()
    assert (seen["format"], seen["encoding"], seen["is_guess"]) == ("srt", "cp1251", True)
    assert seen["cues"] == [{"begin": 1.0, "end": 2.0, "text": "Привет, мир"}]
    assert seen["findings"] == [{"line": 2, "kind": "repaired", "text": "00:00:01,000 -> 00:00:02,000"}]
    refused = send(browser_of(ada), "captions")
    assert (refused.status_code, refused.json()["code"]) == (409, "CAPTION_ENCODING_UNCERTAIN")
    assert not video.captions.exists()
    added = send(browser_of(ada), "captions", encoding="cp1251")
    assert (added.status_code, added.json()["report"]["counts"]) == (201, {"repaired": 1})
    assert video.captions.get().findings == [[2, "repaired", "00:00:01,000 -> 00:00:02,000"]]
    assert send(browser_of(ada), "captions", encoding="rot13").status_code == 400
    assert send(browser_of(ada), "captions", text=SRT).status_code == 400


# --- The socket --------------------------------------------------------------------------------------------


def open_socket(browser: Client | None, origin: str = "http://127.0.0.1") -> WebsocketCommunicator:
    headers = [(b"origin", origin.encode()), (b"host", b"127.0.0.1")]
    if browser is not None:
        cookie = browser.cookies[django_settings.SESSION_COOKIE_NAME].value
        headers.append((b"cookie", f"{django_settings.SESSION_COOKIE_NAME}={cookie}".encode()))
    return WebsocketCommunicator(application, "/ws/videos/", headers=headers)


@pytest.fixture(autouse=True)
def _refresh_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hub, "REFRESH_EVERY", 0.05)


def run_in_socket(browser: Client | None, scenario: Callable[[WebsocketCommunicator], Any], **options: Any) -> Any:
    """Open the socket, run the scenario, close the socket. Returns the result, or "refused"."""

    async def main() -> Any:
        socket = open_socket(browser, **options)
        accepted, _ = await socket.connect(timeout=30)
        if not accepted:
            return "refused"
        try:
            return await scenario(socket)
        finally:
            await socket.disconnect()

    return asyncio.run(main())


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_the_socket_sends_only_changes(ada, eve, browser_of) -> None:
    video = VideoFactory(owner=ada, stage="queued", filename="adas.mp4")
    VideoFactory(owner=eve, stage="queued", filename="eves.mp4")
    old = VideoFactory(owner=ada, filename="old.mp4")
    VideoAsset.objects.filter(pk=old.pk).update(updated_at=timezone.now() - timedelta(days=1))
    rows = VideoAsset.objects.filter(pk=video.pk)

    async def scenario(socket: WebsocketCommunicator) -> list[Any]:
        heard = [await socket.receive_json_from(30)]
        assert await socket.receive_nothing(0.3)
        await sync_to_async(rows.update)(stage="finalizing", step="ladder", percent=40, updated_at=timezone.now())
        heard.append(await socket.receive_json_from(30))
        await sync_to_async(services.delete_video)(video=video, by=ada)
        heard.append(await socket.receive_json_from(30))
        return heard

    first, second, third = run_in_socket(browser_of(ada), scenario)

    assert (first["type"], first["video"]["filename"], first["video"]["stage"]) == ("video", "adas.mp4", "queued")
    assert (second["video"]["stage"], second["video"]["percent"]) == ("finalizing", 40)
    assert third == {"type": "gone", "uid": str(video.uid)}


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_the_socket_survives_an_unreachable_database(ada, browser_of, monkeypatch) -> None:
    from apps.files import consumers

    VideoFactory(owner=ada, stage="queued")
    real, failures = consumers.video_out, [OperationalError("gone"), OperationalError("still gone")]

    def fail_twice(*args: Any, **more: Any) -> Any:
        if failures:
            raise failures.pop()
        return real(*args, **more)

    monkeypatch.setattr(consumers, "video_out", fail_twice)

    async def scenario(socket: WebsocketCommunicator) -> Any:
        return await socket.receive_json_from(30)

    assert run_in_socket(browser_of(ada), scenario)["video"]["stage"] == "queued"
    assert not failures


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_the_socket_and_the_api_return_the_same_video(ada, browser_of) -> None:
    video = VideoFactory(owner=ada)
    RenditionFactory(video=video)
    browser = browser_of(ada)

    async def scenario(socket: WebsocketCommunicator) -> Any:
        return await socket.receive_json_from(30)

    heard = run_in_socket(browser, scenario)

    assert heard["video"] == json.loads(browser.get(f"/api/v1/videos/{video.uid}/").content)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_the_socket_refuses_visitors_and_blocked_users(ada, ben, browser_of) -> None:
    async def scenario(_: WebsocketCommunicator) -> str:
        return "let in"

    assert run_in_socket(None, scenario) == "refused"
    assert run_in_socket(browser_of(ben), scenario) == "refused"
    assert run_in_socket(browser_of(ada), scenario) == "let in"


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_the_limit_of_open_sockets_applies_per_user(ada, eve, browser_of, monkeypatch) -> None:
    monkeypatch.setattr(hub, "MAX_SOCKETS", 2)
    hers, theirs = browser_of(ada), browser_of(eve)

    async def main() -> list[bool]:
        sockets = [open_socket(hers), open_socket(hers), open_socket(hers), open_socket(theirs)]
        let_in = [(await socket.connect(timeout=30))[0] for socket in sockets]
        await sockets[0].disconnect()
        sockets.append(open_socket(hers))
        let_in.append((await sockets[-1].connect(timeout=30))[0])
        for socket, was_let_in in list(zip(sockets, let_in, strict=True))[1:]:
            if was_let_in:
                await socket.disconnect()
        return let_in

    assert asyncio.run(main()) == [True, True, False, True, True]


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_the_socket_ignores_messages_from_the_browser(ada, browser_of) -> None:
    async def scenario(socket: WebsocketCommunicator) -> bool:
        await socket.send_to(text_data="{not json")
        await socket.send_to(text_data="[" * 10_000)
        return await socket.receive_nothing(0.2)

    assert run_in_socket(browser_of(ada), scenario)


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_signing_out_closes_the_socket_immediately(ada, browser_of) -> None:
    browser = browser_of(ada)

    async def scenario(socket: WebsocketCommunicator) -> Any:
        await sync_to_async(browser.logout)()
        return await socket.receive_output(5)

    assert run_in_socket(browser, scenario) == {"type": "websocket.close", "code": 4401}
