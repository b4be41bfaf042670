"""The rules by which browsers prefetch pages: a link that the page's script has marked is prefetched at once.

https://developer.mozilla.org/en-US/docs/Web/HTTP/Reference/Headers/Speculation-Rules. The script marks a link on hover,
focus or press (assets/site/preload.ts).
"""

import json
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.views.decorators.http import require_safe

from apps.accounts.guards import open_to_everyone

ADDRESS = "/speculation-rules.json"
RULES = {
    "prefetch": [{"source": "document", "where": {"selector_matches": "a[data-prefetch]"}, "eagerness": "immediate"}]
}


@open_to_everyone
@require_safe
def speculation_rules(request: HttpRequest) -> HttpResponse:
    """The rules as JSON, which browsers cache for a day."""
    return HttpResponse(
        json.dumps(RULES),
        content_type="application/speculationrules+json",
        headers={"Cache-Control": "public, max-age=86400"},
    )


class SpeculationRulesMiddleware:
    """Name the address of the rules in the header of each page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        if response.headers.get("Content-Type", "").startswith("text/html"):
            response.headers["Speculation-Rules"] = f'"{ADDRESS}"'
        return response
