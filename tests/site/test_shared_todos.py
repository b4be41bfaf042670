"""The sample whose to-dos a page and an MCP client share."""

import re
from datetime import timedelta
from html import unescape
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from studyplatform.samples.models import MOST_PER_BROWSER, SampleEntry
from studyplatform.samples.queries import STARTERS
from studyplatform.samples.visitors import COOKIE
from tests.tutor.client import Assistant

pytestmark = pytest.mark.django_db

PAGE, TODOS, MCP = "/demo/mcp-todos", "/api/mcp-todos", "/api/mcp-todos/mcp"
SHARED = [title for _uid, kind, title, _done in STARTERS if kind == "mcp"]


def key_on(client: Client) -> str:
    found = re.search(r'"Bearer ([\w:-]+)"', unescape(client.get(PAGE).content.decode()))
    return found[1] if found else ""


def connected(client: Client) -> Assistant:
    assert client.post(PAGE, {"connect": "1"}).status_code == 302
    return Assistant(key_on(client), address=MCP)


def titles(client: Client) -> list[str]:
    return [todo["title"] for todo in client.get(TODOS).json()]


def test_page_and_client_share_one_list(client: Client) -> None:
    assert key_on(client) == ""
    assistant = connected(client)
    added = assistant.data("add_todo", title="  From   the assistant ")
    client.post(PAGE, {"title": "From the page"})

    assert titles(client) == [*SHARED, "From the assistant", "From the page"]
    assert [one["title"] for one in assistant.data("list_todos")["todos"]] == titles(client)
    assert assistant.data("change_todo", uid=added["uid"], is_done=True)["is_done"] is True
    assert assistant.data("change_todo", uid=added["uid"], title="Renamed")["is_done"] is True
    assistant.data("remove_todo", uid=added["uid"])
    assert titles(client) == [*SHARED, "From the page"]
    assert assistant.refusal("remove_todo", uid=added["uid"]) == "NOT_FOUND"


def test_the_list_is_not_that_of_another_browser_or_sample(client: Client) -> None:
    assistant, other = connected(client), Client()
    connected(other)
    assistant.data("add_todo", title="Only mine")

    assert titles(other) == SHARED
    assert "Only mine" not in client.get("/demo/tanstack-query").content.decode()
    theirs = SampleEntry.objects.exclude(text="Only mine").filter(kind="todo")[0]
    assert assistant.refusal("change_todo", uid=str(theirs.uid), is_done=True) == "NOT_FOUND"


def test_the_client_has_the_limits_of_the_page(client: Client, settings: Any) -> None:
    assistant = connected(client)
    for number in range(MOST_PER_BROWSER - len(SHARED)):
        assistant.data("add_todo", title=f"To-do {number}")

    assert assistant.refusal("add_todo", title="One too many") == "SAMPLE_LIMIT_REACHED"
    for arguments in ({"title": " "}, {"title": ""}, {"title": "x" * 101}, {"title": "a\x00"}, {}, {"title": 1}):
        result = assistant.send("tools/call", name="add_todo", arguments=arguments)["result"]
        assert result["isError"], arguments
        assert result["structuredContent"]["code"] == "VALIDATION_FAILED", arguments
    settings.RATE_LIMITS = {**settings.RATE_LIMITS, "sample": (0, 60)}
    assert assistant.error("tools/call", name="list_todos")["data"]["code"] == "RATE_LIMIT_EXCEEDED"


def test_keys_are_checked(client: Client) -> None:
    assistant = connected(client)
    key = key_on(client)
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    cookie = client.cookies[COOKIE].value

    assert assistant.post(ping).status_code == 200
    for wrong in ("", "nonsense", key[:-1], key.replace(":", ";"), cookie):
        answer = Assistant(wrong, address=MCP).post(ping)
        assert (answer.status_code, answer.json()["code"]) == (401, "NOT_AUTHENTICATED"), wrong
    assert client.post(MCP, ping, content_type="application/json").status_code == 401  # the cookie doesn't count
    assert assistant.post(ping, Origin="https://evil.example").status_code == 403
    with time_machine.travel(timezone.now() + timedelta(days=1, minutes=1)):
        assert assistant.post(ping).status_code == 401


def test_the_api_asks_for_the_csrf_token() -> None:
    strict = Client(enforce_csrf_checks=True)

    assert strict.post(TODOS, {"title": "Forged"}, content_type="application/json").status_code == 403
    assert not SampleEntry.objects.exists()


def test_without_scripts_forms_change_the_list(client: Client) -> None:
    page = client.get(PAGE).content.decode()
    first = next(str(uid) for uid, kind, *_ in STARTERS if kind == "mcp")

    assert "This example needs JavaScript" not in page
    client.post(PAGE, {"entry": first, "step": "done"})
    assert SampleEntry.objects.get(uid=first).is_done
    client.post(PAGE, {"entry": first, "step": "delete"})
    assert titles(client) == SHARED[1:]
    assert client.post(PAGE, {"entry": "nonsense", "step": "done"}).status_code in {302, 404}
    assert client.post(PAGE, {"title": "x" * 101}).status_code == 422


def test_only_a_change_sets_a_cookie_or_writes(client: Client) -> None:
    assert COOKIE not in client.get(PAGE).cookies
    assert COOKIE not in client.get(TODOS).cookies
    assert not SampleEntry.objects.exists()
