"""The to-dos of a browser as tools: an MCP client and the page share one list."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from apps.accounts.guards import open_to_everyone
from studyplatform.kit.errors import AppError, NotAuthenticated
from studyplatform.kit.mcp.http import bearer_token, refuse_foreign_page, respond, unauthorized
from studyplatform.kit.mcp.service import Answer, Service, Tool
from studyplatform.kit.web import rate_limits
from studyplatform.kit.web.problem_details import problem_json_response
from studyplatform.samples import services
from studyplatform.samples.models import MOST_CHARACTERS, SampleEntry
from studyplatform.samples.queries import entries_of
from studyplatform.samples.visitors import Visitor, visitor_of_key

MCP = SampleEntry.Kind.MCP
TITLE = {"type": "string", "minLength": 1, "maxLength": MOST_CHARACTERS, "pattern": r"\S"}
UID = {"type": "string", "pattern": "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"}


@dataclass(frozen=True)
class Caller:
    """The browser whose key was sent, and the request that sent it."""

    visitor: Visitor
    request: HttpRequest
    now: datetime


def todo_out(todo: SampleEntry) -> dict[str, Any]:
    """A to-do in the shape of the API."""
    return {"uid": todo.uid, "title": todo.text, "is_done": todo.is_done}


def list_todos(caller: Caller, arguments: dict[str, Any]) -> Answer:
    """All to-dos of the list, oldest first."""
    return Answer(data={"todos": [todo_out(todo) for todo in entries_of(caller.visitor.browser, MCP)]})


def add_todo(caller: Caller, arguments: dict[str, Any]) -> Answer:
    """Add a to-do; the page shows it within a second or two."""
    added = services.add_entry(visitor=caller.visitor, kind=MCP, text=arguments["title"], now=caller.now)
    return Answer(data=todo_out(added))


def change_todo(caller: Caller, arguments: dict[str, Any]) -> Answer:
    """Rename a to-do, or mark it as done or open."""
    changed = services.change_entry(
        visitor=caller.visitor,
        kind=MCP,
        uid=UUID(arguments["uid"]),
        text=arguments.get("title"),
        is_done=arguments.get("is_done"),
        now=caller.now,
    )
    return Answer(data=todo_out(changed))


def remove_todo(caller: Caller, arguments: dict[str, Any]) -> Answer:
    """Remove a to-do."""
    services.delete_entry(visitor=caller.visitor, kind=MCP, uid=UUID(arguments["uid"]), now=caller.now)
    return Answer(data={"removed": arguments["uid"]})


TOOLS = (
    Tool(
        name="list_todos",
        title=_("List to-dos"),
        description=_("List the to-dos that the page shows."),
        run=list_todos,
        reads_only=True,
    ),
    Tool(
        name="add_todo",
        title=_("Add a to-do"),
        description=_("Add a to-do to the list on the page."),
        run=add_todo,
        arguments={"title": TITLE},
        required=("title",),
    ),
    Tool(
        name="change_todo",
        title=_("Change a to-do"),
        description=_("Rename a to-do, or mark it as done or open."),
        run=change_todo,
        arguments={"uid": UID, "title": TITLE, "is_done": {"type": "boolean"}},
        required=("uid",),
        is_idempotent=True,
    ),
    Tool(
        name="remove_todo",
        title=_("Remove a to-do"),
        description=_("Remove a to-do from the list on the page."),
        run=remove_todo,
        arguments={"uid": UID},
        required=("uid",),
        destroys=True,
    ),
)


def _admit(caller: Caller) -> None:
    rate_limits.consume_for_address(caller.request, "sample", now=caller.now)


SERVICE = Service[Caller](
    name="sample-todos",
    title=_("Sample to-dos"),
    instructions=_("A short list of to-dos that a page shows at the same time. It is emptied every night."),
    tools=TOOLS,
    admit=_admit,
)


@csrf_exempt  # no cookie counts here, only the key in the header
@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST", "DELETE"])
def todos_mcp(request: HttpRequest) -> HttpResponse:
    """The protocol, for a program that has the key of a list."""
    now = timezone.now()
    try:
        refuse_foreign_page(request)
        visitor = visitor_of_key(bearer_token(request), now=now)
        return respond(request, SERVICE, Caller(visitor, request, now))
    except NotAuthenticated as refusal:
        return unauthorized(refusal, {"realm": "sample"})
    except AppError as refusal:
        return problem_json_response(refusal)
