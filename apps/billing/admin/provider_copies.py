"""What dj-stripe keeps of the payment provider, in Django's admin: the event log and its copies of objects.

Only a copy: services ask the provider itself (docs/adr/0023). Read-only, without keys, and without the secrets that
confirm a payment in a browser.
"""

import json
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.db.models import Model
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.timezone import is_aware, make_aware
from django.utils.translation import gettext_lazy as _
from djstripe import models as copies
from djstripe.models import WebhookEndpoint, WebhookEventTrigger

from apps.billing.provider_amounts import from_provider
from apps.billing.queries import webhook_events
from studyplatform.kit.text.money import money
from studyplatform.kit.web.read_only_admin import ReadOnlyScreen, register_read_only

SECRET_FIELDS = frozenset({"client_secret", "secret", "confirmation_secret", "api_key"})
MAX_SHOWN_CHARACTERS = 100_000
AMOUNT_FIELDS = ("amount", "amount_due", "unit_amount", "amount_off")


def without_secrets(value: Any) -> Any:
    """Return a JSON value whose secrets are replaced by "hidden"."""
    if isinstance(value, dict):
        return {
            name: "hidden" if name in SECRET_FIELDS and found else without_secrets(found)
            for name, found in value.items()
        }
    return [without_secrets(each) for each in value] if isinstance(value, list) else value


def format_json(value: Any) -> str:
    """Return a JSON value as readable lines, without secrets, in a <pre> element."""
    text = json.dumps(without_secrets(value), indent=2, ensure_ascii=False, sort_keys=True)
    shown = text if len(text) <= MAX_SHOWN_CHARACTERS else f"{text[:MAX_SHOWN_CHARACTERS]}\n…"
    return format_html('<pre style="white-space:pre-wrap;overflow-wrap:anywhere">{}</pre>', shown)


class CopyScreen(ReadOnlyScreen):
    """The copies of one type of object: what an accountant looks for in the list, the whole object on its page."""

    list_display = ("id", "amount", "status", "made_at", "djstripe_updated")
    list_filter = ["livemode"]
    search_fields = ["id__exact"]
    search_help_text = _("The provider's whole ID, such as ch_…")
    ordering = ("-djstripe_updated", "-pk")
    fields = ("id", "amount", "status", "made_at", "livemode", "djstripe_updated", "content")
    readonly_fields = fields

    @admin.display(description=_("Amount"))
    def amount(self, row: Any) -> str:
        found = row.stripe_data
        currency = found.get("currency")
        amount = next((found[name] for name in AMOUNT_FIELDS if isinstance(found.get(name), int)), None)
        if amount is None or not currency:
            return "–"
        return money(from_provider(amount, currency), currency, cents=True)

    @admin.display(description=_("Status"))
    def status(self, row: Any) -> str:
        return str(row.stripe_data.get("status") or row.stripe_data.get("type") or "–")

    @admin.display(description=_("Created"))
    def made_at(self, row: Any) -> datetime | None:
        created: datetime | None = row.created
        return created if created is None or is_aware(created) else make_aware(created)

    @admin.display(description=_("Object"))
    def content(self, row: Any) -> str:
        return format_json(row.stripe_data)


class EventScreen(CopyScreen):
    """The event log."""

    list_display = ("id", "type", "made_at", "request_id", "djstripe_updated")
    list_filter = ["livemode", "type"]
    search_fields = ["id__exact", "type"]
    search_help_text = _("The provider's whole ID, such as evt_…, or a part of the type, such as refund")
    fields = ("id", "type", "made_at", "api_version", "request_id", "livemode", "content")
    readonly_fields = fields


COPIED_MODELS = (
    copies.Account, copies.BalanceTransaction, copies.Charge, copies.Coupon, copies.Customer, copies.Dispute,
    copies.Invoice, copies.PaymentIntent, copies.PaymentMethod, copies.Payout, copies.Price, copies.Product,
    copies.PromotionCode, copies.Refund, copies.SetupIntent, copies.Subscription, copies.Transfer,
    copies.TransferReversal,
)  # fmt: skip


class TriggerScreen(ReadOnlyScreen):
    """What arrived at the webhook address: verified or not, handled or not."""

    list_display = ("id", "created", "kind", "state", "exception", "webhook_endpoint")
    list_filter = ("valid", "processed")
    search_fields = ("exception", "body")
    list_select_related = ("webhook_endpoint",)
    ordering = ("-pk",)
    fields = ("id", "created", "updated", "kind", "state", "remote_ip", "webhook_endpoint", "exception", "content")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> Any:
        return webhook_events.events()

    @admin.display(description=_("Type"))
    def kind(self, row: WebhookEventTrigger) -> str:
        body = row.json_body
        return str(body.get("type", "–"))[:100] if isinstance(body, dict) else "–"

    @admin.display(description=_("State"))
    def state(self, row: Any) -> str:
        return str(webhook_events.STATES[row.state])

    @admin.display(description=_("Event"))
    def content(self, row: WebhookEventTrigger) -> str:
        return format_json(row.json_body)


register_read_only(
    WebhookEndpoint,
    ["url", "status", "api_version", "livemode", "djstripe_updated"],
    search=["url", "id"],
    hidden=["secret"],
)


def show(model: type[Model], screen: type[ReadOnlyScreen]) -> None:
    """Show a table of dj-stripe by our screen instead of its own, which acts without our services."""
    if admin.site.is_registered(model):
        admin.site.unregister(model)
    admin.site.register(model, screen)


show(WebhookEventTrigger, TriggerScreen)
show(copies.Event, EventScreen)
for _model in COPIED_MODELS:
    show(_model, CopyScreen)
