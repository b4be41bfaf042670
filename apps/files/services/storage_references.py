"""Which stored files the rows of the database refer to, for `storage_check`.

An app that stores files of its own under a new folder registers it with `register_source`; files under any other folder
are left alone.
"""

import re
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from django.db.models import Q, QuerySet

from apps.accounts.models import DataExport, User
from apps.files.models import BinnedOriginal, File, Upload, VideoAsset
from apps.files.services.originals import original_name
from apps.files.storage import video_directory
from studyplatform.kit.registry import Registry

Place = Literal["storage", "uploads", "work"]
Row = Mapping[str, Any]
FOLDERS = ["avatars", "exports", "files", "originals", "thumbnails", "videos"]
PROCESSED = {
    VideoAsset.Stage.QUEUED,
    VideoAsset.Stage.ANALYZING,
    VideoAsset.Stage.AUDIO,
    VideoAsset.Stage.FINALIZING,
}
BATCH = 1000


@dataclass(frozen=True, kw_only=True)
class Reference:
    """A file or directory that a row refers to.

    ``size``: its bytes, None if unknown; with ``may_grow`` it may be larger. Not ``required``: the row only says that
    it is no orphan. ``row``: the table and the key, for a person.
    """

    row: str
    place: Place
    name: str
    size: int | None = None
    may_grow: bool = False
    sha256: str = ""
    required: bool = True


@dataclass(frozen=True)
class Source:
    """Rows that refer to files. ``rows`` returns dictionaries with their ``pk``.

    ``about(name)`` selects at least the rows that may refer to a file or directory of this name, in any place.
    """

    name: str
    rows: Callable[[], QuerySet[Any, Any]]
    references: Callable[[str, Row], Iterable[Reference]]
    about: Callable[[str], Q]

    def read(self, pk: int | None = None) -> Iterator[Reference]:
        """The references of all rows, or of one."""
        yield from self._read(Q() if pk is None else Q(pk=pk))

    def read_about(self, place: Place, name: str) -> Iterator[Reference]:
        """The references to one file or directory."""
        for reference in self._read(self.about(name)):
            if (reference.place, reference.name) == (place, name):
                yield reference

    def _read(self, condition: Q) -> Iterator[Reference]:
        for row in self.rows().filter(condition).order_by("pk").iterator(chunk_size=BATCH):
            yield from self.references(f"{self.name} {row['pk']}", row)


def is_referenced(place: Place, name: str) -> bool:
    """Whether a row refers to this file or directory now."""
    return any(reference for source in SOURCES.values() for reference in source.read_about(place, name))


def _uploads() -> QuerySet[Any, Any]:
    return Upload.objects.values(
        "pk", "uid", "purpose", "length", "offset", "concat", "stored_as", "sha256", "completed_at",
        "part_of", "part_of__completed_at",
    )  # fmt: skip


def _uids_in(name: str) -> list[uuid.UUID]:
    """The uids that are parts of a name, without their ending."""
    parts = [part.partition(".")[0] for part in name.split("/")]
    return [uuid.UUID(part) for part in parts if re.fullmatch(r"[0-9a-f]{32}", part)]


def _about_upload(name: str) -> Q:
    return Q(stored_as=name) | Q(uid__in=_uids_in(name))


def _of_upload(row: str, upload: Row) -> Iterator[Reference]:
    local = upload["uid"].hex
    if upload["part_of"] is not None:
        if upload["part_of__completed_at"] is None:  # its bytes are on their way to the final upload
            yield Reference(row=row, place="uploads", name=local, required=False)
    elif upload["completed_at"] is None:  # a final upload gets the file of its first part
        is_there = upload["offset"] > 0 and not upload["concat"]
        yield Reference(row=row, place="uploads", name=local, size=upload["offset"], may_grow=True, required=is_there)
    elif upload["stored_as"]:
        yield Reference(
            row=row, place="storage", name=upload["stored_as"], size=upload["length"], sha256=upload["sha256"]
        )
    elif upload["purpose"] != Upload.Purpose.VIDEO:  # the row of the video says where its original is
        yield Reference(row=row, place="uploads", name=local, size=upload["length"], required=upload["length"] > 0)
        yield Reference(row=row, place="storage", name=f"files/{local}", required=False)


