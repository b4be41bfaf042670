"""Pages and calls: CPU per request in R, SQL, bytes."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import http.client
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests import servers
from tests.bench import BIG, EMAIL, PASSWORD, VIDEO, data_files, processes

ROUNDS, REQUESTS = int(os.environ.get("BENCH_ROUNDS", "3")), 100
WORKERS = 2
BIN = Path(sys.executable).parent
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip


@dataclass(frozen=True)
class Ask:
    """One request."""

    path: str
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None

    @property
    def method(self) -> str:
        return "GET" if self.body is None else "POST"


@dataclass
class Server:
    """A running server: its port, and the processes whose CPU time counts."""

    port: int
    roots: tuple[int, ...]

    def get(self, path: str, cookie: str = "") -> http.client.HTTPResponse:
        return self.ask(Ask(path, {"Cookie": cookie} if cookie else {}))

    def ask(self, ask: Ask) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        headers = dict(ask.headers)
        body = None
        if ask.body is not None:
            body, headers["Content-Type"] = json.dumps(ask.body), "application/json"
        connection.request(ask.method, ask.path, body, headers)
        answer = connection.getresponse()
        answer.body = answer.read()  # type: ignore[attr-defined]
        connection.close()
        return answer


@contextlib.contextmanager
def gunicorn(application: str, env: dict[str, str], *more_roots: int) -> Iterator[Server]:
    port = servers.free_port()
    process = subprocess.Popen(
        [BIN / "gunicorn", "-w", str(WORKERS), "-b", f"127.0.0.1:{port}", "--log-level", "error", application],
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


def cpu_per_request(server: Server, asks: list[Ask]) -> float:
    """Milliseconds of CPU per request, all processes of the server."""
    before = processes.cpu(*server.roots)
    for ask in asks:
        answer = server.ask(ask)
        if answer.status not in {200, 204}:
            sys.exit(f"{ask.path} answered {answer.status} {answer.body[:300]!r}")  # type: ignore[attr-defined]
    return (processes.cpu(*server.roots) - before) / len(asks) * 1000


def sign_in(server: Server, email: str, password: str) -> str:
    """The cookies of a signed-in browser."""
    page = server.get("/auth/login")
    token = re.search(r"csrftoken=([^;]+)", str(page.headers)).group(1)  # type: ignore[union-attr]
    answer = server.ask(
        Ask(
            "/api/v1/auth/login",
            {"Cookie": f"csrftoken={token}", "X-CSRFToken": token},
            {"email": email, "password": password},
        )
    )
    if answer.status != 200:
        sys.exit(f"cannot sign in: {answer.status} {answer.body[:200]!r}")  # type: ignore[attr-defined]
    session = re.search(r"sessionid=([^;]+)", str(answer.headers)).group(1)  # type: ignore[union-attr]
    return f"sessionid={session}; csrftoken={token}"


def weights(port: int, path: str, cookie: str) -> dict[str, int]:
    """Bytes over the wire by kind and the number of requests, cold, in Chromium."""
    from playwright.sync_api import sync_playwright

    total = {"document": 0, "script": 0, "stylesheet": 0, "font": 0, "all": 0, "requests": 0}
    with sync_playwright() as p:
        browser = p.chromium.launch(executable_path=servers.chromium(), args=FLAGS)
        context = browser.new_context()
        origin = f"http://127.0.0.1:{port}"
        pairs = (pair.split("=", 1) for pair in cookie.split("; ") if pair)
        context.add_cookies([{"name": name, "value": value, "url": origin} for name, value in pairs])
        page = context.new_page()
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        kinds: dict[str, str] = {}
        session.on("Network.responseReceived", lambda e: kinds.update({e["requestId"]: e["type"].lower()}))

        def finished(event: dict[str, Any]) -> None:
            kind = kinds.get(event["requestId"], "other")
            total["all"] += int(event["encodedDataLength"])
            total["requests"] += 1
            if kind in total:
                total[kind] += int(event["encodedDataLength"])

        session.on("Network.loadingFinished", finished)
        page.goto(origin + path, wait_until="networkidle")
        page.wait_for_timeout(500)
        browser.close()
    return total


@dataclass(frozen=True)
class Row:
    """A row of the table. ``asks`` gives the requests of a round; ``goal`` in R; ``less`` names a row to subtract."""

    name: str
    goal: float | None
    asks: Callable[[int], list[Ask]]
    less: str = ""
    uncached: bool = False
    """Measured on a server that caches no pages for visitors."""


class Players:
    """Requests of browsers while learners watch a video and submit a quiz; each comes from another learner."""

    def __init__(self, facts: dict[str, Any]) -> None:
        self.facts = facts
        self.people = facts["people"]
        self.second = 0

    def watching(self, _round: int) -> list[Ask]:
        """Five more seconds of video, as the player sends them: all intervals since the page was opened."""
        self.second += 5
        return [
            Ask(
                self.facts["progress"],
                {"Authorization": f"Bearer {one['token']}"},
                {
                    "position": float(self.second),
                    "watched": [[0, self.second]],
                    "at": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                },
            )
            for one in self.people[:REQUESTS]
        ]

    def handing_in(self, turn: int) -> list[Ask]:
        return [
            Ask(one["submit"], {"Authorization": f"Bearer {one['token']}"}, {"answers": self.facts["answers"]})
            for one in self.people[turn * REQUESTS : (turn + 1) * REQUESTS]
        ]


def rows_of(cookie: str, players: Players) -> list[Row]:
    def page(
        name: str,
        goal: float | None,
        path: str,
        who: str = "",
        *,
        less: str = "",
        packed: bool = False,
        uncached: bool = False,
    ) -> Row:
        headers = ({"Cookie": who} if who else {}) | ({"Accept-Encoding": "gzip"} if packed else {})
        return Row(name, goal, lambda _turn: [Ask(path, headers)] * REQUESTS, less, uncached)

    course, lesson = f"/courses/{BIG}", f"/learn/{BIG}/{VIDEO}"
    return [
        page("help, visitor, cached", 1, "/help/"),
        page("help, visitor", None, "/help/", uncached=True),
        page("signed in, more than a visitor", 0.7, "/help/", cookie, less="help, visitor"),
        page("home, visitor", None, "/", uncached=True),
        page("catalogue, visitor, cached", 1, "/courses/"),
        page("catalogue, visitor, cached, gzip", None, "/courses/", packed=True),
        page("catalogue, visitor", 2.5, "/courses/", uncached=True),
        page("catalogue, visitor, gzip", None, "/courses/", packed=True, uncached=True),
        page("catalogue, learner", None, "/courses/", cookie),
        page("search, visitor", 4, "/courses/?q=brabra+alwa", uncached=True),
        page("search, learner", 4, "/courses/?q=brabra+alwa", cookie),
        page("course of 130, visitor, cached", 1, course),
        page("course of 130, visitor", 4, course, uncached=True),
        page("course of 130, learner", 4, course, cookie),
        page("course of 130, learner, gzip", None, course, cookie, packed=True),
        page("lesson, outline of 130", 4, lesson, cookie),
        page("lesson, outline of 130, gzip", None, lesson, cookie, packed=True),
        page("download of 10 MB, sent by nginx", 2, players.facts["download"], cookie),
        page("download of 10 MB, sent by gunicorn", None, players.facts["download"], cookie, uncached=True),
        Row("progress heartbeat", 2.2, players.watching),
        Row("quiz submit, 10 questions", 5, players.handing_in),
    ]


@contextlib.contextmanager
def database() -> Iterator[tuple[dict[str, str], int]]:
    """A filled PostgreSQL; yields the environment of the site and the postmaster's pid."""
    kept = os.environ.get("BENCH_DATA")
    with contextlib.ExitStack() as stack:
        folder = Path(kept or stack.enter_context(tempfile.TemporaryDirectory()))
        folder.mkdir(parents=True, exist_ok=True)
        stamp = folder / "filled"
        made_of = hashlib.sha256(b"".join(file.read_bytes() for file in data_files())).hexdigest()
        is_filled = stamp.is_file() and stamp.read_text() == made_of
        address, pid = stack.enter_context(
            servers.postgres(durable=True, data_dir=folder / "postgres" if kept else None, initialize=not is_filled)
        )
        env = {
            "DJANGO_SETTINGS_MODULE": "tests.bench.settings",
            "DATABASE_URL": address,
            "DATA_DIR": str(folder),
            "ALLOW_STANDIN": "true",
            "SECRET_KEY": "bench-only-" + "0" * 48,
            "ALLOWED_HOSTS": "127.0.0.1",
            "EMAIL_URL": "smtp://127.0.0.1:1",
            "SITE_URL": "http://127.0.0.1",
        }
        manage(env, "prepare_database", "-v", "0")
        if not is_filled:
            print("filling the database: 10,000 courses, 1,000 learners", flush=True)
            manage(env, "shell", "-v", "0", "-c", "from tests.bench import data; data.fill()")
            stamp.write_text(made_of)
        manage(env, "collectstatic", "-v", "0", "--noinput")
        yield env, pid


