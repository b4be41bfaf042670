"""What all pages for admins about payments show: their tabs, and which provider is active."""

from typing import Any

from django.conf import settings

from apps.billing.queries import revenue
from apps.billing.queries.transfer_orders import count_open_transfers


def shared(tab: str) -> dict[str, Any]:
    """Return the context of `billing/admin/_area.html`. Three queries."""
    requests, open_disputes = revenue.waiting_counts()
    mode = "standin" if settings.BILLING_MODE == "standin" else "live" if settings.STRIPE_LIVE_MODE else "test"
    return {
        "tab": tab,
        "requests": requests,
        "open_disputes": open_disputes,
        "open_transfers": count_open_transfers(),
        "mode": mode,
    }
