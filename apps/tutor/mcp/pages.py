"""/mcp: the guide for browsers, the protocol for programs, and the metadata by which they find out how to sign in."""

from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import cache_control, never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from apps.accounts.guards import open_to_everyone
from apps.accounts.models import PersonalToken, Scope, User
from apps.tutor.mcp.callers import caller_of
from apps.tutor.mcp.service import SERVICE
from studyplatform.kit.errors import AppError, PermissionRefused, RequestTooLarge
from studyplatform.kit.mcp.http import bearer_token, refuse_foreign_page, respond, unauthorized
from studyplatform.kit.web.problem_details import problem_json_response

METADATA = "/.well-known/oauth-protected-resource/mcp"
_SHOWN_TOKENS = 3


@csrf_exempt  # the session counts only for the guide, which changes nothing; programs send a token
@open_to_everyone
@never_cache
@require_http_methods(["GET", "HEAD", "POST", "DELETE"])
def mcp(request: HttpRequest) -> HttpResponse:
    """The guide if a browser opens the address, otherwise the protocol."""
    if request.method in {"GET", "HEAD"} and "text/html" in request.headers.get("Accept", ""):
        return guide(request)
    try:
        refuse_foreign_page(request)
        caller = caller_of(bearer_token(request), now=timezone.now())
        return respond(request, SERVICE, caller)
    except (PermissionRefused, RequestTooLarge) as refusal:
        return problem_json_response(refusal)
    except AppError as refusal:
        if refusal.status != HTTPStatus.UNAUTHORIZED:
            raise
        return unauthorized(refusal, _challenge(request, refusal))


def _challenge(request: HttpRequest, refusal: AppError) -> dict[str, str]:
    """What the header WWW-Authenticate says: where to find out how to sign in, and what is wrong with the token."""
    shown = {
        "realm": "mcp",
        "resource_metadata": request.build_absolute_uri(METADATA),
        "scope": " ".join(Scope.values),
        "error_description": "Send a personal token from the settings; there is no OAuth sign-in",
    }
    if bearer_token(request):
        shown |= {"error": "invalid_token", "error_description": refusal.code}
    return shown


@open_to_everyone
@cache_control(public=True, max_age=3600)
@require_safe
def metadata(request: HttpRequest) -> JsonResponse:
    """What OAuth clients ask of a protected resource (RFC 9728): tokens come in the header, and from the settings."""
    address = request.build_absolute_uri("/mcp")
    return JsonResponse(
        {
            "resource": address,
            "resource_name": str(SERVICE.title),
            "resource_documentation": address,
            "bearer_methods_supported": ["header"],
            "scopes_supported": list(Scope.values),
        }
    )


def guide(request: HttpRequest) -> HttpResponse:
    """How to connect an assistant."""
    user = request.user
    tokens: list[PersonalToken] = []
    if isinstance(user, User):
        tokens = list(PersonalToken.objects.of(user).live(timezone.now()).order_by("-created_at")[:_SHOWN_TOKENS])
    context = {
        "address": request.build_absolute_uri("/mcp"),
        "tools": SERVICE.tools,
        "prompts": SERVICE.prompts,
        "tokens": tokens,
        "per_minute": settings.RATE_LIMITS["mcp"][0],
    }
    return render(request, "tutor/mcp.html", context)
