"""What a course page sends when somebody reads it (assets/site/courseVisit.ts)."""

import contextlib

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from apps.accounts.guards import open_to_everyone
from apps.learning import services
from studyplatform.kit.errors import RateLimitExceeded
from studyplatform.kit.web.origins import is_own_origin
from studyplatform.kit.web.rate_limits import consume_for_address


@csrf_exempt  # a beacon of a cached page has no token; it changes a number, and only a page of this site counts
@open_to_everyone
@never_cache
@require_POST
def visit(request: HttpRequest, course: str) -> HttpResponse:
    """Count a visitor of the day. The answer is always the same, and empty: nobody reads it.

    Not counted are browsers that ask not to be tracked, requests of other sites, and too many of one address.
    """
    now = timezone.now()
    if _counts(request):
        with contextlib.suppress(RateLimitExceeded):
            consume_for_address(request, "course-visit", now=now)
            services.count_visit(user=request.user, slug=course, now=now)
    return HttpResponse(status=204)


def _counts(request: HttpRequest) -> bool:
    if "1" in {request.headers.get("DNT"), request.headers.get("Sec-GPC")}:
        return False
    return is_own_origin(request.headers.get("Origin", ""), request.get_host(), request.scheme or "http")
