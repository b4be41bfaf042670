"""Prompts and completion in the protocol. Imported with the first request only, as :mod:`protocol` is."""

from typing import Any

import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError

from studyplatform.kit.errors import ValidationFailed
from studyplatform.kit.mcp.calls import CALLER, admit, can_be_stored, run_call
from studyplatform.kit.mcp.service import Complete, Prompt, Service

MAX_VALIDATION_MESSAGES = 20
MAX_COMPLETIONS = 100
"""The protocol's limit."""
MAX_TYPED_LENGTH = 400
"""Characters of an argument that are completed."""


def add_prompts(server: Server[Any], service: Service[Any]) -> None:
    """Add the prompts, and the completion of their arguments and of the variables of resources."""

    async def listed(ctx: Any, params: types.PaginatedRequestParams) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_described_prompt(one) for one in service.prompts])

    async def written(ctx: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        return await run_call(lambda: _written(service, ctx.request.scope[CALLER], params))

    async def completed(ctx: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
        return await run_call(lambda: _completed(service, ctx.request.scope[CALLER], params))

    server.add_request_handler("prompts/list", types.PaginatedRequestParams, listed)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, written)
    server.add_request_handler("completion/complete", types.CompleteRequestParams, completed)


def _described_prompt(one: Prompt[Any]) -> types.Prompt:
    arguments = [
        types.PromptArgument(name=each.name, description=str(each.description), required=each.is_required)
        for each in one.arguments
    ]
    return types.Prompt(name=one.name, title=str(one.title), description=str(one.description), arguments=arguments)


def _written(service: Service[Any], caller: Any, params: types.GetPromptRequestParams) -> types.GetPromptResult:
    prompt = service.prompt(params.name)
    if prompt is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name[:60]}")
    admit(service, caller, prompt.scope)
    given = {name: value for name, value in (params.arguments or {}).items() if value}
    _validate_given(prompt, given)
    message = types.PromptMessage(role="user", content=types.TextContent(text=prompt.write(caller, given)))
    return types.GetPromptResult(description=str(prompt.description), messages=[message])


def _validate_given(prompt: Prompt[Any], given: dict[str, str]) -> None:
    """:raises ValidationFailed: an argument is unknown, missing, too long, or can't be stored."""
    known = {one.name: one for one in prompt.arguments}
    found = {name: "There is no such argument." for name in given if name not in known}
    found |= {name: "It is required." for name, one in known.items() if one.is_required and name not in given}
    for name, value in given.items():
        if name in known and len(value) > known[name].max_length:
            found[name] = f"At most {known[name].max_length} characters."
    if not found and not can_be_stored(given):
        found[""] = "Send text without NUL and without halves of surrogate pairs."
    if found:
        shown = dict(list(found.items())[:MAX_VALIDATION_MESSAGES])
        raise ValidationFailed(in_fields={name: [{"code": "invalid", "message": one}] for name, one in shown.items()})


def _completed(service: Service[Any], caller: Any, params: types.CompleteRequestParams) -> types.CompleteResult:
    complete, scope = _completion_of(service, params)
    admit(service, caller, scope)
    values: list[str] = []
    typed = params.argument.value[:MAX_TYPED_LENGTH]
    if complete is not None and can_be_stored({"typed": typed}):
        known = params.context.arguments if params.context and params.context.arguments else {}
        values = list(complete(caller, typed, known))
    shown = values[:MAX_COMPLETIONS]
    completion = types.Completion(values=shown, total=len(values), has_more=len(values) > len(shown))
    return types.CompleteResult(completion=completion)


def _completion_of(service: Service[Any], params: types.CompleteRequestParams) -> tuple[Complete[Any] | None, str]:
    """What completes the argument, or None, and the scope that it needs."""
    if isinstance(params.ref, types.PromptReference):
        prompt = service.prompt(params.ref.name)
        if prompt is None:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.ref.name[:60]}")
        known = {one.name: one.complete for one in prompt.arguments}
        return known.get(params.argument.name), prompt.scope
    if service.resources is None or params.ref.uri != service.resources.template:
        raise MCPError(types.INVALID_PARAMS, f"Unknown resource template: {params.ref.uri[:200]}")
    return service.resources.complete.get(params.argument.name), service.resources.scope
