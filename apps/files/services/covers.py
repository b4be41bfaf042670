"""The cover of a video: a frame that its author has chosen, else the one that processing has found."""

import math
import shutil
from pathlib import Path
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from apps.accounts.models import User
from apps.files import errors, policies
from apps.files.models import VideoAsset
from apps.files.storage import open_stored, put, remove, work_folder
from apps.files.video import encode
from apps.files.video.binaries import find_ffmpeg
from apps.files.video.failures import VideoFailure
from apps.files.video.recipe import Recipe
from apps.files.video.renditions import cover_arguments
from apps.files.video.speech_pieces import parse_segments
from studyplatform.kit.concurrency import ConcurrencyLimit
from studyplatform.kit.policies import enforce

AUTOMATIC_COVER = "poster.jpg"
_cutting = ConcurrencyLimit(2)  # each decodes a few seconds of film
MIN_SECONDS_FROM_END = 0.1


def choose_cover(*, video: VideoAsset, by: User, at: float | None) -> VideoAsset:
    """Show a frame of the film as its cover.

    :param at: the second of the frame; None shows the one that processing has found
    :raises CoverNotThere: the video has no such second, or cannot be played yet.
    :raises RateLimitExceeded: too many covers are being made at the moment.
    """
    enforce(policies.choose_cover(by, video))
    if not video.is_playable or not video.directory:
        raise errors.CoverNotThere
    if at is None:
        return _save(video, AUTOMATIC_COVER, None)
    if not math.isfinite(at) or not 0 <= at <= video.duration:
        raise errors.CoverNotThere
    name = f"cover-{uuid4().hex[:12]}.jpg"  # browsers keep files under their names
    stored = f"{video.directory}/{name}"
    with _cutting.slot():
        _cut(video, min(at, max(0.0, video.duration - MIN_SECONDS_FROM_END)), stored)
    try:
        return _save(video, name, at)
    except BaseException:
        remove(stored)
        raise


def _save(video: VideoAsset, name: str, at: float | None) -> VideoAsset:
    with transaction.atomic():
        row = VideoAsset.objects.select_for_update().filter(pk=video.pk, directory=video.directory).first()
        if row is None:  # replaced or deleted meanwhile
            raise errors.CoverNotThere
        former = f"{row.directory}/{row.poster}"
        is_chosen = row.poster not in ("", AUTOMATIC_COVER)
        row.poster, row.cover_at = name, at
        row.save(update_fields=["poster", "cover_at", "updated_at"])
        if is_chosen:
            transaction.on_commit(lambda: remove(former))
    return row


def _cut(video: VideoAsset, at: float, stored: str) -> None:
    """Store the frame of a second. Only the segment that has it is read, of the largest rendition."""
    top = video.renditions.exclude(name="audio").order_by("-width", "-bandwidth").first()
    if top is None:
        raise errors.CoverNotThere
    folder = work_folder(uuid4())
    folder.mkdir(parents=True)
    try:
        whole, picture = folder / "part.mp4", folder / "cover.jpg"
        begin = _fetch_segment(f"{video.directory}/{top.name}", at, whole)
        for second in (at - begin, at - begin - 0.5, 0.0):  # after the last frame there is none
            encode.run(
                cover_arguments(whole, max(0.0, second), picture, Recipe(threads=1)),
                ffmpeg=find_ffmpeg(settings.FFMPEG),
                folder=folder,
                seconds=1,
                recipe=Recipe(stall=20),
                report=lambda _: None,
            )
            if picture.exists() and picture.stat().st_size:
                break
        if not picture.exists() or not picture.stat().st_size:
            raise errors.CoverNotThere
        put(picture, stored)
    except (FileNotFoundError, VideoFailure):
        raise errors.CoverNotThere from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _fetch_segment(directory: str, at: float, target: Path) -> float:
    """Fetch the segment that has a second; return when it begins.

    :raises FileNotFoundError: there is none.
    """
    with open_stored(f"{directory}/index.m3u8") as playlist:
        segments = parse_segments(playlist.read().decode())
    if not segments:
        raise FileNotFoundError(directory)
    name, begin, _ = next((each for each in segments if each[1] <= at < each[2]), segments[-1])
    with target.open("wb") as whole:
        for each in ("init.mp4", name):
            with open_stored(f"{directory}/{each}") as part:
                shutil.copyfileobj(part, whole, 1 << 20)
    return begin


def restore_cover(*, video_id: int, at: float) -> None:
    """Choose the same second again after the contents were processed again, if the video still has it."""
    video = VideoAsset.objects.select_related("owner").filter(pk=video_id, is_playable=True).first()
    if video is not None and at <= video.duration and video.poster == AUTOMATIC_COVER:
        choose_cover(video=video, by=video.owner, at=at)
