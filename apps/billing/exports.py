"""Billing's part of a user's data archive."""

from collections.abc import Iterator

from apps.accounts.models import User
from apps.accounts.services import Part, register_export
from apps.billing.models import LedgerLine


@register_export("billing")
def of_billing(user: User) -> Iterator[Part]:
    earnings = LedgerLine.objects.filter(account__instructor_id=user.pk).order_by("entry__occurred_at", "pk")
    yield Part(
        "billing/earnings.json",
        earnings.values(
            "entry__occurred_at", "entry__kind", "entry__description", "entry__total", "amount", "currency"
        ).iterator(),
    )
