"""What all API views share: error responses, pagination, validation, additions to the schema."""

import logging
from functools import cache
from typing import Any

from django.core.exceptions import PermissionDenied, SuspiciousOperation
from django.http import Http404
from rest_framework import exceptions
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import set_rollback

from studyplatform.kit import errors
from studyplatform.kit.errors import REGISTRY, AppError
from studyplatform.kit.web.failures import refusal_of
from studyplatform.kit.web.problem_details import MAX_FIELD_ERRORS, TYPE, problem
from studyplatform.kit.web.request_id import request_id

logger = logging.getLogger(__name__)


class Pages(PageNumberPagination):
    page_size_query_param = "page_size"
    max_page_size = 100

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """DRF's schema, with ``next`` and ``previous`` nullable as OpenAPI 3.1 writes it."""
        page: dict[str, Any] = super().get_paginated_response_schema(schema)
        for name in ("next", "previous"):
            page["properties"][name] = {"type": ["string", "null"], "format": "uri"}
        page["required"] = sorted(page["properties"])
        return page


def problem_response(error: AppError, **kwargs: Any) -> Response:
    """The refusal as a response of an API view."""
    return Response(problem(error, **kwargs), status=error.status, content_type=TYPE)


def problem_handler(exception: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler: every failure becomes a problem detail; a crash reveals no internals."""
    set_rollback()
    fields: dict[str, list[dict[str, str]]] | None = None
    match exception:
        case _ if refusal := refusal_of(exception):
            error: AppError = refusal
        case exceptions.ValidationError():
            error, fields = errors.ValidationFailed(), _fields(exception.get_full_details())
        case exceptions.ParseError() | SuspiciousOperation():
            error = errors.ValidationFailed()
        case exceptions.NotAuthenticated() | exceptions.AuthenticationFailed():
            error = errors.NotAuthenticated()
        case exceptions.Throttled():
            error = errors.RateLimitExceeded(wait=max(1, round(getattr(exception, "wait", None) or 60)))
        case exceptions.PermissionDenied() | PermissionDenied():
            error = errors.PermissionRefused()
        case exceptions.NotFound() | Http404():
            error = errors.NotFound()
        case exceptions.MethodNotAllowed() | exceptions.UnsupportedMediaType() | exceptions.NotAcceptable():
            error = errors.MethodRefused()
        case _:
            reference = request_id.get()
            logger.error("Crash in the API, reference %s", reference, exc_info=exception)
            error = errors.ServerError(reference=reference)
    response = problem_response(error, fields=fields)
    if isinstance(exception, exceptions.UnsupportedMediaType | exceptions.NotAcceptable):
        response.status_code = exception.status_code
    match error:
        case errors.RateLimitExceeded(wait=wait):
            response["Retry-After"] = str(wait)
        case AppError(status=401):
            response["WWW-Authenticate"] = 'Bearer realm="api"'
    return response


def _fields(details: Any) -> dict[str, list[dict[str, str]]]:
    """DRF's nested details as {path: [{code, message}]}; errors of no single field are under "".

    Of more than `MAX_FIELD_ERRORS` paths, the first.
    """
    found: dict[str, list[dict[str, str]]] = {}

    def walk(node: Any, path: str) -> None:
        if len(found) >= MAX_FIELD_ERRORS:
            return
        if isinstance(node, dict) and set(node) == {"message", "code"} and not isinstance(node["message"], dict | list):
            found.setdefault(path, []).append({"code": str(node["code"]), "message": str(node["message"])})
        elif isinstance(node, dict):
            for key, value in node.items():
                name = "" if key == "non_field_errors" else str(key)
                walk(value, f"{path}.{name}".strip(".") if name else path)
        elif isinstance(node, list):
            for index, value in enumerate(node):
                leaf = isinstance(value, dict) and set(value) == {"message", "code"}
                walk(value, path if leaf else f"{path}.{index}".strip("."))

    walk(details, "")
    return found


@cache
def _serializer(serializer: type[BaseSerializer[Any]]) -> BaseSerializer[Any]:
    return serializer()


def validated(serializer: type[BaseSerializer[Any]], request: Request) -> dict[str, Any]:
    """The validated data of the request. For frequent calls: DRF copies all fields for each new serializer.

    :raises ValidationError: the data are invalid.
    """
    sent: dict[str, Any] = _serializer(serializer).run_validation(request.data)  # type: ignore[arg-type]  # classes are hashable
    return sent


def add_problems(result: dict[str, Any], generator: Any, request: Any, public: bool) -> dict[str, Any]:  # noqa: FBT001
    """Post-processing of the schema: error codes as an enum, the Problem schema, and a default response."""
    schemas = result.setdefault("components", {}).setdefault("schemas", {})
    schemas["ErrorCode"] = {"type": "string", "enum": sorted(REGISTRY)}
    schemas["FieldProblem"] = {
        "type": "object",
        "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
        "required": ["code", "message"],
    }
    schemas["Problem"] = {
        "type": "object",
        "description": "RFC 9457 problem details.",
        "properties": {
            "type": {"type": "string"},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string"},
            "code": {"$ref": "#/components/schemas/ErrorCode"},
            "params": {"type": "object", "additionalProperties": True},
            "fields": {
                "type": "object",
                "additionalProperties": {"type": "array", "items": {"$ref": "#/components/schemas/FieldProblem"}},
            },
            "request_id": {"type": "string"},
        },
        "required": ["type", "title", "status", "detail", "code", "params", "fields", "request_id"],
    }
    answer = {
        "description": "A refusal or a failure.",
        "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
    }
    for operations in result.get("paths", {}).values():
        for operation in operations.values():
            if isinstance(operation, dict) and "responses" in operation:
                operation["responses"].setdefault("default", answer)
    return result
