"""Uploads and videos as an archive carries them: described as plain values, stored again from streams.

An import registers first what it is going to store (`Arrival`). If its process is killed, a job removes the files.
"""

import re
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path, PurePath
from typing import IO, Any

from django.conf import settings
from django.db import transaction
from django.db.models import Model
from django.utils import timezone

from apps.accounts.models import User
from apps.files import scanner
from apps.files.file_types import HEAD_BYTES, clean_name, detect_media_type
from apps.files.models import CaptionTrack, Rendition, Upload, VideoAsset
from apps.files.services.captions import read_captions
from apps.files.services.originals import original_name
from apps.files.services.videos import enqueue_scan
from apps.files.storage import (
    files_under,
    free_space,
    kept_name,
    open_stored,
    open_unchecked,
    put,
    remove,
    require_free_space,
    video_directory,
    work_folder,
)
from studyplatform.kit import jobs
from studyplatform.kit.models import Job

CHUNK_BYTES = 1 << 20
ABANDONED_AFTER = timedelta(hours=2)
#: The published files of a video, as `pages.media` hands them out, and what was measured of its sound.
PUBLISHED_NAME = re.compile(
    r"master\.m3u8|poster\.jpg|cover-[0-9a-f]{12}\.jpg|sound\.json|storyboard\.vtt|storyboard-\d{1,4}\.jpg|captions/\d{1,3}\.vtt|"
    r"(?:1080p|720p|480p|audio)/(?:index\.m3u8|init\.mp4|\d{5,6}\.m4s)",
    re.ASCII,
)
_URI = re.compile(r'URI="([^"]*)"')
VIDEO_COLUMNS = (
    "filename", "source_bytes", "source_sha256", "duration", "width", "height", "has_audio", "picture_lost",
    "sound_lost", "pictured_captions", "facts", "poster", "cover_at", "storyboard", "sound_levels",
    "loudness", "loudness_gain",
)  # fmt: skip
RENDITION_COLUMNS = (
    "name", "playlist", "width", "height", "bandwidth", "average_bandwidth", "codecs", "frame_rate", "stored_bytes",
)  # fmt: skip
CAPTION_COLUMNS = (
    "language", "label", "origin", "webvtt", "source_format", "source_encoding", "findings", "finding_counts",
)  # fmt: skip


def describe_video(video: VideoAsset) -> dict[str, Any]:
    """What an archive says of a complete video beside its files."""
    return {
        **{name: getattr(video, name) for name in VIDEO_COLUMNS},
        "renditions": [
            {name: getattr(row, name) for name in RENDITION_COLUMNS} for row in video.renditions.order_by("name")
        ],
        "captions": [
            {name: getattr(row, name) for name in CAPTION_COLUMNS} for row in video.captions.order_by("language")
        ],
    }


def video_files(video: VideoAsset) -> dict[str, str]:
    """The files of a video: names within an archive, and in storage."""
    found = {"original": video.source} if video.source else {}
    for stored in sorted(files_under(video.directory)) if video.directory else ():
        name = stored[len(video.directory) + 1 :]
        if PUBLISHED_NAME.fullmatch(name):
            found[f"public/{name}"] = stored
    return found


def open_archived(stored: str) -> IO[bytes]:
    """Open a stored file for an archive.

    :raises FileNotFoundError: it is gone.
    """
    return open_stored(stored)


def open_archived_upload(upload: Upload) -> IO[bytes]:
    """Open a complete upload for an archive.

    :raises FileNotFoundError: it is gone.
    """
    return open_unchecked(upload)


def is_foreign_playlist(text: bytes) -> bool:
    """Whether a playlist names anything but segments beside it."""
    for line in text.decode("utf-8", "replace").splitlines():
        named = _URI.findall(line) if line.startswith("#") else [line.strip()] if line.strip() else []
        if any(not re.fullmatch(r"(?:\w{1,8}/)?[\w-]{1,20}\.(?:m4s|mp4|m3u8)", each, re.ASCII) for each in named):
            return True
    return False


@dataclass
class Arrival:
    """Files that are being stored and that no row has yet. Use it as a context; `settle` keeps them.

    ``needed``: bytes on this disk.
    """

    needed: int
    folder_id: uuid.UUID = field(default_factory=uuid.uuid4)
    names: list[str] = field(default_factory=list)
    _job: Job | None = None

    def __enter__(self) -> "Arrival":
        require_free_space(Path(settings.WORK_ROOT), self.needed)
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        if self._job is not None and Job.objects.filter(pk=self._job.pk, state=Job.State.QUEUED).delete()[0]:
            for name in self.names:
                remove(name)

    @property
    def folder(self) -> Path:
        return work_folder(self.folder_id)

    def expect(self, *names: str) -> None:
        """Register files or directories before they are stored: what a killed import leaves is removed later."""
        self.names += names
        if self._job is not None:
            Job.objects.filter(pk=self._job.pk).delete()
        self._job = jobs.enqueue(
            "files.remove_arrival",
            key=self.folder_id.hex,
            delay=ABANDONED_AFTER,
            folder=self.folder_id.hex,
            names=self.names,
        )

    def extend(self) -> None:
        """Say that the import goes on."""
        if self._job is not None and self._job.run_at - timezone.now() < ABANDONED_AFTER / 2:
            self._job.run_at = timezone.now() + ABANDONED_AFTER
            Job.objects.filter(pk=self._job.pk, state=Job.State.QUEUED).update(run_at=self._job.run_at)

    def store(self, source: IO[bytes], name: str) -> None:
        """Store a stream under a registered name; memory does not grow with it."""
        self.folder.mkdir(parents=True, exist_ok=True)
        temporary = self.folder / "arriving"
        with temporary.open("wb") as target:
            for data in iterate_chunks(source):
                target.write(data)
                self.extend()
        put(temporary, name, self.extend)
        temporary.unlink(missing_ok=True)
        if free_space(Path(settings.WORK_ROOT)) < 0:
            require_free_space(Path(settings.WORK_ROOT), 1)

    def settle(self) -> None:
        """Keep the files: call it in the transaction that makes rows of them.

        :raises RuntimeError: they were given up meanwhile.
        """
        if self._job is None:
            return
        if not Job.objects.filter(pk=self._job.pk, state=Job.State.QUEUED).delete()[0]:
            raise RuntimeError("the arriving files were removed, because the import stood still for hours")


