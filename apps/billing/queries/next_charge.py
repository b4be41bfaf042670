"""What a subscriber will be charged next, and when: the one place that every page, mail and card asks.

The provider's preview of the next invoice is stored with the subscription (:mod:`apps.billing.services.upcoming`); this
module says what it means.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime
from enum import StrEnum

from django.utils.formats import date_format
from django.utils.timezone import localdate, localtime
from django.utils.translation import gettext as _

from apps.billing.gateway import ChangePreview
from apps.billing.models import Subscription
from apps.billing.plans import Offer, Plan
from apps.billing.prices import tax_in
from apps.billing.tax import Tax, decide_tax, postal_code_in
from studyplatform.kit.text.money import money

Status = Subscription.Status


class ChargeKind(StrEnum):
    """What is charged next."""

    TRIAL_END = "trial_end"
    RENEWAL = "renewal"
    OPEN_INVOICE = "open_invoice"
    PLAN_CHANGE = "plan_change"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Later:
    """An amount that payments from this day on are. ``count``: how many of them; 0: all that follow."""

    amount: int
    at: datetime
    count: int


@dataclass(frozen=True)
class NextCharge:
    """What is charged next. All amounts are minor units; ``tax`` is contained in ``amount``.

    ``at``: None if it is due now. ``count``: how many payments in a row are ``amount``; 0: all. ``credit`` is deducted,
    ``debt`` was too little to be charged before and is added, ``carried`` is too little now and moves to a later
    payment.
    """

    kind: ChargeKind
    amount: int
    currency: str
    plan: str
    at: datetime | None = None
    tax: int = 0
    price: int = 0
    discount: int = 0
    balance_before: int = 0
    balance_after: int = 0
    count: int = 0
    later: tuple[Later, ...] = ()

    @property
    def credit(self) -> int:
        """What of the customer's credit is deducted from this payment."""
        return max(0, -self.balance_before) - max(0, -self.balance_after)

    @property
    def debt(self) -> int:
        return max(0, self.balance_before)

    @property
    def carried(self) -> int:
        return max(0, self.balance_after)

    @property
    def has_parts(self) -> bool:
        """Whether the amount is not simply the price of a period."""
        return bool(self.discount or self.balance_before or self.balance_after)

    @property
    def amount_text(self) -> str:
        """Only this payment, such as "$7.00"."""
        return _amount(self, self.amount)

    @property
    def text(self) -> str:
        """Amounts and days, such as "$7.00 on 1 December 2026, then $14.00 a month"."""
        return _with_later(self, _first_part(self))

    @property
    def amounts_text(self) -> str:
        """Only the amounts, such as "$7.00, then $14.00 a month": where the day stands beside it."""
        first = _per_period if self.count > 1 else _amount
        return _with_later(self, first(self, self.amount))

    @property
    def later_text(self) -> str:
        """What follows this payment, such as "Then $14.00 a month."; "" if all are the same."""
        parts = _later_parts(self)
        return _("Then %(charges)s.") % {"charges": ", ".join(parts)} if parts else ""

    @property
    def free_reason(self) -> str:
        """Why a payment is nothing; "" if something is charged."""
        if self.amount or self.kind == ChargeKind.NOTHING:
            return ""
        if self.carried:
            least = _("%(amount)s is too little to charge, so it's added to a later payment.")
            return least % {"amount": money(self.carried, self.currency, cents=True)}
        if self.credit:
            return _("Your credit covers this payment.")
        return _("Your code covers this payment.") if self.discount else ""


def tax_of(row: Subscription, on: date) -> Tax:
    """Return the tax in what a subscriber pays on a day."""
    postal_code = postal_code_in(row.buyer, row.country)
    return decide_tax(country=row.country, vat_id=row.buyer.get("vat_id", ""), postal_code=postal_code, on=on)


def next_charge(row: Subscription) -> NextCharge:
    """Return what a subscription is charged next. No query: the row has what the provider reported."""
    if row.status == Status.ENDED or (row.cancels_at_period_end and row.status not in {Status.PAST_DUE}):
        return NextCharge(ChargeKind.NOTHING, 0, row.currency, row.plan)
    return charge_without_cancellation(row)


