"""The folders of the project that the launcher fills."""

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
DIST = ROOT / "static" / "dist"
MODULES = ROOT / "node_modules"
MACHINE = f"{sys.platform}-{os.uname().machine}"  # a folder may be shared with another one, or with a container


def data_folder() -> Path:
    """Where `make run` stores its data."""
    return (ROOT / Path(os.environ.get("DATA_DIR") or "var").expanduser()).resolve()


def existing_part(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(each for each in (folder, *folder.parents) if each.exists())
