"""Amounts of the provider's balance in the currency of the payment they belong to.

If the account is settled in another currency, the provider exchanges what it moves: the amount, the fee and the
currency of a balance transaction are then those of the account (`exchange_rate` in
https://docs.stripe.com/api/balance_transactions/object).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import stripe

from apps.billing.provider_amounts import from_provider


def fee_of(moved: stripe.BalanceTransaction, *, amount: int, currency: str) -> int:
    """Return the fee of a movement in minor units of the payment's currency, rounded half to even.

    :param amount: what was moved, as the provider counts it in the currency of the payment.
    """
    if moved.currency == currency or moved.amount == 0:
        return from_provider(moved.fee, currency)
    return from_provider(round(Fraction(moved.fee * abs(amount), abs(moved.amount))), currency)


def movements_of_dispute(
    rows: Sequence[stripe.BalanceTransaction], *, amount: int, currency: str
) -> tuple[list[int], list[int]]:
    """Return what a dispute moved and the fees of it, in minor units of the payment's currency.

    The first withdrawal is the amount of the dispute. What comes back later is exchanged at the rate of that day: less
    than was taken can be all of it.

    :param amount: the amount of the dispute, as the provider counts it.
    """
    withdrawal = next((row for row in rows if row.amount < 0), None)
    if withdrawal is None or all(row.currency == currency for row in rows):
        return [from_provider(row.amount, currency) for row in rows], [from_provider(row.fee, currency) for row in rows]
    # One minor unit of the account's currency can be several ones of the payment's.
    tolerance = Fraction(amount, abs(withdrawal.amount)) + 1
    moved, fees = [], []
    for row in rows:
        change = _rate(withdrawal) / _rate(row)
        factor = Fraction(amount, abs(withdrawal.amount)) * change
        value = row.amount * factor
        if abs(abs(value) - amount) <= tolerance:
            value = Fraction(amount if row.amount > 0 else -amount)
        moved.append(from_provider(round(value), currency))
        fees.append(from_provider(round(row.fee * factor), currency))
    return moved, fees


def _rate(row: stripe.BalanceTransaction) -> Fraction:
    return Fraction(str(row.exchange_rate)) if row.exchange_rate else Fraction(1)
