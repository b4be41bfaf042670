"""A small project with the real launcher and Makefile, in which stand-ins for pip, npm and Node.js are on PATH."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VERSION = "python{}.{}".format(*sys.version_info[:2])

# The Python of the virtual environment: pip and the project's programs are stand-ins, all else is the real one.
PYTHON = f"""#!/bin/sh
case "$*" in
  *"-m pip install"*) [ -x "$STUBS/pip" ] && exec "$STUBS/pip" "$@"; echo "pip $*" >> "$STUBS/calls"; exit 0;;
  "manage.py serve"*) echo "served"; exit 0;;
  *tests/suite.py*) echo "tested"; exit 0;;
esac
exec "{sys.executable}" "$@"
"""
NPM = """#!/bin/sh
echo "npm $*" >> "$STUBS/calls"
case "$*" in
  ci*) /bin/mkdir -p node_modules;;
  *build*)
    /bin/mkdir -p static/dist
    echo "{}" > static/dist/manifest.json
    echo "${OVER:-[]}" > static/dist/over-budget.json;;
esac
"""


class Project:
    """The folder of the project, and of the programs that its PATH holds and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "Übung im Netz"
        self.stubs = folder / "stubs"
        self.stubs.mkdir()
        for name in ("apps", "templates", "assets", "studyplatform"):
            (self.folder / name).mkdir(parents=True)
        for name in ("Makefile", "package.json"):
            shutil.copy(ROOT / name, self.folder / name)
        launch = "studyplatform/launch"
        shutil.copytree(ROOT / launch, self.folder / launch, ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("requirements", "requirements-dev", "requirements-models", "requirements-node"):
            (self.folder / f"{name}.txt").write_text(f"{name}==1\n")
        (self.folder / "package-lock.json").write_text("{}")
        self.stub("npm", NPM)
        self.stub("node", "#!/bin/sh\necho v24.1.0\n")

    def stub(self, name: str, script: str) -> None:
        file = self.stubs / name
        file.write_text(script)
        file.chmod(0o755)

    def make_venv(self) -> None:
        """A sound virtual environment, whose Python is a stand-in."""
        for name in ("bin", f"lib/{VERSION}/site-packages/pip-1.dist-info"):
            (self.folder / ".venv" / name).mkdir(parents=True, exist_ok=True)
        (self.folder / ".venv/bin/python").write_text(PYTHON)
        (self.folder / ".venv/bin/python").chmod(0o755)
        (self.folder / ".venv/bin/pip").write_text(f"#!{self.folder}/.venv/bin/python\n")
        (self.folder / f".venv/lib/{VERSION}/site-packages/pip-1.dist-info/RECORD").touch()

    def environment(self, **more: str) -> dict[str, str]:
        return {"PATH": str(self.stubs), "STUBS": str(self.stubs), "HOME": str(self.folder), "PORT": "18471", **more}

    def start(self, command: str = "run", *, python: tuple[str, ...] = (), **env: str) -> subprocess.Popen[str]:
        words = python or (sys.executable, "-I", "-X", "utf8")
        return subprocess.Popen(
            [*words, self.folder / "studyplatform" / "launch", command],
            env=self.environment(**env),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    def launch(self, command: str = "run", **env: str) -> tuple[int, str]:
        """Run the launcher; returns its exit status and what it printed."""
        process = self.start(command, **env)
        output = process.communicate(timeout=60)[0]
        assert "Traceback" not in output
        return process.returncode, output

    def calls(self) -> list[str]:
        """What pip and npm were called with, since the last question."""
        file = self.stubs / "calls"
        lines = file.read_text().splitlines() if file.exists() else []
        file.unlink(missing_ok=True)
        return lines


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


@pytest.fixture
def ready(project: Project) -> Project:
    """The project with a virtual environment, without packages."""
    project.make_venv()
    return project


@pytest.fixture(autouse=True)
def _signals():
    """In a background job SIGINT may be ignored, and children inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


os.environ.pop("MAKEFLAGS", None)  # of the make that runs the tests
