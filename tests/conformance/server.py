"""A server with the tools, resources and prompts that the suite asks for, in a process of its own.

``uvicorn tests.conformance.server:application``; it needs no database and no token.
"""

import os
from collections.abc import Mapping
from typing import Any

os.environ["DJANGO_SETTINGS_MODULE"] = "studyplatform.settings.test"

import django
from django.conf import settings
from django.core.handlers.asgi import ASGIHandler
from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt

from studyplatform.kit.errors import NotFound, PermissionRefused, ValidationFailed
from studyplatform.kit.mcp.http import refuse_foreign_page, respond
from studyplatform.kit.mcp.service import Answer, Argument, Prompt, Resource, Resources, Schema, Service, Tool
from studyplatform.kit.web.problem_details import problem_json_response

django.setup()
settings.ROOT_URLCONF = "tests.conformance.server"
settings.MIDDLEWARE = []
settings.ALLOWED_HOSTS = ["127.0.0.1", "localhost"]

URI, TEMPLATE = "test://static-text", "test://template/{id}/data"


class SchemaTool(Tool[None]):
    """A tool whose schema has definitions of its own."""

    @property
    def input_schema(self) -> Schema:
        address = {"type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}
        return {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "$defs": {"address": address},
            "properties": {"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"}},
            "additionalProperties": False,
        }


def _say(_caller: None, _arguments: dict[str, Any]) -> Answer:
    return Answer(data={}, text="This is a simple text response for testing.")


def _fail(_caller: None, _arguments: dict[str, Any]) -> Answer:
    raise ValidationFailed(in_fields={"": [{"code": "error", "message": "This tool intentionally returns an error"}]})


def _listed(_caller: None, _cursor: str) -> tuple[list[Resource], str]:
    return [Resource(uri=URI, name="static-text", title="Static text", mime_type="text/plain")], ""


def _read(_caller: None, uri: str) -> str:
    if uri == URI:
        return "This is the content of the static text resource."
    start, end = TEMPLATE.split("{id}")
    if uri.startswith(start) and uri.endswith(end):
        return f'{{"id": "{uri.removeprefix(start).removesuffix(end)}"}}'
    raise NotFound


def _complete(_caller: None, typed: str, _known: Mapping[str, str]) -> list[str]:
    return [one for one in ("paris", "park", "party") if one.startswith(typed)]


def _prompt(_caller: None, _given: Mapping[str, str]) -> str:
    return "This is a simple prompt for testing."


def _prompt_with_arguments(_caller: None, given: Mapping[str, str]) -> str:
    return f"Prompt with arguments: arg1='{given['arg1']}', arg2='{given['arg2']}'"


SERVICE = Service[None](
    name="conformance",
    title="Conformance",
    instructions="For the conformance suite.",
    tools=(
        Tool(name="test_simple_text", title="Text", description="Returns a text.", run=_say),
        Tool(name="test_error_handling", title="Error", description="Fails.", run=_fail),
        SchemaTool(name="json_schema_2020_12_tool", title="Schema", description="Has a schema.", run=_say),
    ),
    resources=Resources(
        listed=_listed, read=_read, template=TEMPLATE, name="template", title="Template", description="A template."
    ),
    prompts=(
        Prompt(name="test_simple_prompt", title="Simple", description="A prompt.", write=_prompt),
        Prompt(
            name="test_prompt_with_arguments",
            title="Arguments",
            description="A prompt with arguments.",
            write=_prompt_with_arguments,
            arguments=(
                Argument(name="arg1", description="The first.", complete=_complete),
                Argument(name="arg2", description="The second."),
            ),
        ),
    ),
)


@csrf_exempt
def mcp(request: HttpRequest) -> HttpResponse:
    """The address that the suite calls."""
    try:
        refuse_foreign_page(request)
    except PermissionRefused as refusal:
        return problem_json_response(refusal)
    return respond(request, SERVICE, None)


urlpatterns = [path("mcp", mcp)]
application = ASGIHandler()
