"""The files of a course: for the studio, for the texts that show them, and for those who open them."""

from collections.abc import Collection, Mapping
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet

from apps.courses.models import Course, CourseFile, CourseFileUse, LessonDownload
from apps.courses.models.file import rendition_name, widths_up_to
from studyplatform.kit.caching.lru import LruCache
from studyplatform.kit.text.picture_rules import PictureFacts

# What an upload is never changes, and neither do the addresses of its renditions.
_facts: LruCache[tuple[PictureFacts | None]] = LruCache(20_000)


def files_of(course: Course, *, text: str = "") -> QuerySet[CourseFile]:
    """Return the files of the course, last added first; with ``text``, those whose name contains it."""
    found = CourseFile.objects.filter(course=course).order_by("-added_at", "-pk")
    return found.filter(name__folded_contains=text.strip()) if text.strip() else found


def pictures_of(uids: Collection[UUID]) -> Mapping[UUID, PictureFacts | None]:
    """Return the size of each of these files that exists; None of one that is no picture. At most one query."""
    found = {uid: known[0] for uid in uids if (known := _facts.get(uid)) is not None}
    unknown = set(uids) - found.keys()
    if unknown:
        rows = CourseFile.objects.filter(uid__in=unknown).values_list("uid", "width", "height", "rendition_width")
        for uid, width, height, largest in rows:
            facts = PictureFacts(width, height, tuple(widths_up_to(largest))) if width and height else None
            found[uid] = _facts.put(uid, (facts,))[0]
    return found


def handed_out_uses() -> QuerySet[CourseFileUse]:
    """Return the uses of files that readers take away, not see on the page: downloads, and links that texts have now.

    A picture is among them only where it is offered as a download.
    """
    offered = LessonDownload.objects.filter(lesson=OuterRef("lesson"), file=OuterRef("file"))
    return CourseFileUse.objects.filter(Q(file__width=None) | Exists(offered), ended_at=None)


def rendition_for(file: CourseFile, width: str) -> str:
    """Return the name in storage of the rendition of this width in pixels; "" if there is none."""
    is_made = file.is_rendered and width.isascii() and width.isdigit() and len(width) <= 5
    return rendition_name(file.uid, int(width)) if is_made and int(width) in file.widths else ""


def course_file_out(file: CourseFile) -> dict[str, Any]:
    """Return the shape ``CourseFileOut``."""
    return {
        "uid": str(file.uid),
        "name": file.name,
        "href": file.address,
        "media_type": file.media_type,
        "is_picture": file.is_picture,
        "width": file.width,
        "height": file.height,
        "length": file.upload.length,
        "added_at": file.added_at,
    }
