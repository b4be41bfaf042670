"""The official SDK between a Django request and a :class:`Service`. Imported with the first request only."""

import json
from functools import cache
from typing import Any

import mcp_types as types
from django.http import HttpRequest, HttpResponse
from jsonschema import Draft202012Validator
from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError

from studyplatform.kit.errors import AppError, NotFound, RateLimitExceeded, ValidationFailed
from studyplatform.kit.mcp.calls import CALLER, admit, as_json, can_be_stored, error_of, run_call
from studyplatform.kit.mcp.http import MOST_BYTES
from studyplatform.kit.mcp.prompts import add_prompts
from studyplatform.kit.mcp.service import Resources, Service, Tool
from studyplatform.kit.web.problem_details import problem

RESOURCE_NOT_FOUND = -32002
LONGEST_MESSAGE = 200  # characters of what is wrong with one argument
MOST_MESSAGES = 20


async def exchange(request: HttpRequest, service: Service[Any], caller: Any) -> HttpResponse:
    """Answer one request. A manager of its own for each needs no task that outlives the request."""
    manager = StreamableHTTPSessionManager(
        _server_of(service), json_response=True, stateless=True, max_request_body_size=MOST_BYTES
    )
    response = HttpResponse()
    headers = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in request.headers.items()]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "root_path": "",
        "query_string": b"",
        "headers": headers,
        CALLER: caller,
    }
    messages = [{"type": "http.request", "body": request.body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        if message["type"] == "http.response.start":
            response.status_code = message["status"]
            del response["Content-Type"]
            for name, value in message.get("headers", []):
                response[name.decode("latin-1")] = value.decode("latin-1")
        else:
            response.write(message.get("body", b""))

    async with manager.run():
        await manager.handle_request(scope, receive, send)
    return response


@cache
def _server_of(service: Service[Any]) -> Server[Any]:
    async def list_tools(ctx: Any, params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[_described(tool) for tool in service.tools])

    async def call_tool(ctx: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        return await run_call(lambda: _called(service, ctx.request.scope[CALLER], params))

    server = Server(
        service.name,
        title=str(service.title),
        instructions=str(service.instructions),
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
    if service.resources is not None:
        _add_resources(server, service, service.resources)
    if service.prompts:
        add_prompts(server, service)
    return server


def _add_resources(server: Server[Any], service: Service[Any], resources: Resources[Any]) -> None:
    async def listed(ctx: Any, params: types.PaginatedRequestParams) -> types.ListResourcesResult:
        return await run_call(lambda: _listed(service, resources, ctx.request.scope[CALLER], params.cursor or ""))

    async def read(ctx: Any, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        return await run_call(lambda: _read(service, resources, ctx.request.scope[CALLER], params.uri))

    async def templates(ctx: Any, params: types.PaginatedRequestParams) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=[_template(resources)])

    server.add_request_handler("resources/list", types.PaginatedRequestParams, listed)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, read)
    server.add_request_handler("resources/templates/list", types.PaginatedRequestParams, templates)


def _described(tool: Tool[Any]) -> types.Tool:
    return types.Tool(
        name=tool.name,
        title=str(tool.title),
        description=str(tool.description),
        input_schema=tool.input_schema,
        annotations=types.ToolAnnotations(
            title=str(tool.title),
            read_only_hint=tool.reads_only,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.is_idempotent or tool.reads_only,
            open_world_hint=False,
        ),
    )


def _called(service: Service[Any], caller: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
    tool = service.tool(params.name)
    if tool is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name[:60]}")
    admit(service, caller, tool.scope)
    arguments = params.arguments or {}
    try:
        _validate(tool, arguments)
        answer = tool.run(caller, arguments)
    except RateLimitExceeded:
        raise  # an error of the call itself
    except ValidationFailed as refusal:
        return _misused(tool, refusal)
    except AppError as refusal:
        return _refused(refusal)
    data = as_json(answer.data)
    text = answer.text or json.dumps(data, ensure_ascii=False)
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=data)


def _refused(refusal: AppError) -> types.CallToolResult:
    """What the tool may not do, as its result, so that the model that called it reads why."""
    text = f"{refusal.code}: {refusal.title}. {refusal.detail}"
    data = as_json(problem(refusal))
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=data, is_error=True)


def _misused(tool: Tool[Any], refusal: ValidationFailed) -> types.CallToolResult:
    """Wrong arguments, as the tool's result: the model reads which they are and calls again (revision 2025-11-25)."""
    lines = [f"{refusal.code}: {tool.name} did nothing. Correct these arguments and call it again:"]
    for path, messages in (refusal.in_fields or {}).items():
        said = " ".join(str(one["message"]) for one in messages)
        lines.append(f"- {path or 'arguments'}: {said}")
    known = ", ".join(f"{name}{'' if name in tool.required else ' (optional)'}" for name in tool.arguments)
    lines.append(f"Arguments of {tool.name}: {known or 'none'}.")
    data = as_json(problem(refusal))
    return types.CallToolResult(
        content=[types.TextContent(text="\n".join(lines))], structured_content=data, is_error=True
    )


def _validate(tool: Tool[Any], arguments: dict[str, Any]) -> None:
    """:raises ValidationFailed: the arguments don't have the shape of the tool's schema."""
    found: dict[str, list[dict[str, str]]] = {}
    if not can_be_stored(arguments):
        said = {"code": "characters", "message": "Send text without NUL and without halves of surrogate pairs."}
        raise ValidationFailed(in_fields={"": [said]})
    for error in _validator(tool).iter_errors(arguments):
        path = ".".join(str(step) for step in error.absolute_path)
        found.setdefault(path, []).append({"code": str(error.validator), "message": error.message[:LONGEST_MESSAGE]})
        if len(found) == MOST_MESSAGES:
            break
    if found:
        raise ValidationFailed(in_fields=found)


@cache
def _validator(tool: Tool[Any]) -> Draft202012Validator:
    return Draft202012Validator(tool.input_schema)


def _listed(service: Service[Any], resources: Resources[Any], caller: Any, cursor: str) -> types.ListResourcesResult:
    admit(service, caller, resources.scope)
    found, following = resources.listed(caller, cursor)
    shown = [
        types.Resource(
            uri=one.uri, name=one.name, title=one.title, description=one.description or None, mime_type=one.mime_type
        )
        for one in found
    ]
    return types.ListResourcesResult(resources=shown, next_cursor=following or None)


def _read(service: Service[Any], resources: Resources[Any], caller: Any, uri: str) -> types.ReadResourceResult:
    admit(service, caller, resources.scope)
    try:
        text = resources.read(caller, uri)
    except NotFound as refusal:
        raise error_of(refusal, RESOURCE_NOT_FOUND) from None
    contents = types.TextResourceContents(uri=uri, mime_type=resources.mime_type, text=text)
    return types.ReadResourceResult(contents=[contents])


def _template(one: Resources[Any]) -> types.ResourceTemplate:
    return types.ResourceTemplate(
        name=one.name,
        title=str(one.title),
        uri_template=one.template,
        description=str(one.description),
        mime_type=one.mime_type,
    )
