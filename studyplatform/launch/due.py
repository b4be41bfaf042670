"""Find out which steps have to run: a stamp beside the result of each holds the hash of its inputs."""

import hashlib
import os
import re
import subprocess
from pathlib import Path
from typing import NamedTuple

from studyplatform.launch import places


class Due(NamedTuple):
    """The steps that have to run."""

    venv: str  # why the virtual environment has to be made; "" if it is sound
    python: bool
    node: bool
    build: bool


def what_is_due(requirements: str, *, everything: bool, build: bool) -> Due:
    """Find out which steps have to run."""
    fault = venv_fault()
    return Due(
        venv=fault,
        python=bool(fault) or is_outdated(places.VENV / f".{requirements}.stamp", state_of(*listed_in(requirements))),
        node=is_node_due(everything=everything),
        build=build and is_build_due(),
    )


def fingerprint(*paths: Path) -> str:
    """A hash of the files (folders: of all files in them)."""
    total = hashlib.sha256()
    for path in paths:
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            if file.exists():
                total.update(str(file.relative_to(places.ROOT)).encode())
                total.update(file.read_bytes())
    return total.hexdigest()


def is_outdated(stamp: Path, wanted: str) -> bool:
    """Whether the step with this stamp has to run."""
    return not (stamp.exists() and stamp.read_text() == wanted)


def venv_fault() -> str:
    """Why the virtual environment can't be used; "" if it can.

    pip writes a package's RECORD last, so one without it was left half-installed.
    """
    if not places.PYTHON.exists():
        return "there is none"
    try:
        asked = [str(places.PYTHON), "-I", "-S", "-c", "import sys; print('python%d.%d' % sys.version_info[:2])"]
        version = subprocess.run(asked, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "its Python doesn't start"
    if tuple(map(int, version[len("python") :].split("."))) < (3, 11):
        return "its Python is too old"
    packages = places.VENV / "lib" / version / "site-packages"
    if not any(packages.glob("pip-*.dist-info/RECORD")):
        return "it has no pip, or another version's"
    script = places.VENV / "bin" / "pip"
    # Scripts name the folder they were installed in, which may have been moved or copied.
    if not script.exists() or not any(
        os.fsencode(each) in script.read_bytes() for each in (places.VENV, places.VENV.resolve())
    ):
        return "it was made for another folder"
    return ""


def state_of(*requirements: Path) -> str:
    """What the stamp of installed packages says: their list, Python's version and the kind of machine."""
    config = places.VENV / "pyvenv.cfg"
    found = re.search(r"(?m)^version\w* *= *(\S+)", config.read_text()) if config.exists() else None
    return f"{fingerprint(*requirements)} {found[1] if found else ''} {places.MACHINE}"


def listed_in(requirements: str) -> list[Path]:
    return [places.ROOT / name for name in dict.fromkeys(("requirements.txt", "requirements-models.txt", requirements))]


def is_node_due(*, everything: bool) -> bool:
    """Whether node_modules has to be installed."""
    stamp, wanted = places.MODULES / ".stamp", fingerprint(places.ROOT / "package-lock.json")
    enough = ("all",) if everything else ("all", "run")
    return all(is_outdated(stamp, f"{kind} {wanted} {places.MACHINE}") for kind in enough)


def icon_mentions() -> str:
    """A hash of all lines that may name an icon (assets/icons.mjs reads them)."""
    total = hashlib.sha256()
    for folder, ending in (("templates", "*.html"), ("apps", "*.py"), ("studyplatform", "*.py")):
        for file in sorted((places.ROOT / folder).rglob(ending)):
            total.update(b"".join(line for line in file.read_bytes().splitlines() if b"icon" in line))
    return total.hexdigest()


def state_of_build() -> str:
    return f"{fingerprint(places.ROOT / 'assets', places.ROOT / 'package-lock.json')} {icon_mentions()}"


def is_build_due() -> bool:
    """Whether static/dist has to be built."""
    return not (places.DIST / "manifest.json").exists() or is_outdated(places.DIST / ".stamp", state_of_build())
