"""Clients against real servers: the SDK's own client, and one that knows nothing but HTTP and JSON."""

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from django.db import connection
from mcp import Client as SdkClient
from mcp.client.streamable_http import streamable_http_client

from apps.accounts.models import Scope, User
from apps.courses.models import Course
from apps.learning.models import Enrollment, Note
from studyplatform.supervisor import WEB
from tests.factories.learning import FlashCardFactory
from tests.factories.tokens import make_token
from tests.servers import free_port
from tests.uploads.server import wait_until

pytestmark = [pytest.mark.long, pytest.mark.database, pytest.mark.django_db(transaction=True)]

ROOT, BIN = Path(__file__).resolve().parents[2], Path(sys.executable).parent
SERVERS = {
    "uvicorn": [str(BIN / "uvicorn"), "studyplatform.asgi:application", *WEB, "--port"],
    "daphne": [str(BIN / "daphne"), "studyplatform.asgi:application", "-b", "127.0.0.1", "-p"],
    "gunicorn, two processes": [str(BIN / "gunicorn"), "-w", "2", "studyplatform.wsgi:application", "-b"],
}
TOOLS = {"search_courses", "get_lesson", "list_progress", "create_note", "ask_tutor", "practice_quiz"}


def database_url() -> str:
    """The test's database, for processes of their own."""
    one = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{one['NAME']}"
    return f"postgres://{one['USER']}@{one['HOST']}:{one['PORT']}/{one['NAME']}"


@pytest.fixture(params=SERVERS)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The address of a server in processes of its own, which use the test's database."""
    port = free_port()
    place = f"127.0.0.1:{port}" if "gunicorn" in request.param else str(port)
    environment = {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "studyplatform.settings.test",
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": database_url(),
    }
    server = subprocess.Popen([*SERVERS[request.param], place], cwd=ROOT, env=environment, start_new_session=True)

    def answers() -> bool:
        with contextlib.suppress(OSError, httpx.HTTPError):
            return httpx.get(f"http://127.0.0.1:{port}/healthz", timeout=10).status_code == 200
        return False

    try:
        assert wait_until(answers)
        yield f"http://127.0.0.1:{port}"
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()


async def with_sdk(address: str, token: str, lesson: str, card: str) -> None:
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=60) as http,
        SdkClient(streamable_http_client(f"{address}/mcp", http_client=http)) as client,
    ):
        listed = await client.list_tools()
        assert {tool.name for tool in listed.tools} == TOOLS
        called = {
            "search_courses": {},
            "get_lesson": {"lesson": lesson},
            "list_progress": {},
            "create_note": {"lesson": lesson, "text": "From the SDK"},
            "ask_tutor": {"question": "Why does a river bend?"},
            "practice_quiz": {"card": card, "rating": 3},
        }
        for name, arguments in called.items():
            result = await client.call_tool(name, arguments)
            assert not result.is_error, (name, result)
        refused = await client.call_tool("get_lesson", {"lesson": "no/such"})
        assert refused.is_error
        wrong = await client.call_tool("get_lesson", {})
        assert wrong.is_error
        assert "'lesson' is a required property" in wrong.content[0].text  # type: ignore[union-attr]
        resources = (await client.list_resources()).resources
        assert len(resources) == 6
        read = await client.read_resource(resources[0].uri)
        assert read.contents[0].text.startswith("# ")  # type: ignore[union-attr]
        templates = await client.list_resource_templates()
        assert len(templates.resource_templates) == 1


def test_the_sdk_and_plain_http_list_and_call_every_tool(
    site: str, leo: User, enrollment: Enrollment, course: Course
) -> None:
    token, reader = make_token(leo)[1], make_token(leo, [Scope.READ_COURSES])[1]
    lesson = f"{course.slug}/{course.lessons.all()[0].slug}"
    card = str(FlashCardFactory(user=leo).uid)
    asyncio.run(with_sdk(site, token, lesson, card))
    assert Note.objects.get().text == "From the SDK"

    with httpx.Client(base_url=site, timeout=60) as http:

        def send(method: str, token: str = token, **params: Any) -> Any:
            body = {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
            answer = http.post("/mcp", json=body, headers={"Authorization": f"Bearer {token}"})
            return answer.json() if answer.status_code == 200 else (answer.status_code, answer.json())

        assert {tool["name"] for tool in send("tools/list")["result"]["tools"]} == TOOLS
        for name in TOOLS - {"get_lesson", "create_note", "ask_tutor"}:
            assert not send("tools/call", name=name, arguments={})["result"]["isError"], name
        denied = send("tools/call", reader, name="list_progress", arguments={})["error"]["data"]
        assert denied["code"] == "AUTH_SCOPE_MISSING"
        assert send("tools/list", "nonsense")[1]["code"] == "AUTH_TOKEN_INVALID"
        assert http.get("/mcp").status_code == 401
        page = http.get("/mcp", headers={"Accept": "text/html"})
        assert page.headers["content-type"].startswith("text/html")
        assert "Connect an assistant" in page.text
        metadata = http.get("/.well-known/oauth-protected-resource/mcp").json()
        assert metadata["resource"] == f"{site}/mcp"
