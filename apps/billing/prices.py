"""What something costs: list price, discount and tax. Integers in minor units, rates in hundredths of a percent."""

from dataclasses import dataclass

from apps.billing.splits import WHOLE
from apps.billing.tax import Tax, TaxTreatment
from studyplatform.kit.text.money import price_step, smallest_charge


def tax_in(total: int, rate: int) -> int:
    """Return the tax that a price with tax contains, rounded half up."""
    return (2 * total * rate + WHOLE + rate) // (2 * (WHOLE + rate))


def settle_balance(total: int, balance: int, currency: str) -> tuple[int, int]:
    """Return what an invoice of this total charges, and the customer's balance after it, by the provider's rule.

    A negative balance is credit, which is deducted. What is too little to be charged moves to the balance, and a later
    invoice adds it (https://docs.stripe.com/billing/customer/balance).
    """
    due = total + balance
    after = due if due < smallest_charge(currency) else 0
    return due - after, after


@dataclass(frozen=True)
class Quote:
    """What something costs a user. ``total`` includes ``tax``."""

    list_price: int
    discount: int
    total: int
    tax: int
    tax_rate: int
    currency: str
    country: str
    treatment: TaxTreatment = TaxTreatment.STANDARD


def quote(*, list_price: int, discount: int, currency: str, tax: Tax) -> Quote:
    """Compute a price with its discount and the tax in it (`tax.decide_tax`).

    What the provider would not charge because it is too little is free.
    """
    discount = min(discount, list_price)
    discount += (list_price - discount) % price_step(currency)  # steps that the provider cannot charge are free
    if list_price - discount < smallest_charge(currency):
        discount = list_price
    total = list_price - discount
    return Quote(
        list_price=list_price,
        discount=discount,
        total=total,
        tax=tax_in(total, tax.rate),
        tax_rate=tax.rate,
        currency=currency,
        country=tax.country,
        treatment=tax.treatment,
    )
