"""A user's storage: each video and file, and where it is used."""

from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.db.models import CharField, F, QuerySet, Value
from django.db.models.expressions import Combinable

from apps.accounts.models import User
from apps.courses.models import Lesson
from apps.courses.queries.file_uses import use_of_lesson
from apps.files import services as files
from apps.files.models import BinnedOriginal, File, FileVersion, Upload, VideoAsset
from apps.files.services import Use

VIDEO, FILE, ORIGINAL = "video", "file", "original"
ENDED = {VideoAsset.Stage.COMPLETE, VideoAsset.Stage.FAILED}


MOST = 200  # that the page of the storage lists


@dataclass
class StoredItem:
    """A video, a file, an unfinished upload, or an original in the bin. ``size``: bytes that it uses or reserves."""

    kind: str
    uid: UUID
    name: str
    size: int
    video: VideoAsset | None = None
    upload: Upload | None = None
    original: BinnedOriginal | None = None
    uses: list[Use] = field(default_factory=list)
    """Without those in the library."""
    files: list[File] = field(default_factory=list)
    """The files of the library with this content."""

    @property
    def is_uploading(self) -> bool:
        return self.upload is not None and self.upload.is_reserving

    @property
    def is_processing(self) -> bool:
        return self.video is not None and self.video.stage not in ENDED


def largest_first(user_id: int) -> list[tuple[str, int, int]]:
    """Return the `MOST` largest things that count toward the user's storage as (kind, primary key, bytes), in order.

    A page of it is the input of ``stored_items``. A video that is still being uploaded appears as its upload. One
    query.
    """
    videos = VideoAsset.objects.of(user_id).exclude(stage=VideoAsset.Stage.UPLOADING, version=None)
    uploads = Upload.objects.of(user_id).reserving() | Upload.objects.of(user_id).filter(purpose=Upload.Purpose.FILE)
    originals = BinnedOriginal.objects.filter(owner=user_id)
    found = _largest(VIDEO, videos, F("source_bytes") + F("former_bytes")).union(
        _largest(FILE, uploads, F("length")), _largest(ORIGINAL, originals, F("size")), all=True
    )
    return list(found.order_by("-bytes", "-pk", "which")[:MOST])


def _largest(kind: str, rows: QuerySet[Any], size: Combinable) -> QuerySet[Any, tuple[str, int, int]]:
    rows = rows.order_by().annotate(bytes=size)
    # The limit in a subquery: SQLite has none in the parts of a union.
    largest = rows.order_by("-bytes", "-pk").values("pk")[:MOST]
    named = rows.annotate(which=Value(kind, CharField())).filter(pk__in=largest)
    found: QuerySet[Any, tuple[str, int, int]] = named.values_list("which", "pk", "bytes")
    return found


def stored_items(rows: list[tuple[str, int, int]], viewer: User) -> list[StoredItem]:
    """Return the items of a page of ``largest_first``. The same queries for any number."""
    videos = VideoAsset.objects.defer("facts").in_bulk([pk for kind, pk, _ in rows if kind == VIDEO])
    uploads = Upload.objects.in_bulk([pk for kind, pk, _ in rows if kind == FILE])
    originals = BinnedOriginal.objects.in_bulk([pk for kind, pk, _ in rows if kind == ORIGINAL])
    found: dict[tuple[str, int], StoredItem] = {}
    for kind, pk, size in rows:
        if kind == ORIGINAL:
            if (original := originals.get(pk)) is not None:
                found[kind, pk] = StoredItem(kind, original.uid, original.filename, size, original=original)
            continue
        thing: VideoAsset | Upload | None = videos.get(pk) if kind == VIDEO else uploads.get(pk)
        if isinstance(thing, VideoAsset):
            found[kind, pk] = StoredItem(kind, thing.uid, thing.filename, size, video=thing)
        elif thing is not None:
            found[kind, pk] = StoredItem(kind, thing.uid, thing.filename, size, upload=thing)
    shown = Lesson.objects.filter(video__in=videos).select_related("course").defer("body")
    for lesson in shown.order_by("course__title", "section__position", "position"):
        found[VIDEO, lesson.video_id or 0].uses.append(use_of_lesson(lesson, viewer))
    for pk, uses in files.uses_of(uploads, viewer).items():
        found[FILE, pk].uses.extend(uses)
    for version in FileVersion.objects.filter(upload__in=uploads).select_related("file").order_by("file__sort_name"):
        if version.file not in (item := found[FILE, version.upload_id]).files:
            item.files.append(version.file)
    return list(found.values())
