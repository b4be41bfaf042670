"""The address to which the provider sends its events (https://docs.stripe.com/api/webhook_endpoints)."""

from dataclasses import dataclass

from apps.billing.gateway.client import client, translates_errors

EVENTS = (
    "balance.available",
    "charge.dispute.closed",
    "charge.dispute.created",
    "charge.dispute.funds_reinstated",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.updated",
    "charge.refunded",
    "charge.succeeded",
    "charge.updated",
    "customer.discount.created",
    "customer.discount.deleted",
    "customer.discount.updated",
    "customer.subscription.created",
    "customer.subscription.deleted",
    "customer.subscription.trial_will_end",
    "customer.subscription.updated",
    "customer.updated",
    "invoice.created",
    "invoice.finalized",
    "invoice.paid",
    "invoice.payment_action_required",
    "invoice.payment_failed",
    "payment_intent.canceled",
    "payment_intent.payment_failed",
    "payment_intent.processing",
    "payment_intent.succeeded",
    "payment_method.attached",
    "payment_method.automatically_updated",
    "payment_method.detached",
    "payment_method.updated",
    "payout.canceled",
    "payout.created",
    "payout.failed",
    "payout.paid",
    "refund.created",
    "refund.failed",
    "refund.updated",
    "topup.reversed",
    "topup.succeeded",
    "transfer.created",
    "transfer.reversed",
    "transfer.updated",
)
# What happens to connected accounts is sent to an endpoint of its own.
ACCOUNT_EVENTS = ("account.updated",)


@dataclass(frozen=True)
class Endpoint:
    """``secret``: only when it was just created."""

    id: str
    url: str
    secret: str
    api_version: str


@translates_errors
def create_endpoint(*, url: str, is_for_accounts: bool = False) -> Endpoint:
    """Let the provider send its events to this address. ``is_for_accounts``: those of connected accounts."""
    events = list(ACCOUNT_EVENTS if is_for_accounts else EVENTS)
    made = client().v1.webhook_endpoints.create(
        {"url": url, "enabled_events": events, "connect": is_for_accounts}  # type: ignore[typeddict-item]  # the types list each name
    )
    return Endpoint(id=made.id, url=made.url, secret=made.secret or "", api_version=made.api_version or "")


@translates_errors
def endpoint_urls() -> dict[str, str]:
    """Return the addresses that the provider knows, by id."""
    found = client().v1.webhook_endpoints.list({"limit": 100})
    return {each.id: each.url for each in found.auto_paging_iter()}


@translates_errors
def delete_endpoint(endpoint: str) -> None:
    """Send no more events there."""
    client().v1.webhook_endpoints.delete(endpoint)
