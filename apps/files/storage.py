"""Where files are stored: in Django's default storage; uploads and processing use local folders.

The default storage is a local folder or a bucket; only this module and streaming.py know which.

Functions that may take long accept ``extend_lease``, which they call again and again: it extends a worker's lease.
"""

import contextlib
import hashlib
import mimetypes
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, cast

from django.conf import settings
from django.core.files.storage import FileSystemStorage, default_storage

from apps.files import policies
from apps.files.bucket import Bucket, FileInfo
from apps.files.models import Upload
from studyplatform.kit.errors import StoreFull
from studyplatform.kit.policies import enforce

OCTET_STREAM = "application/octet-stream"
MEDIA_TYPES = {
    ".m3u8": "application/vnd.apple.mpegurl",
    ".m4s": "video/iso.segment",
    ".mp4": "video/mp4",
    ".vtt": "text/vtt; charset=utf-8",
    ".jpg": "image/jpeg",
}


def media_type_of(name: str) -> str:
    """The media type of a file of the pipeline, by its name."""
    suffix = name[name.rfind(".") :].lower()
    return MEDIA_TYPES.get(suffix) or mimetypes.guess_type(name)[0] or OCTET_STREAM


def local_path(name: str) -> Path | None:
    """The local path of a stored file, or None if the storage is a bucket."""
    return Path(default_storage.path(name)) if isinstance(default_storage, FileSystemStorage) else None


def bucket() -> Bucket:
    """The bucket that holds the files without `local_path`."""
    return Bucket(default_storage)


def upload_path(version: uuid.UUID) -> Path:
    """The file to which an upload is written. Creates its folder."""
    folder = Path(settings.UPLOAD_ROOT)
    folder.mkdir(parents=True, exist_ok=True)
    return folder / version.hex


def work_folder(version: uuid.UUID) -> Path:
    """The folder in which a video is processed."""
    return Path(settings.WORK_ROOT) / version.hex


def video_directory(video: uuid.UUID, version: uuid.UUID) -> str:
    """The directory of the published files of one version of a video."""
    return f"videos/{video.hex}/{version.hex}"


