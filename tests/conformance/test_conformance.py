"""The official suite, whole, against a real server process. npm installs it for the run: 51 MB are too much for all."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.servers import free_port
from tests.uploads.server import wait_until

pytestmark = pytest.mark.long

SUITE, NODE = "@modelcontextprotocol/conformance@0.1.16", "node@22.23.3"  # the suite needs Node.js 22
HERE = Path(__file__).parent
EXPECTED = HERE / "expected-failures.yml"
MIN_SCENARIOS = 32


@pytest.fixture
def address() -> Iterator[str]:
    """The address of a server in a process of its own."""
    port = free_port()
    uvicorn = Path(sys.executable).parent / "uvicorn"
    command = [str(uvicorn), "--port", str(port), "--log-level", "critical", "tests.conformance.server:application"]
    server = subprocess.Popen(command, cwd=HERE.parents[1], start_new_session=True)

    def answers() -> bool:
        with contextlib.suppress(OSError, httpx.HTTPError):
            return httpx.get(f"http://127.0.0.1:{port}/mcp", timeout=10).status_code == 405
        return False

    try:
        assert wait_until(answers)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


@pytest.fixture(scope="module")
def suite() -> list[str]:
    """The command that runs the suite, which is installed once for each version."""
    folder = Path(tempfile.gettempdir()) / f"study-mcp-conformance-{SUITE.rpartition('@')[2]}"
    script = folder / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
    if not script.exists():
        folder.mkdir(exist_ok=True)
        options = ["--no-save", "--no-audit", "--no-fund"]
        subprocess.run(["npm", "install", *options, SUITE, NODE], cwd=folder, check=True, timeout=300)
    return [str(folder / "node_modules/node/bin/node"), str(script)]


def test_everything_that_is_declared_conforms(address: str, suite: list[str], tmp_path: Path) -> None:
    options = ["--suite", "all", "--expected-failures", str(EXPECTED), "--output-dir", str(tmp_path)]
    run = subprocess.run(
        [*suite, "server", "--url", address, *options], capture_output=True, text=True, timeout=300, check=False
    )
    said = run.stdout + run.stderr
    assert run.returncode == 0, said[-4000:]
    passed = re.findall(r"^✓ ([\w-]+): [1-9]\d* passed, 0 failed", said, re.MULTILINE)
    listed = re.findall(r"^[✓✗] ([\w-]+):", said, re.MULTILINE)
    expected = re.findall(r"^  - ([\w-]+)$", EXPECTED.read_text(), re.MULTILINE)
    assert len(listed) >= MIN_SCENARIOS
    assert sorted(passed) == sorted(set(listed) - set(expected))