def remove_arrival(*, folder: str, names: list[str], extend_lease: Callable[[], None]) -> None:
    """Remove what an import that was killed has stored."""
    shutil.rmtree(work_folder(uuid.UUID(folder)), ignore_errors=True)
    for name in names:
        remove(name, extend_lease)


@dataclass(frozen=True)
class ArrivingVideo:
    """A video of an archive with the place that its files get. ``described``: as `describe_video`."""

    described: Mapping[str, Any]
    has_original: bool
    uid: uuid.UUID = field(default_factory=uuid.uuid4)
    version: uuid.UUID = field(default_factory=uuid.uuid4)

    @property
    def directory(self) -> str:
        return video_directory(self.uid, self.version)

    @property
    def original(self) -> str:
        return original_name(self.uid, self.version, PurePath(str(self.described["filename"])).name)

    @property
    def names(self) -> list[str]:
        return [self.directory, *([self.original] if self.has_original else [])]

    def name_of(self, archived: str) -> str:
        """Where a file of `video_files` is stored."""
        return self.original if archived == "original" else f"{self.directory}/{archived.removeprefix('public/')}"


def settle_video(*, arriving: ArrivingVideo, owner: User, stored_bytes: int, now: datetime) -> VideoAsset:
    """Make the rows of a video whose files are stored, in the caller's transaction."""
    described = arriving.described
    video = VideoAsset(
        uid=arriving.uid,
        owner=owner,
        version=arriving.version,
        stage=VideoAsset.Stage.COMPLETE,
        percent=100,
        is_playable=True,
        directory=arriving.directory,
        source=arriving.original if arriving.has_original else "",
        stored_bytes=stored_bytes,
        created_at=now,
        completed_at=now,
        **{name: described[name] for name in VIDEO_COLUMNS},
    )
    video.filename = clean_name(video.filename)
    if not arriving.has_original:
        video.source_bytes, video.source_sha256 = 0, ""
    _check_filled(video)
    video.save()
    for row in described["renditions"]:
        rendition = Rendition(video=video, **{name: row[name] for name in RENDITION_COLUMNS})
        _check_filled(rendition)
        rendition.save()
    for row in described["captions"]:
        track = CaptionTrack(video=video, created_at=now, **{name: row[name] for name in CAPTION_COLUMNS})
        _check_filled(track)
        track.save()
    return video


def _check_filled(row: Model) -> None:
    """Check the values of a row, except for empty ones and references.

    :raises ValidationError: one is not what its column holds.
    """
    columns = row._meta.concrete_fields  # noqa: SLF001 (public by Django's documentation)
    empty: tuple[object, ...] = ("", None, [], {})
    row.clean_fields(
        exclude=[each.name for each in columns if each.is_relation or each.value_from_object(row) in empty]
    )


def checked_captions(webvtt: str) -> str:
    """Captions of an archive, read like a file that an author uploads.

    :raises CaptionsUnreadable: they are no captions.
    """
    return read_captions(webvtt.encode(), encoding="utf-8").webvtt


def settle_upload(*, uid: uuid.UUID, owner: User, filename: str, length: int, sha256: str, now: datetime) -> Upload:
    """Make the row of an upload whose content is stored as `kept_name`, in the caller's transaction.

    :raises FileUnsuitable, FileMisnamed: it may not be offered to others.
    """
    upload = Upload(
        uid=uid,
        owner=owner,
        purpose=Upload.Purpose.FILE,
        filename=clean_name(filename),
        length=length,
        offset=length,
        stored_as=kept_name(uid),
        sha256=sha256,
        created_at=now,
        expires_at=now,
        completed_at=now,
    )
    with open_stored(upload.stored_as) as file:
        upload.media_type = detect_media_type(file.read(HEAD_BYTES), upload.filename)
    if scanner.is_enabled():
        upload.scan = Upload.Scan.PENDING
    upload.save()
    if scanner.is_enabled():
        transaction.on_commit(lambda: enqueue_scan(upload.uid))
    return upload


def iterate_chunks(source: IO[bytes]) -> Iterator[bytes]:
    """Read a stream in chunks."""
    while data := source.read(CHUNK_BYTES):
        yield data
