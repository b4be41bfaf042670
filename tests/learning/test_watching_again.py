"""An address of a video ends with the right that it was made for, where playing begins."""

from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.utils import timezone

from apps.files.storage import video_directory
from tests.factories.files import CaptionFactory, VideoFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def addresses(film, ada, leo, enrollment, browser_of, own_folders: Path):
    """Playlists and captions as Leo's player gets them, and a segment."""
    video = film.video = VideoFactory(owner=ada)
    video.directory = video_directory(video.uid, video.uid)
    video.save()
    film.save()
    CaptionFactory(video=video)
    for name in ("master.m3u8", "480p/index.m3u8", "480p/00000.m4s"):
        default_storage.save(f"{video.directory}/{name}", ContentFile(b"#EXTM3U"))
    sources = browser_of(leo).get(f"/api/v1/lessons/{film.uid}/player/").json()["sources"]
    base = sources["master"].removesuffix("master.m3u8")
    return [sources["master"], f"{base}480p/index.m3u8", sources["captions"][0]["url"]], f"{base}480p/00000.m4s"


def statuses(browser, addresses):
    playlists, segment = addresses
    return [browser.get(address).status_code for address in playlists], browser.get(segment).status_code


def test_without_a_seat_playlists_and_captions_end_and_the_rest_runs_out(addresses, leo, enrollment, client):
    playlists, _ = addresses
    client.cookies["sessionid"] = leo.browser_sessions.order_by("pk").first().session_key
    assert statuses(client, addresses) == ([200] * 3, 200)

    enrollment.revoked_at = timezone.now()
    enrollment.save()

    assert statuses(client, addresses) == ([403] * 3, 200)
    assert "no-store" in client.get(playlists[0])["Cache-Control"]


def test_when_the_session_ends_so_do_they(addresses, leo, client):
    session = leo.browser_sessions.order_by("pk").first()
    client.cookies["sessionid"] = session.session_key
    assert statuses(client, addresses)[0] == [200] * 3

    session.delete()

    assert statuses(client, addresses)[0] == [403] * 3


@pytest.mark.parametrize("why", ["preview", "staff"])
def test_previews_and_the_staff_s_own_videos_need_no_seat(addresses, film, leo, enrollment, client, why):
    client.cookies["sessionid"] = leo.browser_sessions.order_by("pk").first().session_key
    enrollment.revoked_at = timezone.now()
    enrollment.save()
    if why == "preview":
        film.is_preview = True
        film.save()
    else:
        leo.role = "admin"
        leo.save()

    assert statuses(client, addresses)[0] == [200] * 3
