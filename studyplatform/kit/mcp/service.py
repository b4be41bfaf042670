"""What a server offers, without the protocol: tools, resources and prompts as plain functions."""

import base64
import binascii
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from django.utils.functional import Promise

from studyplatform.kit.errors import AppError, ValidationFailed

Caller = TypeVar("Caller")  # on whose behalf a program calls
Text = str | Promise
Schema = dict[str, Any]  # JSON Schema, draft 2020-12
Complete = Callable[[Caller, str, Mapping[str, str]], Sequence[str]]
"""Returns the values of an argument that continue what was typed; it gets the arguments that are known already, too."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    """The result of a tool: data for programs, and a text for the model that reads it; by default the data as JSON."""

    data: Mapping[str, Any]
    text: str = ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Tool(Generic[Caller]):
    """A function that a program may call.

    ``run`` gets the caller and the arguments, which ``arguments`` has validated: the properties of a JSON Schema
    object, by name. It may raise an AppError, which the program gets as the tool's result.
    """

    name: str
    title: Text
    description: Text
    """What the model that calls it must know."""
    run: Callable[[Caller, dict[str, Any]], Answer]
    arguments: Mapping[str, Schema] = field(default_factory=dict)
    required: tuple[str, ...] = ()
    summary: Text = ""
    """One short line for people."""
    scope: str = ""
    reads_only: bool = False
    destroys: bool = False
    is_idempotent: bool = False

    @property
    def input_schema(self) -> Schema:
        """The JSON Schema of the arguments."""
        return {
            "type": "object",
            "properties": dict(self.arguments),
            "required": list(self.required),
            "additionalProperties": False,
        }


@dataclass(frozen=True, kw_only=True)
class Resource:
    """A text that a program may read."""

    uri: str
    name: str
    title: str
    description: str = ""
    mime_type: str = "text/markdown"


@dataclass(frozen=True, kw_only=True)
class Resources(Generic[Caller]):
    """The texts of a server.

    ``listed`` returns those after a cursor, and the next cursor or ""; ``read`` returns a text and raises an AppError.
    ``template`` is the shape of their URIs (RFC 6570); ``complete`` completes its variables, by name.
    """

    listed: Callable[[Caller, str], tuple[Sequence[Resource], str]]
    read: Callable[[Caller, str], str]
    template: str
    name: str
    title: Text
    description: Text
    scope: str = ""
    mime_type: str = "text/markdown"
    complete: Mapping[str, Complete[Caller]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Argument(Generic[Caller]):
    """An argument of a prompt: text of at most ``max_length`` characters."""

    name: str
    description: Text
    is_required: bool = True
    max_length: int = 400
    complete: Complete[Caller] | None = None


@dataclass(frozen=True, kw_only=True, eq=False)
class Prompt(Generic[Caller]):
    """A request that a person chooses and sends to their model.

    ``write`` returns its words; it gets the arguments that were given, and raises an AppError.
    """

    name: str
    title: Text
    description: Text
    write: Callable[[Caller, Mapping[str, str]], str]
    arguments: tuple[Argument[Caller], ...] = ()
    scope: str = ""


def _admits_all(caller: Any) -> None:
    """Admit every request."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Service(Generic[Caller]):
    """A server.

    ``scopes_of`` returns what the caller's token opens. ``admit`` is called before each request that does something,
    and raises an AppError, such as RateLimitExceeded. ``scope_refusal`` makes the refusal of a missing scope.
    """

    name: str
    title: Text
    instructions: Text
    tools: tuple[Tool[Caller], ...]
    resources: Resources[Caller] | None = None
    prompts: tuple[Prompt[Caller], ...] = ()
    scopes_of: Callable[[Caller], frozenset[str]] = lambda caller: frozenset()
    scope_refusal: Callable[[str], AppError] | None = None
    admit: Callable[[Caller], None] = _admits_all

    def tool(self, name: str) -> Tool[Caller] | None:
        """The tool with this name."""
        return next((one for one in self.tools if one.name == name), None)

    def prompt(self, name: str) -> Prompt[Caller] | None:
        """The prompt with this name."""
        return next((one for one in self.prompts if one.name == name), None)


def cursor_of(position: str | int) -> str:
    """A position in a list as an opaque cursor."""
    return base64.urlsafe_b64encode(str(position).encode()).decode().rstrip("=")


def position_in(cursor: str) -> str:
    """The position in a cursor of :func:`cursor_of`; "" for none.

    :raises ValidationFailed: it is no such cursor.
    """
    try:
        return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise invalid_cursor() from None


def number_in(cursor: str) -> int:
    """The whole number in a cursor, 0 for none.

    :raises ValidationFailed: it is no such cursor.
    """
    position = position_in(cursor)
    if not position:
        return 0
    if not (position.isascii() and position.isdigit() and len(position) <= 9):
        raise invalid_cursor()
    return int(position)


def invalid_cursor() -> ValidationFailed:
    """The refusal of a cursor that this server did not give."""
    said = {"code": "invalid_cursor", "message": "Send a cursor that this server returned, unchanged."}
    return ValidationFailed(in_fields={"cursor": [said]})
