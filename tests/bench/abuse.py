"""What the worst requests known cost: CPU of the server per request, as a multiple of the cheapest call.

The site runs with its demo content on this machine, without rate limits. As a visitor, a learner and an instructor,
every call of the API's schema gets bodies that are hostile to parsers, every page that links lead to hostile queries,
every form found there hostile texts and files, /mcp hostile arguments and a socket a flood of messages. The table shows
the dearest; no request may cost more than `GOAL_SECONDS`.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests import servers
from tests.bench import processes
from tests.bench.attacks import LEFT_OUT, Attack, assistant, calls, forms, headers, pages
from tests.bench.page_forms import crawl, route_patterns
from tests.bench.pages import BIN, Ask, Server, manage, sign_in

GOAL_SECONDS = 0.5
SHOWN = 10
KEPT_OF_REFUSED = 8
PEOPLE = {"learner": "student@example.com", "instructor": "instructor@example.com"}
PASSWORD = "StudyDemo1"
HARVEST = f"from tests.bench.harvest import harvest; print('HARVEST' + harvest({list(PEOPLE.values())}))"
ALWAYS_OPENED = ("/", "/courses/", "/forum", "/files", "/dashboard", "/settings", "/help", "/chat/")

Found = tuple[float, int, int, Attack]  # CPU seconds, status, and bytes of the answer


@contextlib.contextmanager
def site() -> Iterator[tuple[Server, dict[str, Any]]]:
    """The site with its demo content; and what `harvest` found there. What is done to it is not kept."""
    with contextlib.ExitStack() as stack:
        kept = Path(os.environ.get("BENCH_DATA") or stack.enter_context(tempfile.TemporaryDirectory()))
        port = servers.free_port()
        env = {"DJANGO_SETTINGS_MODULE": "tests.bench.abuse_settings", "PORT": str(port), "LOG_LEVEL": "CRITICAL"}
        if not (kept / "demo").exists():
            print("loading the demo content", flush=True)
            manage({**env, "DATA_DIR": str(kept)}, "prepare_database", "-v", "0")
            manage({**env, "DATA_DIR": str(kept)}, "seed_demo", "-v", "0")
            (kept / "demo").touch()
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        shutil.copytree(kept, folder, dirs_exist_ok=True)
        env["DATA_DIR"] = folder
        manage(env, "prepare_database", "-v", "0")
        harvested = json.loads(manage(env, "shell", "-v", "0", "-c", HARVEST).rpartition("HARVEST")[2])
        web: list[str | Path] = [
            BIN / "uvicorn",
            "studyplatform.asgi:application",
            "--port",
            str(port),
            "--log-level",
            "critical",
        ]
        log = stack.enter_context(Path(os.environ.get("BENCH_LOG") or os.devnull).open("w"))
        process = subprocess.Popen(
            [*web, "--http", "h11", "--ws", "websockets-sansio", "--no-access-log"],
            env={**os.environ, **env},
            stderr=log,
        )
        try:
            server = Server(port, (process.pid,))
            for _ in range(600):
                with contextlib.suppress(OSError):
                    server.get("/healthz")
                    break
                time.sleep(0.1)
            yield server, harvested
        finally:
            process.terminate()
            process.wait()


def send(server: Server, attack: Attack) -> tuple[int, int]:
    """The status of the response and its length; 0 if the server ended the connection."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    try:
        connection.request(attack.method, attack.path, attack.body, dict(attack.headers))
        answer = connection.getresponse()
        return answer.status, len(answer.read())
    except (OSError, http.client.HTTPException):
        return 0, 0
    finally:
        connection.close()


def flood(server: Server, cookie: str) -> float:
    """CPU seconds of one of a thousand messages on the tutor's socket."""
    from websockets.exceptions import ConnectionClosed
    from websockets.sync.client import connect

    message = json.dumps({"type": "follow", "answer": "5b1ef1cc-9f0c-4b0a-8b5e-000000000000", "offset": 0})
    before = processes.cpu(*server.roots)
    origin: Any = f"http://127.0.0.1:{server.port}"
    with (
        connect(
            f"ws://127.0.0.1:{server.port}/ws/tutor/", additional_headers={"Cookie": cookie}, origin=origin
        ) as socket,
        contextlib.suppress(ConnectionClosed),
    ):
        for _ in range(1000):
            socket.send(message)
        socket.recv(timeout=5)
    return (processes.cpu(*server.roots) - before) / 1000


def _cookies(server: Server) -> dict[str, str]:
    page = server.get("/auth/login")
    visitor = str(page.headers).partition("csrftoken=")[2].partition(";")[0]
    signed_in = {who: sign_in(server, email, PASSWORD) for who, email in PEOPLE.items()}
    return {"visitor": f"csrftoken={visitor}", **signed_in}


