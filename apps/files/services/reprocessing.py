"""Give complete videos what this release makes and an earlier one did not, or what was lost."""

import shutil
import uuid
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction

from apps.files.models import VideoAsset
from apps.files.services.replacement import save_former_version
from apps.files.services.videos import enqueue_processing
from apps.files.storage import audio_segments, files_under, open_stored, put, work_folder
from apps.files.video import encode
from apps.files.video.binaries import find_ffmpeg
from apps.files.video.recipe import Recipe
from apps.files.video.renditions import measure_encoded_arguments
from apps.files.video.sound_levels import measure_levels
from apps.files.video.work import LEVELS_NAME
from studyplatform.kit import jobs

#: What a video can lack. Only the peaks come from what is encoded already; all else needs the original.
LACKS = ("peaks", "loudness", "poster", "storyboard", "renditions")
LOW_PRIORITY = -10  # what authors upload goes first
BATCH = 200


@dataclass(frozen=True)
class Lacking:
    """A complete video that lacks something. ``can_be_made``: whether what that needs is stored."""

    video: VideoAsset
    lacks: tuple[str, ...]

    @property
    def needs_original(self) -> bool:
        return self.lacks != ("peaks",)

    @property
    def can_be_made(self) -> bool:
        return bool(self.video.source) or not self.needs_original


def find_lacking(kinds: Collection[str] = LACKS) -> Iterator[Lacking]:
    """Complete videos that lack something of these kinds, the oldest first."""
    complete = VideoAsset.objects.filter(stage=VideoAsset.Stage.COMPLETE).prefetch_related("renditions")
    for video in complete.order_by("pk").iterator(chunk_size=BATCH):
        lacks = tuple(kind for kind in lacks_of(video) if kind in kinds)
        if lacks:
            yield Lacking(video, lacks)


def lacks_of(video: VideoAsset) -> tuple[str, ...]:
    """What a complete video lacks, of `LACKS`."""
    stored = {name[len(video.directory) + 1 :] for name in files_under(video.directory)} if video.directory else set()
    playlists = [row.playlist for row in video.renditions.all()]
    names = {row.name for row in video.renditions.all()}
    found = {
        "peaks": video.has_audio and video.sound_levels not in stored,
        "loudness": video.has_audio and _is_off(video),
        "poster": video.poster not in stored,
        "storyboard": video.storyboard not in stored,
        "renditions": not names - {"audio"}
        or any(playlist not in stored for playlist in playlists)
        or (video.has_audio and "audio" not in names)
        or "master.m3u8" not in stored,
    }
    return tuple(kind for kind in LACKS if found[kind])


def _is_off(video: VideoAsset) -> bool:
    """Whether the sound of a video that was measured should be louder or quieter than it is."""
    if settings.VIDEO_LOUDNESS is None or video.loudness is None:
        return False
    recipe = Recipe()
    wanted = min(settings.VIDEO_LOUDNESS - video.loudness, recipe.most_gain)
    return abs(wanted - video.loudness_gain) > recipe.loudness_tolerance + 0.01


def start_reprocessing(lacking: Lacking) -> bool:
    """Start a job that makes what a video lacks; return whether it was started. The video stays playable meanwhile."""
    if not lacking.can_be_made:
        return False
    if not lacking.needs_original:
        video = lacking.video
        jobs.enqueue(
            "files.measure_sound",
            key=f"{video.pk} {video.directory[-32:]}",
            priority=LOW_PRIORITY,
            video=video.pk,
            directory=video.directory,
        )
        return True
    return process_again(video_id=lacking.video.pk)


def process_again(*, video_id: int, priority: int = LOW_PRIORITY) -> bool:
    """Process a complete video again from its original; return whether that can be done.

    It is a replacement by the same contents: the video stays as it is until all are processed, also if they fail.
    """
    with transaction.atomic():
        video = VideoAsset.objects.select_for_update().filter(pk=video_id).first()
        if video is None or not video.is_complete or not video.source or video.former is not None:
            return False
        save_former_version(video)
        video.version = uuid.uuid4()
        video.stage, video.percent, video.step = VideoAsset.Stage.QUEUED, 0, ""
        video.save()
        enqueue_processing(video, priority=priority)
    return True


def measure_sound(*, video_id: int, directory: str, extend_lease: Callable[[], None]) -> None:
    """Measure the encoded sound of a video, unless its contents were replaced meanwhile. Idempotent."""
    video = VideoAsset.objects.filter(pk=video_id, directory=directory, has_audio=True).first()
    if video is None:
        return
    folder = work_folder(uuid.uuid5(video.uid, f"levels {directory}"))
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    try:
        sound, samples, loudness = folder / "sound.mp4", folder / "samples", folder / "loudness"
        with sound.open("wb") as target:
            for name in audio_segments(directory):
                with open_stored(name) as part:
                    shutil.copyfileobj(part, target, 1 << 20)
                extend_lease()
        encode.run(
            measure_encoded_arguments(sound, video.duration, samples, loudness),
            ffmpeg=find_ffmpeg(settings.FFMPEG),
            folder=folder,
            seconds=video.duration,
            recipe=Recipe(),
            report=lambda _: extend_lease(),
        )
        levels = measure_levels(samples, loudness, video.duration)
        measured = folder / LEVELS_NAME
        measured.write_text(levels.to_json())
        put(measured, f"{directory}/{LEVELS_NAME}", extend_lease)
        size = measured.stat().st_size
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    with transaction.atomic():
        row = VideoAsset.objects.select_for_update().filter(pk=video_id, directory=directory).first()
        if row is None:
            return
        if not row.sound_levels:
            row.stored_bytes += size
            # What was encoded is the original plus the gain, which was none before there were any.
            row.loudness = None if levels.loudness is None else round(levels.loudness - row.loudness_gain, 2)
        row.sound_levels = LEVELS_NAME
        row.save(update_fields=["sound_levels", "stored_bytes", "loudness", "updated_at"])
