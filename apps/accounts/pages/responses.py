"""Responses that several auth pages share."""

from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.kit.web.requests import safe_next


def form_page(request: HttpRequest, template: str, form: Any, **context: Any) -> HttpResponse:
    """The page of a form with its values and errors; ``refusal`` in the context is an error of the form as a whole."""
    onward = safe_next(request, request.POST.get("next") or request.GET.get("next"), "")
    response = render(request, template, {"form": form, "next": onward, **context})
    refusal = context.get("refusal")
    if isinstance(refusal, RateLimitExceeded):
        response.status_code = refusal.status
        response["Retry-After"] = str(refusal.wait)
    return response


def field_errors(form: Any) -> JsonResponse:
    """The form's errors by field, for the browser to show while the user types (``data-check``)."""
    return JsonResponse({name: [str(one) for one in found] for name, found in form.errors.items()})


def without_referrer(response: HttpResponse) -> HttpResponse:
    """Keep the page's address, which contains a secret, out of the Referer header that other sites receive."""
    response["Referrer-Policy"] = "same-origin"
    return response
