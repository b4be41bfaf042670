"""Complete videos get what they lack, and stay as they are until they have it."""

import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from apps.files import services
from apps.files.models import BinnedOriginal, VideoAsset
from apps.files.services import processing, reprocessing
from apps.files.services.reprocessing import LACKS, find_lacking, lacks_of, process_again
from apps.files.storage import local_path
from apps.files.video.failures import ProcessingFailed
from apps.files.video.sound_levels import SoundLevels
from studyplatform.kit import jobs
from studyplatform.kit.models import Job
from tests.factories.files import RenditionFactory, VideoFactory

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("own_folders")]
PLAYLIST = "#EXTM3U\n#EXTINF:2.0,\n00000.m4s\n#EXT-X-ENDLIST\n"
WHOLE = ("master.m3u8", "720p/index.m3u8", "audio/index.m3u8", "audio/init.mp4", "audio/00000.m4s", "poster.jpg")


def write(name: str, text: str = PLAYLIST) -> Path:
    path = local_path(name)
    assert path is not None
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


@pytest.fixture
def video(ada) -> VideoAsset:
    """A video that lacks nothing."""
    made = VideoFactory(
        owner=ada,
        directory="videos/a/b",
        source="originals/a/b.mp4",
        poster="poster.jpg",
        storyboard="storyboard.vtt",
        sound_levels="sound.json",
        loudness=-20.0,
        loudness_gain=4.0,
        source_bytes=9,
    )
    RenditionFactory(video=made)
    RenditionFactory(video=made, name="audio", playlist="audio/index.m3u8")
    for name in (*WHOLE, "storyboard.vtt", "sound.json"):
        write(f"videos/a/b/{name}")
    write(made.source, "original!")
    return made


def test_what_a_video_lacks_is_found(video, settings) -> None:
    assert lacks_of(video) == ()
    assert list(find_lacking()) == []

    for name, lack in (("sound.json", "peaks"), ("poster.jpg", "poster"), ("storyboard.vtt", "storyboard")):
        path = local_path(f"videos/a/b/{name}")
        assert path is not None
        path.unlink()
        assert lacks_of(video) == (lack,)
        write(f"videos/a/b/{name}")
    video.loudness_gain = 0
    assert lacks_of(video) == ("loudness",)
    settings.VIDEO_LOUDNESS = None
    assert lacks_of(video) == ()
    video.renditions.filter(name="audio").delete()
    assert lacks_of(video) == ("renditions",)
    video.has_audio, video.sound_levels = False, ""
    assert lacks_of(video) == ()  # it has no sound
    video.directory = ""
    assert lacks_of(video) == ("poster", "storyboard", "renditions")


def test_silence_and_noise_are_not_made_louder_again_and_again(video) -> None:
    video.loudness, video.loudness_gain = None, 0
    assert lacks_of(video) == ()
    video.loudness, video.loudness_gain = -60.0, 20.0
    assert lacks_of(video) == ()


def test_peaks_are_measured_without_the_original(video, monkeypatch) -> None:
    video.sound_levels, video.source, video.loudness, video.loudness_gain = "", "", None, 0
    video.save()
    made = SoundLevels(rate=50, peaks=b"\x01", silences=(), duration=90.0, loudness=-22.0, true_peak=-3.0)
    monkeypatch.setattr(reprocessing.encode, "run", lambda *_, **__: 0)
    monkeypatch.setattr(reprocessing, "measure_levels", lambda *_: made)
    (lacking,) = find_lacking(["peaks"])
    assert (lacking.lacks, lacking.can_be_made) == (("peaks",), True)

    assert services.start_reprocessing(lacking)
    jobs.run_pending("media")

    video.refresh_from_db()
    assert (video.sound_levels, video.loudness, video.is_complete) == ("sound.json", -22.0, True)
    path = local_path("videos/a/b/sound.json")
    assert path is not None
    assert SoundLevels.from_json(path.read_text()) == made
    assert list(find_lacking(["peaks"])) == []
    assert [lacking.lacks for lacking in find_lacking()] == [("loudness",)]
    assert [lacking.can_be_made for lacking in find_lacking()] == [False]
    assert not services.start_reprocessing(next(iter(find_lacking())))


def test_measurements_of_former_contents_are_not_kept(video) -> None:
    services.measure_sound(video_id=video.pk, directory="videos/a/old", extend_lease=lambda: None)

    video.refresh_from_db()
    assert video.loudness == -20.0


