"""A refusal as RFC 9457 problem details: what every program reads when something fails."""

from typing import Any

from django.http import JsonResponse

from studyplatform.kit.errors import AppError
from studyplatform.kit.web.request_id import request_id

TYPE = "application/problem+json"


def problem(error: AppError, *, fields: dict[str, list[dict[str, str]]] | None = None) -> dict[str, Any]:
    """The refusal as the body of an answer; ``fields`` says what is wrong where."""
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
    """The refusal as the problem details that the API answers, outside its views."""
    return JsonResponse(problem(refusal), status=refusal.status, content_type=TYPE)
