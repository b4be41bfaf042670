"""The sample pages, in the order in which they link to each other."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from studyplatform.samples.source import SourceFile, highlighted, marked_lines


@dataclass(frozen=True)
class Sample:
    """A sample page: its route, what it shows, and the files beside it. ``note`` explains the highlighted lines."""

    name: str
    route: str
    title: str | Promise
    lede: str | Promise
    files: tuple[SourceFile, ...]
    note: str | Promise = ""

    @property
    def template(self) -> str:
        return f"samples/{self.name}.html"


_HOME = "studyplatform/samples"

SAMPLES = {
    sample.name: sample
    for sample in (
        Sample(
            "query-and-mutation",
            "demo/tanstack-query",
            _("Query and mutation"),
            _("A list that is cached, refetched, updated before the server answers, and rolled back if it refuses."),
            (
                SourceFile(
                    "assets/islands/sample-todos/todos.ts",
                    marks=("withChange(todos, change)", "withoutChange(todos, change)"),
                ),
                SourceFile("assets/islands/sample-todos/TodoList.tsx"),
                SourceFile(f"{_HOME}/api.py"),
                SourceFile("templates/samples/query-and-mutation.html"),
            ),
            _("Highlighted: the first line shows a change before the server replies, the second one takes it back."),
        ),
        Sample(
            "server-functions",
            "demo/start/server-funcs",
            _("Server functions"),
            _("A guest list that the server keeps: a form, its validation, a redirect and a message. No script."),
            (
                SourceFile(f"{_HOME}/pages/guest_list.py", marks=('redirect("samples:',)),
                SourceFile(f"{_HOME}/forms/guest.py"),
                SourceFile(f"{_HOME}/services.py"),
                SourceFile("templates/samples/server-functions.html"),
            ),
            _("Highlighted: each successful post ends in a redirect, so reloading the page never sends it twice."),
        ),
        Sample(
            "api-request",
            "demo/start/api-request",
            _("API request"),
            _("Names from an API, fetched while you type: what to show while they load, on failure and for no result."),
            (
                SourceFile("assets/islands/sample-names/NameSearch.tsx", marks=("<QueryPanel", "placeholderData")),
                SourceFile("assets/islands/sample-names/api.ts"),
                SourceFile(f"{_HOME}/names.py"),
                SourceFile(f"{_HOME}/pages/api_request.py"),
                SourceFile("templates/samples/api-request.html"),
            ),
            _("Highlighted: the panel shows a skeleton, the names or the error; results stay until the next arrive."),
        ),
        Sample(
            "mcp-todos",
            "demo/mcp-todos",
            _("To-dos of an MCP client"),
            _("A list shared by an assistant and this page: a change in one shows up in the other a moment later."),
            (
                SourceFile(f"{_HOME}/mcp.py", marks=("respond(request, SERVICE",)),
                SourceFile("assets/islands/shared-todos/SharedTodos.tsx", marks=("refetchInterval",)),
                SourceFile(f"{_HOME}/pages/shared_todos.py"),
                SourceFile("templates/samples/mcp-todos.html"),
            ),
            _("Highlighted: a request of the client is answered by plain functions; the page reads the list again."),
        ),
        Sample(
            "form-simple",
            "demo/form/simple",
            _("One-field form"),
            _("One field, checked while you type and again when you send it, by the same rules on the server."),
            (
                SourceFile(f"{_HOME}/forms/nickname.py", marks=("class Nickname",)),
                SourceFile(f"{_HOME}/pages/simple_form.py", marks=("Nickname(request.POST",)),
                SourceFile("templates/samples/form-simple.html", marks=("data-check",)),
            ),
            _("Highlighted: the page and the check while typing use one form, so they can't disagree."),
        ),
        Sample(
            "form-address",
            "demo/form/address",
            _("Address form"),
            _("An address form that fits the world: each country's required fields and postal codes, and no others."),
            (
                SourceFile(f"{_HOME}/forms/address.py", marks=("get_validation_rules",)),
                SourceFile(f"{_HOME}/pages/address_form.py"),
                SourceFile("templates/samples/form-address.html", marks=("autocomplete=",)),
            ),
            _("Highlighted: the rules come from Google's address data, and browsers fill in fields by their names."),
        ),
    )
}


def sample_page(
    request: HttpRequest, name: str, context: dict[str, Any] | None = None, *, status: int = 200
) -> HttpResponse:
    """Render a sample page with its source and links to the others."""
    sample = SAMPLES[name]
    order = list(SAMPLES.values())
    at = order.index(sample)
    shown = {
        "sample": sample,
        "samples": order,
        "previous": order[at - 1],
        "lines_of": highlighted,
        "marked_lines": marked_lines,
        "following": order[(at + 1) % len(order)],
        **(context or {}),
    }
    return render(request, sample.template, shown, status=status)