def charge_without_cancellation(row: Subscription) -> NextCharge:
    """Return what a canceled subscription would be charged next if it were resumed; of another: what it is charged."""
    is_due = row.status in {Status.PAST_DUE, Status.INCOMPLETE}
    kind = ChargeKind.TRIAL_END if row.status == Status.TRIALING else ChargeKind.RENEWAL
    found = NextCharge(
        ChargeKind.OPEN_INVOICE if is_due else kind,
        row.next_amount,
        row.currency,
        row.plan,
        at=None if is_due else row.next_at,
        price=row.next_subtotal,
        discount=row.next_discount,
        balance_before=row.balance_before,
        balance_after=row.balance_after,
        count=row.next_count,
        later=tuple(
            Later(each["amount"], datetime.fromisoformat(each["at"]), each["count"]) for each in row.later_charges
        ),
    )
    if row.next_at is None:  # the provider was not asked yet
        at = None if is_due else row.period_end
        found = NextCharge(found.kind, row.price, row.currency, row.plan, at=at, price=row.price)
    return replace(found, tax=_tax_in(row, found.amount, found.at))


def charge_of_change(row: Subscription, offer: Offer, preview: ChangePreview) -> NextCharge:
    """Return what a change of plan charges: today, or at the end of the trial."""
    in_trial = row.status == Status.TRIALING
    invoice, at = preview.invoice, preview.period_end if in_trial else None
    amount = invoice.amount_due if invoice and in_trial else preview.amount_due
    return NextCharge(
        ChargeKind.TRIAL_END if in_trial else ChargeKind.PLAN_CHANGE,
        amount,
        preview.currency,
        offer.plan,
        at=at,
        price=offer.price,
        count=preview.count,
        later=tuple(Later(*each) for each in preview.later),
        discount=invoice.discount if invoice else 0,
        balance_before=invoice.balance_before if invoice else 0,
        balance_after=invoice.balance_after if invoice else 0,
        tax=_tax_in(row, amount, at),
    )


def _tax_in(row: Subscription, amount: int, at: datetime | None) -> int:
    """The tax in an amount, by the rate of the day on which it is charged; None: today."""
    return tax_in(amount, tax_of(row, localtime(at).date() if at else localdate()).rate)


def _first_part(charge: NextCharge) -> str:
    if charge.at is None:
        return _amount(charge, charge.amount)
    if charge.count > 1:
        return _from_day(_per_period(charge, charge.amount), charge.at)
    return _on_day(_amount(charge, charge.amount), charge.at)


def _later_parts(charge: NextCharge) -> list[str]:
    """The amounts that follow the first one, in their order."""
    parts, former = [], charge.count
    for position, each in enumerate(charge.later):
        if each.count == 1:
            parts.append(_on_day(_amount(charge, each.amount), each.at))
        else:
            price = _per_period(charge, each.amount)
            parts.append(_from_day(price, each.at) if former != 1 or position else price)
        former = each.count
    return parts


def _with_later(charge: NextCharge, text: str) -> str:
    parts = _later_parts(charge)
    for part in parts[:-1]:
        text = _("%(first)s, %(next)s") % {"first": text, "next": part}
    return _("%(first)s, then %(next)s") % {"first": text, "next": parts[-1]} if parts else text


def price_per_period(amount: int, currency: str, plan: str) -> str:
    """Return the price of a plan, such as "$14.00 a month"."""
    pattern = _("%(price)s a year") if plan == Plan.YEARLY else _("%(price)s a month")
    return pattern % {"price": money(amount, currency, cents=True)}


def _per_period(charge: NextCharge, amount: int) -> str:
    return price_per_period(amount, charge.currency, charge.plan)


def _amount(charge: NextCharge, amount: int) -> str:
    return money(amount, charge.currency, cents=True)


def _on_day(amount: str, moment: datetime) -> str:
    return _("%(amount)s on %(date)s") % {"amount": amount, "date": _day(moment)}


def _from_day(price: str, moment: datetime) -> str:
    return _("%(price)s from %(date)s") % {"price": price, "date": _day(moment)}


def _day(moment: datetime) -> str:
    return date_format(localtime(moment), "j F Y")
