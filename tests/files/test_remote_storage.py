"""Where the storage is no folder of this machine: finished files are uploaded, served from there, and removed."""

from typing import Any

import pytest
from django.core.files.storage import default_storage, storages
from django.test import Client
from django.utils import timezone

from apps.files import services
from apps.files.models import VideoAsset
from apps.files.storage import local_path, upload_path
from tests.files.test_processing import files_under, work_off

pytestmark = [pytest.mark.media, pytest.mark.django_db(transaction=True)]


@pytest.fixture(autouse=True)
def _elsewhere(settings: Any, tmp_path: Any) -> None:
    settings.UPLOAD_ROOT = tmp_path / "uploads"
    settings.WORK_ROOT = tmp_path / "work"
    settings.STORAGES = {
        **settings.STORAGES,
        "default": {"BACKEND": "django.core.files.storage.InMemoryStorage"},
    }


def kept(folder: str = "") -> list[str]:
    """Every file in the storage."""
    if not folder or default_storage.exists(folder):
        folders, files = storages["default"].listdir(folder)
        inner = [name for each in folders for name in kept(f"{folder}/{each}".lstrip("/"))]
        return sorted(inner + [f"{folder}/{each}".lstrip("/") for each in files])
    return []


def test_a_video_lives_in_the_storage(ada, clip, tmp_path, client: Client) -> None:
    video = services.import_video(owner=ada, path=clip("lecture.mp4"), now=timezone.now())

    work_off()

    video.refresh_from_db()
    assert video.stage == "complete"
    assert local_path(video.directory) is None
    names = kept()
    assert {f"{video.directory}/{name}" for name in ("master.m3u8", "720p/index.m3u8", "480p/00000.m4s")} <= set(names)
    assert video.source in names
    assert files_under(tmp_path / "uploads") == files_under(tmp_path / "work") == []
    sources = services.sign_link(video=video, now=timezone.now())
    assert sources is not None
    segment = client.get(sources.master.replace("master.m3u8", "480p/00000.m4s"), HTTP_RANGE="bytes=4-7")
    assert b"".join(segment.streaming_content) == b"styp"
    assert b"#EXT-X-STREAM-INF" in b"".join(client.get(sources.master).streaming_content)
    assert client.get(sources.master.replace("master.m3u8", "1080p/init.mp4")).status_code == 404


def test_a_lost_local_copy_is_fetched_for_another_try(ada, clip) -> None:
    video = services.import_video(owner=ada, path=clip("silent.mp4"), now=timezone.now())
    work_off()
    video.refresh_from_db()
    assert video.version is not None
    assert not upload_path(video.version).exists()
    VideoAsset.objects.update(stage="failed", failure="processing_failed")

    services.retry_video(video=video, by=ada)
    work_off()

    video.refresh_from_db()
    assert (video.stage, video.failure) == ("complete", "")


def test_a_deleted_video_leaves_the_storage_empty(ada, clip) -> None:
    video = services.import_video(owner=ada, path=clip("captioned.mp4"), now=timezone.now())
    work_off()
    assert len(kept()) > 5

    services.delete_video(video=VideoAsset.objects.get(pk=video.pk), by=ada)
    work_off()

    assert kept() == []
