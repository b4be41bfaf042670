"""The test run, stage by stage; what `make test`, `make test-all` and `make test-app` do after setup.

    python tests/suite.py               what CI runs
    python tests/suite.py --all         also every test marked `long`, and the whole suite on PostgreSQL
    python tests/suite.py --app NAME    what concerns one app: its tests, those that import it, its islands

The Python suite runs on SQLite, without the tests marked `database` (with --all: all of it). Beside it run the checks
of Python and of TypeScript, then the tests marked `database` (with --all: all tests but ffmpeg's) on PostgreSQL and
Redis, then the demo content for the browser tests is made. The browser tests come last. The first failing step ends
the run with its output. A browser test that fails is run once more; if it passes, the run continues and names it as
unstable at the end. The last lines say what each stage cost. Further arguments go to the pytest of the last step.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests import checks, servers  # noqa: E402

# Without stored bytecode each of some twenty processes would compile the project and rewrite the tests again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

BIN, TEST = checks.BIN, checks.TEST
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--dist", "loadgroup"]
BROWSER = "tests/e2e"
WITHOUT_BROWSER = [*PYTEST, "-n", "2", "--ignore", BROWSER, "-p", "no:playwright"]
IN_BROWSER = [*PYTEST, "-n", "3", BROWSER]  # half of their time they wait: for a page, a job, a click that is allowed
AGAIN = ["--reruns", "1"]
# The folders of assets whose tests concern an app, with the folders in them.
ISLANDS = {
    "accounts": ["passkeys", "shared/auth", "site"],
    "billing": ["islands/card-form", "islands/checkout", "islands/premium", "shared/payments"],
    "courses": [
        "islands/captions",
        "islands/lesson-file",
        "islands/question-preview",
        "islands/wizard",
        "outline",
        "shared/composer",
        "shared/editor",
        "shared/questions",
        "shared/saving",
    ],
    "files": ["islands/files", "islands/lesson-file", "islands/uploader", "shared/uploads"],
    "forum": ["islands/timeline", "messages", "moderation", "newTopic", "shared/composer", "shared/editor", "topic"],
    "learning": [
        "islands/offline-library",
        "islands/player",
        "islands/practice",
        "islands/quiz",
        "islands/retention",
        "islands/timeline",
        "lesson",
        "offline",
        "shared/notes",
        "shared/questions",
    ],
    "tutor": ["islands/tutor"],
}
# Those that concern all apps, or none: they run with the whole suite.
SHARED_ISLANDS = {
    ".",
    "islands/sample-todos",
    "islands/shared-todos",
    "shared",
    "shared/api",
    "shared/format",
    "shared/hooks",
    "shared/i18n",
    "shared/ui",
}


class StepFailed(Exception):
    """A step failed; its output has been shown."""


class Running:
    """The running commands, so that a failure of one can end the others."""

    def __init__(self) -> None:
        self._lock = threading.RLock()  # the handler of Ctrl-C may find it held
        self._commands: set[subprocess.Popen[str]] = set()
        self.is_over = False

    def add(self, command: subprocess.Popen[str]) -> None:
        with self._lock:
            self._commands.add(command)
            if self.is_over:
                command.terminate()

    def end(self) -> None:
        """End the running commands and those added later."""
        with self._lock:
            self.is_over = True
            for command in self._commands:
                command.terminate()  # does nothing to a command that has ended


RUNNING = Running()


@dataclass(frozen=True)
class Cost:
    """What a stage took, in seconds. The processor time is that of all its processes."""

    stage: str
    wall: float
    cpu: float
    note: str = ""


COSTS: list[Cost] = []


def step(name: str, *command: str | Path, **env: str) -> None:
    """Run one command; print one line, or all of its output if it fails.

    :raises StepFailed: it failed.
    """
    began = time.monotonic()
    process = subprocess.Popen(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    RUNNING.add(process)
    output = process.stdout.read() if process.stdout else ""
    status, cpu = wait_for(process)
    took = time.monotonic() - began
    if RUNNING.is_over:
        raise StepFailed(name)
    if status:
        print(f"\n✗ {name} ({took:.0f} s)\n{output}", flush=True)
        raise StepFailed(name)
    last = next((line for line in reversed(output.splitlines()) if line.strip()), "")
    print(f"✓ {name} ({took:.0f} s, CPU {cpu:.0f} s) {last if 'passed' in last else ''}", flush=True)
    COSTS.append(Cost(name, took, cpu))


def wait_for(process: subprocess.Popen[str]) -> tuple[int, float]:
    """The exit status of a process, and the processor time of it and of all processes that it waited for."""
    try:
        _, status, spent = os.wait4(process.pid, 0)
    except ChildProcessError:  # it was ended, because another step failed
        return process.wait(), 0.0
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, spent.ru_utime + spent.ru_stime


def check(*chosen: checks.Check) -> None:
    """Run these checks, but not those that passed before with the same files."""

    def run(one: checks.Check) -> None:
        step(one.name, *one.command, **TEST)

    def skip(one: checks.Check) -> None:
        print(f"✓ {one.name} (passed before with the same files)", flush=True)
        COSTS.append(Cost(one.name, 0, 0, "passed before with the same files"))

    for one in chosen:
        checks.run_unless_passed(one, run, skip)


def print_costs(wall: float, cpu: float) -> None:
    """Print what each stage took. Some ran side by side. Servers are PostgreSQL and Redis."""
    rest = Cost("servers, and the run itself", 0, max(0.0, cpu - sum(each.cpu for each in COSTS)))
    print(f"\n{'Stage':38}{'wall s':>8}{'CPU s':>8}")
    for each in [*COSTS, rest, Cost("All", wall, cpu)]:
        print(f"{each.stage:38}{each.wall:8.0f}{each.cpu:8.0f}  {each.note}".rstrip())
    sys.stdout.flush()


def modules(pattern: str) -> list[str]:
    """The test modules, browser tests aside, whose text matches the pattern; paths from the project's folder."""
    found = [file for file in sorted((ROOT / "tests").rglob("test_*.py")) if "e2e" not in file.parts]
    return [str(file.relative_to(ROOT)) for file in found if re.search(pattern, file.read_text())]


