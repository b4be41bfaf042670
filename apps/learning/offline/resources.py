"""The files of an offline lesson, and where a browser fetches them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from typing import Any
from uuid import UUID

from apps.accounts.guards import SessionKey
from apps.accounts.models import User
from apps.courses.models import CourseFile, Lesson, LessonDownload
from apps.files.models import VideoAsset
from apps.files.services import Sources, list_video_parts, sign_file, sign_link
from apps.learning.offline.localizing import OFFLINE_MEDIA, LocalFile
from apps.learning.queries.lessons import OpenLesson
from apps.learning.queries.storable_course import QUALITIES
from studyplatform.kit.text.content import COURSE_FILES

AUDIO = "audio"
OCTET_STREAM = "application/octet-stream"
_SHOWN_TYPES = {"application/pdf", "application/zip", "image/png", "image/jpeg", "image/gif", "image/webp"}
CAPTION_TYPE = "text/vtt; charset=utf-8"


def local_address(lesson: Lesson, name: str) -> str:
    """Return the address of a resource on the device."""
    return f"{OFFLINE_MEDIA}{lesson.uid}/{name}"


def resource_out(
    name: str, source: str, size: int | None, media_type: str, *, content: str, filename: str = ""
) -> dict[str, Any]:
    """Return the shape ``OfflineResource``."""
    return {
        "name": name,
        "source": source,
        "size": size,
        "media_type": media_type,
        "filename": filename,
        "content": content,
    }


# --- Videos ------------------------------------------------------------------------------------------


def choose_quality(existing: Collection[str], wanted: str) -> str | None:
    """Return the wanted quality, else the next lower one, else the lowest; None if there is none."""
    lower = [name for name in QUALITIES[QUALITIES.index(wanted) :] if name in existing]
    pictures = [name for name in QUALITIES if name in existing and name != AUDIO]
    if wanted != AUDIO and pictures and lower[:1] in ([], [AUDIO]):
        return pictures[-1]  # rather a larger picture than none
    return next(iter([*lower, *reversed(pictures)]), None)


@dataclass(frozen=True)
class VideoResources:
    """What plays a video on the device: its resources, and the shape ``SourcesOut`` with their addresses there."""

    quality: str
    resources: list[dict[str, Any]]
    sources: dict[str, Any]


def video_resources(
    opened: OpenLesson, wanted: str, *, session_key: SessionKey, expires_at: datetime, now: datetime
) -> VideoResources | None:
    """Return the resources of the lesson's video; None if it can't be stored now."""
    lesson, video = opened.lesson, opened.lesson.video
    if video is None:
        return None
    quality = choose_quality(set(video.renditions.values_list("name", flat=True)), wanted)
    if quality is None:
        return None
    parts = list_video_parts(video, quality)
    signed = sign_link(video=video, now=now, audience=session_key, captions=opened.known.tracks)
    if parts is None or signed is None:
        return None
    base = signed.master.rpartition("/")[0]
    resources = [
        resource_out(part.name, f"{base}/{part.name}", part.size, part.media_type, content=video.directory)
        for part in parts
    ]
    for track in opened.known.tracks:
        name, text = f"captions/{track.uid.hex}.vtt", track.webvtt.encode()
        digest = sha256(text).hexdigest()
        resources.append(resource_out(name, f"{base}/{name}", len(text), CAPTION_TYPE, content=digest))
    stored = {resource["name"] for resource in resources}
    return VideoResources(quality, resources, _sources_on_device(lesson, video, quality, signed, stored, expires_at))


def _sources_on_device(
    lesson: Lesson, video: VideoAsset, quality: str, signed: Sources, stored: set[str], expires_at: datetime
) -> dict[str, Any]:
    playlist = local_address(lesson, f"{quality}/index.m3u8")
    sound = playlist if quality == AUDIO else None
    return {
        "master": playlist,
        "audio": sound,
        "sound": sound,
        "poster": local_address(lesson, video.poster) if video.poster in stored else None,
        "storyboard": local_address(lesson, video.storyboard) if video.storyboard in stored else None,
        "captions": [
            {
                "language": track.language,
                "label": track.label,
                "url": local_address(lesson, f"captions/{track.url.rpartition('/')[2]}"),
            }
            for track in signed.captions
        ],
        "expires_at": expires_at,
    }


# --- Files -------------------------------------------------------------------------------------------


def safe_type(media_type: str) -> str:
    """Return the media type of an uploaded file; that of unknown bytes for one that browsers could run as a page."""
    return media_type if media_type in _SHOWN_TYPES or media_type.startswith(("audio/", "video/")) else OCTET_STREAM


def lesson_file_name(lesson: Lesson) -> str:
    """Return the name of the resource that is the file of a file lesson."""
    return f"file/{lesson.uid.hex}"


def lesson_file_resource(lesson: Lesson, user: User, *, session_key: SessionKey, now: datetime) -> dict[str, Any]:
    """Return what a file lesson hands out."""
    file, filename = lesson.file, lesson.shown_file_name
    if file is None:
        raise LookupError("the lesson has no file")
    source = sign_file(upload=file, name=filename, now=now, audience=session_key, user=user)
    kind = safe_type(file.media_type)
    return resource_out(lesson_file_name(lesson), source, file.length, kind, content=file.uid.hex, filename=filename)


def local_files(
    lesson: Lesson, files: Iterable[CourseFile], downloads: Iterable[LessonDownload]
) -> dict[UUID, LocalFile]:
    """Return where a device has these course files. Downloads have the names that their lesson gives them."""
    names = {download.file.uid: download.name for download in downloads}
    return {
        file.uid: LocalFile(local_address(lesson, f"files/{file.uid.hex}"), names.get(file.uid, file.name))
        for file in files
    }


def course_file_resources(
    files: Iterable[CourseFile], local: Mapping[UUID, LocalFile], pictures: Mapping[UUID, str]
) -> list[dict[str, Any]]:
    """Return the course files of a lesson. ``pictures``: those that the page shows, by the address that it loads."""
    found = []
    for file in files:
        name = f"files/{file.uid.hex}"
        source = pictures.get(file.uid, f"{COURSE_FILES}{file.uid}")
        size = None if file.is_picture else file.upload.length  # pictures are sent as renditions, without metadata
        is_rendition = file.is_rendered and "?width=" in source
        kind = "image/webp" if is_rendition else safe_type(file.media_type)
        content = file.uid.hex + (source.rpartition("?")[2] if is_rendition else "")
        filename = "" if file.uid in pictures else local[file.uid].filename
        found.append(resource_out(name, source, size, kind, content=content, filename=filename))
    return found
