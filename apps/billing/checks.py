"""System checks of the payment provider."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Tags, Warning, register


@register(Tags.security, deploy=True)
def payments_are_real(app_configs: Any, **_: Any) -> list[CheckMessage]:
    """Runs with ``check --deploy``. Without ``ALLOW_STANDIN``, production does not start (settings/production.py)."""
    if settings.BILLING_MODE == "standin":
        hint = "Set Stripe's keys (.env.example), unless this site only demonstrates the product."
        return [Warning("Payments are simulated by the stand-in: nobody is charged.", hint=hint, id="billing.W001")]
    return []
