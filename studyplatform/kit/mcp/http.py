"""A request of the Model Context Protocol (streamable HTTP) as a Django request.

The protocol needs no connection that outlives a request here: each is answered with one JSON document, nothing is kept
between two of them, and any process may answer the next one. It therefore works like every other page, by WSGI and by
ASGI, behind the same middleware.
"""

from typing import Any

from asgiref.sync import async_to_sync
from django.http import HttpRequest, HttpResponse, JsonResponse

from studyplatform.kit.errors import AppError, MethodRefused, PermissionRefused, RequestTooLarge
from studyplatform.kit.mcp.service import Service
from studyplatform.kit.text.sizes import as_size
from studyplatform.kit.web.origins import is_own_origin
from studyplatform.kit.web.problem_details import problem_json_response

MOST_BYTES = 256 * 1024  # of a request


def bearer_token(request: HttpRequest) -> str:
    """The token in the Authorization header, "" without one."""
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def refuse_foreign_page(request: HttpRequest) -> None:
    """Refuse a request that a page of another site sends: programs send no Origin.

    :raises PermissionRefused: it has the Origin of another site.
    """
    origin = request.headers.get("Origin")
    if origin is not None and not is_own_origin(origin, request.get_host(), request.scheme or "http"):
        raise PermissionRefused


def unauthorized(refusal: AppError, challenge: dict[str, str]) -> JsonResponse:
    """The response to a request without a token that works (RFC 6750, RFC 9728)."""
    response = problem_json_response(refusal)
    parts = ", ".join(f'{name}="{value}"' for name, value in challenge.items())
    response["WWW-Authenticate"] = f"Bearer {parts}"
    response["Cache-Control"] = "no-store"
    return response


def respond(request: HttpRequest, service: Service[Any], caller: Any) -> HttpResponse:
    """The service's response to a request on behalf of the caller.

    :raises RequestTooLarge: the body is larger than MOST_BYTES.
    """
    if request.method != "POST":
        # The protocol's optional GET opens a stream of the server's own messages, and DELETE ends a session: there
        # are neither.
        response: HttpResponse = problem_json_response(MethodRefused())
        response["Allow"] = "POST"
        return response
    if len(request.body) > MOST_BYTES:
        raise RequestTooLarge(limit=as_size(MOST_BYTES))
    from studyplatform.kit.mcp.protocol import exchange  # noqa: PLC0415 (slow, see the package)

    response = async_to_sync(exchange)(request, service, caller)
    response["Cache-Control"] = "no-store"
    return response
