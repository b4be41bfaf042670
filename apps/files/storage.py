"""Where files lie: Django's default storage for what is kept, local folders for what is on its way.

The default storage is a folder of this machine or a bucket elsewhere; only this module and streaming.py know which.
"""

import contextlib
import mimetypes
import os
import shutil
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, cast

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage

from apps.files.bucket import Bucket, Facts
from studyplatform.kit.errors import StoreFull

ANYTHING = "application/octet-stream"
TYPES = {
    ".m3u8": "application/vnd.apple.mpegurl",
    ".m4s": "video/iso.segment",
    ".mp4": "video/mp4",
    ".vtt": "text/vtt; charset=utf-8",
    ".jpg": "image/jpeg",
}


def type_of(name: str) -> str:
    """The media type of a file that we made, by its name."""
    suffix = name[name.rfind(".") :].lower()
    return TYPES.get(suffix) or mimetypes.guess_type(name)[0] or ANYTHING


def local_path(name: str) -> Path | None:
    """The file of that name on this machine, or None if the storage is elsewhere."""
    return Path(default_storage.path(name)) if isinstance(default_storage, FileSystemStorage) else None


def bucket() -> Bucket:
    """The bucket in which files lie that have no `local_path`."""
    return Bucket(default_storage)


def upload_path(version: uuid.UUID) -> Path:
    """Where the bytes of an upload gather; the folder is made when it is missing."""
    folder = Path(settings.UPLOAD_ROOT)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / version.hex


def work_folder(version: uuid.UUID) -> Path:
    """Where a video is taken apart and put together."""
    return Path(settings.WORK_ROOT) / version.hex


def video_directory(video: uuid.UUID, version: uuid.UUID) -> str:
    """Where the finished files of one version of a video lie."""
    return f"videos/{video.hex}/{version.hex}"


def room_left(folder: Path) -> int:
    """Bytes that may still be written where this folder lies: what is free, without ``DISK_RESERVE``."""
    folder.mkdir(parents=True, exist_ok=True)
    return shutil.disk_usage(folder).free - int(settings.DISK_RESERVE)


def require_room(folder: Path, size: int) -> None:
    """Refuse what the disk has no room for.

    :raises StoreFull: fewer than ``size`` bytes may still be written.
    """
    if room_left(folder) < size:
        raise StoreFull


def put(path: Path, name: str, keep: Callable[[], None] = lambda: None) -> None:
    """Keep a finished local file under a name. An older file of that name is replaced at once.

    The local file stays where it is; on the same disk both are one. ``keep`` is called now and then: to a
    distant storage this takes a while.
    """
    target = local_path(name)
    if target is None:
        bucket().put(path, name, kind=type_of(name), keep=keep)
        keep()
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        os.link(path, draft)
    except OSError:  # another disk
        shutil.copyfile(path, draft)
    draft.replace(target)
    draft.unlink(missing_ok=True)  # two names of one file are not renamed onto each other; one stays over


def put_tree(folder: Path, directory: str, keep: Callable[[], None]) -> None:
    """Keep all files of a folder; playlists last, so that they never name what is not there yet.

    ``keep`` is called now and then, and after each file.
    """
    files = [each for each in folder.rglob("*") if each.is_file()]
    for file in sorted(files, key=lambda each: (each.suffix == ".m3u8", each.name == "master.m3u8", each)):
        put(file, f"{directory}/{file.relative_to(folder).as_posix()}", keep)
        keep()


def fetch(name: str, target: Path, keep: Callable[[], None] = lambda: None) -> None:
    """Bring a kept file to a local path; ``keep`` is called now and then."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with open_kept(name) as source, draft.open("wb") as copy:
            while piece := source.read(1 << 20):
                copy.write(piece)
                keep()
        draft.replace(target)
    finally:
        draft.unlink(missing_ok=True)


def open_kept(name: str) -> IO[bytes]:
    """Open a kept file for reading, from a byte to which one seeks first.

    :raises FileNotFoundError: there is none; of a distant one this is known at the first read.
    """
    path = local_path(name)
    return path.open("rb") if path is not None else cast(IO[bytes], bucket().open(name))


def facts_of(name: str) -> Facts:
    """Size and time of a kept file.

    :raises FileNotFoundError: there is none.
    """
    path = local_path(name)
    return _local_facts(path) if path is not None else bucket().facts(name)


def facts_under(directory: str) -> dict[str, Facts]:
    """The same of all files of a directory, and of those that lie deeper in it, by their names."""
    folder = local_path(directory)
    if folder is None:
        return bucket().facts_under(directory)
    files = [each for each in folder.rglob("*") if each.is_file()]
    return {f"{directory}/{each.relative_to(folder).as_posix()}": _local_facts(each) for each in files}


def _local_facts(path: Path) -> Facts:
    found = path.stat()
    return Facts(found.st_size, datetime.fromtimestamp(found.st_mtime, tz=UTC))


def remove(name: str, keep: Callable[[], None] = lambda: None) -> None:
    """Remove a kept file or a whole directory of them. What is gone already is no error.

    ``keep`` is called now and then: to a distant storage this takes a while.
    """
    if not name:
        return
    path = local_path(name)
    if path is not None:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
            with contextlib.suppress(OSError):
                path.parent.rmdir()  # the video's own folder, if this was its last version
        else:
            path.unlink(missing_ok=True)
        return
    bucket().remove(name, keep)


def remove_local(version: uuid.UUID) -> None:
    """Remove what gathered and was worked on for one upload."""
    upload_path(version).unlink(missing_ok=True)
    shutil.rmtree(work_folder(version), ignore_errors=True)


def sound_parts(directory: str) -> list[str]:
    """The kept parts of a video's sound, which one after the other are a file to play.

    :raises FileNotFoundError: the video has no sound, or not yet.
    """
    with open_kept(f"{directory}/audio/index.m3u8") as playlist:
        lines = playlist.read().decode().splitlines()
    segments = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return [f"{directory}/audio/{name}" for name in ["init.mp4", *segments]]
