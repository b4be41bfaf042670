"""Refusals as problem details (RFC 9457)."""

from typing import Any

from django.http import JsonResponse

from studyplatform.kit.errors import AppError
from studyplatform.kit.web.request_id import request_id

TYPE = "application/problem+json"
MAX_FIELD_ERRORS = 20  # in a response
MAX_MESSAGE_LENGTH = 300  # characters; a message may repeat what was sent
MAX_PATH_LENGTH = 100  # characters; a path may contain keys that were sent


def problem(error: AppError, *, fields: dict[str, list[dict[str, str]]] | None = None) -> dict[str, Any]:
    """The refusal as a response body; ``fields`` lists the errors by field path."""
    params = error.params
    fields = fields or params.pop("in_fields", None)
    return {
        "type": f"/help/errors/{error.code}",
        "title": str(error.title),
        "status": error.status,
        "detail": error.detail,
        "code": error.code,
        "params": params,
        "fields": _shortened(fields or {}),
        "request_id": request_id.get(),
    }


def _shortened(fields: dict[str, list[dict[str, str]]]) -> dict[str, list[dict[str, str]]]:
    """The first `MAX_FIELD_ERRORS` errors, without long texts: a response must not grow with the request."""
    shortened: dict[str, list[dict[str, str]]] = {}
    left = MAX_FIELD_ERRORS
    for path, said in fields.items():
        if left <= 0:
            break
        shortened[path[:MAX_PATH_LENGTH]] = [
            one | {"message": str(one["message"])[:MAX_MESSAGE_LENGTH]} for one in said[:left]
        ]
        left -= len(said)
    return shortened


def problem_json_response(refusal: AppError) -> JsonResponse:
    """The refusal as an API response, for code outside DRF's views."""
    return JsonResponse(problem(refusal), status=refusal.status, content_type=TYPE)
