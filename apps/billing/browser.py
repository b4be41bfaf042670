"""What a page needs for the payment provider's script: its key and address, and a policy that allows it there alone.

Card numbers go from the browser to the provider, never here.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.decorators import csp_update
from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

Page = Callable[..., HttpResponseBase]

# https://docs.stripe.com/security/guide#content-security-policy
STRIPE_SOURCES = {
    "script-src": ["https://js.stripe.com", "https://*.js.stripe.com"],
    "frame-src": ["https://js.stripe.com", "https://*.js.stripe.com", "https://hooks.stripe.com"],
    "connect-src": ["https://api.stripe.com"],
}

ONBOARDING = "https://connect.stripe.com"


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
