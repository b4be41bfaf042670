"""The downloads of a lesson."""

from typing import Any

from apps.courses.models import Lesson, LessonDownload


def downloads_of(lesson: Lesson) -> list[LessonDownload]:
    """Return the downloads in their order, with their files and uploads. One query."""
    return list(lesson.downloads.select_related("file__upload").order_by("position"))


def download_out(download: LessonDownload) -> dict[str, Any]:
    """Return the shape ``DownloadOut``."""
    return {
        "uid": str(download.uid),
        "name": download.name,
        "file_name": download.file.name,
        "media_type": download.file.media_type,
        "size": download.file.upload.length,
        "url": download.file.address,
    }