def attacks_of(server: Server, harvested: dict[str, Any], who: str, cookie: str) -> Iterator[Attack]:
    """Everything that this person sends."""
    token = cookie.rpartition("csrftoken=")[2]
    sent = {"Cookie": cookie, "X-CSRFToken": token, "Referer": f"http://127.0.0.1:{server.port}/"}
    known = harvested["known"][PEOPLE.get(who, PEOPLE["learner"])]

    def get(address: str) -> tuple[int, str]:
        answer = server.get(address, cookie)
        return answer.status, answer.body.decode(errors="replace")  # type: ignore[attr-defined]

    routes = route_patterns(harvested["routes"])
    plain = [route for route in harvested["routes"] if not any(sign in route for sign in "<^$(\\")]
    starts = [*ALWAYS_OPENED, *(one for one in plain if not one.startswith(("/api", "/admin", "/static", "/__")))]
    addresses, found = crawl(get, starts, routes, left_out=(*LEFT_OUT, "/api/", "/static/", "/admin/", "/media/"))
    print(f"{who}: {len(addresses)} pages, {len(found)} forms", flush=True)
    yield from itertools.chain(
        headers(who, ["/", "/courses/", "/dashboard", "/api/v1/auth/session/", "/static/icons.svg"], sent),
        pages(who, addresses, sent),
        calls(who, known, sent),
        forms(who, found, token, sent),
    )
    if who == "learner":
        session = server.ask(Ask("/api/v1/auth/session/", sent))
        attacks = list(assistant(json.loads(session.body)["token"]))  # type: ignore[attr-defined]
        send(server, attacks[-1])  # the first call of a process loads the protocol
        yield from attacks


def measure(server: Server, attacks: Iterable[Attack]) -> Iterator[Found]:
    """Send them one after the other."""
    refused = Counter[str]()
    for count, attack in enumerate(attacks, start=1):
        if attack.group in refused:
            refused[attack.group] += 1
            if refused[attack.group] % KEPT_OF_REFUSED:
                continue
        before = processes.cpu(*server.roots)
        status, length = send(server, attack)
        cost = processes.cpu(*server.roots) - before
        if attack.is_probe and (300 <= status < 400 or status in {401, 403, 404, 405}):
            refused[attack.group] = 0
        if count % 2_000 == 0:
            print(f"{count:,} requests: {attack.what[:70]}", flush=True)
        yield cost, status, length, replace(attack, body=None)


def bench_abuse(words: list[str]) -> None:
    """Print the dearest requests, of those whose name contains one of the words; a person's name limits the people."""
    everybody = ["visitor", *PEOPLE]
    people = [who for who in everybody if who in words] or everybody
    words = [word for word in words if word not in everybody]
    found: list[Found] = []
    with site() as (server, harvested):
        cookies = _cookies(server)
        for _ in range(20):
            server.get("/healthz")
        before = processes.cpu(*server.roots)
        for _ in range(100):
            server.get("/healthz")
        unit = (processes.cpu(*server.roots) - before) / 100
        for who in people:
            attacks = attacks_of(server, harvested, who, cookies[who])
            chosen = (one for one in attacks if not words or any(word in one.what for word in words))
            found.extend(measure(server, chosen))
        if not words or "socket" in words:
            cost = flood(server, cookies["learner"])
            what = "one of 1,000 messages on /ws/tutor/"
            found.append((cost, 101, 0, Attack("learner", what, "GET", "/ws/tutor/")))
    show(found, unit)


def show(found: list[Found], unit: float) -> None:
    """Print the dearest and what failed. Exits with 1 if one was too dear, or failed."""
    found.sort(key=lambda one: -one[0])
    failed = [one for one in found if one[1] >= 500 or one[1] == 0]
    over = sum(cost > GOAL_SECONDS for cost, *_ in found)
    print(f"\n{'CPU ms':>9}{'R':>8}{'status':>8}{'bytes':>11}  who, what")
    for cost, status, length, attack in [*found[: max(SHOWN, over)], *failed[:SHOWN]]:
        print(f"{cost * 1000:9.0f}{cost / unit:8.0f}{status:8}{length:11,}  {attack.who}, {attack.what}")
    statuses = Counter(status for _, status, *_ in found)
    print("\nstatus: " + ", ".join(f"{count:,} x {status}" for status, count in sorted(statuses.items())))
    print(f"{over} of {len(found):,} requests cost more than {GOAL_SECONDS} s; {len(failed)} failed")
    if over or failed:
        sys.exit(1)
