"""Make the provider and this site known to each other."""

import uuid

from django.conf import settings
from django.urls import reverse
from djstripe.models import WebhookEndpoint

from apps.billing import gateway


def connect_webhooks(*, site: str) -> WebhookEndpoint:
    """Let the provider send its events to this site, whose address is ``site``. Idempotent. Returns the main endpoint.

    A second endpoint receives the events of connected accounts.

    An endpoint of another address of this site is replaced. The secret that signs the events is known only when the
    endpoint is created, so one that this database doesn't know is replaced by a new one.
    """
    known = gateway.endpoint_urls()
    _connect(site, known, gateway.ACCOUNT_EVENTS)
    return _connect(site, known, gateway.EVENTS)


def _connect(site: str, known: dict[str, str], events: tuple[str, ...]) -> WebhookEndpoint:
    """Keep or make the endpoint for these events, and remove others for them."""
    is_for_accounts = events == gateway.ACCOUNT_EVENTS
    kept = None
    for row in WebhookEndpoint.objects.all():
        if is_for_accounts != (tuple(row.enabled_events) == gateway.ACCOUNT_EVENTS):
            continue
        url = webhook_url(site, row.djstripe_uuid)
        is_current = set(row.enabled_events) == set(events)  # a release may want other events than the one before
        if kept is None and row.secret and known.get(row.id) == url and is_current:
            kept = row
            continue
        if row.id in known:
            gateway.delete_endpoint(row.id)
        row.delete()
    if kept is not None:
        return kept
    name = uuid.uuid4()
    url = webhook_url(site, name)
    made = gateway.create_endpoint(url=url, is_for_accounts=is_for_accounts)
    return WebhookEndpoint.objects.create(
        id=made.id,
        livemode=settings.STRIPE_LIVE_MODE,
        djstripe_uuid=name,
        url=url,
        secret=made.secret,
        status="enabled",
        enabled_events=list(events),
        api_version=made.api_version,
    )


def webhook_url(site: str, name: uuid.UUID) -> str:
    """The address of an endpoint of this site."""
    return site.rstrip("/") + reverse("djstripe:djstripe_webhook_by_uuid", args=[name])