def test_a_video_is_processed_again_from_the_same_original(video) -> None:
    version = video.version

    assert process_again(video_id=video.pk)

    video.refresh_from_db()
    assert (video.stage, video.is_playable, video.directory) == ("queued", True, "videos/a/b")
    assert video.version != version
    assert Job.objects.get(kind="files.process_video").priority < 0
    assert not process_again(video_id=video.pk)  # it is on its way


def test_a_failure_leaves_the_video_and_its_original_as_they_were(video, monkeypatch) -> None:
    before = {name: getattr(video, name) for name in ("source", "source_bytes", "directory", "duration", "version")}
    assert process_again(video_id=video.pk)

    def fail(*_: Any) -> None:
        raise ProcessingFailed("encoder")

    monkeypatch.setattr(processing, "_run_steps", fail)
    jobs.run_pending("media")
    jobs.run_pending("default")

    video.refresh_from_db()
    assert {name: getattr(video, name) for name in before} == before
    assert (video.stage, video.former) == ("complete", None)
    assert video.replacement_failure
    assert not BinnedOriginal.objects.exists()
    path = local_path(video.source)
    assert path is not None
    assert path.exists()


def test_a_video_deleted_meanwhile_has_its_original_once_in_the_bin(video) -> None:
    assert process_again(video_id=video.pk)

    services.discard_video(video_id=video.pk)

    assert BinnedOriginal.objects.get().source == "originals/a/b.mp4"


def test_the_command_lists_first_and_starts_then(video) -> None:
    video.sound_levels = ""
    video.save()
    told = io.StringIO()

    call_command("reprocess", "--missing", "--dry-run", stdout=told)

    assert f"{video.uid} {video.filename}: peaks" in told.getvalue()
    assert "Videos with missing parts: 1 (peaks 1)." in told.getvalue()
    assert not Job.objects.exists()
    call_command("reprocess", "--missing", "storyboard", stdout=told)
    assert not Job.objects.exists()
    call_command("reprocess", "--missing", "peaks", "--limit", "5", stdout=told)
    call_command("reprocess", "--missing", "peaks", stdout=told)  # a second time starts nothing more
    assert Job.objects.get().kind == "files.measure_sound"
    for arguments in (["--missing", "everything"], [], ["--missing", "--limit", "-1"]):
        with pytest.raises(CommandError):
            call_command("reprocess", *arguments, stdout=told)


def test_a_video_that_cannot_be_processed_says_why(video) -> None:
    told = io.StringIO()
    for changes, said in (
        ({"stage": "uploading"}, "still being uploaded"),
        ({"stage": "complete", "source": ""}, "original isn't stored"),
        ({"stage": "failed", "failure": "corrupt_file", "failure_detail": "It is damaged."}, "It is damaged"),
    ):
        VideoAsset.objects.filter(pk=video.pk).update(**{"failure": "", **changes})
        with pytest.raises(CommandError, match=said):
            call_command("process_video", str(video.uid), stdout=told)
    with pytest.raises(CommandError, match="no video"):
        call_command("process_video", "00000000-0000-4000-8000-000000000000", stdout=told)


@pytest.mark.media
@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_a_whole_video_is_made_again(ada, clip) -> None:
    video = services.import_video(owner=ada, path=clip("short.mp4"), now=timezone.now())
    told = io.StringIO()
    call_command("process_video", str(video.uid), "--here", stdout=told)
    jobs.run_pending("default")
    video.refresh_from_db()
    assert video.is_complete
    former, source = video.directory, video.source
    for name in ("storyboard.vtt", "sound.json"):
        path = local_path(f"{former}/{name}")
        assert path is not None
        path.unlink()
    assert [each.lacks for each in find_lacking()] == [("peaks", "storyboard")]

    call_command("reprocess", "--missing", *LACKS, stdout=told)
    jobs.run_pending("media")
    jobs.run_pending("default")

    video.refresh_from_db()
    assert (video.is_complete, video.former, video.replacement_failure) == (True, None, "")
    assert video.directory != former
    assert video.source == source
    assert list(find_lacking()) == []
    kept, gone = local_path(source), local_path(former)
    assert kept is not None
    assert gone is not None
    assert kept.read_bytes() == clip("short.mp4").read_bytes()
    assert not gone.exists()
    assert not BinnedOriginal.objects.exists()
