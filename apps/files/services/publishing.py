"""Publish the files that processing has produced: put them into storage and describe them in the database."""

import uuid
from collections.abc import Callable
from datetime import datetime
from fractions import Fraction

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.files.events import VideoCompleted, VideoPlayable
from apps.files.models import CaptionTrack, Rendition, VideoAsset
from apps.files.services.captions import language_name
from apps.files.services.originals import original_name
from apps.files.services.replacement import remove_former_version
from apps.files.services.videos import enqueue_removal
from apps.files.storage import files_under, put, put_tree, remove, sha256_of, upload_path, video_directory
from apps.files.video import pipeline
from apps.files.video.playlist import MEDIA
from apps.files.video.work import LEVELS_NAME, Published, Work
from studyplatform.kit import jobs
from studyplatform.kit.events import publish

MAX_COUNTED_TRACKS = 1000


class Superseded(Exception):
    """The video was deleted or got other contents in the meantime: this processing is no longer needed."""


def publish_video(
    video: VideoAsset, version: uuid.UUID, work: Work, extend_lease: Callable[[], None], *, is_final: bool
) -> None:
    """Store what has been encoded so far and make it playable. ``is_final``: all renditions are complete.

    :raises Superseded: ``version`` is no longer the video's version.
    """
    directory = video_directory(video.uid, version)
    published = pipeline.measure_published(work)
    put_tree(work.public, directory, extend_lease)
    if work.no_copy_marker.exists():
        _remove_superseded_segments(work, directory)
    with transaction.atomic():
        row = VideoAsset.objects.select_for_update().filter(pk=video.pk, version=version).first()
        if row is None:
            remove(directory)
            raise Superseded
        old = row.directory
        row.directory = directory
        row.is_playable = True
        row.stored_bytes = published.size
        row.poster = "poster.jpg"
        row.duration, row.width, row.height = published.duration, published.width, published.height
        row.has_audio = work.plan.has_sound
        row.picture_lost, row.sound_lost = published.picture_lost, published.sound_lost
        row.pictured_captions = min(work.probe.pictured_texts, MAX_COUNTED_TRACKS)
        levels = work.levels
        row.sound_levels = LEVELS_NAME if levels else ""
        row.loudness = levels.loudness if levels else None
        row.loudness_gain = work.loudness_gain
        remove_former_version(row)
        if is_final:
            row.stage = VideoAsset.Stage.COMPLETE
            row.step, row.percent = "", 100
            row.storyboard = "storyboard.vtt"
            row.completed_at = timezone.now()
        row.save()
        _replace_renditions(row, published)
        _save_embedded_captions(row, work, published, now=timezone.now())
        if old and old != directory:
            enqueue_removal(names=[old])
        if is_final:
            enqueue_removal(versions=[version])
            if row.cover_at is not None:
                jobs.enqueue("files.restore_cover", key=version.hex, video=row.pk, at=row.cover_at)
        publish(VideoCompleted(video_id=row.pk) if is_final else VideoPlayable(video_id=row.pk))


def store_source(video: VideoAsset, version: uuid.UUID, extend_lease: Callable[[], None]) -> None:
    """Move the original into storage if ``VIDEO_KEEP_ORIGINALS`` is set, so that it can be encoded again later.

    One that was restored from the bin is there already.

    :raises Superseded: ``version`` is no longer the video's version.
    """
    path = upload_path(version)
    if not settings.VIDEO_KEEP_ORIGINALS or video.source or not path.exists():
        return
    name = original_name(video.uid, version, video.filename)
    with path.open("rb") as file:
        digest = sha256_of(file, extend_lease)
    put(path, name, extend_lease)
    if not VideoAsset.objects.filter(pk=video.pk, version=version).update(source=name, source_sha256=digest):
        remove(name)
        raise Superseded


def _remove_superseded_segments(work: Work, directory: str) -> None:
    """A copy that was published before it proved damaged may have had more segments than the encoded rendition."""
    current = {f"{directory}/{file.relative_to(work.public).as_posix()}" for file in work.public.rglob("*")}
    for name in files_under(directory):
        if name not in current:
            remove(name)


def _replace_renditions(video: VideoAsset, published: Published) -> None:
    video.renditions.all().delete()
    Rendition.objects.bulk_create(
        Rendition(
            video=video,
            name=each.name,
            playlist=f"{each.name}/{MEDIA}",
            width=each.width,
            height=each.height,
            bandwidth=each.bandwidth,
            average_bandwidth=each.average_bandwidth,
            codecs=each.codecs,
            frame_rate=float(Fraction(each.frame_rate)) if each.frame_rate else 0,
            stored_bytes=each.size,
        )
        for each in published.renditions
    )


def _save_embedded_captions(video: VideoAsset, work: Work, published: Published, *, now: datetime) -> None:
    """Save the captions found in the file, except in languages for which the owner has uploaded captions."""
    CaptionTrack.objects.filter(video=video, origin=CaptionTrack.Origin.EMBEDDED).delete()
    languages = set(video.captions.values_list("language", flat=True))
    for caption in sorted(published.captions, key=lambda each: not each.is_default):
        language = caption.language or "und"
        if language in languages:
            continue
        languages.add(language)
        CaptionTrack.objects.create(
            video=video,
            language=language,
            label=caption.title[:60] or language_name(language),
            origin=CaptionTrack.Origin.EMBEDDED,
            webvtt=(work.public / caption.path).read_text(),
            source_format=caption.form,
            source_encoding=caption.encoding,
            findings=caption.findings,
            finding_counts=caption.counts,
            created_at=now,
        )
