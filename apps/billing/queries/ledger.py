"""Reads of the ledger: balances of accounts."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from django.db.models import Sum

from apps.billing.models import LedgerLine

Balances = dict[str, dict[str, int]]


def balances(accounts: Iterable[str] | None = None, *, until: datetime | None = None) -> Balances:
    """The balance of each account by currency, in minor units: {"provider": {"usd": 4900}}. One query.

    Debits are positive: what we own and spend; what we owe and earn is negative. Accounts without lines are missing.

    :param accounts: the codes of accounts; None for all.
    :param until: only entries that occurred before.
    """
    lines = LedgerLine.objects.all()
    if accounts is not None:
        lines = lines.filter(account__code__in=list(accounts))
    if until is not None:
        lines = lines.filter(entry__occurred_at__lt=until)
    sums = lines.order_by().values_list("account__code", "currency").annotate(Sum("amount"))
    found: Balances = {}
    for code, currency, amount in sums:
        found.setdefault(code, {})[currency] = amount
    return found