def manage(env: dict[str, str], *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        env={**os.environ, **env},
        check=True,
        text=True,
        stdout=subprocess.PIPE,
    )
    return done.stdout


def bench_pages(words: list[str]) -> None:
    """Print the table, or only the rows whose name contains one of the words."""
    people = f"import json; from tests.bench import data; print(json.dumps(data.players({ROUNDS * REQUESTS})))"
    with (
        database() as (env, postmaster),
        gunicorn("tests.bench.reference:application", {}) as reference,
        # nginx would send what this one only names; nothing but the download has such a file.
        gunicorn("studyplatform.wsgi:application", {**env, "MEDIA_ACCEL_PREFIX": "/protected/"}, postmaster) as keeping,
        gunicorn("studyplatform.wsgi:application", {**env, "VISITOR_PAGES": "false"}, postmaster) as making,
    ):
        players = Players(json.loads(manage(env, "shell", "-v", "0", "-c", people)))
        rows = rows_of(sign_in(keeping, EMAIL, PASSWORD), players)
        wanted = [row for row in rows if not words or any(word in row.name for word in words)]
        columns = f"{'html':>9}{'gzip':>8}" + ("" if words else f"{'JS':>8}{'CSS':>8}{'fonts':>8}{'all':>9}{'req':>5}")
        print(f"\n{'page or call':32}{'R':>7}{'goal':>6}{'SQL':>5}{columns}")
        for row in wanted:
            site = making if row.uncached else keeping
            if row.asks != players.handing_in:  # each attempt can be submitted once
                for ask in row.asks(0)[:1] * WORKERS * 4:
                    site.ask(ask)
            ratios = []
            less = next((one for one in rows if one.name == row.less), None)
            for turn in range(ROUNDS):
                unit = cpu_per_request(reference, [Ask("/")] * REQUESTS)
                cost = cpu_per_request(site, row.asks(turn))
                if less is not None:  # measured together, because the difference is small
                    cost -= cpu_per_request(making if less.uncached else keeping, less.asks(turn))
                ratios.append(cost / unit)
            value = statistics.median(ratios)
            last = row.asks(ROUNDS - 1)[-1]
            answer = site.ask(last)
            line = f"{row.name:32}{value:7.2f}{row.goal or '':>6}{answer.headers['X-SQL']:>5}"
            print(line + _bytes(site, last, answer, in_full=not words), flush=True)


def _bytes(site: Server, ask: Ask, answer: http.client.HTTPResponse, *, in_full: bool) -> str:
    body: bytes = answer.body  # type: ignore[attr-defined]
    if answer.headers["Content-Encoding"] == "gzip":
        body = gzip.decompress(body)
    text = f"{len(body):9,}{len(gzip.compress(body, 6)):8,}"
    if not in_full or ask.body is not None:
        return text
    weight = weights(site.port, ask.path, ask.headers.get("Cookie", ""))
    columns = f"{weight['script']:8,}{weight['stylesheet']:8,}{weight['font']:8,}{weight['all']:9,}"
    return f"{text}{columns}{weight['requests']:5}"
