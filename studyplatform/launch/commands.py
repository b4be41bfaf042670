"""The commands of the Makefile.

    python3 -I -X utf8 studyplatform/launch run | dev | test | check | format | contract | messages | bench

``test`` takes the arguments of tests/suite.py.
"""

import errno
import os
import signal
import sys
import time
from collections.abc import Callable

from studyplatform.launch import places
from studyplatform.launch.processes import RUNNING, SetupError, run, say
from studyplatform.launch.setup import check_budgets, set_up


def serve(*, dev: bool = False) -> None:
    """Set up what is missing and serve the whole product."""
    began = time.monotonic()
    set_up("requirements-dev.txt" if dev else "requirements.txt", everything=dev, serves=True)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", f"studyplatform.settings.{'dev' if dev else 'embedded'}")
    os.environ["STUDY_STARTED"] = str(began)
    become("manage.py", "serve", *(["--reload"] if dev else []))


def become(*arguments: str) -> None:
    """Run the project's Python instead of this process."""
    os.chdir(places.ROOT)
    os.execv(places.PYTHON, [str(places.PYTHON), *arguments])  # noqa: S606


def tools(*, build: bool = False) -> None:
    """Set up what the checks need."""
    set_up("requirements-dev.txt", everything=True, build=build)


def check() -> None:
    """Formatters, linters, type checks, missing migrations, stale contract: nothing is changed."""
    tools(build=True)
    check_budgets()
    run(places.PYTHON, "-P", "tests/checks.py")


def format_code() -> None:
    """Format all code and fix what a tool can fix; what it cannot fix is printed, and `make check` fails on it."""
    tools()
    # Formatted first: most lines that are too long for the linter are not after that.
    run(places.VENV / "bin/ruff", "format", "--quiet", ".")
    run(places.VENV / "bin/ruff", "check", "--fix", "--exit-zero", "--quiet", ".")
    run(places.VENV / "bin/ruff", "format", "--quiet", ".")
    run("npm", "run", "--silent", "format")


def contract() -> None:
    """The API's schema and the error catalogue for TypeScript."""
    tools()
    run(places.PYTHON, "manage.py", "export_contract", DJANGO_SETTINGS_MODULE="studyplatform.settings.test")
    run("npm", "run", "--silent", "contract")


def messages() -> None:
    """Update and compile the translations; the arguments are languages to add."""
    tools()
    run(places.PYTHON, "manage.py", "messages", *sys.argv[2:], DJANGO_SETTINGS_MODULE="studyplatform.settings.test")


def suite() -> None:
    """Run the tests of CI, or those that the arguments select."""
    set_up("requirements-dev.txt", everything=True, for_tests=True)
    check_budgets()
    become("-P", "tests/suite.py", *sys.argv[2:])


def bench() -> None:
    """Measure pages and the pipeline."""
    set_up("requirements-dev.txt", everything=True, for_tests=True)
    become("-m", "tests.bench", *sys.argv[2:])


COMMANDS: dict[str, Callable[[], None]] = {
    "run": serve,
    "dev": lambda: serve(dev=True),
    "test": suite,
    "check": check,
    "format": format_code,
    "contract": contract,
    "messages": messages,
    "bench": bench,
}


ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def interrupt(number: int, frame: object) -> None:
    """Treat a signal to end like Ctrl-C; further ones do not disturb the end."""
    for each in ENDING:
        signal.signal(each, signal.SIG_IGN)
    raise KeyboardInterrupt


def main() -> int:
    """Run the command that the first argument names; returns the exit status."""
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        print(__doc__, file=sys.stderr)
        return 2
    for number in ENDING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)
    try:
        COMMANDS[sys.argv[1]]()
    except KeyboardInterrupt:
        RUNNING.end()
        say("Stopped. The same command continues here")
        return 130
    except SetupError as problem:
        RUNNING.end()
        print(f"\n{problem}", file=sys.stderr, flush=True)
        return 1
    except OSError as problem:
        RUNNING.end()
        if problem.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        print(f"\nThe disk is full: {problem.filename or places.ROOT}", file=sys.stderr, flush=True)
        return 1
    return 0
