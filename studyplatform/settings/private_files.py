"""What is stored is for the site's own user, and folders of files for the group in which the proxy may be."""

import contextlib
import os
from pathlib import Path

FOLDER_MODE = 0o750
FILE_MODE = 0o600


def private_folder(path: Path) -> Path:
    """Make the folder, and close it for everyone else if it was open."""
    path.mkdir(parents=True, exist_ok=True)
    _narrow(path, FOLDER_MODE)
    return path


def private_file(path: Path) -> None:
    """Make the file if it is missing, before anything is written to it, and close it for everyone else."""
    with contextlib.suppress(FileExistsError, OSError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, FILE_MODE))
    for one in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
        _narrow(one, FILE_MODE)


def _narrow(path: Path, mode: int) -> None:
    with contextlib.suppress(FileNotFoundError, PermissionError):  # of another user: it is for them to say
        present = path.stat().st_mode & 0o777
        if present & ~mode:
            path.chmod(present & mode)