def free_space(folder: Path) -> int:
    """Free bytes on the disk of this folder, minus ``DISK_RESERVE``. Creates the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return shutil.disk_usage(folder).free - int(settings.DISK_RESERVE)


def require_free_space(folder: Path, size: int) -> None:
    """Check that ``size`` bytes can be written.

    :raises StoreFull: the disk has less free space.
    """
    if free_space(folder) < size:
        raise StoreFull


def put(path: Path, name: str, extend_lease: Callable[[], None] = lambda: None) -> None:
    """Store a local file under a name, atomically replacing an older file of that name.

    The local file remains; on the same disk, the stored file is a hard link to it.
    """
    target = local_path(name)
    if target is None:
        bucket().put(path, name, kind=media_type_of(name), extend_lease=extend_lease)
        extend_lease()
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        os.link(path, temporary)
    except OSError:  # another disk
        shutil.copyfile(path, temporary)
    temporary.replace(target)
    temporary.unlink(missing_ok=True)  # renaming one hard link onto another of the same file does nothing


def put_tree(folder: Path, directory: str, extend_lease: Callable[[], None]) -> None:
    """Store all files of a folder; playlists last, so that they never refer to missing files."""
    files = [each for each in folder.rglob("*") if each.is_file()]
    for file in sorted(files, key=lambda each: (each.suffix == ".m3u8", each.name == "master.m3u8", each)):
        put(file, f"{directory}/{file.relative_to(folder).as_posix()}", extend_lease)
        extend_lease()


def fetch(name: str, target: Path, extend_lease: Callable[[], None] = lambda: None) -> None:
    """Copy a stored file to a local path."""
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    try:
        with open_stored(name) as source, temporary.open("wb") as copy:
            while data := source.read(1 << 20):
                copy.write(data)
                extend_lease()
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def open_stored(name: str) -> IO[bytes]:
    """Open a stored file for reading.

    :raises FileNotFoundError: there is no such file; for a bucket, the first `read` raises it.
    """
    path = local_path(name)
    return path.open("rb") if path is not None else cast(IO[bytes], bucket().open(name))


def open_content(upload: Upload, *, to_owner: bool = False) -> IO[bytes]:
    """Open the bytes of a complete upload for somebody who reads them, wherever they are stored.

    ``to_owner``: for the user who uploaded it.

    :raises FileNotFoundError: they are missing; for a bucket, the first `read` raises it.
    :raises ScanPending, FileInfected, ScanImpossible: the virus scan does not allow it.
    """
    enforce(policies.hand_out(upload, to_owner=to_owner))
    return open_unchecked(upload)


def open_unchecked(upload: Upload) -> IO[bytes]:
    """Like `open_content`, for jobs, whatever the virus scan says."""
    if not upload.stored_as:
        with contextlib.suppress(FileNotFoundError):
            return upload_path(upload.uid).open("rb")
        upload.refresh_from_db(fields=["stored_as"])  # it was moved into storage since the row was read
        if not upload.stored_as:
            raise FileNotFoundError(upload.uid.hex)
    return open_stored(upload.stored_as)


def kept_name(version: uuid.UUID) -> str:
    """Where a complete upload that is no video is stored."""
    return f"files/{version.hex}"


def open_content_once(upload: Upload, *, to_owner: bool = False) -> IO[bytes]:
    """Like `open_content`, without reading the database: for the threads that send a response.

    :raises FileNotFoundError: they are missing; for a bucket, the first `read` raises it.
    :raises ScanPending, FileInfected, ScanImpossible: the virus scan does not allow it.
    """
    enforce(policies.hand_out(upload, to_owner=to_owner))
    if not upload.stored_as:
        with contextlib.suppress(FileNotFoundError):
            return upload_path(upload.uid).open("rb")
    return open_stored(upload.stored_as or kept_name(upload.uid))


def is_local() -> bool:
    """Whether the storage is a local folder."""
    return isinstance(default_storage, FileSystemStorage)


def is_content_present(upload: Upload) -> bool:
    """Whether all bytes of a complete upload are in the local storage."""
    for path in (local_path(upload.stored_as or kept_name(upload.uid)), upload_path(upload.uid)):
        with contextlib.suppress(FileNotFoundError):
            if path is not None and path.stat().st_size == upload.length:
                return True
    return not upload.length


def file_info(name: str) -> FileInfo:
    """Size and modification time of a stored file.

    :raises FileNotFoundError: there is no such file.
    """
    path = local_path(name)
    return _local_info(path) if path is not None else bucket().info(name)


def files_under(directory: str) -> dict[str, FileInfo]:
    """Size and modification time of all files in a directory and its subdirectories, by name."""
    folder = local_path(directory)
    if folder is None:
        return bucket().files_under(directory)
    files = [each for each in folder.rglob("*") if each.is_file()]
    return {f"{directory}/{each.relative_to(folder).as_posix()}": _local_info(each) for each in files}


def walk(directory: str) -> Iterator[tuple[str, FileInfo]]:
    """Like `files_under`, one by one, so that memory does not grow with their number."""
    folder = local_path(directory)
    if folder is None:
        yield from bucket().walk(directory)
        return
    for path, info in walk_local(folder):
        yield f"{directory}/{path.relative_to(folder).as_posix()}", info


def walk_local(folder: Path) -> Iterator[tuple[Path, FileInfo]]:
    """Size and modification time of the files in a local folder and its subfolders, one by one.

    Links are not followed. Files that are removed meanwhile are left out.
    """
    with contextlib.suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from walk_local(Path(entry.path))
                continue
            with contextlib.suppress(FileNotFoundError):
                found = entry.stat(follow_symlinks=False)
                yield Path(entry.path), FileInfo(found.st_size, datetime.fromtimestamp(found.st_mtime, tz=UTC))


def sha256_of(file: IO[bytes], extend_lease: Callable[[], None] = lambda: None) -> str:
    """The SHA-256 of what is left to read of a file, in hex."""
    digest = hashlib.sha256()
    while data := file.read(1 << 20):
        digest.update(data)
        extend_lease()
    return digest.hexdigest()


def _local_info(path: Path) -> FileInfo:
    found = path.stat()
    return FileInfo(found.st_size, datetime.fromtimestamp(found.st_mtime, tz=UTC))


def remove(name: str, extend_lease: Callable[[], None] = lambda: None) -> None:
    """Remove a stored file or directory. One that does not exist is ignored."""
    if not name:
        return
    path = local_path(name)
    if path is not None:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
            with contextlib.suppress(OSError):
                path.parent.rmdir()  # the folder of the video, if this was its last version
        else:
            path.unlink(missing_ok=True)
        return
    bucket().remove(name, extend_lease)


def remove_local(version: uuid.UUID) -> None:
    """Remove the upload and the processing folder of a version."""
    upload_path(version).unlink(missing_ok=True)
    shutil.rmtree(work_folder(version), ignore_errors=True)


def audio_segments(directory: str) -> list[str]:
    """The stored segments of a video's sound; concatenated, they are a playable file.

    :raises FileNotFoundError: the video has no sound, or it is not encoded yet.
    """
    with open_stored(f"{directory}/audio/index.m3u8") as playlist:
        lines = playlist.read().decode().splitlines()
    segments = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return [f"{directory}/audio/{name}" for name in ["init.mp4", *segments]]
