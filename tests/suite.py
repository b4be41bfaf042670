"""The whole test run, step by step; what `make test` does after the set-up.

The checks of Python and of TypeScript run beside the Python suite on SQLite; then the suite runs again on PostgreSQL
and Redis (but for the tests of ffmpeg, which ask neither more than others do); then the browser tests. The first
failing step ends the run with its output. Arguments are passed on to the last step's pytest.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests import servers  # noqa: E402

# Where bytecode is not kept, each of some twenty processes compiles the project and rewrites the tests anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

BIN = Path(sys.executable).parent
TEST = {"DJANGO_SETTINGS_MODULE": "studyplatform.settings.test"}
PYTEST = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "2", "--dist", "loadgroup"]


class StepFailed(Exception):
    """A step failed; its output has been shown."""


def step(name: str, *command: str | Path, **env: str) -> None:
    """Run one command; print one line, or all of its output if it fails.

    :raises StepFailed: it failed.
    """
    began = time.monotonic()
    done = subprocess.run(
        [str(part) for part in command],
        cwd=ROOT,
        env={**os.environ, **env},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    took = time.monotonic() - began
    if done.returncode:
        print(f"\n✗ {name} ({took:.0f} s)\n{done.stdout}", flush=True)
        raise StepFailed(name)
    last = next((line for line in reversed(done.stdout.splitlines()) if line.strip()), "")
    print(f"✓ {name} ({took:.0f} s) {last if 'passed' in last else ''}", flush=True)


def checks() -> None:
    """What reads the code without running it, and the islands' own tests."""
    step("ruff format", BIN / "ruff", "format", "--check", "--quiet", ".")
    step("ruff", BIN / "ruff", "check", "--quiet", ".")
    step("mypy", BIN / "mypy")
    step("migrations", sys.executable, "manage.py", "makemigrations", "--check", "--dry-run", "-v", "0", **TEST)
    step("tsc", "npm", "run", "--silent", "types")
    step("eslint and prettier", "npm", "run", "--silent", "lint")
    step("vitest", "npm", "run", "--silent", "test")


def main() -> int:
    began = time.monotonic()
    with ThreadPoolExecutor(1) as pool:
        reading: Future[None] = pool.submit(checks)
        step("pytest on SQLite", *PYTEST, "-m", "not e2e")
        reading.result()
    with servers.postgres() as (database, _), servers.redis() as cache:
        step(
            "pytest on PostgreSQL and Redis",
            *PYTEST,
            "-m",
            "not e2e and not media",
            DATABASE_URL=database,
            REDIS_URL=cache,
        )
    print(f"Before the browser tests: {time.monotonic() - began:.0f} s", flush=True)
    return subprocess.run([*PYTEST, "-m", "e2e", *sys.argv[1:]], cwd=ROOT, env={**os.environ, **TEST}).returncode


if __name__ == "__main__":
    try:
        sys.exit(main())
    except StepFailed as failed:
        sys.exit(f"Failed: {failed}")
