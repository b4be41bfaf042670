"""What the machine must have, checked before anything starts."""

import errno
import importlib.util
import os
import shutil
import socket
import sys
from pathlib import Path

from studyplatform.launch import places
from studyplatform.launch.due import Due
from studyplatform.launch.processes import SetupError, run, say

PROGRAMS_OF_TESTS = ("ffmpeg", "redis-server")  # also the names of their Debian packages
BROWSERS = ("chromium-headless-shell", "chromium")  # the first needs a second less for each window
NEEDED_MODULES = ("ssl", "sqlite3", "zlib", "bz2", "lzma", "ctypes")  # Pythons built from source may lack them
# Free space in bytes: for the packages, and for the database, the files and the videos of the demo.
SPACE_FOR_PACKAGES = 1_200_000_000
SPACE_FOR_TOOLS = 1_000_000_000  # more, for what only tests and development need
SPACE_FOR_DATA = 300_000_000
SPACE_FOR_A_START = 100_000_000


def check_machine(due: Due, *, everything: bool, for_tests: bool, serves: bool) -> None:
    """Check all that is needed before anything starts, and say everything that is missing at once.

    Root on Debian gets the missing Debian packages.

    :raises SetupError: something is missing.
    """
    packages = missing_packages(due, for_tests=for_tests)
    problems = missing_modules() + unwritable_folders(due, serves=serves)
    problems += missing_space(due, everything=everything, serves=serves)
    if serves:
        problems += address_problems(os.environ.get("HOST") or "127.0.0.1", os.environ.get("PORT") or "8000")
    can_install = os.geteuid() == 0 and shutil.which("apt-get")
    if packages and not can_install:
        problems.append(how_to_install(packages))
    if problems:
        raise SetupError("\n".join(problems))
    if packages:
        install_debian_packages(packages)


def missing_modules() -> list[str]:
    """A sentence that names the modules which this Python lacks; empty if it is complete."""
    absent = [name for name in NEEDED_MODULES if importlib.util.find_spec(name) is None]
    if not absent:
        return []
    listed = ", ".join(absent)
    return [f"This Python ({sys.executable}) was built without {listed}. Name another: PYTHON3=/path/to/python3"]


def missing_packages(due: Due, *, for_tests: bool) -> list[str]:
    """The Debian packages of what is missing: Python's venv, and the programs of the tests."""
    missing = []
    if due.venv and (importlib.util.find_spec("ensurepip") is None or importlib.util.find_spec("venv") is None):
        is_default = Path(sys.executable).resolve() == Path("/usr/bin/python3").resolve()
        missing.append("python3-venv" if is_default else f"python3.{sys.version_info[1]}-venv")
    if for_tests:
        missing += [program for program in PROGRAMS_OF_TESTS if shutil.which(program) is None]
        if not any(map(shutil.which, BROWSERS)):
            missing.append(BROWSERS[0])
        if not postgres_bin():
            missing.append("postgresql")
    return missing


def how_to_install(packages: list[str]) -> str:
    """One sentence with all that is missing and the command that installs it."""
    names = " ".join(packages)
    if shutil.which("apt-get"):
        command = f"apt-get update && apt-get install -y {names}"
        return f"Missing here: {', '.join(packages)}. Install them as root (su - or sudo -s): {command}"
    return f"Missing here, by their names in Debian: {names}. Install them with the package manager of your system."


def install_debian_packages(packages: list[str]) -> None:
    """Install Debian packages; only for root."""
    say(f"Installing {', '.join(packages)}")
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    wait = ("-o", "DPkg::Lock::Timeout=300")
    run("apt-get", *wait, "update", "-qq", quiet=True)
    run("apt-get", *wait, "install", "-y", "-qq", "--no-install-recommends", *packages, quiet=True)
    importlib.invalidate_caches()


def postgres_bin() -> Path | None:
    """The folder of PostgreSQL's server programs, the newest version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


def unwritable_folders(due: Due, *, serves: bool) -> list[str]:
    """A sentence that names what has to be written and can't be; empty if all is well."""
    written = {places.VENV: due.python, places.MODULES: due.node, places.DIST: due.build, places.data_folder(): serves}
    wrong: list[Path] = []
    for folder in (folder for folder, is_written in written.items() if is_written):
        there = places.existing_part(folder)
        # What root made in a folder of the user's, by an earlier start with sudo, can't be written either.
        own = sorted(there.iterdir()) if there == folder and os.access(there, os.R_OK | os.X_OK) else []
        wrong += [each for each in (there, *own) if not each.is_symlink() and not os.access(each, os.W_OK)][:1]
    if not wrong:
        return []
    names = ", ".join(str(each) for each in dict.fromkeys(wrong))
    return [f"No permission to write to {names}. Make it yours, or use a copy of the project in a folder of your own."]


def missing_space(due: Due, *, everything: bool, serves: bool) -> list[str]:
    """A sentence for each disk with too little free space for what is going to be installed and stored."""
    wanted = {places.ROOT: SPACE_FOR_A_START}
    if due.venv or not places.MODULES.exists():
        wanted[places.ROOT] = SPACE_FOR_PACKAGES + (SPACE_FOR_TOOLS if everything else 0)
    if serves and not (places.data_folder() / "demo.state").exists():
        wanted[places.data_folder()] = SPACE_FOR_DATA
    on_disk: dict[int, tuple[Path, int]] = {}
    for folder, size in wanted.items():
        there = places.existing_part(folder)
        disk = there.stat().st_dev
        first, others = on_disk.get(disk, (there, 0))
        on_disk[disk] = first, others + size
    return [
        f"Too little free space on the disk of {folder}: {shutil.disk_usage(folder).free / 1e9:.1f} GB of the "
        f"{size / 1e9:.1f} GB that are needed."
        for folder, size in on_disk.values()
        if shutil.disk_usage(folder).free < size
    ]


def address_problems(host: str, port: str, *, variable: str = "PORT") -> list[str]:
    """A sentence that says why the server can't listen on this address; empty if it can."""
    if not (port.isdecimal() and 0 < int(port) < 65536):
        return [f"{variable} must be a number from 1 to 65535, not {port!r}."]
    try:
        with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, int(port)))
    except OSError as problem:
        if problem.errno == errno.EADDRINUSE:
            other = int(port) + 1 if int(port) < 65535 else 8000
            return [f"Port {port} on {host} is already in use. Choose another: make run {variable}={other}"]
        return [f"Can't listen on port {port} of {host}: {problem.strerror or problem}. Check HOST and {variable}."]
    return []