def on_postgresql(*arguments: str) -> None:
    """Run pytest with these arguments on a PostgreSQL and a Redis of its own."""
    with servers.postgres() as (database, _), servers.redis() as cache:
        step("pytest on PostgreSQL and Redis", *WITHOUT_BROWSER, *arguments, DATABASE_URL=database, REDIS_URL=cache)


def side_by_side(*tasks: Callable[[], None]) -> None:
    """Run the tasks at the same time; the first that fails ends the others.

    :raises StepFailed: one of them failed.
    """
    with ThreadPoolExecutor(len(tasks)) as pool:
        running = [pool.submit(task) for task in tasks]
        done, _ = wait(running, return_when=FIRST_EXCEPTION)
        failures = [problem for task in done if (problem := task.exception())]
        if failures:
            RUNNING.end()
            raise failures[0]


def on_both(*, everything: bool, arguments: list[str]) -> int:
    """The whole run, as in CI or with all tests; returns the exit status of the browser tests."""
    began = time.monotonic()
    short = "" if everything else "not long"
    # What runs on PostgreSQL beside runs on SQLite too only with all tests: the run must fit in nine minutes.
    on_sqlite = "" if everything else "not long and (media or not database)"
    with tempfile.TemporaryDirectory(prefix="study-browser-") as content:

        def beside() -> None:
            check(*checks.CHECKS, checks.ISLAND_TESTS)
            if everything:
                on_postgresql("-m", "not media")
            else:
                on_postgresql(*modules(r"\bmark\.database\b"), "-m", "database and not media and not long")
            step("content for the browser tests", sys.executable, "-m", "tests.e2e.prepare", content)

        side_by_side(lambda: step("pytest on SQLite", *WITHOUT_BROWSER, "-m", on_sqlite), beside)
        print(f"Before the browser tests: {time.monotonic() - began:.0f} s", flush=True)
        return in_browser(short, content, arguments)


def in_browser(marked: str, content: str, arguments: list[str]) -> int:
    """Run the browser tests, each failed one once more; say at the end which of them are unstable.

    ``content`` is the folder of the prepared data.
    """
    began = time.monotonic()
    with tempfile.NamedTemporaryFile("r", prefix="study-unstable-") as unstable:
        process = subprocess.Popen(
            [*IN_BROWSER, "-m", marked, *AGAIN, *arguments],
            cwd=ROOT,
            env={**os.environ, **TEST, "UNSTABLE": unstable.name, "E2E_DATA": content},
            text=True,
        )
        status, cpu = wait_for(process)
        names = sorted(set(unstable.read().split("\n")) - {""})
    COSTS.append(Cost("pytest with browsers", time.monotonic() - began, cpu))
    print(f"unstable: {len(names) or 'none'}", *names, sep="\n  ", flush=True)
    return status


def about(app: str) -> int:
    """Run the tests of one app: its own, those that import it, its database tests, and its islands' tests."""
    if not (ROOT / "apps" / app).is_dir():
        sys.exit(f"There is no app {app!r} in apps/.")
    imports = modules(rf"(?m)^\s*(from|import) apps\.{app}\b")
    own = [file for file in modules("") if file.startswith(f"tests/{app}/")]
    step("ruff", BIN / "ruff", "check", "--quiet", f"apps/{app}", *([f"tests/{app}"] if own else []))
    chosen = sorted({*own, *imports})
    if chosen:
        step("pytest on SQLite", *WITHOUT_BROWSER, *chosen, "-m", "not long and not media")
    database = [file for file in own if file in modules(r"\bmark\.database\b")]
    if database:
        on_postgresql(*database, "-m", "database and not media and not long")
    if app in ISLANDS:
        step("vitest", "npm", "run", "--silent", "test", "--", *(f"{ROOT}/assets/{part}/" for part in ISLANDS[app]))
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--all", action="store_true", help="also what is marked `long`")
    parser.add_argument("--app", help="only what concerns this app")
    options, arguments = parser.parse_known_args()
    began = time.monotonic()
    if options.all:
        os.environ.setdefault("BILLING_SEQUENCES", "300")
    status = about(options.app) if options.app else on_both(everything=options.all, arguments=arguments)
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    print_costs(time.monotonic() - began, spent.ru_utime + spent.ru_stime)
    return status


def interrupt(number: int, frame: object) -> None:
    """End the running commands without their output, which would only say that they were interrupted."""
    RUNNING.end()
    raise KeyboardInterrupt


if __name__ == "__main__":
    signal.signal(signal.SIGINT, interrupt)
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit("Stopped")
    except StepFailed as failed:
        sys.exit(f"Failed: {failed}")
