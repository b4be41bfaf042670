"""Write a course with its media to an archive (docs/adr/0067)."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from apps.courses.content_tree import contents_of, lessons_of
from apps.courses.course_archive import TREE, ArchiveWriter
from apps.courses.errors import CourseChangedMeanwhile
from apps.courses.models import Course
from apps.courses.queries.content_tree import read_tree
from apps.files import services as files
from apps.files.models import Upload, VideoAsset

Progress = Callable[[int, int], None]
"""Called with the bytes that are done, and all of them."""


@dataclass
class Report:
    """What an export or import did, or would do. ``left_out``: what is not in it, in words."""

    title: str
    lessons: int = 0
    videos: int = 0
    uploads: int = 0
    total_bytes: int = 0
    left_out: list[str] = field(default_factory=list)
    course: Course | None = None


# --- Export ------------------------------------------------------------------------------------------


def export_course(
    *, course: Course, path: Path, now: datetime, progress: Progress = lambda *_: None, dry_run: bool = False
) -> Report:
    """Write a course with its media to an archive. A file of that name is replaced once the archive is complete.

    :raises CourseChangedMeanwhile: a file was replaced while it was read.
    """
    tree = read_tree(course)
    contents = contents_of(tree)
    report = Report(title=course.title, lessons=sum(1 for _ in lessons_of(tree)))
    videos = list(VideoAsset.objects.filter(uid__in=contents.videos).order_by("pk"))
    uploads = list(Upload.objects.filter(uid__in=contents.uploads, completed_at__isnull=False).order_by("pk"))
    report.left_out += [f"{video.filename}: {video.get_stage_display()}" for video in videos if not video.is_complete]
    report.left_out += [upload.filename for upload in uploads if upload.scan == Upload.Scan.INFECTED]
    videos = [video for video in videos if video.is_complete]
    uploads = [upload for upload in uploads if upload.scan != Upload.Scan.INFECTED]
    report.videos, report.uploads = len(videos), len(uploads)
    total = sum(video.source_bytes + video.stored_bytes for video in videos)
    total += sum(upload.length for upload in uploads)
    report.total_bytes = total
    if dry_run:
        return report
    part = path.with_name(f"{path.name}.part")
    try:
        writer = ArchiveWriter(part)
        try:
            _write(writer, tree, videos, uploads, lambda done: progress(done, total))
            names = {str(upload.uid): upload.filename for upload in uploads}
            writer.finish({"title": course.title, "written_at": now.isoformat(), "names": names})
        finally:
            with suppress(ValueError, OSError):
                writer.close()
        part.replace(path)
    except FileNotFoundError:
        raise CourseChangedMeanwhile from None
    finally:
        part.unlink(missing_ok=True)
    return report


def _write(
    writer: ArchiveWriter,
    tree: dict[str, Any],
    videos: Iterable[VideoAsset],
    uploads: Iterable[Upload],
    progress: Callable[[int], None],
) -> None:
    done = 0
    writer.add_json(TREE, tree)
    for upload in uploads:
        with files.open_archived_upload(upload) as source:
            done += writer.add(f"uploads/{upload.uid}", files.iterate_chunks(source))
        progress(done)
    for video in videos:
        writer.add_json(f"videos/{video.uid}.json", files.describe_video(video))
        for name, stored in files.video_files(video).items():
            with files.open_archived(stored) as source:
                done += writer.add(f"videos/{video.uid}/{name}", files.iterate_chunks(source))
            progress(done)
    described = [VideoAsset.objects.filter(pk=video.pk, version=video.version).exists() for video in videos]
    if not all(described):
        raise CourseChangedMeanwhile
