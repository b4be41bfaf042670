"""What the worst requests known cost: CPU of the server per request, as a multiple of the cheapest call.

The site runs with its demo content on this machine. Every address of the API's schema gets bodies that are hostile to
parsers, every page hostile queries and forms, /mcp hostile arguments and a socket a flood of messages: as a visitor, a
learner and an instructor. The table shows the dearest; no request may cost more than `GOAL_SECONDS`.
"""

from __future__ import annotations

import contextlib
import http.client
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from tests import servers
from tests.bench import hostile, processes
from tests.bench.pages import BIN, Ask, Server, manage, sign_in

GOAL_SECONDS = 0.5
SHOWN = 10
PEOPLE = {"learner": "student@example.com", "instructor": "instructor@example.com"}
PASSWORD = "StudyDemo1"
SCHEMA = Path("tests/contract/openapi.json")
API_LIMIT, PAGE_LIMIT = 2**16, 5 * 2**19
TEXT_FIELDS = (
    "q", "text", "source", "body", "title", "name", "question", "front", "back", "description", "summary", "bio",
    "email", "password", "code", "tags", "prompt", "message", "answer", "reason",
)  # fmt: skip
# Never sent to: they end the sessions with which the bench works.
LEFT_OUT = ("logout", "/settings/delete", "/auth/login", "/settings/sessions", "/settings/password", "/status")

# Prints addresses of the site and the parameters of addresses, from the demo.
HARVEST = """
import json
from django.urls import get_resolver, URLPattern
from apps.accounts.models import User
from apps.courses.models import Course, Lesson
from apps.forum.models import Board, Post, Topic
from apps.files.models import File
learner = User.objects.get(email="student@example.com")
lesson = Lesson.objects.filter(kind="video", course__status="published").select_related("course").first()
topic, file = Topic.objects.filter(state="visible").first(), File.objects.filter(owner=learner).first()
known = {
    "slug": lesson.course.slug, "course": lesson.course.slug, "lesson": lesson.slug, "topic": topic and topic.pk,
    "post": Post.objects.filter(topic=topic).values_list("pk", flat=True).first(), "uid": str(lesson.uid),
    "file": file and str(file.uid), "board": Board.objects.first().slug, "note": "5b1ef1cc-9f0c-4b0a-8b5e-000000000000",
    "tab": "latest", "key": "reply-1", "code": "ABCD", "number": 1, "token": "abc", "name": "a", "day": "2026-11-01",
}
found = set()
def walk(patterns, before):
    for one in patterns:
        route = before + str(one.pattern)
        if not isinstance(one, URLPattern):
            walk(one.url_patterns, route)
            continue
        import re
        path = re.sub(r"<(?:\\w+:)?(\\w+)>", lambda m: str(known.get(m[1]) or "a"), route)
        if not re.search(r"[\\^$(\\\\]", path):
            found.add("/" + path)
walk(get_resolver().url_patterns, "")
print("HARVEST" + json.dumps({"known": known, "pages": sorted(found)}, default=str))
"""


@dataclass(frozen=True)
class Attack:
    """A hostile request of somebody."""

    who: str
    what: str
    ask: Ask


