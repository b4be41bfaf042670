"""Sales for tests, posted by the service, and what the provider lists."""

from datetime import datetime
from itertools import count
from typing import Any

import factory
from django.utils import timezone

from apps.billing import services
from apps.billing.models import BalanceTransaction, LedgerEntry

_numbers = count(1)


def sale(
    instructor_id: int | None = 1, total: int = 10_000, *, at: datetime | None = None, **facts: Any
) -> LedgerEntry:
    """A sale of a course: 100 dollars, no tax, 70 percent for the instructor."""
    known = {"tax": 0, "share_bps": 7000, "currency": "usd", **facts}
    key = known.pop("payment_key", f"pi_{next(_numbers)}")
    entry = services.post_sale(key, instructor_id, total, occurred_at=at or timezone.now(), **known)
    assert entry
    return entry


class BalanceTransactionFactory(factory.django.DjangoModelFactory):
    """A charge of $10 that the ledger doesn't have."""

    class Meta:
        model = BalanceTransaction

    gateway_id = factory.Sequence(lambda number: f"txn_{number}")
    fact = factory.Sequence(lambda number: f"ch_{number}")
    type = category = "charge"
    amount = net = 1000
    fee = 0
    currency = "usd"
    created_at = factory.LazyFunction(timezone.now)
