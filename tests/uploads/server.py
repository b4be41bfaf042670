"""The server under test, as a process of its own, and the account that uploads."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERVE = [sys.executable, "manage.py", "serve"]
CSRF = "0123456789abcdef0123456789abcdef"
PATIENCE_SECONDS = 240  # for what takes a second on a quiet machine: how long it takes proves nothing


def wait_until(condition: Callable[[], bool], seconds: float = PATIENCE_SECONDS) -> bool:
    """Whether the condition became true within so many seconds."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def headers_of(session: str) -> dict[str, str]:
    """The headers of requests in the session with this key."""
    return {
        "Cookie": f"sessionid={session}; csrftoken={CSRF}",
        "X-CSRFToken": CSRF,
        "Tus-Resumable": "1.0.0",
    }


class Server:
    """A web server on ``port``, started by ``command``; ``web`` finds the process that answers requests."""

    def __init__(self, command: list[str], port: int, environment: Mapping[str, str], headers: dict[str, str]) -> None:
        self._command = command
        self.port = port
        self._environment = {**os.environ, **environment, "PORT": str(port)}
        self.headers = headers
        self._base: dict[int, int] = {}  # memory of each web process before it got a large chunk
        self._peak: dict[int, int] = {}
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(
            self._command, cwd=ROOT, env=self._environment, start_new_session=True, stdout=subprocess.DEVNULL
        )
        self.await_answer()

    def await_answer(self) -> None:
        """Wait until the server answers, then upload one byte, so that all its modules are loaded."""
        assert wait_until(lambda: self._answers() or self.process.poll() is not None)
        assert self.process.poll() is None, "the server ended"
        status, headers, _ = self.call("POST", "/api/v1/uploads/", {"Upload-Length": "1", "Upload-Metadata": PURPOSE})
        assert status == 201, status
        path = headers["location"].partition(str(self.port))[2]
        chunk = {"Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
        assert self.call("PATCH", path, chunk, b"x")[0] == 204
        assert self.call("DELETE", path)[0] == 204
        self._base[self.web] = memory_of(self.web, "VmRSS")

    def _answers(self) -> bool:
        try:
            return self.call("OPTIONS", "/api/v1/uploads/")[0] == 200
        except OSError:
            return False

    def call(
        self, method: str, path: str, headers: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request of the account; return status, headers and body of the answer."""
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(line):
            line.request(method, path, body, {**self.headers, **(headers or {})})
            answer = line.getresponse()
            return answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()

    def offset(self, path: str) -> int:
        return int(self.call("HEAD", path)[1].get("upload-offset", -1))

    @property
    def web(self) -> int:
        """The id of the web server's process: the process itself, or that which the supervisor started."""
        family = [self.process.pid, *_children(self.process.pid)]
        for pid in family:
            with contextlib.suppress(OSError):
                if b"uvicorn" in Path(f"/proc/{pid}/cmdline").read_bytes():
                    return pid
        raise ProcessLookupError

    def measure(self) -> None:
        """Note the highest memory that the web process has needed."""
        with contextlib.suppress(OSError):
            web = self.web
            if web in self._base:
                self._peak[web] = memory_of(web, "VmHWM")

    @property
    def growth(self) -> int:
        """By how many bytes the memory of a web process grew at most."""
        return max(self._peak[web] - self._base[web] for web in self._peak)

    def terminate(self) -> None:
        """Ask the server to stop; `start` starts it again."""
        self.measure()
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(PATIENCE_SECONDS)

    def kill_web(self) -> None:
        """Kill the web process. The supervisor starts another; without a supervisor, this does."""
        self.measure()
        web = self.web
        os.kill(web, signal.SIGKILL)
        if web == self.process.pid:
            self.process.wait()
            self.start()
        else:
            assert wait_until(lambda: not Path(f"/proc/{web}").exists())
            self.await_answer()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
                self.process.wait()


PURPOSE = "purpose ZmlsZQ==,filename YS5iaW4="


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def memory_of(pid: int, field: str) -> int:
    """``VmRSS`` or ``VmHWM`` of a process in bytes."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


ACCOUNT = """
import json
from django.test import Client
from tests.factories.accounts import UserFactory
browser = Client()
browser.force_login(UserFactory(username="endurance", role="instructor"))
print("session", json.dumps({name: each.value for name, each in browser.cookies.items()}))
"""


def create_account(environment: Mapping[str, str]) -> dict[str, str]:
    """Prepare the database, without demo content, and an account; return the headers of its requests."""
    everything = {**os.environ, **environment}
    folder = Path(everything["DATA_DIR"])
    (folder / "demo.state").write_text("done")
    manage = [sys.executable, "manage.py"]
    subprocess.run([*manage, "prepare_database", "-v", "0"], cwd=ROOT, env=everything, check=True)
    shell = [*manage, "shell", "-v", "0", "-c", ACCOUNT]
    output = subprocess.run(shell, cwd=ROOT, env=everything, check=True, stdout=subprocess.PIPE, text=True).stdout
    cookies = json.loads(next(line for line in output.splitlines() if line.startswith("session"))[8:])
    return headers_of(cookies["sessionid"])