@contextlib.contextmanager
def site() -> Iterator[tuple[Server, dict[str, Any]]]:
    """The site with its demo content; and what `HARVEST` found there."""
    with contextlib.ExitStack() as stack:
        folder = os.environ.get("BENCH_DATA") or stack.enter_context(tempfile.TemporaryDirectory())
        port = servers.free_port()
        env = {
            "DJANGO_SETTINGS_MODULE": "studyplatform.settings.embedded",
            "DATA_DIR": folder,
            "PORT": str(port),
            "LOG_LEVEL": "CRITICAL",
        }
        if not (Path(folder) / "demo").exists():
            print("loading the demo content", flush=True)
            manage(env, "prepare_database", "-v", "0")
            manage(env, "seed_demo", "-v", "0")
            (Path(folder) / "demo").touch()
        harvested = json.loads(manage(env, "shell", "-v", "0", "-c", HARVEST).rpartition("HARVEST")[2])
        web: list[str | Path] = [
            BIN / "uvicorn",
            "studyplatform.asgi:application",
            "--port",
            str(port),
            "--log-level",
            "critical",
        ]
        process = subprocess.Popen(
            [*web, "--http", "h11", "--ws", "websockets-sansio", "--no-access-log"], env={**os.environ, **env}
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


def hostile_values(length: int) -> Iterator[tuple[str, Any]]:
    """Values for a field of JSON, each about so many characters long."""
    yield "empty lists", [[]] * (length // 4)
    yield "nested lists", [[[[0]]]] * (length // 11)
    yield "zeros", [0] * (length // 3)
    yield "many keys", {f"{n}": {} for n in range(length // 12)}
    yield "long text", "x" * length
    yield "long ligatures", "\ufdfa" * (length // 12)
    yield "combining characters", "a" + "\u0301" * (length // 12)
    yield "spaces", "a" + " " * length + "b"
    yield "long number", int("9" * 4000)
    yield "many numbers", [1e300] * (length // 7)
    for name in ("table of 30 columns", "wide head, short rows", "open images", "long formulas", "quotes of one level"):
        yield name, hostile.MARKDOWN[name](length // 2)


def plausible(schema: dict[str, Any], all_schemas: dict[str, Any], known: dict[str, Any]) -> Any:
    """A value of a JSON Schema, as valid as can be guessed."""
    if "$ref" in schema:
        return plausible(all_schemas[schema["$ref"].rpartition("/")[2]], all_schemas, known)
    for key in ("allOf", "oneOf", "anyOf"):
        if key in schema:
            return plausible(schema[key][0], all_schemas, known)
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    kind = kind[0] if isinstance(kind, list) else kind
    match kind:
        case "object":
            return {
                name: known.get(name, plausible(inner, all_schemas, known))
                for name, inner in schema.get("properties", {}).items()
            }
        case "array":
            return [plausible(schema.get("items", {}), all_schemas, known)]
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return True
    if schema.get("format") == "uuid":
        return known["uid"]
    return "2026-11-26T12:00:00Z" if schema.get("format") == "date-time" else "abcdefgh"


def calls(known: dict[str, Any], headers: dict[str, dict[str, str]]) -> Iterator[Attack]:
    """Every call of the schema with every hostile value in every field, and hostile queries."""
    document = json.loads(SCHEMA.read_text())
    schemas = document["components"]["schemas"]
    for path, operations in document["paths"].items():
        address = path
        for name, value in known.items():
            address = address.replace("{" + name + "}", str(value))
        if any(part in address for part in LEFT_OUT):
            continue
        for method, operation in operations.items():
            content = operation.get("requestBody", {}).get("content", {}).get("application/json")
            for who, sent in headers.items():
                if method == "get":
                    for name, query in hostile_queries():
                        yield Attack(who, f"GET {path} {name}", Ask(f"{address}?{query}", sent))
                elif content is not None:
                    usual = plausible(content["schema"], schemas, known)
                    for field, (name, value) in itertools.product(usual, hostile_values(API_LIMIT - 2000)):
                        body = {**usual, field: value}
                        attack = Ask(address, sent, body)
                        yield Attack(who, f"{method.upper()} {path} {field}: {name}", attack)
                    yield Attack(who, f"{method.upper()} {path} 2.4 MB", Ask(address, sent, [[]] * 600_000))


def hostile_queries() -> Iterator[tuple[str, str]]:
    """Queries of up to 30,000 bytes, with which the server still answers."""
    texts = {"words": "brabra alwa " * 800, "quotes": '"' * 9000, "operators": "a OR (b* NEAR " * 600,
             "ligatures": "\ufdfa" * 1000, "combining": "a" + "\u0301" * 4000, "percent": "%" * 9000}  # fmt: skip
    for name, text in texts.items():
        yield name, urlencode(dict.fromkeys(("q", "search", "title", "cursor", "board", "tag"), text[: 30_000 // 24]))
    yield "many parameters", "&".join(f"video={n}" for n in range(3000))
    yield "many of one", "&".join("uid=5b1ef1cc-9f0c-4b0a-8b5e-000000000000" for _ in range(700))


def pages(addresses: list[str], headers: dict[str, dict[str, str]], tokens: dict[str, str]) -> Iterator[Attack]:
    """Every page with hostile queries and forms."""
    for address, (who, sent) in itertools.product(addresses, headers.items()):
        if address.startswith(("/api/", "/admin/", "/static/")) or any(part in address for part in LEFT_OUT):
            continue
        for name, query in hostile_queries():
            yield Attack(who, f"GET {address} {name}", Ask(f"{quote(address)}?{query}", sent))
        form = {"Content-Type": "application/x-www-form-urlencoded", **sent}
        csrf = {"csrfmiddlewaretoken": tokens.get(who, "")}
        for name in ("wide head, short rows", "long formulas", "one letter per line", "combining characters"):
            text = hostile.MARKDOWN[name](100_000)
            yield Attack(
                who, f"POST {address} {name}", Ask(quote(address), form, csrf | dict.fromkeys(TEXT_FIELDS, text))
            )
        many = csrf | {f"{n}": "x" for n in range(990)}
        yield Attack(who, f"POST {address} many fields", Ask(quote(address), form, many))


def assistant(bearer: str) -> Iterator[Attack]:
    """Hostile arguments of /mcp."""
    headers = {"Authorization": f"Bearer {bearer}", "Accept": "application/json, text/event-stream"}
    for tool in ("search_courses", "ask_tutor", "add_note", "answer_card"):
        for name, value in hostile_values(200_000):
            arguments = {"query": value, "question": value, "text": value, "course": value, "answer": value}
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
            yield Attack("learner", f"/mcp {tool} {name}", Ask("/mcp", headers, call))


def send(server: Server, attack: Attack) -> tuple[int, int]:
    """The status of the response and its length; 0 if the server ended the connection."""
    ask = attack.ask
    method = attack.what.partition(" ")[0]
    method = method if method in {"GET", "POST", "PUT", "PATCH", "DELETE"} else "POST"
    headers: dict[str, str] = dict(ask.headers)
    body: str | bytes | None = None
    if ask.body is not None:
        if headers.get("Content-Type", "").startswith("application/x-www-form"):
            body = urlencode(ask.body)
        else:
            body, headers["Content-Type"] = json.dumps(ask.body, ensure_ascii=False).encode(), "application/json"
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=120)
    try:
        connection.request(method, ask.path, body, headers)
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


def bench_abuse(words: list[str]) -> None:
    """Print the dearest requests, of those whose name contains one of the words."""
    with site() as (server, harvested):
        cookies = {who: sign_in(server, email, PASSWORD) for who, email in PEOPLE.items()}
        tokens = {who: cookie.rpartition("csrftoken=")[2] for who, cookie in cookies.items()}
        headers: dict[str, dict[str, str]] = {"visitor": {}} | {
            who: {"Cookie": cookie, "X-CSRFToken": tokens[who], "Referer": f"http://127.0.0.1:{server.port}/"}
            for who, cookie in cookies.items()
        }
        session = server.ask(Ask("/api/v1/auth/session/", headers["learner"]))
        bearer = json.loads(session.body)["token"]  # type: ignore[attr-defined]
        attacks = [
            one
            for one in itertools.chain(
                calls(harvested["known"], headers), pages(harvested["pages"], headers, tokens), assistant(bearer)
            )
            if not words or any(word in f"{one.who} {one.what}" for word in words)
        ]
        print(f"{len(attacks)} requests", flush=True)
        for _ in range(20):
            server.get("/healthz")
        before = processes.cpu(*server.roots)
        for _ in range(100):
            server.get("/healthz")
        unit = (processes.cpu(*server.roots) - before) / 100
        found = []
        for attack in attacks:
            before = processes.cpu(*server.roots)
            status, length = send(server, attack)
            found.append((processes.cpu(*server.roots) - before, status, length, attack))
        if not words or "socket" in words:
            cost = flood(server, cookies["learner"])
            found.append((cost, 101, 0, Attack("learner", "one of 1,000 messages on /ws/tutor/", Ask("/ws/tutor/"))))
    found.sort(key=lambda one: -one[0])
    failed = [one for one in found if one[1] >= 500 or one[1] == 0]
    print(f"\n{'CPU ms':>9}{'R':>8}{'status':>8}{'bytes':>11}  who, what")
    for cost, status, length, attack in [*found[:SHOWN], *failed[:SHOWN]]:
        print(f"{cost * 1000:9.0f}{cost / unit:8.0f}{status:8}{length:11,}  {attack.who}, {attack.what}")
    over = sum(cost > GOAL_SECONDS for cost, *_ in found)
    print(f"\n{over} of {len(found)} requests cost more than {GOAL_SECONDS} s; {len(failed)} failed")
    if over or failed:
        sys.exit(1)
