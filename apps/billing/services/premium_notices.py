"""Tell subscribers of a trial that ends soon, a renewal that failed, and the end of Premium."""

from datetime import datetime, timedelta

from django.db import transaction
from django.utils.formats import date_format
from django.utils.timezone import localtime

from apps.accounts import services as people
from apps.billing import queries
from apps.billing.models import Card, Subscription
from apps.billing.queries.next_charge import next_charge

PAGE = "/billing/subscriptions"
TRIAL_NOTICE = timedelta(days=3)
REMINDERS = (0, 3, 6)  # days after a renewal failed

Status = Subscription.Status


def tell_of_trial(row: Subscription, *, now: datetime) -> None:
    """Notify the owner three days before the trial ends, once, if it continues as a paid subscription."""
    if row.status != Status.TRIALING or row.cancels_at_period_end or row.trial_end is None:
        return
    if row.trial_end - TRIAL_NOTICE <= now:
        people.notify(
            "billing.trial_ends",
            row.user,
            PAGE,
            f"{row.uid} {row.trial_end:%Y-%m-%d}",
            now=now,
            date=_date(row.trial_end),
            amount=next_charge(row).amounts_text,
        )


def tell_of_failure(row: Subscription, *, now: datetime) -> None:
    """Notify the owner of a failed renewal, on the day and after 3 and 6 days, each once."""
    if row.status != Status.PAST_DUE or row.past_due_since is None or row.grace_until is None:
        return
    days = (now - row.past_due_since).days
    due = max((day for day in REMINDERS if day <= days), default=0)
    people.notify(
        "billing.renewal_failed",
        row.user,
        "/billing/renew",
        f"{row.uid} {row.past_due_since:%Y-%m-%d} {due}",
        now=now,
        amount=next_charge(row).amount_text,
        date=_date(row.grace_until),
    )


def tell_of_card(row: Subscription, *, now: datetime) -> None:
    """Notify the owner of a subscription that the card it will be charged to expires within 30 days, once per card."""
    if row.cancels_at_period_end or row.status not in {Status.TRIALING, Status.ACTIVE, Status.PAST_DUE}:
        return
    card = queries.default_card(row.user_id)
    if card is None or card.warned_at is not None:
        return
    last = queries.last_day(card)
    if last > localtime(now).date() + queries.SOON:
        return
    with transaction.atomic():
        if Card.objects.usable().filter(pk=card.pk, warned_at=None).update(warned_at=now):
            people.notify(
                "billing.card_expires",
                row.user,
                "/billing/methods",
                f"{card.uid} {last:%Y-%m}",
                now=now,
                brand=queries.brand_name(card.brand),
                digits=card.last4,
                date=date_format(last, "j F Y"),
            )


def tell_of_end(row: Subscription) -> None:
    """Notify the owner that Premium has ended, once."""
    people.notify("billing.premium_ended", row.user, "/billing/renew", str(row.uid), now=row.ended_at)


def _date(moment: datetime) -> str:
    return date_format(localtime(moment), "j F Y")