def _videos() -> QuerySet[Any, Any]:
    return VideoAsset.objects.values(
        "pk", "uid", "version", "filename", "source", "source_bytes", "stored_bytes", "former", "stage", "failure",
        "directory", "source_sha256",
    )  # fmt: skip


def _about_video(name: str) -> Q:
    uids = _uids_in(name)
    is_former = Q(former__source=name) | Q(former__version__in=[uid.hex for uid in uids])
    return Q(source=name) | Q(directory=name) | Q(version__in=uids) | is_former


def _of_video(row: str, video: Row) -> Iterator[Reference]:
    yield from _of_original(row, video["uid"], video)
    former = video["former"]
    if former is not None:
        version = uuid.UUID(former["version"]) if former["version"] else None
        yield from _of_original(row, video["uid"], {**former, "version": version})
    if video["directory"]:
        # While a video is processed, files are added before the row says so.
        is_final = video["stage"] == VideoAsset.Stage.COMPLETE and former is None
        size = video["stored_bytes"] if is_final else None
        yield Reference(row=row, place="storage", name=video["directory"], size=size)


def _of_original(row: str, video: uuid.UUID, state: Row) -> Iterator[Reference]:
    version = state["version"]
    if state["source"]:
        sha256 = state.get("source_sha256", "")
        yield Reference(row=row, place="storage", name=state["source"], size=state["source_bytes"], sha256=sha256)
    if version is None:
        return
    may_be_retried = state["failure"] == VideoAsset.Failure.PROCESSING
    is_here = not state["source"] and (state["stage"] in PROCESSED or may_be_retried)
    size = state["source_bytes"] if is_here else None
    yield Reference(row=row, place="uploads", name=version.hex, size=size, required=is_here)
    yield Reference(row=row, place="work", name=version.hex, required=False)
    yield Reference(row=row, place="storage", name=video_directory(video, version), required=False)
    if not state["source"]:  # it is put there before the row says so
        name = original_name(video, version, state["filename"])
        yield Reference(row=row, place="storage", name=name, required=False)


def _binned_originals() -> QuerySet[Any, Any]:
    return BinnedOriginal.objects.values("pk", "source", "size", "sha256")


def _of_binned_original(row: str, original: Row) -> Iterator[Reference]:
    sha256 = original["sha256"]
    yield Reference(row=row, place="storage", name=original["source"], size=original["size"], sha256=sha256)


def _thumbnails() -> QuerySet[Any, Any]:
    return File.objects.exclude(thumbnail="").values("pk", "thumbnail")


def _of_thumbnail(row: str, file: Row) -> Iterator[Reference]:
    yield Reference(row=row, place="storage", name=file["thumbnail"])


def _pictures() -> QuerySet[Any, Any]:
    return User.objects.exclude(avatar="").values("pk", "avatar")


def _of_picture(row: str, user: Row) -> Iterator[Reference]:
    yield Reference(row=row, place="storage", name=user["avatar"])


def _exports() -> QuerySet[Any, Any]:
    return DataExport.objects.exclude(file="").values("pk", "file", "size")


def _of_export(row: str, export: Row) -> Iterator[Reference]:
    yield Reference(row=row, place="storage", name=export["file"], size=export["size"])


SOURCES: Registry[Source] = Registry("rows that refer to stored files")
for _source in (
    Source("upload", _uploads, _of_upload, _about_upload),
    Source("video", _videos, _of_video, _about_video),
    Source("original", _binned_originals, _of_binned_original, lambda name: Q(source=name)),
    Source("file", _thumbnails, _of_thumbnail, lambda name: Q(thumbnail=name)),
    Source("user", _pictures, _of_picture, lambda name: Q(avatar=name)),
    Source("export", _exports, _of_export, lambda name: Q(file=name)),
):
    SOURCES.register(_source.name, _source)


def register_source(source: Source, *, folder: str) -> None:
    """Register an app's rows that refer to files in a folder of storage which only they use."""
    SOURCES.register(source.name, source)
    FOLDERS.append(folder)


def directory_of(place: Place, name: str) -> str:
    """What rows refer to: the version of a video and a processing folder as a whole, any other file by its name."""
    if place == "storage":
        return "/".join(name.split("/")[:3]) if name.startswith("videos/") else name
    return name.split("/")[0]
