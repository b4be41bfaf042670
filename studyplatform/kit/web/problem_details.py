"""Refusals as problem details (RFC 9457)."""

from typing import Any

from django.http import JsonResponse

from studyplatform.kit.errors import AppError
from studyplatform.kit.web.request_id import request_id

TYPE = "application/problem+json"


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
        "fields": fields or {},
        "request_id": request_id.get(),
    }


def problem_json_response(refusal: AppError) -> JsonResponse:
    """The refusal as an API response, for code outside DRF's views."""
    return JsonResponse(problem(refusal), status=refusal.status, content_type=TYPE)
