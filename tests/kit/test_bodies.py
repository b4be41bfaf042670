"""No more of a request's body is read than its address takes."""

import asyncio
from collections.abc import Iterable, Iterator
from io import BytesIO
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.test import Client

from studyplatform.asgi import application
from studyplatform.kit.web import body_limits

MB = 2**20


class Exchange:
    """One request to the ASGI application, its body in pieces."""

    def __init__(
        self,
        path: str,
        pieces: Iterable[bytes],
        *,
        method: str = "POST",
        declared: int | None = None,
        app: Any = application,
        cookie: str = "",
    ) -> None:
        self.pieces = iter(pieces)
        self.was_read = False
        self.status = 0
        self.body = b""
        self.headers: dict[str, str] = {}
        length = [(b"transfer-encoding", b"chunked")] if declared is None else [(b"content-length", b"%d" % declared)]
        kind = (b"content-type", b"multipart/form-data; boundary=x")
        scope = {
            "type": "http", "http_version": "1.1", "method": method, "path": path, "raw_path": path.encode(),
            "root_path": "", "scheme": "http", "query_string": b"", "client": ("127.0.0.1", 1), "server": ("test", 80),
            "headers": [(b"host", b"localhost"), (b"cookie", cookie.encode()), kind, *length],
        }  # fmt: skip
        async_to_sync(self.run)(app, scope)

    async def run(self, app: Any, scope: dict[str, Any]) -> None:
        async with asyncio.timeout(20):
            await app(scope, self.receive, self.send)

    async def receive(self) -> dict[str, Any]:
        if self.status:
            return {"type": "http.disconnect"}
        self.was_read = True
        piece = next(self.pieces, None)
        if piece is None:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": piece, "more_body": True}

    async def send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode().lower(): value.decode() for name, value in message["headers"]}
        self.body += message.get("body", b"")


class BufferingApp:
    """An application that keeps a request's whole body, as Django does, and counts how much that is."""

    size = 0

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        while (message := await receive())["type"] == "http.request":
            self.size += len(message["body"])
            if not message["more_body"]:
                break
        await send({"type": "http.response.start", "status": 200, "headers": []})


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/healthz", "/auth/login", "/nowhere", "/api/v1/auth/login/"])
def test_a_body_declared_too_large_is_refused_unread(path):
    arrived = BufferingApp()

    asked = Exchange(path, [b"x" * MB], declared=100 * MB, app=body_limits.BodyLimit(arrived))

    assert arrived.size == 0
    assert asked.status == 200


@pytest.mark.django_db
def test_the_api_reports_the_limit_in_a_problem():
    asked = Exchange("/api/v1/auth/login/", [], declared=100 * MB)

    assert asked.status == 413
    assert asked.headers["content-type"] == "application/problem+json"
    assert b'"REQUEST_TOO_LARGE"' in asked.body
    assert b"64 KB" in asked.body


