"""Redis is killed while an answer is written, with two web processes: nothing is lost, nothing is doubled."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Origin

from apps.accounts.models import User
from apps.tutor import services
from apps.tutor.models import Answer
from apps.tutor.streaming.units import units
from tests.servers import free_port
from tests.tutor.test_mcp_servers import database_url
from tests.uploads.server import wait_until

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database, pytest.mark.long]

ROOT = Path(__file__).resolve().parents[2]
WORDS, STEP = 60, 0.2
"""What the model says, and the seconds between two words."""

# A web process whose model says numbered words. It continues after what is written.
_SERVER = f"""
import asyncio, sys
import django
django.setup()
import uvicorn
from apps.tutor import providers
from apps.tutor.providers import Usage

class Slow:
    name, is_search = "slow", False
    async def stream(self, prompt):
        for number in range(prompt.written.count("word"), {WORDS}):
            yield f"word{{number}} "
            await asyncio.sleep({STEP})
        yield Usage()

providers.current = lambda user, course: Slow()
PLACE = {{"host": "127.0.0.1", "port": int(sys.argv[1])}}
uvicorn.run("studyplatform.asgi:application", ws="websockets-sansio", log_level="critical", **PLACE)
"""


class Site:
    """Two web processes, A and B, and their Redis."""

    def __init__(self, folder: Path) -> None:
        port = free_port()
        self.redis = subprocess.Popen(
            ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)],
            stdout=subprocess.DEVNULL,
        )
        environment = {
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "studyplatform.settings.test",
            "DATA_DIR": str(folder),
            "DATABASE_URL": database_url(),
            "REDIS_URL": f"redis://127.0.0.1:{port}/0",
        }
        environment.pop("PYTEST_XDIST_WORKER", None)
        self.ports = [free_port(), free_port()]
        self.webs = [
            subprocess.Popen([sys.executable, "-c", _SERVER, str(one)], cwd=ROOT, env=environment) for one in self.ports
        ]

    def is_up(self) -> bool:
        with contextlib.suppress(httpx.HTTPError):
            return all(httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200 for port in self.ports)
        return False

    def kill(self, process: "subprocess.Popen[bytes]") -> None:
        process.send_signal(signal.SIGKILL)
        process.wait()

    def close(self) -> None:
        for one in (*self.webs, self.redis):
            if one.poll() is None:
                self.kill(one)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    one = Site(tmp_path)
    try:
        assert wait_until(one.is_up)
        yield one
    finally:
        one.close()


class Page:
    """A page of the learner at one of the processes, with its socket."""

    def __init__(self, site: Site, web: int, browser: Client) -> None:
        self.origin = f"http://127.0.0.1:{site.ports[web]}"
        session = browser.cookies[settings.SESSION_COOKIE_NAME].value
        self.cookie = f"{settings.SESSION_COOKIE_NAME}={session}; csrftoken={'a' * 32}"
        self.text, self.ended = "", dict[str, Any]()
        self.socket: ClientConnection | None = None

    def call(self, verb: str, path: str, body: Any = None) -> Any:
        headers = {"Cookie": self.cookie, "X-CSRFToken": "a" * 32, "Origin": self.origin}
        answer = httpx.request(verb, f"{self.origin}/api/v1/tutor{path}", json=body, headers=headers, timeout=20)
        assert answer.status_code < 300, (verb, path, answer.status_code, answer.text)
        return answer.json()

    def follow(self, answer: Answer) -> None:
        if self.socket is None:
            address = f"{self.origin.replace('http', 'ws')}/ws/tutor/"
            self.socket = connect(address, origin=Origin(self.origin), additional_headers={"Cookie": self.cookie})
        self.ended = {}
        asked = {"type": "follow", "answer": str(answer.uid), "offset": units(self.text)}
        self.socket.send(json.dumps(asked))

    def read(self, until: int = 0, seconds: float = 30) -> None:
        """Receive until the text has so many words; 0: until the answer has ended. The pieces follow each other."""
        assert self.socket is not None
        deadline = time.monotonic() + seconds
        while not self.ended and not (until and self.text.count("word") >= until):
            message = json.loads(self.socket.recv(timeout=max(0.0, deadline - time.monotonic())))
            if message["type"] == "text":
                assert message["offset"] == units(self.text), (message, self.text)
                self.text += message["text"]
            elif message["type"] == "ended":
                self.ended = message["answer"]


def whole(count: int = WORDS) -> str:
    return "".join(f"word{number} " for number in range(count))


def asked_by(leo: User) -> Answer:
    asked = services.Asked(question="Why does a river bend?", key=uuid4())
    exchange = services.start_chat(user=leo, asked=asked, course=None, now=timezone.now())
    answer: Answer = exchange.answers.get()
    return answer


def test_the_answer_goes_on_by_the_tables_and_can_be_stopped_and_continued(
    site: Site, leo: User, browser_of: Any
) -> None:
    answer, browser = asked_by(leo), browser_of(leo)
    first, second = Page(site, 0, browser), Page(site, 1, browser)
    first.follow(answer)
    first.read(10)
    second.follow(answer)
    second.read(10)
    site.kill(site.redis)

    # Stopped by the other process: no message says so, the tables do.
    first.read(20)
    second.read(20)
    assert second.call("POST", f"/answers/{answer.uid}/stop/")["state"] == "stopped"
    for page in (first, second):
        page.read(seconds=5)
        assert page.ended["state"] == "stopped"
    stopped = Answer.objects.get(pk=answer.pk).text
    assert whole().startswith(stopped)
    assert first.text == second.text == stopped

    assert second.call("POST", f"/answers/{answer.uid}/continue/")["state"] == "waiting"
    second.follow(answer)
    second.read(40)
    first.follow(answer)
    for page in (first, second):
        page.read()
        assert (page.ended["state"], page.text.strip()) == ("finished", whole().strip())
    saved = Answer.objects.get(pk=answer.pk)
    assert (saved.text.strip(), saved.state, saved.claims) == (whole().strip(), "finished", 2)

    # The next question is asked, and its answer read without a socket, while Redis is still away.
    begun = first.call("POST", "/chats/", {"question": "And why a delta?", "key": str(uuid4())})
    [later] = begun["exchange"]["answers"]
    assert second.call("GET", f"/answers/{later['uid']}/")["state"] == "waiting"
    third = Page(site, 1, browser)
    third.follow(Answer.objects.get(uid=later["uid"]))
    third.read()
    assert third.text.strip() == whole().strip()


def test_what_was_shown_is_kept_if_the_process_dies_too(site: Site, leo: User, browser_of: Any) -> None:
    answer, browser = asked_by(leo), browser_of(leo)
    first, second = Page(site, 0, browser), Page(site, 1, browser)
    first.follow(answer)
    second.follow(answer)
    first.read(15)
    site.kill(site.redis)
    site.kill(site.webs[0])
    second.read()
    assert second.ended["state"] == "interrupted"
    assert second.text.startswith(first.text)
    assert whole().startswith(second.text)
    second.call("POST", f"/answers/{answer.uid}/continue/")
    second.follow(answer)
    second.read()
    assert (second.ended["state"], second.text.strip()) == ("finished", whole().strip())
