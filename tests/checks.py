"""The tools that read the code without running it, and the islands' own tests, for `make check` and `make test`.

    python -P tests/checks.py       all of them but the islands' tests

A check whose files have not changed since it last passed in this checkout is not run again: a stamp in `.checks` holds
a hash of what it read, and of the pinned packages. `make clean` removes the stamps. Standard library only.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STAMPS = ROOT / ".checks"
BIN = Path(sys.executable).parent
TEST = {"DJANGO_SETTINGS_MODULE": "studyplatform.settings.test"}
NOT_SOURCE = {".git", ".venv", "node_modules", "var", "dist", "__pycache__", "shots"}
PACKAGES = ("requirements.txt", "requirements-dev.txt", "pyproject.toml", "package.json", "package-lock.json")
PYTHON = ("apps", "studyplatform", "tests", "assets", "manage.py")
ISLANDS = ("assets",)


@dataclass(frozen=True)
class Check:
    """A command, and all that it reads: files below ``inputs`` whose names have one of the ``endings`` (none: all)."""

    name: str
    command: tuple[str, ...]
    inputs: tuple[str, ...]
    endings: tuple[str, ...] = ()

    @property
    def stamp(self) -> Path:
        return STAMPS / self.name.replace(" ", "-")

    def state(self) -> str:
        """A hash of the command, the names and bytes of the files, and the tools' versions."""
        total = hashlib.sha256(repr((self.command, sys.version, platform.machine())).encode())
        for file in [*map(ROOT.joinpath, PACKAGES), *self._files()]:
            if file.is_file():
                total.update(f"{file.relative_to(ROOT)}\0".encode())
                total.update(hashlib.sha256(file.read_bytes()).digest())
        return total.hexdigest()

    def _files(self) -> list[Path]:
        found = []
        for name in self.inputs:
            if (ROOT / name).is_file():
                found.append(ROOT / name)
            for folder, folders, files in os.walk(ROOT / name):
                folders[:] = [each for each in folders if each not in NOT_SOURCE]
                found += [Path(folder, each) for each in files if each.endswith(self.endings or "")]
        return sorted(found)


CHECKS = (
    Check("ruff format", (str(BIN / "ruff"), "format", "--check", "--quiet", "."), (".",), (".py",)),
    Check("ruff", (str(BIN / "ruff"), "check", "--quiet", "."), (".",), (".py",)),
    Check("mypy", (str(BIN / "mypy"),), PYTHON, (".py", ".pyi")),
    Check(
        "migrations",
        (sys.executable, "manage.py", "makemigrations", "--check", "--dry-run", "-v", "0"),
        PYTHON,
        (".py",),
    ),
    Check("tsc", ("npm", "run", "--silent", "types"), ISLANDS),
    Check("eslint", ("npm", "run", "--silent", "lint:code"), ISLANDS),
    Check("prettier", ("npm", "run", "--silent", "format:check"), ISLANDS),
)
ISLAND_TESTS = Check("vitest", ("npm", "run", "--silent", "test"), ("assets", "templates", "tests/data"))


def run_unless_passed(check: Check, run: Callable[[Check], None], skip: Callable[[Check], None]) -> None:
    """Run a check with ``run``, which raises if it fails, or ``skip`` it: nothing that it reads has changed since."""
    state = check.state()
    if check.stamp.exists() and check.stamp.read_text() == state:
        skip(check)
        return
    run(check)
    STAMPS.mkdir(exist_ok=True)
    check.stamp.write_text(state)


def main() -> None:
    def run(check: Check) -> None:
        if status := subprocess.run(check.command, cwd=ROOT, env={**os.environ, **TEST}).returncode:
            sys.exit(f"\nFailed: {check.name} (status {status})")

    for check in CHECKS:
        run_unless_passed(check, run, lambda _: None)


if __name__ == "__main__":
    main()
