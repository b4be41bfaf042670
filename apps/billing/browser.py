"""What a page needs for the payment provider's script: its key and address, and a policy that allows it there alone;
and what a request says about the country of a buyer.

Card numbers go from the browser to the provider, never here.
"""

import re
from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase
from rest_framework.request import Request

from apps.billing.countries import country_codes

Page = Callable[..., HttpResponseBase]

# https://docs.stripe.com/security/guide#content-security-policy
STRIPE_SOURCES = {
    "script-src": ["https://js.stripe.com", "https://*.js.stripe.com"],
    "frame-src": ["https://js.stripe.com", "https://*.js.stripe.com", "https://hooks.stripe.com"],
    "connect-src": ["https://api.stripe.com"],
}

ONBOARDING = "https://connect.stripe.com"


def guessed_country(request: HttpRequest | Request) -> str:
    """The country that the browser's first language names, such as "US" in en-US; "" if it names none."""
    first = request.headers.get("Accept-Language", "").split(",")[0]
    found = re.fullmatch(r"[a-zA-Z]{2,3}(?:-[a-zA-Z]{4})?-([a-zA-Z]{2})(?:;.*)?", first.strip())
    code = found[1].upper() if found else ""
    return code if code in country_codes() else ""


def country_evidence(request: HttpRequest | Request) -> dict[str, str]:
    """Return what a request says about the country of who sent it, by source; "" where nothing does.

    The header of the proxy counts only if the site names it (COUNTRY_HEADER).
    """
    network = request.headers.get(settings.COUNTRY_HEADER, "").upper() if settings.COUNTRY_HEADER else ""
    known = network if network in country_codes() else ""
    return {"browser": guessed_country(request), "network": known}


def provider_props() -> dict[str, str]:
    """The island's property ``provider``. ``script``: the address of the stand-in's script; "" for the real one."""
    script = f"{settings.STRIPE_API_HOST}/js/stripe.js" if settings.BILLING_MODE == "standin" else ""
    return {"key": settings.STRIPE_PUBLISHABLE_KEY, "script": script}


def provider_sources() -> dict[str, list[str]]:
    """What the content security policy of a page with the provider's script allows in addition."""
    if settings.BILLING_MODE == "standin":
        return {name: [settings.STRIPE_API_HOST] for name in STRIPE_SOURCES}
    return STRIPE_SOURCES


def allows_onboarding(page: Page) -> Page:
    """Allow forms of this page to lead to the provider's onboarding."""

    @wraps(page)
    def allowed(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        host = settings.STRIPE_API_HOST if settings.BILLING_MODE == "standin" else ONBOARDING
        return csp_update({"form-action": [host]})(page)(request, *args, **kwargs)

    return allowed


def allows_provider(page: Page) -> Page:
    """Allow the provider's script, frames and calls on this page."""

    @wraps(page)
    def allowed(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        return csp_update(provider_sources())(page)(request, *args, **kwargs)

    return allowed
