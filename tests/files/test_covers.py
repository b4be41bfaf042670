"""Authors choose the cover of a video from the film."""

from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from apps.files import errors, services
from apps.files.services import covers
from apps.files.services.video_sending import PUBLISHED
from apps.files.storage import local_path
from studyplatform.kit.errors import NotFound
from tests.cases import all_cases
from tests.factories.files import RenditionFactory, VideoFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folders")]
PLAYLIST = "#EXTM3U\n#EXTINF:4.0,\n00000.m4s\n#EXTINF:3.0,\n00001.m4s\n#EXT-X-ENDLIST\n"


@pytest.fixture
def video(ada) -> Any:
    made = VideoFactory(owner=ada, directory="videos/a/b", duration=7.0, poster="poster.jpg")
    RenditionFactory(video=made)
    RenditionFactory(video=made, name="audio", width=0, height=0)
    folder = path_of("videos/a/b/720p")
    folder.mkdir(parents=True)
    (folder / "index.m3u8").write_text(PLAYLIST)
    for name in ("init.mp4", "00000.m4s", "00001.m4s"):
        (folder / name).write_text(name)
    return made


def path_of(name: str) -> Path:
    found = local_path(name)
    assert found is not None
    return found


@pytest.fixture
def cut(monkeypatch) -> list[tuple[str, str]]:
    """Cut without ffmpeg; returns what was read, and from which second."""
    told: list[tuple[str, str]] = []

    def run(arguments: list[str], *, folder: Path, **_: Any) -> int:
        told.append(((folder / "part.mp4").read_text(), arguments[arguments.index("-ss") + 1]))
        (folder / "cover.jpg").write_bytes(b"frame")
        return 0

    monkeypatch.setattr(covers.encode, "run", run)
    return told


def test_a_frame_becomes_the_cover_and_the_former_one_goes(video, cut, django_capture_on_commit_callbacks) -> None:
    first = services.choose_cover(video=video, by=video.owner, at=5.5)

    assert cut == [("init.mp400001.m4s", "1.500")]
    assert (first.cover_at, first.poster[:6]) == (5.5, "cover-")
    assert path_of(f"videos/a/b/{first.poster}").read_bytes() == b"frame"
    with django_capture_on_commit_callbacks(execute=True):
        second = services.choose_cover(video=first, by=video.owner, at=0)
    assert second.poster != first.poster  # browsers keep a picture under its name
    assert not path_of(f"videos/a/b/{first.poster}").exists()
    with django_capture_on_commit_callbacks(execute=True):
        assert services.choose_cover(video=second, by=video.owner, at=None).poster == "poster.jpg"
    assert not path_of(f"videos/a/b/{second.poster}").exists()


@all_cases("at", [-0.1, 7.1, float("nan"), float("inf")])
def test_a_second_outside_of_the_video_is_refused(video, at: float) -> None:
    with pytest.raises(errors.CoverNotThere):
        services.choose_cover(video=video, by=video.owner, at=at)


def test_what_cannot_be_cut_leaves_everything_as_it_was(video, cut, leo, monkeypatch) -> None:
    with pytest.raises(NotFound):
        services.choose_cover(video=video, by=leo, at=1)
    path_of("videos/a/b/720p/00001.m4s").unlink()
    with pytest.raises(errors.CoverNotThere):
        services.choose_cover(video=video, by=video.owner, at=6.9)
    monkeypatch.setattr(covers.encode, "run", lambda *_, **__: 0)  # no frame
    with pytest.raises(errors.CoverNotThere):
        services.choose_cover(video=video, by=video.owner, at=1)
    video.refresh_from_db()
    assert (video.poster, video.cover_at) == ("poster.jpg", None)
    assert not list(path_of("videos/a/b").glob("cover*"))
    video.is_playable = False
    with pytest.raises(errors.CoverNotThere):
        services.choose_cover(video=video, by=video.owner, at=1)


def test_the_cover_is_cut_again_where_the_video_still_has_that_second(video, cut) -> None:
    video.cover_at = 3.0
    video.save()

    services.restore_cover(video_id=video.pk, at=3.0)
    services.restore_cover(video_id=video.pk, at=3.0)

    video.refresh_from_db()
    assert video.poster.startswith("cover-")
    assert len(cut) == 1
    services.restore_cover(video_id=0, at=3.0)


def test_the_call_shows_the_cover_under_its_address(video, cut, browser_of) -> None:
    browser = browser_of(video.owner)
    address = f"/api/v1/videos/{video.uid}/cover/"

    seen = browser.post(address, {"at": 2}, content_type="application/json").json()

    video.refresh_from_db()
    assert video.cover_at == 2
    assert "/cover-" in seen["sources"]["poster"]
    assert PUBLISHED.fullmatch(seen["sources"]["poster"].rpartition("/")[2])
    assert browser.post(address, {"at": 99}, content_type="application/json").status_code == 409
    assert browser.post(address, {}, content_type="application/json").status_code == 400


@pytest.mark.media
@pytest.mark.long
def test_the_frame_of_the_second_is_shown(ada, processed) -> None:
    work, published = processed("colors.mp4")
    video = VideoFactory(owner=ada, directory="videos/r/s", duration=published.duration, poster="poster.jpg")
    RenditionFactory(video=video, name="480p")
    target = path_of("videos/r/s")
    target.parent.mkdir(parents=True)
    target.symlink_to(work.public)

    seen = []
    for at in (0.5, 1.5, 2.5, published.duration):
        video = services.choose_cover(video=video, by=ada, at=at)
        pixel = Image.open(path_of(f"videos/r/s/{video.poster}")).convert("RGB").resize((1, 1)).getpixel((0, 0))
        seen.append(tuple(round(each / 255) for each in pixel))
        path_of(f"videos/r/s/{video.poster}").unlink()
    assert seen == [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 0)]
