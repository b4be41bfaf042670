"""Five hundred sockets on one topic, on the embedded profile: one web process, SQLite, no Redis.

    python -m tests.bench sockets          500 sockets
    python -m tests.bench sockets 100      fewer

Prints how long a new post takes until the last socket has heard of it, from the click on (the goal is a second), and
whether a browser that was away for a while ends with the same page as one that stayed.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from typing import Any

from tests import servers
from tests.bench import EMAIL

SOCKETS, PER_USER, POSTS, GOAL = 500, 5, 7, 1.0
PART = re.compile(r'<div data-at="(\w+)"[^>]*>(.*?)</div>\s*(?=<div data-at|</div>\s*$)', re.DOTALL)
STAMP = re.compile(r'data-stamp="(\d+)"')


def bench_sockets(words: list[str]) -> None:
    """Start the web process of the embedded profile and print the figures."""
    count = next((int(word) for word in words if word.isdecimal()), SOCKETS)
    port = servers.free_port()
    with tempfile.TemporaryDirectory() as folder:
        os.environ |= {
            "DATABASE_URL": f"sqlite:///{folder}/sockets.sqlite3",
            "DJANGO_SETTINGS_MODULE": "studyplatform.settings.embedded",
            "DATA_DIR": folder,
            "SITE_URL": f"http://127.0.0.1:{port}",
            "PORT": str(port),
        }
        import django

        django.setup()
        from django.core.management import call_command

        from studyplatform.supervisor import commands

        call_command("prepare_database", verbosity=0)
        topic, cookies = _fill(count)
        web = subprocess.Popen(commands("127.0.0.1", port)["web"])
        try:
            asyncio.run(_measure(Site(port, topic, cookies)))
        finally:
            web.terminate()
            web.wait()


def _fill(count: int) -> tuple[int, list[str]]:
    """A topic, and the cookies of signed-in browsers: the one that writes, and enough for all sockets."""
    from datetime import timedelta

    from django.conf import settings
    from django.test import Client
    from django.utils import timezone

    from apps.accounts.models import User
    from apps.forum import services
    from apps.forum.models import Board

    now = timezone.now()
    users = [
        User.objects.create(email=f"{n}-{EMAIL}", username=f"bench{n}", email_verified_at=now,
                            date_joined=now - timedelta(days=60))
        for n in range(1 + -(-count // PER_USER))
    ]  # fmt: skip
    board = Board.objects.create(slug="bench", title="Bench")
    topic = services.open_topic(board=board, author=users[0], kind="question", title="Who is there?", source="Hello?",
                                now=now)  # fmt: skip
    cookies = []
    for user in users:
        browser = Client()
        browser.force_login(user)
        cookies.append(f"{settings.SESSION_COOKIE_NAME}={browser.cookies[settings.SESSION_COOKIE_NAME].value}")
    writer = cookies[:1]
    return topic.pk, writer + [cookie for cookie in cookies[1:] for _ in range(PER_USER)][:count]


class Site:
    """The running site: the writer's requests, and the addresses of the topic."""

    def __init__(self, port: int, topic: int, cookies: list[str]) -> None:
        self.origin, self.path = f"http://127.0.0.1:{port}", f"/forum/topics/{topic}"
        self.socket = f"ws://127.0.0.1:{port}/ws/forum/topics/{topic}/"
        self.writer, self.readers = cookies[0], cookies[1:]

    def ask(self, path: str, cookie: str, form: dict[str, str] | None = None) -> str:
        from urllib.parse import urlencode
        from urllib.request import HTTPRedirectHandler, Request, build_opener

        class Stay(HTTPRedirectHandler):
            def redirect_request(self, *_: Any) -> None:
                return None

        token = "a" * 32
        headers = {"Cookie": f"{cookie}; csrftoken={token}", "Origin": self.origin, "Accept-Encoding": "identity"}
        data = urlencode({**form, "csrfmiddlewaretoken": token}).encode() if form is not None else None
        try:
            with build_opener(Stay).open(Request(self.origin + path, data, headers), timeout=60) as answer:  # noqa: S310
                return str(answer.read().decode())
        except OSError as error:
            if getattr(error, "code", 0) == 302:
                return str(error.headers["Location"])  # type: ignore[attr-defined]
            raise

    def reply(self, source: str) -> str:
        return self.ask(f"{self.path}/reply", self.writer, {"source": source})


class Page:
    """What a browser shows of the topic, kept up to date as the script of the page does it."""

    def __init__(self, site: Site, cookie: str) -> None:
        self.site, self.cookie, self.stamp = site, cookie, -1
        self.posts: dict[str, str] = {}

    def fetch(self) -> None:
        since = f"&since={self.stamp}" if self.stamp >= 0 else ""
        text = self.site.ask(f"{self.site.path}/posts?page=1{since}", self.cookie)
        self.posts = {name: html.strip() or self.posts[name] for name, html in PART.findall(text)}
        found = STAMP.search(text)
        self.stamp = int(found[1]) if found else self.stamp


async def _wait_for_site(site: Site) -> None:
    for _ in range(600):
        try:
            await asyncio.to_thread(site.ask, "/healthz", "")
        except OSError:
            await asyncio.sleep(0.2)
        else:
            return
    sys.exit("the web process does not answer")


async def _measure(site: Site) -> None:
    from websockets.asyncio.client import connect

    await _wait_for_site(site)
    async with AsyncExitStack() as stack:
        sockets = []
        for cookie in site.readers:
            opening = connect(site.socket, additional_headers={"Cookie": cookie}, origin=site.origin, open_timeout=60)  # type: ignore[arg-type]
            sockets.append(await stack.enter_async_context(opening))
        for socket in sockets:
            await asyncio.wait_for(socket.recv(), 30)
        print(f"{len(sockets)} sockets are open", flush=True)

        async def heard(socket: Any, number: int) -> float:
            while True:
                message = json.loads(await asyncio.wait_for(socket.recv(), 30))
                if message.get("last", 0) >= number:
                    return time.monotonic()

        stayed, away = Page(site, site.readers[0]), Page(site, site.readers[0])
        for page in (stayed, away):
            await asyncio.to_thread(page.fetch)
        took = []
        for number in range(2, POSTS + 2):
            listening = asyncio.gather(*[heard(socket, number) for socket in sockets])
            await asyncio.sleep(1.5)
            began = time.monotonic()
            written = await asyncio.to_thread(site.reply, f"I am number {number} of those who are here.")
            moments = await listening
            took.append(max(moments) - began)
            await asyncio.to_thread(stayed.fetch)
        post = written.rpartition("#p")[2]
        await asyncio.to_thread(site.ask, f"/forum/posts/{post}/delete", site.writer, {})
        await asyncio.to_thread(stayed.fetch)
        await asyncio.to_thread(away.fetch)
        print(f"a new post reaches all of them after {statistics.median(took):.2f} s, at most {max(took):.2f} s "
              f"(goal {GOAL:.0f} s)", flush=True)  # fmt: skip
        is_same = away.posts == stayed.posts and len(stayed.posts) == POSTS + 1
        print(f"a browser that was away shows {'the same' if is_same else 'ANOTHER PAGE'}", flush=True)
        if not is_same:
            sys.exit(1)
