"""Playlist and caption addresses stop working when the user loses the permission they were signed for."""

from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from apps.files.storage import video_directory
from tests.factories.files import CaptionFactory, VideoFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def addresses(video_lesson, ada, leo, enrollment, browser_of, own_folders: Path):
    """Return the addresses of the playlists and captions that Leo's player gets, and that of a segment."""
    video = video_lesson.video = VideoFactory(owner=ada)
    video.directory = video_directory(video.uid, video.uid)
    video.save()
    video_lesson.save()
    CaptionFactory(video=video)
    for name in ("master.m3u8", "480p/index.m3u8", "480p/00000.m4s"):
        default_storage.save(f"{video.directory}/{name}", ContentFile(b"#EXTM3U"))
    sources = browser_of(leo).get(f"/api/v1/lessons/{video_lesson.uid}/player/").json()["sources"]
    base = sources["master"].removesuffix("master.m3u8")
    return [sources["master"], f"{base}480p/index.m3u8", sources["captions"][0]["url"]], f"{base}480p/00000.m4s"


def statuses(browser, addresses):
    playlists, segment = addresses
    return [browser.get(address).status_code for address in playlists], browser.get(segment).status_code


def test_revoking_the_enrollment_closes_playlists_and_captions_but_not_segments(addresses, leo, enrollment, client):
    playlists, _ = addresses
    client.cookies["sessionid"] = leo.browser_sessions.order_by("pk").first().session_key
    assert statuses(client, addresses) == ([200] * 3, 200)

    enrollment.revoked_at = timezone.now()
    enrollment.save()

    assert statuses(client, addresses) == ([403] * 3, 200)
    assert "no-store" in client.get(playlists[0])["Cache-Control"]


def test_ending_the_session_closes_playlists_and_captions(addresses, leo, client):
    session = leo.browser_sessions.order_by("pk").first()
    client.cookies["sessionid"] = session.session_key
    assert statuses(client, addresses)[0] == [200] * 3

    session.delete()

    assert statuses(client, addresses)[0] == [403] * 3


@pytest.mark.parametrize("why", ["preview", "staff"])
def test_previews_and_videos_opened_by_staff_need_no_enrollment(addresses, video_lesson, leo, enrollment, client, why):
    client.cookies["sessionid"] = leo.browser_sessions.order_by("pk").first().session_key
    enrollment.revoked_at = timezone.now()
    enrollment.save()
    if why == "preview":
        video_lesson.is_preview = True
        video_lesson.save()
    else:
        leo.role = "admin"
        leo.save()

    assert statuses(client, addresses)[0] == [200] * 3