@pytest.mark.django_db
def test_a_body_without_a_length_is_read_up_to_the_limit():
    arrived = BufferingApp()

    Exchange("/api/v1/auth/login/", (b"x" * (MB // 32) for _ in range(100)), app=body_limits.BodyLimit(arrived))

    assert arrived.size == MB // 16
    assert Exchange("/api/v1/auth/login/", (b"x" * MB for _ in range(100))).status == 413


@pytest.mark.django_db
def test_a_stalled_body_is_refused(monkeypatch):
    monkeypatch.setattr(body_limits, "STALL_TIMEOUT", 0.01)

    asked = Exchange("/api/v1/auth/login/", [b"x"], declared=10)

    assert asked.status == 408
    assert b'"REQUEST_STALLED"' in asked.body


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("method", "path", "most"),
    [
        ("POST", "/dashboard/instructor/courses/a/lectures/b/file", 2 * 2**30),
        ("POST", "/dashboard/instructor/courses/a/lectures/b/captions", 2 * MB),
        ("POST", "/settings/picture", 5 * MB),
        ("PATCH", "/api/v1/uploads/5b1ef1cc-9f0c-4b0a-8b5e-000000000000/", 5 * 2**30),
        ("PATCH", "/api/v1/uploads/5b1ef1cc-9f0c-4b0a-8b5e-000000000000", 5 * 2**30),
        ("PUT", "/api/v1/uploads/5b1ef1cc-9f0c-4b0a-8b5e-000000000000/", MB // 16),
        (
            "PUT",
            "/api/v1/lessons/5b1ef1cc-9f0c-4b0a-8b5e-000000000000/notes/5b1ef1cc-9f0c-4b0a-8b5e-000000000000/",
            MB // 4,
        ),
    ],
)
def test_urls_for_files_accept_bodies_as_large_as_the_files(method, path, most):
    assert body_limits.max_body_size(method, body_limits.resolve_either_spelling(path)) == most


FILE_OF_A_LESSON = "/dashboard/instructor/courses/a/lectures/b/file"


@pytest.fixture
def kept_connection() -> Iterator[None]:
    """The test's own connection to the database lasts beyond a request, as Django's test client has it."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@pytest.mark.usefixtures("kept_connection")
@pytest.mark.parametrize(
    ("who", "path", "leads_to"),
    [
        ("nobody", FILE_OF_A_LESSON, "/auth/login"),
        ("invented", FILE_OF_A_LESSON, "/auth/login"),
        ("leo", FILE_OF_A_LESSON, "/"),
        ("nobody", "/settings/picture", "/auth/login"),
        ("ada", FILE_OF_A_LESSON, ""),
        ("leo", "/settings/picture", ""),
    ],
)
@pytest.mark.parametrize("declared", [4 * MB, None], ids=["declared", "chunked"])
def test_a_large_body_is_read_only_from_users_who_may_send_it(
    monkeypatch, request, browser_of, nobody, who, path, leads_to, declared
):
    monkeypatch.setattr(body_limits, "STALL_TIMEOUT", 0.01)
    cookie = "sessionid=invented"
    if who not in {"nobody", "invented"}:
        cookie = browser_of(request.getfixturevalue(who)).cookies.output(header="", attrs=[]).strip()

    asked = Exchange(path, [b"x"], declared=declared, cookie="" if who == "nobody" else cookie)

    assert asked.was_read != bool(leads_to)
    assert asked.status == 302
    assert asked.headers["location"] == (leads_to or "/")  # its rest does not come, which is said above the form


@pytest.mark.usefixtures("kept_connection")
@pytest.mark.parametrize("path", [FILE_OF_A_LESSON, "/files/upload"])
@pytest.mark.parametrize("declared", [4 * MB, None], ids=["declared", "chunked"])
@pytest.mark.parametrize("has_room", [True, False])
def test_files_that_do_not_fit_into_the_storage_are_not_read(
    monkeypatch, settings, browser_of, ada, path, declared, has_room
):
    monkeypatch.setattr(body_limits, "STALL_TIMEOUT", 0.01)
    settings.STORAGE_ALLOWANCE = {"instructor": (3 * 2**30 if has_room else 3 * MB)}
    browser = browser_of(ada)
    cookie = browser.cookies.output(header="", attrs=[]).strip()

    asked = Exchange(path, [b"x"], declared=declared, cookie=cookie)

    assert asked.was_read == has_room
    if not has_room:
        browser.force_login(ada)
        unread = send_unread(browser, path)  # the same under WSGI
        assert unread.status_code == asked.status == 302


class Unreadable(BytesIO):
    """A body that nobody may touch."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise AssertionError

    readline = read


def send_unread(browser: Client, path: str) -> Any:
    form = "multipart/form-data; boundary=x"
    return browser.post(path, **{"wsgi.input": Unreadable(), "CONTENT_LENGTH": str(4 * MB), "CONTENT_TYPE": form})


@pytest.mark.django_db
def test_under_wsgi_a_body_that_is_too_large_is_not_read() -> None:
    answer = send_unread(Client(enforce_csrf_checks=True), "/auth/login")

    assert (answer.status_code, answer["Location"]) == (302, "/")


@pytest.mark.parametrize("is_learner", [False, True])
def test_under_wsgi_a_large_body_of_a_user_who_may_not_send_it_is_not_read(leo, is_learner):
    browser = Client(enforce_csrf_checks=True)
    if is_learner:
        browser.force_login(leo)

    answer = send_unread(browser, FILE_OF_A_LESSON)

    assert (answer.status_code, answer["Location"]) == (302, "/" if is_learner else "/auth/login")


@pytest.mark.django_db
def test_under_wsgi_a_form_that_is_too_large_shows_the_error_on_its_page(client):
    answer = client.post("/auth/login", {"email": "x" * (3 * MB)}, headers={"Referer": "http://testserver/auth/login"})

    assert answer.status_code == 302
    assert answer["Location"] == "http://testserver/auth/login"
    assert "larger than 2.5 MB" in client.get("/auth/login").content.decode()


@pytest.mark.django_db
def test_a_form_may_be_larger_than_a_call(client):
    fits, too_large = "x" * (MB // 16 - 100), "x" * (MB // 16)

    assert client.post("/api/v1/auth/login/", {"email": fits}, content_type="application/json").status_code == 400
    assert client.post("/api/v1/auth/login/", {"email": too_large}, content_type="application/json").status_code == 413
    assert client.post("/auth/login", {"email": too_large}).status_code == 200
