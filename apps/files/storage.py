"""Where files lie: Django's default storage for what is kept, local folders for what is on its way.

The default storage is a folder of this machine or an object store; only this module knows which.
"""

import contextlib
import os
import shutil
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO

from django.conf import settings
from django.core.files import File
from django.core.files.storage import FileSystemStorage, default_storage


def local_path(name: str) -> Path | None:
    """The file of that name on this machine, or None if the storage is elsewhere."""
    return Path(default_storage.path(name)) if isinstance(default_storage, FileSystemStorage) else None


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


def put(path: Path, name: str) -> None:
    """Keep a finished local file under a name. An older file of that name is replaced at once.

    The local file stays where it is; on the same disk both are one.
    """
    target = local_path(name)
    if target is None:
        with path.open("rb") as file:
            default_storage.delete(name)
            default_storage.save(name, File(file))
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

    ``keep`` is called after each file: to a distant storage this takes a while.
    """
    files = [each for each in folder.rglob("*") if each.is_file()]
    for file in sorted(files, key=lambda each: (each.suffix == ".m3u8", each.name == "master.m3u8", each)):
        put(file, f"{directory}/{file.relative_to(folder).as_posix()}")
        keep()


def fetch(name: str, target: Path) -> None:
    """Bring a kept file to a local path."""
    target.parent.mkdir(parents=True, exist_ok=True)
    draft = target.with_name(f".{target.name}.{uuid.uuid4().hex}")
    with open_kept(name) as source, draft.open("wb") as copy:
        shutil.copyfileobj(source, copy, 1 << 20)
    draft.replace(target)


@contextlib.contextmanager
def open_kept(name: str) -> Iterator[IO[bytes]]:
    """Open a kept file for reading.

    :raises FileNotFoundError: there is none.
    """
    if not default_storage.exists(name):
        raise FileNotFoundError(name)
    with default_storage.open(name, "rb") as file:
        yield file


def remove(name: str) -> None:
    """Remove a kept file or a whole directory of them. What is gone already is no error."""
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
    with contextlib.suppress(FileNotFoundError, NotADirectoryError, FileExistsError):
        folders, files = default_storage.listdir(name)
        for file in files:
            default_storage.delete(f"{name}/{file}")
        for folder in folders:
            remove(f"{name}/{folder}")
    default_storage.delete(name)


def remove_local(version: uuid.UUID) -> None:
    """Remove what gathered and was worked on for one upload."""
    upload_path(version).unlink(missing_ok=True)
    shutil.rmtree(work_folder(version), ignore_errors=True)


def sound_parts(directory: str) -> list[str]:
    """The kept parts of a video's sound, which one after the other are a file to play.

    :raises FileNotFoundError: the video has no sound, or not yet.
    """
    with default_storage.open(f"{directory}/audio/index.m3u8", "rb") as playlist:
        lines = playlist.read().decode().splitlines()
    segments = [line.strip() for line in lines if line.strip() and not line.startswith("#")]
    return [f"{directory}/audio/{name}" for name in ["init.mp4", *segments]]
