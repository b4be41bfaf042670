"""After the web server is killed during an upload, the browser resumes from the last saved byte.

`tests.uploads` does the same at length, with other people's clients; here it runs with 50 MB.
"""

import hashlib
import http.client
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import connection
from django.test import Client

from apps.files.models import Upload, VideoAsset
from studyplatform.kit.models import Job
from studyplatform.supervisor import WEB
from tests.files.test_uploads import CHUNK_SIZE, MOVIE, facts
from tests.servers import free_port
from tests.uploads.endurance import MEGABYTE, run
from tests.uploads.server import Server, headers_of, wait_until

pytestmark = [pytest.mark.media, pytest.mark.django_db(transaction=True)]

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
PART = 256 * 1024


class Site:
    """A server in a separate process that uses the test's database."""

    def __init__(self, folder: Path, command: list[str], port: int) -> None:
        self.port = port
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "studyplatform.settings.test",
            "DATA_DIR": str(folder),
            "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
        }
        self.process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
        assert wait_until(self._answers)

    def _answers(self) -> bool:
        try:
            self.call("OPTIONS", "/api/v1/uploads/", {})
        except OSError:
            return False
        return True

    def call(self, verb: str, path: str, headers: dict[str, str], body: Any = None) -> http.client.HTTPResponse:
        line = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        line.request(verb, path, body, headers, encode_chunked="Transfer-Encoding" in headers)
        answer = line.getresponse()
        answer.read()
        line.close()
        return answer

    def kill(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()


SERVERS = {
    "asgi": [str(BIN / "uvicorn"), "studyplatform.asgi:application", *WEB, "--port"],
    "wsgi": [str(BIN / "gunicorn"), "-w", "1", "--log-level", "error", "studyplatform.wsgi:application", "-b"],
}


@pytest.fixture(params=SERVERS)
def start(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    started: list[Site] = []

    def start_site() -> Site:
        port = free_port()
        place = str(port) if request.param == "asgi" else f"127.0.0.1:{port}"
        started.append(Site(tmp_path, [*SERVERS[request.param], place], port))
        return started[-1]

    yield start_site
    for site in started:
        if site.process.poll() is None:
            site.kill()


def slowly(data: bytes, gate: threading.Event) -> Iterator[bytes]:
    """Yield a request body that pauses in the middle until the gate opens."""
    yield data[: len(data) // 2]
    gate.wait(20)
    yield data[len(data) // 2 :]


def test_an_upload_survives_cut_connections_and_kill_9(start, ada, browser_of, tmp_path: Path) -> None:
    whole = MOVIE + random.Random(1).randbytes(6 * PART)
    browser: Client = browser_of(ada)
    token = browser.get("/api/v1/auth/session/").json()["token"]
    who = {"Authorization": f"Bearer {token}", "Tus-Resumable": "1.0.0"}
    site = start()
    begun = site.call(
        "POST",
        "/api/v1/uploads/",
        {**who, "Upload-Length": str(len(whole)), "Upload-Metadata": facts(filename="lecture.mp4")},
    )
    address = urlsplit(begun.getheader("Location") or "").path
    assert begun.status == 201

    def send(offset: int, body: Any, length: int) -> http.client.HTTPResponse:
        headers = {"Upload-Offset": str(offset), "Content-Type": CHUNK_SIZE, "Content-Length": str(length)}
        return site.call("PATCH", address, {**who, **headers}, body)

    def offset() -> int:
        return int(site.call("HEAD", address, who).getheader("Upload-Offset") or -1)

    def cut(begin: int, end: int, *, announced: int) -> None:
        """Send a part of a chunk, then close the connection at once: the server gets both in the same moment."""
        line = http.client.HTTPConnection("127.0.0.1", site.port, timeout=30)
        line.putrequest("PATCH", address)
        headers = {"Upload-Offset": str(begin), "Content-Type": CHUNK_SIZE, "Content-Length": str(announced)}
        for name, value in {**who, **headers}.items():
            line.putheader(name, value)
        line.endheaders(whole[begin:end])
        line.close()

    # All received bytes of an interrupted chunk are saved.
    cut(0, 70_001, announced=len(whole))
    assert wait_until(lambda: offset() == 70_001)
    cut(70_001, PART, announced=PART)
    assert wait_until(lambda: offset() == PART)
    # A body of unknown length is read to the end.
    chunks = {"Upload-Offset": str(PART), "Content-Type": CHUNK_SIZE, "Transfer-Encoding": "chunked"}
    halves = (whole[at : at + PART // 2] for at in (PART, PART + PART // 2))
    assert site.call("PATCH", address, {**who, **chunks}, halves).status == 204
    assert offset() == 2 * PART
    gate = threading.Event()

    def fail_quietly() -> None:
        try:
            send(2 * PART, slowly(whole[2 * PART : 4 * PART], gate), 2 * PART)
        except OSError:
            failed.append(True)

    failed: list[bool] = []
    sender = threading.Thread(target=fail_quietly)
    sender.start()
    time.sleep(1)
    site.kill()
    gate.set()
    sender.join(30)
    assert failed

    site = start()
    kept = offset()
    assert 2 * PART <= kept < 4 * PART
    assert send(kept, whole[kept:], len(whole) - kept).status == 204

    upload = Upload.objects.get()
    arrived = (tmp_path / "uploads" / upload.uid.hex).read_bytes()
    assert hashlib.sha256(arrived).hexdigest() == hashlib.sha256(whole).hexdigest()
    assert VideoAsset.objects.get().stage == "queued"
    assert Job.objects.filter(kind="files.process_video").count() == 1


@pytest.mark.long
def test_50_mb_by_tus_js_client_survive_cuts_restarts_and_kill_9(ada, browser_of, tmp_path: Path) -> None:
    """The endurance run that is cheap enough for each test run: SQLite, without the supervisor."""
    environment = {
        "DJANGO_SETTINGS_MODULE": "studyplatform.settings.test",
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": f"sqlite:///{connection.settings_dict['NAME']}",
    }
    port = free_port()
    session = browser_of(ada).cookies["sessionid"].value
    server = Server([*SERVERS["asgi"], str(port)], port, environment, headers_of(session))
    try:
        report = run(server, "javascript", tmp_path, 50 * MEGABYTE, is_patient=False)
    finally:
        server.stop()

    assert report.problems == []
    assert (report.cuts, report.restarts, report.kills) == (20, 2, 1)
    assert report.interrupted > 10


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        ["--client", "python"],
        ["--client", "javascript-parallel"],
        ["--client", "javascript", "--client", "python", "--client", "javascript-parallel", "--postgres"],
    ],
    ids=" ".join,
)
def test_50_mb_by_other_clients_survive_in_both_profiles(options: list[str]) -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.uploads", "--megabytes", "50", *options],
        cwd=ROOT,
        env={
            name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL", "DATA_DIR"}
        },
        stdout=subprocess.PIPE,
        text=True,
    )

    assert ended.returncode == 0, ended.stdout
