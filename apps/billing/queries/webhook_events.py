"""The events that arrived from the provider, as admins see them."""

from collections import Counter
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, CharField, Count, Q, Value, When
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from djstripe.models import WebhookEventTrigger

from apps.billing.services.webhooks import HANDLERS, handler_of

STATES: dict[str, str | Promise] = {
    "failed": _("Failed"),
    "waiting": _("Waiting"),
    "handled": _("Handled"),
    "ignored": _("Ignored"),
    "rejected": _("Rejected"),
}
REPLAYABLE = ("failed", "waiting", "handled", "ignored")  # what was verified


@dataclass(frozen=True)
class EventRow:
    """An event as the list shows it. ``kind``: such as "charge.refunded"; ``subject``: the object's id."""

    trigger: WebhookEventTrigger
    state: str
    kind: str
    subject: str
    name: str


def events(text: str = "") -> Any:  # a query set with `state`, which types can't name
    """Return what arrived, the latest first, each with its ``state``.

    :param text: only events that contain it: an id of the provider, or a type.
    """
    known = Q(pk__in=[])
    for prefix in HANDLERS:
        known |= Q(event__type__startswith=prefix)
    state = Case(
        When(valid=False, then=Value("rejected")),
        When(
            processed=True, event__isnull=False, then=Case(When(known, then=Value("handled")), default=Value("ignored"))
        ),
        When(processed=True, then=Value("handled")),
        When(~Q(exception=""), then=Value("failed")),
        default=Value("waiting"),
        output_field=CharField(),
    )
    found = WebhookEventTrigger.objects.defer("headers").annotate(state=state)
    return (found.filter(body__contains=text) if text else found).order_by("-pk")


def counts_by_state(found: Any) -> Counter[str]:
    """Return how many of these events are in each state. One query."""
    rows = found.order_by().values("state").annotate(count=Count("pk"))
    return Counter({row["state"]: row["count"] for row in rows})


def rows(found: Any) -> list[EventRow]:
    """Return events of :func:`events` as the list shows them."""
    made = []
    for trigger in found:
        body = trigger.json_body if isinstance(trigger.json_body, dict) else {}
        data = body.get("data")
        subject = data.get("object") if isinstance(data, dict) else None
        kind = str(body.get("type", ""))[:100]
        about = str(subject.get("id", ""))[:100] if isinstance(subject, dict) else ""
        state = "ignored" if trigger.state == "handled" and handler_of(kind) is None else trigger.state
        made.append(EventRow(trigger, state, kind, about, str(body.get("id", ""))[:100]))
    return made
