"""Measure and print one table. Figures are ratios to the reference of the same run (docs/performance.md)."""

from __future__ import annotations

import contextlib
import gzip
import http.client
import json
import os
import re
import secrets
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests import servers
from tests.bench import BIG, EMAIL, PASSWORD, processes
from tests.bench.video import bench_video

ROUNDS, REQUESTS = 3, 100
BIN = Path(sys.executable).parent
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip


@dataclass
class Server:
    """A running server: where it listens and whose CPU counts."""

    port: int
    roots: tuple[int, ...]

    def get(self, path: str, cookie: str = "") -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path, headers={"Cookie": cookie} if cookie else {})
        answer = connection.getresponse()
        answer.body = answer.read()  # type: ignore[attr-defined]
        connection.close()
        return answer


@contextlib.contextmanager
def gunicorn(application: str, env: dict[str, str], *more_roots: int) -> Iterator[Server]:
    port = servers.free_port()
    process = subprocess.Popen(
        [BIN / "gunicorn", "-w", "2", "-b", f"127.0.0.1:{port}", "--log-level", "error", application],
        env={**os.environ, **env},
    )
    try:
        for _ in range(300):
            with contextlib.suppress(OSError):
                Server(port, ()).get("/healthz")
                break
            time.sleep(0.1)
        yield Server(port, (process.pid, *more_roots))
    finally:
        process.terminate()
        process.wait()


def cpu_per_request(server: Server, path: str, cookie: str = "") -> float:
    """Milliseconds of CPU per request, all processes of the server."""
    before = processes.cpu(*server.roots)
    for _ in range(REQUESTS):
        answer = server.get(path, cookie)
        if answer.status != 200:
            sys.exit(f"{path} answered {answer.status}")
    return (processes.cpu(*server.roots) - before) / REQUESTS * 1000


def sign_in(server: Server, email: str, password: str) -> str:
    """The cookies of a signed-in browser."""
    page = server.get("/auth/login")
    token = re.search(r"csrftoken=([^;]+)", str(page.headers)).group(1)  # type: ignore[union-attr]
    connection = http.client.HTTPConnection("127.0.0.1", server.port)
    connection.request(
        "POST",
        "/api/v1/auth/login",
        json.dumps({"email": email, "password": password}),
        {"Content-Type": "application/json", "Cookie": f"csrftoken={token}", "X-CSRFToken": token},
    )
    answer = connection.getresponse()
    if answer.status != 200:
        sys.exit(f"cannot sign in: {answer.status} {answer.read()[:200]!r}")
    session = re.search(r"sessionid=([^;]+)", str(answer.headers)).group(1)  # type: ignore[union-attr]
    return f"sessionid={session}; csrftoken={token}"


def weights(port: int, path: str, cookie: str) -> dict[str, int]:
    """Bytes over the wire by kind and the number of requests, cold, in Chromium."""
    from playwright.sync_api import sync_playwright

    total = {"document": 0, "script": 0, "stylesheet": 0, "font": 0, "all": 0, "requests": 0}
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path="/usr/bin/chromium", args=FLAGS)
        context = browser.new_context()
        if cookie:
            context.set_extra_http_headers({"Cookie": cookie})
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        kinds: dict[str, str] = {}
        session.on("Network.responseReceived", lambda e: kinds.update({e["requestId"]: e["type"].lower()}))

        def finished(event: dict) -> None:
            kind = kinds.get(event["requestId"], "other")
            total["all"] += int(event["encodedDataLength"])
            total["requests"] += 1
            if kind in total:
                total[kind] += int(event["encodedDataLength"])

        session.on("Network.loadingFinished", finished)
        page.goto(f"http://127.0.0.1:{port}{path}", wait_until="networkidle")
        page.wait_for_timeout(500)
        browser.close()
    return total


def bench_pages() -> None:
    with servers.postgres(durable=True) as (database, postmaster), tempfile.TemporaryDirectory() as folder:
        env = {
            "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
            "DATABASE_URL": database,
            "DATA_DIR": folder,
            "SECRET_KEY": secrets.token_urlsafe(48),
            "ALLOWED_HOSTS": "127.0.0.1",
            "SITE_URL": "http://127.0.0.1",
        }
        manage = [sys.executable, "manage.py"]
        print("filling the database: 10,000 courses, 1,000 learners", flush=True)
        subprocess.run([*manage, "prepare_database", "-v", "0"], env={**os.environ, **env}, check=True)
        subprocess.run(
            [*manage, "shell", "-v", "0", "-c", "from tests.bench import data; data.fill()"],
            env={**os.environ, **env},
            check=True,
        )
        subprocess.run([*manage, "collectstatic", "-v", "0", "--noinput"], env={**os.environ, **env}, check=True)
        with (
            gunicorn("tests.bench.reference:application", {}) as reference,
            gunicorn("studyplatform.wsgi:application", env, postmaster) as site,
        ):
            cookie = sign_in(site, EMAIL, PASSWORD)
            course = f"/courses/{BIG}"
            rows = [
                ("home, visitor", "/", ""),
                ("catalogue, visitor", "/courses/", ""),
                ("catalogue, search", "/courses/?q=brabra+alwa", ""),
                ("course, 130 lessons, visitor", course, ""),
                ("course, 130 lessons, learner", course, cookie),
                ("lesson, outline of 130", f"/learn/{BIG}/lesson-7-6", cookie),
            ]
            print(
                f"\n{'page':32}{'R':>7}{'SQL':>5}{'html':>9}{'gzip':>8}{'JS':>8}{'CSS':>8}{'fonts':>8}{'all':>9}{'req':>5}"
            )
            for path, who in {(path, who) for _, path, who in rows}:
                site.get(path, who)
            for name, path, who in rows:
                ratios = []
                for _ in range(ROUNDS):
                    unit = cpu_per_request(reference, "/")
                    ratios.append(cpu_per_request(site, path, who) / unit)
                answer = site.get(path, who)
                body: bytes = answer.body  # type: ignore[attr-defined]
                weight = weights(site.port, path, who)
                print(
                    f"{name:32}{statistics.median(ratios):7.2f}{answer.headers['X-SQL']:>5}{len(body):9,}"
                    f"{len(gzip.compress(body, 6)):8,}{weight['script']:8,}{weight['stylesheet']:8,}{weight['font']:8,}"
                    f"{weight['all']:9,}{weight['requests']:5}",
                    flush=True,
                )


if __name__ == "__main__":
    bench_pages()
    bench_video()
